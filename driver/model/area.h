/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Areas: the memory that a user context shares with its program, in a few large mappings. A ring is
 * a chunk of an area; a large ring has an area of its own. A new shared area has an eighth of the
 * bytes of all areas of the context, rounded up to a power of two, from AREA_MIN to AREA_MAX
 * (area.c). The allocator's own data are not in the areas: a program that overwrites its areas
 * corrupts only its own rings. To take or give back a chunk costs O(log n) of the free chunks.
 *
 * An area is freed when its last chunk is given back. But a context keeps one such area as a spare;
 * if no chunk is left at all, the spare has AREA_MIN bytes at most. So besides its rings a context
 * holds the spare, and the free chunks of areas that still have a ring. This is never more than it
 * held at its peak.
 */
#ifndef GLASS_MODEL_AREA_H
#define GLASS_MODEL_AREA_H

#include <linux/mutex.h>
#include <linux/rbtree.h>
#include <linux/types.h>

#include "uapi/glass-abi.h"

struct glass_area;
struct glass_ucontext;

/* The areas of a context. */
struct glass_areas {
	struct mutex lock; /* protects all fields, the areas and their chunks */
	struct rb_root free; /* free chunks: by size, then area and address */
	struct glass_area *spare; /* an area without chunks in use, or NULL */
	u64 next; /* number of the next area; never reused */
	/* debugfs reads the following fields without the lock */
	u32 count; /* of areas */
	size_t bytes; /* of all areas */
	size_t used; /* of the chunks in use */
};

/* Part of an area: in use, or free. */
struct glass_chunk {
	struct glass_area *area;
	struct list_head node; /* in the area's list, by address */
	struct rb_node free; /* in glass_areas.free, while the chunk is free */
	u32 at, bytes; /* offset in the area, and length */
	bool in_use;
	bool fresh; /* no ring has used it since it was allocated, zeroed */
};

void glass_areas_init(struct glass_areas *areas);
/* Frees the spare area. The caller has given back all chunks. May sleep. */
void glass_areas_exit(struct glass_areas *areas);

/*
 * Takes a chunk of `bytes`, aligned to 64. If that needs a new area, the area is charged to the
 * caller's memory cgroup and to the user of the context. The chunk is zeroed, but its area may be
 * mapped already: the program can have written to it since. Returns an ERR_PTR on failure. May
 * sleep.
 */
struct glass_chunk *glass_chunk_take(struct glass_ucontext *uctx, size_t bytes);
/* Gives a chunk back, which the driver must not access any more. May sleep. */
void glass_chunk_give(struct glass_chunk *chunk);
void *glass_chunk_mem(const struct glass_chunk *chunk);
/* The place of the byte at `offset` of the chunk, as a program sees it. */
struct glass_ring_place glass_chunk_place(const struct glass_chunk *chunk, u32 offset);
struct glass_ucontext *glass_chunk_owner(const struct glass_chunk *chunk);

#endif
