// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The two timers of a QP: `timer` for core.deadline, and `ack_timer` for postponed ACKs. */
#include "engine/engine.h"
#include "engine/patience.h"

enum hrtimer_restart glass_qp_timer_fn(struct hrtimer *t)
{
	struct glass_qp *qp = container_of(t, struct glass_qp, timer);

	if (glass_patience_postpones(qp))
		return HRTIMER_NORESTART;
	WRITE_ONCE(qp->timer_fired, true);
	glass_qp_kick(qp, NULL);
	return HRTIMER_NORESTART;
}

/*
 * Called when the responder owes an ACK that it may postpone: arms ack_timer for the next tick,
 * unless the timer is pending. One ACK then acknowledges all packets that arrived before that tick.
 */
static void ack_later(struct glass_qp *qp)
{
	/*
	 * Pairs with smp_mb() in glass_qp_ack_timer_fn(): either that function sees resp.ack_later,
	 * or ack_later() sees that the timer is not pending.
	 */
	smp_mb();
	if (timer_pending(&qp->ack_timer))
		return;
	qp->ack_timed = true;
	mod_timer(&qp->ack_timer, jiffies + 1);
}

void glass_qp_ack_timer_fn(struct timer_list *t)
{
	struct glass_qp *qp = container_of(t, struct glass_qp, ack_timer);

	/* pairs with smp_mb() in ack_later() */
	smp_mb();
	/* data_race(): a reset clears it together with the rest, and then no ACK is owed */
	if (!data_race(READ_ONCE(qp->core.resp.ack_later)))
		return;
	WRITE_ONCE(qp->ack_due, true);
	glass_qp_kick(qp, NULL);
}

/*
 * Never moves a pending `timer` to a later time. The deadline advances with each ACK, and arming
 * the timer for each ACK would cost more than one expiry that is too early.
 */
void glass_qp_arm_timers(struct glass_qp *qp)
{
	u64 deadline = qp->core.deadline;

	lockdep_assert_held(&qp->lock);
	if (qp->dead)
		return;
	if (glass_resp_ack_later(&qp->core))
		ack_later(qp);
	if (!deadline || (glass_injecting() && qp->frozen))
		return;
	if (qp->armed_ns && qp->armed_ns <= deadline)
		return;
	if (glass_patience_waits(qp))
		return;
	qp->armed_ns = deadline;
	hrtimer_start(&qp->timer, ns_to_ktime(deadline), HRTIMER_MODE_ABS_SOFT);
}
