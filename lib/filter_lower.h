/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From a tree to a disjunction of terms.
 *
 * Negations are pushed down to the comparisons (filter_lower.c); there each
 * becomes a set of values that a field may have (filter_set.c): numbers as
 * ranges, words as bits, text as a list. Of sets, && is the intersection and ||
 * the union, so a term has one set for a field. That a field which is not there
 * makes a comparison neither true nor false is what makes this exact: !(len<64)
 * and len>=64 are the same. At the end sets are cut into what the target's pairs
 * can hold (filter_terms.c).
 */
#ifndef GLASS_LIB_FILTER_LOWER_H
#define GLASS_LIB_FILTER_LOWER_H

#include "lib/filter_internal.h"

#define WORD_BITS (GLASS_WORDS_MAX / 64)

struct range {
	uint64_t low, high;
};

/* The values of one field that a term allows */
struct set {
	const struct glass_filter_key *key;
	const struct node *from; /* the comparison that is named when the target cannot say it */
	size_t count;
	struct range *ranges; /* numbers: ascending, apart from each other */
	const char **texts;   /* text: each another one */
	bool pattern;	      /* the one text is a pattern */
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

/* ---- filter_set.c. What returns bool has filled the error when it is false. */
bool filter_refuse_memory(struct lowering *l, const struct node *n);
enum glass_field_type set_type(const struct set *s);
bool set_is_empty(const struct set *s);
bool set_equal(const struct set *a, const struct set *b);
/* What a comparison, or its negation, allows */
bool set_make(struct lowering *l, const struct node *n, bool negated, struct set *s);
/* The values that are in both, into to */
bool set_intersect(struct lowering *l, const struct set *a, const struct set *b, struct set *to);
/* Adds the values of b to a; neither is a pattern. */
bool set_join(struct lowering *l, struct set *a, const struct set *b);

/* ---- filter_terms.c: the terms as the target takes them, or NULL */
struct glass_filter_terms *filter_cut(struct lowering *l, const struct list *list);

#endif
