// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Does alloc_workqueue() need one of WQ_PERCPU and WQ_UNBOUND? */
#include <linux/workqueue.h>

unsigned int probe = WQ_PERCPU;
