/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The way that a data packet would take with the present forwarding tables and port states. */
#ifndef GLASS_FABRIC_TRACE_H
#define GLASS_FABRIC_TRACE_H

#include "fabric/net.h"

/* A node on the way. */
struct glass_hop {
	const struct glass_net_node *node;
	u32 in; /* the port at which the packet arrives; 0: the packet starts here */
	u32 out; /* the port by which the packet leaves; 0: it ends here */
	enum glass_drop why; /* why the packet is dropped here; GLASS_DROP_NONE: it is not */
};

#define GLASS_TRACE_HOPS (GLASS_NET_MAX_HOPS + 2) /* the switches, the sender and the destination */

/*
 * Fills hop[] with the way of a unicast packet of a data VL from the port `from` to a LID. The
 * first hop is the sender. The last hop is the node where the packet arrives or is dropped. Returns
 * the number of hops, at least 1. Sends nothing, and changes nothing. The caller makes sure that
 * the net does not change during the call.
 */
u32 glass_net_trace(struct glass_net_end from, u16 dlid, struct glass_hop hop[GLASS_TRACE_HOPS]);

#endif
