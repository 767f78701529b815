/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Operations of verbs on keys that work requests change, too. */
#ifndef GLASS_ENGINE_KEYS_H
#define GLASS_ENGINE_KEYS_H

#include "model/objects.h"

/* Unbinds the window: it grants no access any more. Any context. */
void glass_window_unbind(struct glass_mr *win);

/*
 * May the region be deregistered? True: no window is bound to it, and none can be bound any more.
 * The caller then deregisters it.
 */
static inline bool glass_region_close(struct glass_mr *mr)
{
	return atomic_cmpxchg(&mr->windows, 0, INT_MIN) == 0;
}

/* Undoes glass_region_close(): windows may be bound to the region again. */
static inline void glass_region_open(struct glass_mr *mr)
{
	atomic_set(&mr->windows, 0);
}

#endif
