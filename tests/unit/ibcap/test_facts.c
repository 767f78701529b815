// SPDX-License-Identifier: GPL-2.0-only
/* The words of a record, against those that stdio makes: random records, and numbers at the limits of their digits. */
#include "harness.h"

#include <inttypes.h>

#include "ibcap/describe.h"
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
		want_name(to, "node", r->node, sizeof(r->node));
		fprintf(to, " port=%u", r->port);
	}
	fclose(to);
	return text;
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
			struct glass_cap_record r = { .flags = GLASS_CAP_HAS_WR | GLASS_CAP_HAS_OWNER | GLASS_CAP_HAS_QP,
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
		cmocka_unit_test_setup(test_random_records, rnd_restart),
	};

	return cmocka_run_group_tests(tests, rnd_group, NULL);
}
