/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Routing of directed-route SMPs (IBA 14.2.2), for switches and end nodes. */
#ifndef GLASS_MGMT_DR_H
#define GLASS_MGMT_DR_H

#include "mgmt/node.h"

enum glass_dr_verdict {
	GLASS_DR_DROP, /* the route leads nowhere, or the SMP is malformed */
	GLASS_DR_LOCAL, /* the SMP has arrived: hand it to the node's own agents */
	GLASS_DR_FORWARD, /* send it out of *out_port with permissive LIDs */
	/* the directed part of the path has ended: route it to *dlid by the LFT */
	GLASS_DR_LID_ROUTE,
};

/*
 * Handles an SMP that arrived at in_port. Advances the hop pointer and the return path in mad as
 * the IBA requires of the node. Returns what the caller must do with the SMP. After LOCAL, the
 * caller passes the agent's answer to glass_dr_turn().
 */
enum glass_dr_verdict glass_dr_receive(const struct glass_node *n, u32 in_port, u8 mad[256],
				       u32 *out_port, u16 *dlid);

/*
 * Prepares an answer of this node (D bit set) for its way back. Returns a verdict as
 * glass_dr_receive(); *out_port is the port by which the answer leaves.
 */
enum glass_dr_verdict glass_dr_turn(const struct glass_node *n, u8 mad[256], u32 *out_port,
				    u16 *dlid);

#endif
