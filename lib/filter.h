/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The filter language (docs/filter.md has its grammar and meaning):
 *
 *   qpn==0x11 && op in {write,read} && dir==tx && !(len<64) && comm~"perf*"
 *
 * Parse it once, then either evaluate it over objects, or lower it to what the
 * kernel understands: a disjunction of conjunctions of key=value.
 *
 * A parsed filter does not change and may be used by several threads at once.
 */
#ifndef GLASS_LIB_FILTER_H
#define GLASS_LIB_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/fields.h"

#define GLASS_FILTER_TEXT  4096 /* longest filter in bytes */
#define GLASS_FILTER_DEPTH 64	/* parentheses and ! within each other */

struct glass_filter;

/* What is wrong with a filter, and where: len bytes from byte at on. One line, no newline. */
struct glass_filter_error {
	size_t at, len;
	char text[200];
};

/* The fields that a tool's objects can have; what names such objects in errors ("a packet"). */
struct glass_filter_scope {
	const char *what;
	const int *fields;
	size_t num_fields;
};

/*
 * Parses text. scope: only these fields are taken; NULL takes all. Returns NULL
 * and fills error when the text is no filter or memory is short.
 */
struct glass_filter *glass_filter_parse(const char *text, const struct glass_filter_scope *scope,
					struct glass_filter_error *error);

/* Takes NULL, too. */
void glass_filter_free(struct glass_filter *filter);

/*
 * Says what is wrong in three lines: "PROGRAM: TEXT", the filter (a part of it
 * when it is long), and carets below the place.
 */
void glass_filter_explain(FILE *to, const char *program, const char *text,
			  const struct glass_filter_error *error);

/*
 * The value of a field: num of one that is a number (cast when it is signed); else text, as a
 * NUL-terminated string that stays valid until the next call (words as words, flags joined by '|').
 */
struct glass_value {
	uint64_t num;
	const char *text;
};

/*
 * Gives the value of an object's field. False: the object has no such field, as
 * an ACK has no rkey; text that is NULL means the same. *value comes zeroed.
 */
typedef bool (*glass_get_fn)(const void *object, int field, struct glass_value *value);

/* Does the object match? A comparison with a field that it does not have is neither true nor false.
 */
bool glass_filter_match(const struct glass_filter *filter, glass_get_fn get, const void *object);

/*
 * A key that the target of a lowering can match. A pair key=value matches when the
 * object has the field and the value is one of those named.
 */
struct glass_filter_key {
	int field;
	unsigned int max_values; /* in one pair; 0 and 1: one */
	bool ranges;		 /* a value may be LOW..HIGH (numbers) */
	bool patterns;		 /* a value may have the wildcards * and ? (text) */
};

/* Who will match the terms; what names it in errors ("glass0/inject"). */
struct glass_filter_target {
	const char *what;
	const struct glass_filter_key *keys;
	size_t num_keys;
	size_t max_terms; /* at most GLASS_FILTER_TERMS; 0: as many as that */
};

#define GLASS_FILTER_TERMS 256

/* A number is low..high, both included (cast when the field is signed); a word or a text is text.
 */
struct glass_filter_value {
	uint64_t low, high;
	const char *text;
};

struct glass_filter_pair {
	const struct glass_filter_key *key; /* one of the target's */
	bool pattern;			    /* text values are patterns */
	size_t num_values;
	struct glass_filter_value *values; /* one of them must fit; numbers ascending */
};

struct glass_filter_term {
	size_t num_pairs; /* all of them must fit; ascending by field, none twice */
	struct glass_filter_pair *pairs;
};

/* One of the terms must fit; without terms nothing ever matches. */
struct glass_filter_terms {
	size_t num_terms;
	struct glass_filter_term *terms;
};

/*
 * Lowers a filter: the terms match an object exactly when the filter does (words
 * being those of the vocabulary). Returns NULL and fills error, which names the
 * part, when the target cannot say it. The target must outlive the terms.
 */
struct glass_filter_terms *glass_filter_lower(const struct glass_filter *filter,
					      const struct glass_filter_target *target,
					      struct glass_filter_error *error);
void glass_filter_terms_free(struct glass_filter_terms *terms);

#endif
