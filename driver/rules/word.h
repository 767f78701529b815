/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Parses words, numbers and name patterns of filters, injection rules and lint commands. A text of
 * `len` bytes needs no NUL.
 */
#ifndef GLASS_RULES_WORD_H
#define GLASS_RULES_WORD_H

#include "wire/shim.h"

/* A word of a table, and its value. The last entry of a table has the text NULL. */
struct glass_word {
	const char *text;
	u64 value;
};

/* Returns the entry of a word, or NULL. */
const struct glass_word *glass_word_find(const struct glass_word *words, const char *text,
					 size_t len);

/* Returns the value of a digit, or -1: it is no digit in this base. base: at most 16. */
int glass_digit(char c, u32 base);

/* Parses the whole text as a 64-bit number, decimal or 0x. False: the text is no such number. */
bool glass_word_number(const char *text, size_t len, u64 *v);

/* Is the whole text a number, decimal or 0x, of any size? */
bool glass_word_is_digits(const char *text, size_t len);

/* Parses a number, or LOW..HIGH with LOW not above HIGH. False: the text is neither. */
bool glass_word_range(const char *text, size_t len, u64 *low, u64 *high);

/* Parses words joined by commas into the OR of their values. False: a word is unknown. */
bool glass_word_set(const struct glass_word *words, const char *text, size_t len, u64 *set);

#define GLASS_NAME_BYTES 16 /* bytes of a process name, with its NUL */
#define GLASS_NODE_NAME_BYTES 32 /* bytes of the name of a node of the fabric, with its NUL */

/* A pattern for names */
struct glass_name {
	u32 wild; /* bit n: byte n of text is a wildcard, * or ? */
	char text[GLASS_NODE_NAME_BYTES];
};

/*
 * Parses a pattern: * and ? are wildcards, %XX is the byte 0xXX, never a wildcard. most: the
 * largest number of bytes, at most GLASS_NODE_NAME_BYTES - 1. False: the pattern is empty or
 * longer, or has a NUL or a wrong %.
 */
bool glass_name_parse(struct glass_name *n, const char *text, size_t len, size_t most);

/* Does the pattern match the name `text`, which ends in a NUL? */
bool glass_name_fits(const struct glass_name *n, const char *text);

#endif
