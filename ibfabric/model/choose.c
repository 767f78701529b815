// SPDX-License-Identifier: GPL-2.0-only
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "choose.h"
#include "lib/cli.h"
#include "lib/debugfs/text.h"

#define PORTS_WHY "OpenSM accepts at most 2 ports per local adapter"
#define COUNT_WHY "libibumad opens at most 32 local adapters"

bool topo_can_be_real(const struct topo_node *n, const char **why)
{
	*why = n->kind == TOPO_SWITCH	    ? "it is a switch"
	       : n->router		    ? "it is a router"
	       : n->ports > TOPO_REAL_PORTS ? PORTS_WHY
					    : NULL;
	return !*why;
}

bool topo_is_host(const struct topo_node *n)
{
	return !n->gone && n->kind != TOPO_SWITCH && !n->router &&
	       !(n->desc && strstr(n->desc, "Aggregation Node"));
}

void topo_choose_none(struct topo *t)
{
	uint32_t i;

	for (i = 0; i < t->nodes; i++)
		if (t->node[i].kind == TOPO_HCA)
			t->node[i].kind = TOPO_CA;
}

/* Returns the first switch that the node is cabled to, or -1. */
static int64_t edge_of(const struct topo *t, uint32_t node)
{
	struct topo_end peer;
	unsigned int p;

	for (p = 1; p <= t->node[node].ports; p++)
		if (topo_peer(t, (struct topo_end){ node, p }, &peer) &&
		    t->node[peer.node].kind == TOPO_SWITCH)
			return peer.node;
	return -1;
}

struct edges {
	uint32_t *first, *next,
		*list; /* hosts of each switch as a list of numbers + 1; the switches */
	uint32_t count;
};

/* Lists for each switch the hosts that can be HCAs, in the order of the fabric. */
static void find_edges(const struct topo *t, struct edges *e)
{
	const char *why;
	int64_t edge;
	uint32_t i;

	e->first = calloc(t->nodes + 1, sizeof(*e->first));
	e->next = calloc(t->nodes + 1, sizeof(*e->next));
	e->list = calloc(t->nodes + 1, sizeof(*e->list));
	e->count = 0;
	if (!e->first || !e->next || !e->list)
		cli_die(CLI_FAILED, "out of memory");
	for (i = t->nodes; i--;) {
		if (!topo_is_host(&t->node[i]) || !topo_can_be_real(&t->node[i], &why))
			continue;
		edge = edge_of(t, i);
		if (edge < 0)
			continue;
		e->next[i] = e->first[edge];
		e->first[edge] = i + 1;
	}
	for (i = 0; i < t->nodes; i++)
		if (e->first[i])
			e->list[e->count++] = i;
}

static void free_edges(struct edges *e)
{
	free(e->first);
	free(e->next);
	free(e->list);
}

unsigned int topo_choose_spread(struct topo *t, unsigned int count)
{
	unsigned int done = 0, before, round, i;
	struct edges e;
	uint32_t edge, host;

	find_edges(t, &e);
	if (e.count > count) {
		/* switches at even distances, one host of each */
		for (i = 0; i < count; i++) {
			edge = e.list[(uint64_t)i * e.count / count];
			t->node[e.first[edge] - 1].kind = TOPO_HCA;
			done++;
		}
	} else {
		do {
			before = done;
			for (round = 0; round < e.count && done < count; round++) {
				edge = e.list[round];
				host = e.first[edge];
				if (!host)
					continue;
				t->node[host - 1].kind = TOPO_HCA;
				e.first[edge] = e.next[host - 1];
				done++;
			}
		} while (done > before && done < count);
	}
	free_edges(&e);
	/* hosts without a cable to a switch come last */
	for (i = 0; i < t->nodes && done < count; i++) {
		const char *why;

		if (!topo_is_host(&t->node[i]) || t->node[i].kind == TOPO_HCA ||
		    !topo_can_be_real(&t->node[i], &why))
			continue;
		t->node[i].kind = TOPO_HCA;
		done++;
	}
	return done;
}

static bool matches(const struct topo_node *n, const char *which, bool number, uint64_t guid)
{
	unsigned int p;

	if (number) {
		for (p = 1; p <= n->ports; p++)
			if (n->port[p].guid == guid)
				return true;
		return n->guid == guid;
	}
	return !strcmp(n->name, which) || !fnmatch(which, n->name, 0) ||
	       (n->desc && !fnmatch(which, n->desc, 0));
}

char *topo_choose_named(struct topo *t, const char *which)
{
	bool number = which[0] == '0' && (which[1] == 'x' || which[1] == 'X');
	const struct topo_node *refused = NULL;
	const char *why, *reason = NULL, *near;
	unsigned int found = 0;
	uint64_t guid = 0;
	uint32_t i;

	if (number && (!debugfs_number(which, strlen(which), &guid) || !guid))
		return format_text("%s: not a GUID", which);
	for (i = 0; i < t->nodes; i++) {
		struct topo_node *n = &t->node[i];

		if (n->gone || !matches(n, which, number, guid))
			continue;
		if (topo_can_be_real(n, &why)) {
			n->kind = TOPO_HCA;
			found++;
		} else if (!refused || n->kind != TOPO_SWITCH) {
			refused = n;
			reason = why;
		}
	}
	if (refused && (!found || refused->kind != TOPO_SWITCH))
		return format_text("%s: %s cannot be an HCA: %s", which, refused->name, reason);
	if (found)
		return NULL;
	near = topo_nearest(t, which);
	return near ? format_text("%s: no such channel adapter; did you mean %s?", which, near)
		    : format_text("%s: no channel adapter has this name, GUID or description",
				  which);
}

char *topo_choose_default(struct topo *t)
{
	unsigned int all = 0, can = 0, ports = 0, chosen;
	const char *why;
	uint32_t i;

	topo_choose_none(t);
	for (i = 0; i < t->nodes; i++) {
		const struct topo_node *n = &t->node[i];

		if (n->gone || n->kind == TOPO_SWITCH)
			continue;
		all++;
		ports += !n->router && n->ports > TOPO_REAL_PORTS;
		can += topo_is_host(n) && topo_can_be_real(n, &why);
	}
	chosen = topo_choose_spread(t, can <= TOPO_REAL_MAX ? can : 2);
	if (chosen == all)
		return NULL;
	if (can > TOPO_REAL_MAX)
		return format_text("%u of %u channel adapters are HCAs, the others passive: %s; "
				   "--hca and --hcas choose others",
				   chosen, all, COUNT_WHY);
	if (ports)
		return format_text("%u of %u channel adapters are HCAs, the others passive: %s",
				   chosen, all, PORTS_WHY);
	return format_text("%u of %u channel adapters are HCAs; routers and aggregation nodes are "
			   "passive",
			   chosen, all);
}

char *topo_check_real(const struct topo *t, const struct topo_node **where)
{
	unsigned int count = 0;
	uint32_t i;

	for (i = 0; i < t->nodes; i++) {
		*where = &t->node[i];
		if (t->node[i].gone || t->node[i].kind != TOPO_HCA)
			continue;
		if (t->node[i].ports > TOPO_REAL_PORTS)
			return format_text("%s: an HCA with %u ports: %s", t->node[i].name,
					   t->node[i].ports, PORTS_WHY);
		if (++count > TOPO_REAL_MAX)
			return format_text("%s: more than %d HCAs: %s", t->node[i].name,
					   TOPO_REAL_MAX, COUNT_WHY);
	}
	return NULL;
}
