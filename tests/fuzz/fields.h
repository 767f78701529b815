/* SPDX-License-Identifier: GPL-2.0-only */
/* Packets of random fields, and the comparison with what they came back as */
#ifndef GLASS_TESTS_FUZZ_FIELDS_H
#define GLASS_TESTS_FUZZ_FIELDS_H

#include <string.h>

#include "fuzz.h"
#include "wire/opcode.h"
#include "wire/packet.h"

/* A packet without payload; its bytes on the wire are decided by its fields alone */
static inline void random_fields(struct glass_pkt *p)
{
	fuzz_bytes(p, sizeof(*p));
	p->seg = NULL;
	p->nseg = 0;
	p->fate = NULL;
	p->wire = NULL;
	p->lnh = GLASS_LNH_LOCAL + (fuzz_u8() & 1);
	p->lver = p->tver = 0;
	p->vl &= 15;
	p->sl &= 15;
}

/* Clears the reserved bits of the BTH at bth and of the headers behind it: they are not kept, and build as 0. */
static inline void clear_reserved_transport(u8 *bth, const struct glass_pkt *p)
{
	u16 h = glass_opcodes[p->opcode].hdrs;
	u8 *ext = bth + GLASS_BTH_BYTES;

	bth[4] = 0;
	bth[8] &= 0x80;
	if (h & GLASS_HDR_XRCETH) {
		ext[0] = 0;
		ext += GLASS_XRCETH_BYTES;
	}
	if (h & GLASS_HDR_DETH)
		ext[4] = 0;
}

#define SAME(f) FUZZ_CHECK(p->f == q->f, #f ": 0x%llx and 0x%llx", (unsigned long long)p->f, \
			   (unsigned long long)q->f)

/* Fields of the LRH, of links of InfiniBand, come back as they were. */
static inline void check_same_lrh(const struct glass_pkt *p, const struct glass_pkt *q)
{
	SAME(vl);
	SAME(sl);
	SAME(lnh);
	SAME(slid);
	SAME(dlid);
}

/* All other fields that travel come back as they were. */
static inline void check_same(const struct glass_pkt *p, const struct glass_pkt *q)
{
	u16 h = glass_opcodes[p->opcode].hdrs;

	SAME(opcode);
	SAME(se);
	SAME(mig);
	SAME(ack_req);
	SAME(pkey);
	SAME(len);
	FUZZ_CHECK(q->pad == (-p->len & 3), "pad %u of %u", q->pad, p->len);
	FUZZ_CHECK(q->dqpn == (p->dqpn & 0xffffff) && q->psn == (p->psn & 0xffffff), "QPN or PSN");
	if (p->lnh == GLASS_LNH_GLOBAL) {
		SAME(grh.tclass);
		SAME(grh.hop_limit);
		FUZZ_CHECK(q->grh.flow_label == (p->grh.flow_label & 0xfffff), "flow label");
		FUZZ_CHECK(!memcmp(p->grh.sgid, q->grh.sgid, 16) &&
			   !memcmp(p->grh.dgid, q->grh.dgid, 16), "GIDs");
	}
	if (h & (GLASS_HDR_RETH | GLASS_HDR_ATOMICETH)) {
		SAME(va);
		SAME(rkey);
	}
	if (h & GLASS_HDR_RETH)
		SAME(dma_len);
	if (h & GLASS_HDR_ATOMICETH) {
		SAME(swap_add);
		SAME(cmp);
	}
	if (h & GLASS_HDR_AETH) {
		SAME(syndrome);
		FUZZ_CHECK(q->msn == (p->msn & 0xffffff), "MSN");
	}
	if (h & GLASS_HDR_ATOMICACK)
		SAME(orig);
	if (h & GLASS_HDR_DETH) {
		SAME(qkey);
		FUZZ_CHECK(q->sqpn == (p->sqpn & 0xffffff), "source QPN");
	}
	if (h & GLASS_HDR_IMM)
		SAME(imm);
	if (h & GLASS_HDR_IETH)
		SAME(ieth);
	if (h & GLASS_HDR_XRCETH)
		FUZZ_CHECK(q->xrc_srq == (p->xrc_srq & 0xffffff), "XRC SRQ");
	if (h & GLASS_HDR_FETH)
		SAME(feth);
}

/* A payload of len bytes, in pieces of `mem` */
static inline void make_payload(struct glass_pkt *p, struct glass_seg *segs, uint8_t *mem, u32 len)
{
	u32 left = len;

	p->seg = segs;
	while (left) {
		u32 n = p->nseg == GLASS_PKT_SEGS - 1 ? left : 1 + fuzz_below(left);

		segs[p->nseg].addr = mem + len - left;
		segs[p->nseg++].len = n;
		left -= n;
	}
}

#endif
