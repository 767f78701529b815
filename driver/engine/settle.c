// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Before a verb destroys or resets a QP, or after it moved the QP to ERR: send the answers that the
 * QP owes, wait for its packet in flight, and flush its work requests.
 */
#include <linux/wait_bit.h>

#include "engine/engine.h"
#include "engine/lane.h"
#include "observe/observe.h"

static bool is_awaited(const struct glass_qp *qp)
{
	return READ_ONCE(qp->core.lent) & GLASS_LENT_AWAITED;
}

void glass_qp_packet_out(struct glass_qp *qp, bool user)
{
	if (!user)
		wait_var_event(&qp->core.lent, !is_awaited(qp));
	else if (wait_var_event_killable(&qp->core.lent, !is_awaited(qp)))
		return;
	/* the context that cleared the bit holds the lock until its flush is done (take_back()) */
	spin_lock(&qp->lock);
	spin_unlock(&qp->lock);
}

void glass_qp_flush_all(struct glass_qp *qp)
{
	/* not more than these were posted before the call; the engine flushes later posts */
	u32 left = 2 * qp->sq.num + qp->rq.num, n;

	do {
		n = 0;
		spin_lock(&qp->lock);
		if (!qp->dead && (qp->core.state == GLASS_QPS_ERR || qp->core.state == GLASS_QPS_SQE)) {
			n = glass_sq_fetch(qp, GLASS_TURN_WRS, glass_qp_now(qp));
			n += glass_pqp_flush(&qp->core, GLASS_TURN_WRS);
		}
		spin_unlock(&qp->lock);
		left -= min(n, left);
		cond_resched();
	} while (n && left);
}

/*
 * A QP may take this long for its last answers: long enough for a busy lane, not long enough for
 * the answer to a READ of gigabytes.
 */
#define GLASS_SETTLE_JIFFIES (HZ / 10)

/* The time until the deadline, in jiffies; the first caller starts it. NULL: the full time. */
static long settle_time(struct glass_deadline *until)
{
	unsigned long at;

	if (glass_killed())
		return 0;
	if (!until)
		return GLASS_SETTLE_JIFFIES;
	at = (jiffies + GLASS_SETTLE_JIFFIES) | 1; /* not 0, which means: not started */
	at = cmpxchg(&until->at, 0, at) ?: at;
	return max_t(long, at - jiffies, 0);
}

void glass_qp_settle(struct glass_qp *qp, struct glass_deadline *until)
{
	long wait;
	bool owes;

	spin_lock(&qp->lock);
	glass_pqp_ack_now(&qp->core);
	owes = glass_resp_owed(&qp->core) || !list_empty(&qp->copies);
	WRITE_ONCE(qp->closing, owes);
	spin_unlock(&qp->lock);
	if (!owes)
		return;
	glass_qp_kick_inline(qp);
	if (atomic_read(&qp->run)) {
		wait = settle_time(until);
		trace_glass_qp_settle(glass_dev_name(qp->dev), qp->core.qpn, jiffies_to_msecs(wait));
		if (wait)
			wait_var_event_timeout(&qp->run, !atomic_read(&qp->run), wait);
	}
	WRITE_ONCE(qp->closing, false);
}
