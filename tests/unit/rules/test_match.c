// SPDX-License-Identifier: GPL-2.0-only
/* rules/match: what a capture is asked for, and which packets that is. */
#include "harness.h"

#include "rules/match.h"

static struct glass_match m;

static int parse(const char *text)
{
	size_t at, len;

	return glass_match_parse(text, strlen(text), &m, &at, &len);
}

/* The word that a refusal names. */
static void refused(const char *text, const char *word)
{
	size_t at = ~(size_t)0, len = 0;

	assert_int_equal(glass_match_parse(text, strlen(text), &m, &at, &len), -EINVAL);
	assert_int_equal(len, strlen(word));
	assert_true(at + len <= strlen(text));
	assert_memory_equal(text + at, word, len);
}

static void test_match_takes(void **state)
{
	(void)state;
	assert_int_equal(parse("qpn=0x11"), 0);
	assert_int_equal(m.keys, BIT(GLASS_MATCH_QPN));
	assert_int_equal(m.want[GLASS_MATCH_QPN].low, 0x11);
	assert_int_equal(m.want[GLASS_MATCH_QPN].high, 0x11);
	assert_int_equal(parse("  dir=rx\twr_id=18446744073709551615  reason=no_recv "), 0);
	assert_int_equal(m.keys, BIT(GLASS_MATCH_DIR) | BIT(GLASS_MATCH_WR_ID) | BIT(GLASS_MATCH_REASON));
	assert_int_equal(m.want[GLASS_MATCH_DIR].words, BIT(GLASS_DIR_RX));
	assert_true(m.want[GLASS_MATCH_WR_ID].low == ~0ULL);
	assert_true(m.want[GLASS_MATCH_REASON].words == BIT(GLASS_DROP_NO_RECV));
	assert_int_equal(parse("reason=none,no_recv,bad_psn len=64..0x80"), 0);
	assert_true(m.want[GLASS_MATCH_REASON].words ==
		    (BIT(GLASS_DROP_NONE) | BIT(GLASS_DROP_NO_RECV) | BIT(GLASS_DROP_BAD_PSN)));
	assert_int_equal(m.want[GLASS_MATCH_LEN].low, 64);
	assert_int_equal(m.want[GLASS_MATCH_LEN].high, 128);
	assert_int_equal(parse("wr_id=0xFFFFffffFFFFffff"), 0);
	assert_true(m.want[GLASS_MATCH_WR_ID].high == ~0ULL);
	assert_int_equal(parse("comm=my%20app"), 0);
	assert_string_equal(m.comm.text, "my app");
	assert_int_equal(parse("comm=123456789012345"), 0);
}

static void test_match_refuses(void **state)
{
	(void)state;
	refused("", "");
	refused("   ", "");
	refused("qpn=1 nonsense=3", "nonsense=3");
	refused("qpn", "qpn");
	refused("qpn= port=1", "qpn=");
	refused("qpn=0x", "qpn=0x");
	refused("qpn=12a", "qpn=12a");
	refused("qpn=-1", "qpn=-1");
	refused("qpn=1 qpn=2", "qpn=2");
	refused("wr_id=18446744073709551616", "wr_id=18446744073709551616");
	refused("wr_id=0x10000000000000000", "wr_id=0x10000000000000000");
	refused("op=7", "op=7");
	refused("op=sends", "op=sends");
	refused("dir=up", "dir=up");
	refused("dir=tx,", "dir=tx,");
	refused("dir=,tx", "dir=,tx");
	refused("dir=tx,up", "dir=tx,up");
	refused("dir=1", "dir=1");
	refused("len=5..4", "len=5..4");
	refused("len=..4", "len=..4");
	refused("len=4..", "len=4..");
	refused("len=1..2..3", "len=1..2..3");
	refused("comm=", "comm=");
	refused("comm=1234567890123456", "comm=1234567890123456");
	refused("comm=a%2", "comm=a%2");
	refused("comm=a%00b", "comm=a%00b");
	refused("comm=a%zz", "comm=a%zz");
}

/* Any bytes at all: an answer, and nothing read beyond them. */
static void test_match_noise(void **state)
{
	static const char alphabet[] = "qpn=0x1 opsend,dir%tx\t\n";
	char *text;
	int i;

	(void)state;
	for (i = 0; i < 20000; i++) {
		size_t at, len, n = rnd_below(24), k;

		text = malloc(n + 1);
		for (k = 0; k < n; k++)
			text[k] = rnd_below(8) ? alphabet[rnd_below(sizeof(alphabet) - 1)] : (char)rnd();
		text = realloc(text, n ? n : 1);
		if (!glass_match_parse(text, n, &m, &at, &len))
			assert_int_not_equal(m.keys, 0);
		assert_true(at + len <= n);
		free(text);
	}
}

static void subject(struct glass_match_subject *s, u8 opcode)
{
	struct glass_pkt pkt = {
		.opcode = opcode, .psn = 7, .slid = 1, .dlid = 2, .pkey = 0xffff, .len = 100,
		.rkey = 0x99, .msn = 5, .syndrome = 0x1f, .qkey = 0x11111111,
	};

	memset(s, 0, sizeof(*s));
	glass_match_packet(s, &pkt);
	glass_match_set(s, GLASS_MATCH_QPN, 0x11);
}

static bool holds(const char *text, const struct glass_match_subject *s)
{
	assert_int_equal(parse(text), 0);
	return glass_match_holds(&m, s, 0);
}

static void test_match_holds(void **state)
{
	struct glass_match_subject s;

	(void)state;
	subject(&s, GLASS_TR_RC | GLASS_BOP_WRITE_FIRST);
	assert_true(holds("qpn=0x11 op=write psn=7 rkey=0x99", &s));
	assert_false(holds("qpn=0x11 op=write psn=8", &s));
	assert_false(holds("op=write_imm", &s));
	assert_false(holds("op=send", &s));
	/* what the packet does not have equals nothing, not even 0 */
	assert_false(holds("qkey=0x11111111", &s));
	assert_false(holds("msn=5", &s));
	assert_false(holds("wr_id=0", &s));
	assert_false(holds("comm=a", &s));
	subject(&s, GLASS_TR_RC | GLASS_BOP_WRITE_LAST_IMM);
	assert_true(holds("op=write_imm", &s));
	assert_false(holds("rkey=0x99", &s));
	subject(&s, GLASS_TR_RC | GLASS_BOP_ACK);
	assert_true(holds("op=ack msn=5 syndrome=0x1f", &s));
	subject(&s, GLASS_TR_UD | GLASS_BOP_SEND_ONLY);
	assert_true(holds("op=send qkey=0x11111111", &s));
	strcpy(s.comm, "ibv");
	s.keys |= BIT(GLASS_MATCH_COMM);
	assert_true(holds("comm=ibv", &s));
	assert_false(holds("comm=ib", &s));
	assert_false(holds("comm=ibv_", &s));
	assert_true(holds("op=read,send,write", &s));
	assert_true(holds("len=100..100 psn=0..7", &s));
	assert_false(holds("len=101..200", &s));
	assert_false(holds("len=0..99", &s));
}

static void test_match_names(void **state)
{
	static const struct {
		const char *pattern, *name;
		bool fits;
	} rows[] = {
		{ "comm=*", "", true },		   { "comm=*", "abc", true },
		{ "comm=?", "", false },	   { "comm=?", "a", true },
		{ "comm=a*c", "abc", true },	   { "comm=a*c", "ac", true },
		{ "comm=a*c", "abcd", false },	   { "comm=*bc*", "abcabcd", true },
		{ "comm=a*b*c", "aXbYbZc", true }, { "comm=a*b?c", "abbc", true },
		{ "comm=a*b?c", "abc", false },	   { "comm=a%2ab", "a*b", true },
		{ "comm=a%2ab", "aXb", false },	   { "comm=*a", "aaaaaaaaaaaaaab", false },
		{ "comm=a**", "a", true },	   { "comm=?*", "", false },
		/* no sets of characters */
		{ "comm=a[bc]", "ab", false },	   { "comm=a[bc]", "a[bc]", true },
	};
	struct glass_match_subject s = { .keys = BIT(GLASS_MATCH_COMM) };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		strcpy(s.comm, rows[i].name);
		if (holds(rows[i].pattern, &s) != rows[i].fits)
			fail_msg("%s of '%s'", rows[i].pattern, rows[i].name);
	}
}

static void test_match_except(void **state)
{
	struct glass_match_subject s;

	(void)state;
	subject(&s, GLASS_TR_RC | GLASS_BOP_ACK);
	assert_int_equal(parse("op=ack reason=bad_psn"), 0);
	assert_false(glass_match_holds(&m, &s, 0));
	assert_true(glass_match_holds(&m, &s, BIT(GLASS_MATCH_REASON)));
	assert_true(glass_match_reason(&m, GLASS_DROP_BAD_PSN));
	assert_false(glass_match_reason(&m, GLASS_DROP_NONE));
	assert_int_equal(parse("op=read reason=bad_psn"), 0);
	assert_false(glass_match_holds(&m, &s, BIT(GLASS_MATCH_REASON)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_match_takes, rnd_restart),
		cmocka_unit_test_setup(test_match_refuses, rnd_restart),
		cmocka_unit_test_setup(test_match_noise, rnd_restart),
		cmocka_unit_test_setup(test_match_holds, rnd_restart),
		cmocka_unit_test_setup(test_match_names, rnd_restart),
		cmocka_unit_test_setup(test_match_except, rnd_restart),
	};

	return cmocka_run_group_tests(tests, rnd_group, NULL);
}
