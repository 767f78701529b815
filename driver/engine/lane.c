// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Lanes: the contexts that run QPs, their budgets, and the watching of busy rings. */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/stat.h>
#include <linux/slab.h>

#include "engine/lane.h"
#include "engine/odp.h"

/* Turns of a doorbell before it leaves the rest to a lane. */
#define GLASS_INLINE_BUDGET 32
/* Turns of a doorbell between two calls of cond_resched(). */
#define GLASS_INLINE_PIECE 8
/* Turns of a lane before its worker runs other work. */
#define GLASS_LANE_BUDGET 256
/* QPs that a lane watches at most; it polls all of them. */
#define GLASS_WATCHED 16
/*
 * Turns between two polls of the watched QPs: one for the QP that got a post, one for its peer that
 * answers.
 */
#define GLASS_TURNS_UNWATCHED 2
/* Doorbells in one or two jiffies that make a stream. */
#define GLASS_STREAM_DOORBELLS 16
/*
 * Payload per doorbell of a stream, bytes, at most: with more, the cost of ringing is negligible.
 */
#define GLASS_STREAM_BYTES 16384
/* Pause of all watching, in jiffies, after a lane found another task that wants its CPU. */
#define GLASS_LINGER_PAUSE max(HZ / 50, 1)

static unsigned long linger_again; /* jiffies; no lock: a hint */

static void take_new(struct glass_lane *lane)
{
	struct glass_qp *qp, *next;
	LIST_HEAD(new);

	if (list_empty_careful(&lane->qps))
		return;
	spin_lock_irq(&lane->lock);
	list_splice_tail_init(&lane->qps, &new);
	spin_unlock_irq(&lane->lock);
	list_for_each_entry_safe(qp, next, &new, run_node)
		glass_run_add(&lane->run, qp);
}

/* Puts a watched QP to sleep, unless it has work. */
static void lane_unwatch_qp(struct glass_run *run, struct glass_qp *qp)
{
	bool more;

	list_del_init(&qp->run_node);
	spin_lock(&qp->lock);
	more = !qp->dead && !glass_sq_sleep(qp);
	spin_unlock(&qp->lock);
	glass_qp_run_end(run, qp, more);
}

static bool qp_has_work(const struct glass_qp *qp)
{
	return atomic_read(&qp->run) & GLASS_RUN_AGAIN || glass_sq_has_posts(qp);
}

/*
 * Polls each watched QP once: it goes to sleep, remains watched, or has a turn when it is its
 * party's.
 */
static void watch_round(struct glass_run *run)
{
	u64 now = ktime_get_ns();
	struct glass_qp *qp;
	unsigned int n = 0;
	LIST_HEAD(round);

	list_splice_init(&run->watched, &round);
	while (!list_empty(&round)) {
		qp = list_first_entry(&round, struct glass_qp, run_node);
		if (run->linger && n < GLASS_WATCHED && !qp_has_work(qp) &&
		    glass_qp_streams(qp, now)) {
			list_move_tail(&qp->run_node, &run->watched);
			n++;
		} else if (qp_has_work(qp)) {
			list_del_init(&qp->run_node);
			glass_qp_run_end(run, qp, true);
		} else {
			lane_unwatch_qp(run, qp);
		}
	}
}

static void lane_work(struct work_struct *work)
{
	struct glass_lane *lane = container_of(work, struct glass_lane, work);
	struct glass_run *run = &lane->run;
	struct glass_qp *qp;
	int n;

	run->budget = GLASS_LANE_BUDGET;
	do {
		/* leave the CPU to other tasks that want it: doorbells then do the work */
		run->linger = single_task_running() && !need_resched();
		if (!run->linger)
			WRITE_ONCE(linger_again, jiffies + GLASS_LINGER_PAUSE);
		take_new(lane);
		if (!list_empty(&run->watched))
			watch_round(run);
		for (n = 0; n < GLASS_TURNS_UNWATCHED && (qp = glass_run_next(run)); n++) {
			glass_qp_run(run, qp);
			take_new(lane);
		}
		if (!n)
			cpu_relax();
		cond_resched();
	} while ((!glass_run_empty(run) || !list_empty(&run->watched)) && run->budget > 0);

	if (!glass_run_empty(run) || !list_empty(&run->watched))
		queue_work(glass_lane_wq, &lane->work);
}

static u64 bytes_moved(const struct glass_qp *qp)
{
	return data_race(qp->core.stats.tx_bytes + qp->core.stats.rx_bytes);
}

/*
 * Does this QP ring so often that a lane, which then watches its ring, saves most of the doorbells
 * to come? Counts without a lock: a heuristic.
 */
static bool wants_lane(struct glass_qp *qp)
{
	unsigned long now = jiffies;
	u32 rung;

	if (qp->rung_jiffy != now) {
		bool follows = qp->rung_jiffy + 1 == now;
		u64 bytes = bytes_moved(qp);

		qp->rung_before = follows ? qp->rung : 0;
		qp->rung_bytes_before = follows ? qp->rung_bytes : bytes;
		qp->rung_jiffy = now;
		qp->rung = 0;
		qp->rung_bytes = bytes;
	}
	rung = ++qp->rung + qp->rung_before;
	return rung >= GLASS_STREAM_DOORBELLS && time_after_eq(now, READ_ONCE(linger_again)) &&
	       num_online_cpus() > 1 &&
	       bytes_moved(qp) - qp->rung_bytes_before <= (u64)rung * GLASS_STREAM_BYTES;
}

void glass_qp_kick_inline(struct glass_qp *qp)
{
	struct glass_lane *lane = glass_this_lane();
	struct glass_run *run;

	if (!glass_qp_claim(qp))
		return;
	run = wants_lane(qp) ? NULL : xchg(&lane->spare, NULL);
	if (!run) {
		glass_lane_add(qp);
		return;
	}
	run->budget = GLASS_INLINE_BUDGET;
	run->group = qp->group;
	for (;;) {
		glass_qp_run(run, qp);
		if (list_empty(&run->qps))
			break;
		/* rarely: a message must be followed by its ACK or NAK without a pause */
		if (run->budget % GLASS_INLINE_PIECE == 0)
			cond_resched();
		/*
		 * A pending signal ends the loop early: a killed or interrupted task need not
		 * finish it.
		 */
		if (run->budget <= 0 || signal_pending(current))
			break;
		qp = list_first_entry(&run->qps, struct glass_qp, run_node);
		list_del_init(&qp->run_node);
	}
	if (!list_empty(&run->qps)) {
		spin_lock_irq(&lane->lock);
		list_splice_tail_init(&run->qps, &lane->qps);
		spin_unlock_irq(&lane->lock);
		queue_work(glass_lane_wq, &lane->work);
	}
	WRITE_ONCE(lane->given_back, lane->given_back + 1);
	/*
	 * pairs with glass_engine_quiesce(): when it sees `run` here, all work of that run is done
	 */
	smp_store_release(&lane->spare, run);
}

void glass_engine_quiesce(void)
{
	unsigned int i;

	for (i = 0; i < glass_nlanes; i++) {
		struct glass_lane *lane = &glass_lanes[i];
		unsigned int before = READ_ONCE(lane->given_back);

		flush_work(&lane->work);
		/* a doorbell's work is bounded */
		while (!smp_load_acquire(&lane->spare) && READ_ONCE(lane->given_back) == before)
			usleep_range(100, 1000);
	}
}

static void init_run(struct glass_run *run, int lane)
{
	run->lane = lane;
	INIT_LIST_HEAD(&run->qps);
	INIT_LIST_HEAD(&run->groups);
	INIT_LIST_HEAD(&run->watched);
	run->tx.pkt.fate = &run->tx.fate;
}

int glass_engine_init(void)
{
	unsigned int i;

	glass_nlanes = num_possible_cpus();
	glass_lanes = kvcalloc(glass_nlanes, sizeof(*glass_lanes), GFP_KERNEL);
	if (!glass_lanes)
		return -ENOMEM;
	if (glass_work_init()) {
		glass_engine_exit();
		return -ENOMEM;
	}
	for (i = 0; i < glass_nlanes; i++) {
		struct glass_lane *lane = &glass_lanes[i];

		spin_lock_init(&lane->lock);
		INIT_LIST_HEAD(&lane->qps);
		init_run(&lane->run, i);
		INIT_WORK(&lane->work, lane_work);
		lane->spare = kzalloc(sizeof(*lane->spare), GFP_KERNEL);
		if (!lane->spare) {
			glass_engine_exit();
			return -ENOMEM;
		}
		init_run(lane->spare, -1);
	}
	linger_again = jiffies;
	return 0;
}

void glass_engine_exit(void)
{
	unsigned int i;

	glass_work_exit();
	glass_odp_exit();
	for (i = 0; i < glass_nlanes; i++)
		kfree(glass_lanes[i].spare);
	kvfree(glass_lanes);
}
