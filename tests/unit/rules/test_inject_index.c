// SPDX-License-Identifier: GPL-2.0-only
/* Selectors, and the index: it finds every rule that holds, and looks at few that do not. */
#include "inject.h"

enum { RULES = 1000 };

static struct glass_rule *rules;

/*
 * The index of rules[first] to rules[first + n - 1], numbered from 0, put together from parts that are chosen at
 * random. Those of left_out (or NULL) are not in it, and have no number.
 */
static struct glass_index *index_of(unsigned int *seed, uint32_t first, uint32_t n,
				    const bool *left_out)
{
	struct glass_index *x = malloc(glass_index_bytes(n)), *a, *b;
	uint32_t *to, half, i, number = 0;

	assert_non_null(x);
	if (n == 1) {
		glass_index_one(x, &rules[first]);
		return x;
	}
	half = 1 + below(seed, n - 1);
	/* left out by the last merge alone */
	a = index_of(seed, first, half, NULL);
	b = index_of(seed, first + half, n - half, NULL);
	to = malloc(n * sizeof(*to));
	assert_non_null(to);
	for (i = 0; i < n; i++)
		to[i] = left_out && left_out[i] ? GLASS_INDEX_NONE : number++;
	glass_index_merge(x, a, to, b, to + half);
	assert_int_equal(x->n, number);
	free(a);
	free(b);
	free(to);
	return x;
}

static void random_rule(unsigned int *seed, char *line, size_t size)
{
	static const char *const ops[] = { "send", "write", "read", "ack", "send,write", "read_resp" };
	size_t n = below(seed, 4), len = snprintf(line, size, "add act=drop dir=tx,rx");
	static const char *const keys[] = { "qpn", "psn", "rpsn", "msg", "wr_id", "len", "nqp", "pid" };
	bool used[8] = { false };

	while (n--) {
		uint32_t k = below(seed, 8), low = 1 + below(seed, 20);

		if (used[k])
			continue;
		used[k] = true;
		len += snprintf(line + len, size - len, " %s=%u", keys[k], low);
		if (below(seed, 2))
			len += snprintf(line + len, size - len, "..%u",
					low + (uint32_t)below(seed, 12));
	}
	if (below(seed, 2))
		len += snprintf(line + len, size - len, " op=%s", ops[below(seed, 6)]);
	if (!below(seed, 4))
		len += snprintf(line + len, size - len, " comm=%s", below(seed, 2) ? "a*" : "ab");
}

static void random_subject(unsigned int *seed, struct glass_subject *s)
{
	static const enum glass_selector keys[] = { GLASS_SEL_QPN, GLASS_SEL_PSN,   GLASS_SEL_RPSN,
						    GLASS_SEL_MSG, GLASS_SEL_WR_ID, GLASS_SEL_LEN,
						    GLASS_SEL_NQP, GLASS_SEL_PID };
	size_t i;

	memset(s, 0, sizeof(*s));
	glass_subject_set(s, GLASS_SEL_DIR, below(seed, 2));
	glass_subject_set(s, GLASS_SEL_OP, below(seed, 24));
	for (i = 0; i < ARRAY_SIZE(keys); i++)
		if (below(seed, 8))
			glass_subject_set(s, keys[i], below(seed, 34));
	if (below(seed, 4)) {
		s->keys |= BIT(GLASS_SEL_COMM);
		strcpy(s->comm, below(seed, 2) ? "ab" : "b");
	}
}

/*
 * A queue pair of which it says that no rule can hold for it: none does, whatever passes there. And of most
 * of those that rules do not name it says so.
 */
static void test_concerns(void **state)
{
	unsigned int seed = test_seed("concerns"), round, apart = 0;

	(void)state;
	for (round = 0; round < 300; round++) {
		uint32_t n = 1 + below(&seed, 6), i, subject;
		struct glass_subject of_qp = { 0 };
		struct glass_index *x;

		for (i = 0; i < n; i++) {
			char line[GLASS_RULE_LINE];

			random_rule(&seed, line, sizeof(line));
			take_rule(&rules[i], line, 0);
		}
		x = index_of(&seed, 0, n, NULL);
		glass_subject_set(&of_qp, GLASS_SEL_QPN, below(&seed, 34));
		glass_subject_set(&of_qp, GLASS_SEL_NQP, below(&seed, 34));
		glass_subject_set(&of_qp, GLASS_SEL_PID, below(&seed, 34));
		of_qp.keys |= BIT(GLASS_SEL_COMM);
		strcpy(of_qp.comm, below(&seed, 2) ? "ab" : "b");
		if (!glass_index_concerns(x, &of_qp)) {
			apart++;
			for (subject = 0; subject < 100; subject++) {
				struct glass_subject s;

				random_subject(&seed, &s);
				glass_subject_set(&s, GLASS_SEL_QPN, of_qp.value[GLASS_SEL_QPN]);
				glass_subject_set(&s, GLASS_SEL_NQP, of_qp.value[GLASS_SEL_NQP]);
				glass_subject_set(&s, GLASS_SEL_PID, of_qp.value[GLASS_SEL_PID]);
				s.keys |= BIT(GLASS_SEL_COMM);
				strcpy(s.comm, of_qp.comm);
				for (i = 0; i < n; i++)
					assert_false(glass_select_holds(&rules[i].select, &s));
			}
		}
		free(x);
	}
	assert_true(apart > 0);
}

/* A rule for one QP concerns that one; a rule without such a condition concerns all. */
static void test_concerns_by_name(void **state)
{
	static const struct {
		const char *line;
		bool this, other;
	} cases[] = {
		{ "add act=drop qpn=17 op=send", true, false },
		{ "add act=drop nqp=3..4", true, false },
		{ "add act=drop pid=100", true, false },
		{ "add act=drop comm=ab", true, false },
		{ "add act=drop op=send", true, true },
		{ "add act=drop psn=5", true, true },
		{ "add act=drop comm=a*", true, true },
	};
	struct glass_subject this = { 0 }, other = { 0 };
	size_t i;

	(void)state;
	glass_subject_set(&this, GLASS_SEL_QPN, 17);
	glass_subject_set(&this, GLASS_SEL_NQP, 3);
	glass_subject_set(&this, GLASS_SEL_PID, 100);
	this.keys |= BIT(GLASS_SEL_COMM);
	strcpy(this.comm, "ab");
	glass_subject_set(&other, GLASS_SEL_QPN, 18);
	glass_subject_set(&other, GLASS_SEL_NQP, 5);
	glass_subject_set(&other, GLASS_SEL_PID, 101);
	other.keys |= BIT(GLASS_SEL_COMM);
	strcpy(other.comm, "cd");
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct glass_index *x;

		take_rule(&rules[0], cases[i].line, 0);
		x = index_of(NULL, 0, 1, NULL);
		assert_int_equal(glass_index_concerns(x, &this), cases[i].this);
		assert_int_equal(glass_index_concerns(x, &other), cases[i].other);
		free(x);
	}
}

/* Against asking all of them. */
static void test_finds_all(void **state)
{
	unsigned int seed = test_seed("index"), round;

	(void)state;
	for (round = 0; round < 60; round++) {
		uint32_t n = 1 + below(&seed, 200), i, subject;
		struct glass_index *x;

		for (i = 0; i < n; i++) {
			char line[GLASS_RULE_LINE];

			random_rule(&seed, line, sizeof(line));
			take_rule(&rules[i], line, 0);
		}
		x = index_of(&seed, 0, n, NULL);
		assert_int_equal(x->n, n);
		for (subject = 0; subject < 300; subject++) {
			struct glass_subject s;
			uint32_t found[RULES], nfound, at = 0;

			random_subject(&seed, &s);
			nfound = glass_index_find(x, &s, found, RULES);
			assert_in_range(nfound, 0, n);
			for (i = 0; i < n; i++) {
				if (at < nfound && found[at] == i)
					at++;
				else if (glass_select_holds(&rules[i].select, &s))
					fail_msg("rule %u holds and was not found: %.*s", i,
						 (int)rules[i].text_len, rules[i].text);
			}
			/* ascending, none twice */
			assert_int_equal(at, nfound);
			if (nfound > 2)
				assert_int_equal(glass_index_find(x, &s, found, 2), 3);
		}
		free(x);
	}
}

/* What is left after rules were taken out is what would be there without them, byte by byte. */
static void test_leaves_out(void **state)
{
	unsigned int seed = test_seed("leaves out"), round;
	static bool left_out[200];

	(void)state;
	for (round = 0; round < 60; round++) {
		uint32_t n = 2 + below(&seed, 198), i, left = 0;
		struct glass_index *x, *same;

		for (i = 0; i < n; i++) {
			char line[GLASS_RULE_LINE];

			random_rule(&seed, line, sizeof(line));
			take_rule(&rules[i], line, 0);
			left_out[i] = i && below(&seed, 2);
		}
		x = index_of(&seed, 0, n, left_out);
		for (i = 0; i < n; i++)
			if (!left_out[i])
				rules[left++] = rules[i];
		same = index_of(&seed, 0, left, NULL);
		assert_memory_equal(x, same, glass_index_bytes(left));
		free(x);
		free(same);
	}
}

/* Thousands of rules for others: nothing is left to look at. */
static void test_tells_apart(void **state)
{
	static const char *const kinds[] = { "qpn=%u", "nqp=%u", "rpsn=%u", "wr_id=%u", "msg=%u",
					     "comm=p%u", "pid=%u", "len=%u", "qpn=%u comm=a*",
					     "rpsn=%u round=2 op=write" };
	unsigned int seed = test_seed("apart");
	uint32_t found[4];
	size_t k, i;

	(void)state;
	for (k = 0; k < ARRAY_SIZE(kinds); k++) {
		struct glass_index *x;
		struct glass_subject s;

		for (i = 0; i < 1000; i++) {
			char selector[60], line[100];

			snprintf(selector, sizeof(selector), kinds[k], (unsigned int)i + 1000);
			snprintf(line, sizeof(line), "add act=drop %s", selector);
			take_rule(&rules[i], line, 0);
		}
		x = index_of(&seed, 0, 1000, NULL);
		memset(&s, 0, sizeof(s));
		for (i = 0; i < GLASS_SEL_COUNT; i++)
			glass_subject_set(&s, i, i == GLASS_SEL_OP ? GLASS_BOP_WRITE_ONLY : 7);
		strcpy(s.comm, "ib_write_bw");
		assert_int_equal(glass_index_find(x, &s, found, 4), 0);
		s.value[GLASS_SEL_QPN] = s.value[GLASS_SEL_NQP] = s.value[GLASS_SEL_RPSN] = 1500;
		s.value[GLASS_SEL_WR_ID] = s.value[GLASS_SEL_MSG] = s.value[GLASS_SEL_PID] = 1500;
		s.value[GLASS_SEL_LEN] = 1500;
		strcpy(s.comm, "p1500");
		assert_int_equal(glass_index_find(x, &s, found, 4), 1);
		assert_int_equal(found[0], 500);
		free(x);
	}
}

/* n-th QPs are counted from when the rule was added. */
static void test_nqp(void **state)
{
	struct glass_subject s = { 0 };

	(void)state;
	take_rule(&rules[0], "add act=drop nqp=2..3", 40);
	glass_subject_set(&s, GLASS_SEL_DIR, GLASS_DIR_TX);
	glass_subject_set(&s, GLASS_SEL_NQP, 41);
	assert_false(glass_select_holds(&rules[0].select, &s));
	glass_subject_set(&s, GLASS_SEL_NQP, 42);
	assert_true(glass_select_holds(&rules[0].select, &s));
	glass_subject_set(&s, GLASS_SEL_NQP, 44);
	assert_false(glass_select_holds(&rules[0].select, &s));
}

static void test_packets(void **state)
{
	struct glass_subject s = { 0 };
	struct glass_pkt pkt;
	struct glass_seg seg;
	uint8_t mad[256] = { 1, 0x81, 1, 0x02 };

	(void)state;
	memset(&pkt, 0, sizeof(pkt));
	pkt.opcode = GLASS_TR_RC | GLASS_BOP_WRITE_ONLY;
	pkt.psn = 7;
	pkt.len = 100;
	pkt.rkey = 0x99;
	pkt.flow = 3ULL << 32 | 4;
	pkt.wr_id = 0xabc;
	glass_subject_set(&s, GLASS_SEL_DIR, GLASS_DIR_TX);
	glass_subject_packet(&s, &pkt, ~0U);
	take_rule(&rules[0], "add act=drop op=write psn=7 len=100 rkey=0x99 msg=5 wr_id=0xabc", 0);
	assert_true(glass_select_holds(&rules[0].select, &s));
	take_rule(&rules[0], "add act=drop syndrome=0..255", 0);
	assert_false(glass_select_holds(&rules[0].select, &s));
	take_rule(&rules[0], "add act=drop dir=rx", 0);
	assert_false(glass_select_holds(&rules[0].select, &s));

	memset(&s, 0, sizeof(s));
	pkt.opcode = GLASS_TR_UD | GLASS_BOP_SEND_ONLY;
	pkt.dqpn = 0;
	mad[17] = 0x15;
	seg.addr = mad;
	seg.len = sizeof(mad);
	pkt.seg = &seg;
	pkt.nseg = 1;
	glass_subject_set(&s, GLASS_SEL_DIR, GLASS_DIR_TX);
	glass_subject_packet(&s, &pkt, ~0U);
	take_rule(&rules[0], "add act=drop class=subn_dr,perf method=set attr=0x15", 0);
	assert_true(glass_select_holds(&rules[0].select, &s));
	take_rule(&rules[0], "add act=drop class=perf", 0);
	assert_false(glass_select_holds(&rules[0].select, &s));
}

static int setup(void **state)
{
	(void)state;
	rules = calloc(RULES, sizeof(*rules));
	return rules ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	free(rules);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_finds_all),
		cmocka_unit_test(test_leaves_out),
		cmocka_unit_test(test_concerns),
		cmocka_unit_test(test_concerns_by_name),
		cmocka_unit_test(test_tells_apart),
		cmocka_unit_test(test_nqp),
		cmocka_unit_test(test_packets),
	};

	return cmocka_run_group_tests_name("inject_index", tests, setup, teardown);
}
