/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Areas: the memory that a context shares with its program, in a few large mappings. A ring is a
 * chunk of an area; a large ring has an area of its own. A new area is an eighth of the context's
 * memory, rounded up to a power of two, from AREA_MIN to AREA_MAX bytes (area.c). The allocator's
 * own data are in kernel memory only: a program that overwrites its areas corrupts only its own
 * rings. It takes and gives memory in O(log n) of the free chunks.
 *
 * An area is freed when its last chunk is given back, except for one that a context keeps as a
 * spare (of AREA_MIN bytes when it has no chunk left). Besides its rings a context holds the spare
 * and the free chunks of areas that still have a ring: never more than it held at its peak.
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
	struct mutex lock; /* all of it, its areas and their chunks */
	struct rb_root free; /* free chunks: by size, then area and address */
	struct glass_area *spare; /* one without chunks in use, or NULL */
	u64 next; /* number of the next area; never reused */
	/* read without the lock to be shown */
	u32 count;
	size_t bytes; /* of all areas */
	size_t used; /* of the chunks in use */
};

/* Part of an area: in use, or free. */
struct glass_chunk {
	struct glass_area *area;
	struct list_head node; /* in the area's list, by address */
	struct rb_node free;
	u32 at, bytes; /* in the area */
	bool in_use;
	bool fresh; /* still zeroed since its allocation */
};

void glass_areas_init(struct glass_areas *areas);
/* Frees the spare. All chunks were given back. */
void glass_areas_exit(struct glass_areas *areas);

/*
 * Takes a chunk of `bytes`, aligned to 64. A new area is charged to the caller's memory cgroup. The
 * chunk is zeroed, but the program may have written to it since. May sleep. Returns an ERR_PTR,
 * such as -ENOMEM, on failure.
 */
struct glass_chunk *glass_chunk_take(struct glass_ucontext *uctx, size_t bytes);
/* Gives a chunk back; the driver must not access it any more. May sleep. */
void glass_chunk_give(struct glass_chunk *chunk);
void *glass_chunk_mem(const struct glass_chunk *chunk);
/* The place of the byte at `offset` of the chunk, as a program sees it. */
struct glass_ring_place glass_chunk_place(const struct glass_chunk *chunk, u32 offset);
struct glass_ucontext *glass_chunk_owner(const struct glass_chunk *chunk);

#endif
