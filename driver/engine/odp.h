/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * On-demand paging. Nothing is pinned when such a region is registered, and no translation is kept
 * that somebody would have to invalidate: each access takes the pages that it needs for as long as
 * it lasts. It looks for them without waiting. A page that is not there is brought in by work of
 * the QP's own (want.h), and the access comes again.
 */
#ifndef GLASS_ENGINE_ODP_H
#define GLASS_ENGINE_ODP_H

#include "engine/objects.h"

/*
 * Takes the pages of [addr, addr + len) of a region, a checked range, for reading or for
 * writing; at most max of them. Returns how many, at least 1; 0: the first is not there, and
 * glass_pqp_pages() will be called when that has changed; or -EFAULT: there is no such memory, or it
 * may not be written, or its process has ended. The caller holds qp->lock and a reference to the region.
 */
long glass_odp_take(struct glass_qp *qp, struct glass_mr *mr, u64 addr, u64 len, bool write,
		    struct page **pages, u32 max);

/* Gives pages back; written: they were written to. */
void glass_odp_put(struct page **pages, u32 n, bool written);

/*
 * Brings in the pages of a range, and gives them back at once: the program's advice. wait: until
 * each is there, or the caller is killed; else those that come without waiting, and the others have
 * been asked for. 0, -EFAULT, -EINTR, or -EAGAIN: the process did not let anybody look at its
 * memory. May sleep.
 */
int glass_odp_prefetch(struct glass_mr *mr, u64 addr, u64 len, bool write, bool wait);

/* The address in the process. */
static inline u64 glass_odp_addr(const struct glass_mr *mr, u64 addr)
{
	return mr->start + (addr - mr->iova);
}

#endif
