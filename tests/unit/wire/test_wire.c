// SPDX-License-Identifier: GPL-2.0-only
/* Packets to bytes and back, the opcode table, PSN arithmetic. */
#include "harness.h"

#include "wire/crc.h"
#include "wire/opcode.h"
#include "wire/serial.h"

#define ROUNDS 40

static u8 payload[GLASS_MTU_MAX];
static u8 wire[GLASS_PKT_WIRE_MAX];

/* Cuts payload bytes 0 .. len - 1 into random pieces. */
static u16 cut(struct glass_seg *seg, u32 len)
{
	u32 off = 0;
	u16 n = 0;

	while (off < len) {
		u32 piece = n == GLASS_PKT_SEGS - 1 ? len - off : 1 + rnd_below(len - off);

		seg[n].addr = payload + off;
		seg[n].len = piece;
		off += piece;
		n++;
	}
	return n;
}

/* A random packet of this opcode with fields within their widths. */
static void random_pkt(struct glass_pkt *p, struct glass_seg *seg, u8 opcode)
{
	u16 h = glass_opcodes[opcode].hdrs;

	memset(p, 0, sizeof(*p));
	p->vl = rnd_below(16);
	p->sl = rnd_below(16);
	p->slid = rnd_below(GLASS_LID_MCAST_BASE);
	p->dlid = 1 + rnd_below(0xffff);
	p->lnh = rnd_below(2) ? GLASS_LNH_LOCAL : GLASS_LNH_GLOBAL;
	if (p->lnh == GLASS_LNH_GLOBAL) {
		p->grh.tclass = rnd();
		p->grh.hop_limit = rnd();
		p->grh.flow_label = rnd_below(1 << 20);
		rnd_fill(p->grh.sgid, 16);
		rnd_fill(p->grh.dgid, 16);
	}
	p->opcode = opcode;
	p->se = rnd_below(2);
	p->mig = rnd_below(2);
	p->ack_req = rnd_below(2);
	p->pkey = rnd();
	p->dqpn = rnd_below(1 << 24);
	p->psn = rnd_below(1 << 24);
	if (h & GLASS_HDR_XRCETH)
		p->xrc_srq = rnd_below(1 << 24);
	if (h & GLASS_HDR_DETH) {
		p->qkey = rnd();
		p->sqpn = rnd_below(1 << 24);
	}
	if (h & (GLASS_HDR_RETH | GLASS_HDR_ATOMICETH)) {
		p->va = rnd();
		p->rkey = rnd();
	}
	if (h & GLASS_HDR_RETH)
		p->dma_len = rnd();
	if (h & GLASS_HDR_ATOMICETH) {
		p->swap_add = rnd();
		p->cmp = rnd();
	}
	if (h & GLASS_HDR_AETH) {
		p->syndrome = rnd();
		p->msn = rnd_below(1 << 24);
	}
	if (h & GLASS_HDR_ATOMICACK)
		p->orig = rnd();
	if (h & GLASS_HDR_IMM)
		p->imm = rnd();
	if (h & GLASS_HDR_IETH)
		p->ieth = rnd();
	if (h & GLASS_HDR_FETH)
		p->feth = rnd();
	if (glass_opcodes[opcode].flags & GLASS_OPF_PAYLOAD)
		p->len = rnd_below(8) ? rnd_below(300) : rnd_below(GLASS_MTU_MAX + 1);
	rnd_fill(payload, p->len);
	p->seg = seg;
	p->nseg = cut(seg, p->len);
}

static int build(const struct glass_pkt *p)
{
	return glass_pkt_build(p, wire, sizeof(wire));
}

/* Parses a copy in a heap block of exactly len bytes, so that ASan sees a read beyond. */
static int parse(const u8 *bytes, size_t len, u32 flags, struct glass_pkt *p,
		 enum glass_drop *why, u8 *out)
{
	u8 *copy = malloc(len ? len : 1);
	struct glass_seg seg = { 0 };
	int ret;

	memcpy(copy, bytes, len);
	ret = glass_pkt_parse(p, &seg, copy, len, flags, why);
	if (!ret) {
		assert_int_equal(*why, GLASS_DROP_NONE);
		assert_int_equal(p->nseg, p->len ? 1 : 0);
		if (p->len) {
			assert_int_equal(seg.len, p->len);
			assert_true((u8 *)seg.addr >= copy && seg.len <= len);
			memcpy(out, seg.addr, seg.len);
		}
	} else {
		assert_int_equal(ret, -EINVAL);
		assert_int_not_equal(*why, GLASS_DROP_NONE);
	}
	p->seg = NULL;
	free(copy);
	return ret;
}

static void test_round_trip(void **state)
{
	static struct glass_pkt p, q;
	static struct glass_seg seg[GLASS_PKT_SEGS];
	static u8 back[GLASS_MTU_MAX];
	enum glass_drop why;
	u32 op, i;
	int len;

	(void)state;
	for (op = 0; op < 256; op++) {
		if (!glass_opcode_valid(op))
			continue;
		for (i = 0; i < ROUNDS; i++) {
			random_pkt(&p, seg, op);
			len = build(&p);
			assert_int_equal(len, glass_pkt_wire_bytes(&p));
			assert_int_equal(get_unaligned_be16(wire + 4), glass_pkt_words(&p));
			assert_int_equal(len, glass_pkt_words(&p) * 4 + 2);
			assert_int_equal(parse(wire, len, 0, &q, &why, back), 0);
			assert_memory_equal(back, payload, p.len);
			/* what the parser works out and the builder ignored */
			assert_int_equal(q.pad, -p.len & 3);
			if (q.lnh == GLASS_LNH_GLOBAL) {
				assert_int_equal(q.grh.next_hdr, 0x1b);
				assert_int_equal(q.grh.pay_len, len - 2 - 48);
			}
			p.pad = q.pad;
			p.grh.next_hdr = q.grh.next_hdr;
			p.grh.pay_len = q.grh.pay_len;
			p.seg = NULL;
			p.nseg = q.nseg;
			assert_memory_equal(&p, &q, sizeof(p));
		}
	}
}

/* The bytes of one packet, counted out by hand. */
static void test_layout(void **state)
{
	static const u8 expect[] = {
		0x05, 0x02, 0xc0, 0x01, 0x00, 0x0d, 0x12, 0x34, /* LRH, 13 words */
		0x0b, 0xa0, 0x80, 0x01, 0x00, 0xab, 0xcd, 0xef, /* BTH */
		0x80, 0x12, 0x34, 0x56,
		1, 2, 3, 4, 5, 6, 7, 8, 0xde, 0xad, 0xbe, 0xef, /* RETH */
		0, 0, 0, 6,
		0xca, 0xfe, 0xba, 0xbe, /* ImmDt */
		'g', 'l', 'a', 's', 's', '!', 0, 0,
	};
	struct glass_seg seg[2] = { { "gla", 3 }, { "ss!", 3 } };
	struct glass_pkt p = {
		.vl = 0, .sl = 0, .lnh = GLASS_LNH_LOCAL, .dlid = 0xc001, .slid = 0x1234,
		.opcode = GLASS_TR_RC | GLASS_BOP_WRITE_ONLY_IMM, .se = 1, .ack_req = 1,
		.pkey = 0x8001, .dqpn = 0xabcdef, .psn = 0x123456,
		.va = 0x0102030405060708, .rkey = 0xdeadbeef, .dma_len = 6,
		.len = 6, .nseg = 2, .seg = seg,
	};
	u8 imm[4] = { 0xca, 0xfe, 0xba, 0xbe };
	u8 hdr[GLASS_PKT_HDR_MAX];

	(void)state;
	memcpy(&p.imm, imm, 4);
	p.lver = 5;
	assert_int_equal(build(&p), sizeof(expect) + 6);
	assert_memory_equal(wire, expect, sizeof(expect));
	assert_int_equal(glass_pkt_build_headers(&p, hdr, sizeof(hdr)), 40);
	assert_memory_equal(hdr, expect, 40);
	assert_int_equal(glass_pkt_build_headers(&p, hdr, 39), -ENOSPC);
}

static void test_build_refuses(void **state)
{
	struct glass_seg seg = { payload, 8 };
	struct glass_pkt p = {
		.lnh = GLASS_LNH_LOCAL, .dlid = 1, .slid = 2, .opcode = GLASS_BOP_SEND_ONLY,
		.len = 8, .nseg = 1, .seg = &seg,
	};
	int full = build(&p);

	(void)state;
	assert_int_equal(full, 8 + 12 + 8 + 6);
	assert_int_equal(glass_pkt_build(&p, wire, full), full);
	assert_int_equal(glass_pkt_build(&p, wire, full - 1), -ENOSPC);
	p.len = 9;
	assert_int_equal(build(&p), -EINVAL);
	p.len = 7;
	assert_int_equal(build(&p), -EINVAL);
	p.len = 8;
	p.opcode = 0x40;
	assert_int_equal(build(&p), -EINVAL);
	p.opcode = GLASS_BOP_SEND_ONLY;
	p.lnh = GLASS_LNH_RAW;
	assert_int_equal(build(&p), -EINVAL);
	p.lnh = GLASS_LNH_LOCAL;
	p.len = GLASS_MTU_MAX + 1;
	seg.len = p.len;
	assert_int_equal(build(&p), -EINVAL);
}

/* Every single flipped bit of a packet is seen by one of the two CRCs or earlier. */
static void test_bit_flips(void **state)
{
	static struct glass_seg seg[GLASS_PKT_SEGS];
	static u8 back[GLASS_MTU_MAX];
	struct glass_pkt p, q;
	enum glass_drop why;
	int len, bit, i;

	(void)state;
	for (i = 0; i < 4; i++) {
		do
			random_pkt(&p, seg, GLASS_TR_UD | GLASS_BOP_SEND_ONLY_IMM);
		while (p.len > 200);
		len = build(&p);
		for (bit = 0; bit < len * 8; bit++) {
			wire[bit / 8] ^= 1 << (bit % 8);
			assert_int_not_equal(parse(wire, len, 0, &q, &why, back), 0);
			wire[bit / 8] ^= 1 << (bit % 8);
		}
		assert_int_equal(parse(wire, len, 0, &q, &why, back), 0);
	}
}

/* What a switch changes on the way (VL, with a new VCRC) leaves the ICRC good. */
static void test_vl_changes(void **state)
{
	static struct glass_seg seg[GLASS_PKT_SEGS];
	static u8 back[GLASS_MTU_MAX];
	struct glass_pkt p, q;
	enum glass_drop why;
	int len;

	(void)state;
	random_pkt(&p, seg, GLASS_BOP_SEND_ONLY);
	len = build(&p);
	wire[0] ^= 0x30;
	assert_int_not_equal(parse(wire, len, 0, &q, &why, back), 0);
	assert_int_equal(why, GLASS_DROP_BAD_VCRC);
	glass_crc_put16(glass_vcrc(wire, len - 2), wire + len - 2);
	assert_int_equal(parse(wire, len, 0, &q, &why, back), 0);
	assert_int_equal(q.vl, p.vl ^ 3);
	/* a payload that changed behind a good VCRC is the ICRC's business */
	wire[len - 7] ^= 1;
	glass_crc_put16(glass_vcrc(wire, len - 2), wire + len - 2);
	assert_int_not_equal(parse(wire, len, 0, &q, &why, back), 0);
	assert_int_equal(why, GLASS_DROP_BAD_ICRC);
	assert_int_equal(parse(wire, len, GLASS_PARSE_NO_ICRC, &q, &why, back), 0);
	wire[len - 1] ^= 1;
	assert_int_not_equal(parse(wire, len, GLASS_PARSE_NO_ICRC, &q, &why, back), 0);
	assert_int_equal(parse(wire, len, GLASS_PARSE_NO_ICRC | GLASS_PARSE_NO_VCRC, &q, &why, back),
			 0);
}

static void reseal(u8 *b, int len)
{
	glass_crc_put32(glass_icrc(b, len - 6), b + len - 6);
	glass_crc_put16(glass_vcrc(b, len - 2), b + len - 2);
}

static enum glass_drop why_of(const u8 *b, int len)
{
	static u8 back[GLASS_MTU_MAX];
	struct glass_pkt q;
	enum glass_drop why;

	parse(b, len, 0, &q, &why, back);
	return why;
}

/* One wrong field at a time, CRCs right: each has its reason. */
static void test_reasons(void **state)
{
	struct glass_seg seg = { payload, 21 };
	struct glass_pkt p = {
		.lnh = GLASS_LNH_GLOBAL, .dlid = 1, .slid = 2, .opcode = GLASS_BOP_SEND_ONLY,
		.len = 21, .nseg = 1, .seg = &seg,
	};
	static const struct {
		int off;
		u8 mask;
		enum glass_drop why;
	} wrong[] = {
		{ 0, 0x01, GLASS_DROP_BAD_LRH }, /* version */
		{ 3, 0x01, GLASS_DROP_BAD_LRH }, /* DLID 0 */
		{ 6, 0xc0, GLASS_DROP_BAD_LRH }, /* SLID multicast */
		{ 5, 0x01, GLASS_DROP_BAD_LEN }, /* packet length */
		{ 8, 0x20, GLASS_DROP_BAD_GRH }, /* IP version */
		{ 13, 0x01, GLASS_DROP_BAD_GRH }, /* payload length */
		{ 14, 0x01, GLASS_DROP_BAD_GRH }, /* next header */
		{ 48, 0x40, GLASS_DROP_BAD_BTH }, /* opcode 0x44 */
		{ 49, 0x01, GLASS_DROP_BAD_BTH }, /* transport version */
	};
	u8 b[GLASS_PKT_WIRE_MAX];
	int len = build(&p);
	u32 i;

	(void)state;
	assert_true(len > 0);
	assert_int_equal(why_of(wire, len), GLASS_DROP_NONE);
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		memcpy(b, wire, len);
		b[wrong[i].off] ^= wrong[i].mask;
		reseal(b, len);
		assert_int_equal(why_of(b, len), wrong[i].why);
	}
	for (i = 0; i < (u32)len; i++)
		assert_int_equal(why_of(wire, i), GLASS_DROP_BAD_LEN);
	/* raw packets are none of ours */
	memcpy(b, wire, len);
	b[1] &= ~3;
	reseal(b, len);
	assert_int_equal(why_of(b, len), GLASS_DROP_BAD_LRH);
}

/* Headers that claim more than there is: an opcode of long headers on a short packet. */
static void test_short_for_opcode(void **state)
{
	struct glass_pkt p = {
		.lnh = GLASS_LNH_LOCAL, .dlid = 1, .slid = 2, .opcode = GLASS_BOP_SEND_ONLY,
	};
	u32 op, pad;
	int len = build(&p);

	(void)state;
	for (op = 0; op < 256; op++) {
		if (!glass_opcode_valid(op) || !glass_opcodes[op].ext_bytes)
			continue;
		wire[8] = op;
		reseal(wire, len);
		assert_int_equal(why_of(wire, len), GLASS_DROP_BAD_LEN);
	}
	wire[8] = GLASS_BOP_SEND_ONLY;
	for (pad = 1; pad < 4; pad++) {
		wire[9] = pad << 4;
		reseal(wire, len);
		assert_int_equal(why_of(wire, len), GLASS_DROP_BAD_LEN);
	}
}

/* Random bytes, and good packets with random damage: no crash, nothing with a bad CRC passes. */
static void test_hostile_bytes(void **state)
{
	static struct glass_seg seg[GLASS_PKT_SEGS];
	static u8 b[GLASS_PKT_WIRE_MAX + 64], back[GLASS_MTU_MAX];
	static const u8 ops[] = { 0x00, 0x0a, 0x0c, 0x11, 0x12, 0x13, 0x17, 0x64, 0x65, 0xb4 };
	struct glass_pkt p, q;
	enum glass_drop why;
	u32 i, k, passed = 0;
	int len;

	(void)state;
	for (i = 0; i < 20000; i++) {
		bool sealed;

		if (i & 1) {
			len = rnd_below(i % 16 ? 200 : sizeof(b));
			rnd_fill(b, len);
			if (len >= 8) {
				b[0] &= 0xf0;
				b[1] = (b[1] & ~3) | 2 | (b[1] & 1);
				put_unaligned_be16(len / 4, b + 4);
			}
		} else {
			random_pkt(&p, seg, ops[rnd_below(ARRAY_SIZE(ops))]);
			len = build(&p);
			memcpy(b, wire, len);
			for (k = 1 + rnd_below(4); k; k--)
				b[rnd_below(len)] = rnd();
			if (!rnd_below(4))
				len = rnd_below(len + 1);
		}
		if (len >= 66 && rnd_below(2))
			reseal(b, len);
		sealed = len >= 66 &&
			 glass_crc_get16(b + len - 2) == glass_vcrc(b, len - 2) &&
			 glass_crc_get32(b + len - 6) == glass_icrc(b, len - 6);
		if (parse(b, len, 0, &q, &why, back))
			continue;
		passed++;
		if (len >= 66)
			assert_true(sealed);
		/* what was accepted says the same when it is written again */
		assert_true(glass_opcode_valid(q.opcode));
		assert_int_equal(glass_pkt_wire_bytes(&q), len);
	}
	/* the test is worth something only if some got through */
	assert_true(passed > 100);
	for (i = 0; i < 2000; i++) {
		len = rnd_below(sizeof(b));
		rnd_fill(b, len);
		parse(b, len, GLASS_PARSE_NO_ICRC | GLASS_PARSE_NO_VCRC, &q, &why, back);
	}
}

static void test_opcode_table(void **state)
{
	static const struct {
		u8 op;
		u8 ext;
		const char *word;
	} known[] = {
		{ 0x00, 0, "rc_send_first" },	    { 0x05, 4, "rc_send_only_imm" },
		{ 0x06, 16, "rc_write_first" },	    { 0x0b, 20, "rc_write_only_imm" },
		{ 0x0c, 16, "rc_read_req" },	    { 0x0d, 4, "rc_read_resp_first" },
		{ 0x0e, 0, "rc_read_resp_middle" }, { 0x0f, 4, "rc_read_resp_last" },
		{ 0x11, 4, "rc_ack" },		    { 0x12, 12, "rc_atomic_ack" },
		{ 0x13, 28, "rc_cmp_swap" },	    { 0x14, 28, "rc_fetch_add" },
		{ 0x16, 4, "rc_send_last_inv" },    { 0x24, 0, "uc_send_only" },
		{ 0x2b, 20, "uc_write_only_imm" },  { 0x64, 8, "ud_send_only" },
		{ 0x65, 12, "ud_send_only_imm" },   { 0xa0, 4, "xrc_send_first" },
		{ 0xac, 20, "xrc_read_req" },	    { 0xb1, 4, "xrc_ack" },
		{ 0xb3, 32, "xrc_cmp_swap" },
	};
	u32 i, valid = 0;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(known); i++) {
		assert_true(glass_opcode_valid(known[i].op));
		assert_string_equal(glass_opcode_word(known[i].op), known[i].word);
		assert_int_equal(glass_opcodes[known[i].op].ext_bytes, known[i].ext);
	}
	for (i = 0; i < 256; i++) {
		const struct glass_opcode *o = &glass_opcodes[i];
		u32 place = o->flags & (GLASS_OPF_FIRST | GLASS_OPF_MIDDLE | GLASS_OPF_LAST |
					GLASS_OPF_ONLY);

		assert_non_null(glass_opcode_word(i));
		if (!(o->flags & GLASS_OPF_VALID)) {
			assert_string_equal(glass_opcode_word(i), "reserved");
			assert_int_equal(o->flags | o->hdrs | o->ext_bytes, 0);
			continue;
		}
		valid++;
		/* exactly one place in a message, either a request or a response; a CNP is neither */
		assert_true(place && !(place & (place - 1)));
		assert_int_equal(!(o->flags & GLASS_OPF_REQUEST) != !(o->flags & GLASS_OPF_RESPONSE),
				 i != GLASS_OPCODE_CNP);
		assert_true(o->ext_bytes <= 32);
		/* lesson: a middle packet has no AETH */
		if (o->flags & GLASS_OPF_MIDDLE)
			assert_int_equal(o->hdrs & ~GLASS_HDR_XRCETH, 0);
		if (o->flags & GLASS_OPF_RECV)
			assert_true(o->flags & (GLASS_OPF_LAST | GLASS_OPF_ONLY));
	}
	/* RC and XRC 25 each, UC 12, UD 2, and the CNP */
	assert_int_equal(valid, 25 + 25 + 12 + 2 + 1);
}

static void test_psn(void **state)
{
	u32 i;

	(void)state;
	assert_int_equal(glass_psn_cmp(0, 0xffffff), 1);
	assert_int_equal(glass_psn_cmp(0xffffff, 0), -1);
	assert_int_equal(glass_psn_cmp(0x800000, 0), -0x800000);
	assert_int_equal(glass_psn_cmp(0x7fffff, 0), 0x7fffff);
	assert_int_equal(glass_psn_add(0xffffff, 1), 0);
	for (i = 0; i < 10000; i++) {
		u32 psn = rnd_below(1 << 24), d = rnd_below(0x800000);

		assert_int_equal(glass_psn_cmp(glass_psn_add(psn, d), psn), d);
		assert_int_equal(glass_psn_cmp(psn, glass_psn_add(psn, d)), -(s32)d);
	}
}

static void test_copy_payload(void **state)
{
	static struct glass_seg seg[GLASS_PKT_SEGS];
	struct glass_pkt p = { .seg = seg };
	u8 out[512];
	u32 i;

	(void)state;
	for (i = 0; i < 2000; i++) {
		u32 off, len, expect;

		p.len = rnd_below(sizeof(out));
		rnd_fill(payload, p.len);
		p.nseg = cut(seg, p.len);
		off = rnd_below(sizeof(out));
		len = rnd_below(sizeof(out));
		expect = off >= p.len ? 0 : min(len, p.len - off);
		assert_int_equal(glass_pkt_copy_payload(&p, off, out, len), expect);
		assert_memory_equal(out, payload + off, expect);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_opcode_table),
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_build_refuses),
		cmocka_unit_test(test_reasons),
		cmocka_unit_test(test_short_for_opcode),
		cmocka_unit_test_setup(test_psn, rnd_restart),
		cmocka_unit_test_setup(test_copy_payload, rnd_restart),
		cmocka_unit_test_setup(test_round_trip, rnd_restart),
		cmocka_unit_test_setup(test_bit_flips, rnd_restart),
		cmocka_unit_test_setup(test_vl_changes, rnd_restart),
		cmocka_unit_test_setup(test_hostile_bytes, rnd_restart),
	};

	return cmocka_run_group_tests_name("wire", tests, rnd_group, NULL);
}
