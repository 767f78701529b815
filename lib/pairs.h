/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lines of key=value: the form of rules, scopes and journals. Blanks and tabs separate the pairs; a
 * newline or a NUL ends the line. If a key occurs twice, the first one counts.
 */
#ifndef GLASS_LIB_PAIRS_H
#define GLASS_LIB_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A pair of a line. A word without '=' is a key whose value is NULL. */
struct pair {
	const char *key, *value;
	size_t key_len, value_len;
};

/* Parses the next pair and moves *at behind it. Returns false at the end of the line. */
bool next_pair(const char **at, struct pair *p);
bool pair_is(const struct pair *p, const char *key);

/* Finds the pair of a key. Returns false if the key is missing or has no value. */
bool find_pair(const char *line, const char *key, struct pair *p);

/*
 * Copies the value of a key, undecoded. Returns false if the key is missing, or if the value does
 * not fit: values are never truncated.
 */
bool find_value(const char *line, const char *key, char *to, size_t size);
/* As find_value(), but decodes %XX. Also returns false if debugfs_decode() rejects the value. */
bool find_text(const char *line, const char *key, char *to, size_t size);
/* Reads the value as a number. Also returns false if debugfs_number() rejects it. */
bool find_number(const char *line, const char *key, uint64_t *to);

#endif
