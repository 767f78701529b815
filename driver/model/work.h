/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The workqueues that more than one part uses. */
#ifndef GLASS_MODEL_WORK_H
#define GLASS_MODEL_WORK_H

#include <linux/workqueue.h>

/*
 * For all that verbs which destroy a CQ, SRQ or QP wait for: kernel consumers destroy theirs
 * from workqueues that must go on when memory is short, and may not wait there for one that
 * need not (check_flush_dependency() in kernel/workqueue.c). Work of its own CPU, soon.
 */
extern struct workqueue_struct *glass_event_wq;

/*
 * For work that may take long and that no verb waits for. It ends before the module's text goes:
 * glass_work_exit() drains it.
 */
extern struct workqueue_struct *glass_slow_wq;

/* Of lanes (lane.c), and for work that takes as long as somebody has objects: of no CPU's own. */
extern struct workqueue_struct *glass_lane_wq;

/* 0 or -ENOMEM, and then there are none. exit: also when there are none. May sleep. */
int glass_work_init(void);
void glass_work_exit(void);

#endif
