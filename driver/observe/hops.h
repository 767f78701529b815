/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Hops: packets at the ports of switches and passive CAs. A capture, an injection rule, the trace
 * event glass_hop or the flight recorder may want them. While nobody wants them, packets take the
 * fast path through the switches, and glass_hops_wanted() costs one static branch.
 */
#ifndef GLASS_OBSERVE_HOPS_H
#define GLASS_OBSERVE_HOPS_H

#include <linux/jump_label.h>

DECLARE_STATIC_KEY_FALSE(glass_hops_key);

/* Does an observer or a rule want hops? */
static inline bool glass_hops_wanted(void)
{
	return !IS_ENABLED(CONFIG_GLASS_NO_HOOKS) && static_branch_unlikely(&glass_hops_key);
}

/*
 * After glass_hops_get(), the caller wants hops until it calls glass_hops_put(). Calls nest.
 * Returns 0. Both functions may sleep.
 */
int glass_hops_get(void);
void glass_hops_put(void);

#endif
