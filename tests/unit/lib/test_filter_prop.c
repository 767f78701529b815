// SPDX-License-Identifier: GPL-2.0-only
/*
 * Properties of random filters: the canonical form parses to the same filter; what is lowered
 * matches what the filter matches; !x matches when x is false and not when it is unknown; and
 * nothing that a parser can be given does harm. GLASS_SEED=N replays.
 */
#include "harness.h"
#include "filter_random.h"
#include "filter_text.h"

#define ROUNDS	10000
#define OBJECTS 20

static char *printed(const struct glass_filter *f)
{
	char *out = NULL;
	size_t size;
	FILE *to = open_memstream(&out, &size);

	assert_non_null(to);
	filter_print(to, f);
	fclose(to);
	return out;
}

static struct glass_filter *parse(const char *text)
{
	struct glass_filter_error error;
	struct glass_filter *f = glass_filter_parse(text, NULL, &error);

	if (!f)
		glass_filter_explain(stdout, "# unexpected", text, &error);
	assert_non_null(f);
	return f;
}

/* What holds for every filter that parses */
static void check_round_trip(const struct glass_filter *f)
{
	char *once = printed(f), *twice;
	struct glass_filter *again;

	if (strlen(once) <= GLASS_FILTER_TEXT) {
		again = parse(once);
		if (!filter_equal(f, again))
			fail_msg("not the same after printing: %s", once);
		twice = printed(again);
		assert_string_equal(once, twice);
		free(twice);
		glass_filter_free(again);
	}
	free(once);
}

static void test_round_trip(void **state)
{
	char text[GLASS_FILTER_TEXT];
	int i;

	(void)state;
	for (i = 0; i < ROUNDS; i++) {
		struct glass_filter *f;

		random_filter(text, sizeof(text), rnd_below(6), false);
		f = parse(text);
		check_round_trip(f);
		glass_filter_free(f);
	}
}

/*
 * Unknown is told from false by a second question: of x and !x one matches when x is
 * known, none when it is not, and with all fields there exactly one does.
 */
static void test_negation(void **state)
{
	char text[GLASS_FILTER_TEXT], negated[GLASS_FILTER_TEXT + 4];
	struct random_object o;
	unsigned int unknown = 0;
	int i, k;

	(void)state;
	for (i = 0; i < ROUNDS / 4; i++) {
		struct glass_filter *f, *g;

		random_filter(text, sizeof(text) - 4, rnd_below(4), false);
		snprintf(negated, sizeof(negated), "!(%s)", text);
		f = parse(text);
		g = parse(negated);
		for (k = 0; k < OBJECTS; k++) {
			bool is, is_not;

			random_object(&o);
			is = glass_filter_match(f, random_object_get, &o);
			is_not = glass_filter_match(g, random_object_get, &o);
			assert_false(is && is_not);
			unknown += !is && !is_not;
			memset(o.has, 1, sizeof(o.has));
			is = glass_filter_match(f, random_object_get, &o);
			is_not = glass_filter_match(g, random_object_get, &o);
			assert_true(is != is_not);
		}
		glass_filter_free(f);
		glass_filter_free(g);
	}
	assert_true(unknown > 100);
}

/* Each term is within what the target said of itself. */
static void check_terms(const struct glass_filter_terms *terms, const struct glass_filter_target *t)
{
	size_t i, k, n;

	assert_true(terms->num_terms <= (t->max_terms ? t->max_terms : GLASS_FILTER_TERMS));
	for (i = 0; i < terms->num_terms; i++) {
		const struct glass_filter_term *term = &terms->terms[i];

		assert_true(term->num_pairs > 0);
		for (k = 0; k < term->num_pairs; k++) {
			const struct glass_filter_pair *p = &term->pairs[k];

			assert_true(p->key >= t->keys && p->key < t->keys + t->num_keys);
			assert_true(!k || p->key->field > term->pairs[k - 1].key->field);
			assert_true(p->num_values > 0);
			assert_true(p->num_values <= (p->key->max_values ? p->key->max_values : 1));
			assert_true(p->key->patterns || !p->pattern);
			for (n = 0; n < p->num_values; n++)
				assert_true(p->values[n].text || p->key->ranges ||
					    p->values[n].low == p->values[n].high);
		}
	}
}

static void test_lowering(void **state)
{
	char text[GLASS_FILTER_TEXT];
	unsigned int lowered = 0, many = 0, hits = 0, misses = 0;
	struct glass_filter_error error;
	int i, k;

	(void)state;
	for (i = 0; i < ROUNDS; i++) {
		struct glass_filter_terms *terms;
		struct random_target target;
		struct random_object o;
		struct glass_filter *f;

		random_filter(text, sizeof(text), rnd_below(5), rnd_below(20));
		random_target(&target);
		f = parse(text);
		terms = glass_filter_lower(f, &target.target, &error);
		if (!terms) {
			assert_string_not_equal(error.text, "");
			assert_true(error.len > 0 && error.at + error.len <= strlen(text));
			glass_filter_free(f);
			continue;
		}
		lowered++;
		many += terms->num_terms > 1;
		check_terms(terms, &target.target);
		for (k = 0; k < OBJECTS; k++) {
			bool match;

			random_object(&o);
			match = glass_filter_match(f, random_object_get, &o);
			if (match != filter_terms_match(terms, random_object_get, &o))
				fail_msg("lowered differently: %s", text);
			hits += match;
			misses += !match;
		}
		glass_filter_terms_free(terms);
		glass_filter_free(f);
	}
	printf("# %u lowered, %u to several terms; %u matches, %u not\n", lowered, many, hits,
	       misses);
	assert_true(lowered > ROUNDS / 10 && many > ROUNDS / 50 && hits > ROUNDS &&
		    misses > ROUNDS);
}

/* ---- anything at all */

static unsigned int parsed;

/* From a heap block of its exact size, so that ASan sees a read beyond. */
static void feed(const char *bytes, size_t len)
{
	struct glass_filter_error error;
	struct glass_filter_terms *terms;
	struct random_target target;
	struct random_object o;
	struct glass_filter *f;
	char *text = malloc(len + 1), *out = NULL;
	size_t size;
	FILE *to;

	assert_non_null(text);
	memcpy(text, bytes, len);
	text[len] = 0;
	f = glass_filter_parse(text, NULL, &error);
	if (f) {
		parsed++;
		check_round_trip(f);
		random_object(&o);
		glass_filter_match(f, random_object_get, &o);
		random_target(&target);
		terms = glass_filter_lower(f, &target.target, &error);
		glass_filter_terms_free(terms);
		glass_filter_free(f);
	} else {
		assert_string_not_equal(error.text, "");
		assert_non_null(memchr(error.text, 0, sizeof(error.text)));
		assert_true(error.at <= strlen(text));
		assert_true(error.at + error.len <= strlen(text) + 1);
		to = open_memstream(&out, &size);
		assert_non_null(to);
		glass_filter_explain(to, "prog", text, &error);
		fclose(to);
		/* three lines of what a terminal may get */
		for (size = 0; out[size]; size++)
			assert_true(out[size] == '\n' || (out[size] >= ' ' && out[size] < 0x7f));
		free(out);
	}
	free(text);
}

static void test_bytes(void **state)
{
	char bytes[200];
	int i;

	(void)state;
	for (i = 0; i < ROUNDS; i++) {
		size_t n = rnd_below(sizeof(bytes));

		rnd_fill(bytes, n);
		feed(bytes, n);
	}
}

/* The language's own tokens in any order */
static void test_tokens(void **state)
{
	static const char *const tokens[] = {
		"==",	 "!=",	   "<",	   "<=",	  ">",
		">=",	 "~",	   "in",   "&&",	  "||",
		"!",	 "(",	   ")",	   "{",		  "}",
		",",	 "..",	   "qpn",  "op",	  "comm",
		"age",	 "access", "0x11", "5",		  "18446744073709551616",
		"write", "\"a*\"", "'b'",  "5s",	  "\\",
		" ",	 "=",	   "\"",   "qnp",	  "\x80",
		"*",	 "-",	   "&",	   "local_write", "psn",
	};
	char text[600];
	int i;

	(void)state;
	parsed = 0;
	for (i = 0; i < 3 * ROUNDS; i++) {
		unsigned int n = 1 + rnd_below(12);

		text[0] = 0;
		while (n--) {
			strcat(text, tokens[rnd_below(sizeof(tokens) / sizeof(*tokens))]);
			if (rnd_below(2))
				strcat(text, " ");
		}
		feed(text, strlen(text));
	}
	printf("# %u of the rows of tokens are filters\n", parsed);
	assert_true(parsed > 100);
}

/* Filters with a few bytes changed, left out or doubled */
static void test_mutants(void **state)
{
	static const char bytes[] = "=!<>~&|(){},.\"'\\ \n0x9afinqpo*?-\x7f\xff";
	char text[2 * GLASS_FILTER_TEXT];
	int i;

	(void)state;
	parsed = 0;
	for (i = 0; i < ROUNDS; i++) {
		unsigned int n = 1 + rnd_below(3);
		size_t len, at;

		random_filter(text, GLASS_FILTER_TEXT, rnd_below(5), false);
		while (n-- && (len = strlen(text))) {
			at = rnd_below(len);
			switch (rnd_below(3)) {
			case 0:
				text[at] = bytes[rnd_below(sizeof(bytes) - 1)];
				break;
			case 1:
				memmove(text + at, text + at + 1, len - at);
				break;
			default:
				memmove(text + at + 1, text + at, len - at + 1);
			}
		}
		feed(text, strlen(text));
	}
	printf("# %u of %d mutants are filters\n", parsed, ROUNDS);
	assert_true(parsed > 100 && parsed < ROUNDS);
}

static int group(void **state)
{
	random_below = rnd_below;
	return rnd_group(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_round_trip, rnd_restart),
		cmocka_unit_test_setup(test_negation, rnd_restart),
		cmocka_unit_test_setup(test_lowering, rnd_restart),
		cmocka_unit_test_setup(test_bytes, rnd_restart),
		cmocka_unit_test_setup(test_tokens, rnd_restart),
		cmocka_unit_test_setup(test_mutants, rnd_restart),
	};

	return cmocka_run_group_tests(tests, group, NULL);
}
