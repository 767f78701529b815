// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Does WQ_PERCPU exist? */
#include <linux/workqueue.h>

unsigned int probe = WQ_PERCPU;
