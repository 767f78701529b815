// SPDX-License-Identifier: GPL-2.0-only
/* Makes cables of the ends that a file lists, once it is read. */
#include <stdlib.h>
#include <string.h>

#include "lib/cli.h"
#include "lib/nearest.h"
#include "net.h"

static const char *nearest_id(const struct net *net, const char *id)
{
	struct glass_nearest near = glass_nearest_to(id);
	size_t i;

	for (i = 0; i < net->ids.room; i++)
		if (net->ids.slot[i].key)
			glass_nearest_consider(&near, net->ids.slot[i].key);
	return near.found;
}

/* Finds the port at the other end. Returns false after an error. */
static bool find_remote(struct net *net, const struct net_end *e, struct topo_end *to)
{
	const struct topo *t = net->p->topo;
	const char *near;
	int64_t found;

	if (e->by_alias) {
		found = topo_index_get(&net->aliases, e->remote);
		if (found >= 0)
			*to = net->alias[found];
		else
			parse_error(net->p, e->place, "\"%s\": there is no such alias", e->remote);
		return found >= 0;
	}
	found = topo_index_get(&net->ids, e->remote);
	if (found < 0) {
		near = nearest_id(net, e->remote);
		parse_error(net->p, e->place, "\"%s\": the file describes no such node%s%s%s",
			    e->remote, near ? "; did you mean \"" : "", near ? near : "",
			    near ? "\"?" : "");
		return false;
	}
	if (e->remote_port > t->node[found].ports) {
		parse_error(net->p, e->place, "%s has no port %u: it has 1 to %u (line %u)",
			    t->node[found].name, e->remote_port, t->node[found].ports,
			    t->node[found].place.line);
		return false;
	}
	*to = (struct topo_end){ found, e->remote_port };
	return true;
}

/* The width of the highest bit of a mask */
static unsigned int width_of(int mask)
{
	return mask & 8 ? 12 : mask & 4 ? 8 : mask & 2 ? 4 : mask & 16 ? 2 : 1;
}

/* Sets the caps of a cable from both ends (b: NULL if only one end is listed). */
static void set_caps(struct net *net, const struct net_end *a, const struct net_end *b,
		     struct topo_cable *c)
{
	int widths = b ? a->widths & b->widths : a->widths;
	int speeds = b ? a->speeds & b->speeds : a->speeds;
	int extended = b ? a->extended & b->extended : a->extended;

	if (!widths || !speeds) {
		parse_error(net->p, a->place, "both ends have no common %s (w=, s=; line %u)",
			    widths ? "speed" : "width", b->place.line);
		return;
	}
	if (widths > 0)
		c->width = width_of(widths);
	if (speeds > 0)
		c->speed = speeds & 4	? TOPO_SPEED_qdr
			   : speeds & 2 ? TOPO_SPEED_ddr
					: TOPO_SPEED_sdr;
	if (extended > 0)
		c->speed = extended & 8	  ? TOPO_SPEED_ndr
			   : extended & 4 ? TOPO_SPEED_hdr
			   : extended & 2 ? TOPO_SPEED_edr
					  : TOPO_SPEED_fdr;
	if (a->width)
		c->width = a->width;
	if (a->speed)
		c->speed = a->speed;
	if (b && ((a->width && b->width && a->width != b->width) ||
		  (a->speed && b->speed && a->speed != b->speed)))
		parse_error(net->p, a->place,
			    "this is %ux %s, but at the other end %ux %s (line %u)", a->width,
			    a->speed ? topo_speed_word(a->speed) : "-", b->width,
			    b->speed ? topo_speed_word(b->speed) : "-", b->place.line);
}

/* An end whose other end is known */
struct link {
	struct topo_end to;
	const struct net_end
		*back; /* the listing of the other end; NULL for an alias: it has none */
};

/* Both ends must list the same cable. */
static void check_back(struct net *net, uint32_t i, struct link *link)
{
	const struct topo *t = net->p->topo;
	const struct net_end *e = &net->end[i];
	const char *here = t->node[e->at.node].name, *there = t->node[link[i].to.node].name;
	uint32_t number = t->node[link[i].to.node].port[link[i].to.port].cable;
	const struct net_end *back = number ? &net->end[number - 1] : NULL;
	const struct topo_end *to = number ? &link[number - 1].to : NULL;

	if (e->by_alias && !back)
		return;
	if (!back) {
		parse_error(net->p, e->place,
			    "%s:%u is cabled to %s:%u, but %s (line %u) lists no cable "
			    "at its port %u",
			    here, e->at.port, there, link[i].to.port, there,
			    t->node[link[i].to.node].place.line, link[i].to.port);
		return;
	}
	if (e->by_alias || back->by_alias || to->node != e->at.node || to->port != e->at.port) {
		parse_error(net->p, e->place,
			    "%s:%u is cabled to %s:%u, but line %u has \"%s\"[%u] at "
			    "that port",
			    here, e->at.port, there, link[i].to.port, back->place.line,
			    back->remote, back->remote_port);
		return;
	}
	link[i].back = back;
}

/* A line also has the GUID of the remote port, unless that is of a switch. */
static void take_remote_guid(struct net *net, const struct net_end *e, struct topo_end to)
{
	struct topo_node *n = &net->p->topo->node[to.node];

	if (!e->remote_guid || n->kind == TOPO_SWITCH)
		return;
	if (n->port[to.port].guid && n->port[to.port].guid != e->remote_guid)
		parse_error(net->p, e->place,
			    "%s:%u has the GUID 0x%llx here, but 0x%llx at its node "
			    "(line %u)",
			    n->name, to.port, (unsigned long long)e->remote_guid,
			    (unsigned long long)n->port[to.port].guid, n->place.line);
	n->port[to.port].guid = e->remote_guid;
}

static void make_cable(struct net *net, const struct net_end *e, const struct link *link)
{
	struct topo *t = net->p->topo;
	uint32_t number;
	char *refused;

	if (t->node[e->at.node].port[e->at.port].cable)
		return;
	refused = topo_add_cable(t, e->at, link->to, &number);
	if (refused) {
		parse_error(net->p, e->place, "%s", refused);
		free(refused);
		return;
	}
	t->cable[number].place = e->place;
	set_caps(net, e, link->back, &t->cable[number]);
}

/*
 * Ports without a cable are not in the output of ibnetdiscover. They get the next free GUIDs behind
 * that of the node, because the driver wants those of all ports or none.
 */
static void complete_guids(struct net *net)
{
	struct topo *t = net->p->topo;
	struct topo_index guids = { 0 };
	unsigned int port, tries, known;
	struct topo_node *n;
	uint64_t guid;
	uint32_t i;

	for (i = 0; i < t->nodes; i++) {
		topo_index_put_number(&guids, t->node[i].guid, i);
		for (port = 0; port <= t->node[i].ports; port++)
			if (t->node[i].port[port].guid)
				topo_index_put_number(&guids, t->node[i].port[port].guid, i);
	}
	for (i = 0; i < t->nodes; i++) {
		n = &t->node[i];
		for (port = 1, known = 0; port <= n->ports; port++)
			known += !!n->port[port].guid;
		if (n->kind == TOPO_SWITCH || !n->guid || !known)
			continue;
		for (port = 1; port <= n->ports; port++) {
			if (n->port[port].guid)
				continue;
			for (guid = n->guid + port, tries = 0; tries < 64; tries++, guid++)
				if (guid && topo_index_put_number(&guids, guid, i))
					break;
			n->port[port].guid = tries < 64 ? guid : 0;
		}
	}
	topo_index_free(&guids);
}

void net_resolve(struct net *net)
{
	struct link *link = calloc(net->ends + 1, sizeof(*link));
	struct topo *t = net->p->topo;
	uint32_t i;

	if (!link)
		cli_die(CLI_FAILED, "out of memory");
	for (i = 0; i < net->ends; i++)
		if (find_remote(net, &net->end[i], &link[i].to))
			take_remote_guid(net, &net->end[i], link[i].to);
	if (!net->p->error_count)
		for (i = 0; i < net->ends; i++)
			check_back(net, i, link);
	for (i = 0; i < net->ends; i++)
		t->node[net->end[i].at.node].port[net->end[i].at.port].cable = 0;
	if (!net->p->error_count) {
		for (i = 0; i < net->ends; i++)
			make_cable(net, &net->end[i], &link[i]);
		complete_guids(net);
		topo_set_rates(t);
	}
	free(link);
}
