/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A hop: a packet arrives at a port of a switch or passive CA, or leaves the node by a port. Some
 * observers see hops: captures, injection rules, the trace event glass_hop, the flight recorder.
 * While no observer wants hops, packets take the fast path through the switches, and
 * glass_hops_wanted() costs one static branch.
 */
#ifndef GLASS_OBSERVE_HOPS_H
#define GLASS_OBSERVE_HOPS_H

#include <linux/jump_label.h>

DECLARE_STATIC_KEY_FALSE(glass_hops_key);

/* Does any observer want hops? */
static inline bool glass_hops_wanted(void)
{
	return !IS_ENABLED(CONFIG_GLASS_NO_HOOKS) && static_branch_unlikely(&glass_hops_key);
}

/*
 * After glass_hops_get(), the caller wants hops until it calls glass_hops_put(). Calls nest.
 * glass_hops_get() always returns 0: the trace event glass_hop needs a function with a result. Both
 * functions may sleep.
 */
int glass_hops_get(void);
void glass_hops_put(void);

#endif
