// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Rings: mapped at creation, kept out of forked children, unmapped at the end. */
#include <config.h>

#include <errno.h>
#include <sys/mman.h>

#include <infiniband/driver.h>

#include "queue.h"

static bool shape_is_sane(const struct glass_ring_info *info, uint32_t min_stride)
{
	uint64_t need = (uint64_t)info->entries * info->stride + info->entries_offset;

	return !(info->entries & (info->entries - 1)) && info->stride >= min_stride &&
	       info->stride % GLASS_CACHELINE == 0 && info->entries_offset >= GLASS_RING_HDR_BYTES &&
	       info->entries_offset % GLASS_CACHELINE == 0 && need <= info->mmap_bytes;
}

int glass_ring_map(struct glass_ring *ring, int cmd_fd, const struct glass_ring_info *info,
		   uint32_t min_stride)
{
	void *map;
	int ret;

	*ring = (struct glass_ring){};
	if (!info->entries)
		return 0;
	if (!shape_is_sane(info, min_stride))
		return EPROTO;

	map = mmap(NULL, info->mmap_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, cmd_fd,
		   info->mmap_offset);
	if (map == MAP_FAILED)
		return errno;

	ret = ibv_dontfork_range(map, info->mmap_bytes);
	if (ret) {
		munmap(map, info->mmap_bytes);
		return ret;
	}

	ring->hdr = map;
	ring->entries = (uint8_t *)map + info->entries_offset;
	ring->num = info->entries;
	ring->stride = info->stride;
	ring->bytes = info->mmap_bytes;
	return 0;
}

void glass_ring_unmap(struct glass_ring *ring)
{
	if (!ring->hdr)
		return;
	ibv_dofork_range(ring->hdr, ring->bytes);
	munmap(ring->hdr, ring->bytes);
	ring->hdr = NULL;
}
