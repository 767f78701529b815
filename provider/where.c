// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Finds the number of a call stack. A stack is unwound once: a cache of each thread knows it by
 * return address and frame address. As calls from different lines of one function have both in
 * common further out, the cache also compares the return addresses of the outer frames, in place.
 */
#define _GNU_SOURCE
#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <unwind.h>

#include "glass.h"
#include "uapi/glass-ioctl.h"
#include "where.h"
#include "where_modules.h"

#define FRAMES	    GLASS_WHERE_FRAMES
#define INDEX_SLOTS (2 * GLASS_WHERE_STACKS)

__thread struct glass_where_thread glass_where_thread;
static pthread_key_t cache_key;
static pthread_once_t cache_once = PTHREAD_ONCE_INIT;
static bool cache_has_key;

/* ---- the cache of a thread */

static void make_key(void)
{
	cache_has_key = !pthread_key_create(&cache_key, free);
}

/* Returns the end of the thread's stack, or 0. */
static uintptr_t stack_top(void)
{
	pthread_attr_t attr;
	uintptr_t top = 0;
	size_t bytes;
	void *low;

	if (pthread_getattr_np(pthread_self(), &attr))
		return 0;
	if (!pthread_attr_getstack(&attr, &low, &bytes))
		top = (uintptr_t)low + bytes;
	pthread_attr_destroy(&attr);
	return top;
}

/* Returns the cache of the thread, or NULL if there is no memory. */
static struct glass_where_cache *make_cache(struct glass_where_thread *t)
{
	struct glass_where_cache *c;

	pthread_once(&cache_once, make_key);
	if (!cache_has_key)
		return NULL;
	c = calloc(1, sizeof(*c));
	if (c && pthread_setspecific(cache_key, c)) {
		free(c);
		return NULL;
	}
	if (c)
		c->top = stack_top();
	t->cache = c;
	return c;
}

/* ---- unwinding */

struct unwind {
	uintptr_t caller;
	uintptr_t ip[FRAMES]; /* return addresses */
	uintptr_t sp[FRAMES]; /* stack pointer of each frame's function, after the return */
	uint32_t n;
};

static _Unwind_Reason_Code take_frame(struct _Unwind_Context *context, void *arg)
{
	struct unwind *u = arg;
	int before = 0;
	uintptr_t ip = _Unwind_GetIPInfo(context, &before);

	/* the provider's own frames come first */
	if (!u->n && ip != u->caller)
		return _URC_NO_REASON;
	/* of a signal: the interrupted instruction, not the one after a call */
	u->ip[u->n] = ip + (before ? 1 : 0);
	u->sp[u->n] = _Unwind_GetCFA(context);
	u->n++;
	return u->n < FRAMES ? _URC_NO_REASON : _URC_NORMAL_STOP;
}

/*
 * Notes the return addresses that lie where this architecture's calls put them. They are read again
 * at each hit, so they must be in memory that exists as long as the frame does: in the thread's own
 * stack or, on another stack, in the page of the frame.
 */
static void note_saved(struct glass_where_entry *e, const struct unwind *u, uintptr_t top)
{
	uintptr_t page_end = (e->frame | 4095) + 1;
	uintptr_t end = top > e->frame ? top : page_end;
	uint32_t i;

	e->nsaved = 0;
	for (i = 1; i < u->n; i++) {
		uintptr_t at = u->sp[i] - sizeof(at);

		if (at % sizeof(at) || at < e->frame || at + sizeof(at) > end ||
		    *(const uintptr_t *)at != u->ip[i])
			continue;
		e->saved[e->nsaved++] = (struct glass_where_saved){ at, u->ip[i] };
	}
}

/* ---- the table of stacks */

static uint32_t hash_of(const struct glass_where_stack *s)
{
	uint64_t h = s->nframes;
	uint32_t i;

	for (i = 0; i < s->nframes; i++)
		h = (h ^ s->frame[i]) * 0x9e3779b97f4a7c15ull;
	return h >> 40;
}

/* Returns the number of a stack, which is added if it is new; 0: no room. Call under w->lock. */
static uint32_t number_of(struct glass_where *w, struct glass_where_area *area,
			  const struct glass_where_stack *s)
{
	size_t bytes = s->nframes * sizeof(s->frame[0]);
	uint32_t at = hash_of(s) % INDEX_SLOTS, n;

	for (; w->index[at]; at = (at + 1) % INDEX_SLOTS) {
		const struct glass_where_stack *old = &area->stack[w->index[at]];

		if (old->nframes == s->nframes && !memcmp(old->frame, s->frame, bytes))
			return w->index[at];
	}
	n = area->nstacks + 1;
	if (n >= GLASS_WHERE_STACKS) {
		area->lost++;
		return 0;
	}
	area->stack[n].nframes = s->nframes;
	memcpy(area->stack[n].frame, s->frame, bytes);
	w->index[at] = n;
	/* pairs with the driver's acquire: the stack is written before it is counted */
	glass_store_release(&area->nstacks, n);
	return n;
}

/* Returns the place in the cache of a call. */
static struct glass_where_entry *entry_of(struct glass_where_cache *c, uintptr_t caller, uintptr_t frame)
{
	uint64_t h = (caller ^ frame << 20) * 0x9e3779b97f4a7c15ull;

	return &c->entry[h >> (64 - GLASS_WHERE_CACHE_BITS)];
}

/* Puts a call that the thread does not know into its cache. Returns the number of its stack, or 0. */
static uint32_t record_call(struct glass_where *w, struct glass_where_thread *t, uintptr_t caller, uintptr_t frame)
{
	struct glass_where_area *area = atomic_load_explicit(&w->area, memory_order_acquire);
	struct glass_where_cache *c = t->cache ? t->cache : make_cache(t);
	struct unwind u = { .caller = caller };
	struct glass_where_found found;
	struct glass_where_stack s = {};
	struct glass_where_entry *e;

	/* the area is shared with the parent of a fork, and only one process may write to it */
	if (!c || !area || getpid() != w->pid)
		return 0;
	_Unwind_Backtrace(take_frame, &u);
	if (!u.n) {
		/* the caller has no unwinding information */
		u.ip[0] = caller;
		u.n = 1;
	}
	/* before the lock: the loader has a lock of its own, and may hold it while it calls verbs
	 */
	glass_where_find_modules(&found, u.ip, u.n);
	e = entry_of(c, caller, frame);
	pthread_mutex_lock(&w->lock);
	s.nframes = u.n;
	glass_where_frames(area, &found, u.ip, u.n, s.frame);
	e->stack = number_of(w, area, &s);
	pthread_mutex_unlock(&w->lock);
	e->id = w->id;
	e->caller = caller;
	e->frame = frame;
	note_saved(e, &u, c->top);
	t->last = e;
	return e->stack;
}

uint32_t glass_where_find(struct glass_where *w, struct glass_where_thread *t, uintptr_t caller, uintptr_t frame)
{
	const struct glass_where_entry *e;

	if (t->cache) {
		e = entry_of(t->cache, caller, frame);
		if (glass_where_is_known(w, e, caller, frame)) {
			t->last = e;
			return e->stack;
		}
	}
	return record_call(w, t, caller, frame);
}

/* ---- the verb that a thread is in */

uint32_t glass_where_current(void)
{
	return glass_where_thread.current;
}

void glass_where_set_current(uint32_t stack)
{
	glass_where_thread.current = stack;
}

static _Atomic(uint64_t) *slot_of(struct glass_where_area *area, uint32_t tid)
{
	return (_Atomic(uint64_t) *)&area->now[tid % GLASS_WHERE_THREADS];
}

uint64_t glass_where_show(struct glass_context *ctx)
{
	struct glass_where_area *area = atomic_load(&ctx->where.area);
	uint32_t current = glass_where_thread.current, tid;

	if (likely(!area || !current))
		return 0;
	tid = syscall(SYS_gettid);
	return atomic_exchange_explicit(slot_of(area, tid), (uint64_t)tid << 32 | current,
					memory_order_relaxed);
}

void glass_where_hide(struct glass_context *ctx, uint64_t before)
{
	struct glass_where_area *area = atomic_load(&ctx->where.area);

	if (area && glass_where_thread.current)
		atomic_store_explicit(slot_of(area, syscall(SYS_gettid)), before,
				      memory_order_relaxed);
}

/* ---- on and off */

/* Asks the driver for the area. Returns 0 or an errno value. */
static int ask(struct glass_context *ctx, struct glass_where_resp *resp)
{
	DECLARE_COMMAND_BUFFER(cmd, UVERBS_OBJECT_DEVICE, GLASS_METHOD_WHERE, 2);
	struct glass_where_req req = { .flags = ctx->where.asked ? GLASS_WHERE_ASKED : 0 };

	fill_attr_in_ptr(cmd, GLASS_ATTR_WHERE_REQ, &req);
	fill_attr_out_ptr(cmd, GLASS_ATTR_WHERE_RESP, resp);
	return execute_ioctl(&ctx->ibv.context, cmd);
}

static _Atomic(uint32_t) last_id;

static bool map_area(struct glass_context *ctx, const struct glass_where_resp *resp)
{
	struct glass_where *w = &ctx->where;
	void *area;

	if (atomic_load(&w->area))
		return true;
	if (resp->mmap_bytes < sizeof(struct glass_where_area))
		return false;
	w->index = calloc(INDEX_SLOTS, sizeof(*w->index));
	if (!w->index)
		return false;
	area = mmap(NULL, resp->mmap_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
		    ctx->ibv.context.cmd_fd, resp->mmap_offset);
	if (area == MAP_FAILED) {
		free(w->index);
		w->index = NULL;
		return false;
	}
	w->bytes = resp->mmap_bytes;
	w->pid = getpid();
	w->id = atomic_fetch_add(&last_id, 1) + 1;
	atomic_store_explicit(&w->area, area, memory_order_release);
	return true;
}

static void turn(struct glass_context *ctx)
{
	struct glass_where_resp resp = {};
	bool on = !ask(ctx, &resp) && map_area(ctx, &resp);

	if (on == atomic_load(&ctx->where.on))
		return;
	atomic_store(&ctx->where.on, on);
	glass_where_set_posts(ctx, on);
}

void glass_where_refresh(struct glass_context *ctx)
{
	uint32_t generation = glass_load_relaxed(&ctx->control->generation);
	struct glass_where *w = &ctx->where;
	int keep = errno;

	if (likely(atomic_load_explicit(&w->generation, memory_order_relaxed) == generation))
		return;
	pthread_mutex_lock(&w->lock);
	if (atomic_load(&w->generation) != generation) {
		turn(ctx);
		atomic_store(&w->generation, generation);
	}
	pthread_mutex_unlock(&w->lock);
	errno = keep;
}

void glass_where_open(struct glass_context *ctx)
{
	const char *wish = secure_getenv("GLASS_WHERE");
	struct glass_where *w = &ctx->where;

	pthread_mutex_init(&w->lock, NULL);
	/* no generation yet: the next call asks */
	atomic_init(&w->generation, glass_load_relaxed(&ctx->control->generation) - 1);
	w->asked = wish && !strcmp(wish, "1");
	glass_where_set_ops(ctx);
	if (w->asked || glass_ctl_flags(ctx) & GLASS_CTL_WHERE)
		glass_where_refresh(ctx);
}

void glass_where_close(struct glass_context *ctx)
{
	struct glass_where_area *area = atomic_load(&ctx->where.area);

	if (area)
		munmap(area, ctx->where.bytes);
	free(ctx->where.index);
	pthread_mutex_destroy(&ctx->where.lock);
}
