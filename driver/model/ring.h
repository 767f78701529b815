/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef GLASS_MODEL_RING_H
#define GLASS_MODEL_RING_H

#include "model/area.h"
#include "model/objects.h"

/*
 * Makes a ring of at least `entries` slots (rounded up to a power of two) of `stride` bytes,
 * zeroed. uctx: whose program shares it, or NULL for a kernel consumer. May sleep.
 * Returns 0, -ENOMEM, -EINVAL.
 */
int glass_ring_create(struct glass_ring *r, struct glass_ucontext *uctx, u32 entries, u32 stride);

/*
 * The same for a resizable ring: its header remains in place, because a program reads it at any
 * time, and its entries move.
 */
int glass_ring_create_resizable(struct glass_ring *r, struct glass_ucontext *uctx, u32 entries,
				u32 stride);
/*
 * Allocates new entries for a resizable ring, without installing them. *info describes the ring
 * with them.
 */
int glass_ring_other(struct glass_ring *other, const struct glass_ring *r,
		     struct glass_ucontext *uctx, u32 entries, struct glass_ring_info *info);
/* Swaps the entries of both rings. The header remains. */
void glass_ring_swap(struct glass_ring *r, struct glass_ring *other);

/* Fills the description of a ring for its program. */
void glass_ring_tell(const struct glass_ring *r, struct glass_ring_info *info);

/*
 * Frees a ring, or the entries of glass_ring_other(). The driver must not access it any more; the
 * program's next ring may reuse the memory.
 */
void glass_ring_destroy(struct glass_ring *r);

static inline struct ib_ucontext *glass_ring_ucontext(const struct glass_ring *r)
{
	return r->body.chunk ? &glass_chunk_owner(r->body.chunk)->ib : NULL;
}

/* Bytes of the ring's header and entries, in areas or in memory of the driver. */
size_t glass_ring_bytes(const struct glass_ring *r);
/* The part of it that no area is charged for. */
size_t glass_ring_own_bytes(const struct glass_ring *r);

/*
 * Entries that were posted and not taken. A program may have written any producer index: such a
 * ring counts as full.
 */
static inline u32 glass_ring_used(const struct glass_ring *r, u32 consumer)
{
	u32 used = READ_ONCE(r->hdr->producer) - consumer;

	return min(used, r->num);
}

#endif
