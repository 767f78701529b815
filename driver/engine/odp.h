/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * On-demand paging. Nothing is pinned when such a region is registered, and no
 * translation is kept that somebody would have to invalidate: each access takes the
 * pages that it needs for as long as it lasts. So an access sleeps when its page has to
 * be brought in; every engine context is one that may.
 */
#ifndef GLASS_ENGINE_ODP_H
#define GLASS_ENGINE_ODP_H

#include "engine/objects.h"

/*
 * Takes the pages of [addr, addr + len) of a region, a checked range, for reading or for
 * writing; at most max of them. Returns how many, at least 1, or -EFAULT: there is no
 * such memory, or it may not be written, or its process has ended. May sleep. The caller
 * holds a reference to the region.
 */
long glass_odp_take(struct glass_mr *mr, u64 addr, u64 len, bool write, struct page **pages,
		    u32 max);

/* Gives pages back; written: they were written to. May sleep. */
void glass_odp_put(struct page **pages, u32 n, bool written);

/*
 * Brings in the pages of a range, and gives them back at once: the program's advice.
 * 0 or -EFAULT. May sleep.
 */
int glass_odp_prefetch(struct glass_mr *mr, u64 addr, u64 len, bool write);

/* The address in the process. */
static inline u64 glass_odp_addr(const struct glass_mr *mr, u64 addr)
{
	return mr->start + (addr - mr->iova);
}

#endif
