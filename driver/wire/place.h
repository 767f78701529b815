/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Copies from a packet's payload into memory, front to back. */
#ifndef GLASS_WIRE_PLACE_H
#define GLASS_WIRE_PLACE_H

#include "wire/packet.h"

/* The next byte of a payload */
struct glass_cursor {
	const struct glass_seg *seg;
	u32 off;
};

static inline void glass_cursor_init(struct glass_cursor *c, const struct glass_pkt *pkt, u32 off)
{
	c->seg = pkt->seg;
	while (off && off >= c->seg->len) {
		off -= c->seg->len;
		c->seg++;
	}
	c->off = off;
}

/*
 * Inline: once per page of a long message. A program that lets two transfers write the same memory,
 * or reads during a write, causes the race itself: data_race().
 */
static __always_inline void glass_cursor_copy(struct glass_cursor *c, void *to, u32 len)
{
	while (len) {
		u32 part = min(len, c->seg->len - c->off);

		data_race(memcpy(to, (u8 *)c->seg->addr + c->off, part));
		to = (u8 *)to + part;
		len -= part;
		c->off += part;
		if (c->off == c->seg->len) {
			c->seg++;
			c->off = 0;
		}
	}
}

static inline void glass_cursor_read(struct glass_cursor *c, void *to, u32 len)
{
	glass_cursor_copy(c, to, len);
}

/*
 * Bytes of the last word of `len` bytes (not 0) that end at `end`: the largest power of two up
 * to 8 with which that word is aligned and no longer than they are.
 */
static inline u32 glass_last_word(const void *end, u32 len)
{
	unsigned long at = (unsigned long)end | 8;
	u32 n = at & -at;

	while (unlikely(n > len))
		n /= 2;
	return n;
}

/*
 * Copies the next `len` bytes (not 0), the last word of them by one store and after all others:
 * a program that polls that word finds the rest. memcpy() alone promises no order: arm64 may
 * reorder its stores, and x86 those of a string operation. Pairs with whatever orders the
 * program's reads after the one that it polls with: a load-acquire, a read barrier.
 */
static inline void glass_place_last(struct glass_cursor *c, u8 *to, u32 len)
{
	u32 n = glass_last_word(to + len, len);
	union {
		u64 d;
		u32 w;
		u16 h;
		u8 b;
	} last;

	glass_cursor_read(c, to, len - n);
	to += len - n;
	/* most payloads end with an aligned word in one segment: avoid a call for 8 bytes */
	if (likely(n == 8 && c->seg->len - c->off >= 8))
		data_race(memcpy(&last.d, (u8 *)c->seg->addr + c->off, 8));
	else
		glass_cursor_read(c, &last, n);
	smp_wmb();
	switch (n) {
	case 8:
		WRITE_ONCE(*(u64 *)to, last.d);
		break;
	case 4:
		WRITE_ONCE(*(u32 *)to, last.w);
		break;
	case 2:
		WRITE_ONCE(*(u16 *)to, last.h);
		break;
	default:
		WRITE_ONCE(*to, last.b);
	}
}

#endif
