/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Parts of the accesses to memory (memory.c) that the direct way (direct.c) has in common with them. */
#ifndef GLASS_ENGINE_MEMORY_H
#define GLASS_ENGINE_MEMORY_H

#include "model/device.h"
#include "proto/env.h"
#include "wire/place.h"

/* Rights that only remote accesses need. An access that needs one of them uses an rkey. */
#define GLASS_REMOTE_ACCESS                                                                        \
	(IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC |                \
	 IB_ACCESS_FLUSH_GLOBAL | IB_ACCESS_FLUSH_PERSISTENT)

/* Finds a region or memory window by its rkey. Returns it with a reference, or NULL. */
static __always_inline struct glass_mr *glass_mr_find_remote(struct glass_dev *dev, u32 rkey)
{
	struct glass_mr *mr;
	u32 key;

	rcu_read_lock_sched();
	mr = glass_mr_at(dev, rkey >> 8);
	if (mr) {
		/* pairs with stores of `key`, as in glass_mr_find() (model/device.h) */
		key = smp_load_acquire(&mr->key);
		if (!key || (mr->rkey ?: key) != rkey || !glass_ref_get(&mr->ref))
			mr = NULL;
	}
	rcu_read_unlock_sched();
	return mr;
}

static inline enum glass_mem glass_mr_check_range(const struct glass_mr *mr, u64 addr, u64 len)
{
	if (mr->kind == GLASS_MR_DMA)
		return GLASS_MEM_OK;
	if (addr < mr->iova || len > mr->length || addr - mr->iova > mr->length - len)
		return GLASS_MEM_BOUNDS;
	return GLASS_MEM_OK;
}

/*
 * Appends `len` bytes, from `off` in *page on, to the packet's payload. Returns GLASS_MEM_FAULT if seg[] has too few
 * entries. For a region with a list of pages of PAGE_SIZE bytes.
 */
static __always_inline enum glass_mem glass_segs_of_pages(struct glass_pkt *pkt, void **page, u32 off, u32 len)
{
	struct glass_seg *next = &pkt->seg[pkt->nseg], *end = &pkt->seg[GLASS_PKT_SEGS];
	void *behind = pkt->nseg ? next[-1].addr + next[-1].len : NULL;

	while (len) {
		u32 piece = min_t(u32, len, PAGE_SIZE - off);
		void *p = *page++ + off;

		if (p == behind) {
			next[-1].len += piece;
		} else {
			if (unlikely(next == end))
				return GLASS_MEM_FAULT;
			next->addr = p;
			next->len = piece;
			next++;
		}
		behind = p + piece;
		len -= piece;
		off = 0;
	}
	pkt->nseg = next - pkt->seg;
	return GLASS_MEM_OK;
}

/*
 * Writes one contiguous piece. `left` is the number of bytes of the whole write that are not
 * written yet, including this piece.
 *
 * If `polled` is true, the data is that of a WRITE, and a program may poll the last word of it. So
 * the pieces become visible in order, and the last word of the last piece becomes visible last
 * (glass_place_last()). The smp_wmb() pairs with the load-acquire or read barrier of the polling
 * program. It also orders this packet after earlier packets of the QP, even if another CPU placed
 * those: all packets are placed under the QP's lock.
 *
 * If `polled` is false, the data is that of a SEND or READ, or the result of an atomic. The program
 * reads it only after the completion, and the release of the CQ's `producer` orders the completion
 * after the data.
 */
static __always_inline void glass_write_piece(void *to, struct glass_cursor *from, u32 piece, u32 left,
					bool polled)
{
	if (polled)
		smp_wmb();
	if (polled && piece == left)
		glass_place_last(from, to, piece);
	else
		glass_cursor_copy(from, to, piece);
}

#endif
