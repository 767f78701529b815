/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The workqueues that several layers use. */
#ifndef GLASS_MODEL_WORK_H
#define GLASS_MODEL_WORK_H

#include <linux/workqueue.h>

/*
 * For short work of CQs: completion events, delayed CQEs, checks of lint. Each worker is bound to a
 * CPU, so that CPU n can raise the completion events of vector n.
 *
 * This workqueue and glass_lane_wq have the flag WQ_MEM_RECLAIM, because the verbs that destroy a
 * QP, CQ or SRQ wait for work of these two. Kernel consumers call these verbs from workqueues that
 * have the flag themselves. Work of such a workqueue may wait only for workqueues with the flag
 * (check_flush_dependency() in kernel/workqueue.c).
 */
extern struct workqueue_struct *glass_event_wq;

/*
 * For work that may take long: prefetching (advise_mr), and bringing in on-demand pages
 * (engine/want.c). Only regions and QPs of programs have such work. dereg_mr and destroy_qp wait
 * for it, but no verb of a kernel consumer does. So this workqueue does not need the flag
 * WQ_MEM_RECLAIM.
 */
extern struct workqueue_struct *glass_slow_wq;

/*
 * For lanes (the work that runs QPs, engine/lane.c), and for work whose duration grows with the
 * number of objects, such as moving all QPs of a failed CQ to ERR. Its workers are not bound to
 * CPUs.
 */
extern struct workqueue_struct *glass_lane_wq;

/*
 * glass_work_init() creates the workqueues. Returns 0 or -ENOMEM; after -ENOMEM, there are no
 * workqueues. glass_work_exit() waits for all work, and destroys the workqueues if there are any.
 * Both may sleep.
 */
int glass_work_init(void);
void glass_work_exit(void);

#endif
