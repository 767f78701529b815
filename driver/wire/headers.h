/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Writes the headers of a decoded packet as wire bytes: inline, for captures, which convert each
 * packet. Others use wire/serial.h. Reserved bits are 0.
 */
#ifndef GLASS_WIRE_HEADERS_H
#define GLASS_WIRE_HEADERS_H

#include "wire/opcode.h"

#define GLASS_GRH_VERSION 6

/* Can the packet's headers be written? Not if its opcode, its lnh or its length is not valid. */
static inline bool glass_pkt_has_headers(const struct glass_pkt *p)
{
	return glass_opcode_valid(p->opcode) && p->len <= GLASS_MTU_MAX &&
	       (p->lnh == GLASS_LNH_LOCAL || p->lnh == GLASS_LNH_GLOBAL);
}

/* words: the packet length for the LRH, glass_pkt_words() */
static inline void glass_put_lrh(const struct glass_pkt *p, u32 words, u8 *b)
{
	b[0] = p->vl << 4 | (p->lver & 0xf);
	b[1] = p->sl << 4 | p->lnh;
	put_unaligned_be16(p->dlid, b + 2);
	put_unaligned_be16(words, b + 4);
	put_unaligned_be16(p->slid, b + 6);
}

static inline void glass_put_grh(const struct glass_pkt *p, u32 words, u8 *b)
{
	const struct glass_grh *g = &p->grh;

	put_unaligned_be32((u32)GLASS_GRH_VERSION << 28 | (u32)g->tclass << 20 |
			   (g->flow_label & 0xfffff), b);
	put_unaligned_be16(words * 4 - GLASS_LRH_BYTES - GLASS_GRH_BYTES, b + 4);
	b[6] = GLASS_NEXT_HDR_IBA;
	b[7] = g->hop_limit;
	memcpy(b + 8, g->sgid, 16);
	memcpy(b + 24, g->dgid, 16);
}

static inline void glass_put_bth(const struct glass_pkt *p, u8 *b)
{
	u32 flags = p->se << 7 | p->mig << 6 | glass_pad_bytes(p->len) << 4 | p->tver;

	put_unaligned_be32((u32)p->opcode << 24 | flags << 16 | p->pkey, b);
	put_unaligned_be32((p->dqpn & GLASS_QPN_MASK) |
			   (p->opcode == GLASS_OPCODE_CNP ? GLASS_BTH_BECN : 0), b + 4);
	put_unaligned_be32((u32)p->ack_req << 31 | (p->psn & GLASS_PSN_MASK), b + 8);
}

static inline void glass_put_reth(const struct glass_pkt *p, u8 *b)
{
	put_unaligned_be64(p->va, b);
	put_unaligned_be32(p->rkey, b + 8);
	put_unaligned_be32(p->dma_len, b + 12);
}

static inline void glass_put_aeth(const struct glass_pkt *p, u8 *b)
{
	put_unaligned_be32((u32)p->syndrome << 24 | (p->msn & GLASS_PSN_MASK), b);
}

static __always_inline void glass_put_ext(const struct glass_pkt *p, u8 *b)
{
	u16 h = glass_opcodes[p->opcode].hdrs;

	/* most packets: captures and the flight recorder convert many */
	if (!h)
		return;
	if (h == GLASS_HDR_RETH) {
		glass_put_reth(p, b);
		return;
	}
	if (h == GLASS_HDR_AETH) {
		glass_put_aeth(p, b);
		return;
	}
	if (h & GLASS_HDR_XRCETH) {
		put_unaligned_be32(p->xrc_srq & GLASS_QPN_MASK, b);
		b += GLASS_XRCETH_BYTES;
	}
	if (h & GLASS_HDR_DETH) {
		put_unaligned_be32(p->qkey, b);
		put_unaligned_be32(p->sqpn & GLASS_QPN_MASK, b + 4);
		b += GLASS_DETH_BYTES;
	}
	if (h & GLASS_HDR_FETH) {
		put_unaligned_be32(p->feth, b);
		b += GLASS_FETH_BYTES;
	}
	if (h & GLASS_HDR_RETH) {
		glass_put_reth(p, b);
		b += GLASS_RETH_BYTES;
	}
	if (h & GLASS_HDR_ATOMICETH) {
		put_unaligned_be64(p->va, b);
		put_unaligned_be32(p->rkey, b + 8);
		put_unaligned_be64(p->swap_add, b + 12);
		put_unaligned_be64(p->cmp, b + 20);
		b += GLASS_ATOMICETH_BYTES;
	}
	if (h & GLASS_HDR_AETH) {
		glass_put_aeth(p, b);
		b += GLASS_AETH_BYTES;
	}
	if (h & GLASS_HDR_ATOMICACK) {
		put_unaligned_be64(p->orig, b);
		b += GLASS_ATOMICACKETH_BYTES;
	}
	if (h & GLASS_HDR_IMM) {
		/* p->imm is in network order */
		memcpy(b, &p->imm, GLASS_IMM_BYTES);
		b += GLASS_IMM_BYTES;
	}
	if (h & GLASS_HDR_IETH)
		put_unaligned_be32(p->ieth, b);
}

/*
 * Writes glass_pkt_hdr_bytes() bytes, from the LRH on, of a packet with glass_pkt_has_headers().
 * words: glass_pkt_words() of the packet.
 */
static __always_inline void glass_put_headers(const struct glass_pkt *p, u32 words, u8 *b)
{
	glass_put_lrh(p, words, b);
	b += GLASS_LRH_BYTES;
	if (p->lnh == GLASS_LNH_GLOBAL) {
		glass_put_grh(p, words, b);
		b += GLASS_GRH_BYTES;
	}
	glass_put_bth(p, b);
	glass_put_ext(p, b + GLASS_BTH_BYTES);
}

#endif
