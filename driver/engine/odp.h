/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * On-demand paging. Registration of a region pins no pages. Each access looks up its pages in the
 * page table of the process. The pages cannot leave the page table during the access: an MMU
 * notifier, one for each process, makes every invalidation wait until the access has copied its
 * data. An access never waits for an absent page. A work item of the QP brings the page in
 * (want.h), and the QP repeats the access.
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
	unsigned long from, to; /* addresses in the process */
	bool write, spoilt;
};

/*
 * Returns the calling process's memory, with a reference; or an ERR_PTR: -ENOMEM, or
 * -ERESTARTNOINTR when a signal is pending. May sleep; takes the mmap lock.
 */
struct glass_odp *glass_odp_get(void);
/* Drops the reference from glass_odp_get(); odp may be NULL. */
void glass_odp_put(struct glass_odp *odp);

/*
 * Take and drop a reference to the structure only. Such a reference does not keep the address space
 * alive: after the process exits, glass_odp_find() returns -EFAULT.
 */
void glass_odp_hold(struct glass_odp *odp);
void glass_odp_drop(struct glass_odp *odp);
/* The process's mm_struct. The caller needs mmget_not_zero() before it uses the address space. */
struct mm_struct *glass_odp_mm(const struct glass_odp *odp);

/* Called before the module is unloaded: waits until the last MMU notifier is freed. May sleep. */
void glass_odp_exit(void);

/*
 * Between these two calls, the pages from glass_odp_find() stay in the process's page table, with
 * their access rights. In between, the caller must not sleep, and copies at most 64 KiB:
 * invalidations wait for it.
 */
void glass_odp_begin(struct glass_mr *mr) __acquires(mr);
void glass_odp_end(struct glass_mr *mr) __releases(mr);

/*
 * Finds the first pages of [addr, addr + len), at most max. write: the caller will write to them.
 * The caller has checked that the region contains the range. Returns the number of pages found. 0:
 * the first page is absent; the QP's work brings it in, and calls glass_pqp_pages() when it has
 * come or cannot come. -EFAULT: there is no such memory, or it is not writable, or its process has
 * ended. The caller holds qp->lock and a reference to the region, and has called glass_odp_begin().
 */
long glass_odp_find(struct glass_qp *qp, struct glass_mr *mr, u64 addr, u64 len, bool write,
		    struct page **pages, u32 max);
/* Marks pages that the caller has written to as dirty. Call it before glass_odp_end(). */
void glass_odp_written(struct glass_mr *mr, struct page **pages, u32 n);

/*
 * As glass_odp_find(), for reading, but takes a reference to each page: a page that leaves the
 * process afterwards still holds its data. Calls glass_odp_begin() itself.
 */
long glass_odp_take(struct glass_qp *qp, struct glass_mr *mr, u64 addr, u64 len, struct page **pages,
		    u32 max);
void glass_odp_put_pages(struct page **pages, u32 n);

/*
 * Enclose the fetch of n pages at the process's address `user`. If no invalidation came in between,
 * glass_odp_fetch_end() remembers those that are of hugetlbfs. `got`: the number of pages fetched
 * and pinned, or an error. The caller unpins `pages` only after glass_odp_fetch_end().
 */
void glass_odp_fetch_begin(struct glass_odp *odp, struct glass_odp_fetch *fetch, u64 user, u32 n, bool write);
void glass_odp_fetch_end(struct glass_odp *odp, struct glass_odp_fetch *fetch, struct page **pages,
			 long got);

/*
 * Brings in the pages of a range, for ibv_advise_mr(). With wait: waits until each page has come or
 * the caller is killed. Without wait: brings in the pages that need no waiting, and starts I/O for
 * the others. Returns 0; -EFAULT: a page cannot come; -EINTR: the caller is killed, or the region
 * is being deregistered; -EAGAIN, only without wait: the process kept changing its memory map. May
 * sleep.
 */
int glass_odp_prefetch(struct glass_mr *mr, u64 addr, u64 len, bool write, bool wait);

/* Converts addr, which counts from the region's iova, to the process's virtual address. */
static inline u64 glass_odp_addr(const struct glass_mr *mr, u64 addr)
{
	return mr->start + (addr - mr->iova);
}

#endif
