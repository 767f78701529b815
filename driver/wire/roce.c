// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Packets of Ethernet ports (roce.h). */
#include "wire/crc.h"
#include "wire/opcode.h"
#include "wire/roce.h"
#include "wire/serial.h"

#define IP4_IHL 5 /* header length in words: no options */
#define SHORTEST (GLASS_IP4_BYTES + GLASS_UDP_BYTES + GLASS_BTH_BYTES + GLASS_ICRC_BYTES)

void glass_gid_of_v4(const u8 addr[4], u8 gid[16])
{
	memmove(gid + 12, addr, 4);
	memset(gid, 0, 12);
	if (gid[12] >> 4 == 0xe) {
		gid[0] = 0xff;
		gid[1] = 0x0e;
	}
	gid[10] = 0xff;
	gid[11] = 0xff;
}

int glass_roce_build_part(const struct glass_pkt *train, const struct glass_pkt *one, u32 off, void *buf,
			  size_t size)
{
	u32 pad = glass_pad_bytes(one->len);
	u8 *b = buf;
	int len;

	len = glass_pkt_build_transport(one, buf, size);
	if (len < 0)
		return len;
	if (size < len + one->len + pad)
		return -ENOSPC;
	if (glass_pkt_copy_payload(train, off, b + len, one->len) != one->len)
		return -EINVAL;
	memset(b + len + one->len, 0, pad);
	return len + one->len + pad;
}

int glass_roce_build(const struct glass_pkt *p, void *buf, size_t size)
{
	return glass_roce_build_part(p, p, 0, buf, size);
}

static u32 ip_bytes(const u8 *ip)
{
	return ip[0] >> 4 == 4 ? GLASS_IP4_BYTES : GLASS_IP6_BYTES;
}

/* Bits of the headers of IP and UDP that count as ones, because routers may change them */
static const u8 ones4[GLASS_IP4_BYTES + GLASS_UDP_BYTES] = {
	[1] = 0xff, /* TOS */
	[8] = 0xff, /* TTL */
	[10] = 0xff, /* checksum */
	[11] = 0xff,
	[GLASS_IP4_BYTES + 6] = 0xff, /* checksum of UDP */
	[GLASS_IP4_BYTES + 7] = 0xff,
};

static const u8 ones6[GLASS_IP6_BYTES + GLASS_UDP_BYTES] = {
	[0] = 0x0f, /* traffic class and flow label */
	[1] = 0xff,
	[2] = 0xff,
	[3] = 0xff,
	[7] = 0xff, /* hop limit */
	[GLASS_IP6_BYTES + 6] = 0xff, /* checksum of UDP */
	[GLASS_IP6_BYTES + 7] = 0xff,
};

/* Eight bytes of the headers, with ones. */
static __always_inline u64 with_ones(const u8 *ip, const u8 *ones, u32 at)
{
	u64 word, one;

	memcpy(&word, ip + at, sizeof(word));
	memcpy(&one, ones + at, sizeof(one));
	return word | one;
}

static __always_inline u64 differ_at(const u8 *ip, const u8 *ones, const u8 *known, u32 at)
{
	u64 was;

	memcpy(&was, known + at, sizeof(was));
	return with_ones(ip, ones, at) ^ was;
}

/* Are the headers, with ones, those of `known`? A loop would take twice as many instructions. */
static bool roce_same4(const u8 *ip, const u8 *known)
{
	/* 28 bytes: the last eight overlap with those before */
	return !(differ_at(ip, ones4, known, 0) | differ_at(ip, ones4, known, 8) |
		 differ_at(ip, ones4, known, 16) | differ_at(ip, ones4, known, 20));
}

static bool roce_same6(const u8 *ip, const u8 *known)
{
	return !(differ_at(ip, ones6, known, 0) | differ_at(ip, ones6, known, 8) |
		 differ_at(ip, ones6, known, 16) | differ_at(ip, ones6, known, 24) |
		 differ_at(ip, ones6, known, 32) | differ_at(ip, ones6, known, 40));
}

/* The running CRC of the headers, which *hdr gets with ones. */
static noinline u32 crc_of_headers(const u8 *ip, u32 bytes, u8 *hdr)
{
	/* in the place of an LRH: ones */
	static const u8 lrh[GLASS_LRH_BYTES] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
	const u8 *ones = bytes == sizeof(ones6) ? ones6 : ones4;
	u32 i;

	for (i = 0; i < bytes; i++)
		hdr[i] = ip[i] | ones[i];
	return glass_crc32(glass_crc32(GLASS_CRC32_INIT, lrh, sizeof(lrh)), hdr, bytes);
}

u32 glass_roce_icrc_begin(struct glass_roce_memo *memo, const u8 *ip)
{
	u32 bytes = ip_bytes(ip) + GLASS_UDP_BYTES;
	/* by the length: that of data and that of an ACK mostly differ in this bit */
	u32 entry = ip[bytes - 3] >> 2 & 1;
	u8 hdr[GLASS_IP6_BYTES + GLASS_UDP_BYTES];

	if (!memo)
		return crc_of_headers(ip, bytes, hdr);
	if (memo->of[entry].bytes != bytes ||
	    !(bytes == sizeof(ones6) ? roce_same6(ip, memo->of[entry].hdr) :
				       roce_same4(ip, memo->of[entry].hdr))) {
		memo->of[entry].crc = crc_of_headers(ip, bytes, memo->of[entry].hdr);
		memo->of[entry].bytes = bytes;
	}
	return memo->of[entry].crc;
}

u32 glass_roce_icrc_end(u32 crc, const u8 *bth, size_t len)
{
	u8 b[GLASS_BTH_BYTES];

	memcpy(b, bth, sizeof(b));
	b[4] = 0xff; /* reserved byte of the BTH */
	crc = glass_crc32(crc, b, sizeof(b));
	return ~glass_crc32(crc, bth + sizeof(b), len - sizeof(b));
}

u32 glass_roce_icrc(const u8 *ip, size_t len)
{
	u32 n = ip_bytes(ip) + GLASS_UDP_BYTES;

	return glass_roce_icrc_end(glass_roce_icrc_begin(NULL, ip), ip + n, len - n);
}

static enum glass_roce_rule get_ip4(struct glass_grh *g, const u8 *ip, size_t len)
{
	if ((ip[0] & 0xf) != IP4_IHL)
		return GLASS_ROCE_bad_ip;
	if (get_unaligned_be16(ip + 2) != len)
		return GLASS_ROCE_bad_length;
	g->tclass = ip[1];
	g->ip_id = get_unaligned_be16(ip + 4);
	g->ip_frag = get_unaligned_be16(ip + 6);
	g->hop_limit = ip[8];
	g->next_hdr = ip[9];
	glass_gid_of_v4(ip + 12, g->sgid);
	glass_gid_of_v4(ip + 16, g->dgid);
	return GLASS_ROCE_OK;
}

static enum glass_roce_rule get_ip6(struct glass_grh *g, const u8 *ip, size_t len)
{
	u32 w = get_unaligned_be32(ip);

	if (len < SHORTEST + GLASS_IP6_BYTES - GLASS_IP4_BYTES)
		return GLASS_ROCE_bad_short;
	if (get_unaligned_be16(ip + 4) + (size_t)GLASS_IP6_BYTES != len)
		return GLASS_ROCE_bad_length;
	g->tclass = w >> 20;
	g->flow_label = w & 0xfffff;
	g->next_hdr = ip[6];
	g->hop_limit = ip[7];
	memcpy(g->sgid, ip + 8, 16);
	memcpy(g->dgid, ip + 24, 16);
	return GLASS_ROCE_OK;
}

void glass_roce_split(const u8 *ip, u32 i, u32 len, u8 hdr[GLASS_IP6_BYTES + GLASS_UDP_BYTES])
{
	u32 n = ip_bytes(ip);

	memcpy(hdr, ip, n + GLASS_UDP_BYTES);
	len += GLASS_UDP_BYTES;
	if (n == GLASS_IP4_BYTES) {
		put_unaligned_be16(n + len, hdr + 2);
		put_unaligned_be16(get_unaligned_be16(ip + 4) + i, hdr + 4);
	} else {
		put_unaligned_be16(len, hdr + 4);
	}
	put_unaligned_be16(len, hdr + n + 4);
}

/* `bth` is where the BTH is; NULL: behind the headers. `len` counts the headers in any case. */
static enum glass_roce_rule roce_parse(struct glass_pkt *p, struct glass_seg *seg, const u8 *ip,
				       const u8 *bth, size_t len, bool look_at_icrc,
				       struct glass_roce_memo *memo)
{
	enum glass_roce_rule rule;
	enum glass_drop why;
	u32 n, rest;

	memset(p, 0, sizeof(*p));
	/* check the length first: no byte beyond len may be read */
	if (len < SHORTEST)
		return GLASS_ROCE_bad_short;
	p->lnh = GLASS_LNH_GLOBAL;
	switch (ip[0] >> 4) {
	case 4:
		rule = get_ip4(&p->grh, ip, len);
		break;
	case 6:
		rule = get_ip6(&p->grh, ip, len);
		break;
	default:
		rule = GLASS_ROCE_bad_ip;
	}
	if (rule)
		return rule;
	/* a header between IP and UDP, or a fragment */
	if (p->grh.next_hdr != GLASS_NEXT_HDR_UDP)
		return GLASS_ROCE_bad_ip;
	/*
	 * A multicast group of IPv4 that sends, or an IPv4 address in an IPv6 header: the kernel's IP
	 * drops both, but captures may have them.
	 */
	if (glass_gid_is_v4(p->grh.sgid) != (ip[0] >> 4 == 4))
		return GLASS_ROCE_bad_ip;
	n = ip_bytes(ip);
	if (get_unaligned_be16(ip + n + 4) != len - n)
		return GLASS_ROCE_bad_length;
	p->grh.sport = get_unaligned_be16(ip + n);
	rest = len - n - GLASS_UDP_BYTES;
	p->grh.pay_len = rest;
	if (!bth)
		bth = ip + n + GLASS_UDP_BYTES;
	if (look_at_icrc && glass_crc_get32(bth + rest - GLASS_ICRC_BYTES) !=
				    glass_roce_icrc_end(glass_roce_icrc_begin(memo, ip), bth,
							rest - GLASS_ICRC_BYTES))
		return GLASS_ROCE_bad_icrc;
	why = glass_pkt_parse_transport(p, seg, bth, rest - GLASS_ICRC_BYTES);
	if (why)
		return why == GLASS_DROP_BAD_BTH ? GLASS_ROCE_bad_bth : GLASS_ROCE_bad_length;
	if (!p->dqpn)
		return GLASS_ROCE_bad_dqpn;
	if (p->grh.dgid[0] == 0xff)
		p->dlid = GLASS_LID_MCAST_BASE;
	p->forged = p->opcode == GLASS_OPCODE_CNP;
	return GLASS_ROCE_OK;
}

enum glass_roce_rule glass_roce_parse(struct glass_pkt *p, struct glass_seg *seg, const u8 *ip,
				      size_t len, struct glass_roce_memo *memo)
{
	return roce_parse(p, seg, ip, NULL, len, true, memo);
}

enum glass_roce_rule glass_roce_parse_split(struct glass_pkt *p, struct glass_seg *seg, const u8 *hdr,
					    const u8 *bth, size_t len, struct glass_roce_memo *memo)
{
	return roce_parse(p, seg, hdr, bth, ip_bytes(hdr) + GLASS_UDP_BYTES + len, true, memo);
}

/* Bytes from the IP header to the last extended header */
static u32 header_bytes(const struct glass_pkt *p)
{
	return (glass_gid_is_v4(p->grh.sgid) ? GLASS_IP4_BYTES : GLASS_IP6_BYTES) + GLASS_UDP_BYTES +
	       GLASS_BTH_BYTES + glass_opcodes[p->opcode].ext_bytes;
}

bool glass_roce_decode(struct glass_pkt *p, struct glass_seg *seg, const u8 *ip, size_t len,
		       size_t orig)
{
	if (len > orig || orig < SHORTEST ||
	    get_unaligned_be16(ip + ip_bytes(ip) + 2) != GLASS_ROCE_UDP_PORT)
		return false;
	return !roce_parse(p, seg, ip, NULL, orig, false, NULL) && header_bytes(p) <= len;
}

static u16 ip4_checksum(const u8 *ip)
{
	u32 sum = 0, i;

	for (i = 0; i < GLASS_IP4_BYTES; i += 2)
		sum += get_unaligned_be16(ip + i);
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

/* Writes the IP header of a datagram with `len` bytes from the BTH to the ICRC. Returns its bytes. */
static u32 put_ip(const struct glass_grh *g, u32 len, u8 *ip)
{
	u8 hops = g->hop_limit ?: 64;

	len += GLASS_UDP_BYTES;
	if (!glass_gid_is_v4(g->sgid)) {
		put_unaligned_be32(6U << 28 | (u32)g->tclass << 20 | (g->flow_label & 0xfffff), ip);
		put_unaligned_be16(len, ip + 4);
		ip[6] = GLASS_NEXT_HDR_UDP;
		ip[7] = hops;
		memcpy(ip + 8, g->sgid, 16);
		memcpy(ip + 24, g->dgid, 16);
		return GLASS_IP6_BYTES;
	}
	memset(ip, 0, GLASS_IP4_BYTES);
	ip[0] = 4 << 4 | IP4_IHL;
	ip[1] = g->tclass;
	put_unaligned_be16(len + GLASS_IP4_BYTES, ip + 2);
	put_unaligned_be16(g->ip_id, ip + 4);
	put_unaligned_be16(g->ip_frag, ip + 6);
	ip[8] = hops;
	ip[9] = GLASS_NEXT_HDR_UDP;
	memcpy(ip + 12, g->sgid + 12, 4);
	memcpy(ip + 16, g->dgid + 12, 4);
	put_unaligned_be16(ip4_checksum(ip), ip + 10);
	return GLASS_IP4_BYTES;
}

void glass_roce_header(const struct glass_grh *g, u8 to[GLASS_GRH_BYTES])
{
	u32 skip = glass_gid_is_v4(g->sgid) ? GLASS_GRH_BYTES - GLASS_IP4_BYTES : 0;

	memset(to, 0, skip);
	put_ip(g, g->pay_len, to + skip);
}

u16 glass_roce_sport(const struct glass_pkt *p)
{
	u32 fl = p->grh.flow_label;

	if (!fl)
		/* spread neighbouring QPNs over the flow labels */
		fl = p->dqpn * 0x61c88647u >> 12;
	/* as all senders of RoCEv2 make a port of a flow label (rdma_flow_label_to_udp_sport()) */
	fl = (fl & 0x3fff) ^ (fl >> 14 & 0x3f);
	return fl | 0xc000;
}

u32 glass_roce_wire_bytes(const struct glass_pkt *p)
{
	const u32 bth = GLASS_LRH_BYTES + GLASS_GRH_BYTES + GLASS_BTH_BYTES;
	const u32 end = GLASS_ICRC_BYTES + GLASS_VCRC_BYTES;

	if (p->wire_len < bth)
		return 0;
	/* a truncated packet ends anywhere; of one that ends soon behind its BTH, no CRCs are left */
	return GLASS_BTH_BYTES + (p->wire_len > bth + end ? p->wire_len - bth - end : 0);
}

/* Bytes from the BTH to the padding */
static u32 transport_bytes(const struct glass_pkt *p)
{
	if (p->wire)
		return glass_roce_wire_bytes(p);
	return GLASS_BTH_BYTES + glass_opcodes[p->opcode].ext_bytes + p->len +
	       glass_pad_bytes(p->len);
}

u32 glass_roce_bytes(const struct glass_pkt *p)
{
	return (glass_gid_is_v4(p->grh.sgid) ? GLASS_IP4_BYTES : GLASS_IP6_BYTES) + GLASS_UDP_BYTES +
	       transport_bytes(p) + GLASS_ICRC_BYTES;
}

u32 glass_roce_cut(const struct glass_pkt *p, u32 snap)
{
	u32 all = glass_roce_bytes(p);

	if (snap >= all)
		return all;
	return min(snap, p->wire ? all - GLASS_ICRC_BYTES : header_bytes(p) + p->len);
}

bool glass_roce_put(const struct glass_pkt *p, u8 *to, u32 cap)
{
	u32 all = glass_roce_bytes(p), room, n, done, payload;
	u8 headers[GLASS_PKT_HDR_MAX + GLASS_UDP_BYTES], *h = headers;
	int len;

	n = put_ip(&p->grh, transport_bytes(p) + GLASS_ICRC_BYTES, h);
	put_unaligned_be16(p->grh.sport ?: glass_roce_sport(p), h + n);
	put_unaligned_be16(GLASS_ROCE_UDP_PORT, h + n + 2);
	put_unaligned_be16(all - n, h + n + 4);
	put_unaligned_be16(0, h + n + 6);
	n += GLASS_UDP_BYTES;
	if (p->wire && !transport_bytes(p))
		return false;
	if (!p->wire) {
		len = glass_pkt_build_transport(p, h + n, sizeof(headers) - n);
		if (len < 0)
			return false;
		n += len;
	}
	done = min(n, cap);
	memcpy(to, headers, done);
	room = min(cap, all - GLASS_ICRC_BYTES) - done;
	if (p->wire) {
		memcpy(to + done, p->wire + GLASS_LRH_BYTES + GLASS_GRH_BYTES, room);
	} else {
		payload = min(room, p->len);
		if (payload && glass_pkt_copy_payload(p, 0, to + done, payload) != payload)
			return false;
		memset(to + done + payload, 0, room - payload);
	}
	if (cap == all)
		/* a packet that shall be damaged is sent with this ICRC */
		glass_crc_put32(glass_roce_icrc(to, all - GLASS_ICRC_BYTES) ^ (p->spoilt ? ~0u : 0),
				to + all - GLASS_ICRC_BYTES);
	return true;
}
