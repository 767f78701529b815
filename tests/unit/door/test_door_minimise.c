// SPDX-License-Identifier: GPL-2.0-only
/* door_fuzz --minimise on a kernel whose coverage is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../door/door.h"

struct cover *cover;
static unsigned int runs, stop_at, nkept;
static struct program kept[8];

double now_s(void)
{
	return runs;
}

/*
 * Call v reaches five edges of its own, a sixth one when call v - 1 comes right before it. Each
 * run reaches an edge that no other reaches: a race.
 */
static enum outcome run(const struct program *p)
{
	unsigned int i, k;

	for (i = 0; i < p->ncalls; i++) {
		uint64_t v = p->call[i].value[0];

		for (k = 0; k < 5; k++)
			cover->edge[10 * v + k] = 1;
		if (i && p->call[i - 1].value[0] == v - 1)
			cover->edge[10 * v + 5] = 1;
	}
	cover->edge[9000 + runs] = 1;
	return ++runs == stop_at ? OUT_SPLAT : OUT_DONE;
}

static void take(const struct program *p)
{
	kept[nkept++] = *p;
}

/* "12331": a digit a call */
static struct program *program(const char *digits)
{
	struct program *p = calloc(1, sizeof(*p));

	assert_non_null(p);
	for (; *digits; digits++)
		p->call[p->ncalls++].value[0] = *digits - '0';
	return p;
}

static void assert_calls(const struct program *p, const char *digits)
{
	struct program *want = program(digits);

	assert_int_equal(p->ncalls, want->ncalls);
	assert_memory_equal(p->call, want->call, p->ncalls * sizeof(p->call[0]));
	free(want);
}

static bool minimised(double seconds)
{
	struct program *corpus[] = { program("12"), program("12331"), program("5996"),
				     program("65"), program("3") };
	unsigned int i;
	bool good;

	runs = nkept = 0;
	good = minimise(corpus, ARRAY_LEN(corpus), 1, seconds, run, take);
	for (i = 0; i < ARRAY_LEN(corpus); i++)
		free(corpus[i]);
	return good;
}

static void test_needed_programs_and_calls_stay(void **state)
{
	(void)state;
	assert_true(minimised(1000));
	/* what reaches most comes first; the base is not handed over */
	assert_int_equal(nkept, 2);
	assert_calls(&kept[0], "596");
	assert_calls(&kept[1], "23");
}

static void test_without_time_calls_stay(void **state)
{
	(void)state;
	assert_true(minimised(0));
	assert_int_equal(nkept, 2);
	assert_calls(&kept[0], "5996");
	assert_calls(&kept[1], "12331");
	assert_int_equal(runs, 10);
}

static void test_a_splat_ends_it(void **state)
{
	(void)state;
	stop_at = 7;
	assert_false(minimised(1000));
	assert_int_equal(runs, 7);
	stop_at = 0;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_needed_programs_and_calls_stay),
		cmocka_unit_test(test_without_time_calls_stay),
		cmocka_unit_test(test_a_splat_ends_it),
	};

	cover = calloc(1, sizeof(*cover));
	return cover ? cmocka_run_group_tests_name("door_minimise", tests, NULL, NULL) : 1;
}
