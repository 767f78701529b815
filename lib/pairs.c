// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "lib/pairs.h"
#include "rules/word.h"

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

bool find_value(const char *line, const char *key, char *to, size_t size)
{
	struct pair p;

	while (next_pair(&line, &p)) {
		if (!p.value || !pair_is(&p, key))
			continue;
		snprintf(to, size, "%.*s", (int)p.value_len, p.value);
		return true;
	}
	return false;
}

bool find_number(const char *line, const char *key, uint64_t *to)
{
	char text[32];
	u64 v;

	if (!find_value(line, key, text, sizeof(text)) ||
	    !glass_word_number(text, strlen(text), &v))
		return false;
	*to = v;
	return true;
}
