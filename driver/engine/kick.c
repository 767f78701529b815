// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Kicks a QP: puts it on the run list of the calling context or of a lane (lane.h). */
#include "engine/lane.h"

struct glass_lane *glass_lanes;
unsigned int glass_nlanes;

static void lane_queue_qp(struct glass_lane *lane, struct glass_qp *qp)
{
	unsigned long flags;

	spin_lock_irqsave(&lane->lock, flags);
	list_add_tail(&qp->run_node, &lane->qps);
	spin_unlock_irqrestore(&lane->lock, flags);
	queue_work(glass_lane_wq, &lane->work);
}

void glass_lane_add(struct glass_qp *qp)
{
	lane_queue_qp(glass_this_lane(), qp);
}

void glass_lane_add_to(struct glass_qp *qp, unsigned int number)
{
	lane_queue_qp(&glass_lanes[number % glass_nlanes], qp);
}

bool glass_run_alone(const struct glass_run *run)
{
	const struct glass_lane *lane = container_of(run, struct glass_lane, run);

	if (!glass_run_empty(run) || !list_empty(&run->watched) || need_resched())
		return false;
	return run->lane < 0 ? !signal_pending(current) : !glass_lane_has_qps(lane);
}

/*
 * May the owner of `run` run the QP? A doorbell runs only QPs of its own group (party.h). So when
 * cpu.max or preemption stops the doorbell's task, no QP of another group has to wait for this
 * task.
 */
static __always_inline bool may_run(const struct glass_run *run, const struct glass_qp *qp)
{
	return run->lane >= 0 || run->group == qp->group;
}

void glass_qp_kick(struct glass_qp *qp, struct glass_run *run)
{
	if (!glass_qp_claim(qp))
		return;
	if (run && likely(may_run(run, qp)))
		glass_run_add(run, qp);
	else
		glass_lane_add(qp);
}
