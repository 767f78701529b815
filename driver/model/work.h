/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The workqueues that several layers use. */
#ifndef GLASS_MODEL_WORK_H
#define GLASS_MODEL_WORK_H

#include <linux/workqueue.h>

/*
 * For all work that verbs which destroy a CQ, SRQ or QP wait for. Kernel consumers destroy these
 * from workqueues that must make progress under memory pressure, and those may wait only for
 * workqueues of the same kind (check_flush_dependency() in kernel/workqueue.c). Work runs on the
 * queueing CPU, soon.
 */
extern struct workqueue_struct *glass_event_wq;

/*
 * For work that may take long and that no verb waits for. It ends before the module is unloaded:
 * glass_work_exit() drains it.
 */
extern struct workqueue_struct *glass_slow_wq;

/*
 * For lanes (lane.c), and for work that may run as long as there are objects: not bound to a CPU.
 */
extern struct workqueue_struct *glass_lane_wq;

/* 0 or -ENOMEM, and then there are none. exit: also when there are none. May sleep. */
int glass_work_init(void);
void glass_work_exit(void);

#endif
