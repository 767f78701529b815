// SPDX-License-Identifier: GPL-2.0-only
/* When injection rules fire: counts, chance, loss models, and that nothing else has a say. */
#include <math.h>

#include "inject.h"

static struct glass_rule rule;

static struct glass_place place_of(uint64_t id, uint32_t psn, uint32_t round)
{
	struct glass_place p = { .id = id, .fixed = true, .psn = psn, .round = round };

	return p;
}

/* Which of n packets the rule hits, as text of . and X */
static const char *pattern(const char *text, uint32_t n)
{
	static char hits[100];
	struct glass_stream s = { 0 };
	uint32_t i;

	take_rule(&rule, text, 0);
	for (i = 0; i < n; i++) {
		struct glass_place p = place_of(1, i, 1);

		hits[i] = glass_rule_fires(&rule, &s, &p) ? 'X' : '.';
	}
	hits[n] = 0;
	return hits;
}

static void test_counting(void **state)
{
	(void)state;
	assert_string_equal(pattern("add act=drop", 5), "XXXXX");
	assert_string_equal(pattern("add act=drop nth=3", 6), "..X...");
	assert_string_equal(pattern("add act=drop nth=2..4", 6), ".XXX..");
	assert_string_equal(pattern("add act=drop every=3", 9), "..X..X..X");
	assert_string_equal(pattern("add act=drop skip=2 every=3", 9), "....X..X.");
	assert_string_equal(pattern("add act=drop skip=4", 6), "....XX");
	assert_string_equal(pattern("add act=drop nth=2 burst=3", 7), ".XXX...");
	assert_string_equal(pattern("add act=drop every=2 budget=2", 9), ".X.X.....");
	assert_string_equal(pattern("add act=drop prob=0", 5), ".....");
	assert_string_equal(pattern("add act=drop prob=100%", 5), "XXXXX");
	assert_string_equal(pattern("add act=drop nth=3 prob=1", 5), "..X..");
	assert_string_equal(pattern("add act=drop gemodel=1,1,1,0", 6), ".X.X.X");
	assert_string_equal(pattern("add act=drop loss4=0,1,0,1,1", 6), "X.X.X.");
}

/* Streams in any order, with others between: each has the same fate. */
static void test_order_of_streams_does_not_matter(void **state)
{
	static const char *const rules[] = {
		"add act=drop prob=10% seed=7",
		"add act=drop prob=10% corr=50% seed=7",
		"add act=drop gemodel=5%,30%,90%,1% seed=9",
		"add act=drop loss4=3%,40%,20%,30%,1% seed=9",
		"add act=drop prob=30% every=2 burst=2 budget=40 seed=1",
	};
	enum { STREAMS = 8, LEN = 300 };
	unsigned int seed = test_seed("order");
	char first[STREAMS][LEN], again[STREAMS][LEN];
	size_t r;

	(void)state;
	for (r = 0; r < ARRAY_SIZE(rules); r++) {
		struct glass_stream s[STREAMS];
		uint32_t at[STREAMS] = { 0 }, i, left = STREAMS * LEN;

		take_rule(&rule, rules[r], 0);
		memset(s, 0, sizeof(s));
		for (i = 0; i < STREAMS * LEN; i++) {
			struct glass_place p = place_of(i / LEN, i % LEN, 1);

			first[i / LEN][i % LEN] = glass_rule_fires(&rule, &s[i / LEN], &p);
		}
		memset(s, 0, sizeof(s));
		while (left) {
			struct glass_place p;

			i = below(&seed, STREAMS);
			if (at[i] == LEN)
				continue;
			p = place_of(i, at[i], 1);
			again[i][at[i]++] = glass_rule_fires(&rule, &s[i], &p);
			left--;
		}
		assert_memory_equal(first, again, sizeof(first));
		/* and streams are not alike */
		assert_memory_not_equal(first[0], first[1], LEN);
	}
}

/* What a packet of a connection meets depends on its place alone, not on what was looked at before. */
static void test_place_decides(void **state)
{
	struct glass_stream a = { 0 }, b = { 0 };
	uint32_t i, differ = 0;

	(void)state;
	take_rule(&rule, "add act=drop prob=50% seed=3", 0);
	for (i = 0; i < 1000; i++) {
		struct glass_place p = place_of(5, i, 1), other = place_of(5, i + 5000, 1);
		struct glass_place again = place_of(5, i, 2);
		bool hit = glass_rule_fires(&rule, &a, &p);

		glass_rule_fires(&rule, &b, &other);
		assert_int_equal(hit, glass_rule_fires(&rule, &b, &p));
		differ += hit != glass_rule_fires(&rule, &b, &again);
	}
	/* sent again, it has another chance */
	assert_in_range(differ, 400, 600);
}

/* Other seed, other name, other faults; the same, the same. */
static void test_seed_and_name(void **state)
{
	static const char *const rules[] = { "add act=drop prob=50% seed=1 name=a",
					     "add act=drop prob=50% seed=2 name=a",
					     "add act=drop prob=50% seed=1 name=b",
					     "add act=drop prob=50% seed=1 name=a qpn=0x11" };
	char hits[4][200];
	size_t r, i;

	(void)state;
	for (r = 0; r < 4; r++) {
		struct glass_stream s = { 0 };

		take_rule(&rule, rules[r], 0);
		for (i = 0; i < 200; i++) {
			struct glass_place p = place_of(1, i, 1);

			hits[r][i] = glass_rule_fires(&rule, &s, &p);
		}
	}
	assert_memory_not_equal(hits[0], hits[1], 200);
	assert_memory_not_equal(hits[0], hits[2], 200);
	assert_memory_equal(hits[0], hits[3], 200);
}

struct losses {
	double share; /* of packets */
	double burst; /* mean length of what is lost in a row */
	double pairs; /* correlation of neighbours */
};

/* Each tolerance below is 5 standard deviations or more; losses in bursts need more packets for that. */
enum { N = 400000, N_BURSTS = 4 * N };

static struct losses measure(const char *text, unsigned int seed, uint32_t n)
{
	struct losses l;
	char line[200];
	double lost = 0, runs = 0, both = 0;
	bool before = false;
	struct glass_stream s = { 0 };
	uint32_t i;

	snprintf(line, sizeof(line), "%s seed=%u", text, seed);
	take_rule(&rule, line, 0);
	for (i = 0; i < n; i++) {
		struct glass_place p = { .id = 1 };
		bool hit = glass_rule_fires(&rule, &s, &p);

		lost += hit;
		runs += hit && !before;
		both += hit && before;
		before = hit;
	}
	l.share = lost / n;
	l.burst = runs ? lost / runs : 0;
	l.pairs = (both / n - l.share * l.share) / (l.share * (1 - l.share));
	return l;
}

static void near(double is, double want, double tolerance)
{
	if (fabs(is - want) > tolerance * want)
		fail_msg("%f is not %f", is, want);
}

static void test_models(void **state)
{
	unsigned int seed = test_seed("models");
	struct losses l;

	(void)state;
	l = measure("add act=drop prob=2%", seed, N);
	near(l.share, 0.02, 0.06);
	assert_true(fabs(l.pairs) < 0.02);
	near(measure("add act=drop prob=0.001", seed, N).share, 0.001, 0.25);
	/* Gilbert: the share is p/(p+r), bursts are 1/r long */
	l = measure("add act=drop gemodel=1%,20%", seed, N_BURSTS);
	near(l.share, 0.01 / 0.21, 0.06);
	near(l.burst, 5, 0.06);
	/* Elliott: losses in both states */
	l = measure("add act=drop gemodel=2%,20%,50%,1%", seed, N_BURSTS);
	near(l.share, (0.02 * 0.5 + 0.2 * 0.01) / 0.22, 0.08);
	/* four states, stationary: what p13, p31, p32, p23 and p14 lead to */
	{
		const double p13 = 0.02, p31 = 0.3, p32 = 0.2, p23 = 0.5, p14 = 0.01;
		const double w1 = 1, w3 = w1 * p13 / p31, w2 = w3 * p32 / p23, w4 = w1 * p14;

		l = measure("add act=drop loss4=2%,30%,20%,50%,1%", seed, N_BURSTS);
		near(l.share, (w3 + w4) / (w1 + w2 + w3 + w4), 0.08);
	}
	/* correlation makes losses come together, but not fewer */
	l = measure("add act=drop prob=20% corr=50%", seed, N);
	near(l.share, 0.2, 0.03);
	near(l.pairs, 0.5, 0.04);
}

static void test_delays(void **state)
{
	static const struct {
		const char *rule;
		double mean, deviation, tolerance;
		bool tail; /* seldom far above, never far below */
	} table[] = {
		{ "add act=delay time=10ms jitter=1ms", 10e6, 1e6 / 1.7320508, 0.02, false },
		{ "add act=delay time=10ms jitter=1ms dist=normal", 10e6, 1e6, 0.02, false },
		{ "add act=delay time=10ms jitter=1ms dist=pareto", 10e6, 1e6, 0.03, true },
		{ "add act=delay time=10ms jitter=1ms dist=paretonormal", 10e6, 1e6, 0.03, true },
	};
	enum { SAMPLES = 200000 };
	unsigned int seed = test_seed("delays");
	size_t t;

	(void)state;
	for (t = 0; t < ARRAY_SIZE(table); t++) {
		double sum = 0, squares = 0, low = 1e12, high = 0;
		struct glass_stream s = { 0 };
		uint32_t i;

		take_rule(&rule, table[t].rule, 0);
		rule.secret[0] = seed;
		for (i = 0; i < SAMPLES; i++) {
			struct glass_place p = place_of(1, i, 1);
			double ns = glass_rule_delay(&rule, glass_rule_random(&rule, &s, &p,
									      GLASS_RANDOM_DELAY));

			sum += ns;
			squares += (ns - 10e6) * (ns - 10e6);
			low = fmin(low, ns);
			high = fmax(high, ns);
		}
		near(sum / SAMPLES, table[t].mean, 0.005);
		near(sqrt(squares / SAMPLES), table[t].deviation, table[t].tolerance);
		if (table[t].tail)
			assert_true(high - 10e6 > 2 * (10e6 - low));
	}
	take_rule(&rule, "add act=delay time=10ms", 0);
	assert_int_equal(glass_rule_delay(&rule, ~0ULL), 10000000);
	/* never back in time */
	take_rule(&rule, "add act=delay time=1us jitter=1h", 0);
	assert_int_equal(glass_rule_delay(&rule, 0), 0);
}

static void test_probabilities(void **state)
{
	static const struct {
		const char *text;
		uint64_t p;
	} table[] = {
		{ "0", 0 }, { "1", GLASS_PROB_ONE }, { "0.5", GLASS_PROB_ONE / 2 },
		{ "50%", GLASS_PROB_ONE / 2 }, { "100%", GLASS_PROB_ONE }, { ".25", GLASS_PROB_ONE / 4 },
		{ "0.000000001", 4 }, { "0.0000001%", 4 }, { "1.000000000", GLASS_PROB_ONE },
		{ "12.5%", GLASS_PROB_ONE / 8 },
	};
	static const char *const bad[] = { "", ".", "%", "1..", "2", "1.1", "-1", "1e-3", "0x1",
					   "99999999999999999999", "100.1%", " 1", "0.5 " };
	uint64_t p;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		assert_true(glass_prob_parse(table[i].text, strlen(table[i].text), &p));
		assert_int_equal(p, table[i].p);
	}
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(glass_prob_parse(bad[i], strlen(bad[i]), &p));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counting),
		cmocka_unit_test(test_order_of_streams_does_not_matter),
		cmocka_unit_test(test_place_decides),
		cmocka_unit_test(test_seed_and_name),
		cmocka_unit_test(test_models),
		cmocka_unit_test(test_delays),
		cmocka_unit_test(test_probabilities),
	};

	return cmocka_run_group_tests_name("inject_trigger", tests, NULL, NULL);
}
