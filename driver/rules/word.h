/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Parses the words, numbers and name patterns of filters and injection rules. Text needs no NUL. */
#ifndef GLASS_RULES_WORD_H
#define GLASS_RULES_WORD_H

#include "wire/shim.h"

/* Tables end with an entry without text. */
struct glass_word {
	const char *text;
	u64 value;
};

const struct glass_word *glass_word_find(const struct glass_word *words, const char *text,
					 size_t len);

/* The value of a digit in that base, or -1. */
int glass_digit(char c, u32 base);

/* Parses the whole text as a 64-bit number, decimal or 0x. False: it is none. */
bool glass_word_number(const char *text, size_t len, u64 *v);

/* Is the text a number, of any size? */
bool glass_word_is_digits(const char *text, size_t len);

/* A number, or LOW..HIGH. */
bool glass_word_range(const char *text, size_t len, u64 *low, u64 *high);

/* Parses words joined by commas into the OR of their values. False: a word is unknown. */
bool glass_word_set(const struct glass_word *words, const char *text, size_t len, u64 *set);

/* A name in which * and ? are wildcards; %XX is a literal byte. */
#define GLASS_NAME_BYTES 16

struct glass_name {
	u32 wild; /* bit n: byte n of text is a wildcard */
	char text[GLASS_NAME_BYTES];
};

bool glass_name_parse(struct glass_name *n, const char *text, size_t len);

/* Does the pattern fit? text ends in a NUL. */
bool glass_name_fits(const struct glass_name *n, const char *text);

#endif
