/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Words, numbers and name patterns, as filters and injection rules are written in. Text needs no NUL. */
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

/* Decimal or 0x, 64 bits; the whole text. */
bool glass_word_number(const char *text, size_t len, u64 *v);

/* Is the text a number but for its size? */
bool glass_word_is_digits(const char *text, size_t len);

/* A number, or LOW..HIGH. */
bool glass_word_range(const char *text, size_t len, u64 *low, u64 *high);

/* Words joined by commas: the values of those, ORed. */
bool glass_word_set(const struct glass_word *words, const char *text, size_t len, u64 *set);

/* A name in which * and ? are wildcards; %XX stands for a byte that is none. */
#define GLASS_NAME_BYTES 16

struct glass_name {
	u32 wild; /* bit n: byte n of text is a wildcard */
	char text[GLASS_NAME_BYTES];
};

bool glass_name_parse(struct glass_name *n, const char *text, size_t len);

/* Does the pattern fit? text ends in a NUL. */
bool glass_name_fits(const struct glass_name *n, const char *text);

#endif
