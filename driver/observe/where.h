/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Call stacks of programs (uapi/glass-where.h), as lint and debugfs see them. Each memory of stacks
 * has a number, unique in the module. A stack is identified by one number: that of its memory <<
 * GLASS_WHERE_SHIFT | its number there; 0: unknown. To the rest of the driver, such a number is
 * opaque.
 *
 * A memory of stacks outlives the user context, and thus the process, as long as somebody holds a
 * reference. Lint holds references to some memories that its findings name, while a scope records
 * stacks (glass_lint_kept.memory). The memory stays charged to the context's user meanwhile.
 */
#ifndef GLASS_OBSERVE_WHERE_H
#define GLASS_OBSERVE_WHERE_H

#include <linux/llist.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/types.h>

#include "uapi/glass-where.h"

struct glass_where {
	u32 number;
	refcount_t users;
	/* the memory; the program can write to it at any time. Read each word once */
	struct glass_where_area *area;
	const void *of; /* the struct glass_lint of the device; compared, never followed */
	pid_t pid;	/* the process that opened the context */
	char comm[TASK_COMM_LEN];
	struct llist_node dead;		     /* in the list of where.c, when no reference is left */
	void (*free)(struct glass_where *w); /* called when no reference is left; may sleep */
};

/*
 * Publishes *w, which has one reference, that of the caller, and gives it a number. Returns 0 or a
 * negative errno. May sleep.
 */
int glass_where_add(struct glass_where *w);
/* Take and drop references; w may be NULL. Any context. */
struct glass_where *glass_where_get(struct glass_where *w);
void glass_where_put(struct glass_where *w);
/* Returns the memory that has this stack, with a reference. NULL: it is gone, or `stack` is 0. */
struct glass_where *glass_where_find(u32 stack);
/*
 * Returns the first memory of the device with at least this number, with a reference. `of`: the
 * device's struct glass_lint. NULL: there is none.
 */
struct glass_where *glass_where_next(const void *of, u32 number);
/* Waits until all memories without references are freed. May sleep. */
void glass_where_exit(void);

/*
 * Returns the stack with this number in the memory, for `index` from a program. 0: the number is
 * none. w may be NULL.
 */
static inline u32 glass_where_stack(const struct glass_where *w, u32 index)
{
	return w && index && index < GLASS_WHERE_STACKS ? w->number << GLASS_WHERE_SHIFT | index
							: 0;
}

/* Returns the stack of the verb that the calling thread is in; 0: unknown. w may be NULL. */
u32 glass_where_now(const struct glass_where *w);

/*
 * Copy a stack or a module with this number in the memory. False: there is none. The copy of a
 * module has a NUL at the end of its path, and no more frames or bytes than there is room for.
 */
bool glass_where_copy_stack(const struct glass_where *w, u32 index, struct glass_where_stack *to);
bool glass_where_copy_module(const struct glass_where *w, u32 index, struct glass_where_module *to);

#endif
