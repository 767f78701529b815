// SPDX-License-Identifier: GPL-2.0-only
/* What was probably meant by a name that is not there. */
#include <stdlib.h>
#include <string.h>

#include "lib/filter_internal.h"

#define NAME_MAX_LEN 32

static int least(int a, int b)
{
	return a < b ? a : b;
}

/*
 * How many letters must be changed, added, left out or swapped with their neighbour
 * to get from a to b; large when one of them is too long to be a name.
 */
static int distance(const char *a, const char *b)
{
	int d[NAME_MAX_LEN + 1][NAME_MAX_LEN + 1];
	int m = strlen(a), n = strlen(b), i, k;

	if (m > NAME_MAX_LEN || n > NAME_MAX_LEN)
		return NAME_MAX_LEN;
	for (i = 0; i <= m; i++)
		d[i][0] = i;
	for (k = 0; k <= n; k++)
		d[0][k] = k;
	for (i = 1; i <= m; i++) {
		for (k = 1; k <= n; k++) {
			d[i][k] = least(least(d[i - 1][k], d[i][k - 1]) + 1,
					d[i - 1][k - 1] + (a[i - 1] != b[k - 1]));
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
				d[i][k] = least(d[i][k], d[i - 2][k - 2] + 1);
		}
	}
	return d[m][n];
}

/* The nearest of the candidates that were seen, if it is near enough to be a slip */
struct nearest {
	const char *wanted, *found;
	int distance;
};

static struct nearest nearest_to(const char *wanted)
{
	int len = strlen(wanted);

	return (struct nearest){ wanted, NULL, len < 3 ? 2 : len / 3 + 2 };
}

static void consider(struct nearest *n, const char *candidate)
{
	int d, longer = (int)strlen(candidate) - (int)strlen(n->wanted);

	if (abs(longer) >= n->distance)
		return;
	d = distance(n->wanted, candidate);
	if (d < n->distance && d < (int)strlen(candidate)) {
		n->distance = d;
		n->found = candidate;
	}
}

bool filter_in_scope(const struct glass_filter_scope *scope, int field)
{
	size_t i;

	if (!scope)
		return true;
	for (i = 0; i < scope->num_fields; i++)
		if (scope->fields[i] == field)
			return true;
	return false;
}

const char *filter_nearest_field(const char *name, const struct glass_filter_scope *scope)
{
	struct nearest n = nearest_to(name);
	int i;

	for (i = 0; i < glass_field_max(); i++)
		if (glass_field_name(i) && filter_in_scope(scope, i))
			consider(&n, glass_field_name(i));
	return n.found;
}

const char *filter_nearest_word(int field, const char *word)
{
	struct nearest n = nearest_to(word);
	int i;

	for (i = 0; i < glass_field_word_max(field); i++)
		if (glass_field_word(field, i))
			consider(&n, glass_field_word(field, i));
	return n.found;
}

int filter_field_of_word(const char *word, const struct glass_filter_scope *scope)
{
	int i;

	for (i = 0; i < GLASS_FIELD_COUNT; i++) /* columns beyond have no words */
		if (filter_in_scope(scope, i) && glass_field_find_word(i, word) >= 0)
			return i;
	return -1;
}
