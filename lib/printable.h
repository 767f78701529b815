/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes untrusted text, such as names of processes, safe for a terminal. */
#ifndef GLASS_LIB_PRINTABLE_H
#define GLASS_LIB_PRINTABLE_H

/*
 * Replaces everything that may harm a terminal by '?': control characters, bytes that are not
 * UTF-8, and characters that change the order or the lines of a text (U+2028 to U+202E, U+2066 to
 * U+2069, U+200E, U+200F, U+061C). The text does not grow. The result is UTF-8.
 */
void printable(char *text);

/* As printable(), but newlines stay: for messages of several lines. */
void printable_lines(char *text);

/* As printable(), with '?' for each byte that is not ASCII: for terminals without UTF-8. */
void printable_ascii(char *text);

#endif
