/* SPDX-License-Identifier: GPL-2.0-only */
/* Random numbers from a seed, and random changes of bytes, for programs that send what is almost valid. */
#ifndef RANDOM_H
#define RANDOM_H

#include "wire/shim.h"

static u64 random_state;

static u32 random32(void)
{
	u64 z = random_state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return (z ^ z >> 31) >> 16;
}

static u32 below(u32 n)
{
	return n ? random32() % n : 0;
}

/* true once in n calls */
static bool one_in(u32 n)
{
	return !below(n);
}

static void random_bytes(u8 *b, u32 n)
{
	while (n--)
		*b++ = random32();
}

/* Changes some of the n bytes at b. */
static __attribute__((unused)) void change_bytes(u8 *b, u32 n)
{
	static const u8 edges[] = { 0, 1, 0x7f, 0x80, 0xff };
	u32 times = 1 + (one_in(4) ? below(16) : below(3)), at;

	while (n && times--) {
		at = one_in(3) ? below(n) : below(min(n, 60u)); /* rather of the headers */
		switch (below(4)) {
		case 0:
			b[at] = random32();
			break;
		case 1:
			b[at] = edges[below(ARRAY_SIZE(edges))];
			break;
		case 2:
			b[at] += one_in(2) ? 1 : -1;
			break;
		default:
			b[at] ^= 1 << below(8);
		}
	}
}

#endif
