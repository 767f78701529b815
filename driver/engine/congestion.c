// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * QPs wait here while too many frames of a netdev cable are on their way (struct glass_congestion).
 * So a fast sender does not overrun the queues of the network interface. There is no signal when
 * frames have left these queues, because the kernel's networking frees them by functions of its
 * own. So a timer looks.
 */
#include "compat/hrtimer.h"
#include "engine/lane.h"
#include "link/env.h"
#include "model/netcable.h"

/* The timer looks in these intervals (ns). */
#define LOOK_NS (50 * NSEC_PER_USEC)
/* A QP waits at most this long (ns). Then it may send one packet or train more. */
#define WAIT_MOST_NS (200 * NSEC_PER_MSEC)

/* May the QPs go on? They may when half of the frames have left. */
static bool has_room(const struct glass_congestion *g, u32 limit)
{
	lockdep_assert_held(&g->lock);
	return !g->nd || glass_netdev_flight(g->nd) < limit / 2;
}

/* Returns the limit of a QP that has sent `len` bytes of payload last. */
static u32 limit_of(const struct glass_congestion *g, u32 len)
{
	lockdep_assert_held(&g->lock);
	return g->nd ? glass_netcable_limit(g->mtu ? READ_ONCE(*g->mtu) : 0, len) : 0;
}

/*
 * Moves the QPs that are being destroyed or reset to `released`. They send nothing more, and a
 * process that ends may wait for many of them, one after the other.
 */
static void release_ending(struct glass_congestion *g, struct list_head *released)
{
	struct glass_qp *qp, *next;

	lockdep_assert_held(&g->lock);
	list_for_each_entry_safe(qp, next, &g->waiting, run_node)
		if (READ_ONCE(qp->dead) || READ_ONCE(qp->closing))
			list_move_tail(&qp->run_node, released);
}

static enum hrtimer_restart congestion_timer(struct hrtimer *t)
{
	struct glass_congestion *g = container_of(t, struct glass_congestion, timer);
	struct glass_qp *qp, *next;
	unsigned long flags;
	LIST_HEAD(released);
	bool more;

	spin_lock_irqsave(&g->lock, flags);
	if (has_room(g, g->limit) || ktime_get_ns() - g->since >= WAIT_MOST_NS)
		list_splice_init(&g->waiting, &released);
	else
		release_ending(g, &released);
	more = !list_empty(&g->waiting);
	if (more)
		hrtimer_forward_now(t, ns_to_ktime(LOOK_NS));
	spin_unlock_irqrestore(&g->lock, flags);
	list_for_each_entry_safe(qp, next, &released, run_node)
		glass_lane_add_to(qp, qp->slow_lane);
	return more ? HRTIMER_RESTART : HRTIMER_NORESTART;
}

void glass_congestion_init(struct glass_congestion *g)
{
	spin_lock_init(&g->lock);
	INIT_LIST_HEAD(&g->waiting);
	glass_hrtimer_setup(&g->timer, congestion_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_SOFT);
}

void glass_run_slow(struct glass_run *run, struct glass_congestion *g)
{
	run->slow = g;
	/* the turn is used up; run_turn() tells this from other ends of a turn by the value */
	run->tx.left = GLASS_TURN_SLOW;
}

struct glass_batch *glass_run_batch(struct glass_run *run)
{
	return &run->batch;
}

bool glass_run_follows(const struct glass_run *run, const struct glass_pkt *pkt)
{
	const struct glass_pqp *q;

	if (pkt != &run->tx.pkt)
		return false;
	q = &run->tx.qp->core;
	/* two halves of the READs that may be outstanding: while one is answered, the other travels */
	if (data_race(q->req.rd_atomic && (q->req.rd_atomic == q->attr.max_rd_atomic ||
					   2 * q->req.rd_atomic == q->attr.max_rd_atomic)))
		return false;
	return data_race(q->req.cur != q->req.head || q->resp.res_cur != q->resp.res_head);
}

void glass_congestion_wait(struct glass_run *run, struct glass_qp *qp)
{
	struct glass_congestion *g = run->slow;
	unsigned long flags;
	bool first, room;
	u32 limit;

	/* back to the lane that ran it: one lane for all would become the bottleneck */
	qp->slow_lane = run->lane < 0 ? raw_smp_processor_id() % glass_nlanes : run->lane;
	spin_lock_irqsave(&g->lock, flags);
	limit = limit_of(g, run->tx.pkt.len);
	room = has_room(g, limit);
	first = list_empty(&g->waiting);
	if (!room) {
		g->waits++;
		list_add_tail(&qp->run_node, &g->waiting);
		g->limit = first ? limit : min(g->limit, limit);
		if (first) {
			g->since = ktime_get_ns();
			hrtimer_start(&g->timer, ns_to_ktime(LOOK_NS), HRTIMER_MODE_REL_SOFT);
		}
	}
	spin_unlock_irqrestore(&g->lock, flags);
	if (room)
		glass_run_add(run, qp);
}
