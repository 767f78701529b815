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
 * The same for a ring that may get another size: its header stays where it is, because a program
 * looks at it at any time, and its entries move.
 */
int glass_ring_create_resizable(struct glass_ring *r, struct glass_ucontext *uctx, u32 entries,
				u32 stride);
/*
 * Makes other entries for a resizable ring, not yet in the place of its own. *info tells what the
 * ring is with them.
 */
int glass_ring_other(struct glass_ring *other, const struct glass_ring *r,
		     struct glass_ucontext *uctx, u32 entries, struct glass_ring_info *info);
/* Each gets the entries of the other. The header stays. */
void glass_ring_swap(struct glass_ring *r, struct glass_ring *other);

/* What a program is told of its ring. */
void glass_ring_tell(const struct glass_ring *r, struct glass_ring_info *info);

/*
 * Lets go of a ring, or of the entries of glass_ring_other(). The driver may not touch it any
 * more; the program's next ring may lie there.
 */
void glass_ring_destroy(struct glass_ring *r);

static inline struct ib_ucontext *glass_ring_ucontext(const struct glass_ring *r)
{
	return r->body.chunk ? &glass_chunk_owner(r->body.chunk)->ib : NULL;
}

/* Memory of the ring's header and entries: what a program's ring has of areas, or a ring of the driver's own. */
size_t glass_ring_bytes(const struct glass_ring *r);
/* Of it, what no area was charged for. */
size_t glass_ring_own_bytes(const struct glass_ring *r);

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
