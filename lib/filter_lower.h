/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lowers a tree to a disjunction of terms.
 *
 * filter_lower.c pushes negations down to the comparisons. filter_set.c turns each comparison into
 * the set of values that the field may have: ranges of numbers, bits for words, a list of texts. &&
 * intersects sets and || joins them, so a term has one set per field. This is exact because a
 * comparison with a missing field is neither true nor false: !(len<64) and len>=64 match the same
 * objects. Finally filter_terms.c cuts the sets into pairs that the target can hold.
 */
#ifndef GLASS_LIB_FILTER_LOWER_H
#define GLASS_LIB_FILTER_LOWER_H

#include "lib/filter_internal.h"

#define WORD_BITS (GLASS_WORDS_MAX / 64)

struct range {
	uint64_t low, high;
};

/* The values that a term allows for one field */
struct set {
	const struct glass_filter_key *key;
	const struct node *from; /* the comparison that errors quote */
	size_t count;
	struct range *ranges; /* numbers: ascending, disjoint, not adjacent */
	const char **texts;   /* text: no duplicates */
	bool pattern;	      /* the only text is a pattern */
	uint64_t words[WORD_BITS];
};

struct term {
	struct term *next;
	size_t count;
	struct set *sets; /* ascending by field */
};

struct list {
	struct term *first;
	size_t count;
};

struct lowering {
	const struct glass_filter_target *target;
	struct glass_filter_error *error;
	struct arena arena;
};

/* ---- filter_set.c. Functions that return bool fill the error when they return false. */
bool filter_refuse_memory(struct lowering *l, const struct node *n);
enum glass_field_type set_type(const struct set *s);
bool set_is_empty(const struct set *s);
bool set_equal(const struct set *a, const struct set *b);
/* Makes the set of values that a comparison, or its negation, allows. */
bool set_make(struct lowering *l, const struct node *n, bool negated, struct set *s);
/* Stores the intersection in to. */
bool set_intersect(struct lowering *l, const struct set *a, const struct set *b, struct set *to);
/* Adds the values of b to a. Neither may be a pattern. */
bool set_join(struct lowering *l, struct set *a, const struct set *b);

/* ---- filter_terms.c: returns the terms in the target's form, or NULL */
struct glass_filter_terms *filter_cut(struct lowering *l, const struct list *list);

#endif
