// SPDX-License-Identifier: GPL-2.0-only
/* The words of a record, against those that stdio makes: random records, and numbers at the limits of their digits. */
#include "harness.h"

#include <inttypes.h>

#include "ibcap/describe.h"
#include "ibcap/source.h"
#include "uapi/glass-enums.h"

static const char *const reasons[] = GLASS_WORDS(GLASS_DROP_REASONS);
static const char *const types[] = GLASS_WORDS(GLASS_QP_TYPES);

static const char *word(const char *const *words, size_t count, uint8_t i)
{
	return i < count && words[i] ? words[i] : "?";
}

static void want_name(FILE *to, const char *key, const char *text, size_t max)
{
	fprintf(to, " %s=", key);
	for (size_t i = 0; i < max && text[i]; i++) {
		unsigned char c = text[i];

		fprintf(to, c <= ' ' || c >= 0x7f || c == '%' ? "%%%02x" : "%c", c);
	}
}

/* The words as they should be, without a limit; the caller frees them. */
static char *want_facts(const struct glass_cap_record *r, bool with_hop)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (r->flags & GLASS_CAP_HAS_WR)
		fprintf(to, " wr_id=0x%" PRIx64 " flow=%" PRIu64, (uint64_t)r->wr_id, (uint64_t)r->flow);
	if (r->flags & GLASS_CAP_HAS_QP)
		fprintf(to, " qpn=0x%x qptype=%s", r->qpn, word(types, ARRAY_SIZE(types), r->qptype));
	if (r->flags & GLASS_CAP_HAS_OWNER) {
		fprintf(to, " pid=%d", r->pid);
		want_name(to, "comm", r->comm, sizeof(r->comm));
	}
	if (r->reason)
		fprintf(to, " reason=%s", word(reasons, ARRAY_SIZE(reasons), r->reason));
	if (r->rule[0])
		want_name(to, "rule", r->rule, sizeof(r->rule));
	fprintf(to, "%s%s%s", r->flags & GLASS_CAP_RAW ? " raw" : "", r->flags & GLASS_CAP_TRAIN ? " train" : "",
		r->flags & GLASS_CAP_AGENT ? " agent" : "");
	if (with_hop && r->flags & GLASS_CAP_HOP) {
		want_name(to, "node", record_node(r), sizeof(r->node));
		fprintf(to, " port=%u", r->port);
	}
	fclose(to);
	return text;
}

static struct describe_memo memos[DESCRIBE_MEMOS];

/* The comment, which has room behind it, like one in a block of a file. */
static void check_comment(const struct glass_cap_record *r, const char *want)
{
	char text[DESCRIBE_COMMENT + 1];
	size_t len;

	text[DESCRIBE_COMMENT] = '!';
	len = describe_comment(memos, r, text);
	assert_string_equal(text, want);
	assert_int_equal(len, strlen(want));
	assert_int_equal(text[DESCRIBE_COMMENT], '!');
}

static void check(const struct glass_cap_record *r)
{
	struct seen seen = { .record = r };
	char text[DESCRIBE_COMMENT + 1];

	for (int with_hop = 0; with_hop < 2; with_hop++) {
		char *want = want_facts(r, with_hop), cut[DESCRIBE_COMMENT];

		snprintf(cut, sizeof(cut), "%s", want + (*want == ' '));
		text[DESCRIBE_COMMENT] = '!';
		describe_facts(&seen, with_hop, text);
		assert_string_equal(text, cut);
		assert_int_equal(text[DESCRIBE_COMMENT], '!');
		if (with_hop)
			check_comment(r, cut);
		free(want);
	}
}

static void test_limits_of_digits(void **state)
{
	uint64_t power = 1;

	(void)state;
	for (int digits = 1; digits <= 20; digits++, power *= 10) {
		const uint64_t values[] = { power - 1, power, power + 1, power * 9, UINT64_MAX - power, 0, 1ULL << (3 * digits) };

		for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
			struct glass_cap_record r = { .header = sizeof(r),
						      .flags = GLASS_CAP_HAS_WR | GLASS_CAP_HAS_OWNER | GLASS_CAP_HAS_QP,
						      .flow = values[i], .wr_id = values[i], .pid = values[i], .qpn = values[i] };

			check(&r);
		}
	}
	check(&(struct glass_cap_record){ .flags = GLASS_CAP_HAS_OWNER, .pid = INT32_MIN });
}

static void test_random_records(void **state)
{
	(void)state;
	for (int i = 0; i < 20000; i++) {
		struct glass_cap_record r;

		rnd_fill(&r, sizeof(r));
		r.header = sizeof(r);
		if (rnd() & 1) {
			/* words without a NUL are the longest, and too long together; these have one */
			r.comm[rnd_below(sizeof(r.comm))] = 0;
			r.rule[rnd_below(sizeof(r.rule))] = 0;
			r.node[rnd_below(sizeof(r.node))] = 0;
			r.reason = rnd_below(ARRAY_SIZE(reasons));
			r.wr_id >>= rnd_below(64);
			r.flow >>= rnd_below(64);
			r.pid = rnd_below(1 << 22);
		}
		check(&r);
		/* what the record before left in the memo must not show */
		r.flow += rnd_below(3) * 50000000;
		r.wr_id = rnd() >> rnd_below(64);
		check(&r);
	}
}

/* Records of few QPs, of which each differs from the one before in one thing at most. */
static void test_similar_records(void **state)
{
	struct glass_cap_record r = { .header = sizeof(r) };

	(void)state;
	for (int i = 0; i < 20000; i++) {
		uint64_t bit = rnd();

		switch (rnd_below(12)) {
		case 0:
			r.flags ^= 1 << bit % 8;
			break;
		case 1:
			r.qpn = bit % 3;
			break;
		case 2:
			r.pid = bit % 3;
			break;
		case 3:
			r.comm[bit % 4] = 'a' + bit % 2;
			break;
		case 4:
			r.reason = bit % 8 ? 0 : bit % ARRAY_SIZE(reasons);
			break;
		case 5:
			r.rule[0] = bit % 8 ? 0 : 'r';
			break;
		case 6:
			r.node[0] = 'a' + bit % 2;
			break;
		case 7:
			r.port = bit % 2;
			break;
		case 8:
			r.qptype = bit % 3;
			break;
		case 9:
			r.header = bit % 8 ? sizeof(r) : offsetof(struct glass_cap_record, node);
			break;
		default:
			r.flow = bit % 4 ? r.flow + 1 : (bit & 0xff) << 56 | bit % 1000000000;
			break;
		}
		check(&r);
	}
}

static void test_nothing_known(void **state)
{
	(void)state;
	check(&(struct glass_cap_record){ .port = 1 });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_known),
		cmocka_unit_test(test_limits_of_digits),
		cmocka_unit_test_setup(test_similar_records, rnd_restart),
		cmocka_unit_test_setup(test_random_records, rnd_restart),
	};

	return cmocka_run_group_tests(tests, rnd_group, NULL);
}
