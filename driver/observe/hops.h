/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Hops: packets at the ports of switches and passive CAs. Captures, injection rules, the trace
 * event glass_hop and the flight recorder may want them. While none of them does, packets take the
 * fast path through the switches, and the test costs one static branch.
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
 * An observer or a rule wants hops from now on. For each call of glass_hops_get(), which returns 0,
 * a call of glass_hops_put() ends that. May sleep.
 */
int glass_hops_get(void);
void glass_hops_put(void);

#endif
