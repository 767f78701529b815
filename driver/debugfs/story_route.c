// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The table `routes` of a story (story.h): the way to the peer's LID before a subnet manager took a
 * route away.
 */
#include "debugfs/story.h"
#include "link/fabric.h"
#include "model/netcable.h"

DEFINE_GLASS_FIELDS(story_routes, GLASS_COLUMNS_STORY_ROUTE);

#define ROUTE(name) GLASS_COL_STORY_ROUTE_##name

/* Finds the last packet to this LID for which a switch had no route. Returns false if there is none. */
static bool last_no_route(struct glass_drops *d, u16 lid, struct glass_dropped *last)
{
	struct glass_dropped e;
	bool found = false;
	u64 seq = 0;

	for (; glass_drops_find(d, seq, &e); seq = e.seq + 1) {
		if (e.reason != GLASS_DROP_NO_ROUTE || e.dlid != lid || !e.at[0])
			continue;
		*last = e;
		found = true;
	}
	return found;
}

/* Follows routes to a LID, those that were lost and those that are there. */
static u32 follow_routes(const struct glass_net_node *node, u16 lid,
			 struct glass_route_hop hop[GLASS_STORY_HOPS])
{
	const struct glass_lft_lost *lost;
	enum glass_drop why;
	u32 n = 0;
	int port;

	while (n < GLASS_STORY_HOPS && node && node->sw) {
		port = glass_switch_route(node->sw, lid, &why);
		lost = port < 0 ? glass_fdb_lost(&node->sw->fdb, lid) : NULL;
		if (lost)
			port = lost->port;
		/* port 0 is the switch itself */
		if (port <= 0 || port > node->num_ports)
			break;
		hop[n++] = (struct glass_route_hop){
			.node = node,
			.port = port,
			.lost = lost ? lost->when : 0,
		};
		node = node->ends[port].node;
	}
	return n;
}

u32 glass_story_route(const struct glass_story *s, struct glass_dev *dev,
		      struct glass_route_hop hop[GLASS_STORY_HOPS])
{
	u16 lid = s->local ? s->local->peer.dlid : 0;
	struct glass_fabric_node *n;
	struct glass_dropped e;
	u32 hops = 0;

	if (!dev || !lid || lid >= GLASS_LID_MCAST_BASE || !last_no_route(&dev->drops, lid, &e))
		return 0;
	spin_lock_irq(&s->fabric->lock);
	n = glass_fabric_find(s->fabric, e.at);
	if (n)
		hops = follow_routes(&n->net, lid, hop);
	spin_unlock_irq(&s->fabric->lock);
	return hops;
}

/* Sets no column if the switch is gone. The caller holds fabric->lock. */
static void route_row(struct glass_row *r, const struct glass_route_hop *hop, u16 lid)
{
	const struct glass_net_end *far = &hop->node->ends[hop->port];
	const struct glass_fabric_node *n =
		container_of(hop->node, struct glass_fabric_node, net);
	char name[GLASS_BOX_PORT];
	u64 now = ktime_get_ns();

	if (n->gone)
		return;
	glass_row_text(r, ROUTE(node), "%s", n->name);
	glass_row_num(r, ROUTE(lid), lid);
	glass_row_num(r, ROUTE(port), hop->port);
	if (hop->lost) {
		glass_row_num(r, ROUTE(lost), hop->lost);
		glass_row_num(r, ROUTE(age), now > hop->lost ? now - hop->lost : 0);
	}
	/* behind a network interface there is a port of another fabric, which has no name here */
	if (!far->node || glass_netcable_of(far->node))
		return;
	glass_story_port_name(name, far->node, far->port);
	glass_row_text(r, ROUTE(to), "%s", name);
}

void glass_story_routes(struct glass_lines *l, const struct glass_story *s,
			const struct glass_failure *f, struct glass_dev *dev)
{
	struct glass_route_hop hop[GLASS_STORY_HOPS];
	int walk;
	u32 i, n;

	glass_lines_block(l, GLASS_STORY_ROUTES_BYTES);
	glass_lines_header(l, GLASS_HEADER("routes", GLASS_COLUMNS_STORY_ROUTE));
	if (f->object != GLASS_KIND_QP || !f->port)
		return;
	walk = srcu_read_lock(&s->fabric->walks);
	n = glass_story_route(s, dev, hop);
	for (i = 0; i < n && glass_lines_begin(l); i++) {
		spin_lock_irq(&s->fabric->lock);
		route_row(&l->row, &hop[i], s->local->peer.dlid);
		spin_unlock_irq(&s->fabric->lock);
		if (!test_bit(ROUTE(node), l->row.has))
			continue;
		glass_lines_row(l, &glass_fields_story_routes);
		glass_lines_end(l);
	}
	srcu_read_unlock(&s->fabric->walks, walk);
}
