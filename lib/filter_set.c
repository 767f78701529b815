// SPDX-License-Identifier: GPL-2.0-only
/* Sets of values: made from comparisons, intersected and joined. */
#include <stdlib.h>
#include <string.h>

#include "lib/filter_lower.h"

bool filter_refuse_memory(struct lowering *l, const struct node *n)
{
	return filter_error(l->error, n->at, n->len, "this filter is too complex to be lowered");
}

enum glass_field_type set_type(const struct set *s)
{
	return glass_field_type(s->key->field);
}

bool set_is_empty(const struct set *s)
{
	size_t i;

	if (set_type(s) != GLASS_FIELD_IS_WORD)
		return !s->count;
	for (i = 0; i < WORD_BITS; i++)
		if (s->words[i])
			return false;
	return true;
}

/* ---- a comparison as a set */

static int compare_ranges(const void *a, const void *b)
{
	const struct range *r = a, *s = b;

	return r->low < s->low ? -1 : r->low > s->low;
}

/* Sorts the ranges and merges adjacent and overlapping ones. */
static size_t tidy(struct range *r, size_t count)
{
	size_t i, n = 0;

	if (!count)
		return 0;
	qsort(r, count, sizeof(*r), compare_ranges);
	for (i = 1; i < count; i++) {
		if (r[n].high != UINT64_MAX && r[i].low > r[n].high + 1)
			r[++n] = r[i];
		else if (r[i].high > r[n].high)
			r[n].high = r[i].high;
	}
	return n + 1;
}

/* Makes the complement of the ranges. to must have room for count + 1 ranges. */
static size_t complement(const struct range *r, size_t count, struct range *to)
{
	uint64_t low = 0;
	size_t i, n = 0;

	for (i = 0; i < count; i++) {
		if (r[i].low > low)
			to[n++] = (struct range){ low, r[i].low - 1 };
		if (r[i].high == UINT64_MAX)
			return n;
		low = r[i].high + 1;
	}
	to[n++] = (struct range){ low, UINT64_MAX };
	return n;
}

/* The range that < <= > >= allow; false: no number */
static bool ordered(enum compare_op op, uint64_t v, struct range *r)
{
	*r = (struct range){ 0, UINT64_MAX };
	switch (op) {
	case COMPARE_LT:
		r->high = v - 1;
		return v > 0;
	case COMPARE_LE:
		r->high = v;
		return true;
	case COMPARE_GT:
		r->low = v + 1;
		return v < UINT64_MAX;
	default:
		r->low = v;
		return true;
	}
}

static bool number_set(struct lowering *l, const struct node *n, bool negated, struct set *s)
{
	struct range *ranges = arena_alloc(&l->arena, n->num_values * sizeof(*ranges));
	struct range *other = arena_alloc(&l->arena, (n->num_values + 1) * sizeof(*other));
	size_t i;

	if (!ranges || !other)
		return filter_refuse_memory(l, n);
	if (n->op == COMPARE_EQ || n->op == COMPARE_NE || n->op == COMPARE_IN) {
		for (i = 0; i < n->num_values; i++)
			ranges[i] = (struct range){ n->values[i].low, n->values[i].high };
		s->count = tidy(ranges, n->num_values);
	} else {
		s->count = ordered(n->op, n->values[0].low, ranges);
	}
	if (negated != (n->op == COMPARE_NE)) {
		s->count = complement(ranges, s->count, other);
		ranges = other;
	}
	s->ranges = ranges;
	return true;
}

static bool word_fits(const struct node *n, const char *word)
{
	size_t i;

	for (i = 0; i < n->num_values; i++)
		if (n->op == COMPARE_LIKE ? filter_like(n->values[i].text, word)
					  : !strcmp(n->values[i].text, word))
			return true;
	return false;
}

static bool word_set(const struct node *n, bool negated, struct set *s)
{
	int i;

	negated ^= n->op == COMPARE_NE;
	for (i = 0; i < glass_field_word_max(n->field); i++) {
		const char *word = glass_field_word(n->field, i);

		if (word && word_fits(n, word) != negated)
			s->words[i / 64] |= 1ULL << i % 64;
	}
	return true;
}

static bool has_wildcard(const char *text)
{
	return strpbrk(text, "*?") != NULL;
}

static bool text_set(struct lowering *l, const struct node *n, bool negated, struct set *s)
{
	const char *name = glass_field_name(n->field);
	size_t i, k;

	if (negated != (n->op == COMPARE_NE))
		return filter_error(l->error, n->at, n->len,
				    "%s can match one `%s`, but cannot exclude one",
				    l->target->what, name);
	s->pattern = n->op == COMPARE_LIKE && has_wildcard(n->values[0].text);
	if (s->pattern && !s->key->patterns)
		return filter_error(l->error, n->at, n->len, "%s has no wildcards in `%s`",
				    l->target->what, name);
	s->texts = arena_alloc(&l->arena, n->num_values * sizeof(*s->texts));
	if (!s->texts)
		return filter_refuse_memory(l, n);
	for (i = 0; i < n->num_values; i++) {
		for (k = 0; k < s->count && strcmp(s->texts[k], n->values[i].text); k++)
			;
		if (k == s->count)
			s->texts[s->count++] = n->values[i].text;
	}
	return true;
}

static const struct glass_filter_key *find_key(const struct glass_filter_target *target, int field)
{
	size_t i;

	for (i = 0; i < target->num_keys; i++)
		if (target->keys[i].field == field)
			return &target->keys[i];
	return NULL;
}

bool set_make(struct lowering *l, const struct node *n, bool negated, struct set *s)
{
	const char *name = glass_field_name(n->field);

	s->from = n;
	s->key = find_key(l->target, n->field);
	if (!s->key)
		return filter_error(l->error, n->at, n->len, "%s cannot match `%s`",
				    l->target->what, name);
	if (n->op == COMPARE_HAS)
		return filter_error(l->error, n->at, n->len,
				    "%s can match a value of `%s`, but not whether it has one",
				    l->target->what, name);
	switch (glass_field_type(n->field)) {
	case GLASS_FIELD_IS_NUMBER:
		return number_set(l, n, negated, s);
	case GLASS_FIELD_IS_WORD:
		return word_set(n, negated, s);
	case GLASS_FIELD_IS_TEXT:
		return text_set(l, n, negated, s);
	default:
		return filter_error(l->error, n->at, n->len,
				    "`%s` is a set of flags: %s cannot match it", name,
				    l->target->what);
	}
}

/* ---- intersection and union */

static bool both_numbers(struct lowering *l, const struct set *a, const struct set *b,
			 struct set *to)
{
	size_t i = 0, k = 0;

	to->ranges = arena_alloc(&l->arena, (a->count + b->count) * sizeof(*to->ranges));
	if (!to->ranges)
		return filter_refuse_memory(l, b->from);
	while (i < a->count && k < b->count) {
		const struct range *r = &a->ranges[i], *s = &b->ranges[k];
		struct range both = { r->low > s->low ? r->low : s->low,
				      r->high < s->high ? r->high : s->high };

		if (both.low <= both.high)
			to->ranges[to->count++] = both;
		if (r->high < s->high)
			i++;
		else
			k++;
	}
	return true;
}

static bool both_texts(struct lowering *l, const struct set *a, const struct set *b, struct set *to)
{
	size_t i, k;

	if (a->pattern && b->pattern && strcmp(a->texts[0], b->texts[0]))
		return filter_error(l->error, b->from->at, b->from->len,
				    "%s can match one pattern of `%s` at a time", l->target->what,
				    glass_field_name(b->from->field));
	if (b->pattern) { /* keep the texts of the other set that match the pattern */
		const struct set *swap = a;

		a = b;
		b = swap;
	}
	to->pattern = b->pattern;
	to->texts = arena_alloc(&l->arena, b->count * sizeof(*to->texts));
	if (!to->texts)
		return filter_refuse_memory(l, b->from);
	for (k = 0; k < b->count; k++) {
		bool fits = b->pattern; /* then a is the same pattern */

		for (i = 0; i < a->count && !fits; i++)
			fits = a->pattern ? filter_like(a->texts[i], b->texts[k])
					  : !strcmp(a->texts[i], b->texts[k]);
		if (fits)
			to->texts[to->count++] = b->texts[k];
	}
	return true;
}

bool set_intersect(struct lowering *l, const struct set *a, const struct set *b, struct set *to)
{
	size_t i;

	memset(to, 0, sizeof(*to));
	to->key = b->key;
	to->from = b->from;
	switch (set_type(b)) {
	case GLASS_FIELD_IS_NUMBER:
		return both_numbers(l, a, b, to);
	case GLASS_FIELD_IS_TEXT:
		return both_texts(l, a, b, to);
	default:
		for (i = 0; i < WORD_BITS; i++)
			to->words[i] = a->words[i] & b->words[i];
		return true;
	}
}

bool set_join(struct lowering *l, struct set *a, const struct set *b)
{
	const char **texts;
	struct range *r;
	size_t i, k;

	if (set_type(a) == GLASS_FIELD_IS_WORD) {
		for (i = 0; i < WORD_BITS; i++)
			a->words[i] |= b->words[i];
		return true;
	}
	if (set_type(a) == GLASS_FIELD_IS_NUMBER) {
		r = arena_alloc(&l->arena, (a->count + b->count) * sizeof(*r));
		if (!r)
			return filter_refuse_memory(l, b->from);
		memcpy(r, a->ranges, a->count * sizeof(*r));
		memcpy(r + a->count, b->ranges, b->count * sizeof(*r));
		a->count = tidy(r, a->count + b->count);
		a->ranges = r;
		return true;
	}
	texts = arena_alloc(&l->arena, (a->count + b->count) * sizeof(*texts));
	if (!texts)
		return filter_refuse_memory(l, b->from);
	memcpy(texts, a->texts, a->count * sizeof(*texts));
	a->texts = texts;
	for (k = 0; k < b->count; k++) {
		for (i = 0; i < a->count && strcmp(texts[i], b->texts[k]); i++)
			;
		if (i == a->count)
			texts[a->count++] = b->texts[k];
	}
	return true;
}

bool set_equal(const struct set *a, const struct set *b)
{
	size_t i;

	if (set_type(a) == GLASS_FIELD_IS_WORD)
		return !memcmp(a->words, b->words, sizeof(a->words));
	if (a->count != b->count || a->pattern != b->pattern)
		return false;
	if (set_type(a) == GLASS_FIELD_IS_NUMBER)
		return !memcmp(a->ranges, b->ranges, a->count * sizeof(*a->ranges));
	for (i = 0; i < a->count; i++)
		if (strcmp(a->texts[i], b->texts[i]))
			return false;
	return true;
}
