// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packets of Ethernet ports: two datagrams whose ICRC an independent program (zlib's CRC-32 over the
 * bytes that IBA annex A17 names) has computed; what is built parses back; each rule drops what
 * breaks it; random datagrams are within their bounds.
 */
#include "harness.h"

#include "wire/crc.h"
#include "wire/opcode.h"
#include "wire/roce.h"
#include "wire/serial.h"
#include "wire/train.h"

/* RC SEND Only of 7 bytes, from 10.9.0.1 to 10.9.0.2, TOS 0x68 */
static const u8 over_ip4[] = {
	0x45, 0x68, 0x00, 0x34, 0x00, 0x00, 0x40, 0x00, 0x40, 0x11, 0x26, 0x3d, 0x0a,
	0x09, 0x00, 0x01, 0x0a, 0x09, 0x00, 0x02, 0xc1, 0x23, 0x12, 0xb7, 0x00, 0x20,
	0x00, 0x00, 0x04, 0xd0, 0xff, 0xff, 0x00, 0x00, 0x00, 0x11, 0x80, 0x5f, 0x04,
	0x1f, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x10, 0x00, 0x61, 0x99, 0x71, 0x43,
};

/* The same from fd00::1 to fd00::2, flow label 0x12345 */
static const u8 over_ip6[] = {
	0x66, 0x81, 0x23, 0x45, 0x00, 0x20, 0x11, 0x40, 0xfd, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0xfd, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0xc1, 0x23, 0x12, 0xb7, 0x00,
	0x20, 0x00, 0x00, 0x04, 0xd0, 0xff, 0xff, 0x00, 0x00, 0x00, 0x11, 0x80, 0x5f, 0x04, 0x1f,
	0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x10, 0x00, 0x89, 0x09, 0x8c, 0x84,
};

#define IP4_PAYLOAD (GLASS_IP4_BYTES + GLASS_UDP_BYTES)
#define IP6_PAYLOAD (GLASS_IP6_BYTES + GLASS_UDP_BYTES)
#define ROOM (IP6_PAYLOAD + GLASS_PKT_WIRE_MAX)

static struct glass_pkt got;
static struct glass_seg got_seg;

/* A frame of several datagrams has its headers elsewhere than the rest: the verdict is the same. */
static void judge_apart(const u8 *bytes, size_t len, enum glass_roce_rule rule)
{
	size_t n = bytes[0] >> 4 == 4 ? IP4_PAYLOAD : IP6_PAYLOAD;
	u8 hdr[IP6_PAYLOAD], *rest;
	struct glass_seg seg;
	struct glass_pkt p;

	if (len < n + GLASS_BTH_BYTES + GLASS_ICRC_BYTES)
		return;
	memcpy(hdr, bytes, n);
	rest = malloc(len - n);
	assert_non_null(rest);
	memcpy(rest, bytes + n, len - n);
	assert_int_equal(glass_roce_parse_split(&p, &seg, hdr, rest, len - n, NULL), rule);
	if (!rule) {
		assert_int_equal(p.len, got.len);
		assert_int_equal(p.psn, got.psn);
		if (p.len)
			assert_memory_equal(seg.addr, got_seg.addr, p.len);
	}
	free(rest);
}

/* Parses a copy on the heap of just this length, so that ASan sees a read beyond it. */
static enum glass_roce_rule judge(const u8 *bytes, size_t len)
{
	static struct glass_roce_memo memo;
	enum glass_roce_rule rule;
	static u8 *copy;
	u8 *exact = malloc(len ? len : 1);

	assert_non_null(exact);
	memcpy(exact, bytes, len);
	free(copy);
	copy = exact; /* got_seg points into it until the next call */
	rule = glass_roce_parse(&got, &got_seg, copy, len, NULL);
	/* what is remembered of earlier datagrams changes no verdict */
	assert_int_equal(glass_roce_parse(&got, &got_seg, copy, len, &memo), rule);
	if (len)
		judge_apart(copy, len, rule);
	return rule;
}

static void check_send(const u8 *ip, size_t len, const u8 *sgid, const u8 *dgid)
{
	static const u8 payload[] = { 10, 11, 12, 13, 14, 15, 16 };

	assert_int_equal(judge(ip, len), GLASS_ROCE_OK);
	assert_int_equal(got.opcode, GLASS_TR_RC | GLASS_BOP_SEND_ONLY);
	assert_int_equal(got.dqpn, 0x11);
	assert_int_equal(got.psn, 0x5f041f);
	assert_int_equal(got.pkey, 0xffff);
	assert_true(got.se && got.mig && got.ack_req);
	assert_int_equal(got.slid, 0);
	assert_int_equal(got.dlid, 0);
	assert_int_equal(got.len, sizeof(payload));
	assert_memory_equal(got.seg[0].addr, payload, sizeof(payload));
	assert_int_equal(got.lnh, GLASS_LNH_GLOBAL);
	assert_memory_equal(got.grh.sgid, sgid, 16);
	assert_memory_equal(got.grh.dgid, dgid, 16);
	assert_int_equal(got.grh.tclass, 0x68);
	assert_int_equal(got.grh.hop_limit, 64);
}

static void test_known_datagrams(void **state)
{
	static const u8 from4[16] = { [10] = 0xff, 0xff, 10, 9, 0, 1 };
	static const u8 to4[16] = { [10] = 0xff, 0xff, 10, 9, 0, 2 };
	static const u8 from6[16] = { 0xfd, [15] = 1 }, to6[16] = { 0xfd, [15] = 2 };

	(void)state;
	check_send(over_ip4, sizeof(over_ip4), from4, to4);
	assert_int_equal(got.grh.flow_label, 0);
	check_send(over_ip6, sizeof(over_ip6), from6, to6);
	assert_int_equal(got.grh.flow_label, 0x12345);
}

static void test_build(void **state)
{
	u8 buf[64];
	int len;

	(void)state;
	assert_int_equal(judge(over_ip4, sizeof(over_ip4)), GLASS_ROCE_OK);
	len = glass_roce_build(&got, buf, sizeof(buf));
	assert_int_equal(len, sizeof(over_ip4) - IP4_PAYLOAD - GLASS_ICRC_BYTES);
	assert_memory_equal(buf, over_ip4 + IP4_PAYLOAD, len);
	assert_int_equal(glass_roce_build(&got, buf, len), len);
	assert_int_equal(glass_roce_build(&got, buf, len - 1), -ENOSPC);
	assert_int_equal(glass_roce_build(&got, buf, GLASS_BTH_BYTES - 1), -ENOSPC);
	got.opcode = 0xff;
	assert_int_equal(glass_roce_build(&got, buf, sizeof(buf)), -EINVAL);
}

/* The headers of the datagrams of a frame: lengths, and the identification of IPv4, which counts up. */
static void test_split(void **state)
{
	u8 ip4[IP4_PAYLOAD], ip6[IP6_PAYLOAD], hdr[IP6_PAYLOAD];

	(void)state;
	memcpy(ip4, over_ip4, sizeof(ip4));
	put_unaligned_be16(60000, ip4 + 2);
	put_unaligned_be16(60000 - GLASS_IP4_BYTES, ip4 + GLASS_IP4_BYTES + 4);
	glass_roce_split(ip4, 0, sizeof(over_ip4) - sizeof(ip4), hdr);
	assert_memory_equal(hdr, over_ip4, sizeof(ip4));
	put_unaligned_be16(0xfffe, ip4 + 4);
	glass_roce_split(ip4, 3, 1000, hdr);
	assert_int_equal(get_unaligned_be16(hdr + 4), 1);
	assert_int_equal(get_unaligned_be16(hdr + 2), 1028);
	assert_int_equal(get_unaligned_be16(hdr + GLASS_IP4_BYTES + 4), 1008);
	memcpy(ip6, over_ip6, sizeof(ip6));
	put_unaligned_be16(60000, ip6 + 4);
	put_unaligned_be16(60000, ip6 + GLASS_IP6_BYTES + 4);
	glass_roce_split(ip6, 3, sizeof(over_ip6) - sizeof(ip6), hdr);
	assert_memory_equal(hdr, over_ip6, sizeof(ip6));
}

/* The packets of a train are those that would be built one by one. */
static void test_train(void **state)
{
	static u8 mem[16 * 1024], payload[1024], buf[2048], want[2048];
	struct glass_seg segs[2] = { { mem, 1500 }, { mem + 1500, 0 } }, seg = { payload, 0 };
	struct glass_pkt train = {}, one;
	u32 i, off;
	int len;

	(void)state;
	rnd_fill(mem, sizeof(mem));
	assert_int_equal(judge(over_ip6, sizeof(over_ip6)), GLASS_ROCE_OK);
	train = got;
	train.opcode = GLASS_TR_RC | GLASS_BOP_WRITE_ONLY_IMM;
	train.more = 4;
	train.len = 4 * 1024 + 37;
	segs[1].len = train.len - 1500;
	train.seg = segs;
	train.nseg = 2;
	for (i = 0, off = 0; i <= train.more; i++, off += one.len) {
		assert_int_equal(glass_train_part(&train, i, &one), 0);
		len = glass_roce_build_part(&train, &one, off, buf, sizeof(buf));
		assert_true(len > 0);
		assert_int_equal(glass_roce_build_part(&train, &one, off, buf, len), len);
		assert_int_equal(glass_roce_build_part(&train, &one, off, buf, len - 1), -ENOSPC);
		memcpy(payload, mem + off, one.len);
		seg.len = one.len;
		one.seg = &seg;
		one.nseg = 1;
		assert_int_equal(glass_roce_build(&one, want, sizeof(want)), len);
		assert_memory_equal(buf, want, len);
		assert_int_equal(glass_roce_bytes(&one), IP6_PAYLOAD + len + GLASS_ICRC_BYTES);
	}
	assert_int_equal(off, train.len);
	/* the payload is too short */
	train.nseg = 1;
	assert_int_equal(glass_roce_build_part(&train, &one, off - one.len, buf, sizeof(buf)), -EINVAL);
}

/* What routers change does not change the ICRC; all else does. */
static void test_icrc(void **state)
{
	static const u8 changes4[] = { 1, 8, 10, 11, 26, 27, 32 };
	static const u8 changes6[] = { 1, 2, 3, 7, 46, 47, 52 };
	u8 b[sizeof(over_ip6)];
	size_t i, k;

	(void)state;
	for (i = 1; i < sizeof(over_ip4) - GLASS_ICRC_BYTES; i++) {
		bool free = false;

		for (k = 0; k < ARRAY_SIZE(changes4); k++)
			free |= changes4[k] == i;
		memcpy(b, over_ip4, sizeof(over_ip4));
		b[i] ^= 0xff;
		assert_int_equal(judge(b, sizeof(over_ip4)) == GLASS_ROCE_OK, free);
	}
	for (i = 1; i < sizeof(over_ip6) - GLASS_ICRC_BYTES; i++) {
		bool free = false;

		for (k = 0; k < ARRAY_SIZE(changes6); k++)
			free |= changes6[k] == i;
		memcpy(b, over_ip6, sizeof(over_ip6));
		b[i] ^= 0xff;
		assert_int_equal(judge(b, sizeof(over_ip6)) == GLASS_ROCE_OK, free);
	}
}

/* Sets the ICRC anew, and judges. */
static enum glass_roce_rule judge_sealed(u8 *b, size_t len)
{
	glass_crc_put32(glass_roce_icrc(b, len - GLASS_ICRC_BYTES), b + len - GLASS_ICRC_BYTES);
	return judge(b, len);
}

static void set_lengths(u8 *b, size_t len)
{
	put_unaligned_be16(len, b + 2);
	put_unaligned_be16(len - GLASS_IP4_BYTES, b + GLASS_IP4_BYTES + 4);
}

static void test_rules(void **state)
{
	u8 b[sizeof(over_ip6) + 8];
	size_t len = sizeof(over_ip4), i;

	(void)state;
	for (i = 0; i < IP4_PAYLOAD + GLASS_BTH_BYTES + GLASS_ICRC_BYTES; i++)
		assert_int_equal(judge(over_ip4, i), GLASS_ROCE_bad_short);
	for (; i < len; i++)
		assert_int_equal(judge(over_ip4, i), GLASS_ROCE_bad_length);
	assert_int_equal(judge(over_ip6, IP6_PAYLOAD + GLASS_BTH_BYTES + 3), GLASS_ROCE_bad_short);
	assert_int_equal(judge(over_ip6, sizeof(over_ip6) - 1), GLASS_ROCE_bad_length);
#define BROKEN(at, value, rule)                                                                    \
	do {                                                                                       \
		memcpy(b, over_ip4, len);                                                          \
		b[at] = (value);                                                                   \
		/* the ICRC is computed only of an IP that is known */                             \
		assert_int_equal((at) ? judge_sealed(b, len) : judge(b, len), GLASS_ROCE_##rule);  \
	} while (0)
	BROKEN(0, 0x55, bad_ip);
	BROKEN(0, 0x46, bad_ip);
	BROKEN(9, 6, bad_ip);
	/* a source that is a multicast group */
	BROKEN(12, 239, bad_ip);
	BROKEN(3, 0x38, bad_length);
	BROKEN(GLASS_IP4_BYTES + 5, 0x1c, bad_length);
	BROKEN(IP4_PAYLOAD, 0x1f, bad_bth);
	BROKEN(IP4_PAYLOAD + 1, 0xd1, bad_bth);
	BROKEN(IP4_PAYLOAD + 7, 0, bad_dqpn);
	memcpy(b, over_ip4, len);
	b[len - 1] ^= 1;
	assert_int_equal(judge(b, len), GLASS_ROCE_bad_icrc);
	/* padding that does not fit the length */
	memcpy(b, over_ip4, len - 1);
	set_lengths(b, len - 1);
	assert_int_equal(judge_sealed(b, len - 1), GLASS_ROCE_bad_length);
	/* the extended header of the opcode does not fit */
	memcpy(b, over_ip4, len);
	b[IP4_PAYLOAD] = GLASS_TR_RC | GLASS_BOP_WRITE_ONLY;
	assert_int_equal(judge_sealed(b, len), GLASS_ROCE_bad_length);
	/* an IPv4 address in an IPv6 header */
	memcpy(b, over_ip6, sizeof(over_ip6));
	memset(b + 8, 0, 10);
	memset(b + 18, 0xff, 2);
	assert_int_equal(judge_sealed(b, sizeof(over_ip6)), GLASS_ROCE_bad_ip);
	/* no payload at all */
	len -= 8;
	memcpy(b, over_ip4, len);
	b[IP4_PAYLOAD + 1] &= ~0x30;
	set_lengths(b, len);
	assert_int_equal(judge_sealed(b, len), GLASS_ROCE_OK);
	assert_int_equal(got.len, 0);
	assert_int_equal(got.nseg, 0);
}

static void test_groups(void **state)
{
	static const u8 addr[4] = { 239, 1, 2, 3 };
	static const u8 group[16] = { 0xff, 0x0e, [10] = 0xff, 0xff, 239, 1, 2, 3 };
	u8 b[sizeof(over_ip4)], gid[16];

	(void)state;
	glass_gid_of_v4(addr, gid);
	assert_memory_equal(gid, group, 16);
	assert_false(glass_gid_is_v4(gid));
	memcpy(b, over_ip4, sizeof(b));
	memcpy(b + 16, addr, 4);
	assert_int_equal(judge_sealed(b, sizeof(b)), GLASS_ROCE_OK);
	assert_int_equal(got.dlid, GLASS_LID_MCAST_BASE);
	assert_memory_equal(got.grh.dgid, group, 16);
}

/* The header before a datagram in its receive buffer, as the kernel and rdma-core look at it */
static void test_header(void **state)
{
	u8 to[GLASS_GRH_BYTES];
	u32 sum = 0, i;

	(void)state;
	judge(over_ip4, sizeof(over_ip4));
	glass_roce_header(&got.grh, to);
	for (i = 0; i < 20; i++)
		assert_int_equal(to[i], 0);
	assert_memory_equal(to + 20, over_ip4, GLASS_IP4_BYTES);
	for (i = 20; i < 40; i += 2)
		sum += get_unaligned_be16(to + i);
	sum = (sum & 0xffff) + (sum >> 16);
	assert_int_equal(sum, 0xffff);
	judge(over_ip6, sizeof(over_ip6));
	glass_roce_header(&got.grh, to);
	assert_memory_equal(to, over_ip6, GLASS_IP6_BYTES);
}

/* A CNP as IBA annex A17.9.3 has it: BECN, PSN 0 and 16 reserved bytes */
static void test_cnp(void **state)
{
	static const u8 want[28] = { 0x81, 0, 0xff, 0xff, 0x40, 0x12, 0x34, 0x56 };
	static u8 reserved[GLASS_CNP_BYTES];
	struct glass_seg seg = { .addr = reserved, .len = sizeof(reserved) };
	struct glass_pkt p = { .opcode = GLASS_OPCODE_CNP, .pkey = 0xffff, .dqpn = 0x123456,
			       .len = sizeof(reserved), .seg = &seg, .nseg = 1 };
	u8 b[64];

	(void)state;
	assert_int_equal(glass_roce_build(&p, b, sizeof(b)), sizeof(want));
	assert_memory_equal(b, want, sizeof(want));
	/* rules do not see what arrives */
	memcpy(b, over_ip4, IP4_PAYLOAD);
	memcpy(b + IP4_PAYLOAD, want, sizeof(want));
	set_lengths(b, IP4_PAYLOAD + sizeof(want) + GLASS_ICRC_BYTES);
	assert_int_equal(judge_sealed(b, IP4_PAYLOAD + sizeof(want) + GLASS_ICRC_BYTES), GLASS_ROCE_OK);
	assert_int_equal(got.opcode, GLASS_OPCODE_CNP);
	assert_true(got.forged);
}

/* Each valid opcode, with random fields and payloads: what is built parses back. */
static void test_all_opcodes(void **state)
{
	static u8 data[GLASS_MTU_MAX], b[ROOM];
	struct glass_seg seg = { .addr = data };
	u32 op, k;

	(void)state;
	for (op = 0; op < 256; op++) {
		if (!glass_opcode_valid(op))
			continue;
		for (k = 0; k < 20; k++) {
			struct glass_pkt p = { .opcode = op, .seg = &seg, .nseg = 1, .tver = 0 };
			int len;
			u32 i;

			p.len = seg.len = 1 + rnd() % (k ? 300 : GLASS_MTU_MAX);
			for (i = 0; i < p.len; i++)
				data[i] = rnd();
			p.dqpn = 1 + rnd() % 0xfffffe;
			p.psn = rnd() & GLASS_PSN_MASK;
			p.va = (u64)rnd() << 32 | rnd();
			p.rkey = rnd();
			p.dma_len = rnd();
			p.ack_req = rnd();
			p.pkey = rnd();
			memcpy(b, over_ip4, IP4_PAYLOAD);
			len = glass_roce_build(&p, b + IP4_PAYLOAD, sizeof(b) - IP4_PAYLOAD);
			assert_true(len > 0);
			len += IP4_PAYLOAD + GLASS_ICRC_BYTES;
			set_lengths(b, len);
			assert_int_equal(judge_sealed(b, len), GLASS_ROCE_OK);
			assert_int_equal(got.opcode, op);
			assert_int_equal(got.len, p.len);
			assert_int_equal(got.dqpn, p.dqpn);
			assert_int_equal(got.psn, p.psn);
			assert_memory_equal(got.seg[0].addr, data, p.len);
		}
	}
}

/* For observers: the datagram as it came, and cut; read back by what reads captures */
static void check_put(const u8 *ip, size_t len)
{
	u8 b[sizeof(over_ip6)], cut[sizeof(over_ip6)] = { 0 };
	struct glass_seg seg;
	struct glass_pkt p;
	u32 headers, n;

	assert_int_equal(judge(ip, len), GLASS_ROCE_OK);
	assert_true(glass_pkt_is_roce(&got));
	assert_int_equal(glass_roce_bytes(&got), len);
	assert_true(glass_roce_put(&got, b, len));
	assert_memory_equal(b, ip, len);
	headers = len - GLASS_ICRC_BYTES - 8;
	for (n = 1; n < len; n++) {
		u32 cap = glass_roce_cut(&got, n);

		/* neither padding nor ICRC alone */
		assert_int_equal(cap, n < headers + 7 ? n : headers + 7);
		memset(cut, 0, sizeof(cut));
		assert_true(glass_roce_put(&got, cut, cap));
		assert_memory_equal(cut, ip, cap);
		assert_int_equal(glass_roce_decode(&p, &seg, cut, cap, len), cap >= headers);
	}
	assert_int_equal(glass_roce_cut(&got, len), len);
	assert_int_equal(glass_roce_cut(&got, len + 1), len);
	/* the ICRC of a packet that shall be wrong */
	got.spoilt = GLASS_DROP_BAD_ICRC;
	assert_true(glass_roce_put(&got, b, len));
	assert_int_equal(judge(b, len), GLASS_ROCE_bad_icrc);
	assert_true(glass_roce_decode(&p, &seg, b, len, len));
	/* of another port */
	memcpy(cut, ip, len);
	cut[len - 32 + 3] ^= 1;
	assert_false(glass_roce_decode(&p, &seg, cut, len, len));
}

static void test_put(void **state)
{
	u8 b[sizeof(over_ip4)];

	(void)state;
	check_put(over_ip4, sizeof(over_ip4));
	check_put(over_ip6, sizeof(over_ip6));
	/* what others may set: an identification, and no DF */
	memcpy(b, over_ip4, sizeof(b));
	b[4] = 0x12;
	b[5] = 0x34;
	b[6] = 0;
	/* 0x4000 less, 0x1234 more */
	put_unaligned_be16(0x263d + 0x4000 - 0x1234, b + 10);
	glass_crc_put32(glass_roce_icrc(b, sizeof(b) - GLASS_ICRC_BYTES), b + sizeof(b) - GLASS_ICRC_BYTES);
	check_put(b, sizeof(b));
}

/* A packet that an injection rule has truncated, anywhere: the datagram has a whole BTH, or there is none. */
static void test_truncated(void **state)
{
	static u8 wire[GLASS_PKT_WIRE_MAX];
	u32 bth = GLASS_LRH_BYTES + GLASS_GRH_BYTES + GLASS_BTH_BYTES, n, all;
	u8 *b;

	(void)state;
	judge(over_ip4, sizeof(over_ip4));
	got.wire = wire;
	got.spoilt = GLASS_DROP_BAD_LEN;
	for (n = 0; n < bth + 40; n++) {
		got.wire_len = n;
		all = glass_roce_bytes(&got);
		b = malloc(all);
		assert_non_null(b);
		assert_int_equal(glass_roce_put(&got, b, all), n >= bth);
		assert_int_equal(glass_roce_wire_bytes(&got),
				 n < bth ? 0 : GLASS_BTH_BYTES + (n > bth + 6 ? n - bth - 6 : 0));
		assert_int_equal(all, IP4_PAYLOAD + glass_roce_wire_bytes(&got) + GLASS_ICRC_BYTES);
		free(b);
	}
}

/* The port of rdma_flow_label_to_udp_sport(), by which all senders spread connections */
static void test_source_port(void **state)
{
	struct glass_pkt p = { .dqpn = 0x11, .grh.flow_label = 0x12345 };
	u16 first;

	(void)state;
	assert_int_equal(glass_roce_sport(&p), 0xc000 | (0x2345 ^ 0x4));
	p.grh.flow_label = 0;
	first = glass_roce_sport(&p);
	assert_true(first >= 0xc000);
	p.dqpn = 0x12;
	assert_int_not_equal(glass_roce_sport(&p), first);
}

/* Random changes and lengths, with an ICRC that is right: bounds, and no undefined behaviour. */
static void test_random(void **state)
{
	u8 b[ROOM];
	u32 i, k;

	(void)state;
	for (i = 0; i < 20000; i++) {
		size_t len = 48 + rnd() % 200;

		for (k = 0; k < len; k++)
			b[k] = rnd();
		memcpy(b, i & 1 ? over_ip4 : over_ip6, i & 1 ? IP4_PAYLOAD : IP6_PAYLOAD);
		if (i & 1)
			set_lengths(b, len);
		b[rnd() % len] ^= rnd();
		if (len > IP6_PAYLOAD + GLASS_BTH_BYTES + GLASS_ICRC_BYTES)
			judge_sealed(b, len);
		else
			judge(b, len);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_datagrams),
		cmocka_unit_test(test_build),
		cmocka_unit_test(test_split),
		cmocka_unit_test_setup(test_train, rnd_restart),
		cmocka_unit_test(test_icrc),
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_header),
		cmocka_unit_test(test_cnp),
		cmocka_unit_test(test_put),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_source_port),
		cmocka_unit_test_setup(test_all_opcodes, rnd_restart),
		cmocka_unit_test_setup(test_random, rnd_restart),
	};

	return cmocka_run_group_tests(tests, rnd_group, NULL);
}
