// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Corrupts and truncates packets (spoil.h). */
#include <linux/slab.h>

#include "inject/spoil.h"
#include "wire/crc.h"
#include "wire/roce.h"
#include "wire/serial.h"

/* A part of a packet's wire bytes: its offset and its length in bytes. */
struct part {
	u32 at, len;
};

static struct part part_of(const struct glass_pkt *pkt, u32 bytes, enum glass_rule_part what)
{
	struct part p;
	u32 hdr = glass_pkt_hdr_bytes(pkt);

	switch (what) {
	case GLASS_PART_HEADER:
		/* of an Ethernet port, the kernel's IP makes the headers before the BTH */
		p.at = glass_pkt_is_roce(pkt) ? GLASS_LRH_BYTES + GLASS_GRH_BYTES : 0;
		p.len = hdr - p.at;
		break;
	case GLASS_PART_ICRC:
		p.at = bytes - GLASS_VCRC_BYTES - GLASS_ICRC_BYTES;
		p.len = GLASS_ICRC_BYTES;
		break;
	case GLASS_PART_VCRC:
		p.at = bytes - GLASS_VCRC_BYTES;
		p.len = GLASS_VCRC_BYTES;
		break;
	default:
		p.at = hdr;
		p.len = pkt->len;
	}
	return p;
}

/*
 * Flips hit->bits bits of a part. Returns 1 plus the number, in the part, of the bit that it
 * flipped first. The bits that it flips later may have lower numbers. Returns 0 if the part is
 * empty.
 */
static u32 spoil_flip_bits(u8 *wire, struct part p, const struct glass_hit *hit)
{
	const u64 key[2] = { hit->random, 0 };
	u32 i, bit, first = 0;

	for (i = 0; p.len && i < hit->bits; i++) {
		if (hit->has_at)
			bit = (hit->at * 8 + i) % (p.len * 8);
		else
			bit = glass_below(glass_hash(key, i, 0, 0, 0), p.len * 8);
		wire[p.at + bit / 8] ^= 1 << (bit % 8);
		if (!i)
			first = bit + 1;
	}
	return first;
}

/* Flags of glass_pkt_parse() for the wire bytes of this packet */
static u32 parse_flags(const struct glass_pkt *pkt)
{
	return glass_pkt_is_roce(pkt) ? GLASS_PARSE_ETHERNET : 0;
}

/*
 * Parses the wire bytes as a receiving port does. Returns the reason (enum glass_drop) why the port
 * drops the packet, or GLASS_DROP_NONE.
 */
static u8 spoil_verdict(const u8 *wire, u32 bytes, u32 flags)
{
	struct glass_pkt pkt;
	struct glass_seg seg;
	enum glass_drop why;

	return glass_pkt_parse(&pkt, &seg, wire, bytes, flags, &why) ? why : GLASS_DROP_NONE;
}

static struct glass_waiting *spoil_corrupt(struct glass_waiting *w, u8 *wire, u32 bytes,
					   const struct glass_hit *hit, u32 *first)
{
	u32 flags = hit->crc == GLASS_CRC_GOOD ? GLASS_PARSE_NO_ICRC | GLASS_PARSE_NO_VCRC : 0;
	struct glass_pkt was = w->pkt;
	u32 kind = parse_flags(&was);
	enum glass_drop why;

	*first = spoil_flip_bits(wire, part_of(&was, bytes, hit->what), hit);
	w->pkt.wire = wire;
	w->pkt.wire_len = bytes;
	if (!flags) {
		w->pkt.spoilt = spoil_verdict(wire, bytes, kind);
		return w;
	}
	if (glass_pkt_parse(&w->pkt, &w->seg, wire, bytes, flags | kind, &why)) {
		w->pkt = was;
		w->pkt.wire = wire;
		w->pkt.wire_len = bytes;
		w->pkt.spoilt = why;
		return w;
	}
	/* restore the fields that the parser cannot know from the bytes */
	w->pkt.seg = &w->seg;
	w->pkt.grh.sport = was.grh.sport;
	w->pkt.grh.ip_id = was.grh.ip_id;
	w->pkt.grh.ip_frag = was.grh.ip_frag;
	w->pkt.flow = was.flow;
	w->pkt.wr_id = was.wr_id;
	return w;
}

static struct glass_waiting *spoil_truncate(struct glass_waiting *w, u8 *wire, u32 bytes,
					    const struct glass_hit *hit)
{
	u32 keep = hit->has_keep ? min_t(u32, hit->keep, w->pkt.len) : w->pkt.len / 2;
	int left;

	if (hit->crc == GLASS_CRC_GOOD) {
		/* a valid, shorter packet: its length field and CRCs will be correct */
		w->pkt.len = keep;
		w->pkt.pad = -keep & 3;
		w->seg.len = keep;
		w->pkt.nseg = keep ? 1 : 0;
		return w;
	}
	/* as if the packet was cut on the link: its header still has the old length */
	left = glass_pkt_hdr_bytes(&w->pkt) + keep;
	w->pkt.wire = wire;
	w->pkt.wire_len = min_t(u32, left, bytes);
	w->pkt.spoilt = spoil_verdict(wire, w->pkt.wire_len, parse_flags(&w->pkt));
	return w;
}

struct glass_waiting *glass_spoil(const struct glass_pkt *pkt, const struct glass_hit *hit,
				  u32 *first)
{
	struct glass_waiting *w = glass_later_copy(pkt, GLASS_PKT_WIRE_MAX);
	u8 *wire;
	int bytes;

	*first = 0;
	if (!w)
		return NULL;
	wire = w->data + pkt->len;
	bytes = glass_pkt_build(&w->pkt, wire, GLASS_PKT_WIRE_MAX);
	if (bytes < 0) {
		kfree(w);
		return NULL;
	}
	return hit->action == GLASS_ACT_CORRUPT ? spoil_corrupt(w, wire, bytes, hit, first) :
						  spoil_truncate(w, wire, bytes, hit);
}
