/* SPDX-License-Identifier: GPL-2.0-only */
/* Compares journals stream by stream, without the parts that differ in each run. */
#ifndef IBINJECT_DIFF_H
#define IBINJECT_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct firing {
	char *stream; /* "glass0 dir=tx role=req nqp=1" */
	char *what;   /* "act=drop op=write rpsn=3 round=1 ..." */
	size_t number; /* rank by occurrence */
};

struct firings {
	struct firing *firing;
	size_t count, room;
};

/* Adds a line of a journal. bytes: compare only the byte of a flipped bit, not the bit. */
void firings_add(struct firings *f, const char *dev, const char *line, bool bytes);

/* Adds the contents of a record, or of a journal as read. Returns false after an error message. */
bool firings_read(struct firings *f, const char *file);
void firings_free(struct firings *f);

/*
 * Prints on `to` the streams that differ, and the differences: "-" is only in a, "+" only in b.
 * Returns the number of streams that differ. Sorts a and b.
 */
size_t firings_compare(struct firings *a, struct firings *b, FILE *to);

#endif
