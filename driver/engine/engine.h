/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The engine: runs the protocol core of QPs in process context.
 *
 * A QP with something to do is kicked. It then waits on a run list: on that of
 * the context which is running already (a doorbell's system call, or a lane),
 * or on the lane of the kicking CPU. A lane is a work item that runs its QPs in
 * turn, a bounded slice each. Whoever runs a QP sends its packets by delivering
 * them: the destination QP's lock is taken after the sender's was let go, so
 * that two QP locks are never held together, and the destination joins the same
 * run list when it has to answer.
 *
 * A doorbell runs its QP itself. But a QP that rings all the time goes to a lane,
 * and the lane watches its ring for a while before it lets it sleep, if it has a
 * CPU to itself: then posts need no doorbell, and program and engine work side by
 * side.
 */
#ifndef GLASS_ENGINE_ENGINE_H
#define GLASS_ENGINE_ENGINE_H

#include <linux/sched/signal.h>

#include "model/device.h"
#include "model/work.h"
#include "inject/hooks.h"
#include "observe/flight.h"

#define GLASS_TX_MRS 32

/* The flight recorder has one record of a packet's two ends. Who writes it? */
enum glass_pairing {
	GLASS_PAIR_NONE, /* it is written, or nobody watches */
	GLASS_PAIR_ARRIVAL, /* the port where it arrives; if it does not, the sender */
	GLASS_PAIR_SENDER, /* the sender, when it knows what became of it */
};

/*
 * A packet being sent and what keeps its payload valid. A struct glass_pkt that
 * the core is given to fill is always the one in here.
 */
struct glass_tx {
	struct glass_pkt pkt;
	int left; /* what the turn may still cost after pkt; copies of multicast take of it */
	struct glass_seg seg[GLASS_PKT_SEGS];
	struct glass_mr *mr[GLASS_TX_MRS];
	u32 nmr;
	struct page *page[GLASS_PKT_SEGS]; /* of on-demand regions */
	u32 npages;
	const struct glass_qp *qp; /* whose packet it is */
	u64 when; /* ktime_get_ns() of about now */
	/* of observers (engine/watch.c) */
	struct glass_fate fate; /* of pkt */
	u8 pairing; /* enum glass_pairing */
	u8 port; /* that sent it */
	struct glass_flight_end rx; /* where it arrived, for GLASS_PAIR_SENDER; port 0: nowhere yet */
	struct glass_copies *rx_rest; /* what that port has still to copy when the packet is through, or NULL */
	struct glass_copies *rest; /* the same of the arrival that is being handled */
	struct glass_flight_snap snap; /* of pkt, for the flight recorder */
};

/*
 * A turn ends when so many work requests were fetched, carried out locally or flushed, or so many
 * packets and KiB of payload sent, copies of multicast included.
 */
#define GLASS_TURN_WRS 32
#define GLASS_TURN 64
/* In place of GLASS_TURN: the QP sends nothing before it has made more copies of its last multicast datagram. */
#define GLASS_TURN_COPIES (-GLASS_TURN)

/* What a packet takes of the latter. */
static inline int glass_cost(u32 bytes)
{
	return 1 + (bytes >> 10);
}

/* One running engine: a lane's or a doorbell's. Not shared between threads. */
struct glass_run {
	struct list_head qps; /* in turn; of a lane: those of kernel consumers */
	struct list_head groups; /* of a lane: the others, by party (party.h) */
	int lane; /* by number; negative: a doorbell's, whose QPs are what it rang for and what follows */
	bool kernel_had; /* of a lane: the last turn was a kernel consumer's */
	const struct glass_party *group; /* of a doorbell: whose time this is; NULL: the kernel's */
	int budget; /* turns left before the rest goes to a lane, or the lane lets others work */
	bool linger; /* QPs that are likely to be posted to soon may be watched */
	struct list_head watched; /* such QPs: active, and owned by this run */
	struct glass_tx tx;
};

int glass_engine_init(void);
void glass_engine_exit(void);

/*
 * Waits until every context that was running QPs when this was called has ended: none
 * is sending a packet any more that it began before. May sleep.
 */
void glass_engine_quiesce(void);

/*
 * Strict mode: the last bytes of a WRITE packet are in memory a while before the others. Places them, of one that is about
 * to be received, and returns for how many us it is not to be received yet; 0: that behaviour is off, or it is no such
 * packet. The caller holds qp->lock.
 */
u32 glass_write_tail(struct glass_qp *qp, const struct glass_pkt *pkt);

/* Something may have come up for qp. Any context. run: the caller's, or NULL. */
void glass_qp_kick(struct glass_qp *qp, struct glass_run *run);

/* As kick, but runs qp and what follows from it in the caller, a bounded time. May sleep. */
void glass_qp_kick_inline(struct glass_qp *qp);

/* Was the calling process killed by a signal? That is not pending any more when its files are closed. */
static inline bool glass_killed(void)
{
	return fatal_signal_pending(current) ||
	       ((current->flags & PF_EXITING) && (current->exit_code & 0x7f));
}

/*
 * Before a QP dies or forgets all (RESET): lets it send what it owes its peer for messages that it
 * took (an ACK, mostly), for 100 ms at most. until: the QPs that share it and go one after another
 * share this time, too, which the first of them begins; NULL: the QP goes alone. A process that was
 * killed does not wait. May sleep.
 */
void glass_qp_settle(struct glass_qp *qp, struct glass_deadline *until);

/*
 * In ERR or SQE: flushes all that was posted before the call, at the cost of the caller, piece by
 * piece. May sleep; the caller does not hold the QP's lock.
 */
void glass_qp_flush_all(struct glass_qp *qp);

/*
 * A change of state that gives memory back to its owner (to ERR or RESET), in two
 * steps: await with the lock held, which tells whether a packet of the QP is being
 * read just now; and if so, packet_out without the lock, which returns when it is not
 * any more, and what was to be flushed is. May sleep, for as long as a packet takes,
 * and that is its receiver's time. user: a program asked, which waits no longer when it is killed.
 */
bool glass_qp_await_packet(struct glass_qp *qp);
void glass_qp_packet_out(struct glass_qp *qp, bool user);

/* The time for the QP's protocol core. The caller holds the QP's lock. */
static inline u64 glass_qp_now(const struct glass_qp *qp)
{
	return glass_injecting() && unlikely(qp->frozen) ? qp->frozen_ns : ktime_get_ns();
}

/* Looks at core.deadline and at an ACK that may come later, and sees that the timers fire in time. */
void glass_qp_arm(struct glass_qp *qp);

/* The timer's function, for hrtimer set-up. */
enum hrtimer_restart glass_qp_timer_fn(struct hrtimer *t);
/* The same of the timer of ACKs that nobody waits for. */
void glass_qp_ack_timer_fn(struct timer_list *t);

/*
 * The flow, an id that ties a work request to its packets on both sides: HCA and
 * QPN in the upper half, the free-running index of the WQE in the lower.
 */
u32 glass_flow_high(const struct glass_qp *qp);

/* Moves up to max requests of the shared send ring, posted at `now`, into private snapshots. Returns how many. */
u32 glass_sq_fetch(struct glass_qp *qp, u32 max, u64 now);

/*
 * A completion that was made under this lock was turned into an error: the QP
 * fails before anybody can do something else with it. A bool when nothing is wrong.
 */
static inline void glass_qp_fail_if_asked(struct glass_qp *qp, u64 now)
{
	lockdep_assert_held(&qp->lock);
	if (likely(!qp->inject_fail))
		return;
	qp->inject_fail = false;
	glass_pqp_fail(&qp->core, GLASS_CAUSE_INJECTED, GLASS_EV_COUNT, now);
}

/* Work functions of CQ and SRQ: their QPs go to ERR. */
void glass_cq_fail_work(struct work_struct *work);
void glass_cq_tell_work(struct work_struct *work);
void glass_srq_fail_work(struct work_struct *work);

/* Raises an event of the whole port. Any context. */
void glass_port_event(struct glass_dev *dev, u32 port, enum ib_event_type event);

#endif
