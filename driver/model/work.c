// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#include <linux/errno.h>

#include "compat/workqueue.h"
#include "model/work.h"

struct workqueue_struct *glass_event_wq;
struct workqueue_struct *glass_slow_wq;
struct workqueue_struct *glass_lane_wq;

static void wq_destroy(struct workqueue_struct **wq)
{
	if (*wq)
		destroy_workqueue(*wq);
	*wq = NULL;
}

void glass_work_exit(void)
{
	wq_destroy(&glass_lane_wq);
	wq_destroy(&glass_event_wq);
	wq_destroy(&glass_slow_wq);
}

int glass_work_init(void)
{
	glass_lane_wq = alloc_workqueue("glass", WQ_UNBOUND | WQ_MEM_RECLAIM | WQ_SYSFS, 0);
	glass_event_wq = alloc_workqueue("glass_event", WQ_PERCPU | WQ_MEM_RECLAIM, 0);
	glass_slow_wq = alloc_workqueue("glass_slow", WQ_UNBOUND, 0);
	if (glass_lane_wq && glass_event_wq && glass_slow_wq)
		return 0;
	glass_work_exit();
	return -ENOMEM;
}
