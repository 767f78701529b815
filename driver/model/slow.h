/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Injection rules and knobs of strict mode may make the processing of a packet sleep. While there
 * are none, doorbells process received frames with preemption off (engine/frames.c).
 */
#ifndef GLASS_MODEL_SLOW_H
#define GLASS_MODEL_SLOW_H

#include <linux/compiler.h>
#include <linux/types.h>

extern unsigned int glass_slow_users;

/*
 * Call glass_slow_get() before packets can sleep. On return, no context processes packets with
 * preemption off that has not seen it. glass_slow_put() ends this. Both may sleep.
 */
void glass_slow_get(void);
void glass_slow_put(void);

/* Might a packet sleep? Call it with preemption off, and keep it off until the packet is done. */
static inline bool glass_slow_any(void)
{
	return READ_ONCE(glass_slow_users);
}

#endif
