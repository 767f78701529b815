// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The queue of a process's QPs that wait for a retry, and the timer that serves it (patience.h). */
#include "compat/hrtimer.h"
#include "engine/party.h"
#include "engine/patience.h"

/* QPs that the timer tests for a due retry each time, at most. */
#define LOOKS 8

/* The first QP in the queue whose retry is due; QPs before it go to the end. NULL: none found. */
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

/* Charges the process for one retry. A pause before it saves up at most GLASS_PATIENCE_BURST. */
static void patience_pay_try(struct glass_party *p, u64 now)
{
	u64 least = now - GLASS_PATIENCE_BURST * GLASS_PATIENCE_PACE;

	lockdep_assert_held(&p->patient_lock);
	p->tries_paid = max(p->tries_paid, least) + GLASS_PATIENCE_PACE;
}

/* Queues the QP. first: this is its first retry in a row, so it goes ahead of the others. */
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
	/* read without the QP's lock, so perhaps stale: ring_alarms() checks it again */
	u64 deadline = data_race(qp->core.deadline), now = ktime_get_ns();
	bool late;

	/* the kernel has no limit; or no retry is due: glass_qp_arm() lets timers fire early */
	if (!p || !deadline || deadline > now)
		return false;
	spin_lock(&p->patient_lock);
	late = p->tries_paid > now;
	if (!late) {
		patience_pay_try(p, now);
	} else if (!READ_ONCE(qp->dead)) {
		/*
		 * glass_destroy_qp() sets `dead` and then takes this lock to remove the QP from the
		 * queue. So if it has removed the QP before, this sees `dead`.
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
		/* the QP exists: glass_patience_leave() needs this lock before the QP is freed */
		glass_qp_kick(qp, NULL);
	}
	if (list_empty(&p->patient)) {
		p->patience_runs = false;
	} else if (!hrtimer_is_queued(t)) {
		/* glass_patience_rewarded() has not restarted it while this waited for the lock */
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
	/* nothing is outstanding after an RNR NAK, so no ACK timeout is needed */
	if (qp->armed_ns && hrtimer_try_to_cancel(&qp->timer) >= 0)
		qp->armed_ns = 0;
	WRITE_ONCE(qp->patient_until, qp->core.req.rnr_until);
	spin_lock_bh(&p->patient_lock);
	patience_enqueue(p, qp, false);
	spin_unlock_bh(&p->patient_lock);
}

/*
 * Removes the QP from the queue. A queued QP's own timer is not pending, but armed_ns may still be
 * set: clears it, so that glass_qp_arm() starts the timer again.
 */
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
	/* refund the retries, because the peer has accepted the last one */
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
