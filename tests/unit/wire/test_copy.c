// SPDX-License-Identifier: GPL-2.0-only
/* Copies of payload: exactly these bytes, for all lengths around the limits and all alignments. */
#include "harness.h"
#include <stdbool.h>

/* Each x86-64 processor can REP MOVSB, also without ERMS, as those of emulators are. */
static bool erms;
#define glass_cpu_has_erms() erms
#include "wire/copy.c"

#define LEN_MAX 9000
#define GUARD 64

static u8 from[GUARD + LEN_MAX + GUARD], to[sizeof(from)], want[sizeof(from)];

static void copy_and_compare(void (*copy)(void *to, const void *from, size_t len), u32 len)
{
	u32 src = rnd_below(GUARD), dst = rnd_below(GUARD);

	memset(to, 0xee, sizeof(to));
	memset(want, 0xee, sizeof(want));
	memcpy(want + dst, from + src, len);
	copy(to + dst, from + src, len);
	assert_memory_equal(to, want, sizeof(to));
}

static void short_or_long(void *dst, const void *src, size_t len)
{
	glass_copy(dst, src, len);
}

static void test_lengths(void **state)
{
	(void)state;
	rnd_fill(from, sizeof(from));
	for (u32 len = 0; len < 3 * GLASS_COPY_LONG; len++)
		copy_and_compare(short_or_long, len);
	for (u32 i = 0; i < 3000; i++)
		copy_and_compare(short_or_long, rnd_below(LEN_MAX));
}

static void compare_long(bool with_erms)
{
	if (!GLASS_COPIES_LONG)
		skip();
	erms = with_erms;
	rnd_fill(from, sizeof(from));
	for (u32 i = 0; i < 3000; i++)
		copy_and_compare(glass_copy_long, GLASS_COPY_LONG + rnd_below(LEN_MAX - GLASS_COPY_LONG));
	erms = false;
}

static void test_long(void **state)
{
	(void)state;
	compare_long(false);
}

static void test_long_with_erms(void **state)
{
	(void)state;
	compare_long(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_long_with_erms),
	};

	return cmocka_run_group_tests(tests, rnd_group, NULL);
}
