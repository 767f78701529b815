// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Congestion at Ethernet ports: answers marked packets by CNPs, and makes QPs wait that CNPs limit
 * (proto/rate.h). One queue, ordered by time, has all QPs that wait.
 */
#include <linux/module.h>
#include <linux/timerqueue.h>

#include "compat/hrtimer.h"
#include "engine/engine.h"
#include "engine/lane.h"
#include "engine/packet.h"
#include "link/env.h"
#include "proto/env.h"

static bool ecn = true;
module_param(ecn, bool, 0644);
MODULE_PARM_DESC(ecn, "Ethernet ports answer ECN marks by CNPs, and obey CNPs (default yes)");

/* The timer releases at most this many QPs at once; it expires again for the others. */
#define PACE_AT_ONCE 64

/* The QPs that wait, and the timer of the first one. */
static struct timerqueue_head paced;
static DEFINE_SPINLOCK(paced_lock); /* irqs off */
static struct hrtimer paced_timer;

bool glass_env_ecn_on(void)
{
	return READ_ONCE(ecn);
}

static enum hrtimer_restart pace_timer(struct hrtimer *t)
{
	struct timerqueue_node *first;
	struct glass_qp *qp, *next;
	unsigned long flags;
	LIST_HEAD(released);
	u32 n = 0;

	spin_lock_irqsave(&paced_lock, flags);
	while ((first = timerqueue_getnext(&paced))) {
		if (first->expires > ktime_get() || ++n > PACE_AT_ONCE) {
			/* glass_pace_wait() may have started the timer meanwhile, for this QP or another */
			hrtimer_start(t, first->expires, HRTIMER_MODE_ABS_SOFT);
			break;
		}
		timerqueue_del(&paced, first);
		qp = container_of(first, struct glass_qp, pace);
		list_add_tail(&qp->run_node, &released);
	}
	spin_unlock_irqrestore(&paced_lock, flags);
	list_for_each_entry_safe(qp, next, &released, run_node)
		glass_lane_add_to(qp, qp->slow_lane);
	return HRTIMER_NORESTART;
}

void glass_pace_init(void)
{
	timerqueue_init_head(&paced);
	glass_hrtimer_setup(&paced_timer, pace_timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
}

void glass_pace_exit(void)
{
	WARN_ON_ONCE(timerqueue_getnext(&paced));
	hrtimer_cancel(&paced_timer);
}

void glass_run_pace(struct glass_run *run, const struct glass_pkt *pkt, u32 bytes)
{
	struct glass_qp *qp;
	u64 ns = 0;

	if (pkt != &run->tx.pkt)
		return;
	qp = (struct glass_qp *)run->tx.qp;
	if (likely(!data_race(qp->core.rate.now)))
		return;
	spin_lock(&qp->lock);
	if (qp->core.rate.now)
		ns = glass_rate_sent(&qp->core.rate, bytes, ktime_get_ns());
	spin_unlock(&qp->lock);
	if (!ns)
		return;
	run->slow = NULL;
	run->pace_ns = ns;
	/* the turn is used up; run_turn() tells this from other ends of a turn by the value */
	run->tx.left = GLASS_TURN_SLOW;
}

void glass_pace_wait(struct glass_run *run, struct glass_qp *qp)
{
	unsigned long flags;

	qp->slow_lane = run->lane < 0 ? raw_smp_processor_id() % glass_nlanes : run->lane;
	spin_lock_irqsave(&paced_lock, flags);
	timerqueue_init(&qp->pace);
	qp->pace.expires = ktime_add_ns(ktime_get(), run->pace_ns);
	if (timerqueue_add(&paced, &qp->pace))
		hrtimer_start(&paced_timer, qp->pace.expires, HRTIMER_MODE_ABS_SOFT);
	spin_unlock_irqrestore(&paced_lock, flags);
}

void glass_port_marked(struct glass_link_port *lp, const struct glass_pkt *pkt,
		       struct glass_run *run)
{
	struct glass_hca_port *hp = container_of(lp, struct glass_hca_port, link);
	struct glass_qp *qp = glass_qp_find(hp->dev, lp->num, pkt->dqpn);
	bool answer = false;

	if (!qp)
		return;
	spin_lock(&qp->lock);
	if (!qp->dead && qp->core.attr.port == lp->num)
		answer = glass_pqp_marked(&qp->core, pkt, ktime_get_ns());
	spin_unlock(&qp->lock);
	if (answer)
		glass_port_send_cnp(qp, run);
	glass_ref_put(&qp->ref);
}

noinline_for_stack void glass_port_send_cnp(struct glass_qp *qp, struct glass_run *run)
{
	struct glass_fate fate = { .reason = GLASS_DROP_NONE };
	struct glass_pkt cnp;
	struct glass_seg seg;
	u32 port;

	spin_lock(&qp->lock);
	if (qp->dead || qp->core.state < GLASS_QPS_RTR) {
		spin_unlock(&qp->lock);
		return;
	}
	port = qp->core.attr.port;
	glass_pqp_cnp(&qp->core, &cnp, &seg);
	glass_port_address(qp->dev, port, &cnp, &qp->core.attr.av, qp->core.attr.pkey_index);
	spin_unlock(&qp->lock);
	cnp.fate = &fate;
	glass_port_send_forged(qp->dev, port, qp, &cnp, run);
}
