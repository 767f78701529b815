/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* What verbs do to keys that work requests change, too. */
#ifndef GLASS_ENGINE_KEYS_H
#define GLASS_ENGINE_KEYS_H

#include "model/objects.h"

/* The window grants nothing any more. Any context. */
void glass_window_unbind(struct glass_mr *win);

/*
 * May the region go? True: no window is bound to it, and none can be any more. The
 * caller goes on to deregister it.
 */
static inline bool glass_region_close(struct glass_mr *mr)
{
	return atomic_cmpxchg(&mr->windows, 0, INT_MIN) == 0;
}

/* It stays, after all: windows may be bound to it again. */
static inline void glass_region_open(struct glass_mr *mr)
{
	atomic_set(&mr->windows, 0);
}

#endif
