// SPDX-License-Identifier: GPL-2.0-only
/* The commands of inject/rules: what is taken, what is refused and how it is told. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/parse.h"

static struct glass_rule rule;
static struct glass_rule_error why;
static char error[GLASS_RULE_ERROR];

/* Parses from a heap block of exactly len bytes, so that ASan sees a read beyond. */
static int parse_bytes(const void *bytes, size_t len)
{
	char *copy = malloc(len ? len : 1);
	int ret;

	assert_non_null(copy);
	if (len)
		memcpy(copy, bytes, len);
	ret = glass_rule_parse(copy, len, &rule, &why);
	error[0] = 0;
	if (ret)
		glass_rule_error_text(error, &why, copy, len, NULL);
	assert_non_null(memchr(error, 0, sizeof(error)));
	assert_null(strchr(error, '\n'));
	if (!ret)
		assert_string_equal(error, "");
	else
		assert_string_not_equal(error, "");
	free(copy);
	return ret;
}

static int parse(const char *text)
{
	return parse_bytes(text, strlen(text));
}

static void refused(const char *text, const char *want)
{
	assert_int_equal(parse(text), -EINVAL);
	assert_string_equal(error, want);
}

static void test_add(void **state)
{
	(void)state;
	assert_int_equal(parse("add name=r1 qpn=0x11 act=qp_fatal\n"), 0);
	assert_int_equal(rule.command, GLASS_RULE_ADD);
	assert_string_equal(rule.name, "r1");
	assert_int_equal(rule.action, GLASS_ACT_QP_FATAL);
	assert_int_equal(rule.kind, GLASS_KIND_QP);
	assert_int_equal(rule.num, 0x11);
	assert_int_equal(rule.port, 0);

	assert_int_equal(parse("add cqn=4 act=cq_overrun"), 0);
	assert_string_equal(rule.name, "");
	assert_int_equal(rule.action, GLASS_ACT_CQ_OVERRUN);
	assert_int_equal(rule.kind, GLASS_KIND_CQ);
	assert_int_equal(rule.num, 4);

	assert_int_equal(parse("\t add\tact=srq_fatal  srqn=2 count=1 \n"), 0);
	assert_int_equal(rule.action, GLASS_ACT_SRQ_FATAL);
	assert_int_equal(rule.kind, GLASS_KIND_SRQ);
	assert_int_equal(rule.num, 2);
}

/* A word of a completion's operation stands for that operation alone, as the driver sees it. */
static void test_completion_operations(void **state)
{
	static const struct {
		const char *word;
		u32 op;
	} ops[] = {
#define WC_OP(n, w, v) { #w, v },
		GLASS_WC_OPS(WC_OP)
	};
	char text[100];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		const struct glass_cond *c;

		snprintf(text, sizeof(text), "add op=%s act=cqe_lose", ops[i].word);
		assert_int_equal(parse(text), 0);
		c = glass_select_get(&rule.select, GLASS_SEL_OP);
		assert_non_null(c);
		assert_true(c->low == 1ULL << glass_wcop_bit(ops[i].op));
	}
}

/* Verbs of objects that came later fail as those do that were there first. */
static void test_verbs_that_fail(void **state)
{
	static const char *const verbs[] = { "reg_mr",	   "rereg_mr",	"advise_mr",
					     "alloc_mw",   "resize_cq", "alloc_xrcd",
					     "dealloc_xrcd", "alloc_dm", "dealloc_dm" };
	char text[100];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(verbs); i++) {
		snprintf(text, sizeof(text), "add verb=%s err=ENOMEM act=fail", verbs[i]);
		assert_int_equal(parse(text), 0);
	}
	/* its caller cannot be told from the end of a program, for which it must not fail */
	refused("add verb=dealloc_mw err=ENOMEM act=fail",
		"verb=dealloc_mw: a program's call of this verb cannot fail in this driver");
}

static void test_add_special_qp(void **state)
{
	(void)state;
	assert_int_equal(parse("add qpn=1 act=qp_fatal"), 0);
	assert_int_equal(rule.port, 1);
	assert_int_equal(parse("add qpn=0 port=2 act=qp_fatal"), 0);
	assert_int_equal(rule.num, 0);
	assert_int_equal(rule.port, 2);
	refused("add qpn=2 port=2 act=qp_fatal", "port=2: goes with qpn=0 and qpn=1 only");
	refused("add cqn=1 port=2 act=cq_overrun", "port=2: does not go with this action");
	refused("add qpn=1 port=0 act=qp_fatal", "port=0: out of range (1 to 254)");
	refused("add qpn=1 port=255 act=qp_fatal", "port=255: out of range (1 to 254)");
}

static void test_read_back_form(void **state)
{
	(void)state;
	assert_int_equal(parse("add name=r1 qpn=0x11 act=qp_fatal count=1 hit=1 eligible=1"), 0);
	assert_string_equal(rule.name, "r1");
	refused("add qpn=2 act=qp_fatal hit=", "hit=: has no value");
}

static void test_del_and_clear(void **state)
{
	(void)state;
	assert_int_equal(parse("del name=r1\n"), 0);
	assert_int_equal(rule.command, GLASS_RULE_DEL);
	assert_string_equal(rule.name, "r1");
	refused("del", "del: name= is missing");
	refused("del r1", "r1: expected key=value");
	refused("del name=r1 qpn=2", "qpn=2: del takes name= only");
	refused("del name=r1 hit=2", "hit=2: del takes name= only");

	assert_int_equal(parse("clear\n"), 0);
	assert_int_equal(rule.command, GLASS_RULE_CLEAR);
	refused("clear name=r1", "name=r1: clear takes no other words");
}

static void test_commands_unknown(void **state)
{
	(void)state;
	refused("", "empty command");
	refused("\n", "empty command");
	refused(" \t ", "empty command");
	refused("frobnicate", "frobnicate: unknown command; there are add, del, clear, step and release");
	refused("ADD qpn=2", "ADD: unknown command; there are add, del, clear, step and release");
	refused("clear\r\n", "clear\\x0d: unknown command; there are add, del, clear, step and release");
	refused("name=r1", "name=r1: unknown command; there are add, del, clear, step and release");
}

static void test_words_unknown(void **state)
{
	(void)state;
	refused("add qpn=2 act=qp_fatal junk", "junk: expected key=value");
	refused("add qpn=2 act=qp_fatal junk=1", "junk=1: unknown key");
	refused("add qpn=2 act=qp_fatal =1", "=1: unknown key");
	refused("add qpn=2 act=qp_fatal qp=1", "qp=1: unknown key");
	refused("add qpn=2 act=qp_fatal qpnn=1", "qpnn=1: unknown key");
	refused("add qpn=0x11 op=write act=qp_fatal", "op=write: does not go with this action");
	refused("add qpn=0x11 nth=3 act=qp_fatal", "nth=3: does not go with this action");
	refused("add qpn=2..4 act=qp_fatal", "qpn=2..4: give one number, that of the QP");
	refused("add qpn=0x11 act=", "act=: has no value");
}

static void test_selectors(void **state)
{
	(void)state;
	refused("add", "add: act= is missing");
	refused("add qpn=2", "add: act= is missing");
	refused("add act=qp_fatal", "act=qp_fatal: needs qpn=");
	refused("add act=cq_overrun", "act=cq_overrun: needs cqn=");
	refused("add act=srq_fatal", "act=srq_fatal: needs srqn=");
	refused("add cqn=2 act=qp_fatal", "cqn=2: does not go with this action");
	refused("add cqn=2 qpn=2 act=qp_fatal", "cqn=2: does not go with this action");
	refused("add qpn=2 qpn=3 act=qp_fatal", "qpn=3: given twice");
	refused("add qpn=2 act=qp_fatal act=qp_fatal", "act=qp_fatal: given twice");
	refused("add name=a name=a qpn=2 act=qp_fatal", "name=a: given twice");
	refused("add qpn=2 act=qp_fatal count=2",
		"count=2: an action on an object happens once: count=1");
	refused("add qpn=2 act=qp_fatal count=0",
		"count=0: an action on an object happens once: count=1");
}

static void test_numbers(void **state)
{
	static const char *const bad[] = { "x",	 "0x",	 "0xg",	 "1a", "-1", "+1",
					   "1.0", "1,0", "\xff", "''", "0x-1" };
	char line[100], want[120];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		snprintf(line, sizeof(line), "add act=qp_fatal qpn=%s", bad[i]);
		assert_int_equal(parse(line), -EINVAL);
		assert_non_null(strstr(error, "not a number"));
	}
	assert_int_equal(parse("add act=qp_fatal qpn=0XaBc"), 0);
	assert_int_equal(rule.num, 0xabc);
	assert_int_equal(parse("add act=qp_fatal qpn=010"), 0);
	assert_int_equal(rule.num, 10);
	assert_int_equal(parse("add act=qp_fatal qpn=0xfffffe"), 0);
	assert_int_equal(rule.num, 0xfffffe);
	assert_int_equal(parse("add act=qp_fatal qpn=0x000000000000000000000000000000000011"), 0);
	assert_int_equal(rule.num, 0x11);

	static const char *const large[] = {
		"0xffffff",		      "0x1000000",	    "0x100000011",
		"4294967313",		      "18446744073709551615", "18446744073709551616",
		"18446744073709551633",	      "184467440737095516170", "0x10000000000000011",
		"0xffffffffffffffffffffffff", "99999999999999999999999999999999999999",
	};
	for (i = 0; i < ARRAY_SIZE(large); i++) {
		snprintf(line, sizeof(line), "add act=qp_fatal qpn=%s", large[i]);
		snprintf(want, sizeof(want), "qpn=%s: out of range (%s)", large[i],
			 large[i][1] == 'x' ? "0x0 to 0xfffffe" : "0 to 16777214");
		refused(line, want);
	}
}

static void test_names(void **state)
{
	(void)state;
	assert_int_equal(parse("add name=a.B-c_9 act=qp_fatal qpn=2"), 0);
	assert_string_equal(rule.name, "a.B-c_9");
	/* 31 characters, then 32 */
	assert_int_equal(parse("del name=1234567890123456789012345678901"), 0);
	assert_string_equal(rule.name, "1234567890123456789012345678901");
	refused("del name=12345678901234567890123456789012",
		"name=12345678901234567890123456789012: name too long (31 characters are the limit)");
	refused("del name=", "name=: has no value");
	refused("del name=a/b", "name=a/b: a name is made of letters, digits and . _ -");
	refused("del name=a=b", "name=a=b: a name is made of letters, digits and . _ -");
	refused("del name=\x1b[2J",
		"name=\\x1b[2J: a name is made of letters, digits and . _ -");
}

static void test_lines(void **state)
{
	char line[GLASS_RULE_LINE + 2];

	(void)state;
	memset(line, ' ', sizeof(line));
	memcpy(line, "clear", 5);
	assert_int_equal(parse_bytes(line, GLASS_RULE_LINE), 0);
	assert_int_equal(parse_bytes(line, GLASS_RULE_LINE + 1), -EINVAL);
	assert_string_equal(error, "line too long (512 bytes are the limit)");

	refused("clear\nclear", "clear: write only one command at a time");
	refused("clear\nadd qpn=2\n", "add qpn=2: write only one command at a time");
	refused("clear\n\n", "write only one command at a time");
	refused("\nclear", "clear: write only one command at a time");

	assert_int_equal(parse_bytes("clear\0", 6), -EINVAL);
	assert_string_equal(error, "clear\\x00: NUL byte in the command");
	assert_int_equal(parse_bytes("cl\0ear", 6), -EINVAL);
	assert_int_equal(parse_bytes("\0", 1), -EINVAL);
}

/* An error repeats a bounded, printable piece of the word. */
static void test_error_text(void **state)
{
	char line[GLASS_RULE_LINE], word[200];
	size_t i;

	(void)state;
	memset(word, 'a', sizeof(word));
	word[sizeof(word) - 1] = 0;
	snprintf(line, sizeof(line), "%s", word);
	assert_int_equal(parse(line), -EINVAL);
	assert_non_null(strstr(error, "aaa...: unknown command"));
	assert_true(strlen(error) < 128);

	memset(word, 1, sizeof(word));
	word[sizeof(word) - 1] = 0;
	snprintf(line, sizeof(line), "add %s", word);
	assert_int_equal(parse(line), -EINVAL);
	assert_non_null(strstr(error, "\\x01...: expected key=value"));
	for (i = 0; error[i]; i++)
		assert_true(error[i] >= 0x20 && error[i] < 0x7f);
}

static void test_words(void **state)
{
	(void)state;
	assert_string_equal(glass_rule_action_word(GLASS_ACT_CQ_OVERRUN), "cq_overrun");
	assert_string_equal(glass_rule_action_word(GLASS_ACT_COUNT), "?");
	assert_string_equal(glass_rule_selector(GLASS_KIND_QP), "qpn");
	assert_string_equal(glass_rule_selector(GLASS_KIND_CQ), "cqn");
	assert_string_equal(glass_rule_selector(GLASS_KIND_SRQ), "srqn");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_add),
		cmocka_unit_test(test_completion_operations),
		cmocka_unit_test(test_verbs_that_fail),
		cmocka_unit_test(test_add_special_qp),
		cmocka_unit_test(test_read_back_form),
		cmocka_unit_test(test_del_and_clear),
		cmocka_unit_test(test_commands_unknown),
		cmocka_unit_test(test_words_unknown),
		cmocka_unit_test(test_selectors),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_error_text),
		cmocka_unit_test(test_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
