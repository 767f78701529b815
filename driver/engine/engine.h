/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The engine: runs the protocol core (proto/qp.h) of QPs in process context.
 *
 * Two kinds of context run QPs: lanes and doorbells. A lane is a work item; there is one for each
 * CPU. A doorbell is a system call by which a program asks the driver to run a QP (doorbell.h).
 *
 * Each lane and each doorbell has a run list: its QPs that wait (struct glass_run). A QP runs for
 * one turn: a bounded number of packets and work requests.
 *
 * glass_qp_kick() kicks a QP with work: puts it on a run list. A lane puts the QPs that it kicks on
 * its own list. A doorbell does the same with QPs of its own group of processes (party.h). In all
 * other cases, the QP goes to the lane of the current CPU.
 *
 * The context that runs a QP also delivers the packets of this QP. It releases the sender's lock
 * before it takes the lock of the destination QP. If the destination QP has to answer, the context
 * kicks it. Only on the direct way (direct.h) does a context hold two QP locks: it tries the second one,
 * and does not wait for it.
 *
 * A doorbell runs its QP itself. But if the program rings the doorbell very often, a lane runs the
 * QP. After the last post, the lane watches (polls) the send ring for a while, unless another task
 * wants the lane's CPU. While the lane watches, posts need no doorbell, and program and engine run
 * in parallel. When the lane stops watching, it puts the QP to sleep: the next post rings the
 * doorbell again.
 */
#ifndef GLASS_ENGINE_ENGINE_H
#define GLASS_ENGINE_ENGINE_H

#include <linux/sched/signal.h>

#include "model/device.h"
#include "model/netcable.h"
#include "model/work.h"
#include "inject/hooks.h"
#include "observe/flight.h"

#define GLASS_TX_MRS 32 /* max. number of regions that hold the payload of one packet */

/*
 * The flight recorder (observe/flight.h) has one record for both ends of a packet's path: the
 * sender and the receiving port. This enum says which end writes the record.
 */
enum glass_pairing {
	GLASS_PAIR_NONE, /* neither end: the record is written already, or no observer is on */
	/* the receiving port if the packet reaches a QP there as unicast, otherwise the sender */
	GLASS_PAIR_ARRIVAL,
	GLASS_PAIR_SENDER, /* the sender, after the packet was delivered or dropped */
};

/*
 * A packet being sent, and the references that keep its payload valid. The core fills only packets
 * that are the `pkt` of a struct glass_tx.
 */
struct glass_tx {
	struct glass_pkt pkt;
	int left; /* the turn's remaining budget after pkt and its multicast copies so far */
	struct glass_seg seg[GLASS_PKT_SEGS]; /* the payload of pkt */
	struct glass_mr *mr[GLASS_TX_MRS]; /* regions of the payload, with references */
	u32 nmr;
	struct page *page[GLASS_PKT_SEGS]; /* pages of on-demand regions, with references */
	u32 npages;
	const struct glass_qp *qp; /* the QP that sends pkt */
	u64 when; /* glass_qp_now() of that QP, shortly before the core filled pkt */
	unsigned long tick; /* jiffies when pkt was filled; valid for a packet that a turn sends */
	const struct glass_av *av; /* where a turn sends pkt */
	u16 pkey_index;
	/* for captures and the flight recorder (engine/watch.c) */
	struct glass_fate fate; /* of pkt: drop reason, injection rule */
	u8 pairing; /* enum glass_pairing */
	u8 port; /* the sending port; valid with GLASS_PAIR_ARRIVAL */
	/* the receiving end, for a record that the sender writes; rx.port 0: pkt has not arrived */
	struct glass_flight_end rx;
	struct glass_copies *rx_rest; /* deferred multicast copies at port rx.port, or NULL */
	struct glass_copies *rest; /* deferred copies at the port that now receives pkt, or NULL */
	struct glass_flight_snap snap; /* the first bytes of pkt's payload, for the recorder */
};

/* Prepares *tx for the next packet that qp sends. The core, or the direct way, fills the rest. */
static __always_inline void glass_tx_begin(struct glass_tx *tx, const struct glass_qp *qp)
{
	tx->pkt.seg = tx->seg;
	tx->pkt.nseg = 0;
	tx->pkt.len = 0;
	tx->nmr = 0;
	tx->npages = 0;
	tx->qp = qp;
}

/*
 * A turn ends when the QP has no more work, or when it has fetched or flushed GLASS_TURN_WRS work
 * requests. It also ends when the number of the QP's packets plus the KiB of their payload reaches
 * GLASS_TURN. Each copy of a multicast packet counts like a packet. Local operations may end a
 * turn, too (GLASS_LEFT_LOCALS).
 */
#define GLASS_TURN_WRS 32
#define GLASS_TURN 64
/*
 * While copies of the QP's last multicast datagram are outstanding, a new turn has this budget in
 * place of GLASS_TURN. It is negative, so that the QP makes these copies before it sends a packet.
 */
#define GLASS_TURN_COPIES (-GLASS_TURN)
/*
 * run->tx.left has at most this value if the QP must wait for a netdev cable (run->slow). No other
 * budget is so low.
 */
#define GLASS_TURN_SLOW (INT_MIN / 2)

/* Returns the part of GLASS_TURN that a packet with this many bytes of payload uses. */
static inline int glass_cost(u32 bytes)
{
	return 1 + (bytes >> 10);
}

/* A turn. In memory of the run, because a function with such variables on its stack needs a stack protector. */
struct glass_turn {
	int left; /* remaining budget: packets plus KiB of their payload (glass_cost()) */
	int wrs; /* number of work requests that may still be fetched or flushed */
};

/*
 * The run list of a lane or doorbell, and the packet that it is sending. One thread at a time uses
 * this structure.
 */
struct glass_run {
	/*
	 * QPs that wait, in the order of their turns. In a lane, these are QPs of kernel consumers,
	 * and at most one QP of a program, which the lane added while no other QP waited.
	 */
	struct list_head qps;
	struct list_head groups; /* of a lane: the groups (party.h) of all other QPs that wait */
	int lane; /* the lane's number; negative: this is the run list of a doorbell */
	bool kernel_had; /* of a lane: the last turn went to a QP of `qps` */
	/* of a doorbell: the group (party.h) of its QP, or NULL for a kernel consumer's QP */
	const struct glass_party *group;
	/* turns left; at 0, a doorbell passes its QPs to a lane, and a lane requeues its work */
	int budget;
	/* valid with GLASS_TURN_SLOW: where the QP waits; NULL: it waits for pace_ns because of CNPs */
	struct glass_congestion *slow;
	u64 pace_ns;
	struct glass_turn turn; /* the present one */
	bool linger; /* of a lane: whether it may watch QPs now */
	/* of a lane: the QPs that it watches; they are GLASS_RUN_ACTIVE, and on no other list */
	struct list_head watched;
	struct glass_tx tx; /* the packet that this context is sending */
	struct glass_tx answer; /* the answer to it, if that goes the direct way (direct.h) */
	/* records of a packet on the direct way, by enum glass_dir */
	struct glass_capture_slots captured[2];
	struct glass_batch batch; /* packets that the QP has sent in this turn (link/link.h) */
};

int glass_engine_init(void);
void glass_engine_exit(void);

/*
 * Waits until each lane and doorbell that is running QPs now has finished its work. On return, no
 * packet that they were sending before the call is in flight. But an injection rule may still keep
 * a copy of such a packet, and multicast copies of it may be deferred (copies.h). May sleep.
 */
void glass_engine_quiesce(void);

/*
 * Behaviour write_reorder of strict mode (model/strict.h): writes only the last bytes of a WRITE
 * packet to memory. Returns how many us the caller must wait before it receives the packet as
 * usual. Writes nothing and returns 0 if the behaviour is off, or if the packet is not a WRITE of
 * at least two bytes that may write to a pinned region of a program. The caller holds qp->lock.
 */
u32 glass_write_tail(struct glass_qp *qp, const struct glass_pkt *pkt);

/*
 * Schedules qp, which may have work: puts qp on the run list of the caller or of a lane, unless qp
 * is on a run list already. If a context is running qp, that context gives qp another turn. `run`
 * is the caller's run list, or NULL if the caller runs no QPs. Any context.
 */
void glass_qp_kick(struct glass_qp *qp, struct glass_run *run);

/*
 * Returns true if the QP may have something to do after modify_qp, so that the verb must kick it. If
 * not, the QP gets its next turn without that: a later post rings the doorbell, a later packet or
 * timer kicks the QP. A post that this function does not see finds `awake` of the ring as 0, and
 * rings. Or it finds 1, because the QP has a turn: at the end of the turn, glass_sq_sleep() looks
 * into the ring again, and sees the state that modify_qp set. Call with the QP's lock held.
 */
bool glass_qp_needs_turn(struct glass_qp *qp, u64 now);

/*
 * As glass_qp_kick(), but the calling task runs qp, and the QPs of qp's group that get work from
 * this. The task stops after a number of turns, or when it has a pending signal; a lane then runs
 * the remaining QPs. In two cases a lane also runs qp itself: the program rings the doorbell very
 * often, or another task uses the run list for doorbells of this CPU (glass_lane.spare). May sleep.
 */
void glass_qp_kick_inline(struct glass_qp *qp);

/*
 * Was the calling process killed by a signal? While an exiting process closes its files, the signal
 * is no longer pending, but the exit code holds the signal's number.
 */
static inline bool glass_killed(void)
{
	return fatal_signal_pending(current) ||
	       ((current->flags & PF_EXITING) && (current->exit_code & 0x7f));
}

/*
 * Called before a QP is destroyed or reset. Lets the QP send the answers that it owes its peer
 * (mostly an ACK), and make the deferred copies of its last multicast datagram (copies.h). Waits
 * for at most 100 ms. Does not wait if the calling process was killed. QPs that are destroyed one
 * after another may share a deadline: the first that waits sets *until, and the others wait no
 * longer than that. If `until` is NULL, the QP has 100 ms of its own. May sleep.
 */
void glass_qp_settle(struct glass_qp *qp, struct glass_deadline *until);

/*
 * Flushes all work requests that were posted before the call: in ERR those of both queues, in SQE
 * those of the send queue. In other states, does nothing. Takes the QP's lock for a few work
 * requests at a time. The caller must not hold this lock. May sleep.
 */
void glass_qp_flush_all(struct glass_qp *qp);

/*
 * A verb that moves a QP to ERR or RESET gives send buffers back to their owner, so it must wait
 * until no context reads them. With the QP's lock held, the verb calls glass_qp_await_packet(),
 * which returns whether another context is delivering a packet of the QP (GLASS_LENT_OUT). If so,
 * the verb drops the lock and calls glass_qp_packet_out().
 *
 * glass_qp_packet_out() sleeps until that packet is delivered. If a flush was postponed for the
 * packet (GLASS_LENT_FLUSH), it also waits for the first piece of that flush. `user` means that a
 * program called the verb: the wait then ends early if the program is killed.
 */
bool glass_qp_await_packet(struct glass_qp *qp);
void glass_qp_packet_out(struct glass_qp *qp, bool user);

/*
 * Returns the current time for the QP's protocol core, in ns on the clock of ktime_get_ns(). While
 * injection freezes the QP's timers, returns the time when the freeze began. The caller holds the
 * QP's lock.
 */
static inline u64 glass_qp_now(const struct glass_qp *qp)
{
	return glass_injecting() && unlikely(qp->frozen) ? qp->frozen_ns : ktime_get_ns();
}

/* Arms the QP's timers for core.deadline and for a postponed ACK. The caller holds qp->lock. */
void glass_qp_arm_timers(struct glass_qp *qp);

/* glass_qp_arm_timers(), if there may be something to arm */
static inline void glass_qp_arm(struct glass_qp *qp)
{
	u64 deadline = qp->core.deadline;

	lockdep_assert_held(&qp->lock);
	if (glass_resp_ack_later(&qp->core) || (deadline && (!qp->armed_ns || qp->armed_ns > deadline)))
		glass_qp_arm_timers(qp);
}

/* Called when glass_qp.timer fires, at core.deadline or earlier. Soft interrupt context. */
enum hrtimer_restart glass_qp_timer_fn(struct hrtimer *t);
/* Called when glass_qp.ack_timer fires: a postponed ACK is due. Soft interrupt context. */
void glass_qp_ack_timer_fn(struct timer_list *t);

/*
 * A flow is an id of a send work request: all packets of the request, and their answers, carry it.
 * Its lower 32 bits are the free-running index of the WQE. This function returns the upper 32 bits,
 * which are the same for all flows of a QP: (index of the HCA + 1) << 24 | QPN. glass_qp.flow_base has them.
 */
static inline u32 glass_flow_high(const struct glass_qp *qp)
{
	return qp->flow_base >> 32;
}

/*
 * Copies up to `max` posted work requests from the send ring into private snapshots, because a
 * program shares the ring. Advances the ring's consumer index. Returns how many work requests it
 * copied, which is 0 in a state before RTS. If the ring's producer index is impossible, moves the
 * QP to ERR and returns 0. `now` is recorded as the time of the posts; while injection freezes the
 * QP's timers, the true time is recorded instead. The caller holds qp->lock.
 */
u32 glass_sq_fetch(struct glass_qp *qp, u32 max, u64 now);

/*
 * Moves the QP to ERR if an injection rule has turned one of its completions into an error. The
 * engine calls this function after each packet that the QP sent or received. It does so before it
 * releases the QP's lock, so no other context uses the QP between that completion and ERR. The
 * engine also calls this function at the beginning of each turn, for completions that no packet
 * caused, such as those of local operations.
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
 * Work functions of CQs and SRQs. glass_cq_fail_work() runs after a CQ has overrun: it moves the
 * CQ's QPs to ERR, and raises CQ_ERR. glass_srq_fail_work() runs after the engine has found
 * impossible indices in an SRQ's ring: it moves the SRQ's QPs to ERR, and raises SRQ_ERR.
 * glass_cq_tell_work() delivers a completion event.
 */
void glass_cq_fail_work(struct work_struct *work);
void glass_cq_tell_work(struct work_struct *work);
void glass_srq_fail_work(struct work_struct *work);

/* Raises an asynchronous event of a port, or of the device if `port` is 0. Any context. */
void glass_port_event(struct glass_dev *dev, u32 port, enum ib_event_type event);

#endif
