// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#include <linux/list.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "model/area.h"
#include "model/shared.h"

/* The smallest and the largest shared area, in bytes. AREA_MIN is enough for a few small rings. */
#define AREA_MIN (8 * PAGE_SIZE)
#define AREA_MAX ((size_t)SZ_4M)

struct glass_area {
	struct glass_ucontext *uctx;
	struct glass_mmap *map;
	u64 number;
	struct list_head chunks; /* all chunks of the area, by address */
	u32 in_use; /* number of chunks in use */
	bool single; /* true: the area has one chunk, and is never split; false: a shared area */
};

void *glass_chunk_mem(const struct glass_chunk *chunk)
{
	return chunk->area->map->mem + chunk->at;
}

struct glass_ring_place glass_chunk_place(const struct glass_chunk *chunk, u32 offset)
{
	const struct glass_area *area = chunk->area;

	return (struct glass_ring_place){
		.area = area->number,
		.mmap_offset = rdma_user_mmap_get_offset(&area->map->rdma),
		.mmap_bytes = area->map->bytes,
		.offset = chunk->at + offset,
	};
}

struct glass_ucontext *glass_chunk_owner(const struct glass_chunk *chunk)
{
	return chunk->area->uctx;
}

void glass_areas_init(struct glass_areas *areas)
{
	mutex_init(&areas->lock);
	areas->free = RB_ROOT;
	areas->next = 1;
}

/* ---- free chunks */

static struct glass_chunk *to_chunk(struct rb_node *node)
{
	return rb_entry(node, struct glass_chunk, free);
}

static bool chunk_before(struct rb_node *a, const struct rb_node *b)
{
	const struct glass_chunk *x = to_chunk(a), *y = rb_entry(b, struct glass_chunk, free);

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes;
	if (x->area != y->area)
		return x->area->number < y->area->number;
	return x->at < y->at;
}

static void make_free(struct glass_areas *areas, struct glass_chunk *c)
{
	c->in_use = false;
	rb_add(&c->free, &areas->free, chunk_before);
}

/*
 * Returns the smallest free chunk of at least `bytes` bytes. If several chunks have that size,
 * returns the one in the oldest area. NULL: no free chunk is large enough.
 */
static struct glass_chunk *best_fit(const struct glass_areas *areas, size_t bytes)
{
	struct rb_node *node = areas->free.rb_node;
	struct glass_chunk *best = NULL;

	while (node) {
		struct glass_chunk *c = to_chunk(node);

		if (c->bytes >= bytes) {
			best = c;
			node = node->rb_left;
		} else {
			node = node->rb_right;
		}
	}
	return best;
}

/* ---- areas */

/*
 * Makes a new area with one chunk. Returns this chunk or an ERR_PTR. The chunk is not in the tree
 * of free chunks. quiet: as in struct glass_payer.
 */
static struct glass_chunk *area_make(struct glass_ucontext *uctx, size_t bytes, bool single, bool quiet)
{
	struct glass_area *area = kzalloc(sizeof(*area), GFP_KERNEL_ACCOUNT);
	struct glass_chunk *all = kzalloc(sizeof(*all), GFP_KERNEL_ACCOUNT);
	int err = -ENOMEM;

	lockdep_assert_held(&uctx->areas.lock);
	if (area && all)
		err = glass_shared_make(uctx, bytes, quiet, &area->map);
	if (err) {
		kfree(all);
		kfree(area);
		return ERR_PTR(err);
	}
	area->uctx = uctx;
	area->number = uctx->areas.next++;
	area->single = single;
	INIT_LIST_HEAD(&area->chunks);
	all->area = area;
	all->bytes = area->map->bytes;
	all->fresh = true;
	list_add(&all->node, &area->chunks);
	WRITE_ONCE(uctx->areas.count, uctx->areas.count + 1);
	WRITE_ONCE(uctx->areas.bytes, uctx->areas.bytes + area->map->bytes);
	return all;
}

/*
 * Frees an area. The area has only one chunk left, which is no longer in the tree of free chunks.
 */
static void area_free(struct glass_areas *areas, struct glass_area *area)
{
	lockdep_assert_held(&areas->lock);
	WRITE_ONCE(areas->count, areas->count - 1);
	WRITE_ONCE(areas->bytes, areas->bytes - area->map->bytes);
	kfree(list_first_entry(&area->chunks, struct glass_chunk, node));
	rdma_user_mmap_entry_remove(&area->map->rdma);
	kfree(area);
}

static void free_spare(struct glass_areas *areas)
{
	struct glass_area *spare = areas->spare;

	areas->spare = NULL;
	rb_erase(&list_first_entry(&spare->chunks, struct glass_chunk, node)->free, &areas->free);
	area_free(areas, spare);
}

void glass_areas_exit(struct glass_areas *areas)
{
	mutex_lock(&areas->lock);
	if (areas->spare)
		free_spare(areas);
	mutex_unlock(&areas->lock);
	WARN_ON_ONCE(areas->count);
	mutex_destroy(&areas->lock);
}

static size_t next_area_bytes(const struct glass_areas *areas)
{
	size_t eighth = areas->bytes / 8;

	return eighth > AREA_MIN ? min(roundup_pow_of_two(eighth), AREA_MAX) : AREA_MIN;
}

/*
 * Returns a chunk of at least `bytes` bytes that is not in the tree of free chunks, or an ERR_PTR.
 * The first rule that applies decides where the chunk comes from:
 * - More than AREA_MAX / 4 bytes: a new area of its own.
 * - A chunk in the tree is large enough: the smallest such chunk.
 * - At most a quarter of a new shared area: a new shared area, if there is memory for one.
 * - All other cases: a new area of its own. In a shared area, a chunk of more than a quarter would
 *   leave much memory unused at the end.
 */
static struct glass_chunk *area_find_chunk(struct glass_ucontext *uctx, size_t bytes)
{
	struct glass_areas *areas = &uctx->areas;
	size_t fresh = next_area_bytes(areas);
	struct glass_chunk *c;

	if (bytes > AREA_MAX / 4)
		return area_make(uctx, bytes, true, false);
	c = best_fit(areas, bytes);
	if (!c && bytes <= fresh / 4) {
		c = area_make(uctx, fresh, false, true);
		if (c != ERR_PTR(-ENOMEM))
			return c;
		/* no memory, or the share is exceeded: try a smaller area for this chunk alone */
		c = NULL;
	}
	if (!c)
		return area_make(uctx, bytes, true, false);
	rb_erase(&c->free, &areas->free);
	if (areas->spare == c->area)
		areas->spare = NULL;
	return c;
}

struct glass_chunk *glass_chunk_take(struct glass_ucontext *uctx, size_t bytes)
{
	struct glass_chunk *rest = kzalloc(sizeof(*rest), GFP_KERNEL_ACCOUNT), *c;
	struct glass_areas *areas = &uctx->areas;
	bool fresh;

	if (!rest)
		return ERR_PTR(-ENOMEM);
	bytes = ALIGN(bytes, GLASS_CACHELINE);
	mutex_lock(&areas->lock);
	c = area_find_chunk(uctx, bytes);
	if (IS_ERR(c))
		goto out;
	if (c->bytes > bytes && !c->area->single) {
		rest->area = c->area;
		rest->at = c->at + bytes;
		rest->bytes = c->bytes - bytes;
		rest->fresh = c->fresh;
		list_add(&rest->node, &c->node);
		make_free(areas, rest);
		rest = NULL;
		c->bytes = bytes;
	}
	fresh = c->fresh;
	c->fresh = false;
	c->in_use = true;
	c->area->in_use++;
	WRITE_ONCE(areas->used, areas->used + c->bytes);
out:
	mutex_unlock(&areas->lock);
	kfree(rest);
	/* another ring of this context may have used the chunk: zero it */
	if (!IS_ERR(c) && !fresh)
		memset(glass_chunk_mem(c), 0, c->bytes);
	return c;
}

/*
 * Merges a neighbour of c into c, if the neighbour is free. The parameter `with` is the neighbour's
 * list node, or the head of the list if c has no neighbour on this side.
 */
static void chunk_merge(struct glass_areas *areas, struct glass_chunk *c, struct list_head *with)
{
	struct glass_chunk *other = list_entry(with, struct glass_chunk, node);

	if (with == &c->area->chunks || other->in_use)
		return;
	rb_erase(&other->free, &areas->free);
	list_del(&other->node);
	c->at = min(c->at, other->at);
	c->bytes += other->bytes;
	kfree(other);
}

void glass_chunk_give(struct glass_chunk *c)
{
	struct glass_area *area = c->area;
	struct glass_areas *areas = &area->uctx->areas;

	mutex_lock(&areas->lock);
	WRITE_ONCE(areas->used, areas->used - c->bytes);
	chunk_merge(areas, c, c->node.next);
	chunk_merge(areas, c, c->node.prev);
	if (!--area->in_use && area->single) {
		area_free(areas, area);
	} else {
		make_free(areas, c);
		if (!area->in_use) {
			if (areas->spare)
				free_spare(areas);
			areas->spare = area;
		}
	}
	/* a context without rings keeps a spare of at most AREA_MIN bytes */
	if (!areas->used && areas->spare && areas->spare->map->bytes > AREA_MIN)
		free_spare(areas);
	mutex_unlock(&areas->lock);
}
