/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * On-demand paging. Registration of a region pins no pages. Each access looks up its pages in the
 * page table of the process. Pages of hugetlbfs cannot be looked up there, so odp.c remembers them.
 * While an access writes to a page, the page cannot leave the page table: the MMU notifier of the
 * process makes invalidations wait for the end of the access. A read takes references to its pages
 * instead (glass_odp_take()). An access never waits for an absent page: a work item of the QP
 * brings the page in (want.h), and the access is tried again later.
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

/* Pages that are being brought in, between glass_odp_fetch_begin() and glass_odp_fetch_end(). */
struct glass_odp_fetch {
	struct list_head node; /* the lock of struct glass_odp protects all fields */
	unsigned long from, to; /* addresses in the process */
	/* `spoilt`: one of the pages was or is being invalidated, or the process has ended */
	bool write, spoilt;
};

/*
 * Returns the calling process's memory, with a reference. On failure returns an ERR_PTR:
 * -ERESTARTNOINTR if a signal is pending, or -ENOMEM. The MMU notifier stays registered until the
 * last reference from this function is dropped. May sleep. Takes the mmap lock.
 */
struct glass_odp *glass_odp_get(void);
/* Drops the reference from glass_odp_get(). `odp` may be NULL. */
void glass_odp_put(struct glass_odp *odp);

/*
 * These functions take and drop a reference to the structure only, which does not keep the MMU
 * notifier registered. Neither this reference nor one from glass_odp_get() keeps the address space
 * alive: when the process exits, its memory is freed, and glass_odp_find() returns -EFAULT from
 * then on.
 */
void glass_odp_hold(struct glass_odp *odp);
void glass_odp_drop(struct glass_odp *odp);
/*
 * Returns the process's mm_struct. The caller needs mmget_not_zero() before it uses the address
 * space.
 */
struct mm_struct *glass_odp_mm(const struct glass_odp *odp);

/*
 * Called before the module is unloaded, after the last glass_odp_put(): waits until all MMU
 * notifiers are freed. May sleep.
 */
void glass_odp_exit(void);

/*
 * Between these two calls, the pages from glass_odp_find() stay in the process's page table, with
 * their access rights, and invalidations wait. Therefore the caller must not sleep between the
 * calls, and must copy at most 64 KiB.
 */
void glass_odp_begin(struct glass_mr *mr) __acquires(mr);
void glass_odp_end(struct glass_mr *mr) __releases(mr);

/*
 * Finds at most `max` pages from the beginning of [addr, addr + len). `write` means that the caller
 * will write to the pages. The caller has checked that the region contains the range. It holds
 * qp->lock and a reference to the region, and has called glass_odp_begin().
 *
 * Returns the number of pages found. Returns 0 if the first page is absent, or cannot be looked up
 * now. In that case a work item of the QP (want.h) brings the page in, and calls glass_pqp_pages()
 * when the page has come or cannot come. Returns -EFAULT in these cases:
 * - The mapping does not allow the access, or the range wraps around.
 * - The work item failed to bring the page in less than 250 ms ago.
 * - The process has ended, or the QP is dead.
 */
long glass_odp_find(struct glass_qp *qp, struct glass_mr *mr, u64 addr, u64 len, bool write,
		    struct page **pages, u32 max);
/* Marks as dirty the pages that the caller has written to. Call it before glass_odp_end(). */
void glass_odp_written(struct glass_mr *mr, struct page **pages, u32 n);

/*
 * As glass_odp_find() for reading, but takes a reference to each page. So a page that leaves the
 * page table afterwards still holds its data. glass_odp_put_pages() drops these references.
 * glass_odp_take() itself calls glass_odp_begin() and glass_odp_end().
 */
long glass_odp_take(struct glass_qp *qp, struct glass_mr *mr, u64 addr, u64 len, struct page **pages,
		    u32 max);
void glass_odp_put_pages(struct page **pages, u32 n);

/*
 * Call these two functions before and after bringing pages in. The n pages begin at the process's
 * address `user`, a multiple of PAGE_SIZE. `write` means that the pages are brought in for writing.
 * `got` is the number of pages that were brought in and pinned, or a negative errno.
 * glass_odp_fetch_end() remembers the pages of hugetlbfs among `pages`, unless fetch->spoilt is
 * set. The caller unpins `pages` only after glass_odp_fetch_end().
 */
void glass_odp_fetch_begin(struct glass_odp *odp, struct glass_odp_fetch *fetch, u64 user, u32 n, bool write);
void glass_odp_fetch_end(struct glass_odp *odp, struct glass_odp_fetch *fetch, struct page **pages,
			 long got);

/*
 * Brings in the pages of a range, for ibv_advise_mr(). If `wait` is true, waits until each page has
 * come or the caller is killed. If `wait` is false, brings in the pages that can come without
 * waiting, and starts I/O for the others. May sleep. Returns 0 or one of these errors:
 * - -EFAULT: a page cannot come.
 * - -EINTR: the caller is killed, or the region is being deregistered or re-registered.
 * - -EAGAIN: other tasks held the process's mmap lock at each of 100 tries. Only if `wait` is
 *   false.
 */
int glass_odp_prefetch(struct glass_mr *mr, u64 addr, u64 len, bool write, bool wait);

/*
 * Converts an address in the region to the process's virtual address. The region begins at
 * mr->iova.
 */
static inline u64 glass_odp_addr(const struct glass_mr *mr, u64 addr)
{
	return mr->start + (addr - mr->iova);
}

#endif
