/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Parses words, numbers and name patterns of filters and injection rules. No text needs a NUL,
 * unless noted.
 */
#ifndef GLASS_RULES_WORD_H
#define GLASS_RULES_WORD_H

#include "wire/shim.h"

/* A word of a table, and its value. The last entry of a table has no text. */
struct glass_word {
	const char *text;
	u64 value;
};

/* Returns the entry of a word, or NULL. */
const struct glass_word *glass_word_find(const struct glass_word *words, const char *text,
					 size_t len);

/* The value of a digit in that base, or -1. */
int glass_digit(char c, u32 base);

/* Parses the whole text as a 64-bit number, decimal or 0x. False: it is no such number. */
bool glass_word_number(const char *text, size_t len, u64 *v);

/* Is the text a number, of any size? */
bool glass_word_is_digits(const char *text, size_t len);

/* Parses a number, or LOW..HIGH with LOW not above HIGH. False: the text is neither. */
bool glass_word_range(const char *text, size_t len, u64 *low, u64 *high);

/* Parses words joined by commas into the OR of their values. False: a word is unknown. */
bool glass_word_set(const struct glass_word *words, const char *text, size_t len, u64 *set);

/* A pattern for names: * and ? are wildcards, %XX is a literal byte. */
#define GLASS_NAME_BYTES 16

struct glass_name {
	u32 wild; /* bit n: byte n of text is a wildcard */
	char text[GLASS_NAME_BYTES];
};

bool glass_name_parse(struct glass_name *n, const char *text, size_t len);

/* Does the pattern match the name `text`, which ends in a NUL? */
bool glass_name_fits(const struct glass_name *n, const char *text);

#endif
