// SPDX-License-Identifier: GPL-2.0-only
/* The filter language: what is taken and what it means, what is refused and how it is told. */
#include "harness.h"
#include "filter_text.h"
#include "lib/filter.h"

/* An object of a few fields; a number that is -1 and a NULL are not there. */
struct thing {
	int64_t qpn, len, age;
	const char *op, *dir, *comm, *access;
};

static bool get(const void *object, int field, struct glass_value *v)
{
	const struct thing *t = object;
	int64_t num = 0;

	switch (field) {
	case GLASS_FIELD_qpn:
		num = t->qpn;
		break;
	case GLASS_FIELD_len:
		num = t->len;
		break;
	case GLASS_FIELD_age:
		num = t->age;
		break;
	case GLASS_FIELD_op:
		v->text = t->op;
		break;
	case GLASS_FIELD_dir:
		v->text = t->dir;
		break;
	case GLASS_FIELD_comm:
		v->text = t->comm;
		break;
	case GLASS_FIELD_access:
		v->text = t->access;
		break;
	default:
		return false;
	}
	v->num = num;
	return num >= 0;
}

static const struct thing thing = {
	.qpn = 0x11,
	.len = 100,
	.age = -1,
	.op = "write",
	.dir = "tx",
	.comm = "perf-bw 1",
	.access = "local_write|remote_read",
};

static struct glass_filter *parse(const char *text)
{
	struct glass_filter_error error;
	struct glass_filter *f = glass_filter_parse(text, NULL, &error);

	if (!f)
		glass_filter_explain(stdout, "# unexpected", text, &error);
	assert_non_null(f);
	return f;
}

static void check(const char *text, bool want)
{
	struct glass_filter *f = parse(text);

	if (glass_filter_match(f, get, &thing) != want)
		fail_msg("%s: wanted %d", text, want);
	glass_filter_free(f);
}

#define YES(text) check(text, true)
#define NO(text)  check(text, false)

static void test_compare(void **state)
{
	(void)state;
	YES("qpn==0x11");
	YES("qpn == 17");
	YES("qpn==0X11");
	NO("qpn!=17");
	YES("qpn<18");
	NO("qpn<17");
	YES("qpn<=17");
	NO("qpn<=16");
	YES("qpn>16");
	NO("qpn>17");
	YES("qpn>=17");
	NO("qpn>=18");
	YES("qpn in {1,17}");
	NO("qpn in {1,18}");
	YES("qpn in {1, 16..18}");
	YES("qpn in 17..17");
	NO("qpn in 18..20");
	YES("op==write");
	YES("op==\"write\"");
	YES("op=='write'");
	NO("op!=write");
	YES("op in {read,write}");
	NO("op in { read , send }");
	YES("op~wr*");
	NO("op~\"read*\"");
	YES("comm==\"perf-bw 1\"");
	NO("comm==perf");
	YES("comm!=perf");
	YES("comm~\"perf*\"");
	YES("comm~perf*");
	YES("comm~\"perf-?w*\"");
	NO("comm~perf");
	YES("comm in {a,\"perf-bw 1\"}");
	YES("comm==\"\\x70erf-bw\\x201\"");
}

static void test_logic(void **state)
{
	(void)state;
	YES("qpn==0x11 && op in {write,read} && dir==tx && !(len<64) && comm~\"perf*\"");
	YES("qpn==1 || len==100");
	NO("qpn==1 || len==101");
	/* && before || */
	YES("qpn==17 || qpn==1 && len==1");
	NO("(qpn==17 || qpn==1) && len==1");
	NO("!qpn==17");
	YES("!!qpn==17");
	YES("!(qpn==1 || len==1)");
}

/* A comparison with a field that is not there is neither true nor false. */
static void test_missing(void **state)
{
	(void)state;
	NO("age==5");
	NO("!(age==5)");
	NO("age!=5");
	NO("!(age!=5)");
	NO("age<5");
	NO("age>=5");
	NO("psn in 0..0xffffff");
	YES("age==5 || qpn==17");
	YES("!(age==5) || qpn==17");
	NO("age==5 && qpn==17");
	NO("!(age==5 && qpn==17)");
	YES("!(age==5 && qpn==1)");
	NO("!(age==5 || qpn==1)");
	/* and this asks for it */
	NO("age");
	YES("!age");
	YES("!age && qpn");
	YES("!age || age>5s");
}

static void test_flags(void **state)
{
	(void)state;
	YES("access==local_write");
	YES("access==remote_read");
	NO("access==remote_write");
	YES("access!=remote_write");
	NO("access!=remote_read");
	YES("access~remote*");
	YES("access==local_write && access==remote_read");
}

static void test_units(void **state)
{
	struct thing t = thing;
	struct glass_filter *f = parse("age>=1500us && age<2ms && len==1k");

	(void)state;
	t.age = 1500000;
	t.len = 1024;
	assert_true(glass_filter_match(f, get, &t));
	t.age = 1499999;
	assert_false(glass_filter_match(f, get, &t));
	t.age = 2000000;
	assert_false(glass_filter_match(f, get, &t));
	glass_filter_free(f);
}

/* A field that may be negative compares as signed. */
static bool get_ret(const void *object, int field, struct glass_value *v)
{
	v->num = *(const int64_t *)object;
	return field == GLASS_FIELD_ret;
}

static void check_ret(const char *text, int64_t ret, bool want)
{
	struct glass_filter *f = parse(text);

	if (glass_filter_match(f, get_ret, &ret) != want)
		fail_msg("%s of %lld: wanted %d", text, (long long)ret, want);
	glass_filter_free(f);
}

static void test_signed(void **state)
{
	(void)state;
	check_ret("ret<0", -12, true);
	check_ret("ret<0", 0, false);
	check_ret("ret<0", INT64_MIN, true);
	check_ret("ret==-12", -12, true);
	check_ret("ret==-0xc", -12, true);
	check_ret("ret!=-12", 12, true);
	check_ret("ret in -20..-10", -12, true);
	check_ret("ret in -20..-10", -9, false);
	check_ret("ret in {-22,-12}", -12, true);
	check_ret("ret>=-12", 5, true);
	check_ret("ret>=-9223372036854775808", INT64_MIN, true);
	check_ret("ret>9223372036854775806", INT64_MAX, true);
}

/* ---- errors: the carets are below the place */

static const int packet_fields[] = { GLASS_FIELD_qpn, GLASS_FIELD_op, GLASS_FIELD_len };
static const struct glass_filter_scope packet = { "a packet", packet_fields, 3 };

static char *explained(const char *text, const struct glass_filter_error *error)
{
	char *out = NULL;
	size_t size;
	FILE *to = open_memstream(&out, &size);

	assert_non_null(to);
	glass_filter_explain(to, "prog", text, error);
	fclose(to);
	return out;
}

static void refused_in(const struct glass_filter_scope *scope, const char *text, const char *why,
		       const char *carets)
{
	struct glass_filter_error error;
	char want[1000], *got;

	assert_null(glass_filter_parse(text, scope, &error));
	snprintf(want, sizeof(want), "prog: %s\n  %s\n  %s\n", why, text, carets);
	got = explained(text, &error);
	assert_string_equal(got, want);
	free(got);
}

static void refused(const char *text, const char *why, const char *carets)
{
	refused_in(NULL, text, why, carets);
}

static void test_unknown(void **state)
{
	(void)state;
	refused("qnp==0x11 && dir==tx", "there is no field `qnp`; did you mean `qpn`?", "^^^");
	refused("dir==tx && stat==rts", "there is no field `stat`; did you mean `state`?",
		"           ^^^^");
	refused("xyzzy==1", "there is no field `xyzzy`", "^^^^^");
	refused("op==wirte", "`op` is never `wirte`; did you mean `write`?", "    ^^^^^");
	refused("status==retry_exc", "`status` is never `retry_exc`; did you mean `retry_exc_err`?",
		"        ^^^^^^^^^");
	refused("dir in {tx,up}", "`dir` is never `up`; `tx` is one of its words", "           ^^");
	refused("rdma_write", "there is no field `rdma_write`", "^^^^^^^^^^");
	refused("write", "`write` is a value: did you mean op==write?", "^^^^^");
	refused_in(&packet, "sq_used>3", "a packet has no `sq_used`", "^^^^^^^");
	refused_in(&packet, "ap==write", "there is no field `ap`; did you mean `op`?", "^^");
	refused_in(&packet, "active", "there is no field `active`", "^^^^^^");
}

static void test_types(void **state)
{
	(void)state;
	refused("qpn==write", "`qpn` is a number, decimal or 0x", "     ^^^^^");
	refused("qpn==\"17\"", "`qpn` is a number, decimal or 0x", "     ^^^^");
	refused("comm==17", "`comm` is text, not a number; as text it is \"17\"", "      ^^");
	refused("comm in {a,0x17}", "`comm` is text, not a number; as text it is \"0x17\"",
		"           ^^^^");
	refused("op~wirte*", "no word of `op` is like `wirte*`; `send` is one of them",
		"   ^^^^^^");
	refused("op==3", "`op` takes words such as `send`, not numbers", "    ^");
	refused("qpn~17", "`qpn` is a number: ~ compares text and words", "   ^");
	refused("op<write", "`op` has no order: it is a word", "  ^");
	refused("comm >= a", "`comm` has no order: it is text", "     ^^");
	refused("op in send..write", "expected { and a list of values", "      ^^^^");
	refused("op in {send..write}", "`op` is no number: it has no ranges", "           ^^");
	refused("qpn==1..2", "write `in` before a range", "      ^^");
	refused("qpn=={1}", "write `in` before a list of values", "     ^");
}

static void test_numbers(void **state)
{
	(void)state;
	refused("qpn==0x", "`0x` is no number", "     ^^");
	refused("qpn==0x0x1", "`0x0x1` is no number", "     ^^^^^");
	refused("qpn==12ab", "`12ab` is no number", "     ^^^^");
	refused("qpn==0x-1", "`0x-1` is no number", "     ^^^^");
	refused("qpn==-1", "`qpn` is never negative", "     ^^");
	refused("qpn==-", "`-` needs quotes", "     ^");
	refused("ret==--1", "`-` needs quotes", "     ^");
	refused("ret==-0x", "`-0x` is no number", "     ^^^");
	refused("ret==9223372036854775808", "`9223372036854775808` does not fit in 64 bits",
		"     ^^^^^^^^^^^^^^^^^^^");
	refused("ret==-9223372036854775809", "`-9223372036854775809` does not fit in 64 bits",
		"     ^^^^^^^^^^^^^^^^^^^^");
	refused("wr_id==18446744073709551616", "`18446744073709551616` does not fit in 64 bits",
		"       ^^^^^^^^^^^^^^^^^^^^");
	refused("age>20000000000s", "`20000000000s` does not fit in 64 bits", "    ^^^^^^^^^^^^");
	refused("age>5sec", "`5sec` is no number (there are ns us ms s min h)", "    ^^^^");
	refused("len>5s", "`5s` is no number (there are k m g)", "    ^^");
	refused("qpn in 9..5", "an empty range: the lower end comes first", "       ^^^^");
	refused("qpn in 9", "expected {VALUE, ...} or LOW..HIGH", "       ^");
	YES("qpn==17 || wr_id==18446744073709551615 || wr_id==0xffffffffffffffff");
}

static void test_syntax(void **state)
{
	(void)state;
	refused("", "the filter ends where a comparison is expected", "^");
	refused("qpn==1 &&", "the filter ends where a comparison is expected", "         ^");
	refused("qpn==", "expected a value for `qpn`", "     ^");
	refused("qpn=1", "equality is written ==", "   ^");
	refused("qpn==1 & op==read", "\"and\" is written &&", "       ^");
	refused("qpn==1 and op==read", "\"and\" is written &&", "       ^^^");
	refused("qpn 1", "expected == != < <= > >= in or ~ after `qpn`", "    ^");
	refused("5==qpn", "a comparison begins with a field, not with a value", "^");
	refused("(qpn==1", "this ( is not closed", "^");
	refused("(qpn==1 op==read)", "expected && || or )", "        ^^");
	refused("qpn==1)", "expected && or || here, or the end", "      ^");
	refused("qpn in {1,2", "this { is not closed", "       ^");
	refused("qpn in {1 2}", "expected , or }", "          ^");
	refused("qpn in {}", "expected a value for `qpn`", "        ^");
	refused("comm==\"a", "this quote is not closed", "      ^^");
	refused("comm==\"a\\", "this quote is not closed", "      ^^^");
	refused("comm==\"\\q\"", "a quoted text can have only the escapes \\\" \\' \\\\ and \\xNN", "       ^^");
	refused("comm==\"\\x00\"", "\\x takes two hexadecimal digits, not 00", "       ^^");
	refused("comm==a%b", "`%` needs quotes", "       ^");
	refused("comm==\"\\x1b[2J\" ]", "`]` needs quotes", "                ^");
}

/* What an error repeats cannot write to a terminal, and a long filter is shown in part. */
static void test_explain(void **state)
{
	struct glass_filter_error error;
	char text[600];
	char *out;

	(void)state;
	assert_null(glass_filter_parse("op==\"\033[2J\n\"", NULL, &error));
	out = explained("op==\"\033[2J\n\"", &error);
	assert_string_equal(out, "prog: `op` is never `?[2J?`; `send` is one of its words\n"
				 "  op==\"?[2J?\"\n"
				 "      ^^^^^^^\n");
	free(out);

	memset(text, 0, sizeof(text));
	while (strlen(text) < 500)
		strcat(text, "len==100 || ");
	strcat(text, "lem==1 || len==2");
	assert_null(glass_filter_parse(text, NULL, &error));
	out = explained(text, &error);
	assert_string_equal(out, "prog: there is no field `lem`; did you mean `len`?\n"
				 "  ...len==100 || len==100 || len==100 || lem==1 || len==2\n"
				 "                                         ^^^\n");
	free(out);
}

/* Too long, too deep: refused; as long and as deep as may be: taken. */
static void test_bounds(void **state)
{
	struct glass_filter_error error;
	static char text[GLASS_FILTER_TEXT + 100];
	struct glass_filter *f;
	int i;

	(void)state;
	for (i = 0; i <= GLASS_FILTER_DEPTH; i++) {
		memset(text, 0, sizeof(text));
		memset(text, '(', i);
		strcat(text, "qpn");
		memset(text + i + 3, ')', i);
		f = glass_filter_parse(text, NULL, &error);
		assert_non_null(f);
		glass_filter_free(f);
		memset(text, '!', i);
		memset(text + i + 3, 0, i);
		f = glass_filter_parse(text, NULL, &error);
		assert_non_null(f);
		glass_filter_free(f);
	}
	memset(text, '(', GLASS_FILTER_TEXT);
	assert_null(glass_filter_parse(text, NULL, &error));
	assert_string_equal(error.text, "more than 64 nested ( and !");
	assert_int_equal(error.at, GLASS_FILTER_DEPTH);
	memset(text, '!', GLASS_FILTER_TEXT);
	assert_null(glass_filter_parse(text, NULL, &error));
	assert_int_equal(error.at, GLASS_FILTER_DEPTH + 1);

	memset(text, ' ', GLASS_FILTER_TEXT + 1);
	memcpy(text, "qpn", 3);
	assert_null(glass_filter_parse(text, NULL, &error));
	assert_string_equal(error.text, "the filter is longer than 4096 bytes");
	text[GLASS_FILTER_TEXT] = 0;
	f = glass_filter_parse(text, NULL, &error);
	assert_non_null(f);
	glass_filter_free(f);
	/* the most comparisons that there can be */
	memset(text, 0, sizeof(text));
	for (i = 0; i < GLASS_FILTER_TEXT / 4 - 1; i++)
		memcpy(text + 4 * i, i % 2 ? "se&&" : "se||", 4);
	strcat(text, "se");
	f = glass_filter_parse(text, NULL, &error);
	assert_non_null(f);
	assert_false(glass_filter_match(f, get, &thing));
	glass_filter_free(f);
}

/* ---- canonical form */

static void prints(const char *text, const char *want)
{
	struct glass_filter *f = parse(text), *again;
	char *out = NULL;
	size_t size;
	FILE *to = open_memstream(&out, &size);

	assert_non_null(to);
	filter_print(to, f);
	fclose(to);
	assert_string_equal(out, want);
	again = parse(out);
	assert_true(filter_equal(f, again));
	glass_filter_free(f);
	glass_filter_free(again);
	free(out);
}

static void test_print(void **state)
{
	(void)state;
	prints("qpn==17&&op in{write , read}&&dir==tx&&!(len<64)&&comm~perf*",
	       "qpn==0x11 && op in {write,read} && dir==tx && !(len<64) && comm~\"perf*\"");
	prints("((qpn==1)&&(len==1))||(age>1s)", "qpn==0x1 && len==1 || age>1000000000");
	prints("(qpn==1||len==1)&&(len==2&&len==3)", "(qpn==0x1 || len==1) && len==2 && len==3");
	prints("! qpn==1", "!(qpn==0x1)");
	prints("!!qpn==1", "!!(qpn==0x1)");
	prints("!(rkey)", "!rkey");
	prints("psn in {5..9}", "psn in 5..9");
	prints("psn in {5..9,12}", "psn in {5..9,12}");
	prints("psn in 5..5", "psn in {5}");
	prints("ret in -0x10 .. 3", "ret in -16..3");
	prints("ret==-9223372036854775808", "ret==-9223372036854775808");
	prints("comm=='a\"b\\\\'", "comm==\"a\\\"b\\\\\"");
	prints("comm==\"\\'\xc3\xa9\\x01\"", "comm==\"'\\xc3\\xa9\\x01\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_compare), cmocka_unit_test(test_logic),
		cmocka_unit_test(test_missing), cmocka_unit_test(test_flags),
		cmocka_unit_test(test_units),	cmocka_unit_test(test_signed),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_types),	cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_syntax),	cmocka_unit_test(test_explain),
		cmocka_unit_test(test_bounds),	cmocka_unit_test(test_print),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
