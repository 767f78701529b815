/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The engine: runs the protocol core of QPs in process context.
 *
 * A QP with work is kicked. It then waits on a run list: on that of the context which is already
 * running (a doorbell's system call, or a lane), or on the lane of the kicking CPU. A lane is a
 * work item that runs its QPs in turn, each for a bounded slice. The context that runs a QP sends
 * its packets by delivering them: it releases the sender's lock before it takes the destination
 * QP's, so two QP locks are never held together. The destination joins the same run list when it
 * has to answer.
 *
 * A doorbell runs its QP itself. A QP that rings all the time goes to a lane. That lane watches the
 * ring for a while before it lets the QP sleep, if it has a CPU to itself: posts then need no
 * doorbell, and program and engine run in parallel.
 */
#ifndef GLASS_ENGINE_ENGINE_H
#define GLASS_ENGINE_ENGINE_H

#include <linux/sched/signal.h>

#include "model/device.h"
#include "model/work.h"
#include "inject/hooks.h"
#include "observe/flight.h"

#define GLASS_TX_MRS 32

/* Which end writes the flight recorder's one record of a packet's two ends. */
enum glass_pairing {
	GLASS_PAIR_NONE, /* written already, or the recorder is off */
	/* the port where the packet arrives; if it does not arrive, the sender */
	GLASS_PAIR_ARRIVAL,
	GLASS_PAIR_SENDER, /* the sender, when it knows the packet's fate */
};

/*
 * A packet being sent, and the references that keep its payload valid. Every struct glass_pkt that
 * the core is given to fill is embedded in one of these.
 */
struct glass_tx {
	struct glass_pkt pkt;
	int left; /* budget of the turn after pkt; copies of multicast are charged to it */
	struct glass_seg seg[GLASS_PKT_SEGS];
	struct glass_mr *mr[GLASS_TX_MRS];
	u32 nmr;
	struct page *page[GLASS_PKT_SEGS]; /* of on-demand regions */
	u32 npages;
	const struct glass_qp *qp; /* the QP that sends it */
	u64 when; /* recent ktime_get_ns() */
	/* observers (engine/watch.c) */
	struct glass_fate fate; /* of pkt */
	u8 pairing; /* enum glass_pairing */
	u8 port; /* the sending port */
	/* the receiving end, for GLASS_PAIR_SENDER; port 0: not arrived yet */
	struct glass_flight_end rx;
	struct glass_copies *rx_rest; /* copies that port still owes for this packet, or NULL */
	struct glass_copies *rest; /* the same for the arrival in progress */
	struct glass_flight_snap snap; /* of pkt, for the flight recorder */
};

/*
 * A turn ends after this many work requests (fetched, carried out locally or flushed), or this many
 * packets and KiB of payload sent, copies of multicast included.
 */
#define GLASS_TURN_WRS 32
#define GLASS_TURN 64
/*
 * Replaces GLASS_TURN: the QP sends nothing until it has made more copies of its last multicast
 * datagram.
 */
#define GLASS_TURN_COPIES (-GLASS_TURN)

/* The cost of a packet, charged against GLASS_TURN. */
static inline int glass_cost(u32 bytes)
{
	return 1 + (bytes >> 10);
}

/* One running engine: a lane's or a doorbell's. Not shared between threads. */
struct glass_run {
	struct list_head qps; /* in turn order; of a lane: only QPs of kernel consumers */
	struct list_head groups; /* of a lane: all other QPs, by party (party.h) */
	/* number; negative: a doorbell's run, of the QP that rang and the QPs that it triggers */
	int lane;
	bool kernel_had; /* of a lane: a kernel consumer had the last turn */
	/* of a doorbell: the group that pays for the CPU time; NULL: the kernel */
	const struct glass_party *group;
	int budget; /* turns left before the rest goes to a lane, or the lane yields its worker */
	bool linger; /* QPs that are likely to get a post soon may be watched */
	struct list_head watched; /* such QPs: active, and owned by this run */
	struct glass_tx tx;
};

int glass_engine_init(void);
void glass_engine_exit(void);

/*
 * Waits until every context that runs QPs at the time of the call has ended its run. Packets that
 * were in flight before the call are delivered or dropped when this returns. May sleep.
 */
void glass_engine_quiesce(void);

/*
 * Strict mode: the last bytes of a WRITE packet land some time before the others. Places the last
 * bytes of a packet that is about to be received. Returns how many us to delay its reception; 0:
 * the behaviour is off, or the packet is no such WRITE. The caller holds qp->lock.
 */
u32 glass_write_tail(struct glass_qp *qp, const struct glass_pkt *pkt);

/* Schedules qp: it may have work. Any context. run: the caller's, or NULL. */
void glass_qp_kick(struct glass_qp *qp, struct glass_run *run);

/*
 * As glass_qp_kick(), but runs qp, and the QPs that it triggers, in the caller for a bounded time.
 * May sleep.
 */
void glass_qp_kick_inline(struct glass_qp *qp);

/*
 * Was the calling process killed by a signal? The signal is no longer pending when the process's
 * files are closed.
 */
static inline bool glass_killed(void)
{
	return fatal_signal_pending(current) ||
	       ((current->flags & PF_EXITING) && (current->exit_code & 0x7f));
}

/*
 * Lets a QP send the answers that it owes its peer (an ACK, mostly) before it is destroyed or
 * reset, for at most 100 ms. until: QPs that go one after another share this time, which the first
 * of them starts; NULL: the QP goes alone. Does not wait for a process that was killed. May sleep.
 */
void glass_qp_settle(struct glass_qp *qp, struct glass_deadline *until);

/*
 * In ERR or SQE: flushes all requests that were posted before the call, piece by piece, in the
 * caller's time. May sleep; the caller does not hold the QP's lock.
 */
void glass_qp_flush_all(struct glass_qp *qp);

/*
 * A transition to ERR or RESET gives buffers back to their owner, in two steps. With the lock held,
 * await returns whether a packet of the QP is being read right now. If so, the caller drops the
 * lock and calls packet_out: that returns when no packet is being read any more, and pending
 * flushes are done. It may sleep for the duration of one packet, which is its receiver's time.
 * user: a program asked; the wait ends early when the program is killed.
 */
bool glass_qp_await_packet(struct glass_qp *qp);
void glass_qp_packet_out(struct glass_qp *qp, bool user);

/* The current time of the QP's protocol core, ns. The caller holds the QP's lock. */
static inline u64 glass_qp_now(const struct glass_qp *qp)
{
	return glass_injecting() && unlikely(qp->frozen) ? qp->frozen_ns : ktime_get_ns();
}

/* Arms the QP's timers for core.deadline and for a postponed ACK. */
void glass_qp_arm(struct glass_qp *qp);

/* The timer's function, for hrtimer set-up. */
enum hrtimer_restart glass_qp_timer_fn(struct hrtimer *t);
/* The same for the timer of postponed ACKs. */
void glass_qp_ack_timer_fn(struct timer_list *t);

/*
 * The flow: an id that ties a work request to its packets on both sides. Upper half: HCA and QPN;
 * lower half: the free-running index of the WQE.
 */
u32 glass_flow_high(const struct glass_qp *qp);

/* Moves up to max requests of the shared send ring, posted at `now`, into private snapshots. Returns how many. */
u32 glass_sq_fetch(struct glass_qp *qp, u32 max, u64 now);

/*
 * Fails the QP now if injection turned a completion under this lock into an error: no other context
 * may use the QP in between. Only a bool test in the usual case.
 */
static inline void glass_qp_fail_if_asked(struct glass_qp *qp, u64 now)
{
	lockdep_assert_held(&qp->lock);
	if (likely(!qp->inject_fail))
		return;
	qp->inject_fail = false;
	glass_pqp_fail(&qp->core, GLASS_CAUSE_INJECTED, GLASS_EV_COUNT, now);
}

/* Work functions of CQs and SRQs: move their QPs to ERR. */
void glass_cq_fail_work(struct work_struct *work);
void glass_cq_tell_work(struct work_struct *work);
void glass_srq_fail_work(struct work_struct *work);

/* Raises an event of the whole port. Any context. */
void glass_port_event(struct glass_dev *dev, u32 port, enum ib_event_type event);

#endif
