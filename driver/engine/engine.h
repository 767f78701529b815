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

#include "engine/device.h"
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
	/* of observers (port/watch.c) */
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

/*
 * For all that verbs which destroy a CQ, SRQ or QP wait for: kernel consumers destroy theirs
 * from workqueues that must go on when memory is short, and may not wait there for one that
 * need not (check_flush_dependency() in kernel/workqueue.c). Work of its own CPU, soon.
 */
extern struct workqueue_struct *glass_event_wq;

/*
 * For work that may take long and that no verb waits for. It ends before the module's text goes:
 * glass_engine_exit() drains it.
 */
extern struct workqueue_struct *glass_slow_wq;

int glass_engine_init(void);
void glass_engine_exit(void);

/*
 * Waits until every context that was running QPs when this was called has ended: none
 * is sending a packet any more that it began before. May sleep.
 */
void glass_engine_quiesce(void);

/* Runs work that takes as long as somebody has objects: on the lanes' workqueue, of no CPU's own. Any context. */
void glass_lane_work(struct work_struct *work);

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

/*
 * The timers of a QP stand from freeze to thaw, also while packets come and go: its
 * time is that of the moment when it was frozen. Calls nest. They take the QP's lock.
 */
void glass_qp_freeze(struct glass_qp *qp);
void glass_qp_thaw(struct glass_qp *qp);

/* The time for the QP's protocol core. The caller holds the QP's lock. */
static inline u64 glass_qp_now(const struct glass_qp *qp)
{
	return glass_injecting() && unlikely(qp->frozen) ? qp->frozen_ns : ktime_get_ns();
}

/* The slow half of glass_qp_concerned(): looks at the rules there are now. */
unsigned long glass_qp_ask_concerned(struct glass_qp *qp);

/*
 * May an injection rule of that site hold for what passes at the QP? Rules for other
 * QPs cost a QP this look, and nothing else. Any context.
 */
static inline bool glass_qp_concerned(struct glass_qp *qp, enum glass_inject_site site)
{
	unsigned long known;

	if (!glass_injecting())
		return false;
	known = READ_ONCE(qp->concerned);
	if (unlikely(known >> GLASS_INJECT_SITES != READ_ONCE(qp->dev->inject->generation)))
		known = glass_qp_ask_concerned(qp);
	return known & BIT(site);
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
 * Faults from outside. The caller holds a reference to the object. They take
 * the locks they need and may sleep.
 */
void glass_qp_inject_fatal(struct glass_qp *qp);
void glass_cq_inject_overrun(struct glass_cq *cq);
void glass_srq_inject_fatal(struct glass_srq *srq);
/* Raises an event of the object, and changes nothing. */
void glass_qp_inject_event(struct glass_qp *qp, enum glass_event ev);
void glass_cq_inject_event(struct glass_cq *cq);
void glass_srq_inject_event(struct glass_srq *srq, enum glass_event ev);
/* The SRQ's limit is reached, whatever is in it. */
void glass_srq_inject_limit(struct glass_srq *srq);

/*
 * fault.c: a completion on its way to its CQ while there are injection rules.
 * Returns how often it is to be put there (0: it is lost, or waits); *c may become an
 * error, and the QP fails then. The caller holds the QP's lock.
 */
u32 glass_fault_complete(struct glass_qp *qp, struct glass_cq *cq, struct glass_cqe *c);

/*
 * late.c: completions that an injection rule or strict mode delays, and those of the same CQ
 * behind them, which never overtake them. add: `hit` delays this one. The caller holds the QP's
 * lock; false: no memory, it does not wait.
 */
bool glass_late_add(struct glass_qp *qp, struct glass_cq *cq, const struct glass_cqe *c,
		    const struct glass_hit *hit);
/* The completions of that rule (0: of any) wait no longer. May sleep. */
void glass_late_release(struct glass_dev *dev, u32 id);
/*
 * Drops the late completions that a QP had before it was last reset, all of one that is destroyed, or (NULL) all of a
 * CQ that is destroyed. May sleep.
 */
void glass_late_forget(struct glass_cq *cq, const struct glass_qp *qp);
/* The same in all CQs: an XRC target's receives complete into those of SRQs. May sleep. */
void glass_late_forget_everywhere(struct glass_dev *dev, const struct glass_qp *qp);
/* Drops the late completions of an XRC SRQ that is destroyed, in its CQ. */
void glass_late_forget_srq(struct glass_cq *cq, u32 srqn);
void glass_late_work(struct work_struct *work);
#define GLASS_LATE_STRICT ~0U /* the rule of completions that strict mode delays */

/* DEVICE_FATAL; all QPs but QP0 and QP1, by which the device is managed, go to ERR. */
void glass_dev_inject_fatal(struct glass_dev *dev);

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
