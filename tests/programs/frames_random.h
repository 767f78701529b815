/* SPDX-License-Identifier: GPL-2.0-only */
/* For frames.c: random frames, most of which are almost valid. */
#ifndef FRAMES_RANDOM_H
#define FRAMES_RANDOM_H

#include "frames.h"
#include "random.h"

static struct glass_pkt random_packet(void)
{
	struct glass_pkt p;

	if (one_in(6))
		return smp_packet();
	p = data_packet(one_in(3) ? below(GLASS_MTU_MAX + 1) : below(300));
	p.dlid = one_in(2) ? NOBODYS_LID : 1 + below(8);
	p.dqpn = below(32);
	p.psn = random32() & GLASS_PSN_MASK;
	do {
		p.opcode = random32();
	} while (!glass_opcode_valid(p.opcode));
	if (one_in(16))
		p.dlid = GLASS_LID_MCAST_BASE + below(4);
	p.rkey = random32();
	p.va = random32();
	p.dma_len = p.len;
	return one_in(4) ? with_grh(p) : p;
}

/* One or more packets, most of them changed, most of those with right CRCs */
static void random_packets(struct frame *f)
{
	u32 n = one_in(4) ? 1 + below(20) : 1, i, before;
	struct glass_pkt p = random_packet();

	begin_packets(f, n);
	for (i = 0; i < n; i++) {
		u8 *b = f->b + f->len;

		if (one_in(8))
			p = random_packet();
		if (f->len + glass_pkt_wire_bytes(&p) > (u32)mtu + ETH_HLEN)
			break;
		before = f->len;
		put_packet(f, &p);
		if (one_in(3))
			continue;
		change_bytes(b, f->len - before);
		/*
		 * A valid SMP that sets attributes may do what an SM may do, such as to disable the port
		 * for good: only Gets are valid.
		 */
		if (p.vl == GLASS_VL_SMP)
			b[GLASS_LRH_BYTES + GLASS_BTH_BYTES + GLASS_DETH_BYTES + GLASS_MAD_METHOD] = GLASS_MM_GET;
		if (!one_in(3))
			fix_crcs(b, f->len - before);
		else if (one_in(2))
			fix_vcrc(b, f->len - before);
	}
	if (i != n && one_in(2))
		f->b[ETH_HLEN + 2] = i;
}

static void random_hello(struct frame *f)
{
	static const u32 mtus[] = { 1, 2, 3, 4, 5 };
	struct glass_hello kept = self.hello;

	switch (below(8)) {
	case 0:
		self.hello.session = random32();
		break;
	case 1:
		self.hello.guid ^= 1ull << below(64);
		break;
	case 2:
		self.hello.mtu = mtus[below(ARRAY_SIZE(mtus))];
		self.hello.width = random32();
		self.hello.speed = random32();
		self.hello.speed_ext = random32();
		break;
	case 3:
		random_bytes((u8 *)self.hello.desc, GLASS_HELLO_DESC);
		break;
	case 4:
		self.hello.flags ^= 1 << below(2);
		break;
	case 5:
		self.hello.frames = one_in(2) ? random32() : ~0ull;
		break;
	}
	make_hello(f);
	self.hello = kept;
	if (one_in(2))
		change_bytes(f->b + HDR, GLASS_HELLO_BYTES);
	if (one_in(16))
		f->b[ETH_HLEN] = random32(); /* version */
}

static void random_frame(struct frame *f, bool calm)
{
	u32 n;

	switch (below(8)) {
	case 0:
		begin_packets(f, 1 + below(4));
		n = below(mtu - GLASS_FRAME_HDR_BYTES);
		random_bytes(f->b + HDR, n);
		f->len += n;
		break;
	case 1:
	case 2:
		random_hello(f);
		break;
	default:
		random_packets(f);
	}
	/* the header */
	if (one_in(16))
		change_bytes(f->b + ETH_HLEN, GLASS_FRAME_HDR_BYTES);
	/* the session */
	if (one_in(8))
		put_unaligned_be32(one_in(2) ? random32() : below(3), f->b + ETH_HLEN + 4);
	/* the addresses: the cable must take the frame, so that all are counted */
	if (one_in(8)) {
		random_bytes(f->b + ETH_ALEN, ETH_ALEN);
		f->b[ETH_ALEN] &= 0xfe;
	} else if (one_in(32)) {
		memcpy(f->b + ETH_ALEN, cable.mac, ETH_ALEN);
	}
	if (f->b[ETH_HLEN + 1] == GLASS_FRAME_HELLO) {
		bool own = !memcmp(f->b + ETH_ALEN, self.mac, ETH_ALEN);

		if (calm && own)
			f->b[ETH_ALEN + 5] ^= 1 + below(255);
		/* a stranger that hears the cable becomes its peer: seldom, or few packets would pass */
		if ((calm || !own) && !one_in(64))
			put_unaligned_be32(0, f->b + ETH_HLEN + 4);
	}
	if (one_in(16))
		memset(f->b, 0xff, ETH_ALEN);
	/* the length */
	n = f->len;
	if (one_in(8)) {
		f->len = ETH_HLEN + below(f->len - ETH_HLEN);
	} else if (one_in(16)) {
		f->len = min((u32)mtu + ETH_HLEN, f->len + below(200));
		random_bytes(f->b + n, f->len - n);
	} else if (one_in(16) && 2 * n - HDR <= (u32)mtu + ETH_HLEN) {
		/* all twice, behind one header */
		memcpy(f->b + n, f->b + HDR, n - HDR);
		f->len = 2 * n - HDR;
		f->b[ETH_HLEN + 2] *= 2;
	}
	/*
	 * A frame without an LRH breaks bad_length, and is no frame that was received; a packet that
	 * breaks it is in one that was. The sum over all frames needs the two apart: no such frames.
	 */
	if (f->len >= HDR && f->len < HDR + GLASS_LRH_BYTES) {
		memset(f->b + f->len, 0, HDR + GLASS_LRH_BYTES - f->len);
		f->len = HDR + GLASS_LRH_BYTES;
	}
}

#endif
