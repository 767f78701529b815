/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Functions that copy a packet's payload into memory, front to back. glass_place_last() writes the
 * last word by one store, after all other bytes, because programs may poll this word.
 */
#ifndef GLASS_WIRE_PLACE_H
#define GLASS_WIRE_PLACE_H

#include "wire/copy.h"
#include "wire/packet.h"

/* The position in a packet's payload from which the next copy is made. */
struct glass_cursor {
	const struct glass_seg *seg;
	u32 off; /* offset in *seg */
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
 * Copies the next len bytes of the payload. Inline, because a long message calls it for each page.
 */
static __always_inline void glass_cursor_copy(struct glass_cursor *c, void *to, u32 len)
{
	while (len) {
		u32 part = min(len, c->seg->len - c->off);

		glass_copy(to, (u8 *)c->seg->addr + c->off, part);
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
 * Returns the size, in bytes, of the last word of a buffer of `len` bytes (not 0) before the
 * address `end`: the largest power of two that divides `end` and is at most 8 and at most `len`.
 */
static inline u32 glass_last_word(const void *end, u32 len)
{
	unsigned long at = (unsigned long)end | 8;
	u32 n = at & -at;

	while (unlikely(n > len))
		n /= 2;
	return n;
}

union glass_last {
	u64 d;
	u32 w;
	u16 h;
	u8 b;
};

/* Writes the first n bytes (1, 2, 4 or 8) of *w by one store. `to` is aligned to n. */
static __always_inline void glass_store_word(u8 *to, const union glass_last *w, u32 n)
{
	switch (n) {
	case 8:
		WRITE_ONCE(*(u64 *)to, w->d);
		break;
	case 4:
		WRITE_ONCE(*(u32 *)to, w->w);
		break;
	case 2:
		WRITE_ONCE(*(u16 *)to, w->h);
		break;
	default:
		WRITE_ONCE(*to, w->b);
	}
}

/*
 * Copies the next `len` bytes (not 0) of the payload. Writes the last word by one store, after all
 * other bytes. So a program that sees this word change finds the rest in place. memcpy() alone
 * promises no order: arm64 may reorder its stores, and x86 may reorder the stores of a string
 * operation. smp_wmb() pairs with the load-acquire or read barrier by which the program polls.
 */
static inline void glass_place_last(struct glass_cursor *c, u8 *to, u32 len)
{
	u32 n = glass_last_word(to + len, len);
	union glass_last last;

	glass_cursor_read(c, to, len - n);
	to += len - n;
	/* fast path without a call: most payloads end with an aligned word in one segment */
	if (likely(n == 8 && c->seg->len - c->off >= 8))
		data_race(memcpy(&last.d, (u8 *)c->seg->addr + c->off, 8));
	else
		glass_cursor_read(c, &last, n);
	smp_wmb();
	glass_store_word(to, &last, n);
}

/* As glass_place_last(), for a payload that is one piece, at `from`. */
static __always_inline void glass_place_piece(u8 *to, const u8 *from, u32 len)
{
	u32 n = glass_last_word(to + len, len);
	union glass_last last;

	glass_copy(to, from, len - n);
	to += len - n;
	from += len - n;
	if (likely(n == 8))
		data_race(memcpy(&last.d, from, 8));
	else
		data_race(memcpy(&last, from, n));
	smp_wmb();
	glass_store_word(to, &last, n);
}

#endif
