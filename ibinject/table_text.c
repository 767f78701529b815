// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "table_text.h"

/* The names of the columns: what is behind the colon of the first line; NULL: there is none */
static const char *columns(const char *table)
{
	const char *end = strchr(table, '\n'), *colon = strchr(table, ':');

	return *table == '#' && colon && (!end || colon < end) ? colon + 1 : NULL;
}

static bool next_word(const char **at, const char **word, size_t *len)
{
	*word = *at + strspn(*at, " \t");
	*len = strcspn(*word, " \t\n");
	*at = *word + *len;
	return *len;
}

bool table_value(const char *table, const char *line, const char *column, char *to, size_t size)
{
	const char *names = columns(table), *name, *value;
	size_t name_len, len;

	if (!names || *line == '#')
		return false;
	while (next_word(&names, &name, &name_len) && next_word(&line, &value, &len)) {
		if (strlen(column) != name_len || memcmp(column, name, name_len))
			continue;
		snprintf(to, size, "%.*s", (int)len, value);
		return true;
	}
	return false;
}

void table_print(FILE *to, const char *table, const char *line)
{
	const char *names = columns(table), *name, *value;
	size_t name_len, len;
	bool first = true;

	while (names && next_word(&names, &name, &name_len) && next_word(&line, &value, &len)) {
		if (len == 1 && *value == '-')
			continue;
		fprintf(to, "%s%.*s=%.*s", first ? "" : " ", (int)name_len, name, (int)len, value);
		first = false;
	}
	fputc('\n', to);
}
