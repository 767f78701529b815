// SPDX-License-Identifier: GPL-2.0-only
#include "lib/filter_lower.h"

/* Limit in bytes for intermediate sets. It limits the time, too. */
#define WORK_MEMORY (16 << 20)

/* Returns the only set in which two terms differ, or -1. *differ: number of sets that differ. */
static int difference(const struct term *a, const struct term *b, size_t *differ)
{
	int where = -1;
	size_t i;

	*differ = 2;
	if (a->count != b->count)
		return -1;
	for (i = 0; i < a->count; i++)
		if (a->sets[i].key != b->sets[i].key)
			return -1;
	*differ = 0;
	for (i = 0; i < a->count; i++) {
		if (set_equal(&a->sets[i], &b->sets[i]))
			continue;
		where = i;
		++*differ;
	}
	return *differ == 1 ? where : -1;
}

/* Adds a term, or merges it with a term that differs from it in a single set. */
static bool add_term(struct lowering *l, struct list *to, struct term *t, const struct node *n)
{
	struct term **at = &to->first;
	size_t differ;
	int where;

	while (*at) {
		struct term *old = *at;

		where = difference(old, t, &differ);
		if (!differ)
			return true;
		if (where < 0 || old->sets[where].pattern || t->sets[where].pattern) {
			at = &old->next;
			continue;
		}
		if (!set_join(l, &t->sets[where], &old->sets[where]))
			return false;
		*at = old->next; /* the merged term may in turn merge with another */
		to->count--;
		at = &to->first;
	}
	if (to->count == GLASS_FILTER_TERMS)
		return filter_error(l->error, n->at, n->len, "this makes more than %d alternatives",
				    GLASS_FILTER_TERMS);
	t->next = NULL;
	*at = t;
	to->count++;
	return true;
}

/* Makes *to the conjunction of two terms; NULL if no object can match it. */
static bool both_terms(struct lowering *l, const struct term *a, const struct term *b,
		       const struct node *n, struct term **to)
{
	struct term *t = arena_alloc(&l->arena, sizeof(*t));
	size_t i = 0, k = 0;

	*to = NULL;
	if (t)
		t->sets = arena_alloc(&l->arena, (a->count + b->count) * sizeof(*t->sets));
	if (!t || !t->sets)
		return filter_refuse_memory(l, n);
	while (i < a->count || k < b->count) {
		struct set *s = &t->sets[t->count++];
		int f = i < a->count ? a->sets[i].key->field : glass_field_max();
		int g = k < b->count ? b->sets[k].key->field : glass_field_max();

		if (f < g)
			*s = a->sets[i++];
		else if (g < f)
			*s = b->sets[k++];
		else if (!set_intersect(l, &a->sets[i++], &b->sets[k++], s))
			return false;
		if (set_is_empty(s))
			return true;
	}
	*to = t;
	return true;
}

static bool lower_node(struct lowering *l, const struct node *n, bool negated, struct list *to);

static bool lower_or(struct lowering *l, const struct node *n, bool negated, struct list *to)
{
	const struct node *child;

	for (child = n->child; child; child = child->next) {
		struct list list = { 0 };
		struct term *t, *next;

		if (!lower_node(l, child, negated, &list))
			return false;
		for (t = list.first; t; t = next) {
			next = t->next;
			if (!add_term(l, to, t, n))
				return false;
		}
	}
	return true;
}

static bool multiply(struct lowering *l, const struct list *a, const struct list *b,
		     const struct node *n, struct list *to)
{
	const struct term *s, *t;
	struct term *both;

	for (s = a->first; s; s = s->next) {
		for (t = b->first; t; t = t->next) {
			if (!both_terms(l, s, t, n, &both))
				return false;
			if (both && !add_term(l, to, both, n))
				return false;
		}
	}
	return true;
}

static bool lower_and(struct lowering *l, const struct node *n, bool negated, struct list *to)
{
	const struct node *child;
	struct list all, list, product;

	all = (struct list){ 0 };
	if (!lower_node(l, n->child, negated, &all))
		return false;
	for (child = n->child->next; child; child = child->next) {
		list = (struct list){ 0 };
		product = (struct list){ 0 };
		if (!lower_node(l, child, negated, &list) || !multiply(l, &all, &list, n, &product))
			return false;
		all = product;
	}
	*to = all;
	return true;
}

static bool lower_comparison(struct lowering *l, const struct node *n, bool negated,
			     struct list *to)
{
	struct term *t = arena_alloc(&l->arena, sizeof(*t));

	if (t)
		t->sets = arena_alloc(&l->arena, sizeof(*t->sets));
	if (!t || !t->sets)
		return filter_refuse_memory(l, n);
	t->count = 1;
	if (!set_make(l, n, negated, t->sets))
		return false;
	return set_is_empty(t->sets) || add_term(l, to, t, n);
}

static bool lower_node(struct lowering *l, const struct node *n, bool negated, struct list *to)
{
	switch (n->kind) {
	case NODE_NOT:
		return lower_node(l, n->child, !negated, to);
	case NODE_AND:
		return (negated ? lower_or : lower_and)(l, n, negated, to);
	case NODE_OR:
		return (negated ? lower_and : lower_or)(l, n, negated, to);
	default:
		return lower_comparison(l, n, negated, to);
	}
}

struct glass_filter_terms *glass_filter_lower(const struct glass_filter *filter,
					      const struct glass_filter_target *target,
					      struct glass_filter_error *error)
{
	struct lowering l = { .target = target, .error = error };
	struct glass_filter_terms *terms = NULL;
	struct list list = { 0 };

	arena_init(&l.arena, WORK_MEMORY);
	if (lower_node(&l, filter->root, false, &list))
		terms = filter_cut(&l, &list);
	arena_free(&l.arena);
	return terms;
}
