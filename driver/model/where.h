/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The memory of call stacks of a user context (observe/where.h): makes, maps and charges it. */
#ifndef GLASS_MODEL_WHERE_H
#define GLASS_MODEL_WHERE_H

#include "model/objects.h"

/*
 * Describes the context's memory of call stacks in *resp; makes it first if there is none. It is
 * charged to the context's user. Returns 0, -ENOENT if nobody looks at the process and `asked` is
 * false, or another negative errno. May sleep.
 */
int glass_where_open(struct glass_ucontext *uctx, bool asked, struct glass_where_resp *resp);
/* Called when the context is closed: programs can no longer map the memory. May sleep. */
void glass_where_close(struct glass_ucontext *uctx);

#endif
