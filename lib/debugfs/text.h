/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Words of Glass's debugfs (docs/debugfs.md): numbers, and text in which a byte may stand as %XX.
 * A word that is read needs no NUL behind it.
 */
#ifndef GLASS_LIB_DEBUGFS_TEXT_H
#define GLASS_LIB_DEBUGFS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* Decimal, or 0x and hexadecimal. False: no number, or one of more than 64 bits. */
bool debugfs_number(const char *word, size_t len, uint64_t *value);

/*
 * Decodes %XX; '%' alone is empty text. Returns the length, or -1: a '%' without two hexadecimal
 * digits, or a NUL, encoded or not. `to` has room for len + 1 bytes; it may be the word itself.
 */
ssize_t debugfs_decode(const char *word, size_t len, char *to);

/*
 * Encodes as the driver does: letters, digits, "._:/-" and what `plain` lists stay, but for a '-'
 * in front; all else becomes %XX, and empty text '%'. Returns the length. `to` has room for
 * DEBUGFS_ENCODED(strlen(text)) bytes.
 */
size_t debugfs_encode(const char *text, const char *plain, char *to);
#define DEBUGFS_ENCODED(len) (3 * (len) + 2)

/* The same, written to a stream */
void debugfs_encode_to(FILE *to, const char *text, const char *plain);

#endif
