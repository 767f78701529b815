// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>

#include "compat/gup.h"
#include "engine/device.h"
#include "engine/odp.h"

/* Pages that a prefetch takes at a time. */
#define GLASS_PREFETCH_PAGES 32

static long take(struct glass_mr *mr, u64 addr, u64 len, bool write, struct page **pages, u32 max)
{
	u64 user = glass_odp_addr(mr, addr);
	u64 n = (offset_in_page(user) + len + PAGE_SIZE - 1) >> PAGE_SHIFT;
	int locked = 1;
	long got;

	if (user + len < user)
		return -EFAULT;
	if (!mmget_not_zero(mr->mm))
		return -EFAULT;
	mmap_read_lock(mr->mm);
	got = glass_pin_remote(mr->mm, user & PAGE_MASK, min_t(u64, n, max),
			       write ? FOLL_WRITE : 0, pages, &locked);
	if (locked)
		mmap_read_unlock(mr->mm);
	/* the last user of the memory leaves: not here, below a QP's lock */
	mmput_async(mr->mm);
	return got > 0 ? got : -EFAULT;
}

long glass_odp_take(struct glass_mr *mr, u64 addr, u64 len, bool write, struct page **pages,
		    u32 max)
{
	long n = take(mr, addr, len, write, pages, max);

	if (n > 0)
		atomic64_add(n, &mr->demanded);
	return n;
}

void glass_odp_put(struct page **pages, u32 n, bool written)
{
	unpin_user_pages_dirty_lock(pages, n, written);
}

int glass_odp_prefetch(struct glass_mr *mr, u64 addr, u64 len, bool write)
{
	struct page *pages[GLASS_PREFETCH_PAGES];

	while (len) {
		long n;
		u64 got;

		/* nobody waits for what is dying, or for a region that is being taken away */
		if (fatal_signal_pending(current) ||
		    xa_load(&mr->dev->mrs, READ_ONCE(mr->key) >> 8) != mr)
			return -EINTR;
		n = take(mr, addr, len, write, pages, ARRAY_SIZE(pages));
		if (n < 0)
			return n;
		atomic64_add(n, &mr->prefetched);
		unpin_user_pages(pages, n);
		got = n * PAGE_SIZE - offset_in_page(glass_odp_addr(mr, addr));
		if (got >= len)
			break;
		addr += got;
		len -= got;
		cond_resched();
	}
	return 0;
}
