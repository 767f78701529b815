// SPDX-License-Identifier: GPL-2.0-only
/* Lint's pure part: commands of scope and mute, and which findings are equal. */
#include "harness.h"
#include "rules/lint_words.h"
#include "uapi/glass-columns.h"

static bool scope(const char *line, struct glass_lint_command *c)
{
	return glass_lint_parse_scope(line, strlen(line), c);
}

static bool mute(const char *line, struct glass_lint_command *c)
{
	return glass_lint_parse_mute(line, strlen(line), c);
}

/* The set of those codes, which end with 0. */
static struct glass_lint_set set_of(u32 code, ...)
{
	struct glass_lint_set set = {};
	va_list ap;

	va_start(ap, code);
	for (; code; code = va_arg(ap, u32))
		glass_lint_set_add(&set, code);
	va_end(ap);
	return set;
}

static void is_set(const struct glass_lint_set *a, struct glass_lint_set b)
{
	assert_memory_equal(a, &b, sizeof(b));
}

static struct glass_lint_set default_and(u32 code)
{
	struct glass_lint_set set = set_of(code, 0);

	glass_lint_add_default(&set);
	return set;
}

static void test_sets(void **state)
{
	struct glass_lint_set a = {}, b = {}, none = {};
	u32 n, k;

	(void)state;
	/* each number is a bit of its own, in whichever word */
	for (n = 1; n <= 200; n++) {
		struct glass_lint_set one = set_of(n, 0);

		assert_false(glass_lint_set_is_empty(&one));
		for (k = 0; k < GLASS_LINT_BITS + 100; k++)
			assert_int_equal(glass_lint_set_has(&one, k), k == n);
		glass_lint_set_add(&a, n);
		if (n % 3 == 0)
			glass_lint_set_add(&b, n);
		assert_true(glass_lint_set_has_all(&a, &b));
		assert_int_equal(glass_lint_set_has_all(&b, &a), 0);
	}
	assert_true(glass_lint_set_is_empty(&none) && glass_lint_set_has_all(&none, &none));
	assert_true(glass_lint_set_has_all(&a, &none));
	glass_lint_set_del_all(&a, &b);
	for (n = 0; n <= 300; n++)
		assert_int_equal(glass_lint_set_has(&a, n), n && n <= 200 && n % 3);
	assert_false(glass_lint_set_has_all(&a, &b));
	glass_lint_set_add_all(&a, &b);
	for (n = 0; n <= 300; n++)
		assert_int_equal(glass_lint_set_has(&a, n), n && n <= 200);
	glass_lint_set_del_all(&a, &a);
	assert_true(glass_lint_set_is_empty(&a));
	/* the highest that a name can have, and one that no set has room for */
	is_set(&none, set_of(GLASS_LINT_BITS, ~0U, 0));
	a = set_of(999, 0);
	assert_true(glass_lint_set_has(&a, 999));
	assert_true(a.w[GLASS_LINT_WORD(999)] == GLASS_LINT_BIT(999));
}

static void test_codes(void **state)
{
	struct glass_lint_set all = {}, usual = {};
	char last[8], next[8];
	u32 n;

	(void)state;
	glass_lint_add_all(&all);
	glass_lint_add_default(&usual);
	assert_int_equal(glass_lint_code_number("GL001", 5), GLASS_LINT_CQ_TOO_SMALL);
	snprintf(last, sizeof(last), "GL%03u", GLASS_LINT_COUNT % 1000u);
	snprintf(next, sizeof(next), "GL%03u", (GLASS_LINT_COUNT + 1) % 1000u);
	assert_int_equal(glass_lint_code_number(last, 5), GLASS_LINT_COUNT);
	assert_int_equal(glass_lint_code_number(next, 5), 0);
	assert_int_equal(glass_lint_code_number("GL000", 5), 0);
	assert_int_equal(glass_lint_code_number("gl001", 5), 0);
	assert_int_equal(glass_lint_code_number("GL01", 4), 0);
	assert_int_equal(glass_lint_code_number("GL0x1", 5), 0);
	for (n = 1; n <= GLASS_LINT_COUNT; n++) {
		assert_non_null(glass_lint_code[n].word);
		assert_true(glass_lint_code[n].severity < GLASS_LINT_SEVERITY_COUNT);
		assert_int_equal(!glass_lint_set_has(&usual, n), glass_lint_code[n].costly);
		assert_true(glass_lint_set_has(&all, n));
	}
	assert_false(glass_lint_set_has(&all, GLASS_LINT_NONE));
	assert_false(glass_lint_set_has(&all, GLASS_LINT_COUNT + 1));
}

static void test_scope(void **state)
{
	struct glass_lint_set all = {};
	struct glass_lint_command c;

	(void)state;
	glass_lint_add_all(&all);
	assert_true(scope("add pid=17\n", &c));
	assert_int_equal(c.verb, GLASS_LINT_ADD);
	assert_int_equal(c.by, GLASS_LINT_BY_PID);
	assert_int_equal(c.pid, 17);
	is_set(&c.codes, default_and(0));
	assert_false(c.log || c.owner || !glass_lint_set_is_empty(&c.errors));

	assert_false(c.stacks);
	assert_true(scope("add pid=17 stacks owner\n", &c));
	assert_true(c.stacks && c.owner && !c.log);
	assert_true(scope("add comm=ib_* codes=GL001,GL040 log owner", &c));
	assert_int_equal(c.by, GLASS_LINT_BY_COMM);
	assert_true(glass_name_fits(&c.comm, "ib_send_bw"));
	is_set(&c.codes, set_of(GLASS_LINT_CQ_TOO_SMALL, GLASS_LINT_BUFFER_CHANGED, 0));
	assert_true(c.log && c.owner);

	assert_true(scope("add id=4 all codes=all", &c));
	assert_int_equal(c.by, GLASS_LINT_BY_ALL);
	is_set(&c.codes, all);
	assert_true(scope("add all codes=default,GL040", &c));
	is_set(&c.codes, default_and(GLASS_LINT_BUFFER_CHANGED));
	assert_true(scope("add all codes=GL001 error=GL036", &c));
	is_set(&c.errors, set_of(GLASS_LINT_POST_WRONG_STATE, 0));
	is_set(&c.codes, set_of(GLASS_LINT_CQ_TOO_SMALL, GLASS_LINT_POST_WRONG_STATE, 0));

	assert_true(scope("del 3", &c));
	assert_int_equal(c.verb, GLASS_LINT_DEL);
	assert_int_equal(c.id, 3);
	assert_true(scope("  clear \n", &c));
	assert_int_equal(c.verb, GLASS_LINT_CLEAR);
}

static void test_scope_wrong(void **state)
{
	static const char *const wrong[] = {
		"", "\n", "add", "add log", "add pid=0", "add pid=-1", "add pid=x", "add pid=",
		"add pid=99999999999", "add comm=", "add comm=0123456789abcdefg", "add all pid=3",
		"add pid=1 pid=2", "add comm=a all", "add all codes=", "add all codes=GL064",
		"add all codes=GL001,", "add all error=x", "add all what", "add all log=1", "del", "del x",
		"del 1 2", "clear 1", "adds all", "add all\nadd all", "add code=GL001",
	};
	struct glass_lint_command c;
	char big[GLASS_LINT_LINE + 8];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(wrong); i++)
		if (scope(wrong[i], &c))
			fail_msg("taken: %s", wrong[i]);
	memset(big, ' ', sizeof(big));
	memcpy(big, "add all", 7);
	assert_true(glass_lint_parse_scope(big, GLASS_LINT_LINE, &c));
	assert_false(glass_lint_parse_scope(big, GLASS_LINT_LINE + 1, &c));
	assert_false(glass_lint_parse_scope("add all\0 log", 12, &c));
}

static void test_mute(void **state)
{
	struct glass_lint_command c;

	(void)state;
	assert_true(mute("add code=GL021", &c));
	is_set(&c.codes, set_of(GLASS_LINT_STALE_KEY, 0));
	assert_false(c.has_comm || c.has_object);
	assert_true(mute("add id=1 code=GL021 comm=a* kind=qp num=0x11 hit=3\n", &c));
	assert_true(c.has_comm && c.has_object);
	assert_int_equal(c.kind, GLASS_KIND_QP);
	assert_int_equal(c.num, 0x11);
	assert_true(mute("del 7", &c));
	assert_true(mute("clear", &c));
	assert_false(mute("add", &c));
	assert_false(mute("add comm=x", &c));
	assert_false(mute("add code=GL021 kind=qp", &c));
	assert_false(mute("add code=GL021 num=1", &c));
	assert_false(mute("add code=GL021 kind=cat num=1", &c));
	assert_false(mute("add code=GL021 kind=none num=1", &c));
	assert_false(mute("add all", &c));
}

static void test_index(void **state)
{
	static struct glass_lint_index x;
	struct glass_lint_key key = { .code = GLASS_LINT_RECV_TOO_SHORT,
				      .kind = GLASS_KIND_QP,
				      .pid = 100 };
	bool fresh;
	u32 i;

	(void)state;
	glass_lint_index_clear(&x);
	for (i = 0; i < GLASS_LINT_MAX; i++) {
		key.num = i;
		assert_int_equal(glass_lint_index_put(&x, &key, &fresh), i);
		assert_true(fresh);
	}
	for (i = 0; i < GLASS_LINT_MAX; i++) {
		key.num = i;
		assert_int_equal(glass_lint_index_put(&x, &key, &fresh), i);
		assert_false(fresh);
	}
	/* full; what is there is still found */
	key.num = GLASS_LINT_MAX;
	assert_int_equal(glass_lint_index_put(&x, &key, &fresh), -1);
	assert_false(fresh);
	key.num = 0;
	key.code = GLASS_LINT_NO_ROOM_FOR_GRH;
	assert_int_equal(glass_lint_index_put(&x, &key, &fresh), -1);
	glass_lint_index_clear(&x);
	assert_int_equal(glass_lint_index_put(&x, &key, &fresh), 0);
	assert_true(fresh);
	/* each part of the key tells */
	key.pid++;
	assert_int_equal(glass_lint_index_put(&x, &key, &fresh), 1);
	key.kind++;
	assert_int_equal(glass_lint_index_put(&x, &key, &fresh), 2);
	key.code++;
	assert_int_equal(glass_lint_index_put(&x, &key, &fresh), 3);
}

static void test_tell(void **state)
{
	u64 n, told = 0;

	(void)state;
	for (n = 1; n <= 1024; n++)
		told += glass_lint_tell_at(n);
	assert_int_equal(told, 16 + 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sets),  cmocka_unit_test(test_codes),
		cmocka_unit_test(test_scope), cmocka_unit_test(test_scope_wrong),
		cmocka_unit_test(test_mute),  cmocka_unit_test(test_index),
		cmocka_unit_test(test_tell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
