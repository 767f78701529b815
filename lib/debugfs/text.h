/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Words of Glass's debugfs (docs/debugfs.md): numbers, and text in which a byte may be encoded as
 * %XX. The functions need no NUL behind a word.
 */
#ifndef GLASS_LIB_DEBUGFS_TEXT_H
#define GLASS_LIB_DEBUGFS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* Parses decimal, or hexadecimal with 0x. Returns false if it is no number or exceeds 64 bits. */
bool debugfs_number(const char *word, size_t len, uint64_t *value);

/*
 * Decodes %XX; a lone '%' is empty text. Returns the length, or -1 if a '%' lacks its two
 * hexadecimal digits or if a NUL occurs, encoded or not. `to` needs room for len + 1 bytes and may
 * be the word itself.
 */
ssize_t debugfs_decode(const char *word, size_t len, char *to);

/*
 * Encodes like the driver. Letters, digits, "._:/-" and the bytes in `plain` stay, but a leading
 * '-' does not. Other bytes become %XX, and empty text '%'. Returns the length. `to` needs room for
 * DEBUGFS_ENCODED(strlen(text)) bytes.
 */
size_t debugfs_encode(const char *text, const char *plain, char *to);
#define DEBUGFS_ENCODED(len) (3 * (len) + 2)

/* As debugfs_encode(), but writes to a stream. */
void debugfs_encode_to(FILE *to, const char *text, const char *plain);

#endif
