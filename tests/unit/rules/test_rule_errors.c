// SPDX-License-Identifier: GPL-2.0-only
/* Each kind of error of the rules: position, keys and bounds. */
#include "inject.h"

#define NO GLASS_RK_KEYS
#define MAX64 ~0ULL

/* Commands and their errors. part: the wrong part, found in the command; "": none */
static const struct {
	const char *text, *part;
	enum glass_rule_error_kind kind;
	enum glass_rule_key key, other;
	u64 low, high; /* both 0: no bounds */
} table[] = {
	{ "", "", GLASS_RE_EMPTY, NO, NO, 0, 0 },
	{ "clear\nclear\n", "clear\n", GLASS_RE_MORE_LINES, NO, NO, 0, 0 },
	{ " frob name=a", "frob", GLASS_RE_UNKNOWN_COMMAND, NO, NO, 0, 0 },
	{ "add act=drop junk", "junk", GLASS_RE_NO_PAIR, NO, NO, 0, 0 },
	{ "del junk", "junk", GLASS_RE_NO_PAIR, NO, NO, 0, 0 },
	{ "add act=drop qpm=1", "qpm", GLASS_RE_UNKNOWN_KEY, NO, NO, 0, 0 },
	{ "add act=drop =1", "=1", GLASS_RE_UNKNOWN_KEY, NO, NO, 0, 0 },
	{ "add qpn=1 qpn=2 act=drop", "qpn=2", GLASS_RE_GIVEN_TWICE, GLASS_RK_QPN, NO, 0, 0 },
	{ "del name=a name=b", "name=b", GLASS_RE_GIVEN_TWICE, GLASS_RK_NAME, NO, 0, 0 },
	{ " add op=write", "add", GLASS_RE_MISSING_KEY, GLASS_RK_ACT, NO, 0, 0 },
	{ "del ", "del", GLASS_RE_MISSING_KEY, GLASS_RK_NAME, NO, 0, 0 },
	{ "add act=nak op=send", "act=nak", GLASS_RE_NEEDS_KEY, GLASS_RK_ACT, GLASS_RK_CODE, 0, 0 },
	{ "add act=drop corr=1%", "corr=1%", GLASS_RE_NEEDS_KEY, GLASS_RK_CORR, GLASS_RK_PROB, 0, 0 },
	{ "add act=delay dist=normal", "dist=normal", GLASS_RE_NEEDS_KEY, GLASS_RK_DIST,
	  GLASS_RK_JITTER, 0, 0 },
	{ "add act=drop gemodel=1% prob=1%", "gemodel=1%", GLASS_RE_EXCLUDES, GLASS_RK_GEMODEL,
	  GLASS_RK_PROB, 0, 0 },
	{ "add act=drop loss4=1% gemodel=1%", "loss4=1%", GLASS_RE_EXCLUDES, GLASS_RK_LOSS4,
	  GLASS_RK_GEMODEL, 0, 0 },
	{ "add cqn=4 act=qp_fatal qpn=3", "cqn=4", GLASS_RE_WRONG_ACTION, GLASS_RK_CQN, NO, 0, 0 },
	{ "del name=a hit=1", "hit=1", GLASS_RE_NAME_ONLY, NO, NO, 0, 0 },
	{ "step m=1", "m=1", GLASS_RE_NAME_AND_N, NO, NO, 0, 0 },
	{ "clear name=r1", "name=r1", GLASS_RE_ALONE, NO, NO, 0, 0 },
	/* values */
	{ "add act= op=send", "act=", GLASS_RE_NO_VALUE, GLASS_RK_ACT, NO, 0, 0 },
	{ "add act=drop op=", "op=", GLASS_RE_NO_VALUE, GLASS_RK_OP, NO, 0, 0 },
	{ "step n=", "n=", GLASS_RE_NO_VALUE, NO, NO, 0, 0 },
	{ "add act=dup copies=two", "copies=two", GLASS_RE_NO_NUMBER, GLASS_RK_COPIES, NO, 0, 0 },
	{ "step n=x", "n=x", GLASS_RE_NO_NUMBER, NO, NO, 0, 0 },
	{ "step n=0", "n=0", GLASS_RE_OUT_OF_RANGE, NO, NO, 1, MAX64 },
	{ "add act=drop psn=5..3", "psn=5..3", GLASS_RE_NO_RANGE, GLASS_RK_PSN, NO, 0, 0 },
	{ "add act=drop psn=5..0x1000000", "psn=5..0x1000000", GLASS_RE_OUT_OF_RANGE, GLASS_RK_PSN, NO,
	  0, 0xffffff },
	{ "add act=drop len=99999999999999999999", "len=99999999999999999999", GLASS_RE_OUT_OF_RANGE,
	  GLASS_RK_LEN, NO, 0, MAX64 },
	{ "add act=dup copies=9", "copies=9", GLASS_RE_OUT_OF_RANGE, GLASS_RK_COPIES, NO, 1, 8 },
	{ "add act=drop count=0", "count=0", GLASS_RE_OUT_OF_RANGE, GLASS_RK_COUNT, NO, 1, MAX64 },
	{ "add act=delay time=61min", "time=61min", GLASS_RE_OUT_OF_RANGE, GLASS_RK_TIME, NO, 0,
	  3600000000000ULL },
	{ "add act=drop ttl=99999999999h", "ttl=99999999999h", GLASS_RE_OUT_OF_RANGE, GLASS_RK_TTL, NO,
	  1, 1ULL << 62 },
	{ "add act=drop window=1s..99999999999h", "window=1s..99999999999h", GLASS_RE_OUT_OF_RANGE,
	  GLASS_RK_WINDOW, NO, 0, 1ULL << 62 },
	{ "add act=drop window=99999999999h", "window=99999999999h", GLASS_RE_OUT_OF_RANGE,
	  GLASS_RK_WINDOW, NO, 0, 1ULL << 62 },
	{ "add act=drop tie=99999999999999999999", "tie=99999999999999999999", GLASS_RE_OUT_OF_RANGE,
	  GLASS_RK_TIE, NO, 1, 0x7fffffff },
	{ "add act=fail verb=reg_mr err=99999999999999999999", "err=99999999999999999999",
	  GLASS_RE_OUT_OF_RANGE, GLASS_RK_ERR, NO, 1, 4095 },
	{ "add act=drop tie=0", "tie=0", GLASS_RE_OUT_OF_RANGE, GLASS_RK_TIE, NO, 1, 0x7fffffff },
	{ "add act=fail verb=reg_mr err=4096", "err=4096", GLASS_RE_OUT_OF_RANGE, GLASS_RK_ERR, NO, 1,
	  4095 },
	{ "add act=qp_fatal qpn=0xffffff", "qpn=0xffffff", GLASS_RE_OUT_OF_RANGE, GLASS_RK_QPN, NO, 0,
	  0xfffffe },
	{ "add act=drop qpn=0x1000000", "qpn=0x1000000", GLASS_RE_OUT_OF_RANGE, GLASS_RK_QPN, NO, 0,
	  0xffffff },
	{ "add act=pkey_change port=1 index=0 value=0x10000", "value=0x10000", GLASS_RE_OUT_OF_RANGE,
	  GLASS_RK_VALUE, NO, 0, 0xffff },
	{ "add act=gid_change port=1 index=0 value=0", "value=0", GLASS_RE_OUT_OF_RANGE,
	  GLASS_RK_VALUE, NO, 1, MAX64 },
	{ "add act=dorp", "dorp", GLASS_RE_UNKNOWN_ACTION, GLASS_RK_ACT, NO, 0, 0 },
	{ "add op=send,wirte,read act=drop", "wirte", GLASS_RE_UNKNOWN_WORD, GLASS_RK_OP, NO, 0, 0 },
	{ "add act=nak code=none", "none", GLASS_RE_UNKNOWN_WORD, GLASS_RK_CODE, NO, 0, 0 },
	{ "add op=send,,write act=drop", ",write", GLASS_RE_EMPTY_WORD, GLASS_RK_OP, NO, 0, 0 },
	{ "add op=send, act=drop", ", act", GLASS_RE_EMPTY_WORD, GLASS_RK_OP, NO, 0, 0 },
	{ "add act=delay time=1parsec", "time=1parsec", GLASS_RE_NO_TIME, GLASS_RK_TIME, NO, 0, 0 },
	{ "add act=drop window=2s..1s", "window=2s..1s", GLASS_RE_NO_SPAN, GLASS_RK_WINDOW, NO, 0, 0 },
	{ "add act=drop prob=101%", "prob=101%", GLASS_RE_NO_PROB, GLASS_RK_PROB, NO, 0, 0 },
	{ "add act=drop loss4=60%,1,0,1,50%", "loss4=60%,1,0,1,50%", GLASS_RE_NO_PROBS, GLASS_RK_LOSS4,
	  NO, 0, 0 },
	{ "del name=12345678901234567890123456789012", "name=12345678901234567890123456789012",
	  GLASS_RE_NAME_TOO_LONG, GLASS_RK_NAME, NO, 1, 31 },
	{ "add act=drop name=a/b", "/", GLASS_RE_NAME_CHARACTER, GLASS_RK_NAME, NO, 0, 0 },
	{ "add act=drop after=", "after=", GLASS_RE_NO_VALUE, GLASS_RK_AFTER, NO, 0, 0 },
	{ "add act=drop after=:2", "after=:2", GLASS_RE_NO_AFTER, GLASS_RK_AFTER, NO, 0, 0 },
	{ "add act=drop after=a:0", "after=a:0", GLASS_RE_NO_AFTER, GLASS_RK_AFTER, NO, 0, 0 },
	{ "add act=drop comm=0123456789abcdef", "comm=0123456789abcdef", GLASS_RE_NO_NAME, GLASS_RK_COMM,
	  NO, 1, 15 },
	{ "add act=drop node=01234567890123456789012345678901", "node=01234567890123456789012345678901",
	  GLASS_RE_NO_NAME, GLASS_RK_NODE, NO, 1, 31 },
	{ "add act=drop tie=me", "tie=me", GLASS_RE_NO_TIE, GLASS_RK_TIE, NO, 0, 0 },
	{ "add act=drop force=perhaps", "perhaps", GLASS_RE_NO_YESNO, GLASS_RK_FORCE, NO, 0, 0 },
	/* objects */
	{ "add act=qp_fatal qpn=2 count=2", "count=2", GLASS_RE_ONCE, GLASS_RK_COUNT, NO, 1, 1 },
	{ "add act=qp_fatal qpn=2..4", "qpn=2..4", GLASS_RE_ONE_OBJECT, GLASS_RK_QPN, NO, 0, 0 },
	{ "add act=qp_fatal qpn=1 port=1..2", "port=1..2", GLASS_RE_ONE_OBJECT, GLASS_RK_PORT, NO, 0, 0 },
	{ "add act=qp_fatal qpn=2 port=2", "port=2", GLASS_RE_SPECIAL_QP, GLASS_RK_PORT, GLASS_RK_QPN, 0,
	  0 },
	{ "add act=event event=srq_err srqn=1 qpn=3", "event=srq_err", GLASS_RE_EVENT_OBJECTS,
	  GLASS_RK_EVENT, NO, 0, 0 },
	{ "add act=event event=qp_fatal cqn=3", "event=qp_fatal", GLASS_RE_EVENT_OBJECT, GLASS_RK_EVENT,
	  GLASS_RK_QPN, 0, 0 },
	{ "add act=event event=port_err", "event=port_err", GLASS_RE_EVENT_OBJECT, GLASS_RK_EVENT,
	  GLASS_RK_PORT, 0, 0 },
	{ "add act=event event=device_fatal port=1", "event=device_fatal", GLASS_RE_EVENT_DEVICE,
	  GLASS_RK_EVENT, NO, 0, 0 },
	/* what there is not */
	{ "add act=drop qptype=ud op=write", "op=write", GLASS_RE_DATAGRAM_OP, GLASS_RK_OP,
	  GLASS_RK_QPTYPE, 0, 0 },
	{ "add act=drop qptype=uc op=ack,read", "op=ack,read", GLASS_RE_RC_OP, GLASS_RK_OP,
	  GLASS_RK_QPTYPE, 0, 0 },
	{ "add act=drop qptype=uc syndrome=0x60", "syndrome=0x60", GLASS_RE_NO_AETH, GLASS_RK_SYNDROME,
	  GLASS_RK_QPTYPE, 0, 0 },
	{ "add act=drop op=write msn=3", "msn=3", GLASS_RE_NO_AETH, GLASS_RK_MSN, GLASS_RK_OP, 0, 0 },
	{ "add act=drop qptype=rc qkey=1", "qkey=1", GLASS_RE_NO_QKEY, GLASS_RK_QKEY, GLASS_RK_QPTYPE,
	  0, 0 },
	{ "add act=drop qptype=ud rkey=1", "rkey=1", GLASS_RE_NO_RKEY, GLASS_RK_RKEY, GLASS_RK_QPTYPE,
	  0, 0 },
	{ "add act=drop qptype=gsi rpsn=1", "rpsn=1", GLASS_RE_NO_SEQUENCE, GLASS_RK_RPSN,
	  GLASS_RK_QPTYPE, 0, 0 },
	{ "add act=rnr qptype=ud", "qptype=ud", GLASS_RE_RC_ANSWER, GLASS_RK_QPTYPE, GLASS_RK_ACT, 0, 0 },
	{ "add act=ack op=ack", "op=ack", GLASS_RE_ANSWER_ANSWERED, GLASS_RK_OP, GLASS_RK_ACT, 0, 0 },
	{ "add act=rnr op=write", "op=write", GLASS_RE_NO_RECEIVE, GLASS_RK_OP, GLASS_RK_ACT, 0, 0 },
	{ "add act=ack op=read", "op=read", GLASS_RE_DATA_ANSWER, GLASS_RK_OP, GLASS_RK_ACT, 0, 0 },
	{ "add act=ack op=flush", "op=flush", GLASS_RE_EMPTY_ANSWER, GLASS_RK_OP, GLASS_RK_ACT, 0, 0 },
	{ "add act=corrupt what=icrc crc=good", "crc=good", GLASS_RE_CRC_REMADE, GLASS_RK_CRC,
	  GLASS_RK_WHAT, 0, 0 },
	{ "add act=fail verb=poll_cq err=EIO", "verb=poll_cq", GLASS_RE_NO_ERRNO, GLASS_RK_VERB,
	  GLASS_RK_ACT, 0, 0 },
	{ "add act=fail verb=destroy_ah err=EIO", "verb=destroy_ah", GLASS_RE_VERB_FAILS_NOT,
	  GLASS_RK_VERB, GLASS_RK_ACT, 0, 0 },
	{ "add act=cqe_error status=success", "status=success", GLASS_RE_STATUS_SUCCESS,
	  GLASS_RK_STATUS, GLASS_RK_ACT, 0, 0 },
	{ "add act=cqe_error status=inv_eecn_err", "status=inv_eecn_err", GLASS_RE_STATUS_RD,
	  GLASS_RK_STATUS, NO, 0, 0 },
	{ "add act=cqe_error status=rem_op_err qptype=ud", "status=rem_op_err", GLASS_RE_STATUS_RC,
	  GLASS_RK_STATUS, GLASS_RK_QPTYPE, 0, 0 },
	{ "add act=cqe_error status=rem_op_err op=recv", "status=rem_op_err", GLASS_RE_STATUS_REQUEST,
	  GLASS_RK_STATUS, GLASS_RK_OP, 0, 0 },
	{ "add act=cqe_lose pid=0", "pid=0", GLASS_RE_KERNEL_WAITS, GLASS_RK_PID, GLASS_RK_ACT, 0, 0 },
};

/* Kinds that only the driver finds, with their first lines */
static const struct {
	enum glass_rule_error_kind kind;
	enum glass_rule_key key;
	const char *text, *line;
} of_driver[] = {
	{ GLASS_RE_UNPLUGGED, GLASS_RK_ACT, "add port=1 act=port_down",
	  "act=port_down: the device is unplugged" },
	{ GLASS_RE_NO_OBJECT, GLASS_RK_SRQN, "add act=srq_fatal srqn=7\n", "srqn=7: no such SRQ on glass0" },
	{ GLASS_RE_NO_ENTRY, GLASS_RK_INDEX, "add index=64 act=pkey_change",
	  "index=64: no entry of the port's table (0 to 63)" },
	{ GLASS_RE_NO_PROCESS, GLASS_RK_TIE, "add act=drop\ttie=99", "tie=99: no such process" },
	{ GLASS_RE_NO_RULE, GLASS_RK_NAME, "del name=x", "name=x: no rule of this name" },
	{ GLASS_RE_NAME_TAKEN, GLASS_RK_NAME, "add  name=x act=drop", "name=x: there is a rule of this name" },
	{ GLASS_RE_TOO_MANY_RULES, NO, "add act=drop", "too many rules (63 are the limit), delete some" },
	{ GLASS_RE_NO_PACKET, NO, "step", "no packet waits" },
	{ GLASS_RE_NODE_ACTION, GLASS_RK_ACT, "add node=sw act=dup",
	  "act=dup: at ports of switches there is act=drop only" },
	{ GLASS_RE_NODE_KEY, GLASS_RK_QPN, "add act=drop qpn=3", "qpn=3: is not known at ports of switches" },
	{ GLASS_RE_NO_NODE, GLASS_RK_NODE, "add node=sw act=drop",
	  "node=sw: names a switch, but the rules of an adapter act at its own ports" },
};

static struct glass_rule rule;
static bool seen[GLASS_RE_KINDS];

static void test_parser(void **state)
{
	char line[GLASS_RULE_ERROR];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		const char *text = table[i].text, *part = table[i].part;
		struct glass_rule_error e;
		bool bounded = table[i].high;
		size_t len = strlen(part);

		memset(&e, 0x5a, sizeof(e));
		assert_int_equal(glass_rule_parse(text, strlen(text), &rule, &e), -EINVAL);
		glass_rule_error_text(line, &e, text, strlen(text), NULL);
		if (table[i].kind == GLASS_RE_EMPTY_WORD)
			len = 1;
		/* the newline behind the last line is no part of it */
		if (table[i].kind == GLASS_RE_MORE_LINES)
			part = strchr(text, '\n') + 1, len--;
		if (e.kind != table[i].kind || e.key != table[i].key || e.other != table[i].other ||
		    e.len != len || (len && text + e.at != (part == table[i].part ?
							    strstr(text, part) : part)) ||
		    e.bounded != bounded || e.low != table[i].low || e.high != table[i].high)
			fail_msg("%s: %s kind=%s at=%u len=%u key=%s other=%s low=%llu high=%llu", text,
				 line, glass_rule_error_word(e.kind), e.at, e.len,
				 glass_rule_key_word(e.key), glass_rule_key_word(e.other),
				 (unsigned long long)e.low, (unsigned long long)e.high);
		assert_null(strpbrk(line, "<>"));
		seen[e.kind] = true;
	}
}

/* Two that a string cannot hold */
static void test_bytes(void **state)
{
	char line[GLASS_RULE_LINE + 2];
	struct glass_rule_error e;

	(void)state;
	memset(line, ' ', sizeof(line));
	assert_int_equal(glass_rule_parse(line, sizeof(line), &rule, &e), -EINVAL);
	assert_int_equal(e.kind, GLASS_RE_LINE_TOO_LONG);
	assert_int_equal(e.at, GLASS_RULE_LINE);
	assert_int_equal(e.len, 0);
	assert_int_equal(e.high, GLASS_RULE_LINE);
	seen[e.kind] = true;
	assert_int_equal(glass_rule_parse("clear\0", 6, &rule, &e), -EINVAL);
	assert_int_equal(e.kind, GLASS_RE_NUL_BYTE);
	assert_int_equal(e.at, 5);
	assert_int_equal(e.len, 1);
	seen[e.kind] = true;
}

static void test_driver(void **state)
{
	char line[GLASS_RULE_ERROR];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(of_driver); i++) {
		const char *text = of_driver[i].text;
		struct glass_rule_error e;

		glass_rule_error_set(&e, of_driver[i].kind, of_driver[i].key);
		e.bounded = true;
		e.high = 63;
		glass_rule_error_place(&e, text, strlen(text));
		glass_rule_error_text(line, &e, text, strlen(text), "glass0");
		assert_string_equal(line, of_driver[i].line);
		seen[e.kind] = true;
	}
}

/* Each kind was seen. Words are unique, and no sentence has a name that is not replaced. */
static void test_all_kinds(void **state)
{
	u32 i, k;

	(void)state;
	for (i = 1; i < GLASS_RE_KINDS; i++) {
		if (!seen[i])
			fail_msg("no input gives %s", glass_rule_error_word(i));
		for (k = 0; k < i; k++)
			assert_string_not_equal(glass_rule_error_word(i), glass_rule_error_word(k));
	}
	assert_string_equal(glass_rule_error_word(GLASS_RE_NONE), "-");
	assert_string_equal(glass_rule_error_word(GLASS_RE_KINDS), "-");
	assert_string_equal(glass_rule_key_word(NO), "-");
}

/* A rule that is taken has no error. */
static void test_none(void **state)
{
	struct glass_rule_error e;

	(void)state;
	memset(&e, 0x5a, sizeof(e));
	assert_int_equal(glass_rule_parse("add act=drop", 12, &rule, &e), 0);
	assert_int_equal(e.kind, GLASS_RE_NONE);
	assert_int_equal(e.key, NO);
	assert_int_equal(e.len, 0);
	assert_false(e.bounded);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parser),	  cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_driver),	  cmocka_unit_test(test_all_kinds),
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests_name("rule_errors", tests, NULL, NULL);
}
