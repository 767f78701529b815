// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Lanes, run lists, kicks and timers: who runs which QP, where and how long. */
#include <linux/cpumask.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/wait_bit.h>

#include "engine/engine.h"
#include "observe/observe.h"
#include "port/port.h"

/* The longest train that is delivered as one: 16 packets, 64 KiB at most. */
#define GLASS_TRAIN_MORE 15

/* Packets one QP may send before the next one on the list has its turn. */
#define GLASS_SLICE 32
/* Packets a doorbell sends itself before it leaves the rest to a lane. */
#define GLASS_INLINE_BUDGET 64
/* Packets a lane sends before it lets the CPU go. */
#define GLASS_LANE_BUDGET 512

struct glass_lane {
	spinlock_t lock; /* qps */
	struct list_head qps;
	struct work_struct work;
	struct glass_run run; /* of the lane's own work item */
	struct glass_run *spare; /* for a doorbell on this CPU; taken by xchg */
};

static struct workqueue_struct *glass_wq;
static struct glass_lane *glass_lanes; /* by CPU */
static unsigned int glass_nlanes;

static struct glass_lane *this_lane(void)
{
	return &glass_lanes[raw_smp_processor_id() % glass_nlanes];
}

static void lane_add(struct glass_qp *qp)
{
	struct glass_lane *lane = this_lane();
	unsigned long flags;

	spin_lock_irqsave(&lane->lock, flags);
	list_add_tail(&qp->run_node, &lane->qps);
	spin_unlock_irqrestore(&lane->lock, flags);
	queue_work(glass_wq, &lane->work);
}

/* Returns true when the caller must put qp on a list; it then owns a reference. */
static bool claim(struct glass_qp *qp)
{
	int old, new;

	/* what the kick is about was written before `run` is read */
	smp_mb();
	old = atomic_read(&qp->run);
	do {
		if (old & GLASS_RUN_ACTIVE) {
			if (old & GLASS_RUN_AGAIN)
				return false;
			new = old | GLASS_RUN_AGAIN;
		} else if (old & GLASS_RUN_QUEUED) {
			return false;
		} else {
			new = GLASS_RUN_QUEUED;
		}
	} while (!atomic_try_cmpxchg(&qp->run, &old, new));

	if (new != GLASS_RUN_QUEUED)
		return false;
	if (!glass_ref_get(&qp->ref)) {
		atomic_set(&qp->run, 0);
		return false;
	}
	return true;
}

void glass_qp_kick(struct glass_qp *qp, struct glass_run *run)
{
	if (!claim(qp))
		return;
	if (run)
		list_add_tail(&qp->run_node, &run->qps);
	else
		lane_add(qp);
}

enum hrtimer_restart glass_qp_timer_fn(struct hrtimer *t)
{
	struct glass_qp *qp = container_of(t, struct glass_qp, timer);

	WRITE_ONCE(qp->timer_fired, true);
	glass_qp_kick(qp, NULL);
	return HRTIMER_NORESTART;
}

/*
 * A pending timer is never moved back: deadlines move ahead with every ACK, and
 * one early firing costs less than re-arming for each of them.
 */
void glass_qp_arm(struct glass_qp *qp)
{
	u64 deadline = qp->core.deadline;

	lockdep_assert_held(&qp->lock);
	if (!deadline || qp->dead)
		return;
	if (qp->armed_ns && qp->armed_ns <= deadline)
		return;
	qp->armed_ns = deadline;
	hrtimer_start(&qp->timer, ns_to_ktime(deadline), HRTIMER_MODE_ABS_SOFT);
}

/* May the peer's ring hold something that was not fetched? */
static bool sq_has_posts(struct glass_qp *qp)
{
	return smp_load_acquire(&qp->sq.hdr->producer) != qp->core.req.head &&
	       glass_sq_room(&qp->core);
}

static bool next_packet(struct glass_qp *qp, struct glass_tx *tx, u64 now)
{
	const struct glass_av *av = NULL;
	u16 pkey_index = 0;
	bool got;

	tx->pkt.seg = tx->seg;
	tx->pkt.nseg = 0;
	tx->pkt.len = 0;
	tx->nmr = 0;
	qp->core.max_more = glass_trace_packets() ? 0 : GLASS_TRAIN_MORE;
	got = glass_resp_next(&qp->core, &tx->pkt, &av, &pkey_index, now) ||
	      glass_req_next(&qp->core, &tx->pkt, &av, &pkey_index, now);
	if (got)
		glass_port_address(qp->dev, qp->core.attr.port, &tx->pkt, av, pkey_index);
	return got;
}

/* Runs one QP for a slice. Returns true when it wants another turn. */
static bool run_slice(struct glass_run *run, struct glass_qp *qp)
{
	int slice = min(GLASS_SLICE, run->budget);
	struct glass_tx *tx = &run->tx;
	bool more = false;
	u64 now;

	mutex_lock(&qp->lock);
	if (qp->dead)
		goto out;
	now = ktime_get_ns();
	if (READ_ONCE(qp->timer_fired)) {
		WRITE_ONCE(qp->timer_fired, false);
		qp->armed_ns = 0;
		if (qp->core.deadline && now >= qp->core.deadline)
			glass_pqp_timer(&qp->core, now);
	}
	for (;;) {
		WRITE_ONCE(qp->sq.hdr->awake, 1);
		glass_sq_fetch(qp);
		if (qp->core.state == GLASS_QPS_ERR || qp->core.state == GLASS_QPS_SQE)
			glass_pqp_flush(&qp->core, now);
		while (slice > 0 && next_packet(qp, tx, now)) {
			u32 port = qp->core.attr.port;

			mutex_unlock(&qp->lock);
			glass_port_send(qp->dev, port, &tx->pkt, run);
			mutex_lock(&qp->lock);
			glass_env_payload_put(&qp->core, &tx->pkt);
			slice--;
			run->budget--;
			if (qp->dead)
				goto out;
			glass_req_sent(&qp->core);
			now = ktime_get_ns();
		}
		if (slice <= 0) {
			more = true;
			break;
		}
		/* sleep only if nothing was posted before `awake` was seen 0 */
		WRITE_ONCE(qp->sq.hdr->awake, 0);
		smp_mb();
		if (!sq_has_posts(qp) || qp->core.state < GLASS_QPS_RTS)
			break;
		if (--slice <= 0) {
			WRITE_ONCE(qp->sq.hdr->awake, 1);
			more = true;
			break;
		}
	}
	glass_qp_arm(qp);
out:
	mutex_unlock(&qp->lock);
	return more;
}

static void run_one(struct glass_run *run, struct glass_qp *qp)
{
	int old = GLASS_RUN_ACTIVE;

	list_del_init(&qp->run_node);
	atomic_xchg(&qp->run, GLASS_RUN_ACTIVE);
	if (!run_slice(run, qp) && atomic_try_cmpxchg(&qp->run, &old, 0)) {
		if (unlikely(READ_ONCE(qp->closing)))
			wake_up_var(&qp->run);
		glass_ref_put(&qp->ref);
		return;
	}
	atomic_set(&qp->run, GLASS_RUN_QUEUED);
	list_add_tail(&qp->run_node, &run->qps);
}

static void run_list(struct glass_run *run)
{
	while (!list_empty(&run->qps) && run->budget > 0)
		run_one(run, list_first_entry(&run->qps, struct glass_qp, run_node));
}

static void lane_work(struct work_struct *work)
{
	struct glass_lane *lane = container_of(work, struct glass_lane, work);
	struct glass_run *run = &lane->run;
	bool more;

	run->budget = GLASS_LANE_BUDGET;
	spin_lock_irq(&lane->lock);
	list_splice_tail_init(&lane->qps, &run->qps);
	spin_unlock_irq(&lane->lock);

	run_list(run);

	spin_lock_irq(&lane->lock);
	list_splice_tail_init(&run->qps, &lane->qps);
	more = !list_empty(&lane->qps);
	spin_unlock_irq(&lane->lock);
	if (more)
		queue_work(glass_wq, &lane->work);
}

void glass_qp_kick_inline(struct glass_qp *qp)
{
	struct glass_lane *lane = this_lane();
	struct glass_run *run;

	if (!claim(qp))
		return;
	run = xchg(&lane->spare, NULL);
	if (!run) {
		lane_add(qp);
		return;
	}
	run->budget = GLASS_INLINE_BUDGET;
	list_add_tail(&qp->run_node, &run->qps);
	run_list(run);
	if (!list_empty(&run->qps)) {
		spin_lock_irq(&lane->lock);
		list_splice_tail_init(&run->qps, &lane->qps);
		spin_unlock_irq(&lane->lock);
		queue_work(glass_wq, &lane->work);
	}
	smp_store_release(&lane->spare, run);
}

/* Long enough for a lane that others keep busy; a READ of gigabytes is not waited for. */
#define GLASS_SETTLE_JIFFIES (HZ / 10)

void glass_qp_settle(struct glass_qp *qp)
{
	bool owes;

	mutex_lock(&qp->lock);
	owes = glass_resp_owed(&qp->core);
	WRITE_ONCE(qp->closing, owes);
	mutex_unlock(&qp->lock);
	if (!owes)
		return;
	glass_qp_kick_inline(qp);
	wait_var_event_timeout(&qp->run, !atomic_read(&qp->run), GLASS_SETTLE_JIFFIES);
}

void glass_owner_fill(struct glass_owner *o, bool user)
{
	o->created_ns = ktime_get_ns();
	if (user) {
		o->pid = task_tgid_nr(current);
		get_task_comm(o->comm, current);
	} else {
		o->pid = 0;
		strscpy(o->comm, "kernel", sizeof(o->comm));
	}
}

int glass_engine_init(void)
{
	unsigned int i;

	glass_nlanes = num_possible_cpus();
	glass_lanes = kvcalloc(glass_nlanes, sizeof(*glass_lanes), GFP_KERNEL);
	if (!glass_lanes)
		return -ENOMEM;
	glass_wq = alloc_workqueue("glass", WQ_UNBOUND | WQ_HIGHPRI | WQ_MEM_RECLAIM | WQ_SYSFS, 0);
	if (!glass_wq) {
		kvfree(glass_lanes);
		return -ENOMEM;
	}
	for (i = 0; i < glass_nlanes; i++) {
		struct glass_lane *lane = &glass_lanes[i];

		spin_lock_init(&lane->lock);
		INIT_LIST_HEAD(&lane->qps);
		INIT_LIST_HEAD(&lane->run.qps);
		INIT_WORK(&lane->work, lane_work);
		lane->spare = kzalloc(sizeof(*lane->spare), GFP_KERNEL);
		if (!lane->spare) {
			glass_engine_exit();
			return -ENOMEM;
		}
		INIT_LIST_HEAD(&lane->spare->qps);
	}
	return 0;
}

void glass_engine_exit(void)
{
	unsigned int i;

	destroy_workqueue(glass_wq);
	for (i = 0; i < glass_nlanes; i++)
		kfree(glass_lanes[i].spare);
	kvfree(glass_lanes);
}
