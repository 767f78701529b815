/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * On-demand paging. Nothing is pinned when such a region is registered. Each access looks up the
 * pages that it needs in the page table of the process. An MMU notifier, one for each process,
 * keeps them there: an invalidation of the range waits until the access has copied. An access
 * does not wait: a page that is not there is brought in by work of the QP's own (want.h), and the
 * access comes again.
 */
#ifndef GLASS_ENGINE_ODP_H
#define GLASS_ENGINE_ODP_H

#include <linux/list.h>

#include "model/objects.h"

#ifndef CONFIG_HMM_MIRROR
#error "Glass needs a kernel with CONFIG_HMM_MIRROR for memory on demand"
#endif

/* The memory of one process, for all of its on-demand regions. */
struct glass_odp;

/* Pages that are being brought in. Whatever invalidates one of them meanwhile spoils it. */
struct glass_odp_fetch {
	struct list_head node; /* all of it under the lock of struct glass_odp */
	unsigned long from, to;
	bool write, spoilt;
};

/*
 * The calling process's memory, with a reference; or an ERR_PTR: -ENOMEM, or -ERESTARTNOINTR when a
 * signal is pending. May sleep; takes the mmap lock.
 */
struct glass_odp *glass_odp_get(void);
/* Gives that reference back; odp may be NULL. */
void glass_odp_put(struct glass_odp *odp);

/* A reference to the structure alone: the process's memory may end, and then nothing is found in it. */
void glass_odp_hold(struct glass_odp *odp);
void glass_odp_drop(struct glass_odp *odp);
struct mm_struct *glass_odp_mm(const struct glass_odp *odp);

/* Before the module goes: waits until the last structure is freed. */
void glass_odp_exit(void);

/*
 * Between these two nothing that glass_odp_find() found leaves the process or becomes read-only. The caller
 * does not sleep there, and copies 64 KiB at most.
 */
void glass_odp_begin(struct glass_mr *mr) __acquires(mr);
void glass_odp_end(struct glass_mr *mr) __releases(mr);

/*
 * Finds the pages of [addr, addr + len) of a region, a checked range, at most max of them. Returns how
 * many, at least 1. 0: the first is not there, and glass_pqp_pages() will be called when that has
 * changed. -EFAULT: there is no such memory, or it may not be written, or its process has ended. The
 * caller holds qp->lock and a reference to the region.
 */
long glass_odp_find(struct glass_qp *qp, struct glass_mr *mr, u64 addr, u64 len, bool write,
		    struct page **pages, u32 max);
/* Marks pages that were found for writing as dirty. Before glass_odp_end(). */
void glass_odp_written(struct glass_mr *mr, struct page **pages, u32 n);

/*
 * As glass_odp_find(), for reading, by a caller that does not hold that lock, and with a reference to each page:
 * it may leave the process, and still holds what it held.
 */
long glass_odp_take(struct glass_qp *qp, struct glass_mr *mr, u64 addr, u64 len, struct page **pages,
		    u32 max);
void glass_odp_put_pages(struct page **pages, u32 n);

/* Around bringing in n pages from `user` on: `pages`, of which `got` came, are pinned until the end. */
void glass_odp_fetch_begin(struct glass_odp *odp, struct glass_odp_fetch *fetch, u64 user, u32 n, bool write);
void glass_odp_fetch_end(struct glass_odp *odp, struct glass_odp_fetch *fetch, struct page **pages,
			 long got);

/*
 * Brings in the pages of a range: the program's advice. wait: until each is there, or the caller is
 * killed; else those that come without waiting, and the others have been asked for. 0, -EFAULT,
 * -EINTR, or -EAGAIN: the process did not let anybody look at its memory. May sleep.
 */
int glass_odp_prefetch(struct glass_mr *mr, u64 addr, u64 len, bool write, bool wait);

/* The address in the process. */
static inline u64 glass_odp_addr(const struct glass_mr *mr, u64 addr)
{
	return mr->start + (addr - mr->iova);
}

#endif
