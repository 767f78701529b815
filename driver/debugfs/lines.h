/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Text in memory, made of whole lines by the functions that print to a seq_file. Unlike a file, the
 * text has a fixed size: a line that does not fit is left out, and so are all lines after it up to
 * the end of the block.
 */
#ifndef GLASS_DEBUGFS_LINES_H
#define GLASS_DEBUGFS_LINES_H

#include "debugfs/inspect.h"

struct glass_lines {
	/* print to it; only buf, size and count are used, and read() never sees it */
	struct seq_file m;
	size_t bytes; /* size of m.buf */
	size_t mark; /* m.count before the line that is being printed */
	bool full; /* a line of this block did not fit */
	bool cut; /* a line of any block did not fit */
	struct glass_row row; /* scratch memory for a line */
};

/* Returns empty text with room for this many bytes, or NULL if there is no memory. May sleep. */
struct glass_lines *glass_lines_new(size_t bytes);
void glass_lines_free(struct glass_lines *l); /* l may be NULL */

/* Begins a block that may have at most `most` bytes. */
void glass_lines_block(struct glass_lines *l, size_t most);
/*
 * Print a line, or several at once, between glass_lines_begin() and glass_lines_end().
 * glass_lines_begin() returns false if the block is full: print nothing then. It clears l->row.
 */
bool glass_lines_begin(struct glass_lines *l);
void glass_lines_end(struct glass_lines *l);

/* Prints the header line of a table of a story. */
void glass_lines_header(struct glass_lines *l, const char *header);
/* Prints l->row as a line of a table, between the two functions above. */
static inline void glass_lines_row(struct glass_lines *l, const struct glass_fields *fields)
{
	glass_show_row(&l->m, fields, &l->row);
}

/* Prints a snapshot without its title. */
void glass_lines_snap(struct glass_lines *l, const struct glass_snap *s);

#endif
