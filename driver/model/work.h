/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The workqueues that several layers use. */
#ifndef GLASS_MODEL_WORK_H
#define GLASS_MODEL_WORK_H

#include <linux/workqueue.h>

/*
 * For short work of CQs: completion events, delayed CQEs, checks of lint. Each worker is bound to a
 * CPU, so that CPU n can raise the completion events of vector n.
 *
 * This workqueue and glass_lane_wq have WQ_MEM_RECLAIM, because destroying a QP, CQ or SRQ waits
 * for their work. Kernel consumers destroy these objects in work of workqueues with this flag. Such
 * work may wait only for workqueues that have the flag, too (check_flush_dependency() in
 * kernel/workqueue.c).
 */
extern struct workqueue_struct *glass_event_wq;

/*
 * For work that may take long: prefetching (advise_mr), and bringing in on-demand pages
 * (engine/want.c). dereg_mr waits until the prefetching of its region is done, and destroy_qp until
 * the QP's work of engine/want.c has ended.
 */
extern struct workqueue_struct *glass_slow_wq;

/*
 * For lanes (the work that runs QPs, engine/lane.c), and for work that takes the longer the more
 * objects there are, such as moving all QPs of a failed CQ to ERR. Its workers are not bound to
 * CPUs.
 */
extern struct workqueue_struct *glass_lane_wq;

/*
 * Creates the workqueues. Returns 0; or -ENOMEM, and then there are none. glass_work_exit() waits
 * for all work and destroys the workqueues, if there are any. Both may sleep.
 */
int glass_work_init(void);
void glass_work_exit(void);

#endif
