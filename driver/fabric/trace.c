// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#include "fabric/trace.h"

/*
 * A packet arrives at node hop->node by port hop->in. Sets hop->out and hop->why as
 * glass_switch_rx() or the receiving HCA would decide. Returns true if the packet goes on by port
 * hop->out.
 */
static bool take_hop(struct glass_hop *hop, u16 dlid)
{
	const struct glass_net_node *n = hop->node;
	int out;

	/* the far end of a netdev cable: the rest of the way is in another fabric */
	if (n->owners && n->index >= GLASS_TOPO_MAX_HCAS)
		return false;
	/* an unplugged HCA, or a port that receives no data in its state */
	if (!n->node || !glass_port_receives(&n->node->ports[hop->in], 0)) {
		hop->why = GLASS_DROP_PORT_DOWN;
		return false;
	}
	if (!n->sw) {
		if (!glass_port_has_lid(&n->node->ports[hop->in], dlid))
			hop->why = GLASS_DROP_WRONG_LID;
		return false;
	}
	if (glass_port_has_lid(&n->node->ports[0], dlid))
		return false;
	out = glass_switch_route(n->sw, dlid, &hop->why);
	if (out < 0)
		return false;
	if (!out) {
		hop->why = GLASS_DROP_WRONG_LID;
		return false;
	}
	hop->out = out;
	if (hop->out == hop->in)
		hop->why = GLASS_DROP_NO_ROUTE;
	else if (!glass_port_sends(&n->node->ports[out], 0))
		hop->why = GLASS_DROP_PORT_DOWN;
	return !hop->why;
}

u32 glass_net_trace(struct glass_net_end from, u16 dlid, struct glass_hop hop[GLASS_TRACE_HOPS])
{
	struct glass_port *p = glass_net_port(from);
	struct glass_net_end at;
	u32 n = 0;

	hop[n] = (struct glass_hop){ .node = from.node, .out = from.port };
	if (!p || !glass_port_sends(p, 0)) {
		hop[n].why = GLASS_DROP_PORT_DOWN;
		return 1;
	}
	if (glass_port_has_lid(p, dlid)) {
		hop[n].out = 0; /* loopback: the packet does not leave the port */
		return 1;
	}
	at = from.node->ends[from.port];
	while (at.node) {
		hop[++n] = (struct glass_hop){ .node = at.node, .in = at.port };
		if (n == GLASS_TRACE_HOPS - 1 && at.node->sw) {
			hop[n].why = GLASS_DROP_LOOP;
			return n + 1;
		}
		if (!take_hop(&hop[n], dlid))
			return n + 1;
		at = at.node->ends[hop[n].out];
	}
	hop[n].why = GLASS_DROP_PORT_DOWN;
	return n + 1;
}
