// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Do system_wq and system_unbound_wq have their newer names, system_percpu_wq and system_dfl_wq? */
#include <linux/workqueue.h>

bool probe(struct work_struct *work);

bool probe(struct work_struct *work)
{
	return queue_work(system_percpu_wq, work) || queue_work(system_dfl_wq, work);
}
