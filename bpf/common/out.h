/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prints rows as text or as JSON, from one description of their columns. An unavailable value is
 * "-" in text and null in JSON. In texts, '?' replaces what may harm a terminal (lib/printable.h).
 *
 * JSON output has an object per line. Its member "type" is "event", "summary" or "histogram"; the
 * last object has "end".
 */
#ifndef GLASS_BPF_OUT_H
#define GLASS_BPF_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/types.h>

#include "common/shared.h"

enum column_format {
	COL_NUM,
	COL_HEX,
	COL_SIGNED,
	COL_TEXT,
	COL_US,	  /* nanoseconds; text shows microseconds, JSON appends "_ns" to the name */
	COL_LAST, /* text, not truncated */
};

struct column {
	const char *name; /* in JSON, and in the manual */
	const char *head; /* in the header line */
	int width;
	enum column_format format;
};

struct table {
	const struct column *columns;
	size_t count;
};

struct value {
	bool has;
	uint64_t num;
	const char *text;
};

#define V_NUM(n)  ((struct value){ .has = true, .num = (n) })
#define V_TEXT(t) ((struct value){ .has = true, .text = (t) })
#define V_NONE	  ((struct value){ .has = false })
/* The value if c is true, else none */
#define V_NUM_IF(c, n)	((c) ? V_NUM(n) : V_NONE)
#define V_TEXT_IF(c, t) ((c) ? V_TEXT(t) : V_NONE)

/* Prints the header line (text only). */
void out_header(const struct table *table);
/* Prints a row. ns: its time (CLOCK_MONOTONIC), or 0. type: of the JSON object. */
void out_row(const char *type, const struct table *table, const struct value *values, uint64_t ns);

/*
 * Prints a histogram of nanoseconds or bytes. label: the line above it, and in JSON the member
 * "name". keys: the object that it is about; may have 0 columns. The unit of text output is
 * 1 << shift.
 */
void out_histogram(const char *label, const char *unit, const struct hist *h,
		   const struct table *keys, const struct value *values);

/* Prints a title or a remark between tables (text only). */
void out_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints the last line of JSON. */
void out_end(uint64_t events, uint64_t lost);

/* Word i of a list made with GLASS_WORDS(), or the number if the list has no word */
#define WORD(list, i) out_word(list, sizeof(list) / sizeof(*(list)), i)
const char *out_word(const char *const *list, size_t count, unsigned int i);

#endif
