// SPDX-License-Identifier: GPL-2.0-only
/*
 * The order in which a WRITE appears in memory: at the barrier all but its last word is there, and
 * nothing of that word; the word is one aligned store. The barrier is this file's, which looks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void look(void);
#define smp_wmb() look()

#include "wire/place.h"

#define LEN_MAX 80
#define GUARD 16
#define BEFORE 0xee /* what memory holds before the write */

static u8 payload[LEN_MAX];
static struct glass_seg segs[3];
static _Alignas(64) u8 mem[GUARD + 16 + LEN_MAX + GUARD];
static u8 *to;
static u32 len, last, looks;

static void look(void)
{
	looks++;
	assert_memory_equal(to, payload, len - last);
	for (u32 i = len - last; i < len; i++)
		assert_int_equal(to[i], BEFORE);
}

/* What a program may poll: the longest word that is aligned, ends the WRITE and is inside. */
static u32 polled(const u8 *at, u32 bytes)
{
	static const u32 words[] = { 8, 4, 2 };

	for (u32 i = 0; i < ARRAY_SIZE(words); i++)
		if (bytes >= words[i] && !(((uintptr_t)at + bytes) % words[i]))
			return words[i];
	return 1;
}

/* The payload in up to three segments: [0, a), [a, b), [b, len) */
static void place(u32 a, u32 b)
{
	struct glass_pkt pkt = { .seg = segs, .len = len };
	u32 cut[] = { 0, a, b, len };
	struct glass_cursor c;

	for (u32 i = 0; i < 3; i++) {
		if (cut[i] == cut[i + 1])
			continue;
		segs[pkt.nseg].addr = payload + cut[i];
		segs[pkt.nseg++].len = cut[i + 1] - cut[i];
	}
	memset(mem, BEFORE, sizeof(mem));
	looks = 0;
	glass_cursor_init(&c, &pkt, 0);
	glass_place_last(&c, to, len);
	assert_int_equal(looks, 1);
	assert_memory_equal(to, payload, len);
	for (u8 *p = mem; p < mem + sizeof(mem); p++)
		if (p < to || p >= to + len)
			assert_int_equal(*p, BEFORE);
}

static void test_every_end(void **state)
{
	(void)state;
	for (u32 i = 0; i < LEN_MAX; i++)
		payload[i] = i + 1;
	for (u32 at = 0; at < 16; at++) {
		for (len = 1; len <= LEN_MAX; len++) {
			to = mem + GUARD + at;
			last = polled(to, len);
			assert_int_equal(glass_last_word(to + len, len), last);
			/* in one piece; cut inside the last word; cut before it */
			place(0, 0);
			for (u32 b = 1; b <= min(len, 9u); b++)
				place((len - b) / 2, len - b);
		}
	}
}

/* A payload is read from the middle of its packet, too, segments of any size. */
static void test_cursor(void **state)
{
	struct glass_pkt pkt = { .seg = segs, .nseg = 3, .len = LEN_MAX };
	struct glass_cursor c;
	u8 got[LEN_MAX];

	(void)state;
	for (u32 a = 1; a < LEN_MAX - 1; a += 7) {
		segs[0] = (struct glass_seg){ payload, a };
		segs[1] = (struct glass_seg){ payload + a, 1 };
		segs[2] = (struct glass_seg){ payload + a + 1, LEN_MAX - a - 1 };
		for (u32 off = 0; off < LEN_MAX; off++) {
			glass_cursor_init(&c, &pkt, off);
			for (u32 i = off; i < LEN_MAX; i += 3)
				glass_cursor_read(&c, got + i, min(3u, LEN_MAX - i));
			assert_memory_equal(got + off, payload + off, LEN_MAX - off);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_end),
		cmocka_unit_test(test_cursor),
	};

	return cmocka_run_group_tests_name("place", tests, NULL, NULL);
}
