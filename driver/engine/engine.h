/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The engine: runs the protocol core (proto/qp.h) of QPs in process context.
 *
 * A kick (glass_qp_kick()) puts a QP with work on a run list. Each context that runs QPs has such a
 * list: the system call of a doorbell (doorbell.h), and each lane. A lane is a work item that runs
 * QPs; there is one for each CPU. A kick from such a context uses the list of this context. Any
 * other kick uses the lane of the current CPU. A QP runs for one turn: a bounded number of packets
 * and work requests.
 *
 * The context that runs a QP delivers its packets, too. It releases the sender's lock before it
 * takes the destination QP's, so no context holds two QP locks. If the destination has to answer,
 * the context kicks it.
 *
 * A doorbell runs its QP itself. A QP whose program rings all the time goes to a lane. The lane
 * watches (polls) the send ring for a while before it lets the QP sleep, as long as no other task
 * wants the lane's CPU. Then posts need no doorbell, and program and engine run in parallel.
 */
#ifndef GLASS_ENGINE_ENGINE_H
#define GLASS_ENGINE_ENGINE_H

#include <linux/sched/signal.h>

#include "model/device.h"
#include "model/work.h"
#include "inject/hooks.h"
#include "observe/flight.h"

#define GLASS_TX_MRS 32 /* regions that the payload of one packet comes from, at most */

/*
 * The flight recorder has one record for both ends of a packet's path. This is the end that writes
 * it.
 */
enum glass_pairing {
	GLASS_PAIR_NONE, /* neither: the record is written, or the recorder is off */
	/* the port where the packet arrives; if it does not arrive, the sender */
	GLASS_PAIR_ARRIVAL,
	GLASS_PAIR_SENDER, /* the sender, after the packet was delivered or dropped */
};

/*
 * A packet being sent, and the references that keep its payload valid. Every struct glass_pkt that
 * the core is given to fill is embedded in one of these.
 */
struct glass_tx {
	struct glass_pkt pkt;
	int left; /* the turn's budget after pkt; copies of a multicast pkt are charged to it */
	struct glass_seg seg[GLASS_PKT_SEGS];
	struct glass_mr *mr[GLASS_TX_MRS];
	u32 nmr;
	struct page *page[GLASS_PKT_SEGS]; /* pages of on-demand regions, with references */
	u32 npages;
	const struct glass_qp *qp; /* the QP that sends pkt */
	u64 when; /* glass_qp_now() of that QP, shortly before */
	/* for captures and the flight recorder (engine/watch.c) */
	struct glass_fate fate; /* of pkt: drop reason, injection rule */
	u8 pairing; /* enum glass_pairing */
	u8 port; /* the sending port */
	/* the receiving end, if the sender writes the record; port 0: not arrived yet */
	struct glass_flight_end rx;
	struct glass_copies *rx_rest; /* deferred multicast copies at port rx.port, or NULL */
	struct glass_copies *rest; /* the same for the port that is receiving pkt now */
	struct glass_flight_snap snap; /* of pkt, for the flight recorder */
};

/*
 * A turn ends after this many work requests (fetched, carried out locally or flushed), or this many
 * packets and KiB of payload sent, copies of multicast included.
 */
#define GLASS_TURN_WRS 32
#define GLASS_TURN 64
/*
 * The budget of a new turn, instead of GLASS_TURN, while copies of the QP's last multicast datagram
 * are outstanding. Negative, so that the QP sends nothing before it has made more of them.
 */
#define GLASS_TURN_COPIES (-GLASS_TURN)

/* The cost of a packet, charged against GLASS_TURN. */
static inline int glass_cost(u32 bytes)
{
	return 1 + (bytes >> 10);
}

/* The state of one context that runs QPs, a lane or a doorbell. One thread at a time uses it. */
struct glass_run {
	/*
	 * QPs that wait, in turn order. Of a lane: QPs of kernel consumers, and perhaps another QP,
	 * which was added when none waited.
	 */
	struct list_head qps;
	struct list_head groups; /* of a lane: all other QPs that wait, by party (party.h) */
	/* the lane's number; negative: a doorbell, for the QP that rang and those that it kicks */
	int lane;
	bool kernel_had; /* of a lane: the last turn went to a QP of `qps` */
	/* of a doorbell: the group (party.h) of the QP that rang; NULL: it is a QP of the kernel */
	const struct glass_party *group;
	/* turns left; then a doorbell passes its QPs to a lane, and a lane requeues its work */
	int budget;
	bool linger; /* of a lane: it may watch QPs that are likely to get a post soon */
	struct list_head watched; /* the watched QPs: GLASS_RUN_ACTIVE, and on no other list */
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
 * Strict mode (model/strict.h): the last bytes of a WRITE packet land some time before the others.
 * Called before the packet is received: places its last bytes. Returns how many us the caller must
 * delay the reception. 0: the behaviour is off, or the packet is no WRITE that may write to a
 * pinned user region. The caller holds qp->lock.
 */
u32 glass_write_tail(struct glass_qp *qp, const struct glass_pkt *pkt);

/*
 * Schedules qp, which may have work. run: the caller's, or NULL if the caller runs no QPs. Any
 * context.
 */
void glass_qp_kick(struct glass_qp *qp, struct glass_run *run);

/*
 * As glass_qp_kick(), but the caller runs qp, and the QPs that qp kicks, for a bounded number of
 * turns. A lane runs the rest. May sleep.
 */
void glass_qp_kick_inline(struct glass_qp *qp);

/*
 * Was the calling process killed by a signal? While an exiting process closes its files, the signal
 * is no longer pending: then the exit code tells.
 */
static inline bool glass_killed(void)
{
	return fatal_signal_pending(current) ||
	       ((current->flags & PF_EXITING) && (current->exit_code & 0x7f));
}

/*
 * Called before a QP is destroyed or reset: lets it send the answers that it owes its peer (mostly
 * an ACK) and its outstanding multicast copies. Waits for at most 100 ms, and not at all if the
 * calling process was killed. until: a deadline that QPs destroyed one after another share; the
 * first one that waits sets it. NULL: only this QP is destroyed. May sleep.
 */
void glass_qp_settle(struct glass_qp *qp, struct glass_deadline *until);

/*
 * Flushes all work requests that were posted before the call, in the caller's context: a piece at a
 * time, each under the QP's lock. Does nothing unless the QP is in ERR or SQE. The caller does not
 * hold the lock. May sleep.
 */
void glass_qp_flush_all(struct glass_qp *qp);

/*
 * A verb that moves a QP to ERR or RESET gives send buffers back to their owner, so it waits until
 * no context reads them. First, with the QP's lock held, it calls glass_qp_await_packet(), which
 * returns whether another context is delivering a packet of the QP (GLASS_LENT_OUT). If so, the
 * verb drops the lock and calls glass_qp_packet_out(), which sleeps until that packet is delivered
 * and the postponed flush is done. user: a program called the verb; the wait ends early when the
 * program is killed.
 */
bool glass_qp_await_packet(struct glass_qp *qp);
void glass_qp_packet_out(struct glass_qp *qp, bool user);

/*
 * The current time of the QP's protocol core, ns; while injection freezes the QP's timers, the time
 * of the freeze. The caller holds the QP's lock.
 */
static inline u64 glass_qp_now(const struct glass_qp *qp)
{
	return glass_injecting() && unlikely(qp->frozen) ? qp->frozen_ns : ktime_get_ns();
}

/* Arms the QP's timers for core.deadline and for a postponed ACK. The caller holds qp->lock. */
void glass_qp_arm(struct glass_qp *qp);

/* The function of glass_qp.timer (core.deadline). Soft interrupt context. */
enum hrtimer_restart glass_qp_timer_fn(struct hrtimer *t);
/* The function of glass_qp.ack_timer (postponed ACKs). Soft interrupt context. */
void glass_qp_ack_timer_fn(struct timer_list *t);

/*
 * Returns the upper half of the QP's flows: HCA and QPN. A flow is an id that ties a work request
 * to its packets on both sides. Its lower half is the free-running index of the WQE.
 */
u32 glass_flow_high(const struct glass_qp *qp);

/*
 * Moves up to max posted work requests from the send ring, which the program shares, into private
 * snapshots, and records `now` as the time of the post. Returns how many. If the ring is corrupt,
 * moves the QP to ERR and returns 0. The caller holds qp->lock.
 */
u32 glass_sq_fetch(struct glass_qp *qp, u32 max, u64 now);

/*
 * Moves the QP to ERR if an injection rule has turned one of its completions into an error. The
 * engine calls it under the same hold of the QP's lock as the completion, so that no other context
 * uses the QP in between. Without such a rule it only tests a bool.
 */
static inline void glass_qp_fail_if_asked(struct glass_qp *qp, u64 now)
{
	lockdep_assert_held(&qp->lock);
	if (likely(!qp->inject_fail))
		return;
	qp->inject_fail = false;
	glass_pqp_fail(&qp->core, GLASS_CAUSE_INJECTED, GLASS_EV_COUNT, now);
}

/*
 * Work functions of CQs and SRQs. fail: the CQ or SRQ has failed; moves its QPs to ERR and raises
 * the event. tell: delivers a completion event.
 */
void glass_cq_fail_work(struct work_struct *work);
void glass_cq_tell_work(struct work_struct *work);
void glass_srq_fail_work(struct work_struct *work);

/* Raises an asynchronous event of a port; port 0: of the device. Any context. */
void glass_port_event(struct glass_dev *dev, u32 port, enum ib_event_type event);

#endif
