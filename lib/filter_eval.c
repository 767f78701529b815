// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "lib/filter_internal.h"

/* Logic of three values: a comparison with a field that the object lacks is UNKNOWN. */
enum truth { NO, UNKNOWN, YES };

static enum truth truth(bool is)
{
	return is ? YES : NO;
}

bool filter_like(const char *pattern, const char *text)
{
	const char *star = NULL, *from = NULL; /* of the last '*': where to retry */

	while (*text) {
		if (*pattern == '*') {
			star = ++pattern;
			from = text;
		} else if (*pattern == '?' || *pattern == *text) {
			pattern++;
			text++;
		} else if (star) {
			pattern = star;
			text = ++from;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

static bool equal_text(const char *wanted, bool pattern, const char *text)
{
	return pattern ? filter_like(wanted, text) : !strcmp(wanted, text);
}

/* Does text, flags joined by '|', contain the wanted flag? */
static bool equal_flag(const char *wanted, bool pattern, const char *text)
{
	char flag[64];
	size_t n;

	for (;; text += n + 1) {
		n = strcspn(text, "|");
		if (n < sizeof(flag)) {
			memcpy(flag, text, n);
			flag[n] = 0;
			if (equal_text(wanted, pattern, flag))
				return true;
		}
		if (!text[n])
			return false;
	}
}

static bool number_in(const struct node *n, uint64_t v)
{
	size_t i;

	for (i = 0; i < n->num_values; i++)
		if (v >= n->values[i].low && v <= n->values[i].high)
			return true;
	return false;
}

static bool compare_number(const struct node *n, uint64_t v)
{
	uint64_t with = n->values[0].low;

	switch (n->op) {
	case COMPARE_LT:
		return v < with;
	case COMPARE_LE:
		return v <= with;
	case COMPARE_GT:
		return v > with;
	case COMPARE_GE:
		return v >= with;
	case COMPARE_NE:
		return v != with;
	default:
		return number_in(n, v);
	}
}

static bool compare_text(const struct node *n, enum glass_field_type type, const char *text)
{
	bool pattern = n->op == COMPARE_LIKE, found = false;
	size_t i;

	for (i = 0; i < n->num_values && !found; i++)
		found = type == GLASS_FIELD_IS_FLAGS ? equal_flag(n->values[i].text, pattern, text)
						     : equal_text(n->values[i].text, pattern, text);
	return n->op == COMPARE_NE ? !found : found;
}

/* Returns false if the object lacks the field. */
static bool get_value(glass_get_fn get, const void *object, int field, struct glass_value *v)
{
	memset(v, 0, sizeof(*v));
	if (!get(object, field, v))
		return false;
	return v->text || glass_field_type(field) == GLASS_FIELD_IS_NUMBER;
}

static enum truth compare(const struct node *n, glass_get_fn get, const void *object)
{
	enum glass_field_type type = glass_field_type(n->field);
	struct glass_value v;
	bool has = get_value(get, object, n->field, &v);

	if (n->op == COMPARE_HAS)
		return truth(has);
	if (!has)
		return UNKNOWN;
	if (type == GLASS_FIELD_IS_NUMBER)
		return truth(compare_number(n, filter_order(n->field, v.num)));
	return truth(compare_text(n, type, v.text));
}

static enum truth evaluate(const struct node *n, glass_get_fn get, const void *object)
{
	const struct node *child;
	enum truth t, all;

	switch (n->kind) {
	case NODE_AND: /* the minimum of its children */
		all = YES;
		for (child = n->child; child && all != NO; child = child->next) {
			t = evaluate(child, get, object);
			all = t < all ? t : all;
		}
		return all;
	case NODE_OR: /* the maximum of its children */
		all = NO;
		for (child = n->child; child && all != YES; child = child->next) {
			t = evaluate(child, get, object);
			all = t > all ? t : all;
		}
		return all;
	case NODE_NOT:
		return YES - evaluate(n->child, get, object);
	default:
		return compare(n, get, object);
	}
}

bool glass_filter_match(const struct glass_filter *filter, glass_get_fn get, const void *object)
{
	return evaluate(filter->root, get, object) == YES;
}
