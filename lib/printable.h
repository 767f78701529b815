/* SPDX-License-Identifier: GPL-2.0-only */
/* Texts that others chose, such as names of processes, on their way to a terminal. */
#ifndef GLASS_LIB_PRINTABLE_H
#define GLASS_LIB_PRINTABLE_H

/*
 * Puts '?' in place of what a terminal must not get of others: control characters,
 * bytes that are not UTF-8, and characters that change the order or the lines of a
 * text (U+2028 to U+202E, U+2066 to U+2069, U+200E, U+200F, U+061C). The text gets no
 * longer; what is left is UTF-8.
 */
void printable(char *text);

/* The same, but newlines stay: for messages of several lines. */
void printable_lines(char *text);

/* The same as printable(), with '?' for each byte that is not ASCII: for terminals with another encoding. */
void printable_ascii(char *text);

#endif
