/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tables of Glass's debugfs (docs/debugfs.md), and of the records that ibtop writes in that form:
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
 * What makes lines of any file bad, and what follows, stands in lib/debugfs/file.h. A table has no
 * rows at all when its header is bad: when it
 *
 *   - is not there, or does not begin with "# glass 1 KIND: " (another kind, another version);
 *   - has no column, more than DEBUGFS_COLUMNS, an empty name, or two columns of one name.
 *
 * A line is no row when it
 *
 *   - has fewer or more values than the header has columns; single blanks divide values, so that an
 *     empty value is one too few;
 *   - has a byte that is neither a blank nor printable ASCII (the driver encodes those);
 *   - has a '%' without two hexadecimal digits in a value, or %00; a value that is '%' alone is
 *     empty text;
 *   - has no number where the tool asks for one (debugfs_value_number()).
 *
 * Lines that begin with '#' are notes of the driver. They are no rows, and not bad.
 */
#ifndef GLASS_LIB_DEBUGFS_TABLE_H
#define GLASS_LIB_DEBUGFS_TABLE_H

#include <stdint.h>

#include "lib/debugfs/file.h"

#define DEBUGFS_COLUMNS 128
#define DEBUGFS_WHY	120

/* A piece of a line */
struct debugfs_word {
	const char *at;
	size_t len;
};

struct debugfs_columns {
	unsigned int count;
	struct debugfs_word name[DEBUGFS_COLUMNS];
};

/*
 * For a reader that has single lines (len: without newline; no NUL is needed): false, with the
 * reason in `why`, when the line is bad. debugfs_row() gives as many words as there are columns.
 */
bool debugfs_header(struct debugfs_columns *to, const char *kind, const char *line, size_t len,
		    char why[DEBUGFS_WHY]);
bool debugfs_row(const struct debugfs_columns *columns, const char *line, size_t len,
		 struct debugfs_word to[DEBUGFS_COLUMNS], char why[DEBUGFS_WHY]);

/* Words are valid until the file is read again. */
struct debugfs_table {
	struct debugfs_file *file;
	struct debugfs_columns columns;		    /* each name with a NUL behind it */
	struct debugfs_word value[DEBUGFS_COLUMNS]; /* of the row that debugfs_table_next() gave */
	uint64_t lost; /* rows that the driver had no room for, as far as it was read: "# lost N" */
};

/* Reads the header. False: it is bad. */
bool debugfs_table_begin(struct debugfs_table *t, struct debugfs_file *f, const char *kind);

/* Goes to the next row. False: there is none. */
bool debugfs_table_next(struct debugfs_table *t);

/* Where a column is, or -1 */
int debugfs_column(const struct debugfs_table *t, const char *name);

/*
 * Where each of n columns is. False: one is missing, which counts as a bad header: the caller reads
 * no rows.
 */
bool debugfs_columns_find(struct debugfs_table *t, const char *const *names, size_t n, int *at);

/*
 * Values of the row. A column of -1 reads as one whose value is "-", which means that it does not
 * apply to the object.
 */
bool debugfs_has(const struct debugfs_table *t, int column);
/* As it was written, with a NUL behind it */
const char *debugfs_value(const struct debugfs_table *t, int column);

/*
 * As a number, 0 for "-". False: it is no number. The row then counts as a bad line; the caller
 * leaves it out.
 */
bool debugfs_value_number(struct debugfs_table *t, int column, uint64_t *number);

/* Decoded, "" for "-"; what does not fit is cut off. It may have any byte: see lib/printable.h. */
void debugfs_value_text(const struct debugfs_table *t, int column, char *to, size_t size);

#endif
