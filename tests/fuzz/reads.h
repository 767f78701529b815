/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory that somebody else writes while it is read: between any two reads of the code that is
 * tried, planned changes are made. Each read is kept, so that one can say what the code saw.
 *
 * Code that is tried is compiled with -fsanitize-coverage=trace-loads and ASan (Makefile). Where it
 * is not (gcc, for coverage), READS_SEEN is 0: all changes are made before the first read, and all
 * counts as read.
 */
#ifndef GLASS_TESTS_FUZZ_READS_H
#define GLASS_TESTS_FUZZ_READS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__clang__)
#define READS_SEEN 1
#else
#define READS_SEEN 0
#endif

/* Watches mem, of at most READS_MAX bytes, until reads_end(). No changes are planned. */
#define READS_MAX 65536
void reads_begin(uint8_t *mem, size_t len);
/* After so many reads of it, the bytes are written there. Only before the code that is tried runs. */
void reads_plan(uint32_t after, size_t offset, const void *bytes, size_t len);
/* From now on nothing but [offset, offset + len) may be read, and what reads_allow() added. */
void reads_allow(size_t offset, size_t len);
void reads_start(void);
/* Makes the changes that are left. What was read stays known until the next reads_begin(). */
void reads_end(void);

/* Were all these bytes read? Each byte is read once at most: a second read fails at once. */
bool reads_saw(size_t offset, size_t len);
/* The byte as it was when it was read, or if it never was, as it was at reads_start(). */
const uint8_t *reads_at(size_t offset);
/* The memory as it is now, but for what the code that is tried wrote. */
const uint8_t *reads_expected(void);

#endif
