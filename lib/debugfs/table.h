/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tables of Glass's debugfs (docs/debugfs.md), and of ibtop's records, which have the same form:
 * "# glass 1 KIND: COLUMN COLUMN ...", then a line for each object. Columns are found by name.
 *
 *	struct debugfs_table t;
 *
 *	if (!debugfs_read(&f, "glass0", "qp") && debugfs_table_begin(&t, &f, "qp")) {
 *		qpn = debugfs_column(&t, "qpn");
 *		while (debugfs_table_next(&t))
 *			...
 *	}
 *	debugfs_tell(&f);
 *
 * lib/debugfs/file.h lists the faults that make a line of any file bad, and the effect. A table has
 * no rows if its header is bad, which means that it
 *
 *   - is missing, or does not begin with "# glass 1 KIND: " (another kind, another version);
 *   - has no column, more than DEBUGFS_COLUMNS, an empty name, or two columns of one name.
 *
 * A line of a table is bad if it
 *
 *   - has fewer or more values than the header has columns; a single blank separates values, so an
 *     empty value counts as missing;
 *   - has a byte that is neither a blank nor printable ASCII (the driver encodes those);
 *   - has a '%' without two hexadecimal digits in a value, or %00; a value that is a lone '%' is
 *     empty text;
 *   - has no number where the tool asks for one (debugfs_value_number()).
 *
 * Lines that begin with '#' are notes of the driver. They are neither rows nor bad.
 */
#ifndef GLASS_LIB_DEBUGFS_TABLE_H
#define GLASS_LIB_DEBUGFS_TABLE_H

#include <stdint.h>

#include "lib/debugfs/file.h"

#define DEBUGFS_COLUMNS 128
#define DEBUGFS_WHY	120

/* A part of a line */
struct debugfs_word {
	const char *at;
	size_t len;
};

struct debugfs_columns {
	unsigned int count;
	struct debugfs_word name[DEBUGFS_COLUMNS];
};

/*
 * For callers that have single lines (len: without newline; no NUL needed). Both return false, with
 * the reason in `why`, if the line is bad. debugfs_row() stores as many words as there are columns.
 */
bool debugfs_header(struct debugfs_columns *to, const char *kind, const char *line, size_t len,
		    char why[DEBUGFS_WHY]);
bool debugfs_row(const struct debugfs_columns *columns, const char *line, size_t len,
		 struct debugfs_word to[DEBUGFS_COLUMNS], char why[DEBUGFS_WHY]);

/* Words stay valid until the file is read again. */
struct debugfs_table {
	struct debugfs_file *file;
	struct debugfs_columns columns;		    /* each name ends in a NUL */
	struct debugfs_word value[DEBUGFS_COLUMNS]; /* of the current row */
	uint64_t lost; /* rows that the driver omitted ("# lost N"), as far as the table was read */
};

/* Reads the header. Returns false if it is bad. */
bool debugfs_table_begin(struct debugfs_table *t, struct debugfs_file *f, const char *kind);

/* Advances to the next row. Returns false at the end. */
bool debugfs_table_next(struct debugfs_table *t);

/* Returns the index of a column, or -1. */
int debugfs_column(const struct debugfs_table *t, const char *name);

/*
 * Finds n columns by name. If one is missing, returns false and counts the header as bad; the
 * caller must then read no rows.
 */
bool debugfs_columns_find(struct debugfs_table *t, const char *const *names, size_t n, int *at);

/*
 * The values of the current row. Column -1 (missing) has the value "-", which means that the column
 * does not apply to the object.
 */
bool debugfs_has(const struct debugfs_table *t, int column);
/* Returns the value undecoded, NUL-terminated. */
const char *debugfs_value(const struct debugfs_table *t, int column);

/*
 * Reads the value as a number; "-" is 0. Returns false if it is no number and counts the row as
 * bad; the caller must then skip the row.
 */
bool debugfs_value_number(struct debugfs_table *t, int column, uint64_t *number);

/*
 * Decodes the value; "-" is "". Truncates it to size. The text may hold any byte: see
 * lib/printable.h.
 */
void debugfs_value_text(const struct debugfs_table *t, int column, char *to, size_t size);

#endif
