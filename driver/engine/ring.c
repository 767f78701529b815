// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#include <linux/log2.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "engine/ring.h"

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

int glass_ring_create(struct glass_ring *r, struct glass_ucontext *uctx, u32 entries, u32 stride,
		      struct glass_ring_info *info)
{
	void *mem;

	r->num = roundup_pow_of_two(max(entries, 1U));
	r->stride = ALIGN(stride, 64);
	r->bytes = PAGE_ALIGN(GLASS_RING_HDR_BYTES + (size_t)r->num * r->stride);
	if (r->bytes > U32_MAX)
		return -EINVAL;
	mem = vmalloc_user(r->bytes);
	if (!mem)
		return -ENOMEM;
	if (uctx) {
		r->map = glass_mmap_create(uctx, mem, r->bytes, false);
		if (IS_ERR(r->map)) {
			int err = PTR_ERR(r->map);

			r->map = NULL;
			vfree(mem);
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
		vfree(mem);
	r->map = NULL;
}
