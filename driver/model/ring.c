// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#include <linux/mm.h>

#include "model/ring.h"
#include "model/shared.h"

static int ring_memory_get(struct glass_memory *m, struct glass_ucontext *uctx, size_t bytes)
{
	m->chunk = NULL;
	m->bytes = 0;
	if (bytes > U32_MAX - PAGE_SIZE)
		return -EINVAL;
	if (uctx) {
		struct glass_chunk *chunk = glass_chunk_take(uctx, bytes);

		if (IS_ERR(chunk))
			return PTR_ERR(chunk);
		m->chunk = chunk;
		m->mem = glass_chunk_mem(chunk);
		return 0;
	}
	m->bytes = PAGE_ALIGN(bytes);
	m->mem = glass_shared_alloc(m->bytes);
	return m->mem ? 0 : -ENOMEM;
}

static void memory_put(struct glass_memory *m)
{
	if (m->chunk && !m->borrowed)
		glass_chunk_give(m->chunk);
	else if (m->mem && !m->borrowed)
		glass_shared_free(m->mem, m->bytes);
	*m = (struct glass_memory){};
}

static void set_shape(struct glass_ring *r, u32 entries, u32 stride)
{
	r->num = glass_ring_entries(entries);
	r->stride = ALIGN(stride, 64);
}

void glass_ring_tell(const struct glass_ring *r, struct glass_ring_info *info)
{
	const struct glass_memory *head = r->head.mem ? &r->head : &r->body;

	*info = (struct glass_ring_info){ .num = r->num, .stride = r->stride };
	if (!r->body.chunk)
		return;
	info->hdr = glass_chunk_place(head->chunk, (u8 *)r->hdr - (u8 *)head->mem);
	info->entries = glass_chunk_place(r->body.chunk, r->entries - (u8 *)r->body.mem);
}

static size_t whole_bytes(const struct glass_ring *r)
{
	return GLASS_RING_HDR_BYTES + (size_t)r->num * r->stride;
}

/* Puts header and entries of the ring at an offset of its memory. */
static void begin_at(struct glass_ring *r, size_t offset)
{
	r->hdr = r->body.mem + offset;
	/* a program may have written to the chunk since its zeroing: set the indices to 0 */
	memset(r->hdr, 0, GLASS_RING_HDR_BYTES);
	r->entries = (u8 *)r->hdr + GLASS_RING_HDR_BYTES;
}

int glass_ring_create(struct glass_ring *r, struct glass_ucontext *uctx, u32 entries, u32 stride)
{
	int err;

	set_shape(r, entries, stride);
	err = ring_memory_get(&r->body, uctx, whole_bytes(r));
	if (!err)
		begin_at(r, 0);
	return err;
}

int glass_ring_create_two(struct glass_ring *r, u32 entries, u32 stride, struct glass_ring *second,
			  u32 second_entries, u32 second_stride, struct glass_ucontext *uctx)
{
	int err;

	set_shape(r, entries, stride);
	set_shape(second, second_entries, second_stride);
	err = ring_memory_get(&r->body, uctx, whole_bytes(r) + whole_bytes(second));
	if (err)
		return err;
	second->body = r->body;
	second->body.borrowed = true;
	begin_at(r, 0);
	begin_at(second, whole_bytes(r));
	return 0;
}

static int make_entries(struct glass_ring *r, struct glass_ucontext *uctx, u32 entries, u32 stride)
{
	int err;

	set_shape(r, entries, stride);
	err = ring_memory_get(&r->body, uctx, (size_t)r->num * r->stride);
	r->entries = err ? NULL : r->body.mem;
	return err;
}

int glass_ring_create_resizable(struct glass_ring *r, struct glass_ucontext *uctx, u32 entries,
				u32 stride)
{
	int err = ring_memory_get(&r->head, uctx, GLASS_RING_HDR_BYTES);

	if (err)
		return err;
	r->hdr = r->head.mem;
	memset(r->hdr, 0, GLASS_RING_HDR_BYTES);
	err = make_entries(r, uctx, entries, stride);
	if (err)
		glass_ring_destroy(r);
	return err;
}

int glass_ring_other(struct glass_ring *other, const struct glass_ring *r,
		     struct glass_ucontext *uctx, u32 entries, struct glass_ring_info *info)
{
	int err;

	*other = (struct glass_ring){};
	err = make_entries(other, uctx, entries, r->stride);
	if (err)
		return err;
	glass_ring_tell(other, info);
	if (r->head.chunk)
		info->hdr = glass_chunk_place(r->head.chunk, 0);
	return 0;
}

void glass_ring_swap(struct glass_ring *r, struct glass_ring *other)
{
	swap(r->entries, other->entries);
	swap(r->num, other->num);
	swap(r->body, other->body);
}

void glass_ring_destroy(struct glass_ring *r)
{
	r->hdr = NULL;
	r->entries = NULL;
	memory_put(&r->head);
	memory_put(&r->body);
}

static size_t memory_bytes(const struct glass_memory *m)
{
	if (m->borrowed)
		return 0;
	return m->chunk ? m->chunk->bytes : m->bytes;
}

size_t glass_ring_bytes(const struct glass_ring *r)
{
	return memory_bytes(&r->head) + memory_bytes(&r->body);
}

size_t glass_ring_own_bytes(const struct glass_ring *r)
{
	return (r->head.chunk ? 0 : memory_bytes(&r->head)) +
	       (r->body.chunk ? 0 : memory_bytes(&r->body));
}
