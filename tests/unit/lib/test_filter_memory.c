// SPDX-License-Identifier: GPL-2.0-only
/* Memory that runs out at any point is an error like others: nothing leaks, nothing crashes. */
#include "harness.h"
#include "lib/filter.h"

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);

static int calls_left = -1; /* calls that still succeed; -1: all do */

/* The linker sends the library's calls here. */
void *__wrap_calloc(size_t n, size_t size)
{
	if (!calls_left)
		return NULL;
	if (calls_left > 0)
		calls_left--;
	return __real_calloc(n, size);
}

/* How far it came: 0 not parsed, 1 not lowered, 2 all. */
static int try_with(int calls, const char *text, struct glass_filter_error *error)
{
	static const struct glass_filter_key keys[] = {
		{ .field = GLASS_FIELD_qpn, .ranges = true },
		{ .field = GLASS_FIELD_psn, .ranges = true },
		{ .field = GLASS_FIELD_comm, .max_values = 8 },
		{ .field = GLASS_FIELD_op, .max_values = 3 },
	};
	static const struct glass_filter_target target = { "the driver", keys, 4, 0 };
	struct glass_filter_terms *terms;
	struct glass_filter *f;

	calls_left = calls;
	f = glass_filter_parse(text, NULL, error);
	terms = f ? glass_filter_lower(f, &target, error) : NULL;
	calls_left = -1;
	glass_filter_terms_free(terms);
	glass_filter_free(f);
	return !f ? 0 : terms ? 2 : 1;
}

static void test_every_point(void **state)
{
	static char text[GLASS_FILTER_TEXT];
	struct glass_filter_error error;
	unsigned int reached[3] = { 0 };
	int calls, far, i;

	(void)state;
	for (i = 0; i < 30; i++)
		sprintf(text + strlen(text),
			"%s!(!(qpn in {%d,7..9}) || psn==%d) && op in {read,write} && comm in {abc,'x%d'}",
			i ? " || " : "", i, i, i);
	assert_int_equal(try_with(-1, text, &error), 2);
	for (calls = 0; calls < 10000; calls++) {
		memset(&error, 0, sizeof(error));
		far = try_with(calls, text, &error);
		reached[far]++;
		if (far == 2)
			break;
		assert_string_not_equal(error.text, "");
		assert_true(error.at + error.len <= strlen(text) + 1);
	}
	assert_int_equal(far, 2);
	printf("# %u ended in parsing, %u in lowering\n", reached[0], reached[1]);
	assert_true(reached[0] > 2 && reached[1] > 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_point),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
