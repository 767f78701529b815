// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Each process has a queue of QPs that wait for a retry, and a timer for this queue (patience.h).
 */
#include "compat/hrtimer.h"
#include "engine/party.h"
#include "engine/patience.h"

/* In one call, patience_fn() tests at most this many QPs for a due retry. */
#define LOOKS 8

/*
 * Finds the first QP in the queue whose retry is due, and moves the QPs before it to the end of the
 * queue. Returns NULL if none of the first LOOKS QPs has a due retry.
 */
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
 * Charges the process for one retry. A process that starts no retry saves up time for later
 * retries, at most for GLASS_PATIENCE_BURST of them.
 */
static void patience_pay_try(struct glass_party *p, u64 now)
{
	u64 least = now - GLASS_PATIENCE_BURST * GLASS_PATIENCE_PACE;

	lockdep_assert_held(&p->patient_lock);
	p->tries_paid = max(p->tries_paid, least) + GLASS_PATIENCE_PACE;
}

/*
 * Queues the QP, unless it is queued already. `first` means that the QP has made no retry since the
 * peer last accepted a packet. Such a QP goes to the front of the queue.
 */
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
	/* no QP lock is held, so `deadline` may be stale; ring_alarms() (run.c) tests it again */
	u64 deadline = data_race(qp->core.deadline), now = ktime_get_ns();
	bool late;

	/*
	 * A kernel consumer's QP has no limit. If no deadline has passed, the timer fired early
	 * (glass_qp_arm()), and starts no retry.
	 */
	if (!p || !deadline || deadline > now)
		return false;
	spin_lock(&p->patient_lock);
	late = p->tries_paid > now;
	if (!late) {
		patience_pay_try(p, now);
	} else if (!READ_ONCE(qp->dead)) {
		/*
		 * glass_destroy_qp() sets `dead`, and then takes this lock to remove the QP from
		 * the queue. So if glass_destroy_qp() took the lock first, this function sees
		 * `dead`.
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
		/*
		 * the QP still exists: before it is freed, glass_patience_leave() takes this lock
		 */
		glass_qp_kick(qp, NULL);
	}
	if (list_empty(&p->patient)) {
		p->patience_runs = false;
	} else if (!hrtimer_is_queued(t)) {
		/* `t` has fired, and glass_patience_rewarded() has not started it again */
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
	/*
	 * Cancel the QP's own timer: the timer of the queue (glass_party.patience) starts the retry
	 * instead. The QP has no other use for its timer, because its ACK timer does not run during
	 * an RNR wait.
	 */
	if (qp->armed_ns && hrtimer_try_to_cancel(&qp->timer) >= 0)
		qp->armed_ns = 0;
	WRITE_ONCE(qp->patient_until, qp->core.req.rnr_until);
	spin_lock_bh(&p->patient_lock);
	patience_enqueue(p, qp, false);
	spin_unlock_bh(&p->patient_lock);
}

/*
 * Removes the QP from the queue, if it is queued. While a QP is queued, glass_qp.timer is not
 * pending, but armed_ns may still be set. Clears armed_ns, so that glass_qp_arm() starts the timer
 * again.
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
	/* refund the retries: the peer has accepted the last one */
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
