// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Converts decoded packets to wire bytes and back. */
#include "wire/copy.h"
#include "wire/crc.h"
#include "wire/headers.h"
#include "wire/serial.h"

#define TRAILER (GLASS_ICRC_BYTES + GLASS_VCRC_BYTES)
#define PKT_MIN (GLASS_LRH_BYTES + GLASS_BTH_BYTES + TRAILER)

static void get_ext(struct glass_pkt *p, const u8 *b)
{
	u16 h = glass_opcodes[p->opcode].hdrs;

	if (h & GLASS_HDR_XRCETH) {
		p->xrc_srq = get_unaligned_be32(b) & GLASS_QPN_MASK;
		b += GLASS_XRCETH_BYTES;
	}
	if (h & GLASS_HDR_DETH) {
		p->qkey = get_unaligned_be32(b);
		p->sqpn = get_unaligned_be32(b + 4) & GLASS_QPN_MASK;
		b += GLASS_DETH_BYTES;
	}
	if (h & GLASS_HDR_FETH) {
		p->feth = get_unaligned_be32(b);
		b += GLASS_FETH_BYTES;
	}
	if (h & GLASS_HDR_RETH) {
		p->va = get_unaligned_be64(b);
		p->rkey = get_unaligned_be32(b + 8);
		p->dma_len = get_unaligned_be32(b + 12);
		b += GLASS_RETH_BYTES;
	}
	if (h & GLASS_HDR_ATOMICETH) {
		p->va = get_unaligned_be64(b);
		p->rkey = get_unaligned_be32(b + 8);
		p->swap_add = get_unaligned_be64(b + 12);
		p->cmp = get_unaligned_be64(b + 20);
		b += GLASS_ATOMICETH_BYTES;
	}
	if (h & GLASS_HDR_AETH) {
		p->syndrome = b[0];
		p->msn = get_unaligned_be32(b) & GLASS_PSN_MASK;
		b += GLASS_AETH_BYTES;
	}
	if (h & GLASS_HDR_ATOMICACK) {
		p->orig = get_unaligned_be64(b);
		b += GLASS_ATOMICACKETH_BYTES;
	}
	if (h & GLASS_HDR_IMM) {
		memcpy(&p->imm, b, GLASS_IMM_BYTES);
		b += GLASS_IMM_BYTES;
	}
	if (h & GLASS_HDR_IETH)
		p->ieth = get_unaligned_be32(b);
}

int glass_pkt_build_headers(const struct glass_pkt *p, void *buf, size_t size)
{
	u32 len = glass_pkt_hdr_bytes(p);

	if (!glass_pkt_has_headers(p))
		return -EINVAL;
	if (size < len)
		return -ENOSPC;
	glass_put_headers(p, glass_pkt_words(p), buf);
	return len;
}

int glass_pkt_build_transport(const struct glass_pkt *p, void *buf, size_t size)
{
	u32 len = GLASS_BTH_BYTES + glass_opcodes[p->opcode].ext_bytes;
	u8 *b = buf;

	if (!glass_opcode_valid(p->opcode) || p->len > GLASS_MTU_MAX)
		return -EINVAL;
	if (size < len)
		return -ENOSPC;
	glass_put_bth(p, b);
	glass_put_ext(p, b + GLASS_BTH_BYTES);
	return len;
}

int glass_pkt_build(const struct glass_pkt *p, void *buf, size_t size)
{
	u8 *b = buf;
	u32 pad, sum = 0;
	int len;
	u16 i;

	len = glass_pkt_build_headers(p, buf, size);
	if (len < 0)
		return len;
	if (size < glass_pkt_wire_bytes(p))
		return -ENOSPC;
	for (i = 0; i < p->nseg; i++) {
		if (p->seg[i].len > p->len - sum)
			return -EINVAL;
		glass_copy(b + len + sum, p->seg[i].addr, p->seg[i].len);
		sum += p->seg[i].len;
	}
	if (sum != p->len)
		return -EINVAL;
	len += sum;
	pad = glass_pad_bytes(sum);
	memset(b + len, 0, pad);
	len += pad;
	glass_crc_put32(glass_icrc(b, len), b + len);
	len += GLASS_ICRC_BYTES;
	glass_crc_put16(glass_vcrc(b, len), b + len);
	return len + GLASS_VCRC_BYTES;
}

static enum glass_drop get_lrh(struct glass_pkt *p, const u8 *b, u32 flags)
{
	p->vl = b[0] >> 4;
	p->lver = b[0] & 0xf;
	p->sl = b[1] >> 4;
	p->lnh = b[1] & 3;
	p->dlid = get_unaligned_be16(b + 2);
	p->slid = get_unaligned_be16(b + 6);
	if (p->lver || (p->lnh != GLASS_LNH_LOCAL && p->lnh != GLASS_LNH_GLOBAL))
		return GLASS_DROP_BAD_LRH;
	if (flags & GLASS_PARSE_ETHERNET)
		return GLASS_DROP_NONE;
	if (!p->dlid || (p->slid >= GLASS_LID_MCAST_BASE && p->slid != GLASS_LID_PERMISSIVE))
		return GLASS_DROP_BAD_LRH;
	return GLASS_DROP_NONE;
}

/* Decodes and checks the GRH at b. `rest` counts the bytes from the GRH to the ICRC, inclusive. */
static enum glass_drop get_grh(struct glass_pkt *p, const u8 *b, size_t rest)
{
	struct glass_grh *g = &p->grh;
	u32 w;

	if (rest < GLASS_GRH_BYTES + GLASS_BTH_BYTES + GLASS_ICRC_BYTES)
		return GLASS_DROP_BAD_LEN;
	w = get_unaligned_be32(b);
	g->tclass = w >> 20;
	g->flow_label = w & 0xfffff;
	g->pay_len = get_unaligned_be16(b + 4);
	g->next_hdr = b[6];
	g->hop_limit = b[7];
	memcpy(g->sgid, b + 8, 16);
	memcpy(g->dgid, b + 24, 16);
	if (w >> 28 != GLASS_GRH_VERSION || g->next_hdr != GLASS_NEXT_HDR_IBA ||
	    g->pay_len != rest - GLASS_GRH_BYTES)
		return GLASS_DROP_BAD_GRH;
	return GLASS_DROP_NONE;
}

static void get_bth(struct glass_pkt *p, const u8 *b)
{
	p->opcode = b[0];
	p->se = b[1] >> 7;
	p->mig = b[1] >> 6 & 1;
	p->pad = b[1] >> 4 & 3;
	p->tver = b[1] & 0xf;
	p->pkey = get_unaligned_be16(b + 2);
	p->dqpn = get_unaligned_be32(b + 4) & GLASS_QPN_MASK;
	p->ack_req = b[8] >> 7;
	p->psn = get_unaligned_be32(b + 8) & GLASS_PSN_MASK;
}

enum glass_drop glass_pkt_parse_transport(struct glass_pkt *p, struct glass_seg *seg, const u8 *b,
					  size_t len)
{
	size_t hdr, payload;

	get_bth(p, b);
	if (p->tver || !glass_opcode_valid(p->opcode))
		return GLASS_DROP_BAD_BTH;
	hdr = GLASS_BTH_BYTES + glass_opcodes[p->opcode].ext_bytes;
	if (hdr + p->pad > len)
		return GLASS_DROP_BAD_LEN;
	payload = len - hdr - p->pad;
	if (payload > GLASS_MTU_MAX || glass_pad_bytes(payload) != p->pad)
		return GLASS_DROP_BAD_LEN;
	get_ext(p, b + GLASS_BTH_BYTES);
	p->len = payload;
	if (payload) {
		seg->addr = (void *)(b + hdr);
		seg->len = payload;
		p->seg = seg;
		p->nseg = 1;
	}
	return GLASS_DROP_NONE;
}

/* `len` counts the VCRC, also if the bytes end before it (GLASS_PARSE_CUT_VCRC). */
static enum glass_drop pkt_parse(struct glass_pkt *p, struct glass_seg *seg, const u8 *b,
				 size_t len, u32 flags)
{
	size_t bth = GLASS_LRH_BYTES;
	enum glass_drop why;

	/* check the length first: no byte beyond len may be read */
	if (len < PKT_MIN || len > GLASS_PKT_WIRE_MAX)
		return GLASS_DROP_BAD_LEN;
	if ((get_unaligned_be16(b + 4) & 0x7ff) * 4u + GLASS_VCRC_BYTES != len)
		return GLASS_DROP_BAD_LEN;
	if (!(flags & (GLASS_PARSE_NO_VCRC | GLASS_PARSE_CUT_VCRC)) &&
	    glass_crc_get16(b + len - GLASS_VCRC_BYTES) != glass_vcrc(b, len - GLASS_VCRC_BYTES))
		return GLASS_DROP_BAD_VCRC;
	why = get_lrh(p, b, flags);
	if (why)
		return why;
	if (p->lnh == GLASS_LNH_GLOBAL) {
		why = get_grh(p, b + bth, len - bth - GLASS_VCRC_BYTES);
		if (why)
			return why;
		bth += GLASS_GRH_BYTES;
		if (flags & GLASS_PARSE_ETHERNET)
			p->grh.next_hdr = GLASS_NEXT_HDR_UDP;
	}
	if (!(flags & GLASS_PARSE_NO_ICRC) &&
	    glass_crc_get32(b + len - TRAILER) != glass_icrc(b, len - TRAILER))
		return GLASS_DROP_BAD_ICRC;
	return glass_pkt_parse_transport(p, seg, b + bth, len - TRAILER - bth);
}

int glass_pkt_parse(struct glass_pkt *p, struct glass_seg *seg, const void *buf, size_t len,
		    u32 flags, enum glass_drop *why)
{
	memset(p, 0, sizeof(*p));
	if (flags & GLASS_PARSE_CUT_VCRC)
		len += GLASS_VCRC_BYTES;
	*why = pkt_parse(p, seg, buf, len, flags);
	return *why ? -EINVAL : 0;
}

u32 glass_pkt_copy_payload(const struct glass_pkt *p, u32 off, void *buf, u32 len)
{
	u32 done = 0;
	u16 i;

	for (i = 0; i < p->nseg && done < len; i++) {
		const struct glass_seg *s = &p->seg[i];
		u32 n;

		if (off >= s->len) {
			off -= s->len;
			continue;
		}
		n = min(s->len - off, len - done);
		glass_copy((u8 *)buf + done, (const u8 *)s->addr + off, n);
		done += n;
		off = 0;
	}
	return done;
}
