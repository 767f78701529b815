/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Call stacks that programs have recorded, from the tables `stacks` and `modules` of an adapter
 * (docs/debugfs.md), with function, file and line. They stay readable after the program has ended,
 * as long as a finding names them.
 */
#ifndef GLASS_LIB_WHERE_STACKS_H
#define GLASS_LIB_WHERE_STACKS_H

#include "lib/where/where.h"

#define WHERE_COMM 80 /* bytes of the encoded name of a process */

struct where_stack {
	struct where_place place[WHERE_PLACES]; /* innermost first, up to main() */
	size_t n;
	size_t first; /* the innermost place of the program itself; n: there is none */
	char pid[24], comm[WHERE_COMM]; /* the process that recorded it, encoded as in debugfs; "": unknown */
};

/*
 * Reads and resolves the stack with this number, on the adapter `dev`. Returns NULL if the adapter
 * does not have it (any more), or if its tables are bad. Free it with where_stack_free().
 */
struct where_stack *where_stack_read(struct where *w, const char *dev, uint64_t number);
void where_stack_free(struct where_stack *s); /* s may be NULL */

/*
 * Returns the place in the program and its callers, up to main(): "server.c:214 (post_pool), from
 * server.c:330 (main)". At most 4 places. NULL: no place of the program is known. The caller frees
 * it.
 */
char *where_stack_text(const struct where_stack *s);

#endif
