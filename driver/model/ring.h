/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Memory for the rings of WQEs and CQEs. uapi/glass-abi.h defines a ring's header and entries. A
 * ring is in areas (area.h), which the driver shares with a program, or in memory of the driver
 * alone.
 */
#ifndef GLASS_MODEL_RING_H
#define GLASS_MODEL_RING_H

#include <linux/log2.h>
#include <linux/minmax.h>

#include "model/area.h"
#include "model/objects.h"

/* Number of slots of a ring for `entries` WQEs or CQEs. */
static inline u32 glass_ring_entries(u32 entries)
{
	return roundup_pow_of_two(max(entries, 1U));
}

/*
 * Makes a ring with all indices 0; *r must be all zero. The ring has `entries` slots, rounded up to
 * a power of two. A slot holds one WQE or CQE, and has `stride` bytes, rounded up to a multiple of
 * 64. uctx: the context whose program shares the ring; NULL: the ring is in memory of the driver
 * alone. Returns 0, -EINVAL (too large), or another negative errno, mostly -ENOMEM. May sleep.
 */
int glass_ring_create(struct glass_ring *r, struct glass_ucontext *uctx, u32 entries, u32 stride);

/*
 * As glass_ring_create(), for two rings in one piece of memory. glass_ring_destroy() of `second` comes
 * before that of r. glass_ring_bytes() of `second` is 0, because r counts the memory of both.
 */
int glass_ring_create_two(struct glass_ring *r, u32 entries, u32 stride, struct glass_ring *second,
			  u32 second_entries, u32 second_stride, struct glass_ucontext *uctx);

/*
 * As glass_ring_create(), for a ring that can be resized. A resize moves the entries to other
 * memory. The header remains in its place, because the program may access it at any time.
 */
int glass_ring_create_resizable(struct glass_ring *r, struct glass_ucontext *uctx, u32 entries,
				u32 stride);
/*
 * Begins a resize of r to at least `entries` slots: allocates new entries in *other. *info gets the
 * description that r will have after glass_ring_swap(). Then *other has the old entries, which the
 * caller frees by glass_ring_destroy(). Returns 0 or an error of glass_ring_create(). May sleep.
 */
int glass_ring_other(struct glass_ring *other, const struct glass_ring *r,
		     struct glass_ucontext *uctx, u32 entries, struct glass_ring_info *info);
/* Swaps the entries of both rings, not the headers. The caller holds the lock of r's CQ or SRQ. */
void glass_ring_swap(struct glass_ring *r, struct glass_ring *other);

/*
 * Fills *info, the description of the ring for its program. For memory of the driver alone, only
 * num and stride are set.
 */
void glass_ring_tell(const struct glass_ring *r, struct glass_ring_info *info);

/*
 * Frees the memory of a ring. The ring may also be one from glass_ring_other(). The driver must not
 * access this memory any more: the program's next ring may reuse it. May sleep.
 */
void glass_ring_destroy(struct glass_ring *r);

/* The context whose program shares the ring; NULL: memory of the driver alone. */
static inline struct ib_ucontext *glass_ring_ucontext(const struct glass_ring *r)
{
	return r->body.chunk ? &glass_chunk_owner(r->body.chunk)->ib : NULL;
}

/* Bytes of the ring's header and entries. */
size_t glass_ring_bytes(const struct glass_ring *r);
/* The part of glass_ring_bytes() that is in memory of the driver alone, not in areas. */
size_t glass_ring_own_bytes(const struct glass_ring *r);

/*
 * Number of posted entries from index `consumer` on. The caller passes the driver's own copy of
 * this index. If a program has written a bad producer index, the ring counts as full.
 */
static inline u32 glass_ring_used(const struct glass_ring *r, u32 consumer)
{
	u32 used = READ_ONCE(r->hdr->producer) - consumer;

	return min(used, r->num);
}

#endif
