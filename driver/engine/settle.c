// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * How verbs that destroy a QP or change its state wait and flush:
 * - before destroy_qp and a modify to RESET, glass_qp_settle() lets the QP send the answers
 *   that it owes, and make its deferred multicast copies (copies.h);
 * - after a modify to ERR or RESET, glass_qp_packet_out() waits for the QP's packet in flight;
 * - after a modify to ERR, and before one from SQE to RTS, glass_qp_flush_all() flushes the posted
 *   work requests.
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
	/* take_back() clears GLASS_LENT_AWAITED, then flushes under the lock: wait for the flush */
	spin_lock(&qp->lock);
	spin_unlock(&qp->lock);
}

void glass_qp_flush_all(struct glass_qp *qp)
{
	/*
	 * The loop has a limit, because a program may post all the time. The limit is enough for
	 * all WQEs posted before the call: a send is fetched and flushed, a receive is only
	 * flushed.
	 */
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
 * A verb waits at most this many jiffies until the QP has sent its last answers and multicast
 * copies. That is enough for a busy lane (engine.h) to send an ACK. The answer to a READ of
 * gigabytes takes longer, and is cut off.
 */
#define GLASS_SETTLE_JIFFIES (HZ / 10)

/*
 * Returns how many jiffies glass_qp_settle() may wait. If `until` is NULL, that is
 * GLASS_SETTLE_JIFFIES. Otherwise it is the time to the shared deadline *until, which the first
 * caller sets. Returns 0 if the deadline has passed, or if the process was killed.
 */
static long settle_time(struct glass_deadline *until)
{
	unsigned long at;

	if (glass_killed())
		return 0;
	if (!until)
		return GLASS_SETTLE_JIFFIES;
	at = (jiffies + GLASS_SETTLE_JIFFIES) | 1; /* never 0, which would mean: no deadline yet */
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
