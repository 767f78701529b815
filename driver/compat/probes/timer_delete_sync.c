// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Does timer_delete_sync() exist? */
#include <linux/timer.h>

int probe(struct timer_list *t);

int probe(struct timer_list *t)
{
	return timer_delete_sync(t);
}
