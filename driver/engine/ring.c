// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#include <linux/gfp.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "engine/ring.h"

/* A few pages are had and given back for much less than an area of vmalloc. */
#define FEW_PAGES (4 * PAGE_SIZE)

static void *shared_alloc(size_t bytes)
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

int glass_shared_map(struct vm_area_struct *vma, void *mem)
{
	bool pieces = is_vmalloc_addr(mem);
	unsigned long at;
	int err = 0;

	for (at = vma->vm_start; !err && at < vma->vm_end; at += PAGE_SIZE, mem += PAGE_SIZE)
		err = vm_insert_page(vma, at, pieces ? vmalloc_to_page(mem) : virt_to_page(mem));
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

int glass_shared_make(struct glass_ucontext *uctx, size_t bytes, struct glass_mmap **map)
{
	void *mem;

	bytes = PAGE_ALIGN(bytes);
	mem = shared_alloc(bytes);
	if (!mem)
		return -ENOMEM;
	*map = glass_mmap_create(uctx, mem, bytes, false);
	if (!IS_ERR(*map))
		return 0;
	glass_shared_free(mem, bytes);
	return PTR_ERR(*map);
}

int glass_ring_create(struct glass_ring *r, struct glass_ucontext *uctx, u32 entries, u32 stride,
		      struct glass_ring_info *info)
{
	void *mem;

	r->num = roundup_pow_of_two(max(entries, 1U));
	r->stride = ALIGN(stride, 64);
	r->bytes = PAGE_ALIGN(GLASS_RING_HDR_BYTES + (size_t)r->num * r->stride);
	if (r->bytes > U32_MAX)
		return -EINVAL;
	mem = shared_alloc(r->bytes);
	if (!mem)
		return -ENOMEM;
	if (uctx) {
		r->map = glass_mmap_create(uctx, mem, r->bytes, false);
		if (IS_ERR(r->map)) {
			int err = PTR_ERR(r->map);

			r->map = NULL;
			glass_shared_free(mem, r->bytes);
			return err;
		}
	}
	r->hdr = mem;
	r->entries = mem + GLASS_RING_HDR_BYTES;
	if (info) {
		info->mmap_offset = r->map ? rdma_user_mmap_get_offset(&r->map->rdma) : 0;
		info->mmap_bytes = r->bytes;
		info->entries = r->num;
		info->stride = r->stride;
		info->entries_offset = GLASS_RING_HDR_BYTES;
	}
	return 0;
}

void glass_ring_destroy(struct glass_ring *r)
{
	void *mem = r->hdr;

	r->hdr = NULL;
	if (r->map)
		rdma_user_mmap_entry_remove(&r->map->rdma);
	else
		glass_shared_free(mem, r->bytes);
	r->map = NULL;
}
