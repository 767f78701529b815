/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Injection rules and knobs of strict mode may make the processing of a packet sleep. While there
 * are none, doorbells process received frames with preemption off (engine/frames.c).
 */
#ifndef GLASS_MODEL_MAY_SLEEP_H
#define GLASS_MODEL_MAY_SLEEP_H

#include <linux/compiler.h>
#include <linux/lockdep.h>
#include <linux/types.h>

/* The number of rules and knobs that are on. Use the functions below. */
extern unsigned int glass_sleep_users;

/*
 * Call glass_may_sleep_get() before packets can sleep. On return, no context processes packets with
 * preemption off that found glass_may_sleep() false. glass_may_sleep_put() ends this. Both may sleep.
 */
void glass_may_sleep_get(void);
void glass_may_sleep_put(void);

/* Might a packet sleep? Call it with preemption off, and keep it off until the packet is done. */
static inline bool glass_may_sleep(void)
{
	lockdep_assert_preemption_disabled();
	return READ_ONCE(glass_sleep_users);
}

#endif
