// SPDX-License-Identifier: GPL-2.0-only
/* Frames and hellos of netdev cables: what is built parses back, and each rule drops what breaks it. */
#include "harness.h"

#include "mgmt/node.h"
#include "wire/crc.h"
#include "wire/frame.h"
#include "wire/opcode.h"
#include "wire/serial.h"
#include "wire/train.h"

#define PACKETS 12
#define ROOM (GLASS_FRAME_HDR_BYTES + PACKETS * GLASS_PKT_WIRE_MAX + 64)
#define TRAIN_PAYLOAD (PACKETS * GLASS_MTU_MAX)

/* A frame, and where its packets begin */
static u8 frame[ROOM];
static u32 frame_len, at[PACKETS + 1];
static u32 link_mtu = GLASS_MTU_MAX;
static u8 payload[TRAIN_PAYLOAD];

/* ---- reading, as link/netcable_rx.c does */

static struct glass_pkt got;
static struct glass_seg got_seg;

/*
 * The rule that packet i of a frame breaks, or the frame before it. Works on a heap block of the
 * exact length, which it leaves to the caller for the payload of `got`.
 */
static enum glass_cable_rule judge_copy(u8 *copy, u32 i)
{
	u32 place = GLASS_FRAME_HDR_BYTES, start = place, len = 0, k;
	enum glass_cable_rule rule;
	struct glass_frame f;

	rule = glass_frame_get(&f, copy, frame_len);
	if (rule)
		return rule;
	for (k = 0; k <= i && k < f.count; k++) {
		start = place;
		len = glass_frame_next(&f, copy, frame_len, &place);
		if (!len) {
			assert_int_equal(place, start);
			return GLASS_RULE_bad_length;
		}
		assert_true(place == start + len && place <= frame_len);
	}
	return glass_frame_packet(&f, copy + start, len, link_mtu, &got, &got_seg);
}

static enum glass_cable_rule judge(u32 i)
{
	u8 *copy = malloc(frame_len ? frame_len : 1);
	enum glass_cable_rule rule;

	memcpy(copy, frame, frame_len);
	rule = judge_copy(copy, i);
	free(copy);
	return rule;
}

/* ---- writing */

static void put_header(u32 count, bool no_vcrc)
{
	struct glass_frame f = { .kind = GLASS_FRAME_PACKETS, .count = count, .session = 0xabcd,
				 .flags = no_vcrc ? GLASS_FRAME_NO_VCRC : 0 };

	glass_frame_put(&f, frame);
}

/* A frame of all packets of a train */
static void put_train(const struct glass_pkt *train, bool no_vcrc)
{
	u32 i, off = 0;
	int n;

	put_header(1 + train->more, no_vcrc);
	frame_len = at[0] = GLASS_FRAME_HDR_BYTES;
	for (i = 0; i <= train->more; i++) {
		n = glass_frame_build(train, i, &off, no_vcrc, frame + frame_len, ROOM - frame_len);
		assert_true(n > 0);
		frame_len += n;
		at[i + 1] = frame_len;
	}
	assert_int_equal(off, train->len);
}

static struct glass_pkt plain(u8 opcode, struct glass_seg *seg, u32 len)
{
	struct glass_pkt p = { .lnh = GLASS_LNH_LOCAL, .slid = 5, .dlid = 6, .pkey = 0xffff,
			       .opcode = opcode, .dqpn = 7, .psn = 0xfffffe, .len = len,
			       .nseg = !!len, .seg = seg, .ack_req = 1, .va = 0x1000, .rkey = 9,
			       .dma_len = len, .qkey = 3, .sqpn = 4, .imm = 5 };

	seg->addr = payload;
	seg->len = len;
	return p;
}

/* A frame with one packet: a SEND of 101 bytes, with or without GRH */
static void put_plain(bool global, bool no_vcrc)
{
	struct glass_seg seg;
	struct glass_pkt p = plain(GLASS_BOP_SEND_ONLY, &seg, 101);

	p.lnh = global ? GLASS_LNH_GLOBAL : GLASS_LNH_LOCAL;
	put_train(&p, no_vcrc);
	link_mtu = GLASS_MTU_MAX;
	assert_int_equal(judge(0), GLASS_RULE_NONE);
}

/* Makes the CRCs of a packet right again. */
static void mend(u32 i, bool icrc, bool vcrc)
{
	bool no_vcrc = frame[3] & GLASS_FRAME_NO_VCRC;
	u8 *b = frame + at[i];
	u32 len = at[i + 1] - at[i] - (no_vcrc ? 0 : GLASS_VCRC_BYTES);

	if (icrc)
		glass_crc_put32(glass_icrc(b, len - 4), b + len - 4);
	if (vcrc && !no_vcrc)
		glass_crc_put16(glass_vcrc(b, len), b + len);
}

/* Byte `byte` of the packet becomes v: the packet breaks this rule. */
static void check_byte(bool global, u32 byte, u8 v, enum glass_cable_rule rule)
{
	int no_vcrc;

	for (no_vcrc = 0; no_vcrc < 2; no_vcrc++) {
		put_plain(global, no_vcrc);
		assert_int_not_equal(frame[at[0] + byte], v);
		frame[at[0] + byte] = v;
		/* an ICRC has no sense if it is unclear where the headers are */
		mend(0, rule != GLASS_RULE_bad_lrh && rule != GLASS_RULE_bad_grh, true);
		assert_int_equal(judge(0), rule);
	}
}

#define BTH GLASS_LRH_BYTES
#define GRH GLASS_LRH_BYTES

/* ---- the rules */

static void test_bad_short(void **state)
{
	(void)state;
	put_plain(false, false);
	for (frame_len = 0; frame_len < GLASS_FRAME_HDR_BYTES; frame_len++)
		assert_int_equal(judge(0), GLASS_RULE_bad_short);
	/* the header is whole, and no packet is there */
	assert_int_equal(judge(0), GLASS_RULE_bad_length);
}

static void test_bad_version(void **state)
{
	struct glass_frame f;

	(void)state;
	put_plain(false, false);
	for (frame[0] = 0; frame[0] < 255; frame[0]++)
		assert_int_equal(judge(0), frame[0] == GLASS_FRAME_VERSION ? GLASS_RULE_NONE :
									     GLASS_RULE_bad_version);
	/* the fields are decoded all the same: a hello can name its sender */
	frame[1] = GLASS_FRAME_HELLO;
	assert_int_equal(glass_frame_get(&f, frame, frame_len), GLASS_RULE_bad_version);
	assert_int_equal(f.kind, GLASS_FRAME_HELLO);
	assert_int_equal(f.session, 0xabcd);
}

static void test_bad_kind(void **state)
{
	u32 kind;

	(void)state;
	put_plain(false, false);
	for (kind = 0; kind < 256; kind++) {
		frame[1] = kind;
		if (kind != GLASS_FRAME_HELLO && kind != GLASS_FRAME_PACKETS)
			assert_int_equal(judge(0), GLASS_RULE_bad_kind);
	}
}

static void test_bad_header(void **state)
{
	struct glass_frame f = { .kind = GLASS_FRAME_HELLO };
	u32 v;

	(void)state;
	put_plain(false, false);
	frame[2] = 0;
	assert_int_equal(judge(0), GLASS_RULE_bad_header);
	put_plain(false, false);
	memset(frame + 4, 0, 4);
	assert_int_equal(judge(0), GLASS_RULE_bad_header);
	put_plain(false, true);
	for (v = 2; v < 256; v++) {
		frame[3] = v;
		assert_int_equal(judge(0), GLASS_RULE_bad_header);
	}
	/* a hello has neither packets nor flags, and may have heard nobody */
	glass_frame_put(&f, frame);
	assert_int_equal(glass_frame_get(&f, frame, 8), GLASS_RULE_NONE);
	frame[2] = 1;
	assert_int_equal(glass_frame_get(&f, frame, 8), GLASS_RULE_bad_header);
	frame[2] = 0;
	frame[3] = GLASS_FRAME_NO_VCRC;
	assert_int_equal(glass_frame_get(&f, frame, 8), GLASS_RULE_bad_header);
}

static void test_bad_length(void **state)
{
	int no_vcrc;
	u32 words, v;

	(void)state;
	for (no_vcrc = 0; no_vcrc < 2; no_vcrc++) {
		/* the frame ends before the packet does, by one byte and by more */
		put_plain(false, no_vcrc);
		for (frame_len--; frame_len > GLASS_FRAME_HDR_BYTES; frame_len--)
			assert_int_equal(judge(0), GLASS_RULE_bad_length);
		/* the length in the LRH: less than the shortest packet, and more than the frame */
		put_plain(false, no_vcrc);
		words = get_unaligned_be16(frame + at[0] + 4);
		for (v = 0; v < 0x800; v++) {
			if (v >= 6 && v <= words)
				continue;
			put_unaligned_be16(v, frame + at[0] + 4);
			assert_int_equal(judge(0), GLASS_RULE_bad_length);
		}
	}
	/* the headers of an atomic have 28 bytes, and the packet has 24 */
	for (no_vcrc = 0; no_vcrc < 2; no_vcrc++) {
		struct glass_seg seg;
		struct glass_pkt p = plain(GLASS_BOP_SEND_ONLY, &seg, 24);

		put_train(&p, no_vcrc);
		frame[at[0] + BTH] = GLASS_BOP_CMP_SWAP;
		mend(0, true, true);
		assert_int_equal(judge(0), GLASS_RULE_bad_length);
	}
	/* a GRH does not fit */
	for (no_vcrc = 0; no_vcrc < 2; no_vcrc++) {
		struct glass_seg seg;
		struct glass_pkt p = plain(GLASS_BOP_SEND_ONLY, &seg, 8);

		put_train(&p, no_vcrc);
		frame[at[0] + 1] = GLASS_LNH_GLOBAL;
		mend(0, false, true);
		assert_int_equal(judge(0), GLASS_RULE_bad_length);
	}
}

/* Packets with more payload than any MTU */
static void test_bad_length_long(void **state)
{
	static u8 big[GLASS_FRAME_HDR_BYTES + 0x7ff * 4];
	u32 words;

	(void)state;
	put_plain(false, true);
	memcpy(big, frame, 28);
	for (words = 1030; words < 0x800; words++) {
		u32 len = words * 4;
		struct glass_frame f;
		u32 place = 8;

		put_unaligned_be16(words, big + 8 + 4);
		big[8 + BTH + 1] = 0;
		glass_crc_put32(glass_icrc(big + 8, len - 4), big + 8 + len - 4);
		assert_int_equal(glass_frame_get(&f, big, 8 + len), GLASS_RULE_NONE);
		assert_int_equal(glass_frame_next(&f, big, 8 + len, &place), len);
		assert_int_equal(glass_frame_packet(&f, big + 8, len, GLASS_MTU_MAX, &got, &got_seg),
				 len - 24 > GLASS_MTU_MAX ? GLASS_RULE_bad_length :
							    GLASS_RULE_NONE);
	}
}

static void test_bad_vl(void **state)
{
	u32 vl;

	(void)state;
	for (vl = 1; vl < 15; vl++)
		check_byte(false, 0, vl << 4, GLASS_RULE_bad_vl);
	put_plain(false, false);
	frame[at[0]] = 0xf0;
	mend(0, true, true);
	assert_int_equal(judge(0), GLASS_RULE_NONE);
	assert_int_equal(got.vl, GLASS_VL_SMP);
}

static void test_bad_lrh(void **state)
{
	(void)state;
	check_byte(false, 0, 0x01, GLASS_RULE_bad_lrh); /* LVer */
	check_byte(false, 1, GLASS_LNH_RAW, GLASS_RULE_bad_lrh);
	check_byte(false, 1, 1, GLASS_RULE_bad_lrh);
	check_byte(false, 3, 0, GLASS_RULE_bad_lrh); /* DLID 0 */
	check_byte(false, 6, 0xc0, GLASS_RULE_bad_lrh); /* SLID of a group */
}

static void test_bad_grh(void **state)
{
	(void)state;
	check_byte(false, 1, GLASS_LNH_GLOBAL, GLASS_RULE_bad_grh); /* there is none */
	check_byte(true, GRH, 0x40, GLASS_RULE_bad_grh); /* IP version */
	check_byte(true, GRH + 6, 0x3a, GLASS_RULE_bad_grh);
	check_byte(true, GRH + 5, 0, GLASS_RULE_bad_grh); /* payload length */
}

static void test_bad_vcrc(void **state)
{
	(void)state;
	put_plain(false, false);
	frame[frame_len - 1] ^= 1;
	assert_int_equal(judge(0), GLASS_RULE_bad_vcrc);
	/* nobody looks at bytes behind a packet without VCRC */
	put_plain(false, true);
	frame[frame_len++] = 1;
	frame[frame_len++] = 2;
	assert_int_equal(judge(0), GLASS_RULE_NONE);
}

static void test_bad_icrc(void **state)
{
	int no_vcrc;

	(void)state;
	for (no_vcrc = 0; no_vcrc < 2; no_vcrc++) {
		put_plain(false, no_vcrc);
		frame[at[0] + 40] ^= 1;
		mend(0, false, true);
		assert_int_equal(judge(0), GLASS_RULE_bad_icrc);
	}
}

static void test_bad_bth(void **state)
{
	u32 op;

	(void)state;
	for (op = 0; op < 256; op++)
		if (!glass_opcode_valid(op))
			check_byte(false, BTH, op, GLASS_RULE_bad_bth);
	check_byte(false, BTH + 1, 0x31, GLASS_RULE_bad_bth); /* TVer */
}

static void test_bad_mtu(void **state)
{
	static const u32 mtus[] = { 256, 512, 1024, 2048, 4096 };
	struct glass_seg seg;
	struct glass_pkt p;
	u32 i;

	(void)state;
	for (i = 0; i + 1 < ARRAY_SIZE(mtus); i++) {
		p = plain(GLASS_BOP_SEND_ONLY, &seg, mtus[i]);
		put_train(&p, false);
		link_mtu = mtus[i];
		assert_int_equal(judge(0), GLASS_RULE_NONE);
		p = plain(GLASS_BOP_SEND_ONLY, &seg, mtus[i] + 1);
		put_train(&p, false);
		assert_int_equal(judge(0), GLASS_RULE_bad_mtu);
	}
	link_mtu = GLASS_MTU_MAX;
}

/* ---- what is built parses back */

static void test_header(void **state)
{
	u8 b[GLASS_FRAME_HDR_BYTES];
	u32 i;

	(void)state;
	for (i = 0; i < 1000; i++) {
		struct glass_frame f = { .session = rnd() }, g;

		f.kind = rnd_below(2) ? GLASS_FRAME_HELLO : GLASS_FRAME_PACKETS;
		if (f.kind == GLASS_FRAME_PACKETS) {
			f.count = 1 + rnd_below(255);
			f.flags = rnd_below(2) * GLASS_FRAME_NO_VCRC;
			f.session |= 1;
		}
		glass_frame_put(&f, b);
		assert_int_equal(glass_frame_get(&g, b, sizeof(b)), GLASS_RULE_NONE);
		assert_int_equal(g.kind, f.kind);
		assert_int_equal(g.count, f.count);
		assert_int_equal(g.flags, f.flags);
		assert_int_equal(g.session, f.session);
	}
}

/* The bytes of a packet as wire/serial.h makes them */
static u32 wire_of(const struct glass_pkt *p, const u8 *data, u8 *to)
{
	struct glass_seg seg = { (void *)data, p->len };
	struct glass_pkt one = *p;
	int n;

	one.nseg = !!p->len;
	one.seg = &seg;
	n = glass_pkt_build(&one, to, GLASS_PKT_WIRE_MAX);
	assert_true(n > 0);
	return n;
}

/* Packet i of the frame is part i of the train, whose payload begins at `off`. */
static void check_part(const struct glass_pkt *train, u32 i, u32 off, bool no_vcrc)
{
	static u8 want[GLASS_PKT_WIRE_MAX], again[GLASS_PKT_WIRE_MAX];
	u8 *copy = malloc(frame_len);
	struct glass_pkt one;
	u32 n;

	assert_int_equal(glass_train_part(train, i, &one), 0);
	n = wire_of(&one, payload + off, want);
	assert_int_equal(at[i + 1] - at[i], no_vcrc ? n - GLASS_VCRC_BYTES : n);
	assert_memory_equal(frame + at[i], want, at[i + 1] - at[i]);
	memcpy(copy, frame, frame_len);
	assert_int_equal(judge_copy(copy, i), GLASS_RULE_NONE);
	assert_int_equal(got.opcode, one.opcode);
	assert_int_equal(got.psn, one.psn);
	assert_int_equal(got.len, one.len);
	assert_int_equal(got.nseg, !!one.len);
	assert_true(!one.len || (got_seg.len == one.len && (u8 *)got_seg.addr >= copy + at[i] &&
				 (u8 *)got_seg.addr + one.len <= copy + at[i + 1]));
	/* all fields that travel */
	assert_int_equal(wire_of(&got, one.len ? got_seg.addr : NULL, again), n);
	assert_memory_equal(again, want, n);
	free(copy);
}

static void check_train(const struct glass_pkt *train, bool no_vcrc)
{
	struct glass_pkt one;
	u32 i, off = 0;

	put_train(train, no_vcrc);
	for (i = 0; i <= train->more; i++) {
		check_part(train, i, off, no_vcrc);
		glass_train_part(train, i, &one);
		off += one.len;
	}
}

/* Cuts the payload of a packet into random pieces. */
static void cut(struct glass_pkt *p, struct glass_seg *segs)
{
	u32 off = 0;

	p->seg = segs;
	for (p->nseg = 0; off < p->len; off += segs[p->nseg++].len) {
		u32 left = p->len - off;

		segs[p->nseg].addr = payload + off;
		segs[p->nseg].len = p->nseg == GLASS_PKT_SEGS - 1 ? left : 1 + rnd_below(left);
	}
}

/* A random packet with this opcode. Fields of other headers are random too. */
static void random_pkt(struct glass_pkt *p, struct glass_seg *segs, u8 opcode)
{
	rnd_fill(p, sizeof(*p));
	p->fate = NULL;
	p->wire = NULL;
	p->vl = rnd_below(2) * GLASS_VL_SMP;
	p->sl &= 15;
	p->lver = p->tver = 0;
	p->lnh = rnd_below(2) ? GLASS_LNH_LOCAL : GLASS_LNH_GLOBAL;
	p->slid = rnd_below(GLASS_LID_MCAST_BASE);
	p->dlid = 1 + rnd_below(0xffff);
	p->psn &= GLASS_PSN_MASK;
	p->feth &= 0x3f;
	p->opcode = opcode;
	p->more = 0;
	p->len = 0;
	if (glass_opcodes[opcode].flags & GLASS_OPF_PAYLOAD)
		p->len = rnd_below(4) ? rnd_below(300) : rnd_below(GLASS_MTU_MAX + 1);
	cut(p, segs);
}

static void test_each_opcode(void **state)
{
	static struct glass_seg segs[GLASS_PKT_SEGS];
	struct glass_pkt p;
	u32 op, i;

	(void)state;
	rnd_fill(payload, sizeof(payload));
	for (op = 0; op < 256; op++)
		for (i = 0; glass_opcode_valid(op) && i < 20; i++) {
			random_pkt(&p, segs, op);
			check_train(&p, i & 1);
		}
}

/* Trains of each opcode that has some */
static void test_trains(void **state)
{
	static struct glass_seg segs[GLASS_PKT_SEGS];
	struct glass_pkt p, one;
	u32 op, i, trains = 0;

	(void)state;
	rnd_fill(payload, sizeof(payload));
	for (op = 0; op < 256; op++)
		for (i = 0; glass_opcode_valid(op) && (op & GLASS_TR_MASK) != GLASS_TR_UD && i < 10;
		     i++) {
			u32 mtu = 256 << rnd_below(5);

			random_pkt(&p, segs, op);
			p.lnh = GLASS_LNH_LOCAL;
			p.more = 1 + rnd_below(PACKETS - 1);
			p.len = p.more * mtu + (i % 4 ? 1 + rnd_below(mtu) : mtu);
			cut(&p, segs);
			if (glass_train_part(&p, 0, &one) || !glass_opcode_valid(one.opcode))
				continue;
			check_train(&p, i & 1);
			trains++;
		}
	/* RC and XRC: SEND and WRITE in 12 opcodes, READ responses in 4; UC without invalidation */
	assert_true(trains >= 400);
}

static void test_build_refuses(void **state)
{
	struct glass_seg seg;
	struct glass_pkt p = plain(GLASS_BOP_SEND_ONLY, &seg, 101);
	int no_vcrc, full;
	u32 off;

	(void)state;
	for (no_vcrc = 0; no_vcrc < 2; no_vcrc++) {
		u32 size;

		put_train(&p, no_vcrc);
		full = frame_len - GLASS_FRAME_HDR_BYTES;
		for (size = 0; size <= (u32)full; size++) {
			u8 *to = malloc(size ? size : 1);

			off = 0;
			assert_int_equal(glass_frame_build(&p, 0, &off, no_vcrc, to, size),
					 size < (u32)full ? -ENOSPC : full);
			free(to);
		}
	}
	off = 0;
	assert_int_equal(glass_frame_build(&p, 1, &off, false, frame, ROOM), -EINVAL);
	p.len = 102; /* the pieces have 101 bytes */
	assert_int_equal(glass_frame_build(&p, 0, &off, false, frame, ROOM), -EINVAL);
	p = plain(0x40, &seg, 8);
	assert_int_equal(glass_frame_build(&p, 0, &off, false, frame, ROOM), -EINVAL);
	p = plain(GLASS_BOP_SEND_ONLY, &seg, GLASS_MTU_MAX + 1);
	assert_int_equal(glass_frame_build(&p, 0, &off, false, frame, ROOM), -EINVAL);
	p = plain(GLASS_BOP_READ_REQ, &seg, 300);
	p.more = 1;
	assert_int_equal(glass_frame_build(&p, 0, &off, false, frame, ROOM), -EINVAL);
}

/* Bytes behind the last packet are padding, whatever they are. */
static void test_padding(void **state)
{
	struct glass_seg seg;
	struct glass_pkt p = plain(GLASS_BOP_SEND_ONLY, &seg, 1000);
	u32 no_vcrc, n;

	(void)state;
	p.more = 3;
	for (no_vcrc = 0; no_vcrc < 2; no_vcrc++) {
		put_train(&p, no_vcrc);
		for (n = 0; n < 64; n++) {
			u32 i;

			for (i = 0; i < 4; i++)
				assert_int_equal(judge(i), GLASS_RULE_NONE);
			frame[frame_len++] = rnd_below(2) ? 0 : rnd();
		}
		/* but no packet: there, the next one has no end */
		memset(frame + at[4], 0, frame_len - at[4]);
		frame[2] = 5;
		assert_int_equal(judge(3), GLASS_RULE_NONE);
		assert_int_equal(judge(4), GLASS_RULE_bad_length);
	}
}

/* A packet that breaks a rule does not hide the next one. */
static void test_packets_alone(void **state)
{
	struct glass_seg seg;
	struct glass_pkt p = plain(GLASS_BOP_SEND_ONLY, &seg, 1000);

	(void)state;
	p.more = 3;
	put_train(&p, false);
	frame[at[1] + 40] ^= 1;
	frame[at[2]] = 0x10;
	assert_int_equal(judge(0), GLASS_RULE_NONE);
	assert_int_equal(judge(1), GLASS_RULE_bad_vcrc);
	assert_int_equal(judge(2), GLASS_RULE_bad_vl);
	assert_int_equal(judge(3), GLASS_RULE_NONE);
}

/* Random frames: each packet is there; one flipped bit of a packet with VCRC breaks a rule. */
static void test_random(void **state)
{
	static struct glass_seg segs[GLASS_PKT_SEGS];
	struct glass_pkt p;
	u32 round, i, op;

	(void)state;
	rnd_fill(payload, sizeof(payload));
	for (round = 0; round < 3000; round++) {
		u32 n = 1 + rnd_below(PACKETS), off, bit;
		bool no_vcrc = rnd_below(2);

		put_header(n, no_vcrc);
		frame_len = at[0] = GLASS_FRAME_HDR_BYTES;
		for (i = 0; i < n; i++) {
			do
				op = rnd_below(256);
			while (!glass_opcode_valid(op));
			random_pkt(&p, segs, op);
			off = 0;
			frame_len += glass_frame_build(&p, 0, &off, no_vcrc, frame + frame_len,
						       ROOM - frame_len);
			at[i + 1] = frame_len;
		}
		frame_len += rnd_below(64);
		for (i = 0; i < n; i++)
			assert_int_equal(judge(i), GLASS_RULE_NONE);
		if (no_vcrc)
			continue;
		i = rnd_below(n);
		bit = at[i] * 8 + rnd_below((at[i + 1] - at[i]) * 8);
		frame[bit / 8] ^= 1 << bit % 8;
		assert_int_not_equal(judge(i), GLASS_RULE_NONE);
	}
}

/* ---- hellos */

static u8 hello[GLASS_HELLO_BYTES];

/* Parses a heap block of the exact length. */
static enum glass_cable_rule get_hello(struct glass_hello *h, size_t len, bool named)
{
	u8 *copy = malloc(len ? len : 1);
	enum glass_cable_rule rule;

	memcpy(copy, hello, len);
	rule = glass_hello_get(h, copy, len, named);
	free(copy);
	return rule;
}

static void random_text(char *to, u32 most, char low, u8 high)
{
	u32 n = 1 + rnd_below(most), i;

	for (i = 0; i < n; i++)
		to[i] = low + rnd_below(high - low + 1);
}

static void random_hello(struct glass_hello *h)
{
	memset(h, 0, sizeof(*h));
	h->session = rnd() | 1;
	random_text(h->node, GLASS_HELLO_NODE, '!', '~');
	random_text(h->host, GLASS_HELLO_HOST, '!', '~');
	random_text(h->desc, GLASS_HELLO_DESC, 1, 255);
	h->guid = rnd() | 1;
	h->port = 1 + rnd_below(254);
	h->type = 1 + rnd_below(2);
	h->flags = rnd_below(4);
	h->mtu = 1 + rnd_below(5);
	h->width = rnd();
	h->speed = rnd();
	h->speed_ext = rnd();
	h->frames = rnd();
}

static void check_same_hello(const struct glass_hello *a, const struct glass_hello *b)
{
	assert_int_equal(a->session, b->session);
	assert_string_equal(a->node, b->node);
	assert_string_equal(a->host, b->host);
	assert_string_equal(a->desc, b->desc);
	assert_int_equal(a->guid, b->guid);
	assert_int_equal(a->port, b->port);
	assert_int_equal(a->type, b->type);
	assert_int_equal(a->flags, b->flags);
	assert_int_equal(a->mtu, b->mtu);
	assert_int_equal(a->width, b->width);
	assert_int_equal(a->speed, b->speed);
	assert_int_equal(a->speed_ext, b->speed_ext);
	assert_int_equal(a->frames, b->frames);
}

static void test_hello(void **state)
{
	struct glass_hello h, g;
	u32 i;

	(void)state;
	for (i = 0; i < 2000; i++) {
		random_hello(&h);
		glass_hello_put(&h, hello);
		assert_int_equal(get_hello(&g, GLASS_HELLO_BYTES, false), GLASS_RULE_NONE);
		check_same_hello(&h, &g);
	}
	/* the longest texts, and no description */
	random_hello(&h);
	memset(h.node, 'n', GLASS_HELLO_NODE);
	memset(h.host, 'h', GLASS_HELLO_HOST);
	memset(h.desc, 0xff, GLASS_HELLO_DESC);
	for (i = 0; i < 2; i++) {
		glass_hello_put(&h, hello);
		assert_int_equal(get_hello(&g, GLASS_HELLO_BYTES, false), GLASS_RULE_NONE);
		check_same_hello(&h, &g);
		memset(h.desc, 0, sizeof(h.desc));
	}
	/* padding behind it */
	{
		u8 padded[GLASS_HELLO_BYTES + 50] = { 0 };

		memcpy(padded, hello, sizeof(hello));
		assert_int_equal(glass_hello_get(&g, padded, sizeof(padded), false),
				 GLASS_RULE_NONE);
		check_same_hello(&h, &g);
	}
}

/* The offsets that all versions keep */
static void test_hello_layout(void **state)
{
	struct glass_hello h = { .session = 0x01020304, .node = "node", .host = "host",
				 .desc = "desc", .guid = 1, .port = 1, .type = 1, .mtu = 1 };

	(void)state;
	memset(hello, 0xee, sizeof(hello));
	glass_hello_put(&h, hello);
	assert_int_equal(get_unaligned_be32(hello), 0x01020304);
	assert_string_equal((char *)hello + 4, "node");
	assert_string_equal((char *)hello + 36, "host");
	assert_string_equal((char *)hello + 100, "desc");
	assert_int_equal(get_unaligned_be64(hello + 164), 1);
	/* no byte of the stack goes out */
	assert_null(memchr(hello, 0xee, sizeof(hello)));
}

/* A hello with this wrong field is refused; if it is one that all versions have, in all of them. */
#define WRONG(common, what)                                                                        \
	do {                                                                                       \
		struct glass_hello h, g;                                                           \
                                                                                                   \
		random_hello(&h);                                                                  \
		glass_hello_put(&h, hello);                                                        \
		assert_int_equal(get_hello(&g, GLASS_HELLO_BYTES, false), GLASS_RULE_NONE);        \
		what;                                                                              \
		glass_hello_put(&h, hello);                                                        \
		assert_int_equal(get_hello(&g, GLASS_HELLO_BYTES, false), GLASS_RULE_bad_hello);   \
		assert_int_equal(get_hello(&g, GLASS_HELLO_BYTES, true),                           \
				 (common) ? GLASS_RULE_bad_hello : GLASS_RULE_NONE);               \
	} while (0)

static void test_bad_hello(void **state)
{
	static const u8 no_word[] = { 1, '\t', '\n', 0x1b, ' ', 0x7f, 0x80, 0xa0, 0xff };
	u32 i;

	(void)state;
	WRONG(true, h.session = 0);
	WRONG(true, h.node[0] = 0);
	WRONG(true, h.host[0] = 0);
	for (i = 0; i < ARRAY_SIZE(no_word); i++) {
		WRONG(true, h.node[strlen(h.node) - 1] = no_word[i]);
		WRONG(true, h.host[strlen(h.host) - 1] = no_word[i]);
	}
	WRONG(false, h.guid = 0);
	WRONG(false, h.port = 0);
	WRONG(false, h.port = 255);
	WRONG(false, h.type = 0);
	WRONG(false, h.type = 3);
	WRONG(false, h.mtu = 0);
	WRONG(false, h.mtu = 6);
	for (i = 4; i < 256; i *= 2)
		WRONG(false, h.flags = i);
}

static void test_short_hello(void **state)
{
	struct glass_hello h, g;
	u32 len;

	(void)state;
	random_hello(&h);
	glass_hello_put(&h, hello);
	for (len = 0; len < GLASS_HELLO_BYTES; len++) {
		assert_int_equal(get_hello(&g, len, false), GLASS_RULE_bad_hello);
		assert_int_equal(get_hello(&g, len, true),
				 len < 164 ? GLASS_RULE_bad_hello : GLASS_RULE_NONE);
	}
}

/* Of another version, only the names are read. */
static void test_named_hello(void **state)
{
	struct glass_hello h, g;

	(void)state;
	random_hello(&h);
	glass_hello_put(&h, hello);
	memset(hello + 164, 0xff, GLASS_HELLO_BYTES - 164);
	assert_int_equal(get_hello(&g, GLASS_HELLO_BYTES, false), GLASS_RULE_bad_hello);
	assert_int_equal(get_hello(&g, GLASS_HELLO_BYTES, true), GLASS_RULE_NONE);
	assert_int_equal(g.session, h.session);
	assert_string_equal(g.node, h.node);
	assert_string_equal(g.host, h.host);
	assert_string_equal(g.desc, h.desc);
	assert_int_equal(g.guid, 0);
	assert_int_equal(g.frames, 0);
}

static void test_mtu_code(void **state)
{
	u32 code;

	(void)state;
	for (code = 1; code <= 5; code++) {
		u32 least = GLASS_FRAME_MTU(128u << code);

		assert_int_equal(glass_frame_mtu_code(least), code);
		assert_int_equal(glass_frame_mtu_code(least - 1), code - 1);
	}
	assert_int_equal(glass_frame_mtu_code(0), 0);
	assert_int_equal(glass_frame_mtu_code(68), 0);
	assert_int_equal(glass_frame_mtu_code(1500), GLASS_MTU_1024);
	assert_int_equal(glass_frame_mtu_code(2200), GLASS_MTU_2048);
	assert_int_equal(glass_frame_mtu_code(4202), GLASS_MTU_4096);
	assert_int_equal(glass_frame_mtu_code(9000), GLASS_MTU_4096);
	assert_int_equal(glass_frame_mtu_code(~0U), GLASS_MTU_4096);
	/* the longest packet of each MTU is no longer than that */
	assert_int_equal(GLASS_FRAME_MTU(GLASS_MTU_MAX), GLASS_FRAME_HDR_BYTES + GLASS_PKT_WIRE_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bad_short),
		cmocka_unit_test(test_bad_version),
		cmocka_unit_test(test_bad_kind),
		cmocka_unit_test(test_bad_header),
		cmocka_unit_test(test_bad_length),
		cmocka_unit_test(test_bad_length_long),
		cmocka_unit_test(test_bad_vl),
		cmocka_unit_test(test_bad_lrh),
		cmocka_unit_test(test_bad_grh),
		cmocka_unit_test(test_bad_vcrc),
		cmocka_unit_test(test_bad_icrc),
		cmocka_unit_test(test_bad_bth),
		cmocka_unit_test(test_bad_mtu),
		cmocka_unit_test_setup(test_bad_hello, rnd_restart),
		cmocka_unit_test_setup(test_header, rnd_restart),
		cmocka_unit_test_setup(test_each_opcode, rnd_restart),
		cmocka_unit_test_setup(test_trains, rnd_restart),
		cmocka_unit_test(test_build_refuses),
		cmocka_unit_test_setup(test_padding, rnd_restart),
		cmocka_unit_test(test_packets_alone),
		cmocka_unit_test_setup(test_random, rnd_restart),
		cmocka_unit_test_setup(test_hello, rnd_restart),
		cmocka_unit_test(test_hello_layout),
		cmocka_unit_test_setup(test_short_hello, rnd_restart),
		cmocka_unit_test_setup(test_named_hello, rnd_restart),
		cmocka_unit_test(test_mtu_code),
	};

	return cmocka_run_group_tests(tests, rnd_group, NULL);
}
