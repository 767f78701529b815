// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>

#include "compat/gup.h"
#include "engine/device.h"
#include "engine/odp.h"
#include "engine/want.h"

/* Pages that a prefetch takes at a time. */
#define GLASS_PREFETCH_PAGES 32
/* Looks, a millisecond each, that a prefetch which may not wait has at a process that is changing its memory. */
#define GLASS_PREFETCH_LOOKS 100

/* Pages that hold [user, user + len) */
static u64 pages_of(u64 user, u64 len)
{
	return (offset_in_page(user) + len + PAGE_SIZE - 1) >> PAGE_SHIFT;
}

/* What is there, without a fault. 0: not the first page, or nobody can say just now. */
static long look(struct mm_struct *mm, u64 user, u64 n, bool write, struct page **pages)
{
	int locked = 1;
	long got;

	if (!mmap_read_trylock(mm))
		return 0;
	got = glass_pin_remote(mm, user & PAGE_MASK, n, FOLL_NOFAULT | (write ? FOLL_WRITE : 0), pages,
			       &locked);
	if (locked)
		mmap_read_unlock(mm);
	return max(got, 0L);
}

long glass_odp_take(struct glass_qp *qp, struct glass_mr *mr, u64 addr, u64 len, bool write,
		    struct page **pages, u32 max)
{
	u64 user = glass_odp_addr(mr, addr);
	u64 n = min_t(u64, pages_of(user, len), max);
	long got;

	lockdep_assert_held(&qp->lock);
	if (user + len < user || !n)
		return -EFAULT;
	if (!mmget_not_zero(mr->mm))
		return -EFAULT;
	got = look(mr->mm, user, n, write, pages);
	/* the last user of the memory leaves: not here, below a QP's lock */
	mmput_async(mr->mm);
	if (!got)
		return glass_want_pages(qp, mr->mm, user & PAGE_MASK, n, write);
	atomic64_add(got, &mr->demanded);
	return got;
}

/*
 * What was written is dirty, whatever happened to the page since it was taken. Its lock is held by
 * others for moments only while it is pinned: who moves it or takes it away looks at that first.
 */
void glass_odp_put(struct page **pages, u32 n, bool written)
{
	u32 i;

	if (!written) {
		unpin_user_pages(pages, n);
		return;
	}
	for (i = 0; i < n; i++) {
		struct folio *folio = page_folio(pages[i]);

		if (!folio_trylock(folio)) {
			unpin_user_pages_dirty_lock(&pages[i], 1, true);
			continue;
		}
		folio_mark_dirty(folio);
		folio_unlock(folio);
		unpin_user_page(pages[i]);
	}
}

/* As glass_odp_take() for a prefetch: with faults. 0: the first page does not come without waiting. */
static long bring(struct glass_mr *mr, u64 user, u64 n, bool write, bool wait, struct page **pages)
{
	unsigned int flags = (write ? FOLL_WRITE : 0) | (wait ? 0 : FOLL_NOWAIT);
	struct mm_struct *mm = mr->mm;
	int locked = 1, looks = 0;
	long got;

	if (!mmget_not_zero(mm))
		return -EFAULT;
	if (wait) {
		got = mmap_read_lock_killable(mm);
	} else {
		while (!mmap_read_trylock(mm) && ++looks < GLASS_PREFETCH_LOOKS)
			usleep_range(1000, 2000);
		got = looks == GLASS_PREFETCH_LOOKS ? -EAGAIN : 0;
	}
	if (!got) {
		got = glass_pin_remote(mm, user & PAGE_MASK, n, flags, pages, &locked);
		if (locked)
			mmap_read_unlock(mm);
	}
	mmput_async(mm);
	return got;
}

int glass_odp_prefetch(struct glass_mr *mr, u64 addr, u64 len, bool write, bool wait)
{
	struct page *pages[GLASS_PREFETCH_PAGES];

	while (len) {
		u64 user = glass_odp_addr(mr, addr), got;
		long n;

		/* nobody waits for what is dying, or for a region that is being taken away */
		if (fatal_signal_pending(current) ||
		    xa_load(&mr->dev->mrs, READ_ONCE(mr->key) >> 8) != mr)
			return -EINTR;
		if (user + len < user)
			return -EFAULT;
		n = bring(mr, user, min_t(u64, pages_of(user, len), ARRAY_SIZE(pages)), write, wait,
			  pages);
		if (n < 0)
			return n == -EINTR || n == -EAGAIN ? n : -EFAULT;
		if (!n && wait)
			return -EFAULT;
		if (n) {
			atomic64_add(n, &mr->prefetched);
			unpin_user_pages(pages, n);
		}
		/* one that would have to be waited for is left to the access */
		got = max(n, 1L) * PAGE_SIZE - offset_in_page(user);
		if (got >= len)
			break;
		addr += got;
		len -= got;
		cond_resched();
	}
	return 0;
}
