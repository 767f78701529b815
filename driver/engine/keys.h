/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Functions of keys.c that the verbs of memory windows and regions call. */
#ifndef GLASS_ENGINE_KEYS_H
#define GLASS_ENGINE_KEYS_H

#include "model/objects.h"

/* Unbinds the window: its key grants no access any more. Any context. */
void glass_window_unbind(struct glass_mr *win);

/*
 * Called before a region is deregistered or re-registered. If a window is bound to the region,
 * returns false and changes nothing. Otherwise returns true, and from then on no bind to the region
 * succeeds. The caller must then free the region, or call glass_region_open().
 */
static inline bool glass_region_close(struct glass_mr *mr)
{
	return atomic_cmpxchg(&mr->windows, 0, INT_MIN) == 0;
}

/* Undoes a successful glass_region_close(): windows may be bound to the region again. */
static inline void glass_region_open(struct glass_mr *mr)
{
	atomic_set(&mr->windows, 0);
}

/* Does the key of the region or window work? A key that was invalidated before has its obituary. */
static inline bool glass_key_works(const struct glass_mr *mr)
{
	if (mr->kind == GLASS_MR_WINDOW)
		return READ_ONCE(mr->region);
	return mr->kind != GLASS_MR_FAST || READ_ONCE(mr->valid);
}

struct glass_gone_by;
/*
 * Writes the obituary of a region's keys or a window's key (observe/gone.h) as they are now. Any
 * context.
 */
void glass_key_bury(const struct glass_mr *mr, const struct glass_gone_by *by);
/* As glass_key_bury(), if the key works, for an object that dereg_mr or dealloc_mw is about to take away. */
void glass_key_end(struct glass_mr *mr, const struct glass_gone_by *by);

#endif
