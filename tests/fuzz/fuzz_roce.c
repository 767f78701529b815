// SPDX-License-Identifier: GPL-2.0-only
/*
 * Datagrams of Ethernet ports. Bytes of anybody are parsed: what is accepted meets the checks of the
 * specification, and is written again with the same bytes. Fields are built: what is built parses to
 * the same fields. A datagram that is written in part has the first bytes of the whole, and a part
 * that has all headers decodes.
 */
#include <stdlib.h>
#include <string.h>

#include "fields.h"
#include "fuzz.h"
#include "wire/crc.h"
#include "wire/roce.h"
#include "wire/serial.h"

#define IP_MAX (GLASS_IP6_BYTES + GLASS_UDP_BYTES)
#define DATAGRAM_MAX (IP_MAX + GLASS_PKT_WIRE_MAX)

static u32 ip_len(const u8 *b)
{
	return b[0] >> 4 == 4 ? GLASS_IP4_BYTES : GLASS_IP6_BYTES;
}

static void *block(size_t len)
{
	void *b = malloc(len ? len : 1);

	FUZZ_CHECK(b, "no memory");
	return b;
}

/* A17 and RFC 791, 8200, 768, from the bytes: what an accepted datagram must be, whoever parsed it */
static void check_accepted(const u8 *b, size_t len)
{
	u32 n = ip_len(b);
	const u8 *bth = b + n + GLASS_UDP_BYTES;

	FUZZ_CHECK(b[0] == 0x45 || b[0] >> 4 == 6, "version or header length 0x%02x", b[0]);
	FUZZ_CHECK(len >= n + GLASS_UDP_BYTES + GLASS_BTH_BYTES + GLASS_ICRC_BYTES && len <= DATAGRAM_MAX,
		   "%zu bytes", len);
	FUZZ_CHECK(b[n == GLASS_IP4_BYTES ? 9 : 6] == GLASS_NEXT_HDR_UDP, "no UDP");
	FUZZ_CHECK(get_unaligned_be16(b + (n == GLASS_IP4_BYTES ? 2 : 4)) ==
			   (n == GLASS_IP4_BYTES ? len : len - n), "length of IP");
	FUZZ_CHECK(get_unaligned_be16(b + n + 4) == len - n, "length of UDP");
	FUZZ_CHECK((len - n) % 4 == 0, "no padding to 4 bytes");
	FUZZ_CHECK(!(bth[1] & 0xf) && glass_opcode_valid(bth[0]), "TVer or opcode %02x", bth[0]);
	FUZZ_CHECK(get_unaligned_be32(bth + 4) & 0xffffff, "QP0");
	FUZZ_CHECK(glass_crc_get32(b + len - 4) == glass_roce_icrc(b, len - 4), "ICRC");
}

/*
 * Bits that are not kept, or that the sender chooses: reserved ones, padding, the checksums, the destination
 * port, a hop limit of 0
 */
static void clear_reserved(u8 *b, size_t len, const struct glass_pkt *p)
{
	u32 n = ip_len(b);

	if (n == GLASS_IP4_BYTES)
		memset(b + 10, 0, 2);
	b[n == GLASS_IP4_BYTES ? 8 : 7] = 0;
	memset(b + n, 0, 4);
	memset(b + n + 6, 0, 2);
	clear_reserved_transport(b + n + GLASS_UDP_BYTES, p);
	memset(b + len - 4 - p->pad, 0, 4 + p->pad);
}

static void check_rewritten(const u8 *b, size_t len, const struct glass_pkt *p)
{
	u8 *again = block(len), *was = block(len), header[GLASS_GRH_BYTES];
	u32 n = ip_len(b);

	FUZZ_CHECK(glass_roce_bytes(p) == len, "%zu bytes, and %u", len, glass_roce_bytes(p));
	FUZZ_CHECK(glass_roce_put(p, again, len), "not written");
	/* what a datagram's receive buffer has: the IP header */
	glass_roce_header(&p->grh, header);
	FUZZ_CHECK(!memcmp(header + GLASS_GRH_BYTES - n, again, n), "IP header");
	memcpy(was, b, len);
	clear_reserved(was, len, p);
	clear_reserved(again, len, p);
	FUZZ_CHECK(!memcmp(was, again, len), "not the same bytes");
	free(again);
	free(was);
}

/* Makes lengths, next header, padding and ICRC right, as far as there is a datagram. */
static size_t mend(u8 *b, size_t len, u8 how)
{
	u32 n = b[0] & 0x80 ? GLASS_IP6_BYTES : GLASS_IP4_BYTES;
	u8 *bth = b + n + GLASS_UDP_BYTES;
	u32 rest;

	if (len < n)
		return len;
	len -= (len - n) % 4;
	if (n == GLASS_IP4_BYTES) {
		b[0] = 0x45;
		b[9] = GLASS_NEXT_HDR_UDP;
		put_unaligned_be16(len, b + 2);
	} else {
		b[0] = 0x60 | (b[0] & 0xf);
		b[6] = GLASS_NEXT_HDR_UDP;
		put_unaligned_be16(len - n, b + 4);
	}
	if (len < n + GLASS_UDP_BYTES + GLASS_BTH_BYTES + GLASS_ICRC_BYTES)
		return len;
	put_unaligned_be16(len - n, b + n + 4);
	if (how & 2) {
		bth[1] &= 0xf0;
		rest = len - n - GLASS_UDP_BYTES - GLASS_BTH_BYTES - GLASS_ICRC_BYTES;
		/* without payload there is no padding */
		if (glass_opcode_valid(bth[0]) && rest <= glass_opcodes[bth[0]].ext_bytes)
			bth[1] &= 0xc0;
	}
	if (!(how & 4))
		glass_crc_put32(glass_roce_icrc(b, len - 4), b + len - 4);
	return len;
}

/* Captures have the first bytes of a datagram: those that have all headers decode. */
static void check_cut(const u8 *b, size_t len, const struct glass_pkt *p)
{
	u32 n = ip_len(b), cut = fuzz_below(len + 1);
	u32 headers = n + GLASS_UDP_BYTES + GLASS_BTH_BYTES + glass_opcodes[p->opcode].ext_bytes;
	u8 *rest = block(len);
	struct glass_seg seg;
	struct glass_pkt q;
	bool is_roce = get_unaligned_be16(b + n + 2) == GLASS_ROCE_UDP_PORT, good;

	memcpy(rest, b, cut);
	memset(rest + cut, 0, len - cut);
	good = glass_roce_decode(&q, &seg, rest, cut, len);
	if (cut >= headers)
		FUZZ_CHECK(good == is_roce, "%u of %zu bytes", cut, len);
	else
		FUZZ_CHECK(!good, "decoded without its headers: %u of %zu bytes", cut, len);
	if (good) {
		FUZZ_CHECK(q.len == p->len && q.opcode == p->opcode, "another packet");
		check_same(p, &q);
	}
	free(rest);
}

/* In a frame of several datagrams, the headers are elsewhere than the rest. */
static void check_apart(const u8 *b, size_t len, enum glass_roce_rule rule)
{
	u32 n = ip_len(b) + GLASS_UDP_BYTES;
	u8 hdr[IP_MAX], *rest;
	struct glass_seg seg;
	struct glass_pkt p;

	if (len < n + GLASS_BTH_BYTES + GLASS_ICRC_BYTES)
		return;
	rest = block(len - n);
	memcpy(rest, b + n, len - n);
	memcpy(hdr, b, n);
	FUZZ_CHECK(glass_roce_parse_split(&p, &seg, hdr, rest, len - n, NULL) == rule, "another rule");
	/* the headers of the first datagram of a frame are those of the frame, if the lengths are */
	if (!rule) {
		glass_roce_split(b, 0, len - n, hdr);
		FUZZ_CHECK(!memcmp(hdr, b, n), "other headers");
	}
	free(rest);
}

static void any_datagram(void)
{
	u8 how = fuzz_u8();
	size_t len = DATAGRAM_MAX + 8;
	const u8 *in = fuzz_take(&len);
	u8 *b = block(len);
	enum glass_roce_rule rule;
	struct glass_seg seg = {};
	struct glass_pkt p;

	memcpy(b, in, len);
	if (how & 1 && len)
		len = mend(b, len, how);
	/* a block of the exact length: ASan sees a read beyond */
	b = realloc(b, len ? len : 1);
	FUZZ_CHECK(b, "no memory");
	rule = glass_roce_parse(&p, &seg, b, len, NULL);
	FUZZ_CHECK(rule < GLASS_ROCE_RULE_COUNT, "rule %u", rule);
	if (len)
		check_apart(b, len, rule);
	if (!rule) {
		check_accepted(b, len);
		FUZZ_CHECK(p.len <= GLASS_MTU_MAX && p.nseg == !!p.len &&
				   (!p.len || ((u8 *)seg.addr >= b && seg.len == p.len &&
					       (u8 *)seg.addr + seg.len <= b + len - 4 - p.pad)),
			   "payload of %u", p.len);
		FUZZ_CHECK(glass_pkt_is_roce(&p) && glass_gid_is_v4(p.grh.sgid) == (b[0] >> 4 == 4),
			   "family");
		FUZZ_CHECK(p.dlid == (p.grh.dgid[0] == 0xff ? GLASS_LID_MCAST_BASE : 0), "DLID");
		check_rewritten(b, len, &p);
		check_cut(b, len, &p);
	}
	free(b);
}

/* An address of the family, or one of its multicast groups; as source, it is no group */
static void random_gid(u8 gid[16], bool v4, bool source)
{
	fuzz_bytes(gid, 16);
	if (source)
		gid[v4 ? 12 : 0] = 10;
	if (v4)
		glass_gid_of_v4(gid + 12, gid);
	else
		gid[0] |= 0x10; /* ::/8 has the GIDs of IPv4 */
}

/* A packet that an injection rule has changed: its bytes may be anything. */
static u8 *random_wire(struct glass_pkt *p)
{
	size_t len = fuzz_below(GLASS_PKT_WIRE_MAX + 1);
	u8 *wire = block(len);

	memset(wire, 0xa5, len);
	fuzz_bytes(wire, min(len, (size_t)100));
	p->wire = wire;
	p->wire_len = len;
	p->spoilt = fuzz_u8() & 1;
	return wire;
}

/* The first bytes of a datagram are those of the whole, also where padding and ICRC are left out. */
static void check_prefix(const struct glass_pkt *p, const u8 *whole, u32 all)
{
	u32 snap = fuzz_below(all + 100), cut = glass_roce_cut(p, snap);
	u8 *part = block(cut);

	FUZZ_CHECK(cut <= all && cut <= snap, "%u of %u", cut, snap);
	FUZZ_CHECK(glass_roce_put(p, part, cut), "not written");
	FUZZ_CHECK(!memcmp(part, whole, cut), "the first %u bytes", cut);
	free(part);
}

static void fields(void)
{
	static u8 mem[GLASS_MTU_MAX], transport[GLASS_PKT_WIRE_MAX];
	static struct glass_seg segs[GLASS_PKT_SEGS];
	static struct glass_roce_memo memo; /* of an earlier datagram */
	bool v4 = fuzz_u8() & 1;
	struct glass_seg seg;
	struct glass_pkt p, q;
	u8 *wire = NULL, *b;
	u32 all, bit;
	size_t room;
	int n;

	random_fields(&p);
	p.more = 0;
	p.lnh = GLASS_LNH_GLOBAL;
	p.grh.next_hdr = GLASS_NEXT_HDR_UDP;
	random_gid(p.grh.sgid, v4, true);
	random_gid(p.grh.dgid, v4, false);
	p.spoilt = 0;
	p.len = fuzz_below(GLASS_MTU_MAX + 1);
	fuzz_bytes(mem, min(p.len, 64u));
	make_payload(&p, segs, mem, p.len);
	room = fuzz_below(4) ? sizeof(transport) : fuzz_below(sizeof(transport));
	n = glass_roce_build(&p, transport, room);
	FUZZ_CHECK(glass_opcode_valid(p.opcode) || n == -EINVAL, "a reserved opcode: %d", n);
	if (!glass_opcode_valid(p.opcode))
		return;
	if (!(fuzz_u8() & 7))
		wire = random_wire(&p);
	all = glass_roce_bytes(&p);
	b = block(all);
	if (wire && !glass_roce_wire_bytes(&p)) {
		FUZZ_CHECK(!glass_roce_put(&p, b, all), "written without a BTH");
	} else {
		FUZZ_CHECK(glass_roce_put(&p, b, all), "not written");
		check_prefix(&p, b, all);
	}
	if (wire) {
		free(wire);
		free(b);
		return;
	}
	FUZZ_CHECK(n < 0 ? n == -ENOSPC && room < all - ip_len(b) - GLASS_UDP_BYTES - 4 :
			   (u32)n == all - ip_len(b) - GLASS_UDP_BYTES - 4 &&
				   !memcmp(transport, b + ip_len(b) + GLASS_UDP_BYTES, n),
		   "%d bytes of %u", n, all);
	n = glass_roce_parse(&q, &seg, b, all, &memo);
	if (!(p.dqpn & GLASS_QPN_MASK)) {
		FUZZ_CHECK(n == GLASS_ROCE_bad_dqpn, "rule %d", n);
		free(b);
		return;
	}
	FUZZ_CHECK(n == GLASS_ROCE_OK, "what was built: rule %d", n);
	FUZZ_CHECK(q.grh.sport == (p.grh.sport ?: glass_roce_sport(&p)), "source port");
	p.grh.hop_limit = p.grh.hop_limit ?: 64;
	if (v4)
		p.grh.flow_label = 0;
	check_same(&p, &q);
	FUZZ_CHECK(!v4 || (q.grh.ip_id == p.grh.ip_id && q.grh.ip_frag == p.grh.ip_frag), "fields of IPv4");
	FUZZ_CHECK(!p.len || !memcmp(seg.addr, mem, p.len), "payload");
	/* one bit is found, but where a router may change it, and in what the checksum of IP covers */
	bit = fuzz_below(all * 8);
	b[bit / 8] ^= 1 << bit % 8;
	if (bit / 8 >= ip_len(b) + GLASS_UDP_BYTES && bit / 8 != ip_len(b) + GLASS_UDP_BYTES + 4)
		FUZZ_CHECK(glass_roce_parse(&q, &seg, b, all, NULL), "bit %u", bit);
	free(b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_begin(data, size);
	if (fuzz_u8() % 3)
		any_datagram();
	else
		fields();
	return 0;
}
