/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The filter language. docs/filter.md defines grammar and meaning:
 *
 *   qpn==0x11 && op in {write,read} && dir==tx && !(len<64) && comm~"perf*"
 *
 * A tool parses a filter once. Then it either evaluates the filter over objects, or lowers it to
 * the form that the kernel matches: a disjunction of conjunctions of key=value.
 *
 * A parsed filter is immutable: threads may share it.
 */
#ifndef GLASS_LIB_FILTER_H
#define GLASS_LIB_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/fields.h"

#define GLASS_FILTER_TEXT  4096 /* longest filter in bytes */
#define GLASS_FILTER_DEPTH 64	/* maximum nesting of parentheses and ! */

struct glass_filter;

/* The error in a filter: one line without newline, about the len bytes at offset at. */
struct glass_filter_error {
	size_t at, len;
	char text[200];
};

/*
 * The fields that a tool's objects can have. what: the name of such an object in errors ("a
 * packet").
 */
struct glass_filter_scope {
	const char *what;
	const int *fields;
	size_t num_fields;
};

/*
 * Parses text. scope limits the fields that may occur; NULL allows all. Returns NULL and fills
 * error if the text is no valid filter or memory runs out. Free the result with
 * glass_filter_free().
 */
struct glass_filter *glass_filter_parse(const char *text, const struct glass_filter_scope *scope,
					struct glass_filter_error *error);

/* NULL is allowed. */
void glass_filter_free(struct glass_filter *filter);

/*
 * Prints the error in three lines: "PROGRAM: TEXT", the filter (an excerpt if it is long), and
 * carets below the wrong place.
 */
void glass_filter_explain(FILE *to, const char *program, const char *text,
			  const struct glass_filter_error *error);

/*
 * The value of a field. A number is in num (cast if the field is signed). Anything else is in text,
 * a NUL-terminated string that stays valid until the next call. Words are text; flags are joined by
 * '|'.
 */
struct glass_value {
	uint64_t num;
	const char *text;
};

/*
 * Reads a field of an object into *value, which is zeroed before the call. Returns false if the
 * object has no such field: an ACK has no rkey. A NULL text has the same meaning.
 */
typedef bool (*glass_get_fn)(const void *object, int field, struct glass_value *value);

/*
 * Does the object match? A comparison with a field that the object lacks is neither true nor false.
 */
bool glass_filter_match(const struct glass_filter *filter, glass_get_fn get, const void *object);

/*
 * A key that the target can match. A pair key=value matches if the object has the field and the
 * field has one of the pair's values.
 */
struct glass_filter_key {
	int field;
	unsigned int max_values; /* of one pair; 0 means 1 */
	bool ranges;		 /* a value may be LOW..HIGH (numbers) */
	bool patterns;		 /* a value may have the wildcards * and ? (text) */
};

/* The matcher of the lowered terms. what: its name in errors ("glass0/inject"). */
struct glass_filter_target {
	const char *what;
	const struct glass_filter_key *keys;
	size_t num_keys;
	size_t max_terms; /* at most GLASS_FILTER_TERMS; 0 means GLASS_FILTER_TERMS */
};

#define GLASS_FILTER_TERMS 256

/*
 * A number is in low..high, both inclusive (cast if the field is signed). A word or text is in
 * text.
 */
struct glass_filter_value {
	uint64_t low, high;
	const char *text;
};

struct glass_filter_pair {
	const struct glass_filter_key *key; /* one of the target's */
	bool pattern;			    /* text values are patterns */
	size_t num_values;
	struct glass_filter_value *values; /* the object must have one of them; numbers ascend */
};

struct glass_filter_term {
	size_t num_pairs; /* all must match; ascending by field, one pair per field */
	struct glass_filter_pair *pairs;
};

/* An object matches if one of the terms does. Without terms, no object matches. */
struct glass_filter_terms {
	size_t num_terms;
	struct glass_filter_term *terms;
};

/*
 * Lowers a filter to terms that match exactly the same objects, provided all words are in the
 * vocabulary. Returns NULL and fills error with the part of the filter that the target cannot
 * express. The target must outlive the terms.
 */
struct glass_filter_terms *glass_filter_lower(const struct glass_filter *filter,
					      const struct glass_filter_target *target,
					      struct glass_filter_error *error);
void glass_filter_terms_free(struct glass_filter_terms *terms);

#endif
