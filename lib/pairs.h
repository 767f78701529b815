/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines of key=value, as rules, journals and stats are made of. */
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

/* The next one; *at goes on behind it. False: there is none. A newline ends the line. */
bool next_pair(const char **at, struct pair *p);
bool pair_is(const struct pair *p, const char *key);

/* The value of a key; false: it is not there. find_number: neither is it when it is no number. */
bool find_value(const char *line, const char *key, char *to, size_t size);
bool find_number(const char *line, const char *key, uint64_t *to);

#endif
