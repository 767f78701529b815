// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#include <linux/mutex.h>
#include <linux/rcupdate.h>

#include "model/slow.h"

static DEFINE_MUTEX(slow_lock);
unsigned int glass_slow_users; /* written under slow_lock */

void glass_slow_get(void)
{
	mutex_lock(&slow_lock);
	WRITE_ONCE(glass_slow_users, glass_slow_users + 1);
	/* a context with preemption off that has read 0 ends first; others wait for it at slow_lock */
	if (glass_slow_users == 1)
		synchronize_rcu_expedited();
	mutex_unlock(&slow_lock);
}

void glass_slow_put(void)
{
	mutex_lock(&slow_lock);
	WRITE_ONCE(glass_slow_users, glass_slow_users - 1);
	mutex_unlock(&slow_lock);
}
