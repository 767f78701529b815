/* SPDX-License-Identifier: GPL-2.0-only */
/* Parsed filters and their terms as text, and what they match by a second way: what the tests of the filter compare. */
#ifndef FILTER_TEXT_H
#define FILTER_TEXT_H

#include <stdio.h>

#include "lib/filter.h"

/*
 * Writes the filter in its canonical form, without newline. Parsing that gives the
 * same filter (if it did not grow beyond GLASS_FILTER_TEXT).
 */
void filter_print(FILE *to, const struct glass_filter *filter);

/* Same comparisons in the same order and structure. */
bool filter_equal(const struct glass_filter *a, const struct glass_filter *b);

/*
 * Writes one term as "key=value key=value": values joined by ',', ranges as
 * LOW..HIGH, text percent-encoded as in debugfs (the wildcards of a pattern and
 * only they stand as * and ?).
 */
void filter_term_print(FILE *to, const struct glass_filter_term *term);

/* Evaluates the terms as their target does. */
bool filter_terms_match(const struct glass_filter_terms *terms, glass_get_fn get,
			const void *object);

#endif
