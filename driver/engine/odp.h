/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * On-demand paging. Registration pins nothing. Each access looks up its pages in the page table of
 * the process. One MMU notifier per process keeps them there: an invalidation of the range waits
 * until the access has copied. An access does not wait: work of the QP brings an absent page in
 * (want.h), and the access is repeated.
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

/* Pages that are being brought in. An invalidation of any of them meanwhile sets `spoilt`. */
struct glass_odp_fetch {
	struct list_head node; /* the lock of struct glass_odp protects all fields */
	unsigned long from, to;
	bool write, spoilt;
};

/*
 * The calling process's memory, with a reference; or an ERR_PTR: -ENOMEM, or -ERESTARTNOINTR when a
 * signal is pending. May sleep; takes the mmap lock.
 */
struct glass_odp *glass_odp_get(void);
/* Drops that reference; odp may be NULL. */
void glass_odp_put(struct glass_odp *odp);

/*
 * Takes a reference to the structure only: the process's memory may end, and then no page is found
 * in it.
 */
void glass_odp_hold(struct glass_odp *odp);
void glass_odp_drop(struct glass_odp *odp);
struct mm_struct *glass_odp_mm(const struct glass_odp *odp);

/* Called before the module is unloaded: waits until the last structure is freed. May sleep. */
void glass_odp_exit(void);

/*
 * Between these two calls no page that glass_odp_find() found leaves the process or becomes
 * read-only. The caller must not sleep there, and copies at most 64 KiB.
 */
void glass_odp_begin(struct glass_mr *mr) __acquires(mr);
void glass_odp_end(struct glass_mr *mr) __releases(mr);

/*
 * Finds the pages of [addr, addr + len) of a region, a checked range, at most max of them. Returns
 * how many, at least 1. 0: the first is absent, and glass_pqp_pages() will be called when that has
 * changed. -EFAULT: there is no such memory, or it is not writable, or its process has ended. The
 * caller holds qp->lock and a reference to the region.
 */
long glass_odp_find(struct glass_qp *qp, struct glass_mr *mr, u64 addr, u64 len, bool write,
		    struct page **pages, u32 max);
/* Marks pages that were found for writing as dirty. Before glass_odp_end(). */
void glass_odp_written(struct glass_mr *mr, struct page **pages, u32 n);

/*
 * As glass_odp_find(), for reading, and with a reference to each page: the page may leave the
 * process, and still holds its data. The caller does not call glass_odp_begin().
 */
long glass_odp_take(struct glass_qp *qp, struct glass_mr *mr, u64 addr, u64 len, struct page **pages,
		    u32 max);
void glass_odp_put_pages(struct page **pages, u32 n);

/*
 * Bracket the fetch of n pages from `user` on. `pages`, of which `got` came, remain pinned until
 * the end.
 */
void glass_odp_fetch_begin(struct glass_odp *odp, struct glass_odp_fetch *fetch, u64 user, u32 n, bool write);
void glass_odp_fetch_end(struct glass_odp *odp, struct glass_odp_fetch *fetch, struct page **pages,
			 long got);

/*
 * Brings in the pages of a range: the program's advice. wait: waits for each page, unless the
 * caller is killed. Without wait: takes the pages that come at once, and starts I/O for the others.
 * Returns 0, -EFAULT, -EINTR, or -EAGAIN: the process's memory kept changing. May sleep.
 */
int glass_odp_prefetch(struct glass_mr *mr, u64 addr, u64 len, bool write, bool wait);

/* The process's virtual address of addr. */
static inline u64 glass_odp_addr(const struct glass_mr *mr, u64 addr)
{
	return mr->start + (addr - mr->iova);
}

#endif
