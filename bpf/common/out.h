/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rows, as text or as JSON, from one description of their columns. A value that
 * cannot be had is "-" in text, and null in JSON. In texts '?' stands for what
 * no terminal should get (lib/printable.h).
 *
 * JSON is an object a line; its member "type" says what: "event", "summary",
 * "histogram", and, once at the end, "end".
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
	COL_US,	  /* nanoseconds; as text in microseconds, in JSON with "_ns" behind the name */
	COL_LAST, /* text, not cut */
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
/* When there is one */
#define V_NUM_IF(c, n)	((c) ? V_NUM(n) : V_NONE)
#define V_TEXT_IF(c, t) ((c) ? V_TEXT(t) : V_NONE)

/* The header line (text only) */
void out_header(const struct table *table);
/* A row; ns: when it happened (CLOCK_MONOTONIC), or 0. type: of the JSON object. */
void out_row(const char *type, const struct table *table, const struct value *values, uint64_t ns);

/*
 * A histogram of nanoseconds or bytes: label is told above it, and is the member
 * "name"; keys (may have 0 columns) are what it is about. text is in units of
 * 1 << shift.
 */
void out_histogram(const char *label, const char *unit, const struct hist *h,
		   const struct table *keys, const struct value *values);

/* A title or a remark between tables (text only) */
void out_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The last line in JSON */
void out_end(uint64_t events, uint64_t lost);

/* Word i of a list made with GLASS_WORDS(), or its number */
#define WORD(list, i) out_word(list, sizeof(list) / sizeof(*(list)), i)
const char *out_word(const char *const *list, size_t count, unsigned int i);

#endif
