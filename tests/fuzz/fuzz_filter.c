// SPDX-License-Identifier: GPL-2.0-only
/*
 * The filter language: the text up to the first NUL is a filter, what follows makes targets and
 * objects. The oracles are those of test_filter_prop.c: the canonical form parses to the same
 * filter, what is lowered matches what the filter matches, and errors name a place in the text.
 */
#include "fuzz.h"

int unit_main(void);
#define main unit_main
#include "../unit/lib/test_filter_prop.c"
#undef main

#define TEXT 600 /* longer ones take long and say no more */

static void check_lowering(const char *text)
{
	struct glass_filter_error error;
	struct glass_filter *f = glass_filter_parse(text, NULL, &error);
	struct glass_filter_terms *terms;
	struct random_target target;
	struct random_object o;
	int i;

	if (!f)
		return;
	random_target(&target);
	terms = glass_filter_lower(f, &target.target, &error);
	if (terms) {
		check_terms(terms, &target.target);
		for (i = 0; i < 8; i++) {
			random_object(&o);
			FUZZ_CHECK(glass_filter_match(f, random_object_get, &o) ==
					   filter_terms_match(terms, random_object_get, &o),
				   "lowered differently: %s", text);
		}
		glass_filter_terms_free(terms);
	}
	glass_filter_free(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *nul = memchr(data, 0, size);
	size_t len = nul ? (size_t)(nul - data) : size;
	char text[TEXT + 1];

	if (len > TEXT)
		return 0;
	memcpy(text, data, len);
	text[len] = 0;
	fuzz_begin(data + len, size - len);
	fuzz_endless();
	random_below = rnd_below;
	feed(text, len);
	check_lowering(text);
	return 0;
}
