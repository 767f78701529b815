// SPDX-License-Identifier: GPL-2.0-only
/*
 * docs/filter.md: its lists are those of the vocabulary, its examples are filters. Each column of
 * words has its words. GLASS_UPDATE=1 in the environment writes the lists anew.
 */
#include "doc_section.h"
#include "lib/columns.h"
#include "lib/filter.h"

#define DOC "../../docs/filter.md" /* from tests/unit, where make runs the tests */

static const char *value_word(int field)
{
	static const char *const words[] = {
		[GLASS_UNIT_num] = "number",	[GLASS_UNIT_hex] = "number",
		[GLASS_UNIT_signed] = "signed", [GLASS_UNIT_word] = "word",
		[GLASS_UNIT_flags] = "flags",	[GLASS_UNIT_text] = "text",
		[GLASS_UNIT_ns] = "ns",		[GLASS_UNIT_bytes] = "bytes",
		[GLASS_UNIT_words] = "number",	[GLASS_UNIT_gid] = "text",
		[GLASS_UNIT_ref] = "text",
	};

	return words[glass_field_unit(field)];
}

#define MEANING(name, unit, words, meaning) meaning,

static void write_fields(FILE *to)
{
	static const char *const meanings[] = { GLASS_FIELDS(MEANING) };
	int i;

	fputs("| field | value | meaning |\n| --- | --- | --- |\n", to);
	for (i = 0; i < GLASS_FIELD_COUNT; i++)
		fprintf(to, "| `%s` | %s | %s |\n", glass_field_name(i), value_word(i),
			meanings[i]);
}

static bool same_words(int a, int b)
{
	int i;

	if (glass_field_word_max(a) != glass_field_word_max(b))
		return false;
	for (i = 0; i < glass_field_word_max(a); i++) {
		const char *v = glass_field_word(a, i), *w = glass_field_word(b, i);

		if (!v != !w || (v && strcmp(v, w)))
			return false;
	}
	return true;
}

/* A line for each list of words, with all the fields that draw from it */
static void write_words(FILE *to)
{
	int i, k;

	for (i = 0; i < GLASS_FIELD_COUNT; i++) {
		for (k = 0; k < i && !same_words(i, k); k++)
			;
		if (!glass_field_word_max(i) || k < i)
			continue;
		fputs("-", to);
		for (k = i; k < GLASS_FIELD_COUNT; k++)
			if (same_words(i, k))
				fprintf(to, " `%s`", glass_field_name(k));
		putc(':', to);
		for (k = 0; k < glass_field_word_max(i); k++)
			if (glass_field_word(i, k))
				fprintf(to, " %s", glass_field_word(i, k));
		putc('\n', to);
	}
}

static void test_lists(void **state)
{
	(void)state;
	doc_check_section(DOC, "filter_docs", "fields", write_fields);
	doc_check_section(DOC, "filter_docs", "words", write_words);
}

/* Each line of a block that is marked ```filter, up to "  #", parses. */
static void test_examples(void **state)
{
	struct glass_filter_error error;
	struct glass_filter *f;
	unsigned int seen = 0;
	char *doc = doc_read(DOC), *at = doc, *line, *end, *comment;

	(void)state;
	while ((at = strstr(at, "```filter\n"))) {
		at = strchr(at, '\n') + 1;
		end = strstr(at, "```");
		assert_non_null(end);
		while (at < end) {
			line = strndup(at, strchr(at, '\n') - at);
			assert_non_null(line);
			at = strchr(at, '\n') + 1;
			comment = strstr(line, "  #");
			if (comment)
				*comment = 0;
			f = glass_filter_parse(line, NULL, &error);
			if (!f)
				glass_filter_explain(stdout, "# " DOC, line, &error);
			assert_non_null(f);
			glass_filter_free(f);
			free(line);
			seen++;
		}
		at = end + 3;
	}
	assert_true(seen > 5);
	free(doc);
}

/* A column that is a field by itself, too, has the same unit; one of words has words. */
static void check_column(const char *kind, const char *column, enum glass_unit unit)
{
	int field = glass_field_find(column);
	bool same;

	assert_true(field >= 0);
	same = glass_field_unit(field) == unit;
	/* flags are words to a column */
	if (unit == GLASS_UNIT_word)
		same = same || glass_field_unit(field) == GLASS_UNIT_flags;
	if (!same)
		fail_msg("%s.%s: not the unit of the field", kind, column);
	if (unit == GLASS_UNIT_word)
		assert_true(glass_field_word_max(field) > 0);
}

/* A word as a name would take the place of the hint that says of which field it is a value. */
static void check_no_word(const char *column)
{
	int i;

	for (i = 0; i < GLASS_FIELD_COUNT; i++)
		if (glass_field_find(column) >= GLASS_FIELD_COUNT && glass_field_find_word(i, column) >= 0)
			fail_msg("%s is a word of %s, too", column, glass_field_name(i));
}

static void test_columns(void **state)
{
	(void)state;
#define CHECK_NO_WORD(name, unit, meaning) check_no_word(#name);
	TOP_COLUMNS_OF_ALL(CHECK_NO_WORD)
#define CHECK_COLUMN(name, unit, meaning) check_column(kind, #name, GLASS_UNIT_##unit);
#define CHECK_KIND(n, COLUMNS)        \
	do {                          \
		const char *kind = n; \
		COLUMNS(CHECK_COLUMN) \
	} while (0)
	CHECK_KIND("ucontext", GLASS_COLUMNS_UCONTEXT);
	CHECK_KIND("pd", GLASS_COLUMNS_PD);
	CHECK_KIND("mr", GLASS_COLUMNS_MR);
	CHECK_KIND("cq", GLASS_COLUMNS_CQ);
	CHECK_KIND("srq", GLASS_COLUMNS_SRQ);
	CHECK_KIND("qp", GLASS_COLUMNS_QP);
	CHECK_KIND("ah", GLASS_COLUMNS_AH);
	CHECK_KIND("mw", GLASS_COLUMNS_MW);
	CHECK_KIND("dm", GLASS_COLUMNS_DM);
	CHECK_KIND("xrcd", GLASS_COLUMNS_XRCD);
	CHECK_KIND("port", GLASS_COLUMNS_PORT);
	CHECK_KIND("share", GLASS_COLUMNS_SHARE);
	CHECK_KIND("fnode", GLASS_COLUMNS_FNODE);
	CHECK_KIND("fport", GLASS_COLUMNS_FPORT);
	CHECK_KIND("fcable", GLASS_COLUMNS_FCABLE);
	CHECK_KIND("netcable", GLASS_COLUMNS_NETCABLE);
	CHECK_KIND("ibtop", TOP_COLUMNS_OF_ALL);
}

/* Names are names that a filter can hold; words are found by their field; none comes twice. */
static void test_vocabulary(void **state)
{
	struct glass_filter_error error;
	struct glass_filter *f;
	char text[100];
	int i, k, j;

	(void)state;
	for (i = 0; i < glass_field_max(); i++) {
		if (!glass_field_name(i))
			continue;
		assert_int_equal(glass_field_find(glass_field_name(i)), i);
		assert_string_not_equal(glass_field_name(i), "in");
		assert_true(glass_field_word_max(i) <= GLASS_WORDS_MAX);
		assert_int_equal(glass_field_word_max(i) > 0,
				 glass_field_type(i) == GLASS_FIELD_IS_WORD ||
					 glass_field_type(i) == GLASS_FIELD_IS_FLAGS);
		for (k = 0; k < glass_field_word_max(i); k++) {
			const char *word = glass_field_word(i, k);

			if (!word)
				continue;
			snprintf(text, sizeof(text), "%s==%s", glass_field_name(i), word);
			f = glass_filter_parse(text, NULL, &error);
			assert_non_null(f);
			glass_filter_free(f);
			for (j = 0; j < k; j++)
				assert_false(glass_field_word(i, j) &&
					     !strcmp(glass_field_word(i, j), word));
		}
	}
	assert_int_equal(glass_field_find("nothing"), -1);
	assert_string_equal(glass_packet_op(0x0b), "write_imm");
	assert_string_equal(glass_packet_op(0x64), "send");
	assert_null(glass_packet_op(0xff));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_examples),
		cmocka_unit_test(test_columns),
		cmocka_unit_test(test_vocabulary),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
