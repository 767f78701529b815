// SPDX-License-Identifier: GPL-2.0-only
/* A route that a subnet manager took away: was a port on the way down? */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/why/reason.h"

/* A switch on the way before, by a row of the table `routes` */
struct hop {
	const struct why_row *row;
	char node[WHY_NAME];
	char port[WHY_NAME]; /* NODE:PORT */
	char to[WHY_NAME];   /* the other end of the cable of that port; "": none */
};

/* Reads the next row of the way to the LID, after hop->row. Returns false if there is none. */
static bool next_hop(const struct why_case *c, const char *lid, struct hop *hop)
{
	char number[WHY_NAME];

	while ((hop->row = why_next(c->s, WHY_ROUTES, hop->row))) {
		if (!why_cell_is(c->s, hop->row, "lid", lid) || !why_cell(c->s, hop->row, "node") ||
		    !why_cell(c->s, hop->row, "port"))
			continue;
		why_word(why_cell(c->s, hop->row, "node"), hop->node);
		snprintf(hop->port, sizeof(hop->port), "%.60s:%.20s", hop->node,
			 why_word(why_cell(c->s, hop->row, "port"), number));
		why_word(why_cell(c->s, hop->row, "to"), hop->to);
		return true;
	}
	return false;
}

static bool is_of_node(const char *port, const char *node)
{
	size_t len = strlen(node);

	return !strncmp(port, node, len) && port[len] == ':';
}

static void tell_route(struct why_case *c, const struct hop *first, uint64_t lost)
{
	struct why_step *step;

	step = why_step(c, &lost, "Until then the route led by port %s; the subnet manager took it away.",
			first->port);
	why_evidence(step, "routes: node=%s, port=%s", first->node, strchr(first->port, ':') + 1);
}

bool why_lost_route(struct why_case *c, const char *at, const char *lid, const char *owner)
{
	struct hop hop = { .row = NULL }, first;
	char before[WHY_NAME];
	int active = 1;
	uint64_t lost;

	if (!next_hop(c, lid, &hop) || !is_of_node(at, hop.node) ||
	    !why_cell_number(c->s, hop.row, "lost", &lost))
		return false;
	first = hop;
	do {
		active = why_was_active(c, hop.port, hop.to, lost);
		strcpy(before, hop.to);
	} while (active == 1 && strcmp(before, owner) != 0 && next_hop(c, lid, &hop) &&
		 is_of_node(before, hop.node));
	if (active < 0 || (active && strcmp(before, owner) != 0))
		return false;
	tell_route(c, &first, lost);
	if (active)
		why_decide(c, WHY_CAUSE_NO_ROUTE);
	else
		why_port(c, hop.port, &lost);
	return true;
}
