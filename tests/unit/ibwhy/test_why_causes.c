// SPDX-License-Identifier: GPL-2.0-only
/*
 * The verdict on stories: each first cause is named, and is not named wrongly when rows, or whole
 * blocks, are missing.
 */
#define _GNU_SOURCE
#include "harness.h"

#include <stdlib.h>
#include <string.h>

#include "causes.h"
#include "stories.h"

static void reason(const char *text, struct why_verdict *v)
{
	struct debugfs_file f = { 0 };
	struct why_reader r = { .file = &f };
	struct why_story s;

	assert_int_equal(debugfs_copy(&f, "story", text, strlen(text)), 0);
	if (!why_story_read(&r, &s))
		v->cause = WHY_CAUSE_UNDETERMINED;
	else
		why_reason(&s, v);
	if (f.bad)
		fail_msg("%s", debugfs_error(&f));
	why_story_free(&s);
	debugfs_free(&f);
}

static void show(const struct why_verdict *v)
{
	unsigned int i;

	for (i = 0; i < v->steps; i++)
		print_error("  %s [%s]\n", v->step[i].text, v->step[i].evidence);
	for (i = 0; i < v->missing; i++)
		print_error("  missing: %s\n", v->miss[i]);
}

static void test_why_each_cause(void **state)
{
	bool seen[WHY_CAUSE_COUNT] = { false };
	struct why_verdict v;
	size_t i;

	(void)state;
	for (i = 0; i < CAUSES; i++) {
		char *text = story_of(&causes[i]);

		reason(text, &v);
		if (v.cause != causes[i].cause) {
			show(&v);
			fail_msg("%s: %s instead of %s", causes[i].name, why_cause_word(v.cause),
				 why_cause_word(causes[i].cause));
		}
		assert_true(v.steps);
		if (v.cause)
			assert_ptr_equal(v.step[v.steps - 1].advice, why_cause_advice(v.cause));
		else
			assert_true(v.missing);
		seen[v.cause] = true;
		free(text);
	}
	for (i = 0; i < WHY_CAUSE_COUNT; i++)
		if (!seen[i])
			fail_msg("no story of %s", why_cause_word(i));
}

/* A verdict of a rule names the rule, if a row of the journal is about the failed request. */
static void test_why_rule_named(void **state)
{
	struct why_verdict v;
	unsigned int k, n = 0;
	size_t i;

	(void)state;
	for (i = 0; i < CAUSES; i++) {
		char *text = story_of(&causes[i]), *journal = strstr(text, "\n# glass 1 journal");
		bool rule = journal && strstr(journal, " r1 "), named = false;

		if (rule && causes[i].cause == WHY_CAUSE_INJECTED) {
			reason(text, &v);
			for (k = 0; k < v.steps; k++)
				named |= !!strstr(v.step[k].text, "rule r1 ");
			if (!named)
				fail_msg("%s: the rule is not named", causes[i].name);
			n++;
		}
		free(text);
	}
	assert_true(n >= 4);
}

/* The event of an overrun is that of the CQ: a QP only fails with it. */
static void test_why_qp_of_a_cq(void **state)
{
	static const struct told story = { "QP of a CQ", "real_cq_overrun_qp", WHY_CAUSE_CQ_OVERRUN, { { NULL, NULL } } };
	char *text = story_of(&story);
	struct why_verdict v;
	unsigned int i;

	(void)state;
	reason(text, &v);
	for (i = 0; i < v.steps && !strstr(v.step[i].text, " failed because its CQ raised the event cq_err: "); i++)
		;
	if (i == v.steps) {
		show(&v);
		fail_msg("the CQ is not said to have raised the event");
	}
	assert_int_equal(v.cause, story.cause);
	free(text);
}

/* Copies the story without some of its rows (one of `odds`), and without whole blocks. */
static char *thin_out(const char *text, uint32_t odds, uint32_t block_odds)
{
	char *out = malloc(strlen(text) + 1), *end = out;
	bool block = true, first = true;

	while (*text) {
		size_t len = strcspn(text, "\n") + 1;
		bool head = *text == '#', keep;

		/* the first block makes it a story */
		if (head)
			block = first || rnd_below(block_odds);
		keep = head ? block : block && rnd_below(odds);
		/* a row of a section that lost its line would be of another section */
		if (block && len > 2 && text[len - 2] == ':')
			keep = true;
		if (keep)
			end = mempcpy(end, text, len);
		first = false;
		text += len;
	}
	*end = 0;
	return out;
}

static void test_why_never_wrong(void **state)
{
	static const uint32_t odds[] = { 2, 4, 10, 40, 100, 100 }, blocks[] = { 1000, 3 };
	struct why_verdict v, whole;
	unsigned int right = 0, runs = 0;
	size_t i, k;

	(void)state;
	for (i = 0; i < CAUSES; i++) {
		char *text = story_of(&causes[i]);

		reason(text, &whole);
		for (k = 0; k < 120; k++) {
			char *less = thin_out(text, odds[k % 6], blocks[k % 2]);

			reason(less, &v);
			/* fates that differ: the rows that remain may have one of them */
			if (v.cause && v.cause != causes[i].cause && !whole.candidate[v.cause]) {
				print_error("%s", less);
				show(&v);
				fail_msg("%s with rows removed: %s", causes[i].name,
					 why_cause_word(v.cause));
			}
			right += v.cause == causes[i].cause;
			runs++;
			free(less);
		}
		free(text);
	}
	/* not by always knowing nothing */
	assert_true(right > runs / 4);
}

/* Without the records of packets there is no verdict that rests on them. */
static void test_why_recorder_off(void **state)
{
	static const enum why_cause by_packets[] = { WHY_CAUSE_PEER_GONE, WHY_CAUSE_NO_ROUTE,
						     WHY_CAUSE_RECV_SHORT, WHY_CAUSE_PSN_MISMATCH };
	struct why_verdict v;
	size_t i, k;

	(void)state;
	for (i = 0; i < CAUSES; i++)
		for (k = 0; k < sizeof(by_packets) / sizeof(*by_packets); k++) {
			char *text, *packets, *drops, *journal;

			if (causes[i].cause != by_packets[k])
				continue;
			text = story_of(&causes[i]);
			packets = strchr(strstr(text, "# glass 1 packets"), '\n') + 1;
			drops = strstr(packets, "# glass 1 drops");
			memmove(packets, drops, strlen(drops) + 1);
			drops = strchr(strstr(text, "# glass 1 drops"), '\n') + 1;
			journal = strstr(drops, "# glass 1 journal");
			memmove(drops, journal, strlen(journal) + 1);
			reason(text, &v);
			assert_int_equal(v.cause, WHY_CAUSE_UNDETERMINED);
			assert_true(v.missing);
			free(text);
		}
}

#define PACKETS "# glass 1 failure: 1\nid: 1\n# glass 1 packets: when dir op psn packets " \
		"tx_dev tx_port tx_qpn tx_reason rx_dev rx_port rx_qpn rx_reason\n"
#define SENT " a 1 0x11 none - - - -\n"

/* The rows of packets of a story, as "WHEN:REASON ", where "-" is a packet that was not seen again. */
static void pair_is(const char *rows, const char *want)
{
	struct debugfs_file f = { 0 };
	struct why_reader r = { .file = &f };
	const struct why_row *row = NULL;
	char *text = NULL, got[200] = "";
	struct why_story s;

	assert_true(asprintf(&text, PACKETS "%s", rows) > 0);
	assert_int_equal(debugfs_copy(&f, "story", text, strlen(text)), 0);
	assert_true(why_story_read(&r, &s));
	assert_false(f.bad);
	while ((row = why_next(&s, WHY_PACKETS, row))) {
		const char *reason = why_cell(&s, row, "rx_reason");
		size_t len = strlen(got);

		/* each row has a sender, or is an arrival of something that nobody here has sent */
		snprintf(got + len, sizeof(got) - len, "%s%s:%s ", why_cell(&s, row, "tx_dev") ? "" : "?",
			 why_cell(&s, row, "when"), reason ? reason : "-");
	}
	assert_string_equal(got, want);
	why_story_free(&s);
	debugfs_free(&f);
	free(text);
}

/* Both ends of a network are on this host: of departure and arrival, one row is made. */
static void test_why_pairs(void **state)
{
	(void)state;
	pair_is("10 tx rc_write_only 5 1" SENT
		"12 tx rc_write_only 5 1 - - - - b 1 0x12 qp_state\n", "10:qp_state ");
	/* the first try is lost, the second one arrives */
	pair_is("10 tx rc_send_only 5 1" SENT "20 tx rc_send_only 5 1" SENT
		"21 tx rc_send_only 5 1 - - - - b 1 0x12 none\n", "10:- 20:none ");
	/* the network has repeated it: the second arrival stays, without a sender */
	pair_is("20 tx rc_send_only 5 1" SENT "21 tx rc_send_only 5 1 - - - - b 1 0x12 none\n"
		"22 tx rc_send_only 5 1 - - - - b 1 0x12 duplicate\n", "20:none ?22:duplicate ");
	/* another direction, PSN, operation, or an arrival before the departure */
	pair_is("10 tx rc_send_only 5 1" SENT "11 rx rc_send_only 5 1 - - - - b 1 0x12 none\n"
		"12 tx rc_send_only 6 1 - - - - b 1 0x12 none\n"
		"13 tx rc_write_only 5 1 - - - - b 1 0x12 none\n"
		"9 tx rc_send_only 5 1 - - - - b 1 0x12 none\n", "10:- ?11:none ?12:none ?13:none ?9:none ");
	/* a train, whose PSNs begin anew; the packet that was dropped has a row */
	pair_is("10 tx rc_write_only 16777215 4" SENT
		"11 tx rc_write_first 16777215 1 - - - - b 1 0x12 none\n"
		"12 tx rc_write_middle 0 1 - - - - b 1 0x12 none\n"
		"13 tx rc_write_middle 1 1 - - - - b 1 0x12 rem_access\n"
		"14 tx rc_write_last 3 1 - - - - b 1 0x12 none\n", "10:none 13:rem_access ?14:none ");
	/* what is no number has no pair */
	pair_is("10 tx rc_send_only x 1" SENT "11 tx rc_send_only x 1 - - - - b 1 0x12 none\n",
		"10:- ?11:none ");
}

/* The program polled after the overrun, and before the driver copied the CQ: it may have been an overrun. */
static void test_why_polled_cq(void **state)
{
	const struct told t = { "polled CQ", "cq", 0, { { "used: 16\nlost", "used: 15\nlost" }, { "r2 cq_overrun", "r2 event" } } };
	char *text = story_of(&t);
	struct why_verdict v;

	(void)state;
	reason(text, &v);
	assert_int_equal(v.cause, WHY_CAUSE_UNDETERMINED);
	assert_true(v.candidate[WHY_CAUSE_CQ_OVERRUN]);
	assert_true(v.candidate[WHY_CAUSE_INJECTED]);
	assert_int_equal(v.missing, 1);
	assert_non_null(strstr(v.miss[0], "15 of 16"));
	free(text);
}

static void test_why_words(void **state)
{
	char time[WHY_TIME];

	(void)state;
	assert_string_equal(why_time(999, time), "999 ns");
	assert_string_equal(why_time(40000, time), "40 us");
	assert_string_equal(why_time(1500000000, time), "1.5 s");
	assert_int_equal(why_cause_find("no_recv"), WHY_CAUSE_NO_RECV);
	assert_int_equal(why_cause_find("nothing"), WHY_CAUSE_COUNT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_why_each_cause),
		cmocka_unit_test(test_why_rule_named),
		cmocka_unit_test(test_why_qp_of_a_cq),
		cmocka_unit_test_setup(test_why_never_wrong, rnd_restart),
		cmocka_unit_test(test_why_recorder_off),
		cmocka_unit_test(test_why_pairs),
		cmocka_unit_test(test_why_polled_cq),
		cmocka_unit_test(test_why_words),
	};

	return cmocka_run_group_tests(tests, rnd_group, NULL);
}
