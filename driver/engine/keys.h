/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* For verbs: operations on keys (windows, regions) that work requests also change (keys.c). */
#ifndef GLASS_ENGINE_KEYS_H
#define GLASS_ENGINE_KEYS_H

#include "model/objects.h"

/* Unbinds the window, which then grants no access. Any context. */
void glass_window_unbind(struct glass_mr *win);

/*
 * May the region be deregistered? True: no window is bound to it, and from now on no bind succeeds.
 * The caller then deregisters the region, or calls glass_region_open().
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
