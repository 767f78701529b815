// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Counts the observers that want hops (hops.h). */
#include "observe/hops.h"

DEFINE_STATIC_KEY_FALSE(glass_hops_key);

int glass_hops_get(void)
{
	static_branch_inc(&glass_hops_key);
	return 0;
}

void glass_hops_put(void)
{
	static_branch_dec(&glass_hops_key);
}
