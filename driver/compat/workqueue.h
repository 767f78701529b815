/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Linux 6.17 gave two of the kernel's own workqueues new names, and added WQ_PERCPU. Newer kernels
 * warn about a workqueue with neither WQ_UNBOUND nor WQ_PERCPU. Older kernels have no WQ_PERCPU.
 * There, each workqueue without WQ_UNBOUND is per CPU.
 */
#ifndef GLASS_COMPAT_WORKQUEUE_H
#define GLASS_COMPAT_WORKQUEUE_H

#include <linux/workqueue.h>

#include "compat/have.h"

#ifndef GLASS_HAVE_WQ_PERCPU
#define WQ_PERCPU 0
#endif

#ifndef GLASS_HAVE_SYSTEM_DFL_WQ
#define system_percpu_wq system_wq
#define system_dfl_wq system_unbound_wq
#endif

#endif
