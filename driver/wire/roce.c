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

int glass_roce_build(const struct glass_pkt *p, void *buf, size_t size)
{
	u32 pad = glass_pad_bytes(p->len);
	u8 *b = buf;
	int len;

	len = glass_pkt_build_transport(p, buf, size);
	if (len < 0)
		return len;
	if (size < len + p->len + pad)
		return -ENOSPC;
	if (glass_pkt_copy_payload(p, 0, b + len, p->len) != p->len)
		return -EINVAL;
	memset(b + len + p->len, 0, pad);
	return len + p->len + pad;
}

static u32 ip_bytes(const u8 *ip)
{
	return ip[0] >> 4 == 4 ? GLASS_IP4_BYTES : GLASS_IP6_BYTES;
}

u32 glass_roce_icrc(const u8 *ip, size_t len)
{
	u8 hdr[GLASS_LRH_BYTES + GLASS_IP6_BYTES + GLASS_UDP_BYTES + GLASS_BTH_BYTES];
	u32 n = ip_bytes(ip), all = n + GLASS_UDP_BYTES + GLASS_BTH_BYTES;
	u8 *h = hdr + GLASS_LRH_BYTES;
	u32 crc;

	/* in the place of an LRH: ones */
	memset(hdr, 0xff, GLASS_LRH_BYTES);
	memcpy(h, ip, all);
	if (n == GLASS_IP4_BYTES) {
		h[1] = 0xff; /* TOS */
		h[8] = 0xff; /* TTL */
		h[10] = 0xff; /* checksum */
		h[11] = 0xff;
	} else {
		h[0] |= 0x0f; /* traffic class and flow label */
		memset(h + 1, 0xff, 3);
		h[7] = 0xff; /* hop limit */
	}
	h[n + 6] = 0xff; /* checksum of UDP */
	h[n + 7] = 0xff;
	h[n + GLASS_UDP_BYTES + 4] = 0xff; /* reserved byte of the BTH */
	crc = glass_crc32(GLASS_CRC32_INIT, hdr, GLASS_LRH_BYTES + all);
	return ~glass_crc32(crc, ip + all, len - all);
}

static enum glass_roce_rule get_ip4(struct glass_grh *g, const u8 *ip, size_t len)
{
	if ((ip[0] & 0xf) != IP4_IHL)
		return GLASS_ROCE_bad_ip;
	if (get_unaligned_be16(ip + 2) != len)
		return GLASS_ROCE_bad_length;
	g->tclass = ip[1];
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

enum glass_roce_rule glass_roce_parse(struct glass_pkt *p, struct glass_seg *seg, const u8 *ip,
				      size_t len)
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
	n = ip_bytes(ip);
	if (get_unaligned_be16(ip + n + 4) != len - n)
		return GLASS_ROCE_bad_length;
	rest = len - n - GLASS_UDP_BYTES;
	p->grh.pay_len = rest;
	if (glass_crc_get32(ip + len - GLASS_ICRC_BYTES) !=
	    glass_roce_icrc(ip, len - GLASS_ICRC_BYTES))
		return GLASS_ROCE_bad_icrc;
	why = glass_pkt_parse_transport(p, seg, ip + n + GLASS_UDP_BYTES, rest - GLASS_ICRC_BYTES);
	if (why)
		return why == GLASS_DROP_BAD_BTH ? GLASS_ROCE_bad_bth : GLASS_ROCE_bad_length;
	if (!p->dqpn)
		return GLASS_ROCE_bad_dqpn;
	if (p->grh.dgid[0] == 0xff)
		p->dlid = GLASS_LID_MCAST_BASE;
	p->forged = p->opcode == GLASS_OPCODE_CNP;
	return GLASS_ROCE_OK;
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

void glass_roce_header(const struct glass_grh *g, u8 to[GLASS_GRH_BYTES])
{
	u32 len = g->pay_len + GLASS_UDP_BYTES;
	u8 *ip = to + GLASS_GRH_BYTES - GLASS_IP4_BYTES;

	memset(to, 0, GLASS_GRH_BYTES);
	if (!glass_gid_is_v4(g->sgid)) {
		put_unaligned_be32(6U << 28 | (u32)g->tclass << 20 | (g->flow_label & 0xfffff), to);
		put_unaligned_be16(len, to + 4);
		to[6] = GLASS_NEXT_HDR_UDP;
		to[7] = g->hop_limit;
		memcpy(to + 8, g->sgid, 16);
		memcpy(to + 24, g->dgid, 16);
		return;
	}
	ip[0] = 4 << 4 | IP4_IHL;
	ip[1] = g->tclass;
	put_unaligned_be16(len + GLASS_IP4_BYTES, ip + 2);
	ip[6] = 0x40; /* do not fragment */
	ip[8] = g->hop_limit;
	ip[9] = GLASS_NEXT_HDR_UDP;
	memcpy(ip + 12, g->sgid + 12, 4);
	memcpy(ip + 16, g->dgid + 12, 4);
	put_unaligned_be16(ip4_checksum(ip), ip + 10);
}
