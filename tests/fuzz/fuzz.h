/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What all fuzz targets share: a reader that makes a script of events out of an input, and checks
 * that end the process. A target is one file fuzz_NAME.c, which defines LLVMFuzzerTestOneInput().
 */
#ifndef GLASS_TESTS_FUZZ_FUZZ_H
#define GLASS_TESTS_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Prints what is wrong and aborts: libFuzzer then keeps the input. */
#define FUZZ_CHECK(c, ...)                                                                         \
	do {                                                                                       \
		if (!(c))                                                                          \
			fuzz_failed(__FILE__, __LINE__, #c, __VA_ARGS__);                          \
	} while (0)

void fuzz_failed(const char *file, int line, const char *condition, const char *format, ...)
	__attribute__((noreturn, format(printf, 4, 5)));

/* Starts to read an input, which must stay until the next fuzz_begin(). */
void fuzz_begin(const uint8_t *data, size_t size);
/* Bytes that are left. A script ends when none are. */
size_t fuzz_left(void);

/* The next bytes, lowest first. An input that is used up reads as zero. */
uint8_t fuzz_u8(void);
uint16_t fuzz_u16(void);
uint32_t fuzz_u32(void);
uint64_t fuzz_u64(void);
/* 0 .. n - 1 (n not 0), from as few bytes as n needs */
uint32_t fuzz_below(uint32_t n);
void fuzz_bytes(void *to, size_t len);
/* The next len bytes where they are (fewer at the end: *len is set) */
const uint8_t *fuzz_take(size_t *len);

/*
 * From now on an input that is used up goes on with pseudo-random numbers, which depend on its
 * bytes alone. For the worlds of tests/unit, which know no end of their script.
 */
void fuzz_endless(void);

/*
 * The bytes as a file. The path stays the same, and the contents are there until the next call.
 */
const char *fuzz_file(const void *bytes, size_t len);
/* A stream that takes what is written and keeps nothing */
FILE *fuzz_sink(void);

#endif
