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

/* ---- the stacks that a thread knows */

/* A return address on the thread's stack: which, and where it is */
struct glass_where_saved {
	uintptr_t at, value;
};

struct glass_where_entry {
	uint32_t id; /* glass_where.id; 0: not used */
	uint32_t stack, nsaved;
	uintptr_t caller, frame;
	struct glass_where_saved saved[GLASS_WHERE_FRAMES];
};

#define GLASS_WHERE_CACHE_BITS 7

struct glass_where_cache {
	uintptr_t top; /* end of the thread's stack; 0: unknown */
	struct glass_where_entry entry[1 << GLASS_WHERE_CACHE_BITS];
};

/* State of a thread. One structure: its address is found once for a post. */
struct glass_where_thread {
	struct glass_where_cache *cache; /* NULL: no stack was recorded yet */
	/* of the cache: what the last call was, which mostly comes again; NULL: none */
	const struct glass_where_entry *last;
	uint32_t current;		 /* stack of the verb that the thread is in; 0: unknown */
};
extern __thread struct glass_where_thread glass_where_thread __attribute__((visibility("hidden")));

/* Returns the state of the calling thread. */
static inline struct glass_where_thread *glass_where_here(void)
{
	struct glass_where_thread *t = &glass_where_thread;

	/* otherwise the compiler asks for the address anew at each use, which is a call */
	__asm__("" : "+r"(t));
	return t;
}

/* Is this the call that the entry knows, in the outer frames, too? */
static inline bool glass_where_is_known(const struct glass_where *w,
					const struct glass_where_entry *e, uintptr_t caller,
					uintptr_t frame)
{
	const struct glass_where_saved *s = e->saved, *end = s + e->nsaved;

	if (e->caller != caller || e->frame != frame || e->id != w->id)
		return false;
	for (; s != end; s++)
		if (*(const volatile uintptr_t *)s->at != s->value)
			return false;
	return true;
}

/* As glass_where_stack(), for another call than the last one of the thread, while stacks are recorded. */
uint32_t glass_where_find(struct glass_where *w, struct glass_where_thread *t, uintptr_t caller, uintptr_t frame);

/*
 * Returns the number of the stack of a verb that was called from `caller`, with frame address
 * `frame`: those of the function that libibverbs or the program has called. 0: unknown, or nobody
 * looks. t: of the calling thread.
 */
static inline uint32_t glass_where_stack(struct glass_where *w, struct glass_where_thread *t,
					 void *caller, void *frame)
{
	const struct glass_where_entry *e = t->last;

	if (!atomic_load_explicit(&w->on, memory_order_relaxed))
		return 0;
	if (e && glass_where_is_known(w, e, (uintptr_t)caller, (uintptr_t)frame))
		return e->stack;
	return glass_where_find(w, t, (uintptr_t)caller, (uintptr_t)frame);
}

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
