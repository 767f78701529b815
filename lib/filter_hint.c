// SPDX-License-Identifier: GPL-2.0-only
/* Suggests a field or word that is near to an unknown one. */
#include "lib/filter_internal.h"
#include "lib/nearest.h"

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
	struct glass_nearest n = glass_nearest_to(name);
	int count = scope ? (int)scope->num_fields : glass_field_max(), i;

	for (i = 0; i < count; i++) {
		/* a name of two fields is considered twice: cheaper than to detect it */
		const char *field = glass_field_spelled(scope ? scope->fields[i] : i);

		if (field)
			glass_nearest_consider(&n, field);
	}
	return n.found;
}

const char *filter_nearest_word(int field, const char *word)
{
	struct glass_nearest n = glass_nearest_to(word);
	int i;

	for (i = 0; i < glass_field_word_max(field); i++)
		if (glass_field_word(field, i))
			glass_nearest_consider(&n, glass_field_word(field, i));
	return n.found;
}

int filter_field_of_word(const char *word, const struct glass_filter_scope *scope)
{
	int i;

	for (i = 0; i < GLASS_FIELD_COUNT; i++) /* later fields are columns: they have no words */
		if (filter_in_scope(scope, i) && glass_field_find_word(i, word) >= 0)
			return i;
	return -1;
}
