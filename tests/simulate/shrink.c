// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes a failing scenario smaller. First what happened by chance becomes a list of faults,
 * then pieces of all lists are left out, and then what is left is made plain. A change stays
 * when the run still fails at the same check.
 */
#include "sim.h"

static char where[64];
static u32 runs, max_runs;

static bool fails(const struct scenario *sc)
{
	if (runs >= max_runs)
		return false;
	runs++;
	return sim_try(sc) && !strcmp(report->where, where);
}

/* Takes the change if it still fails. */
static bool keep(struct scenario *sc, struct scenario *next)
{
	scenario_tidy(next);
	if (!fails(next))
		return false;
	*sc = *next;
	return true;
}

/* Leaves out pieces of a list, long ones first. */
static void shorten(struct scenario *sc, size_t list, size_t count, size_t size)
{
	u32 *n = (u32 *)((char *)sc + count);

	for (u32 piece = max(*n / 2, 1u); piece; piece /= 2) {
		for (u32 at = 0; at < *n;) {
			struct scenario next = *sc;
			char *l = (char *)&next + list;
			u32 len = min(piece, *n - at);

			memmove(l + at * size, l + (at + len) * size, (*n - at - len) * size);
			*(u32 *)((char *)&next + count) -= len;
			if (!keep(sc, &next))
				at += len;
		}
	}
}

#define SHORTEN(name)                                                                    \
	shorten(sc, offsetof(struct scenario, name), offsetof(struct scenario, n##name), \
		sizeof(sc->name[0]))

static void chance_to_list(struct scenario *sc)
{
	struct scenario next = *sc;

	if (!sim_try(sc) || report->nfired + sc->nfault > S_FAULTS)
		return;
	for (u32 i = 0; i < report->nfired; i++)
		next.fault[next.nfault++] = report->fired[i];
	next.loss = next.dup = next.delay = next.damage = 0;
	keep(sc, &next);
}

/* Sets a field to a plainer value. */
#define TRY(field, value)                    \
	do {                                 \
		struct scenario next = *sc;  \
                                             \
		next.field = (value);        \
		if (next.field != sc->field) \
			keep(sc, &next);     \
	} while (0)

static void plain_conn(struct scenario *sc, u32 i)
{
	TRY(conn[i].held, 0);
	TRY(conn[i].held, 1000);
	TRY(conn[i].trains, 0);
	TRY(conn[i].later, 0);
	TRY(conn[i].grh, 0);
	TRY(conn[i].bits0, 0);
	TRY(conn[i].bits1, 0);
	TRY(conn[i].psn0, 0);
	TRY(conn[i].psn1, 0);
	TRY(conn[i].recv_first, S_MSGS);
	TRY(conn[i].recv_short, 0);
	TRY(conn[i].groups, 0);
	TRY(conn[i].alt, 0);
	TRY(conn[i].dead_at, 0);
	TRY(conn[i].rd_atomic, 1);
	TRY(conn[i].retry_cnt, 7);
	TRY(conn[i].rnr_retry, 7);
	TRY(conn[i].mtu, 256);
	if (sc->conn[i].type != GLASS_QPT_XRC_INI)
		TRY(conn[i].srq, 0);
}

static void plain_msg(struct scenario *sc, u32 i)
{
	TRY(msg[i].bad, SC_GOOD);
	TRY(msg[i].nsge, 1);
	TRY(msg[i].signaled, 1);
	TRY(msg[i].solicited, 0);
	TRY(msg[i].fence, 0);
	TRY(msg[i].inl, 0);
	TRY(msg[i].at, 0);
	TRY(msg[i].word, 0);
	TRY(msg[i].to, 0);
	if (!op_atomic(sc->msg[i].op) && sc->msg[i].op != GLASS_OP_ATOMIC_WRITE)
		for (u32 len = 0; len < sc->msg[i].len; len = len ? len * 4 : 1)
			TRY(msg[i].len, len);
}

static void plain(struct scenario *sc)
{
	for (u32 i = 0; i < S_CONNS; i++)
		if (sc->conn[i].used)
			TRY(conn[i].used, 0);
	for (u32 i = 0; i < S_NODES; i++)
		if (sc->node[i].used) {
			TRY(node[i].sw, 0);
			TRY(node[i].lmc, 0);
			if (i)
				TRY(node[i].used, 0);
		}
	for (u32 i = 0; i < S_TRUNKS; i++)
		if (sc->trunk[i].used)
			TRY(trunk[i].used, 0);
	for (u32 i = 1; i < S_SWITCHES; i++)
		TRY(switches, sc->switches & ~(1 << i));
	TRY(sm_loss, 0);
	TRY(mkey, 0);
	TRY(latency, 100);
	for (u32 i = 0; i < S_CONNS; i++)
		if (sc->conn[i].used)
			plain_conn(sc, i);
	for (u32 i = 0; i < sc->nmsg; i++)
		plain_msg(sc, i);
}

static u32 size(const struct scenario *sc)
{
	u32 n = sc->nmsg + sc->nfault + sc->nact + sc->nrule;

	for (u32 i = 0; i < S_NODES; i++)
		n += sc->node[i].used;
	for (u32 i = 0; i < S_CONNS; i++)
		n += sc->conn[i].used;
	return n;
}

void sim_shrink(struct scenario *sc, u32 max)
{
	u32 before;

	runs = 0;
	max_runs = max;
	if (!sim_try(sc))
		return;
	memcpy(where, report->where, sizeof(where));
	chance_to_list(sc);
	do {
		before = size(sc);
		SHORTEN(act);
		SHORTEN(rule);
		SHORTEN(msg);
		SHORTEN(fault);
		plain(sc);
	} while (size(sc) < before && runs < max_runs);
	TRY(bytes, 0);
	/* the last word is of what is left */
	sim_try(sc);
}
