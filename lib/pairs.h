/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lines of key=value, as rules, scopes and journals are made of. Blanks and tabs divide them; a
 * newline or a NUL ends the line. Of a key that comes twice the first one counts.
 */
#ifndef GLASS_LIB_PAIRS_H
#define GLASS_LIB_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A piece of a line. A word without '=' has a key and no value (NULL). */
struct pair {
	const char *key, *value;
	size_t key_len, value_len;
};

/* The next one; *at goes on behind it. False: there is none. */
bool next_pair(const char **at, struct pair *p);
bool pair_is(const struct pair *p, const char *key);

/* The pair of a key; false: the key is not there, or has no value. */
bool find_pair(const char *line, const char *key, struct pair *p);

/*
 * The value of a key as it was written. False: the key is not there, or its value has no room:
 * no reader takes half a value for a whole one.
 */
bool find_value(const char *line, const char *key, char *to, size_t size);
/* The same with %XX decoded; false, too, when debugfs_decode() refuses the value. */
bool find_text(const char *line, const char *key, char *to, size_t size);
/* The value as a number; false, too, when debugfs_number() finds none. */
bool find_number(const char *line, const char *key, uint64_t *to);

#endif
