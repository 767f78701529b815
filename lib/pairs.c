// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "lib/debugfs/text.h"
#include "lib/pairs.h"

bool next_pair(const char **at, struct pair *p)
{
	const char *eq;
	size_t len;

	*at += strspn(*at, " \t");
	len = strcspn(*at, " \t\n");
	if (!len)
		return false;
	eq = memchr(*at, '=', len);
	p->key = *at;
	p->key_len = eq ? (size_t)(eq - *at) : len;
	p->value = eq ? eq + 1 : NULL;
	p->value_len = eq ? len - p->key_len - 1 : 0;
	*at += len;
	return true;
}

bool pair_is(const struct pair *p, const char *key)
{
	return strlen(key) == p->key_len && !memcmp(p->key, key, p->key_len);
}

bool find_pair(const char *line, const char *key, struct pair *p)
{
	while (next_pair(&line, p))
		if (p->value && pair_is(p, key))
			return true;
	return false;
}

bool find_value(const char *line, const char *key, char *to, size_t size)
{
	struct pair p;

	if (!find_pair(line, key, &p) || p.value_len >= size)
		return false;
	memcpy(to, p.value, p.value_len);
	to[p.value_len] = 0;
	return true;
}

bool find_text(const char *line, const char *key, char *to, size_t size)
{
	return find_value(line, key, to, size) && debugfs_decode(to, strlen(to), to) >= 0;
}

bool find_number(const char *line, const char *key, uint64_t *to)
{
	struct pair p;

	return find_pair(line, key, &p) && debugfs_number(p.value, p.value_len, to);
}
