// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#include "compat/hrtimer.h"
#include "engine/party.h"
#include "engine/patience.h"

/* How many QPs at most are tested for a due retry. */
#define LOOKS 8

static struct glass_qp *patience_next_due(struct glass_party *p, u64 now)
{
	int i;

	lockdep_assert_held(&p->patient_lock);
	for (i = 0; i < LOOKS && !list_empty(&p->patient); i++) {
		struct glass_qp *qp = list_first_entry(&p->patient, struct glass_qp, patient_node);

		if (READ_ONCE(qp->patient_until) <= now)
			return qp;
		list_move_tail(&qp->patient_node, &p->patient);
	}
	return NULL;
}

/*
 * Charges the process for one more retry; unused time is worth at most GLASS_PATIENCE_BURST
 * retries.
 */
static void patience_pay_try(struct glass_party *p, u64 now)
{
	u64 least = now - GLASS_PATIENCE_BURST * GLASS_PATIENCE_PACE;

	lockdep_assert_held(&p->patient_lock);
	p->tries_paid = max(p->tries_paid, least) + GLASS_PATIENCE_PACE;
}

/* first: queue it ahead of the others, because this is its first retry. */
static void patience_enqueue(struct glass_party *p, struct glass_qp *qp, bool first)
{
	lockdep_assert_held(&p->patient_lock);
	if (!list_empty(&qp->patient_node))
		return;
	if (first)
		list_add(&qp->patient_node, &p->patient);
	else
		list_add_tail(&qp->patient_node, &p->patient);
	if (!p->patience_runs)
		hrtimer_start(&p->patience, ns_to_ktime(GLASS_PATIENCE_PACE), HRTIMER_MODE_REL_SOFT);
	p->patience_runs = true;
}

bool glass_patience_postpones(struct glass_qp *qp)
{
	struct glass_party *p = qp->party;
	/* a guess, because the QP's lock is not held: the QP's turn checks it again */
	u64 deadline = data_race(qp->core.deadline), now = ktime_get_ns();
	bool late;

	/* the timer fired early, because timers are not moved back: no retry is due */
	if (!p || !deadline || deadline > now)
		return false;
	spin_lock(&p->patient_lock);
	late = p->tries_paid > now;
	if (!late) {
		patience_pay_try(p, now);
	} else if (!READ_ONCE(qp->dead)) {
		/*
		 * Pairs with glass_patience_leave(): either that removes the QP, or this sees it
		 * dead.
		 */
		WRITE_ONCE(qp->patient_until, 0);
		patience_enqueue(p, qp, !data_race(qp->core.req.round));
	}
	spin_unlock(&p->patient_lock);
	return late;
}

static enum hrtimer_restart patience_fn(struct hrtimer *t)
{
	struct glass_party *p = container_of(t, struct glass_party, patience);
	enum hrtimer_restart again = HRTIMER_NORESTART;
	u64 now = ktime_get_ns();
	struct glass_qp *qp;

	spin_lock(&p->patient_lock);
	qp = patience_next_due(p, now);
	if (qp) {
		patience_pay_try(p, now);
		list_del_init(&qp->patient_node);
		WRITE_ONCE(qp->timer_fired, true);
		/* under the lock: destroying the QP removes it from the list under the same lock */
		glass_qp_kick(qp, NULL);
	}
	if (list_empty(&p->patient)) {
		p->patience_runs = false;
	} else if (!hrtimer_is_queued(t)) {
		/*
		 * glass_patience_rewarded() did not restart the timer while this waited for the
		 * lock
		 */
		hrtimer_forward_now(t, ns_to_ktime(GLASS_PATIENCE_PACE));
		again = HRTIMER_RESTART;
	}
	spin_unlock(&p->patient_lock);
	return again;
}

void glass_patience_init(struct glass_party *p)
{
	spin_lock_init(&p->patient_lock);
	INIT_LIST_HEAD(&p->patient);
	glass_hrtimer_setup(&p->patience, patience_fn, CLOCK_MONOTONIC, HRTIMER_MODE_REL_SOFT);
}

void glass_patience_wait(struct glass_qp *qp)
{
	struct glass_party *p = qp->party;

	lockdep_assert_held(&qp->lock);
	if (!p || qp->dead)
		return;
	/* the ACK timeout is not needed: nothing is outstanding */
	if (qp->armed_ns && hrtimer_try_to_cancel(&qp->timer) >= 0)
		qp->armed_ns = 0;
	WRITE_ONCE(qp->patient_until, qp->core.req.rnr_until);
	spin_lock_bh(&p->patient_lock);
	patience_enqueue(p, qp, false);
	spin_unlock_bh(&p->patient_lock);
}

/* Clears armed_ns, because the QP's own timer is not pending: it is armed anew. */
static void patience_dequeue(struct glass_qp *qp)
{
	lockdep_assert_held(&qp->lock);
	lockdep_assert_held(&qp->party->patient_lock);
	if (list_empty(&qp->patient_node))
		return;
	list_del_init(&qp->patient_node);
	qp->armed_ns = 0;
}

void glass_patience_rewarded(struct glass_qp *qp, u32 tries)
{
	struct glass_party *p = qp->party;

	lockdep_assert_held(&qp->lock);
	if (!p)
		return;
	spin_lock_bh(&p->patient_lock);
	patience_dequeue(qp);
	/* answered retries are not charged */
	p->tries_paid -= min(p->tries_paid, tries * (u64)GLASS_PATIENCE_PACE);
	if (!list_empty(&p->patient))
		hrtimer_start(&p->patience, 0, HRTIMER_MODE_REL_SOFT);
	spin_unlock_bh(&p->patient_lock);
}

void glass_patience_leave(struct glass_qp *qp)
{
	struct glass_party *p = qp->party;

	lockdep_assert_held(&qp->lock);
	if (!p)
		return;
	spin_lock_bh(&p->patient_lock);
	patience_dequeue(qp);
	spin_unlock_bh(&p->patient_lock);
}
