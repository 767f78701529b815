/* SPDX-License-Identifier: GPL-2.0-only */
/* What journals say, stream by stream and without what differs from run to run. */
#ifndef IBINJECT_DIFF_H
#define IBINJECT_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct firing {
	char *stream; /* "glass0 dir=tx role=req nqp=1" */
	char *what;   /* "act=drop op=write rpsn=3 round=1 ..." */
	size_t number; /* the order in which they came */
};

struct firings {
	struct firing *firing;
	size_t count, room;
};

/* Adds a line of a journal. bytes: of bits that flipped, only the byte is looked at. */
void firings_add(struct firings *f, const char *dev, const char *line, bool bytes);

/* Adds what a file has: a record, or a journal as it is read. False: told. */
bool firings_read(struct firings *f, const char *file);
void firings_free(struct firings *f);

/*
 * Tells on `to` in which streams they differ, and how: "-" is in a only, "+" in b only. Returns the
 * number of streams that differ. Sorts both.
 */
size_t firings_compare(struct firings *a, struct firings *b, FILE *to);

#endif
