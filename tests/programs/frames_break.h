/* SPDX-License-Identifier: GPL-2.0-only */
/* For frames.c: frames that break one rule of a netdev cable each (driver/uapi/glass-cable.h). */
#ifndef FRAMES_BREAK_H
#define FRAMES_BREAK_H

#include "frames.h"

/* Valid packets in all frames, and packets that break the rule. */
static unsigned long good, errors;

/* Makes frame `way` (0, 1, ...) that breaks a rule; returns false if there are no more ways. */
typedef bool (*breaker)(struct frame *f, unsigned int way);

/* A frame with one valid packet; returns the packet. */
static u8 *one_packet(struct frame *f, const struct glass_pkt *p)
{
	begin_packets(f, 1);
	return put_packet(f, p);
}

static u8 *one_data(struct frame *f)
{
	struct glass_pkt p = data_packet(64);

	return one_packet(f, &p);
}

static void fix_packet(struct frame *f)
{
	fix_crcs(f->b + HDR, f->len - HDR);
}

static bool break_short(struct frame *f, unsigned int way)
{
	one_data(f);
	f->len = ETH_HLEN + way;
	return way < GLASS_FRAME_HDR_BYTES;
}

static bool break_version(struct frame *f, unsigned int way)
{
	static const u8 versions[] = { 0, 2, 255 };

	one_data(f);
	if (way >= ARRAY_SIZE(versions))
		return false;
	f->b[ETH_HLEN] = versions[way];
	return true;
}

static bool break_kind(struct frame *f, unsigned int way)
{
	static const u8 kinds[] = { 0, 3, 255 };

	one_data(f);
	if (way >= ARRAY_SIZE(kinds))
		return false;
	f->b[ETH_HLEN + 1] = kinds[way];
	return true;
}

static bool break_header(struct frame *f, unsigned int way)
{
	u8 *head = f->b + ETH_HLEN;

	one_data(f);
	switch (way) {
	case 0:
		head[2] = 0; /* no packets */
		return true;
	case 1:
		head[3] = 2; /* an unknown flag */
		return true;
	case 2:
		memset(head + 4, 0, 4); /* no session */
		return true;
	case 3:
		make_hello(f);
		head[2] = 1;
		return true;
	case 4:
		make_hello(f);
		head[3] = GLASS_FRAME_NO_VCRC;
		return true;
	default:
		return false;
	}
}

static bool break_hello(struct frame *f, unsigned int way)
{
	struct glass_hello h = self.hello;

	make_hello(f);
	switch (way) {
	case 0:
		f->len--;
		return true;
	case 1:
		f->len = HDR;
		return true;
	case 2:
		/* of another version, and too short even for its names */
		f->b[ETH_HLEN] = 2;
		f->len = HDR + 100;
		return true;
	case 3:
		f->b[ETH_HLEN] = 2;
		f->b[HDR + 4] = '\n';
		return true;
	case 4:
		h.session = 0;
		break;
	case 5:
		h.node[0] = '\0';
		break;
	case 6:
		strcpy(h.node, "two words");
		break;
	case 7:
		strcpy(h.node, "\x1b[31m");
		break;
	case 8:
		h.host[0] = '\0';
		break;
	case 9:
		strcpy(h.host, "d\xc3\xa9j\xc3\xa0");
		break;
	case 10:
		h.guid = 0;
		break;
	case 11:
		h.port = 0;
		break;
	case 12:
		h.port = 255;
		break;
	case 13:
		h.type = 0;
		break;
	case 14:
		h.type = 3;
		break;
	case 15:
		h.flags |= 4;
		break;
	case 16:
		h.mtu = 0;
		break;
	case 17:
		h.mtu = 6;
		break;
	default:
		return false;
	}
	glass_hello_put(&h, f->b + HDR);
	return true;
}

/* Valid: the cable is not up when the test sends it. */
static bool break_untrained(struct frame *f, unsigned int way)
{
	one_data(f);
	return way < 1;
}

static bool break_stranger(struct frame *f, unsigned int way)
{
	one_data(f);
	f->b[ETH_ALEN + (way ? 5 : 0)] ^= 4; /* the first or the last byte */
	return way < 2;
}

static bool break_session(struct frame *f, unsigned int way)
{
	one_data(f);
	f->b[ETH_HLEN + (way ? 7 : 4)] ^= 1; /* the first or the last byte */
	return way < 2;
}

static bool break_length(struct frame *f, unsigned int way)
{
	struct glass_pkt p = data_packet(0);
	u8 *b;

	b = one_data(f);
	errors++;
	switch (way) {
	case 0:
		/* not even an LRH: this is a frame that is dropped, not a packet */
		f->len = HDR + GLASS_LRH_BYTES - 1;
		errors--;
		return true;
	case 1:
		f->len = HDR + GLASS_LRH_BYTES;
		return true;
	case 2:
		f->len--;
		return true;
	case 3:
		put_unaligned_be16(5, b + 4); /* words: less than LRH, BTH and ICRC */
		return true;
	case 4:
		put_unaligned_be16(0x7ff, b + 4);
		return true;
	case 5:
		b = one_packet(f, &p);
		b[GLASS_LRH_BYTES + 1] |= 1 << 4; /* padding, where there is no payload */
		break;
	case 6:
		b = one_packet(f, &p);
		b[GLASS_LRH_BYTES] = GLASS_TR_RC | GLASS_BOP_WRITE_ONLY; /* no room for its RETH */
		break;
	case 7:
		b = one_packet(f, &p);
		b[1] = GLASS_LNH_GLOBAL; /* no room for its GRH */
		fix_vcrc(b, f->len - HDR);
		return true;
	default:
		errors--;
		return false;
	}
	fix_packet(f);
	return true;
}

static bool break_vl(struct frame *f, unsigned int way)
{
	static const u8 vls[] = { 1, 7, 14 };
	struct glass_pkt p = data_packet(64);

	if (way >= ARRAY_SIZE(vls))
		return false;
	p.vl = vls[way];
	one_packet(f, &p);
	errors++;
	return true;
}

static bool break_lrh(struct frame *f, unsigned int way)
{
	u8 *b = one_data(f);

	switch (way) {
	case 0:
		b[0] |= 1; /* version */
		break;
	case 1:
		b[1] = GLASS_LNH_RAW;
		break;
	case 2:
		b[1] = 1; /* IPv6 */
		break;
	case 3:
		put_unaligned_be16(0, b + 2); /* DLID */
		break;
	case 4:
		put_unaligned_be16(GLASS_LID_MCAST_BASE, b + 6); /* SLID */
		break;
	default:
		return false;
	}
	fix_packet(f);
	errors++;
	return true;
}

static bool break_grh(struct frame *f, unsigned int way)
{
	struct glass_pkt p = with_grh(data_packet(64));
	u8 *b = one_packet(f, &p) + GLASS_LRH_BYTES;

	switch (way) {
	case 0:
		b[0] = 0x40; /* version 4 */
		break;
	case 1:
		b[6] = 17; /* next header */
		break;
	case 2:
		b[5] += 4; /* payload length */
		break;
	default:
		return false;
	}
	fix_packet(f);
	errors++;
	return true;
}

static bool break_vcrc(struct frame *f, unsigned int way)
{
	one_data(f);
	f->b[f->len - 1 - way] ^= 1;
	errors += way < 2;
	return way < 2;
}

static bool break_icrc(struct frame *f, unsigned int way)
{
	u8 *b = one_data(f);

	if (way >= 3)
		return false;
	if (way == 0)
		f->b[f->len - GLASS_VCRC_BYTES - 1] ^= 1;
	else
		b[GLASS_LRH_BYTES + GLASS_BTH_BYTES + GLASS_DETH_BYTES] ^= 1; /* of the payload */
	if (way == 2) {
		f->b[ETH_HLEN + 3] = GLASS_FRAME_NO_VCRC;
		f->len -= GLASS_VCRC_BYTES;
	} else {
		fix_vcrc(b, f->len - HDR);
	}
	errors++;
	return true;
}

static bool break_bth(struct frame *f, unsigned int way)
{
	u8 *b = one_data(f) + GLASS_LRH_BYTES;

	switch (way) {
	case 0:
		b[1] |= 1; /* transport version */
		break;
	case 1:
		b[0] = 0x40; /* RD */
		break;
	case 2:
		b[0] = 0xff;
		break;
	default:
		return false;
	}
	fix_packet(f);
	errors++;
	return true;
}

/* The link has the MTU of our hellos. */
static bool break_mtu(struct frame *f, unsigned int way)
{
	struct glass_pkt p = data_packet((128u << self.hello.mtu) + (way ? 128u << self.hello.mtu : 1));

	if (way >= 2 || p.len > GLASS_MTU_MAX)
		return false;
	one_packet(f, &p);
	errors++;
	return true;
}

static bool break_mixed(struct frame *f, unsigned int way)
{
	struct glass_pkt p = data_packet(64);

	begin_packets(f, 2);
	put_packet(f, &p);
	if (way == 0)
		p.dlid++;
	else
		p.dqpn++;
	put_packet(f, &p);
	if (way >= 2)
		return false;
	good++;
	errors++;
	return true;
}

/* More hellos, and then more packets, than may wait. */
static bool break_overrun(struct frame *f, unsigned int way)
{
	struct glass_pkt p = data_packet(0);
	u32 i, n = 32;

	if (way < 2000) {
		make_hello(f);
		return true;
	}
	begin_packets(f, n);
	for (i = 0; i < n; i++)
		put_packet(f, &p);
	/* padding: it takes memory, but no time */
	if (f->len < (u32)mtu + ETH_HLEN) {
		memset(f->b + f->len, 0, mtu + ETH_HLEN - f->len);
		f->len = mtu + ETH_HLEN;
	}
	return way < 6000;
}

#define RULE(name) { "bad_" #name, break_##name }
static const struct {
	const char *name;
	breaker make;
} rules[] = {
	RULE(short), RULE(version), RULE(kind), RULE(header), RULE(hello), RULE(untrained),
	RULE(stranger), RULE(session), RULE(overrun), RULE(length), RULE(vl), RULE(lrh), RULE(grh),
	RULE(vcrc), RULE(icrc), RULE(bth), RULE(mtu), RULE(mixed),
};

#endif
