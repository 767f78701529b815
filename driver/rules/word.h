/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Parses words, numbers and name patterns of filters, injection rules and lint commands. A text of
 * `len` bytes does not have to end in a NUL.
 */
#ifndef GLASS_RULES_WORD_H
#define GLASS_RULES_WORD_H

#include "wire/shim.h"

/* A word of a table, and its value. In the last entry of a table, `text` is NULL. */
struct glass_word {
	const char *text;
	u64 value;
};

/* Returns the entry of a word, or NULL. */
const struct glass_word *glass_word_find(const struct glass_word *words, const char *text,
					 size_t len);

/* Returns the value of a digit, or -1 if c is no digit in this base. `base` is at most 16. */
int glass_digit(char c, u32 base);

/*
 * Parses the whole text as a 64-bit number: decimal, or hexadecimal with 0x. Returns false if the
 * text is no such number.
 */
bool glass_word_number(const char *text, size_t len, u64 *v);

/* Is the whole text a number of any size: decimal, or hexadecimal with 0x? */
bool glass_word_is_digits(const char *text, size_t len);

/* Parses a number, or LOW..HIGH with LOW not above HIGH. Returns false if the text is neither. */
bool glass_word_range(const char *text, size_t len, u64 *low, u64 *high);

/* Parses words joined by commas into the OR of their values. Returns false if a word is unknown. */
bool glass_word_set(const struct glass_word *words, const char *text, size_t len, u64 *set);

#define GLASS_NAME_BYTES 16 /* size of a process name in bytes, with its NUL */
#define GLASS_NODE_NAME_BYTES 32 /* size of the name of a node of the fabric, with its NUL */

/* A pattern for names */
struct glass_name {
	u32 wild; /* bit n is set if byte n of text is a wildcard, * or ? */
	char text[GLASS_NODE_NAME_BYTES];
};

/*
 * Parses a pattern. The wildcard * matches any text, and ? any one byte. %XX is the byte 0xXX,
 * which is never a wildcard. Returns false if the pattern is empty, has more than `most` bytes, has
 * a NUL, or has a % without two hexadecimal digits. `most` is at most GLASS_NODE_NAME_BYTES - 1.
 */
bool glass_name_parse(struct glass_name *n, const char *text, size_t len, size_t most);

/* Does the pattern match the name `text`, which ends in a NUL? */
bool glass_name_fits(const struct glass_name *n, const char *text);

#endif
