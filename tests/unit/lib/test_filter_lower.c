// SPDX-License-Identifier: GPL-2.0-only
/* Filters as the kernel takes them: terms of key=value, and what cannot be said that way. */
#include "harness.h"
#include "filter_text.h"
#include "lib/filter.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Packets as rules for packets see them: sets of words, ranges of PSNs */
static const struct glass_filter_key rich_keys[] = {
	{ .field = GLASS_FIELD_dir },
	{ .field = GLASS_FIELD_qpn },
	{ .field = GLASS_FIELD_op, .max_values = 32 },
	{ .field = GLASS_FIELD_psn, .ranges = true },
	{ .field = GLASS_FIELD_len, .ranges = true },
	{ .field = GLASS_FIELD_ret, .ranges = true },
	{ .field = GLASS_FIELD_comm, .patterns = true },
	{ .field = GLASS_FIELD_access },
};

static const struct glass_filter_target rich = { "the driver", rich_keys, 8, 8 };

/* What knows equality alone */
static const struct glass_filter_key poor_keys[] = {
	{ .field = GLASS_FIELD_dir },
	{ .field = GLASS_FIELD_qpn },
	{ .field = GLASS_FIELD_op },
	{ .field = GLASS_FIELD_comm },
};

static const struct glass_filter_target poor = { "the program", poor_keys, 4, 4 };

static struct glass_filter_terms *lower(const struct glass_filter_target *target, const char *text,
					struct glass_filter_error *error)
{
	struct glass_filter *f = glass_filter_parse(text, NULL, error);
	struct glass_filter_terms *terms;

	if (!f)
		glass_filter_explain(stdout, "# unexpected", text, error);
	assert_non_null(f);
	terms = glass_filter_lower(f, target, error);
	/* the terms stand by themselves */
	glass_filter_free(f);
	return terms;
}

/* want: the terms, one a line */
static void lowers(const struct glass_filter_target *target, const char *text, const char *want)
{
	struct glass_filter_error error;
	struct glass_filter_terms *terms = lower(target, text, &error);
	char *out = NULL;
	size_t size, i;
	FILE *to;

	if (!terms)
		glass_filter_explain(stdout, "# unexpected", text, &error);
	assert_non_null(terms);
	to = open_memstream(&out, &size);
	assert_non_null(to);
	for (i = 0; i < terms->num_terms; i++) {
		filter_term_print(to, &terms->terms[i]);
		putc('\n', to);
	}
	fclose(to);
	assert_string_equal(out, want);
	free(out);
	glass_filter_terms_free(terms);
}

static void refused(const struct glass_filter_target *target, const char *text, const char *why,
		    const char *part)
{
	struct glass_filter_error error;
	char got[300];

	assert_null(lower(target, text, &error));
	assert_string_equal(error.text, why);
	snprintf(got, sizeof(got), "%.*s", (int)error.len, text + error.at);
	assert_string_equal(got, part);
}

static void test_terms(void **state)
{
	(void)state;
	lowers(&poor, "qpn==0x11 && op==write && dir==tx", "dir=tx qpn=0x11 op=write\n");
	lowers(&poor, "qpn==1 || op==write", "qpn=0x1\nop=write\n");
	lowers(&poor, "qpn in {1,2} && dir==tx", "dir=tx qpn=0x1\ndir=tx qpn=0x2\n");
	lowers(&poor, "qpn in 4..6", "qpn=0x4\nqpn=0x5\nqpn=0x6\n");
	lowers(&poor, "qpn>4 && qpn<=6", "qpn=0x5\nqpn=0x6\n");
	lowers(&poor, "op!=write && op in {read,write}", "op=read\n");
	lowers(&poor, "op~\"send*\"", "op=send\nop=send_imm\nop=send_inv\n");
	lowers(&poor, "comm~perf", "comm=perf\n");
	lowers(&poor, "comm==\"a b%\"", "comm=a%20b%25\n");
	lowers(&poor, "comm==\"\"", "comm=%\n");
	lowers(&poor, "dir==tx && dir==rx", "");
	lowers(&poor, "dir==tx && dir==tx || dir==tx", "dir=tx\n");
	lowers(&poor, "(qpn==1 || qpn==2) && (op==read || op==write)",
	       "qpn=0x1 op=write\nqpn=0x2 op=write\nqpn=0x1 op=read\nqpn=0x2 op=read\n");
	lowers(&rich, "op==write || op==read", "op=write,read\n");
	lowers(&rich, "op==write && dir==tx || dir==tx && op==read", "dir=tx op=write,read\n");
	lowers(&rich, "psn<100 || psn==100", "psn=0..100\n");
	lowers(&rich, "ret<0", "ret=-9223372036854775808..-1\n");
	lowers(&rich, "ret in {-2,-1,0,5}", "ret=-2..0\nret=5\n");
	lowers(&rich, "psn!=5", "psn=0..4\npsn=6..18446744073709551615\n");
	lowers(&rich, "comm~\"perf*\" && len>=64", "comm=perf* len=64..18446744073709551615\n");
	lowers(&rich, "comm~\"p*\" && comm in {perf,top}", "comm=perf\n");
}

static void test_negation(void **state)
{
	(void)state;
	lowers(&poor, "!(dir==tx)", "dir=rx\n");
	lowers(&poor, "!(dir!=tx)", "dir=tx\n");
	lowers(&poor, "!(dir==tx || qpn!=3)", "dir=rx qpn=0x3\n");
	lowers(&poor, "!(dir==tx && qpn!=3)", "dir=rx\nqpn=0x3\n");
	lowers(&rich, "!(len<64)", "len=64..18446744073709551615\n");
	lowers(&rich, "!(psn in {5..9,11})", "psn=0..4\npsn=10\npsn=12..18446744073709551615\n");
	lowers(&rich, "!(psn>=0)", "");
	lowers(&rich, "!(psn<0)", "psn=0..18446744073709551615\n");
	lowers(&rich, "!!(psn>18446744073709551615)", "");
}

static void test_refused(void **state)
{
	(void)state;
	refused(&poor, "qpn==1 && sl==2", "the program cannot match `sl`", "sl==2");
	refused(&poor, "qpn==1 && comm~\"perf*\"", "the program has no wildcards in `comm`",
		"comm~\"perf*\"");
	refused(&poor, "qpn==1 && comm!=perf",
		"the program can match one `comm`, but cannot exclude one", "comm!=perf");
	refused(&poor, "!(qpn==1 || comm==perf)",
		"the program can match one `comm`, but cannot exclude one", "comm==perf");
	refused(&poor, "dir==tx && qpn>5",
		"the program can match single values of `qpn`, not a range as large as this",
		"qpn>5");
	refused(&poor, "dir==tx && !(qpn==5)",
		"the program can match single values of `qpn`, not a range as large as this",
		"qpn==5");
	refused(&poor, "dir==tx && op!=write",
		"this makes more than the 4 alternatives that the program takes", "op!=write");
	refused(&poor, "qpn in 1..5",
		"the program can match single values of `qpn`, not a range as large as this",
		"qpn in 1..5");
	refused(&poor, "qpn in {1,3} && op in {read,write,send}",
		"this makes more than the 4 alternatives that the program takes",
		"op in {read,write,send}");
	refused(&poor, "qpn", "the program can match a value of `qpn`, but not whether it has one",
		"qpn");
	refused(&rich, "access==local_write",
		"`access` is a set of flags: the driver cannot match it", "access==local_write");
	refused(&rich, "comm~a* && comm~*b", "the driver can match one pattern of `comm` at a time",
		"comm~*b");
}

/* A filter that multiplies beyond all bounds ends in an error, soon; so does one that comes to
 * nothing. */
static void test_explosion(void **state)
{
	static const char *const fields[] = {
		"pid",	"slid", "dlid", "sl",	"qkey", "pkey", "rkey", "psn", "msn",  "wr_id",
		"port", "num",	"dqpn", "sqpn", "qpn",	"len",	"va",	"imm", "lkey", "flow",
	};
	struct glass_filter_key keys[ARRAY_SIZE(fields)];
	const struct glass_filter_target target = { "the driver", keys, ARRAY_SIZE(keys), 0 };
	struct glass_filter_error error;
	struct glass_filter_terms *terms;
	char text[GLASS_FILTER_TEXT] = "";
	size_t at = 0, i;

	(void)state;
	memset(keys, 0, sizeof(keys));
	for (i = 0; i < ARRAY_SIZE(keys); i++)
		keys[i].field = glass_field_find(fields[i]);
	for (i = 0; i < ARRAY_SIZE(fields); i += 2)
		at += snprintf(text + at, sizeof(text) - at, "%s(%s==1 || %s==1)", i ? " && " : "",
			       fields[i], fields[i + 1]);
	assert_null(lower(&target, text, &error));
	assert_string_equal(error.text, "this makes more than 256 alternatives");
	for (i = 0, at = 0; at < sizeof(text) - 64; i++)
		at += snprintf(text + at, sizeof(text) - at, "%s(%s==%zu || %s==%zu)",
			       i ? " && " : "", fields[i % 8], i, fields[(i + 3) % 8], i);
	terms = lower(&target, text, &error);
	assert_true(!terms || !terms->num_terms);
	glass_filter_terms_free(terms);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_terms),
		cmocka_unit_test(test_negation),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_explosion),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
