/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Areas are memory for the rings of a user context. The context's program maps whole areas, so it
 * needs only a few mappings. The header and the entries of a ring are in chunks of areas. A large
 * chunk has an area of its own. A small chunk normally is in a shared area, together with other
 * small chunks (area_find_chunk() of area.c has the rules). The size of a new shared area is an
 * eighth of the size of all areas of the context together, rounded up to a power of two. It is at
 * least AREA_MIN and at most AREA_MAX bytes (area.c). The allocator's own data are not in the
 * areas, so a program that overwrites its areas corrupts only its own rings. To take or to give
 * back a chunk costs O(log n), where n is the number of free chunks.
 *
 * An area is freed when no chunk of it is in use any more. But a context keeps one such shared area
 * as a spare. While no ring uses memory of the context, the spare has at most AREA_MIN bytes. So a
 * context holds some memory that its rings do not use: the spare, and the free chunks of other
 * areas.
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
	struct rb_root free; /* the free chunks, by size, then by area and address */
	struct glass_area *spare; /* a shared area without chunks in use; NULL: there is none */
	u64 next; /* number of the next new area; a number is never reused */
	/* debugfs reads the following fields without the lock */
	u32 count; /* number of areas */
	size_t bytes; /* total size of the areas */
	size_t used; /* total size of the chunks that are in use */
};

/* A part of an area: in use by a ring, or free. */
struct glass_chunk {
	struct glass_area *area;
	struct list_head node; /* in the area's list, by address */
	struct rb_node free; /* in glass_areas.free, while the chunk is free */
	u32 at, bytes; /* offset in the area, and length */
	bool in_use;
	bool fresh; /* no ring has used the chunk since its area was allocated and zeroed */
};

void glass_areas_init(struct glass_areas *areas);
/* Frees the spare area. The caller has given back all chunks. May sleep. */
void glass_areas_exit(struct glass_areas *areas);

/*
 * Takes a chunk of at least `bytes` bytes, aligned to 64 bytes. If the chunk needs a new area, the
 * area is charged to the caller's memory cgroup and to the user of the context. The chunk is
 * zeroed. But a program that has mapped the area may have written to the chunk since. Returns an
 * ERR_PTR on failure. May sleep.
 */
struct glass_chunk *glass_chunk_take(struct glass_ucontext *uctx, size_t bytes);
/* Gives a chunk back. The driver must not access it any more. May sleep. */
void glass_chunk_give(struct glass_chunk *chunk);
/* The chunk's address in the kernel. */
void *glass_chunk_mem(const struct glass_chunk *chunk);
/* Describes where a program finds the chunk's byte at `offset`. */
struct glass_ring_place glass_chunk_place(const struct glass_chunk *chunk, u32 offset);
struct glass_ucontext *glass_chunk_owner(const struct glass_chunk *chunk);

#endif
