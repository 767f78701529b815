// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Frames of netdev cables (frame.h). */
#include "wire/crc.h"
#include "wire/frame.h"
#include "wire/opcode.h"
#include "wire/serial.h"
#include "wire/train.h"

/* Offsets in a hello */
enum {
	HELLO_SESSION = 0,
	HELLO_NODE = 4, /* 32 bytes */
	HELLO_HOST = 36, /* 64 bytes */
	HELLO_DESC = 100, /* 64 bytes */
	HELLO_GUID = 164,
	HELLO_PORT = 172,
	HELLO_TYPE = 173,
	HELLO_FLAGS = 174,
	HELLO_MTU = 175,
	HELLO_WIDTH = 176,
	HELLO_SPEED = 177,
	HELLO_SPEED_EXT = 178,
	HELLO_RESERVED = 179,
	HELLO_FRAMES = 180,
	HELLO_END = 188, /* the rest is reserved: 0 */
};

void glass_frame_put(const struct glass_frame *f, u8 to[GLASS_FRAME_HDR_BYTES])
{
	to[0] = GLASS_FRAME_VERSION;
	to[1] = f->kind;
	to[2] = f->count;
	to[3] = f->flags;
	put_unaligned_be32(f->session, to + 4);
}

enum glass_cable_rule glass_frame_get(struct glass_frame *f, const u8 *b, size_t len)
{
	if (len < GLASS_FRAME_HDR_BYTES)
		return GLASS_RULE_bad_short;
	f->kind = b[1];
	f->count = b[2];
	f->flags = b[3];
	f->session = get_unaligned_be32(b + 4);
	if (b[0] != GLASS_FRAME_VERSION)
		return GLASS_RULE_bad_version;
	if (f->kind == GLASS_FRAME_HELLO)
		return f->count || f->flags ? GLASS_RULE_bad_header : GLASS_RULE_NONE;
	if (f->kind != GLASS_FRAME_PACKETS)
		return GLASS_RULE_bad_kind;
	if (!f->count || !f->session || (f->flags & ~GLASS_FRAME_NO_VCRC))
		return GLASS_RULE_bad_header;
	return GLASS_RULE_NONE;
}

u32 glass_frame_next(const struct glass_frame *f, const u8 *b, size_t len, u32 *at)
{
	u32 bytes;

	if (len < GLASS_LRH_BYTES || *at > len - GLASS_LRH_BYTES)
		return 0;
	bytes = (get_unaligned_be16(b + *at + 4) & 0x7ff) * 4u;
	if (bytes < GLASS_LRH_BYTES + GLASS_BTH_BYTES + GLASS_ICRC_BYTES)
		return 0;
	if (!(f->flags & GLASS_FRAME_NO_VCRC))
		bytes += GLASS_VCRC_BYTES;
	if (bytes > len - *at)
		return 0;
	*at += bytes;
	return bytes;
}

static enum glass_cable_rule rule_of(enum glass_drop why)
{
	switch (why) {
	case GLASS_DROP_BAD_LRH:
		return GLASS_RULE_bad_lrh;
	case GLASS_DROP_BAD_GRH:
		return GLASS_RULE_bad_grh;
	case GLASS_DROP_BAD_VCRC:
		return GLASS_RULE_bad_vcrc;
	case GLASS_DROP_BAD_ICRC:
		return GLASS_RULE_bad_icrc;
	case GLASS_DROP_BAD_BTH:
		return GLASS_RULE_bad_bth;
	default:
		return GLASS_RULE_bad_length;
	}
}

enum glass_cable_rule glass_frame_packet(const struct glass_frame *f, const u8 *b, u32 len, u32 mtu,
					 struct glass_pkt *p, struct glass_seg *seg)
{
	u32 flags = f->flags & GLASS_FRAME_NO_VCRC ? GLASS_PARSE_CUT_VCRC : 0;
	enum glass_drop why;
	u8 vl = b[0] >> 4;

	if (vl && vl != GLASS_VL_SMP)
		return GLASS_RULE_bad_vl;
	if (glass_pkt_parse(p, seg, b, len, flags, &why))
		return rule_of(why);
	if (p->len > mtu)
		return GLASS_RULE_bad_mtu;
	return GLASS_RULE_NONE;
}

int glass_frame_build(const struct glass_pkt *train, u32 i, u32 *off, bool no_vcrc, u8 *to,
		      size_t size)
{
	struct glass_pkt one;
	u32 len, pad;
	int n;

	if (glass_train_part(train, i, &one))
		return -EINVAL;
	n = glass_pkt_build_headers(&one, to, size);
	if (n < 0)
		return n;
	len = n;
	pad = glass_pad_bytes(one.len);
	if (size < len + one.len + pad + GLASS_ICRC_BYTES + (no_vcrc ? 0 : GLASS_VCRC_BYTES))
		return -ENOSPC;
	if (glass_pkt_copy_payload(train, *off, to + len, one.len) != one.len)
		return -EINVAL;
	*off += one.len;
	len += one.len;
	memset(to + len, 0, pad);
	len += pad;
	glass_crc_put32(glass_icrc(to, len), to + len);
	len += GLASS_ICRC_BYTES;
	if (no_vcrc)
		return len;
	glass_crc_put16(glass_vcrc(to, len), to + len);
	return len + GLASS_VCRC_BYTES;
}

static void put_text(u8 *to, size_t room, const char *text)
{
	size_t n = strlen(text);

	memcpy(to, text, min(n, room));
}

void glass_hello_put(const struct glass_hello *h, u8 to[GLASS_HELLO_BYTES])
{
	memset(to, 0, GLASS_HELLO_BYTES);
	put_unaligned_be32(h->session, to + HELLO_SESSION);
	put_text(to + HELLO_NODE, GLASS_HELLO_NODE, h->node);
	put_text(to + HELLO_HOST, GLASS_HELLO_HOST, h->host);
	put_text(to + HELLO_DESC, GLASS_HELLO_DESC, h->desc);
	put_unaligned_be64(h->guid, to + HELLO_GUID);
	to[HELLO_PORT] = h->port;
	to[HELLO_TYPE] = h->type;
	to[HELLO_FLAGS] = h->flags;
	to[HELLO_MTU] = h->mtu;
	to[HELLO_WIDTH] = h->width;
	to[HELLO_SPEED] = h->speed;
	to[HELLO_SPEED_EXT] = h->speed_ext;
	put_unaligned_be64(h->frames, to + HELLO_FRAMES);
}

static void get_text(char *to, const u8 *b, size_t bytes)
{
	memcpy(to, b, bytes);
	to[bytes] = '\0';
}

static bool is_word(const char *text)
{
	if (!*text)
		return false;
	for (; *text; text++)
		if (*text <= ' ' || *text > '~')
			return false;
	return true;
}

enum glass_cable_rule glass_hello_get(struct glass_hello *h, const u8 *b, size_t len, bool named)
{
	memset(h, 0, sizeof(*h));
	if (len < (named ? HELLO_GUID : GLASS_HELLO_BYTES))
		return GLASS_RULE_bad_hello;
	h->session = get_unaligned_be32(b + HELLO_SESSION);
	get_text(h->node, b + HELLO_NODE, GLASS_HELLO_NODE);
	get_text(h->host, b + HELLO_HOST, GLASS_HELLO_HOST);
	get_text(h->desc, b + HELLO_DESC, GLASS_HELLO_DESC);
	if (!h->session || !is_word(h->node) || !is_word(h->host))
		return GLASS_RULE_bad_hello;
	if (named)
		return GLASS_RULE_NONE;
	h->guid = get_unaligned_be64(b + HELLO_GUID);
	h->port = b[HELLO_PORT];
	h->type = b[HELLO_TYPE];
	h->flags = b[HELLO_FLAGS];
	h->mtu = b[HELLO_MTU];
	h->width = b[HELLO_WIDTH];
	h->speed = b[HELLO_SPEED];
	h->speed_ext = b[HELLO_SPEED_EXT];
	h->frames = get_unaligned_be64(b + HELLO_FRAMES);
	if (!h->guid || !h->port || h->port == 255 || h->type < 1 || h->type > 2 ||
	    (h->flags & ~(GLASS_HELLO_LINK | GLASS_HELLO_NO_VCRC)) || !h->mtu || h->mtu > 5)
		return GLASS_RULE_bad_hello;
	return GLASS_RULE_NONE;
}

u8 glass_frame_mtu_code(u32 netdev_mtu)
{
	u8 code = 5;

	while (code && netdev_mtu < GLASS_FRAME_MTU(128u << code))
		code--;
	return code;
}
