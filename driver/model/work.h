/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The workqueues that several layers use. */
#ifndef GLASS_MODEL_WORK_H
#define GLASS_MODEL_WORK_H

#include <linux/workqueue.h>

/*
 * For short work of CQs: completion events, delayed CQEs, checks of lint. Its workers are bound to
 * CPUs: CPU n raises the completion events of vector n, except vector 0.
 *
 * This workqueue and glass_lane_wq have WQ_MEM_RECLAIM, because destroying a QP, CQ or SRQ waits
 * for their work. Kernel consumers destroy these objects from workqueues with this flag, whose work
 * may wait only for workqueues that have it, too (check_flush_dependency() in kernel/workqueue.c).
 */
extern struct workqueue_struct *glass_event_wq;

/*
 * For work that may take long: prefetching (advise_mr), and bringing in on-demand pages
 * (engine/want.c). dereg_mr waits for the prefetching of its region, and destroy_qp for the QP's
 * work in engine/want.c. glass_work_exit() drains it.
 */
extern struct workqueue_struct *glass_slow_wq;

/*
 * For lanes (the work that runs QPs, engine/lane.c), and for work that takes longer the more
 * objects there are, such as moving all QPs of a failed CQ to ERR. Not bound to a CPU.
 */
extern struct workqueue_struct *glass_lane_wq;

/*
 * Creates the workqueues. Returns 0, or -ENOMEM and creates none. glass_work_exit() may be called
 * in both cases. May sleep.
 */
int glass_work_init(void);
void glass_work_exit(void);

#endif
