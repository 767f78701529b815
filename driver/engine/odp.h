/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * On-demand paging. Registration pins nothing. Each access looks up its pages in the page table of
 * the process. They cannot leave it during the access: an MMU notifier, one for each process, makes
 * every invalidation wait until the access has copied its data. An access never waits for an absent
 * page. A work item of the QP brings the page in (want.h), and the QP repeats the access.
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
 * Takes a reference to the structure only. It does not keep the address space alive: after the
 * process exits, glass_odp_find() returns -EFAULT.
 */
void glass_odp_hold(struct glass_odp *odp);
void glass_odp_drop(struct glass_odp *odp);
struct mm_struct *glass_odp_mm(const struct glass_odp *odp);

/* Called before the module is unloaded: waits until the last structure is freed. May sleep. */
void glass_odp_exit(void);

/*
 * Between these two calls, the pages from glass_odp_find() stay in the process's page table, with
 * their access rights. The caller must not sleep there, and copies at most 64 KiB.
 */
void glass_odp_begin(struct glass_mr *mr) __acquires(mr);
void glass_odp_end(struct glass_mr *mr) __releases(mr);

/*
 * Finds the first pages of [addr, addr + len), at most max. The caller has checked that the region
 * contains the range. Returns the number of pages found. 0 means that the first page is absent;
 * glass_pqp_pages() is called when that has changed. -EFAULT: there is no such memory, or it is not
 * writable, or its process has ended. The caller holds qp->lock and a reference to the region.
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
 * The caller calls the first function before it fetches n pages at the process's address `user`,
 * and the second one afterwards. `got`: the number of pages fetched and pinned, or an error. The
 * caller unpins `pages` only after glass_odp_fetch_end().
 */
void glass_odp_fetch_begin(struct glass_odp *odp, struct glass_odp_fetch *fetch, u64 user, u32 n, bool write);
void glass_odp_fetch_end(struct glass_odp *odp, struct glass_odp_fetch *fetch, struct page **pages,
			 long got);

/*
 * Brings in the pages of a range, for ibv_advise_mr(). With wait: waits until each page has come or
 * the caller is killed. Without wait: brings in the pages that need no waiting, and starts I/O for
 * the others. Returns 0; -EFAULT; -EINTR: the caller is killed, or the region is being
 * deregistered; -EAGAIN: the process's memory kept changing. May sleep.
 */
int glass_odp_prefetch(struct glass_mr *mr, u64 addr, u64 len, bool write, bool wait);

/* Converts addr, an address in the region (from its iova on), to the process's virtual address. */
static inline u64 glass_odp_addr(const struct glass_mr *mr, u64 addr)
{
	return mr->start + (addr - mr->iova);
}

#endif
