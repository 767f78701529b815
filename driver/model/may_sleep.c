// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#include <linux/mutex.h>
#include <linux/rcupdate.h>

#include "model/may_sleep.h"

static DEFINE_MUTEX(users_lock);
unsigned int glass_sleep_users; /* written under users_lock */

void glass_may_sleep_get(void)
{
	mutex_lock(&users_lock);
	WRITE_ONCE(glass_sleep_users, glass_sleep_users + 1);
	/* pairs with the section without preemption around glass_may_sleep(), if that read 0 */
	if (glass_sleep_users == 1)
		synchronize_rcu_expedited();
	mutex_unlock(&users_lock);
}

void glass_may_sleep_put(void)
{
	mutex_lock(&users_lock);
	WRITE_ONCE(glass_sleep_users, glass_sleep_users - 1);
	mutex_unlock(&users_lock);
}
