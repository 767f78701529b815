/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef GLASS_ENGINE_RING_H
#define GLASS_ENGINE_RING_H

#include "engine/objects.h"

/*
 * Makes a ring of at least `entries` slots (rounded up to a power of two) of
 * `stride` bytes, zeroed. uctx: the program that may map it, or NULL for a
 * kernel consumer. info, if given, is filled for the program. May sleep.
 * Returns 0, -ENOMEM, -EINVAL.
 */
int glass_ring_create(struct glass_ring *r, struct glass_ucontext *uctx, u32 entries, u32 stride,
		      struct glass_ring_info *info);

/*
 * Lets go of a ring. The memory of a user's ring lives on until its last
 * mapping is gone; the driver may not touch it any more.
 */
void glass_ring_destroy(struct glass_ring *r);

/*
 * Zeroed memory of at least `bytes` bytes, which begins with a page and lies together,
 * for a program to map. It is freed when neither *map nor a mapping is left. May sleep.
 * 0 or a negative errno.
 */
int glass_shared_make(struct glass_ucontext *uctx, size_t bytes, struct glass_mmap **map);

/* Maps memory of a struct glass_mmap; the VMA is not longer than it. 0 or a negative errno. */
int glass_shared_map(struct vm_area_struct *vma, void *mem);
/* Frees memory of a ring. */
void glass_shared_free(void *mem, size_t bytes);

/*
 * Offers memory of vmalloc() or of a ring to a program; read-only and not
 * freed when shared.
 */
struct glass_mmap *glass_mmap_create(struct glass_ucontext *uctx, void *mem, size_t bytes,
				     bool shared);

/*
 * Entries that were put in and not taken. A program may have written any
 * producer index: such a ring counts as full.
 */
static inline u32 glass_ring_used(const struct glass_ring *r, u32 consumer)
{
	u32 used = READ_ONCE(r->hdr->producer) - consumer;

	return min(used, r->num);
}

#endif
