/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Payload in several pages on the direct way (direct.c): SENDs and WRITEs whose data lie in one region at each end. */
#ifndef GLASS_ENGINE_DIRECT_LONG_H
#define GLASS_ENGINE_DIRECT_LONG_H

#include "engine/direct_parts.h"

/* Bytes of a region */
struct glass_direct_span {
	void **page; /* they begin at `off` in the first of these pages */
	u32 off;
	struct glass_mr *mr; /* with a reference */
};

/* As glass_direct_bytes(), for a range, not empty, in any number of pages. Returns false if memory.c has to find out more. */
static __always_inline bool glass_direct_span(struct glass_qp *qp, u32 key, u64 addr, u32 len, u32 access,
					      struct glass_direct_span *s)
{
	u64 off;

	s->mr = glass_direct_region(qp, key, addr, len, access);
	if (unlikely(!s->mr))
		return false;
	off = addr - s->mr->iova + s->mr->first_off;
	s->page = s->mr->pages + (off >> PAGE_SHIFT);
	s->off = offset_in_page(off);
	return true;
}

/* As glass_direct_payload() */
static __always_inline bool glass_direct_long_payload(struct glass_qp *qp, const struct glass_swqe *w, struct glass_tx *tx)
{
	struct glass_direct_span s;

	if (unlikely(w->flags & GLASS_SWQE_INLINE || w->num_sge != 1 ||
		     !glass_direct_span(qp, w->sge[0].lkey, w->sge[0].addr, w->len, 0, &s)))
		return false;
	if (unlikely(glass_segs_of_pages(&tx->pkt, s.page, s.off, w->len) != GLASS_MEM_OK)) {
		tx->pkt.nseg = 0;
		glass_ref_put(&s.mr->ref);
		return false;
	}
	tx->mr[0] = s.mr;
	tx->nmr = 1;
	tx->pkt.len = w->len;
	return true;
}

/* Places the payload of pkt, which is not empty, from `off` in *page on. `polled` is as for glass_write_piece(). */
static __always_inline void glass_direct_place(void **page, u32 off, const struct glass_pkt *pkt, bool polled)
{
	struct glass_cursor from = { .seg = pkt->seg };
	u32 left = pkt->len, room = PAGE_SIZE - off, here = from.seg->len;
	u8 *to = *page + off, *at = from.seg->addr;

	/* as glass_write_piece() for each page but the last, without a cursor */
	while (left > room) {
		u32 piece = min(room, here);

		if (polled)
			smp_wmb();
		glass_copy(to, at, piece);
		left -= piece;
		to += piece;
		at += piece;
		room -= piece;
		here -= piece;
		if (likely(!room)) {
			to = *++page;
			room = PAGE_SIZE;
		}
		if (likely(!here)) {
			from.seg++;
			at = from.seg->addr;
			here = from.seg->len;
		}
	}
	if (unlikely(left > here)) {
		from.off = at - (u8 *)from.seg->addr;
		glass_write_piece(to, &from, left, left, polled);
	} else if (polled) {
		smp_wmb();
		glass_place_piece(to, at, left);
	} else {
		glass_copy(to, at, left);
	}
}

/* As glass_direct_receive(), for a payload that is not empty and may lie in several pages */
static __always_inline bool glass_direct_receive_long(struct glass_qp *b, const struct glass_pkt *pkt)
{
	struct glass_rwqe *w = &b->core.resp.rwqe;
	struct glass_direct_span s;

	lockdep_assert_held(&b->lock);
	if (unlikely(!glass_direct_take_receive(b)))
		return false;
	if (unlikely(w->len < pkt->len ||
		     !glass_direct_span(b, w->sge[0].lkey, w->sge[0].addr, pkt->len, IB_ACCESS_LOCAL_WRITE, &s))) {
		b->core.resp.rwqe_valid = true;
		return false;
	}
	glass_direct_place(s.page, s.off, pkt, false);
	glass_ref_put(&s.mr->ref);
	return true;
}

#endif
