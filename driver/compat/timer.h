/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Linux 6.2 renamed del_timer_sync() to timer_delete_sync(). Later the old name was removed. */
#ifndef GLASS_COMPAT_TIMER_H
#define GLASS_COMPAT_TIMER_H

#include <linux/timer.h>

#include "compat/have.h"

#ifndef GLASS_HAVE_TIMER_DELETE_SYNC
#define timer_delete_sync(timer) del_timer_sync(timer)
#endif

#endif
