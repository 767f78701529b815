// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#include <linux/gfp.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "compat/mm.h"
#include "compat/workqueue.h"
#include "model/shared.h"

/* Up to this size, physically contiguous pages are cheaper to allocate and free than vmalloc(). */
#define FEW_PAGES (4 * PAGE_SIZE)

/* So many pages are mapped at a time: for one at a time, each walks the page table anew. */
#define MAP_PAGES 32

/*
 * Time in ms between two checks of the memory that may still be mapped. The first two intervals are
 * SWEEP_FIRST_MS. Each later interval is twice as long as the one before, up to SWEEP_LAST_MS.
 */
#define SWEEP_FIRST_MS 20
#define SWEEP_LAST_MS 1000

/* List of struct glass_mmap: memory that the driver has released, and that may still be mapped. */
static LIST_HEAD(waiting);
static DEFINE_SPINLOCK(waiting_lock);
static unsigned int sweep_ms; /* ms from the next check to the one after it; under waiting_lock */
/* serializes sweeps: a second sweep would not see the entries that the first has moved away */
static DEFINE_MUTEX(sweep_lock);

static void sweep_work(struct work_struct *work);
static DECLARE_DELAYED_WORK(sweeper, sweep_work);

void *glass_shared_alloc(size_t bytes)
{
	void *mem = NULL;

	if (bytes <= FEW_PAGES)
		mem = alloc_pages_exact(bytes, GLASS_GFP_ASKED | __GFP_ZERO | __GFP_NORETRY);
	return mem ?: __vmalloc(bytes, GLASS_GFP_ASKED | __GFP_ZERO);
}

void glass_shared_free(void *mem, size_t bytes)
{
	if (is_vmalloc_addr(mem))
		vfree(mem);
	else
		free_pages_exact(mem, bytes);
}

static struct page *page_at(const struct glass_mmap *map, size_t at)
{
	void *mem = map->mem + at;

	return is_vmalloc_addr(mem) ? vmalloc_to_page(mem) : virt_to_page(mem);
}

int glass_shared_map(struct vm_area_struct *vma, struct glass_mmap *map)
{
	unsigned long at = vma->vm_start, n, left;
	struct page *pages[MAP_PAGES];
	int err = 0;

	WRITE_ONCE(map->mapped, true);
	while (!err && at < vma->vm_end) {
		for (n = 0; n < MAP_PAGES && at + n * PAGE_SIZE < vma->vm_end; n++)
			pages[n] = page_at(map, at + n * PAGE_SIZE - vma->vm_start);
		left = n;
		err = vm_insert_pages(vma, at, pages, &left);
		at += n * PAGE_SIZE;
	}
	vm_flags_set(vma, VM_DONTEXPAND | VM_DONTDUMP);
	return err;
}

struct glass_mmap *glass_mmap_create(struct glass_ucontext *uctx, void *mem, size_t bytes,
				     bool shared)
{
	struct glass_mmap *map = kzalloc(sizeof(*map), GFP_KERNEL_ACCOUNT);
	int err;

	if (!map)
		return ERR_PTR(-ENOMEM);
	map->mem = mem;
	map->bytes = bytes;
	map->shared = shared;
	err = rdma_user_mmap_entry_insert(&uctx->ib, &map->rdma, bytes);
	if (err) {
		kfree(map);
		return ERR_PTR(err);
	}
	return map;
}

int glass_shared_make(struct glass_ucontext *uctx, size_t bytes, bool quiet, struct glass_mmap **map)
{
	struct glass_payer payer = uctx->payer;
	struct glass_bill bill;
	void *mem;
	int err;

	bytes = PAGE_ALIGN(bytes);
	payer.quiet = quiet;
	err = glass_bill_open(&bill, &payer, GLASS_SHARE_MEMORY, 0, bytes + sizeof(**map));
	if (err)
		return err;
	mem = glass_shared_alloc(bytes);
	err = -ENOMEM;
	if (!mem)
		goto err_bill;
	*map = glass_mmap_create(uctx, mem, bytes, false);
	if (!IS_ERR(*map)) {
		(*map)->bill = bill;
		return 0;
	}
	err = PTR_ERR(*map);
	glass_shared_free(mem, bytes);
err_bill:
	glass_bill_close(&bill);
	return err;
}

/* ---- memory that the driver has released */

/*
 * Is a page of the memory still mapped by a program? If only the driver refers to a page, later
 * calls skip this page, because no program can map the memory any more.
 */
static bool is_mapped(struct glass_mmap *map)
{
	if (!map->mapped)
		return false;
	for (; map->unmapped < map->bytes; map->unmapped += PAGE_SIZE) {
		if (page_count(page_at(map, map->unmapped)) > 1)
			return true;
		cond_resched();
	}
	return false;
}

static void free_map(struct glass_mmap *map)
{
	glass_shared_free(map->mem, map->bytes);
	glass_bill_close(&map->bill);
	kfree(map);
}

void glass_shared_drop(struct glass_mmap *map)
{
	if (map->shared || map->lent) {
		kfree(map);
		return;
	}
	if (!is_mapped(map)) {
		free_map(map);
		return;
	}
	spin_lock(&waiting_lock);
	list_add_tail(&map->wait, &waiting);
	sweep_ms = SWEEP_FIRST_MS;
	spin_unlock(&waiting_lock);
	queue_delayed_work(system_dfl_wq, &sweeper, msecs_to_jiffies(SWEEP_FIRST_MS));
}

/*
 * Frees the waiting memory that no program maps any more. If `by_force` is true, also frees the
 * waiting memory that programs still map.
 */
static void sweep_maps(bool by_force)
{
	struct glass_mmap *map, *next;
	LIST_HEAD(looked_at);

	mutex_lock(&sweep_lock);
	spin_lock(&waiting_lock);
	list_splice_init(&waiting, &looked_at);
	spin_unlock(&waiting_lock);
	list_for_each_entry_safe(map, next, &looked_at, wait) {
		if (!by_force && is_mapped(map))
			continue;
		list_del(&map->wait);
		free_map(map);
	}
	spin_lock(&waiting_lock);
	list_splice(&looked_at, &waiting);
	spin_unlock(&waiting_lock);
	mutex_unlock(&sweep_lock);
}

void glass_shared_sweep(void)
{
	sweep_maps(false);
}

static void sweep_work(struct work_struct *work)
{
	unsigned int ms = 0;

	sweep_maps(false);
	spin_lock(&waiting_lock);
	if (!list_empty(&waiting)) {
		ms = sweep_ms;
		sweep_ms = min(2 * sweep_ms, SWEEP_LAST_MS);
	}
	spin_unlock(&waiting_lock);
	if (ms)
		queue_delayed_work(system_dfl_wq, &sweeper, msecs_to_jiffies(ms));
}

void glass_shared_exit(void)
{
	cancel_delayed_work_sync(&sweeper);
	sweep_maps(true);
}
