// SPDX-License-Identifier: GPL-2.0-only
/* Cuts terms of sets into terms of pairs that the target can hold. */
#include <stdlib.h>
#include <string.h>

#include "lib/filter_lower.h"

/* Enough for the largest result: terms, their pairs, the values of their sets */
#define RESULT_MEMORY (64 << 20)

struct lowered {
	struct glass_filter_terms terms; /* must be first: the caller gets its address */
	struct arena arena;
};

/* A set as values; each pair takes at_once of them. */
struct cut {
	struct glass_filter_value *values;
	size_t count, at_once, pairs;
};

static size_t max_terms(const struct glass_filter_target *t)
{
	return t->max_terms && t->max_terms < GLASS_FILTER_TERMS ? t->max_terms
								 : GLASS_FILTER_TERMS;
}

static size_t at_once(const struct glass_filter_key *key)
{
	return key->max_values ? key->max_values : 1;
}

/* Returns the number of values of a set for a target, or limit + 1 if it exceeds limit. */
static size_t count_values(const struct set *s, size_t limit)
{
	size_t i, n = 0;

	if (set_type(s) == GLASS_FIELD_IS_WORD) {
		for (i = 0; i < WORD_BITS; i++)
			n += __builtin_popcountll(s->words[i]);
		return n;
	}
	if (set_type(s) == GLASS_FIELD_IS_TEXT || s->key->ranges)
		return s->count;
	for (i = 0; i < s->count; i++) {
		uint64_t more = s->ranges[i].high - s->ranges[i].low;

		if (more >= limit || n + more + 1 > limit)
			return limit + 1;
		n += more + 1;
	}
	return n;
}

static char *copy_text(struct arena *arena, const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = arena_alloc(arena, size);

	return copy ? memcpy(copy, text, size) : NULL;
}

static bool text_values(struct arena *arena, const struct set *s, struct glass_filter_value *v)
{
	size_t i;

	for (i = 0; i < s->count; i++) {
		v[i].text = copy_text(arena, s->texts[i]);
		if (!v[i].text)
			return false;
	}
	return true;
}

static void word_values(const struct set *s, struct glass_filter_value *v)
{
	int i;

	for (i = 0; i < GLASS_WORDS_MAX; i++)
		if (s->words[i / 64] >> i % 64 & 1)
			(v++)->text = glass_field_word(s->key->field, i);
}

static struct glass_filter_value number_value(int field, uint64_t low, uint64_t high)
{
	return (struct glass_filter_value){
		.low = filter_order(field, low),
		.high = filter_order(field, high),
	};
}

static void number_values(const struct set *s, struct glass_filter_value *v)
{
	int field = s->key->field;
	size_t i;

	for (i = 0; i < s->count; i++) {
		uint64_t low = s->ranges[i].low, high = s->ranges[i].high;

		if (s->key->ranges) {
			*v++ = number_value(field, low, high);
			continue;
		}
		for (;; low++) {
			*v++ = number_value(field, low, low);
			if (low == high)
				break;
		}
	}
}

static bool cut_set(struct lowering *l, struct arena *arena, const struct set *s, struct cut *c)
{
	size_t limit, most = max_terms(l->target);

	c->at_once = at_once(s->key);
	limit = c->at_once > GLASS_FILTER_TEXT / most ? GLASS_FILTER_TEXT : c->at_once * most;
	c->count = count_values(s, limit);
	if (c->count > limit && set_type(s) == GLASS_FIELD_IS_NUMBER && !s->key->ranges)
		return filter_error(
			l->error, s->from->at, s->from->len,
			"%s can match single values of `%s`, not a range as large as this",
			l->target->what, glass_field_name(s->key->field));
	c->pairs = (c->count + c->at_once - 1) / c->at_once;
	c->values = arena_alloc(arena, c->count * sizeof(*c->values));
	if (!c->values)
		return filter_refuse_memory(l, s->from);
	switch (set_type(s)) {
	case GLASS_FIELD_IS_NUMBER:
		number_values(s, c->values);
		return true;
	case GLASS_FIELD_IS_TEXT:
		return text_values(arena, s, c->values) || filter_refuse_memory(l, s->from);
	default:
		word_values(s, c->values);
		return true;
	}
}

/* Cuts one term: one result for each choice of one pair per set. */
static bool cut_term(struct lowering *l, struct lowered *r, const struct term *t)
{
	struct cut *cuts = arena_alloc(&l->arena, t->count * sizeof(*cuts));
	size_t i, k, total = 1, most = max_terms(l->target), room = most - r->terms.num_terms;
	const struct set *widest = t->sets;

	if (!cuts)
		return filter_refuse_memory(l, t->sets->from);
	for (i = 0; i < t->count; i++) {
		if (!cut_set(l, &r->arena, &t->sets[i], &cuts[i]))
			return false;
		if (cuts[i].pairs > cuts[widest - t->sets].pairs)
			widest = &t->sets[i];
		total = total > most ? total : total * cuts[i].pairs;
	}
	if (total > room)
		return filter_error(l->error, widest->from->at, widest->from->len,
				    "this makes more than the %zu alternatives that %s takes", most,
				    l->target->what);
	for (i = 0; i < total; i++) {
		struct glass_filter_term *to = &r->terms.terms[r->terms.num_terms++];
		size_t choice = i;

		to->pairs = arena_alloc(&r->arena, t->count * sizeof(*to->pairs));
		if (!to->pairs)
			return filter_refuse_memory(l, t->sets->from);
		to->num_pairs = t->count;
		for (k = 0; k < t->count; choice /= cuts[k++].pairs) {
			size_t from = choice % cuts[k].pairs * cuts[k].at_once;
			size_t left = cuts[k].count - from;

			to->pairs[k] = (struct glass_filter_pair){
				.key = t->sets[k].key,
				.pattern = t->sets[k].pattern,
				.num_values = left < cuts[k].at_once ? left : cuts[k].at_once,
				.values = cuts[k].values + from,
			};
		}
	}
	return true;
}

struct glass_filter_terms *filter_cut(struct lowering *l, const struct list *list)
{
	struct lowered *r = calloc(1, sizeof(*r));
	const struct term *t;

	if (!r) {
		filter_error(l->error, 0, 0, "out of memory");
		return NULL;
	}
	arena_init(&r->arena, RESULT_MEMORY);
	r->terms.terms = arena_alloc(&r->arena, max_terms(l->target) * sizeof(*r->terms.terms));
	if (!r->terms.terms) {
		filter_error(l->error, 0, 0, "out of memory");
		glass_filter_terms_free(&r->terms);
		return NULL;
	}
	for (t = list->first; t; t = t->next) {
		if (cut_term(l, r, t))
			continue;
		glass_filter_terms_free(&r->terms);
		return NULL;
	}
	return &r->terms;
}

void glass_filter_terms_free(struct glass_filter_terms *terms)
{
	struct lowered *r = (struct lowered *)terms;

	if (!r)
		return;
	arena_free(&r->arena);
	free(r);
}
