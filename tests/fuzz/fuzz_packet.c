// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packets and frames. Bytes of anybody are parsed: what is accepted meets the checks of the
 * specification, and builds to the same bytes. Fields are built: what is built parses to the same
 * fields. Trains fall into packets that build.
 */
#include <stdlib.h>
#include <string.h>

#include "fields.h"
#include "fuzz.h"
#include "wire/crc.h"
#include "wire/opcode.h"
#include "wire/place.h"
#include "wire/serial.h"
#include "wire/train.h"

#define TRAIN_MAX 16

/* IBA 7.7 and 9.2, from the bytes: what an accepted packet must be, whoever parsed it */
static void check_accepted(const uint8_t *b, size_t len, u32 flags)
{
	bool global = (b[1] & 3) == GLASS_LNH_GLOBAL;
	const uint8_t *bth = b + GLASS_LRH_BYTES + (global ? GLASS_GRH_BYTES : 0);
	u16 slid = get_unaligned_be16(b + 6);

	FUZZ_CHECK(len >= 26 && len <= GLASS_PKT_WIRE_MAX, "%zu bytes", len);
	FUZZ_CHECK((get_unaligned_be16(b + 4) & 0x7ff) == (len - GLASS_VCRC_BYTES) / 4 &&
		   len % 4 == GLASS_VCRC_BYTES, "packet length");
	FUZZ_CHECK(!(b[0] & 0xf) && (b[1] & 3) >= GLASS_LNH_LOCAL, "LVer or LNH");
	FUZZ_CHECK(get_unaligned_be16(b + 2) && (slid < 0xc000 || slid == 0xffff), "LIDs");
	FUZZ_CHECK(!(bth[1] & 0xf) && glass_opcode_valid(bth[0]), "TVer or opcode %02x", bth[0]);
	if (global)
		FUZZ_CHECK(b[8] >> 4 == 6 && b[14] == 0x1b &&
			   get_unaligned_be16(b + 12) == len - 8 - 40 - 2, "GRH");
	if (!(flags & GLASS_PARSE_NO_ICRC))
		FUZZ_CHECK(glass_crc_get32(b + len - 6) == glass_icrc(b, len - 6), "ICRC");
	if (!(flags & GLASS_PARSE_NO_VCRC))
		FUZZ_CHECK(glass_crc_get16(b + len - 2) == glass_vcrc(b, len - 2), "VCRC");
}

/* Bits that are not kept: reserved ones, which build as 0, the padding and both CRCs */
static void clear_reserved(uint8_t *b, size_t len, const struct glass_pkt *p)
{
	uint8_t *bth = b + GLASS_LRH_BYTES + (p->lnh == GLASS_LNH_GLOBAL ? GLASS_GRH_BYTES : 0);

	b[1] &= ~0x0c;
	b[4] &= 0x07;
	clear_reserved_transport(bth, p);
	memset(b + len - 6 - p->pad, 0, 6 + p->pad);
}

static void check_rebuilt(const uint8_t *bytes, size_t len, const struct glass_pkt *p)
{
	static uint8_t again[GLASS_PKT_WIRE_MAX], was[GLASS_PKT_WIRE_MAX];
	struct glass_pkt q;
	struct glass_seg seg;
	enum glass_drop why;
	int n = glass_pkt_build(p, again, sizeof(again));

	FUZZ_CHECK(n == (int)len, "%zu bytes build to %d", len, n);
	FUZZ_CHECK(!glass_pkt_parse(&q, &seg, again, n, 0, &why), "what was built: %u", why);
	memcpy(was, bytes, len);
	clear_reserved(was, len, p);
	clear_reserved(again, len, p);
	FUZZ_CHECK(!memcmp(was, again, len), "not the same bytes");
}

static void frame(void)
{
	u32 flags = fuzz_u8() & 3;
	u8 how = fuzz_u8();
	bool repair = how & 1;
	size_t len = GLASS_PKT_WIRE_MAX + 8;
	const uint8_t *in = fuzz_take(&len);
	uint8_t *bytes = malloc(len ? len : 1);
	struct glass_seg seg;
	struct glass_pkt p;
	enum glass_drop why;

	memcpy(bytes, in, len);
	/* a frame with the right length and CRCs gets further */
	if (repair && len >= 26) {
		len -= (len - 2) % 4;
		put_unaligned_be16((len - 2) / 4, bytes + 4);
		if (!(how & 2) && ((bytes[1] & 3) == GLASS_LNH_LOCAL ||
				   ((bytes[1] & 3) == GLASS_LNH_GLOBAL && len >= 66)))
			glass_crc_put32(glass_icrc(bytes, len - 6), bytes + len - 6);
		glass_crc_put16(glass_vcrc(bytes, len - 2), bytes + len - 2);
	}
	if (glass_pkt_parse(&p, &seg, bytes, len, flags, &why)) {
		FUZZ_CHECK(why > GLASS_DROP_NONE && why < GLASS_DROP_COUNT, "reason %u", why);
	} else {
		FUZZ_CHECK(why == GLASS_DROP_NONE, "accepted with reason %u", why);
		check_accepted(bytes, len, flags);
		FUZZ_CHECK(p.len <= GLASS_MTU_MAX && p.nseg == !!p.len &&
			   (!p.len || ((uint8_t *)seg.addr >= bytes &&
				       (uint8_t *)seg.addr + seg.len <= bytes + len)),
			   "payload of %u", p.len);
		check_rebuilt(bytes, len, &p);
	}
	free(bytes);
}

/* A payload, and the ways to read it */
static void check_readers(const struct glass_pkt *p, const uint8_t *mem)
{
	static uint8_t to[GLASS_MTU_MAX + 8] __attribute__((aligned(8)));
	u32 off = fuzz_below(p->len + 2), len = fuzz_below(GLASS_MTU_MAX);
	u32 want = off < p->len ? min(len, p->len - off) : 0, at = fuzz_below(8);
	struct glass_cursor c;

	FUZZ_CHECK(glass_pkt_copy_payload(p, off, to, len) == want &&
		   !memcmp(to, mem + off, want), "payload from %u", off);
	if (!want || at + want > GLASS_MTU_MAX)
		return;
	memset(to, 0x5a, sizeof(to));
	glass_cursor_init(&c, p, off);
	glass_place_last(&c, to + at, want);
	FUZZ_CHECK(!memcmp(to + at, mem + off, want) && to[at + want] == 0x5a, "placed %u", want);
}

static void fields(void)
{
	static uint8_t bytes[GLASS_PKT_WIRE_MAX], mem[GLASS_MTU_MAX];
	static struct glass_seg segs[GLASS_PKT_SEGS];
	struct glass_pkt p, q, one;
	struct glass_seg seg;
	enum glass_drop why;
	size_t room;
	int n;

	random_fields(&p);
	p.more = 0;
	p.len = fuzz_below(GLASS_MTU_MAX + 2);
	if (p.len <= GLASS_MTU_MAX) {
		fuzz_bytes(mem, min(p.len, 64u));
		make_payload(&p, segs, mem, p.len);
		check_readers(&p, mem);
	}
	room = fuzz_below(4) ? sizeof(bytes) : fuzz_below(sizeof(bytes));
	n = glass_pkt_build(&p, bytes, room);
	if (n < 0) {
		FUZZ_CHECK(n == -ENOSPC ? room < glass_pkt_wire_bytes(&p) :
				   n == -EINVAL && (!glass_opcode_valid(p.opcode) ||
						    p.len > GLASS_MTU_MAX), "build: %d", n);
		return;
	}
	FUZZ_CHECK((size_t)n <= room && n == (int)glass_pkt_wire_bytes(&p), "%d bytes", n);
	if (!p.dlid || (p.slid >= 0xc000 && p.slid != 0xffff)) {
		FUZZ_CHECK(glass_pkt_parse(&q, &seg, bytes, n, 0, &why) &&
			   why == GLASS_DROP_BAD_LRH, "LIDs");
		return;
	}
	FUZZ_CHECK(!glass_pkt_parse(&q, &seg, bytes, n, 0, &why), "what was built: %u", why);
	check_same_lrh(&p, &q);
	check_same(&p, &q);
	FUZZ_CHECK(!p.len || !memcmp(seg.addr, mem, p.len), "payload");
	FUZZ_CHECK(!glass_train_part(&p, 0, &one) && one.len == p.len, "a train of one");
	/* one bit is found by one of the CRCs, but where it changes nothing that they cover */
	if (fuzz_u8() & 1) {
		u32 bit = fuzz_below(n * 8);

		bytes[bit / 8] ^= 1 << bit % 8;
		FUZZ_CHECK(glass_pkt_parse(&q, &seg, bytes, n, 0, &why), "bit %u", bit);
	}
}

/* The parts of a train together are the train. */
static void train(void)
{
	struct glass_pkt p, one;
	u32 i, len = 0, acks = 0;
	bool has_messages; /* of several packets: a datagram is one */

	random_fields(&p);
	has_messages = (p.opcode & GLASS_TR_MASK) != GLASS_TR_UD;
	p.more = fuzz_below(TRAIN_MAX);
	p.len = fuzz_below(TRAIN_MAX * GLASS_MTU_MAX + 1);
	FUZZ_CHECK(glass_train_part(&p, p.more + 1, &one) == -EINVAL, "a part behind the end");
	for (i = 0; i <= p.more; i++) {
		if (glass_train_part(&p, i, &one))
			return;
		FUZZ_CHECK(one.psn == (p.more ? (p.psn + i) & GLASS_PSN_MASK : p.psn) && !one.more,
			   "part %u: PSN 0x%x", i, one.psn);
		FUZZ_CHECK(!p.more || (one.len <= GLASS_MTU_MAX &&
				       (!has_messages || !glass_opcode_valid(p.opcode) ||
					glass_opcode_valid(one.opcode))),
			   "part %u: %u bytes, opcode 0x%x", i, one.len, one.opcode);
		len += one.len;
		acks += one.ack_req;
	}
	FUZZ_CHECK(len == p.len && acks == p.ack_req, "%u of %u bytes", len, p.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_begin(data, size);
	switch (fuzz_u8() & 3) {
	case 0:
	case 1:
		frame();
		break;
	case 2:
		fields();
		break;
	default:
		train();
	}
	return 0;
}
