/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Routing of directed-route SMPs (IBA 14.2.2), for switches and end nodes. */
#ifndef GLASS_MGMT_DR_H
#define GLASS_MGMT_DR_H

#include "mgmt/node.h"

/* The next step of an SMP, which the caller must take. */
enum glass_dr_verdict {
	GLASS_DR_DROP, /* drop it: the route leads nowhere, or the SMP is malformed */
	GLASS_DR_LOCAL, /* it has arrived: hand it to the node's own agents */
	GLASS_DR_FORWARD, /* send it out of port *out_port with permissive LIDs */
	/* the directed part of the path has ended: send it to LID *dlid, as the LFT says */
	GLASS_DR_LID_ROUTE,
};

/*
 * Handles a directed-route SMP that arrived at in_port. Moves the hop pointer and, in a request,
 * writes the return path in `mad`, as the IBA requires of the node. Returns the verdict. If an
 * agent answers the SMP after GLASS_DR_LOCAL, the caller passes the answer to glass_dr_turn().
 */
enum glass_dr_verdict glass_dr_receive(const struct glass_node *n, u32 in_port, u8 mad[256],
				       u32 *out_port, u16 *dlid);

/*
 * Prepares an answer of this node (D bit set) for its way back, and moves its hop pointer.
 * Returns the verdict. GLASS_DR_LOCAL: the requester is at this node.
 */
enum glass_dr_verdict glass_dr_turn(const struct glass_node *n, u8 mad[256], u32 *out_port,
				    u16 *dlid);

#endif
