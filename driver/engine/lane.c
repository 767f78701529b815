// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The contexts that run QPs (lane.h): lanes and doorbells. This file limits how many turns a
 * context gives to QPs, and lets a lane watch (poll) the send rings of busy QPs.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/stat.h>
#include <linux/slab.h>

#include "engine/lane.h"
#include "engine/odp.h"

/* A doorbell runs at most this many turns. Then it leaves the QPs that still wait to a lane. */
#define GLASS_INLINE_BUDGET 32
/* A doorbell calls cond_resched() when the number of its remaining turns is a multiple of this. */
#define GLASS_INLINE_PIECE 8
/* After this many turns, a lane requeues its work, so that its worker can run other work. */
#define GLASS_LANE_BUDGET 256
/* Each time a lane has polled its watched QPs, it goes on watching at most this many of them. */
#define GLASS_WATCHED 16
/*
 * Between two polls of its watched QPs, a lane runs at most this many turns. One turn is for a QP
 * that got a post. The other turn is for its peer, which answers.
 */
#define GLASS_TURNS_UNWATCHED 2
/*
 * A QP is a stream if its program has rung at least this many doorbells for it in the present and
 * the previous jiffy together. A lane runs a stream; the doorbells of a stream only kick it.
 */
#define GLASS_STREAM_DOORBELLS 16
/*
 * A QP is no stream if it moves more bytes of payload per doorbell than this. Copying these bytes
 * takes so long that saving a doorbell gains nothing.
 */
#define GLASS_STREAM_BYTES 16384
/*
 * When a lane finds that another task wants its CPU, no lane takes over a stream for this many
 * jiffies.
 */
#define GLASS_LINGER_PAUSE max(HZ / 50, 1)

/*
 * The time, in jiffies, when the last pause (GLASS_LINGER_PAUSE) ends. No lock protects this
 * variable, because it is only a hint.
 */
static unsigned long linger_again;

/* Moves the QPs that other contexts have put on lane->qps to the lane's run list. */
static void take_new(struct glass_lane *lane)
{
	struct glass_qp *qp, *next;
	LIST_HEAD(new);

	if (!glass_lane_has_qps(lane))
		return;
	spin_lock_irq(&lane->lock);
	list_splice_tail_init(&lane->qps, &new);
	spin_unlock_irq(&lane->lock);
	list_for_each_entry_safe(qp, next, &new, run_node)
		glass_run_add(&lane->run, qp);
}

/* Stops watching a QP: lets it sleep, or queues it for a turn if it has work. */
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
 * Polls each watched QP once. A QP that has work is queued for a turn. Any other QP remains watched
 * if the lane may watch QPs (run->linger), fewer than GLASS_WATCHED QPs remain watched so far, and
 * a post is likely soon (glass_qp_streams()). Otherwise the QP goes to sleep.
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
	bool frames;
	int n;

	run->budget = GLASS_LANE_BUDGET;
	do {
		/* do not watch QPs while other tasks want the CPU; doorbells run the QPs instead */
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
		frames = glass_lane_frames_in(lane);
		if (!n && !frames)
			cpu_relax();
		cond_resched();
	} while ((!glass_run_empty(run) || !list_empty(&run->watched) || frames) &&
		 run->budget > 0);

	if (!glass_run_empty(run) || !list_empty(&run->watched) || glass_lane_has_frames(lane))
		queue_work(glass_lane_wq, &lane->work);
}

static u64 bytes_moved(const struct glass_qp *qp)
{
	return data_race(qp->core.stats.tx_bytes + qp->core.stats.rx_bytes);
}

/*
 * Counts a doorbell of this QP. Returns whether a lane should run the QP: if the QP is a stream, no
 * pause is in force (linger_again), and more than one CPU is online. The lane then watches the
 * ring, which saves most later doorbells. This is a heuristic, so the counts have no lock.
 */
static bool wants_lane(struct glass_qp *qp)
{
	unsigned long now = jiffies;
	u32 rung;

	if (unlikely(qp->rung_jiffy != now)) {
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
	if (glass_qp_claim(qp))
		glass_qp_run_claimed(qp);
}

/*
 * Goes on with a doorbell's run after its first turn: frames may wait for lanes, and other QPs in run->qps. Leaves the
 * QPs that it does not run to the lane.
 */
static noinline void run_others(struct glass_lane *lane, struct glass_run *run)
{
	struct glass_qp *qp;

	for (;;) {
		if (unlikely(READ_ONCE(lane->arrived)))
			glass_help_lanes(lane, run, false);
		if (list_empty(&run->qps))
			return;
		/* cond_resched() after each turn could delay the ACK or NAK of a message */
		if (run->budget % GLASS_INLINE_PIECE == 0)
			cond_resched();
		/*
		 * Leave the other QPs to a lane when the budget is used up, or when this task has a
		 * pending signal.
		 */
		if (run->budget <= 0 || signal_pending(current))
			break;
		qp = list_first_entry(&run->qps, struct glass_qp, run_node);
		list_del_init(&qp->run_node);
		glass_qp_run(run, qp);
	}
	spin_lock_irq(&lane->lock);
	list_splice_tail_init(&run->qps, &lane->qps);
	spin_unlock_irq(&lane->lock);
	queue_work(glass_lane_wq, &lane->work);
}

void glass_qp_run_claimed(struct glass_qp *qp)
{
	struct glass_lane *lane = glass_this_lane();
	struct glass_run *run;

	run = unlikely(wants_lane(qp)) ? NULL : xchg(&lane->spare, NULL);
	if (unlikely(!run)) {
		glass_lane_add(qp);
		return;
	}
	run->budget = GLASS_INLINE_BUDGET;
	run->group = qp->group;
	glass_qp_run(run, qp);
	if (unlikely(READ_ONCE(lane->arrived) || !list_empty(&run->qps)))
		run_others(lane, run);
	WRITE_ONCE(lane->given_back, lane->given_back + 1);
	/*
	 * Pairs with the acquire in glass_engine_quiesce(): when that function sees that `spare` is
	 * back, this doorbell has run its last QP.
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
		/*
		 * wait until a doorbell returns `spare`; this ends, because the doorbell has a
		 * budget
		 */
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
	run->tx.fate.nhops = 0;
	run->answer.pkt.fate = &run->answer.fate;
	run->answer.fate.nhops = 0;
}

int glass_engine_init(void)
{
	unsigned int i;

	glass_pace_init();
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
		INIT_LIST_HEAD(&lane->frames);
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

	glass_pace_exit();
	glass_work_exit();
	glass_odp_exit();
	for (i = 0; i < glass_nlanes; i++)
		kfree(glass_lanes[i].spare);
	kvfree(glass_lanes);
}
