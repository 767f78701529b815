// SPDX-License-Identifier: GPL-2.0-only
/*
 * Netdev cables. Bytes of anybody are a frame: packets and hellos are read as
 * link/netcable_rx.c does, and what is accepted is what wire/serial.h accepts. Packets and trains
 * are built into frames, and parse to the same packets. Hellos of anybody, at any time, go to a
 * link training, and ports train their links on a wire whose faults an input decides.
 */
#include "fuzz.h"

int unit_main(void);
#define main unit_main
#include "../unit/fabric/test_training.c"
#undef main

#include "wire/crc.h"
#include "wire/opcode.h"
#include "wire/serial.h"
#include "wire/train.h"

#define FRAME_MAX 5000
#define TRAIN_MAX 6

/* ---- packets */

/* The rule that a packet breaks, by wire/serial.h: its bytes with a VCRC, as an HCA would get them */
static enum glass_cable_rule rule_of_bytes(const u8 *b, u32 len, bool no_vcrc, u32 mtu)
{
	static const u8 rules[GLASS_DROP_COUNT] = {
		[GLASS_DROP_BAD_LEN] = GLASS_RULE_bad_length,
		[GLASS_DROP_BAD_LRH] = GLASS_RULE_bad_lrh,
		[GLASS_DROP_BAD_GRH] = GLASS_RULE_bad_grh,
		[GLASS_DROP_BAD_VCRC] = GLASS_RULE_bad_vcrc,
		[GLASS_DROP_BAD_ICRC] = GLASS_RULE_bad_icrc,
		[GLASS_DROP_BAD_BTH] = GLASS_RULE_bad_bth,
	};
	static u8 whole[FRAME_MAX + GLASS_VCRC_BYTES];
	struct glass_seg seg;
	struct glass_pkt p;
	enum glass_drop why;

	memcpy(whole, b, len);
	if (no_vcrc) {
		glass_crc_put16(glass_vcrc(whole, len), whole + len);
		len += GLASS_VCRC_BYTES;
	}
	if (whole[0] >> 4 && whole[0] >> 4 != GLASS_VL_SMP)
		return GLASS_RULE_bad_vl;
	if (glass_pkt_parse(&p, &seg, whole, len, 0, &why)) {
		FUZZ_CHECK(rules[why], "reason %u", why);
		return rules[why];
	}
	return p.len > mtu ? GLASS_RULE_bad_mtu : GLASS_RULE_NONE;
}

/* frame_in() of link/netcable_rx.c. Returns how many packets are accepted. */
static u32 read_packets(const u8 *b, size_t len, u32 mtu)
{
	u32 place = GLASS_FRAME_HDR_BYTES, start, bytes, i, sum = 0, good = 0;
	enum glass_cable_rule rule;
	struct glass_frame f;
	struct glass_pkt p;
	struct glass_seg seg = { 0 };
	bool no_vcrc;

	rule = glass_frame_get(&f, b, len);
	if (rule) {
		FUZZ_CHECK(rule <= GLASS_RULE_bad_header, "rule %u of a header", rule);
		return 0;
	}
	if (f.kind == GLASS_FRAME_HELLO)
		return 0;
	FUZZ_CHECK(f.count && f.session && b[0] == GLASS_FRAME_VERSION, "header");
	no_vcrc = f.flags & GLASS_FRAME_NO_VCRC;
	for (i = 0; i < f.count; i++) {
		start = place;
		bytes = glass_frame_next(&f, b, len, &place);
		if (!bytes) {
			FUZZ_CHECK(place == start, "moved to nowhere");
			break;
		}
		FUZZ_CHECK(place == start + bytes && place <= len, "%u + %u of %zu", start, bytes,
			   len);
		FUZZ_CHECK((bytes - (no_vcrc ? 0 : 2)) % 4 == 0 && bytes >= 24, "%u bytes", bytes);
		sum += bytes;
		rule = glass_frame_packet(&f, b + start, bytes, mtu, &p, &seg);
		FUZZ_CHECK(rule == rule_of_bytes(b + start, bytes, no_vcrc, mtu), "rule %u", rule);
		if (rule)
			continue;
		good++;
		FUZZ_CHECK(p.len <= mtu && p.nseg == !!p.len, "payload of %u", p.len);
		FUZZ_CHECK(!p.len || ((u8 *)seg.addr >= b + start && seg.len == p.len &&
				      (u8 *)seg.addr + seg.len <= b + place), "payload");
	}
	FUZZ_CHECK(sum == place - GLASS_FRAME_HDR_BYTES && sum <= len - GLASS_FRAME_HDR_BYTES,
		   "%u bytes of packets", sum);
	return good;
}

/* Makes the CRCs of the packets right, as far as there are packets. */
static void mend_packets(u8 *b, size_t len)
{
	u32 place = GLASS_FRAME_HDR_BYTES, start = place, bytes, head, i;
	struct glass_frame f;

	if (glass_frame_get(&f, b, len))
		return;
	for (i = 0; i < f.count; i++, start = place) {
		bytes = glass_frame_next(&f, b, len, &place);
		if (!bytes)
			return;
		if (!(f.flags & GLASS_FRAME_NO_VCRC))
			bytes -= GLASS_VCRC_BYTES;
		head = (b[start + 1] & 3) == GLASS_LNH_GLOBAL ? 64 : 24;
		if (bytes >= head)
			glass_crc_put32(glass_icrc(b + start, bytes - 4), b + start + bytes - 4);
		if (!(f.flags & GLASS_FRAME_NO_VCRC))
			glass_crc_put16(glass_vcrc(b + start, bytes), b + start + bytes);
	}
}

/* A heap block of the exact length: ASan sees a read beyond. */
static u8 *take_bytes(size_t *len)
{
	const u8 *in = fuzz_take(len);
	u8 *b = malloc(*len ? *len : 1);

	FUZZ_CHECK(b, "no memory");
	memcpy(b, in, *len);
	return b;
}

static void any_frame(void)
{
	u8 how = fuzz_u8();
	u32 mtu = 256 << fuzz_below(5);
	size_t len = FRAME_MAX;
	u8 *b = take_bytes(&len);

	if (how & 1 && len >= 8) {
		b[0] = GLASS_FRAME_VERSION;
		b[1] = GLASS_FRAME_PACKETS;
		b[3] &= GLASS_FRAME_NO_VCRC;
		b[4] |= 1;
	}
	if (how & 2)
		mend_packets(b, len);
	read_packets(b, len, mtu);
	free(b);
}

/* A random packet or train; fields of absent headers are random too */
static void random_train(struct glass_pkt *p, struct glass_seg *segs, u8 *mem)
{
	u32 left;

	fuzz_rnd_fill(p, sizeof(*p));
	p->fate = NULL;
	p->wire = NULL;
	p->opcode = fuzz_u8();
	p->lnh = GLASS_LNH_LOCAL + (fuzz_u8() & 1);
	p->lver = p->tver = 0;
	p->vl = fuzz_u8() & 1 ? GLASS_VL_SMP : 0;
	p->sl &= 15;
	p->slid &= 0x7fff;
	p->dlid |= 1;
	p->psn &= GLASS_PSN_MASK;
	p->more = fuzz_below(TRAIN_MAX);
	p->len = p->more * (256 << fuzz_below(5)) + fuzz_below(GLASS_MTU_MAX + 1);
	p->seg = segs;
	fuzz_rnd_fill(mem, min(p->len, 64u));
	for (p->nseg = 0, left = p->len; left; left -= segs[p->nseg++].len) {
		segs[p->nseg].addr = mem + p->len - left;
		segs[p->nseg].len = p->nseg == GLASS_PKT_SEGS - 1 ? left : 1 + fuzz_below(left);
	}
}

static void check_mtu(u32 mtu)
{
	u8 code = glass_frame_mtu_code(mtu);

	FUZZ_CHECK(code <= 5 && (!code || mtu >= GLASS_FRAME_MTU(128u << code)) &&
		   (code == 5 || mtu < GLASS_FRAME_MTU(256u << code)), "code %u of %u", code, mtu);
}

/* A frame that is built of a train: each packet is accepted, and is that of wire/serial.h. */
static void built_frame(void)
{
	static u8 mem[TRAIN_MAX * GLASS_MTU_MAX], want[GLASS_PKT_WIRE_MAX];
	static u8 b[GLASS_FRAME_HDR_BYTES + TRAIN_MAX * GLASS_PKT_WIRE_MAX];
	static struct glass_seg segs[GLASS_PKT_SEGS];
	struct glass_frame f = { .kind = GLASS_FRAME_PACKETS, .session = 1 };
	u32 i, off = 0, from, len = GLASS_FRAME_HDR_BYTES;
	bool no_vcrc = fuzz_u8() & 1, short_by;
	struct glass_pkt p, one;
	struct glass_seg seg;
	int n, m;

	check_mtu(fuzz_u16());
	random_train(&p, segs, mem);
	/* pieces that are not as long as the train */
	short_by = p.nseg && !(fuzz_u8() & 7);
	segs[0].len -= short_by;
	f.count = 1 + p.more;
	f.flags = no_vcrc ? GLASS_FRAME_NO_VCRC : 0;
	glass_frame_put(&f, b);
	for (i = 0; i <= p.more; i++) {
		size_t room = fuzz_below(8) ? sizeof(b) - len : fuzz_below(sizeof(b) - len);

		from = off;
		n = glass_frame_build(&p, i, &off, no_vcrc, b + len, room);
		if (glass_train_part(&p, i, &one)) {
			FUZZ_CHECK(n == -EINVAL, "a part that is none");
			return;
		}
		if (short_by && i == p.more) {
			FUZZ_CHECK(n < 0, "a payload that is too short");
			return;
		}
		if (short_by) {
			if (n < 0)
				return;
			len += n;
			continue;
		}
		seg.addr = mem + from;
		seg.len = one.len;
		one.seg = &seg;
		one.nseg = !!one.len;
		m = glass_pkt_build(&one, want, sizeof(want));
		if (m > 0 && no_vcrc)
			m -= GLASS_VCRC_BYTES;
		if (n < 0) {
			FUZZ_CHECK(n == -ENOSPC ? m > (int)room : n == m, "%d, and %d in %zu", n, m,
				   room);
			return;
		}
		FUZZ_CHECK(n == m && !memcmp(b + len, want, n), "%d and %d bytes", n, m);
		FUZZ_CHECK(off == from + one.len, "payload at %u", off);
		len += n;
	}
	FUZZ_CHECK(read_packets(b, len, GLASS_MTU_MAX) == f.count, "packets are refused");
}

/* ---- hellos */

static bool is_printable(const char *text, size_t most)
{
	size_t n = strnlen(text, most + 1);

	if (!n || n > most)
		return false;
	while (n--)
		if (text[n] <= ' ' || text[n] > '~')
			return false;
	return true;
}

/* hello_in() of link/netcable_rx.c. Returns whether *h is a hello, and *echo is what it answers. */
static bool read_hello(const u8 *b, size_t len, struct glass_hello *h, u32 *echo, u8 *version)
{
	enum glass_cable_rule rule;
	struct glass_frame f;
	bool other;

	rule = glass_frame_get(&f, b, len);
	other = rule == GLASS_RULE_bad_version;
	if (rule && !other)
		return false;
	if (f.kind != GLASS_FRAME_HELLO)
		return false;
	rule = glass_hello_get(h, b + GLASS_FRAME_HDR_BYTES, len - GLASS_FRAME_HDR_BYTES, other);
	if (rule) {
		FUZZ_CHECK(rule == GLASS_RULE_bad_hello, "rule %u of a hello", rule);
		return false;
	}
	FUZZ_CHECK(h->session && is_printable(h->node, GLASS_HELLO_NODE) &&
		   is_printable(h->host, GLASS_HELLO_HOST), "names");
	FUZZ_CHECK(strnlen(h->desc, sizeof(h->desc)) <= GLASS_HELLO_DESC, "description");
	FUZZ_CHECK(other || (h->guid && h->port >= 1 && h->port <= 254 &&
			     (h->type == 1 || h->type == 2) && h->mtu >= 1 && h->mtu <= 5 &&
			     !(h->flags & ~3)), "fields");
	*echo = f.session;
	*version = b[0];
	return true;
}

static void any_hello(void)
{
	size_t len = 400;
	u8 *b = take_bytes(&len), again[GLASS_HELLO_BYTES], version;
	struct glass_hello h, g;
	u32 echo;

	if (read_hello(b, len, &h, &echo, &version) && version == GLASS_FRAME_VERSION) {
		glass_hello_put(&h, again);
		FUZZ_CHECK(!glass_hello_get(&g, again, sizeof(again), false), "what was put");
		FUZZ_CHECK(!strcmp(h.node, g.node) && !strcmp(h.host, g.host) &&
			   !strcmp(h.desc, g.desc) && h.session == g.session && h.guid == g.guid &&
			   h.port == g.port && h.type == g.type && h.flags == g.flags &&
			   h.mtu == g.mtu && h.width == g.width && h.speed == g.speed &&
			   h.speed_ext == g.speed_ext && h.frames == g.frames, "another hello");
	}
	free(b);
}

/* ---- training: calls in any order, and hellos of anybody at any time */

static bool same_peer(const struct glass_training *x, const struct glass_training *y)
{
	return !memcmp(x->peer_mac, y->peer_mac, 6) && x->peer.guid == y->peer.guid &&
	       x->peer.port == y->peer.port && x->peer.flags == y->peer.flags &&
	       x->peer.mtu == y->peer.mtu && !strcmp(x->peer.node, y->peer.node);
}

static u32 fuzz_session(const struct glass_training *t)
{
	switch (fuzz_below(6)) {
	case 0:
	case 1:
		return t->session;
	case 2:
		return t->old_session[fuzz_below(2)];
	case 3:
		return t->peer.session;
	default:
		return 1 + fuzz_below(3);
	}
}

static u32 train_hello(struct glass_training *t, u64 time)
{
	static const u8 nobody[6];
	struct glass_training was = *t;
	struct glass_hello h = { .guid = 1, .port = 1, .type = 1, .mtu = 5, .node = "n", .host = "h" };
	u8 mac[6] = { 2, 0, 0, 0, 0, fuzz_below(4) }, version = GLASS_FRAME_VERSION, what = fuzz_u8();
	u32 echo = fuzz_session(t), did;
	bool own;

	h.session = fuzz_session(t) ?: 1;
	h.flags = what & 4 ? 0 : GLASS_HELLO_LINK;
	h.guid += what >> 3 & 1;
	h.mtu -= what >> 4 & 1;
	h.frames = what;
	if ((what & 3) == 3)
		version = fuzz_u8();
	did = glass_training_hello(t, &h, echo, version, mac, time);
	own = !memcmp(mac, was.mac, 6) && (h.session == was.session ||
					    h.session == was.old_session[0] ||
					    h.session == was.old_session[1]);
	if (was.state == GLASS_CABLE_NO_CARRIER || version != GLASS_FRAME_VERSION || own)
		FUZZ_CHECK(!(did & ~GLASS_TRAINED_TROUBLE) && t->state == was.state &&
			   t->heard == was.heard && same_peer(t, &was), "a hello that means nothing");
	if (was.state == GLASS_CABLE_NO_CARRIER)
		FUZZ_CHECK(!did, "a hello without carrier");
	if (was.state == GLASS_CABLE_UP && memcmp(mac, was.peer_mac, 6))
		FUZZ_CHECK(t->state == GLASS_CABLE_UP && same_peer(t, &was), "taken from the peer");
	if (did & GLASS_TRAINED_UP)
		FUZZ_CHECK(echo == was.session && (h.flags & GLASS_HELLO_LINK) &&
			   !memcmp(t->peer_mac, mac, 6) && t->peer.session == h.session &&
			   t->trouble != GLASS_TROUBLE_SMALL_MTU && memcmp(mac, nobody, 6),
			   "up without an answer");
	if (was.state == GLASS_CABLE_UP && !memcmp(mac, was.peer_mac, 6) && !own &&
	    version == GLASS_FRAME_VERSION && (echo != was.session || h.session != was.peer.session))
		FUZZ_CHECK(did & GLASS_TRAINED_DOWN, "up with a peer that has begun anew");
	return did;
}

static u32 train_call(struct glass_training *t, u64 *time)
{
	u32 did;

	switch (fuzz_below(12)) {
	case 0:
		return glass_training_carrier(t, fuzz_u8() & 1);
	case 1:
		did = glass_training_restart(t, draw_session());
		FUZZ_CHECK(t->state != GLASS_CABLE_UP, "up in a new session");
		return did;
	case 2:
		/* check_netdev(): a new session with it */
		did = glass_training_small_mtu(t, fuzz_u8() & 1);
		return did | glass_training_restart(t, draw_session());
	case 3:
	case 4:
		*time += fuzz_u8() * (t->silence / 64);
		did = glass_training_tick(t, *time);
		FUZZ_CHECK(t->state < GLASS_CABLE_HEARD || *time - t->heard < t->silence,
			   "heard nothing for too long");
		FUZZ_CHECK(!t->trouble || *time < t->trouble_until, "a trouble that is over");
		return did;
	default:
		*time += fuzz_u8();
		return train_hello(t, *time);
	}
}

static void training(void)
{
	static const u8 mac[6] = { 2 };
	struct glass_training t, was;
	u64 time = fuzz_u32();
	u32 did;

	sessions = 0;
	glass_training_init(&t, 1000 + fuzz_u32(), draw_session(), mac);
	glass_training_carrier(&t, true);
	while (fuzz_left()) {
		was = t;
		did = train_call(&t, &time);
		check_call(&was, &t, did);
		FUZZ_CHECK(!(did & ~(GLASS_TRAINED_TROUBLE * 2 - 1)), "bits 0x%x", did);
		if (t.state >= GLASS_CABLE_HEARD && was.state >= GLASS_CABLE_HEARD)
			FUZZ_CHECK(did & GLASS_TRAINED_PEER || same_peer(&t, &was), "another peer");
		else
			FUZZ_CHECK(!!(did & GLASS_TRAINED_PEER) == ((t.state >= GLASS_CABLE_HEARD) !=
								    (was.state >= GLASS_CABLE_HEARD)),
				   "a peer that comes or goes");
		/* netcable_did() */
		if (did & GLASS_TRAINED_DOWN)
			glass_training_restart(&t, draw_session());
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_begin(data, size);
	switch (fuzz_u8() % 6) {
	case 0:
		any_frame();
		break;
	case 1:
		any_hello();
		break;
	case 2:
		built_frame();
		break;
	case 3:
		fuzz_endless();
		one_history();
		break;
	default:
		training();
	}
	return 0;
}
