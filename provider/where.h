/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Call stacks of the program: from where it calls verbs and posts work requests. They are recorded
 * only while somebody looks at the process: a scope of lint asks for them (GLASS_CTL_WHERE), or
 * GLASS_WHERE=1 is in the environment. The memory for them belongs to the driver
 * (uapi/glass-where.h), so that tools can read it after the process has ended.
 *
 * Otherwise a post costs nothing: the functions that record are installed with the first stack.
 */
#ifndef GLASS_PROVIDER_WHERE_H
#define GLASS_PROVIDER_WHERE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "uapi/glass-where.h"

struct glass_context;

/* State of a context. Zeroed: nobody has looked yet. */
struct glass_where {
	pthread_mutex_t lock; /* protects all but `on` and `area`, and writes to the area */
	/* the mapped memory; NULL: never looked at. Never changes after that */
	_Atomic(struct glass_where_area *) area;
	size_t bytes;
	atomic_bool on;		      /* stacks are recorded */
	_Atomic(uint32_t) generation; /* of the control page, when the driver was asked last */
	bool asked;		      /* the environment asks for stacks */
	uint32_t id;		      /* of the area, never reused in the process; 0: no area */
	pid_t pid;	 /* the process that may write to the area; its children only read */
	uint16_t *index; /* hash table: number of the stack, or 0 */
};

/* Call when the context is opened, and when it is closed. */
void glass_where_open(struct glass_context *ctx);
void glass_where_close(struct glass_context *ctx);
/* Asks the driver whether somebody looks, if that may have changed. Call while GLASS_CTL_WHERE is
 * set. */
void glass_where_refresh(struct glass_context *ctx);

/*
 * Returns the number of the stack of a verb that was called from `caller`, with frame address
 * `frame`: those of the function that libibverbs or the program has called. 0: unknown.
 */
uint32_t glass_where_stack(struct glass_context *ctx, void *caller, void *frame);

/*
 * The stack of the verb that the calling thread is in; 0: unknown. The driver reads it in the area
 * while a system call of the verb lasts: glass_where_show() shows it there, and returns what was
 * there before, for glass_where_hide().
 */
uint32_t glass_where_current(void);
void glass_where_set_current(uint32_t stack);
uint64_t glass_where_show(struct glass_context *ctx);
void glass_where_hide(struct glass_context *ctx, uint64_t before);

/* where_verbs.c: the verbs that record stacks */
void glass_where_set_ops(struct glass_context *ctx);
/* wr_complete of extended QPs that records stacks */
struct ibv_qp_ex;
int glass_where_wr_complete(struct ibv_qp_ex *ex);
/* Installs the posts that record stacks, or those that do not. */
void glass_where_set_posts(struct glass_context *ctx, bool on);

#endif
