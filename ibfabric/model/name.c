// SPDX-License-Identifier: GPL-2.0-only
/* Legal names of nodes, made of any text. */
#include <string.h>

#include "topo.h"

/* The driver refuses this name: a directory in debugfs has it. */
static const char reserved[] = "fabric";

static bool is_alnum(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool is_legal(char c)
{
	return is_alnum(c) || c == '.' || c == '_' || c == '-';
}

bool topo_name_legal(const char *name)
{
	size_t i;

	if (!is_alnum(*name) || !strcmp(name, reserved))
		return false;
	for (i = 0; name[i]; i++)
		if (i >= TOPO_NAME - 1 || !is_legal(name[i]))
			return false;
	return true;
}

static bool is_taken(const struct topo *t, const char *name)
{
	return topo_find(t, name) >= 0 || !strcmp(name, reserved);
}

void topo_name_make(struct topo *t, const char *text, const char *fallback, char name[TOPO_NAME])
{
	char end[16], base[TOPO_NAME];
	size_t len = 0, keep;
	int64_t i;

	for (; *text && len < TOPO_NAME - 1; text++) {
		if (!len && !is_alnum(*text))
			continue;
		if (is_legal(*text))
			name[len++] = *text;
		else if (name[len - 1] != '_')
			name[len++] = '_';
	}
	while (len && !is_alnum(name[len - 1]))
		len--;
	name[len] = 0;
	if (!len)
		strcpy(name, fallback);
	if (!is_taken(t, name))
		return;
	strcpy(base, name);
	len = strlen(base);
	i = topo_index_get(&t->numbered, base);
	i = i < 0 ? 1 : i;
	while (is_taken(t, name)) {
		keep = snprintf(end, sizeof(end), "-%u", (unsigned int)++i);
		keep = len + keep > TOPO_NAME - 1 ? TOPO_NAME - 1 - keep : len;
		strcpy(name + keep, end);
	}
	topo_index_set(&t->numbered, base, i);
}
