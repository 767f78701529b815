// SPDX-License-Identifier: GPL-2.0-only
/* One run of a scenario: events in virtual time. */
#include "sim.h"

#define MAX_STEPS 2000000

static struct world world;
struct world *w = &world;
struct report *report;
struct sums sums;
bool sim_trace;

u64 sim_hash(u64 a, u64 b, u64 c, u64 d)
{
	u64 z = a * 0x9e3779b97f4a7c15ULL ^ b * 0xd1342543de82ef95ULL ^ c * 0xaf251af3b0f025b5ULL ^
		d << 56;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static bool before(const struct event *a, const struct event *b)
{
	return a->when < b->when || (a->when == b->when && a->order < b->order);
}

void push(u64 when, enum ev_kind kind, u32 arg, void *p)
{
	struct event e = {
		.when = max(when, w->now), .order = w->order++, .kind = kind, .arg = arg, .p = p
	};
	u32 i = w->nheap++;

	if (i == w->heap_room) {
		w->heap_room = w->heap_room ? w->heap_room * 2 : 256;
		w->heap = realloc(w->heap, w->heap_room * sizeof(*w->heap));
	}
	for (; i && before(&e, &w->heap[(i - 1) / 2]); i = (i - 1) / 2)
		w->heap[i] = w->heap[(i - 1) / 2];
	w->heap[i] = e;
}

static struct event pop(void)
{
	struct event top = w->heap[0], e = w->heap[--w->nheap];
	u32 i = 0, k;

	while ((k = 2 * i + 1) < w->nheap) {
		if (k + 1 < w->nheap && before(&w->heap[k + 1], &w->heap[k]))
			k++;
		if (!before(&w->heap[k], &e))
			break;
		w->heap[i] = w->heap[k];
		i = k;
	}
	w->heap[i] = e;
	return top;
}

static void act(const struct event *e)
{
	const struct sc_act *a = &w->sc->act[e->arg];

	if (a->kind == SC_LINK_DOWN || a->kind == SC_LINK_UP)
		fabric_link(a->what, a->kind == SC_LINK_UP);
	else if (a->kind == SC_MOVE)
		fabric_move(a->what & 7, a->what >> 3 & 3, a->what >> 5 & 3, a->what >> 7);
	else if (a->kind == SC_SWEEP)
		sm_notice(true);
	else
		program_event(e);
}

static void one(const struct event *e)
{
	switch (e->kind) {
	case EV_HOP:
		if (e->arg)
			fabric_send(e->p);
		else
			fabric_hop(e->p);
		break;
	case EV_ACT:
		act(e);
		break;
	case EV_SM:
		sm_event(e->arg);
		break;
	case EV_TRAP:
		fabric_trap(e->arg);
		break;
	default:
		program_event(e);
	}
}

static void drain(void)
{
	while (w->nheap) {
		struct event e = pop();

		CHECK(++w->steps < MAX_STEPS, "no end: %u events wait at %llu", w->nheap,
		      (unsigned long long)w->now);
		w->now = e.when;
		one(&e);
	}
}

void sim_run(const struct scenario *sc)
{
	struct event *heap = w->heap;
	u32 room = w->heap_room;

	memset(w, 0, sizeof(*w));
	w->heap = heap;
	w->heap_room = room;
	w->sc = sc;
	w->now = 1000;
	report->nfired = 0;
	sums.runs++;
	program_make();
	fabric_make();
	rules_make();
	sm_bring_up();
	/* what bringing it up left behind */
	drain();
	w->link_trouble = false;
	w->start = w->now + 1000;
	program_connect();
	for (u32 i = 0; i < sc->nact; i++)
		push(w->start + sc->act[i].at, EV_ACT, i, NULL);
	drain();
	check_end();
	program_end();
	report->hash = w->hash;
}
