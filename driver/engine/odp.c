// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* On-demand paging (odp.h): the MMU notifier, look-up of pages for accesses, and prefetching. */
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/hmm.h>
#include <linux/hugetlb.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/mmu_notifier.h>
#include <linux/pagemap.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "compat/gup.h"
#include "compat/mm.h"
#include "model/device.h"
#include "engine/odp.h"
#include "engine/want.h"

/* A prefetch brings in at most this many pages at a time. */
#define GLASS_PREFETCH_PAGES 32
/*
 * A prefetch that does not wait tries at most this many times, 1 to 2 ms apart, to take the
 * process's mmap lock.
 */
#define GLASS_PREFETCH_LOOKS 100
/* An access looks up at most this many pages at a time. */
#define GLASS_ODP_LOOK 16
/* The driver remembers at most this many pieces of hugetlbfs pages for a process. */
#define HUGE_PIECES 64

/*
 * A remembered piece of a hugetlbfs page, within one aligned block of PMD_SIZE bytes. An access
 * cannot look up a hugetlbfs page in the page table, because that would take a lock that may sleep.
 * So the driver remembers the piece when the page is brought in, and forgets it when the page is
 * invalidated.
 */
struct huge {
	unsigned long from, to; /* addresses in the process */
	struct page *page; /* the page at `from`; NULL: this entry is unused */
	bool write; /* the page was brought in for writing */
};

struct glass_odp {
	struct mmu_notifier mn;
	refcount_t users; /* references of the notifier and of callers of glass_odp_hold() */
	struct mm_struct *mm; /* with a reference to the structure, not to the address space */
	/*
	 * An access holds this lock for reading until it has written its data or taken references
	 * to its pages. An invalidation takes the lock for writing. Therefore no page leaves the
	 * page table while an access holds the lock. The lock nests inside a QP's lock, and page
	 * table locks nest inside it.
	 */
	rwlock_t lock;
	bool gone; /* the address space has ended */
	u32 invalidating; /* invalidations that have begun and not ended */
	unsigned long from, to; /* a range that covers all these invalidations */
	struct list_head fetches; /* struct glass_odp_fetch */
	struct huge huge[HUGE_PIECES];
	u32 next_huge; /* huge[next_huge % HUGE_PIECES] is the next piece to be replaced */
};

/* Returns the number of pages that hold [user, user + len). */
static u64 pages_of(u64 user, u64 len)
{
	return (offset_in_page(user) + len + PAGE_SIZE - 1) >> PAGE_SHIFT;
}

/* ---- invalidation */

static struct glass_odp *to_odp(struct mmu_notifier *mn)
{
	return container_of(mn, struct glass_odp, mn);
}

static bool ranges_overlap(unsigned long from, unsigned long to, unsigned long start,
			   unsigned long end)
{
	return from < end && start < to;
}

/*
 * Called for an invalidation: sets `spoilt` in all fetches that overlap the range, and forgets all
 * pieces of hugetlbfs pages that overlap the range.
 */
static void odp_forget_range(struct glass_odp *odp, unsigned long start, unsigned long end)
{
	struct glass_odp_fetch *fetch;
	struct huge *h;

	lockdep_assert_held_write(&odp->lock);
	list_for_each_entry(fetch, &odp->fetches, node)
		fetch->spoilt |= ranges_overlap(fetch->from, fetch->to, start, end);
	for (h = odp->huge; h < odp->huge + ARRAY_SIZE(odp->huge); h++)
		if (h->page && ranges_overlap(h->from, h->to, start, end))
			h->page = NULL;
}

static int invalidate_start(struct mmu_notifier *mn, const struct mmu_notifier_range *range)
{
	struct glass_odp *odp = to_odp(mn);

	write_lock(&odp->lock);
	if (!odp->invalidating++) {
		odp->from = range->start;
		odp->to = range->end;
	} else {
		odp->from = min(odp->from, range->start);
		odp->to = max(odp->to, range->end);
	}
	odp_forget_range(odp, range->start, range->end);
	write_unlock(&odp->lock);
	return 0;
}

static void invalidate_end(struct mmu_notifier *mn, const struct mmu_notifier_range *range)
{
	struct glass_odp *odp = to_odp(mn);

	write_lock(&odp->lock);
	odp->invalidating--;
	write_unlock(&odp->lock);
}

static void memory_ends(struct mmu_notifier *mn, struct mm_struct *mm)
{
	struct glass_odp *odp = to_odp(mn);

	write_lock(&odp->lock);
	odp->gone = true;
	odp_forget_range(odp, 0, ULONG_MAX);
	write_unlock(&odp->lock);
}

static struct mmu_notifier *alloc_odp(struct mm_struct *mm)
{
	struct glass_odp *odp = kzalloc(sizeof(*odp), GFP_KERNEL_ACCOUNT);

	if (!odp)
		return ERR_PTR(-ENOMEM);
	refcount_set(&odp->users, 1);
	mmgrab(mm);
	odp->mm = mm;
	rwlock_init(&odp->lock);
	INIT_LIST_HEAD(&odp->fetches);
	return &odp->mn;
}

static void free_odp(struct mmu_notifier *mn)
{
	glass_odp_drop(to_odp(mn));
}

static const struct mmu_notifier_ops odp_ops = {
	.invalidate_range_start = invalidate_start,
	.invalidate_range_end = invalidate_end,
	.release = memory_ends,
	.alloc_notifier = alloc_odp,
	.free_notifier = free_odp,
};

struct glass_odp *glass_odp_get(void)
{
	struct mmu_notifier *mn = mmu_notifier_get(&odp_ops, current->mm);

	/*
	 * a pending signal makes the call fail: restart the verb, because the program expects no
	 * EINTR
	 */
	if (IS_ERR(mn))
		return ERR_PTR(PTR_ERR(mn) == -EINTR ? -ERESTARTNOINTR : PTR_ERR(mn));
	return to_odp(mn);
}

void glass_odp_put(struct glass_odp *odp)
{
	if (odp)
		mmu_notifier_put(&odp->mn);
}

void glass_odp_hold(struct glass_odp *odp)
{
	refcount_inc(&odp->users);
}

void glass_odp_drop(struct glass_odp *odp)
{
	if (!refcount_dec_and_test(&odp->users))
		return;
	mmdrop(odp->mm);
	kfree(odp);
}

struct mm_struct *glass_odp_mm(const struct glass_odp *odp)
{
	return odp->mm;
}

void glass_odp_exit(void)
{
	mmu_notifier_synchronize();
}

/* ---- pages of hugetlbfs */

/* Returns the remembered piece that contains this address, or NULL. */
static struct huge *huge_at(struct glass_odp *odp, unsigned long user)
{
	struct huge *h;

	for (h = odp->huge; h < odp->huge + ARRAY_SIZE(odp->huge); h++)
		if (h->page && user >= h->from && user < h->to)
			return h;
	return NULL;
}

/* As odp_lookup_pages(), for a hugetlbfs mapping. */
static long look_huge(struct glass_odp *odp, unsigned long user, u32 n, bool write, struct page **pages)
{
	const struct huge *h = huge_at(odp, user);
	u32 i;

	lockdep_assert_held_read(&odp->lock);
	if (!h || (write && !h->write))
		return 0;
	n = min_t(unsigned long, n, (h->to - user) >> PAGE_SHIFT);
	for (i = 0; i < n; i++)
		pages[i] = nth_page(h->page, ((user - h->from) >> PAGE_SHIFT) + i);
	return n;
}

static void remember_huge(struct glass_odp *odp, unsigned long user, struct page *page, bool write)
{
	unsigned long block = user & PMD_MASK;
	struct folio *folio = page_folio(page);
	unsigned long from = user - (folio_page_idx(folio, page) << PAGE_SHIFT);
	struct huge *h = huge_at(odp, user);

	lockdep_assert_held_write(&odp->lock);
	/* a piece that is remembered already keeps its entry, and its `write` */
	write |= h && h->write;
	if (!h)
		h = &odp->huge[odp->next_huge++ % ARRAY_SIZE(odp->huge)];
	h->from = max(from, block);
	h->to = min(from + folio_size(folio), block + PMD_SIZE);
	h->page = nth_page(&folio->page, (h->from - from) >> PAGE_SHIFT);
	h->write = write;
}

void glass_odp_fetch_begin(struct glass_odp *odp, struct glass_odp_fetch *fetch, u64 user, u32 n, bool write)
{
	fetch->from = user;
	fetch->to = user + ((u64)n << PAGE_SHIFT);
	fetch->write = write;
	write_lock(&odp->lock);
	fetch->spoilt = odp->gone || (odp->invalidating &&
				      ranges_overlap(fetch->from, fetch->to, odp->from, odp->to));
	list_add(&fetch->node, &odp->fetches);
	write_unlock(&odp->lock);
}

void glass_odp_fetch_end(struct glass_odp *odp, struct glass_odp_fetch *fetch, struct page **pages, long got)
{
	long i;

	write_lock(&odp->lock);
	list_del(&fetch->node);
	for (i = 0; !fetch->spoilt && i < got; i++)
		if (PageHuge(pages[i]))
			remember_huge(odp, fetch->from + (i << PAGE_SHIFT), pages[i], fetch->write);
	write_unlock(&odp->lock);
}

/* ---- access */

/*
 * Must an access to this mapping fail? Yes, if get_user_pages() would refuse the access:
 * hmm_range_fault() alone would allow an access to pages without a kernel mapping (memfd_secret()),
 * and a write to a shadow stack. Also yes for a write to memory that is not readable, because
 * hmm_range_fault() does not look up such memory.
 */
static bool is_barred(const struct vm_area_struct *vma, bool write)
{
	if (vma->vm_flags & (VM_IO | VM_PFNMAP) || !(vma->vm_flags & VM_READ) || (write && !(vma->vm_flags & VM_WRITE)))
		return true;
#ifdef VM_SHADOW_STACK
	if (write && vma->vm_flags & VM_SHADOW_STACK)
		return true;
#endif
	return vma->vm_file && file_inode(vma->vm_file)->i_sb->s_magic == SECRETMEM_MAGIC;
}

/*
 * Looks up at most n pages of one mapping, from `user` on. One look-up in the page table finds at
 * most GLASS_ODP_LOOK pages. Pages of hugetlbfs come from the remembered piece instead. Stops at
 * the first page that is absent. Returns the number of pages found, which is 0 if the first page is
 * absent. Returns -EFAULT if the mapping does not allow the access. The caller holds the mmap lock.
 */
static long odp_lookup_pages(struct glass_odp *odp, unsigned long user, u32 n, bool write,
			     struct page **pages)
{
	/*
	 * hmm_range_fault() asks this notifier whether an invalidation has begun. None can begin
	 * while odp->lock is held, so the notifier need not be registered.
	 */
	struct mmu_interval_notifier nothing_changes = { .mm = odp->mm };
	unsigned long want = HMM_PFN_VALID | (write ? HMM_PFN_WRITE : 0);
	unsigned long pfns[GLASS_ODP_LOOK] = {};
	struct hmm_range range = {
		.notifier = &nothing_changes,
		.start = user,
		.hmm_pfns = pfns,
	};
	struct vm_area_struct *vma;
	u32 i;

	lockdep_assert_held_read(&odp->lock);
	vma = find_vma(odp->mm, user);
	if (!vma || vma->vm_start > user)
		return 0; /* not -EFAULT: bringing in the page may grow a stack to this address */
	if (is_barred(vma, write))
		return -EFAULT;
	if (is_vm_hugetlb_page(vma))
		return look_huge(odp, user, n, write, pages);
	n = min_t(unsigned long, min_t(u32, n, ARRAY_SIZE(pfns)), (vma->vm_end - user) >> PAGE_SHIFT);
	range.end = user + ((unsigned long)n << PAGE_SHIFT);
	if (hmm_range_fault(&range))
		return 0;
	for (i = 0; i < n && (pfns[i] & (want | HMM_PFN_ERROR)) == want; i++)
		pages[i] = hmm_pfn_to_page(pfns[i]);
	return i;
}

void glass_odp_begin(struct glass_mr *mr) __acquires(mr)
{
	read_lock(&mr->odp->lock);
	__acquire(mr);
}

void glass_odp_end(struct glass_mr *mr) __releases(mr)
{
	read_unlock(&mr->odp->lock);
	__release(mr);
}

long glass_odp_find(struct glass_qp *qp, struct glass_mr *mr, u64 addr, u64 len, bool write,
		    struct page **pages, u32 max)
{
	struct glass_odp *odp = mr->odp;
	u64 user = glass_odp_addr(mr, addr);
	u64 n = min_t(u64, pages_of(user, len), max), at = user & PAGE_MASK;
	long got = 0;

	lockdep_assert_held(&qp->lock);
	lockdep_assert_held_read(&odp->lock);
	if (user + len < user || !n || odp->gone)
		return -EFAULT;
	if (!(odp->invalidating &&
	      ranges_overlap(at, at + (n << PAGE_SHIFT), odp->from, odp->to)) &&
	    mmap_read_trylock(odp->mm)) {
		got = odp_lookup_pages(odp, at, n, write, pages);
		mmap_read_unlock(odp->mm);
	}
	if (!got)
		return glass_want_pages(qp, odp, at, n, write);
	if (got > 0)
		atomic64_add(got, &mr->demanded);
	return got;
}

void glass_odp_written(struct glass_mr *mr, struct page **pages, u32 n)
{
	/*
	 * while this lock is held, the pages stay mapped, so no truncation removes them from their
	 * file
	 */
	lockdep_assert_held_read(&mr->odp->lock);
	while (n) {
		struct folio *folio = page_folio(pages[--n]);

		folio_mark_dirty(folio);
		folio_mark_accessed(folio);
	}
}

long glass_odp_take(struct glass_qp *qp, struct glass_mr *mr, u64 addr, u64 len, struct page **pages, u32 max)
{
	long n, i;

	glass_odp_begin(mr);
	n = glass_odp_find(qp, mr, addr, len, false, pages, max);
	for (i = 0; i < n; i++) {
		get_page(pages[i]);
		mark_page_accessed(pages[i]);
	}
	glass_odp_end(mr);
	return n;
}

void glass_odp_put_pages(struct page **pages, u32 n)
{
	while (n)
		put_page(pages[--n]);
}

/* ---- prefetching (ibv_advise_mr()) */

/*
 * Faults in and pins up to n pages. Returns the number of pages that came, or a negative errno. If
 * `wait` is false, two more results are possible. 0 means that the first page cannot come without
 * waiting. -EAGAIN means that another task held the mmap lock at each of GLASS_PREFETCH_LOOKS
 * tries.
 */
static long odp_fault_in_pages(struct glass_mr *mr, u64 user, u64 n, bool write, bool wait,
			       struct page **pages)
{
	unsigned int flags = (write ? FOLL_WRITE : 0) | (wait ? 0 : FOLL_NOWAIT);
	struct mm_struct *mm = mr->odp->mm;
	struct glass_odp_fetch fetch;
	int locked = 1, looks = 0;
	long got;

	if (!mmget_not_zero(mm))
		return -EFAULT;
	glass_odp_fetch_begin(mr->odp, &fetch, user & PAGE_MASK, n, write);
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
	glass_odp_fetch_end(mr->odp, &fetch, pages, got);
	mmput_async(mm);
	return got;
}

int glass_odp_prefetch(struct glass_mr *mr, u64 addr, u64 len, bool write, bool wait)
{
	struct page *pages[GLASS_PREFETCH_PAGES];

	while (len) {
		u64 user = glass_odp_addr(mr, addr), got;
		long n;

		/* give up when the caller is killed, or when look-ups no longer find the region */
		if (fatal_signal_pending(current) ||
		    xa_load(&mr->dev->mrs, READ_ONCE(mr->key) >> 8) != mr)
			return -EINTR;
		if (user + len < user)
			return -EFAULT;
		n = odp_fault_in_pages(mr, user, min_t(u64, pages_of(user, len), ARRAY_SIZE(pages)),
				       write, wait, pages);
		if (n < 0)
			return n == -EINTR || n == -EAGAIN ? n : -EFAULT;
		if (!n && wait)
			return -EFAULT;
		if (n) {
			atomic64_add(n, &mr->prefetched);
			unpin_user_pages(pages, n);
		}
		/* skip a page that cannot come without waiting: an access to it will bring it in */
		got = max(n, 1L) * PAGE_SIZE - offset_in_page(user);
		if (got >= len)
			break;
		addr += got;
		len -= got;
		cond_resched();
	}
	return 0;
}
