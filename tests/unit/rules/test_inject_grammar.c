// SPDX-License-Identifier: GPL-2.0-only
/* The grammar of injection rules: every key and action, what is refused and why, and whatever else comes. */
#include "inject.h"

static struct glass_rule rule;
static struct glass_rule_error why;
static char error[GLASS_RULE_ERROR];

/* Parses from a heap block of exactly len bytes, so that ASan sees a read beyond. */
static int parse_bytes(const char *bytes, size_t len)
{
	char *copy = malloc(len ? len : 1);
	int ret;

	assert_non_null(copy);
	memcpy(copy, bytes, len);
	ret = glass_rule_parse(copy, len, &rule, &why);
	error[0] = 0;
	if (ret)
		glass_rule_error_text(error, &why, copy, len, NULL);
	assert_true(!ret == !why.kind);
	free(copy);
	return ret;
}

static void taken(const char *text)
{
	if (parse_bytes(text, strlen(text)))
		fail_msg("%s: %s", text, error);
}

static void refused(const char *text, const char *want)
{
	assert_int_equal(parse_bytes(text, strlen(text)), -EINVAL);
	assert_string_equal(error, want);
}

static void test_examples(void **state)
{
	(void)state;
	taken("add name=r1 qpn=0x11 op=write dir=tx nth=3 act=drop count=1 seed=7");
	assert_int_equal(rule.action, GLASS_ACT_DROP);
	assert_int_equal(rule.site, 'P');
	assert_int_equal(rule.value[GLASS_RK_NTH], 3);
	assert_int_equal(rule.nth_high, 3);
	assert_int_equal(rule.value[GLASS_RK_COUNT], 1);
	assert_int_equal(rule.value[GLASS_RK_SEED], 7);
	taken("add comm=ib_send_bw nqp=1 rpsn=17 round=1 act=drop");
	taken("add op=send dir=rx act=delay time=2ms jitter=500us dist=normal prob=10% seed=7");
	assert_int_equal(rule.value[GLASS_RK_TIME], 2000000);
	assert_int_equal(rule.value[GLASS_RK_JITTER], 500000);
	assert_int_equal(rule.value[GLASS_RK_DIST], GLASS_DIST_NORMAL);
	taken("add act=corrupt what=header crc=good at=4 bits=2 every=10 skip=5 burst=2 budget=3");
	taken("add act=drop gemodel=1%,10% window=100ms..2s ttl=1h tie=fd after=a.b:3");
	assert_string_equal(rule.after, "a.b");
	assert_int_equal(rule.value[GLASS_RK_AFTER], 3);
	assert_true(rule.tie_fd);
	assert_int_equal(rule.window_to, 2000000000);
	taken("add act=drop loss4=1%,50%,10%,20%,1% tie=4711");
	taken("add act=cqe_error op=send status=rem_access_err vendor=0x42 cqn=3");
	taken("add act=fail verb=create_qp,reg_mr err=ENOMEM comm=my*");
	taken("add act=port_flap port=1 time=20ms flaps=3");
	taken("add act=event event=path_mig qpn=0x11");
	taken("add act=event event=port_err port=2");
	taken("add act=event event=device_fatal");
	taken("add act=unplug time=1s tie=fd");
	taken("step");
	assert_int_equal(rule.value[GLASS_RK_NTH], 1);
	taken("step name=h n=4");
	assert_int_equal(rule.command, GLASS_RULE_STEP);
	assert_int_equal(rule.value[GLASS_RK_NTH], 4);
	taken("release name=h");
}

/* What is kept is read back, and what was read back means the same. */
static void test_text(void **state)
{
	(void)state;
	taken("add  seed=3 act=drop\top=send,write name=x hit=4 nth=2 eligible=9");
	assert_int_equal(rule.text_len, strlen("act=drop op=send,write nth=2"));
	assert_memory_equal(rule.text, "act=drop op=send,write nth=2", rule.text_len);
}

static void test_refusals(void **state)
{
	(void)state;
	refused("add act=drop op=", "op=: has no value");
	refused("add act=drop op=send,,write", "op=send,,write: a word is missing in the list");
	refused("add act=drop op=recv", "op=recv: unknown word");
	refused("add act=drop nth=0", "nth=0: out of range (1 to 4294967295)");
	refused("add act=drop every=0", "every=0: out of range (1 to 4294967295)");
	refused("add act=drop count=0", "count=0: out of range (1 to 18446744073709551615)");
	refused("add act=drop psn=5..3",
		"psn=5..3: not a number or range (decimal or 0x, LOW..HIGH)");
	refused("add act=drop psn=0x1000000", "psn=0x1000000: out of range (0x0 to 0xffffff)");
	refused("add act=drop prob=1.1", "prob=1.1: not a probability (0 to 1, or 0% to 100%)");
	refused("add act=drop prob=101%", "prob=101%: not a probability (0 to 1, or 0% to 100%)");
	refused("add act=drop prob=", "prob=: has no value");
	refused("add act=drop prob=0.0000000001",
		"prob=0.0000000001: not a probability (0 to 1, or 0% to 100%)");
	refused("add act=drop prob=1% gemodel=1%", "gemodel=1%: does not go with prob=");
	refused("add act=drop corr=1%", "corr=1%: needs prob=");
	refused("add act=drop loss4=60%,10%,0,1,50%",
		"loss4=60%,10%,0,1,50%: not probabilities that go together");
	refused("add act=drop gemodel=1,1,1,1,1",
		"gemodel=1,1,1,1,1: not probabilities that go together");
	refused("add act=drop time=1ms", "time=1ms: does not go with this action");
}

static void test_times(void **state)
{
	(void)state;
	taken("add act=delay time=1");
	assert_int_equal(rule.value[GLASS_RK_TIME], 1);
	refused("add act=delay time=1parsec",
		"time=1parsec: not a time (a number with ns, us, ms, s, min, h)");
	refused("add act=delay time=ms", "time=ms: not a time (a number with ns, us, ms, s, min, h)");
	refused("add act=delay time=61min", "time=61min: out of range (0 to 1h)");
	refused("add act=drop ttl=99999999999h",
		"ttl=99999999999h: out of range (1ns to 4611686018427387904ns)");
	refused("add act=drop window=2s..1s", "window=2s..1s: not a span of time (100ms..2s)");
	refused("add act=delay dist=normal", "dist=normal: needs jitter=");
}

/* What InfiniBand cannot produce is refused with the reason, and done when it must be. */
static void test_impossible(void **state)
{
	static const struct {
		const char *rule, *why;
	} table[] = {
		{ "add act=rnr qptype=ud", "qptype=ud: only RC has NAKs, RNR NAKs and ACKs" },
		{ "add act=nak code=inv_req qptype=rc,uc",
		  "qptype=rc,uc: only RC has NAKs, RNR NAKs and ACKs" },
		{ "add act=ack op=ack", "op=ack: a response gets no answer: select requests" },
		{ "add act=ack op=flush",
		  "op=flush: a FLUSH or ATOMIC WRITE is answered with an empty READ response, not with an ACK" },
		{ "add act=ack op=atomic_write,send",
		  "op=atomic_write,send: a FLUSH or ATOMIC WRITE is answered with an empty READ response, not with an ACK" },
		{ "add act=ack op=read,write",
		  "op=read,write: a READ or atomic is answered with data, not with an ACK" },
		{ "add act=rnr op=write", "op=write: a WRITE without immediate data uses no receive, "
					  "so it gets no RNR NAK" },
		{ "add act=drop qptype=ud op=write", "op=write: a datagram QP has SENDs only" },
		{ "add act=drop qptype=uc op=ack,read",
		  "op=ack,read: only RC has READs, atomics and acknowledgements" },
		{ "add act=drop qptype=uc syndrome=0x60",
		  "syndrome=0x60: only answers of RC have an AETH" },
		{ "add act=drop op=write msn=3", "msn=3: only answers of RC have an AETH" },
		{ "add act=drop qptype=rc qkey=1", "qkey=1: only datagrams have a Q_Key" },
		{ "add act=drop qptype=ud rkey=1", "rkey=1: datagrams have no R_Key" },
		{ "add act=drop qptype=gsi rpsn=1",
		  "rpsn=1: datagrams have no sequence from one end to the other" },
		{ "add act=cqe_error status=success", "status=success: not an error status" },
		{ "add act=cqe_error status=rnr_retry_exc_err qptype=ud",
		  "status=rnr_retry_exc_err: only a requester of RC gets this status from its peer" },
		{ "add act=cqe_error status=retry_exc_err op=recv",
		  "status=retry_exc_err: a status of requests, not of receives" },
		{ "add act=cqe_error status=inv_eecn_err",
		  "status=inv_eecn_err: a status of reliable datagrams, which no adapter has" },
	};
	char line[200];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		refused(table[i].rule, table[i].why);
		snprintf(line, sizeof(line), "%s force=yes", table[i].rule);
		taken(line);
		snprintf(line, sizeof(line), "%s force=no", table[i].rule);
		assert_int_equal(parse_bytes(line, strlen(line)), -EINVAL);
	}
	/* nothing that is forced would be left of these */
	refused("add act=corrupt what=icrc crc=good force=yes",
		"crc=good: would repair the corrupted CRC: nothing would be corrupt");
	refused("add act=corrupt what=vcrc crc=good force=no",
		"crc=good: would repair the corrupted CRC: nothing would be corrupt");
	taken("add act=corrupt what=vcrc");
	/* nor would the kernel know what to do */
	refused("add act=fail verb=destroy_ah err=EIO force=yes",
		"verb=destroy_ah: a program's call of this verb cannot fail in this driver");
	refused("add act=fail verb=poll_cq err=EIO",
		"verb=poll_cq: has no errno: make a completion fail instead (act=cqe_error)");
	taken("add act=fail verb=post_send,post_recv,post_srq_recv err=ENOMEM nth=3");
	taken("add act=fail verb=create_qp,modify_qp,destroy_qp err=EIO prob=5%");
	refused("add act=pkey_change port=1 index=0 value=0x10000", "value=0x10000: out of range (0x0 to 0xffff)");
	refused("add act=gid_change port=1 index=0 value=0", "value=0: out of range (1 to 18446744073709551615)");
	/* it would wait for ever, or free twice */
	refused("add act=cqe_lose pid=0 force=yes",
		"pid=0: not allowed for completions of the kernel: it would wait for ever, or free twice");
	refused("add act=cqe_dup pid=0",
		"pid=0: not allowed for completions of the kernel: it would wait for ever, or free twice");
	taken("add act=cqe_lose op=send");
	assert_int_equal(glass_select_get(&rule.select, GLASS_SEL_PID)->low, 1);
	taken("add act=cqe_dup pid=0..500 force=yes");
	assert_int_equal(glass_select_get(&rule.select, GLASS_SEL_PID)->low, 1);
	assert_int_equal(glass_select_get(&rule.select, GLASS_SEL_PID)->high, 500);
	taken("add act=cqe_delay pid=0");
	assert_int_equal(glass_select_get(&rule.select, GLASS_SEL_PID)->high, 0);
	/* an object is no matter of force */
	refused("add act=event event=qp_fatal cqn=3", "event=qp_fatal: an event of a QP: needs qpn=");
	refused("add act=event event=qp_fatal", "event=qp_fatal: an event of a QP: needs qpn=");
	refused("add act=event event=srq_err srqn=1 qpn=3",
		"event=srq_err: an event has one object: give one number");
}

/* Every key with some value, for lines of which most are nearly right. */
static const char *const values[] = {
	"0",   "1",    "3",	"0x11", "2..9",	 "99999999999", "send",	     "write,read", "tx",
	"rx",  "rc",   "ud",	"5%",	"0.25",	 "1%,2%,3%",	"10ms",	     "1s..2s",	   "yes",
	"fd",  "r1:2", "a*b%20", "bad",	 "good",  "normal",	"inv_req",   "ENOMEM",	   "qp_fatal",
	"",    "rts",  "create_qp", "header", "rem_access_err", "1h", "no", "perf", "get", "frozen",
};
#define WORD(n, w, v, s, m) #w,
static const char *const keys[] = { GLASS_INJECT_KEYS(WORD) };
#define ACTION(n, w, v) #w,
static const char *const actions[] = { GLASS_ACTIONS(ACTION) };

/* 100,000 lines: each is taken or refused with a reason, and what was taken can be written again. */
static void test_fuzz(void **state)
{
	unsigned int seed = test_seed("fuzz"), round, accepted = 0;

	(void)state;
	for (round = 0; round < 100000; round++) {
		static const char *const heads[] = { "add", "add", "add", "add", "add", "add",
						     "del", "step", "release", "clear" };
		char line[GLASS_RULE_LINE * 2], again[GLASS_RULE_LINE * 2];
		size_t len = 0, n = below(&seed, 8), i;
		int ret;

		len += sprintf(line + len, "%s", heads[below(&seed, ARRAY_SIZE(heads))]);
		if (below(&seed, 8))
			len += sprintf(line + len, " act=%s",
				       actions[below(&seed, ARRAY_SIZE(actions))]);
		for (i = 0; i < n; i++)
			len += sprintf(line + len, " %s=%s", keys[below(&seed, ARRAY_SIZE(keys))],
				       values[below(&seed, ARRAY_SIZE(values))]);
		/* and now something is broken */
		for (i = below(&seed, 4) ? 0 : below(&seed, 6); i && len; i--)
			line[below(&seed, len)] = below(&seed, 256);
		ret = parse_bytes(line, len);
		assert_true(ret == 0 || ret == -EINVAL);
		assert_non_null(memchr(error, 0, sizeof(error)));
		assert_null(strchr(error, '\n'));
		assert_true(!ret == !error[0]);
		if (ret || rule.command != GLASS_RULE_ADD)
			continue;
		accepted++;
		assert_in_range(rule.text_len, 1, GLASS_RULE_LINE);
		snprintf(again, sizeof(again), "add name=a %.*s %shit=3 eligible=4 over=count",
			 (int)rule.text_len, rule.text, strchr("PCV", rule.site) ? "seed=1 " : "");
		if (strlen(again) <= GLASS_RULE_LINE && parse_bytes(again, strlen(again)))
			fail_msg("%s: %s", again, error);
	}
	printf("# %u of 100000 lines were rules\n", accepted);
	assert_true(accepted > 1000);
}

/* Each action can be written, with what it must have. */
static void test_all_actions(void **state)
{
#define NEEDS(n, s, p, m) p,
	static const char *const params[] = { GLASS_INJECT_ACTIONS(NEEDS) };
	static const struct {
		const char *key, *value;
	} good[] = {
		{ "qpn", "0x11" }, { "cqn", "3" },    { "srqn", "2" },	 { "port", "1" },
		{ "lid", "5" },	   { "index", "1" },  { "value", "0x8001" }, { "code", "inv_req" },
		{ "status", "rem_op_err" }, { "verb", "reg_mr" }, { "err", "EINVAL" },
		{ "event", "qp_req_err qpn=2" },
	};
	char line[300], want[60];
	size_t a, i;

	(void)state;
	for (a = 0; a < ARRAY_SIZE(actions); a++) {
		snprintf(line, sizeof(line), "add act=%s", actions[a]);
		for (i = 0; i < ARRAY_SIZE(good); i++) {
			snprintf(want, sizeof(want), "%s!", good[i].key);
			if (!strstr(params[a], want))
				continue;
			if (!parse_bytes(line, strlen(line)) || !strstr(error, "needs "))
				fail_msg("%s: %s", line, error);
			snprintf(line + strlen(line), sizeof(line) - strlen(line), " %s=%s",
				 good[i].key, good[i].value);
		}
		taken(line);
		assert_int_equal(rule.action, a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_examples),    cmocka_unit_test(test_text),
		cmocka_unit_test(test_refusals),    cmocka_unit_test(test_times),
		cmocka_unit_test(test_impossible),  cmocka_unit_test(test_fuzz),
		cmocka_unit_test(test_all_actions),
	};

	return cmocka_run_group_tests_name("inject_grammar", tests, NULL, NULL);
}
