/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Routing of directed-route SMPs (IBA 14.2.2), for switches and end nodes. */
#ifndef GLASS_MGMT_DR_H
#define GLASS_MGMT_DR_H

#include "mgmt/node.h"

enum glass_dr_verdict {
	GLASS_DR_DROP, /* leads nowhere or is malformed */
	GLASS_DR_LOCAL, /* arrived: hand it to the node's own agents */
	GLASS_DR_FORWARD, /* send it out of *out_port with permissive LIDs */
	GLASS_DR_LID_ROUTE, /* the directed part of the path ends: route it by *dlid and the LFT */
};

/*
 * Handles an SMP that arrived at in_port. Advances the hop pointer and the return path in mad as
 * the IBA requires of the node. Returns what the caller does with the SMP next. After LOCAL, pass
 * the agent's answer to glass_dr_turn().
 */
enum glass_dr_verdict glass_dr_receive(const struct glass_node *n, u32 in_port, u8 mad[256],
				       u32 *out_port, u16 *dlid);

/*
 * Prepares the answer (D bit set) of this node for its way back. Verdicts as
 * above; *out_port is the port by which the answer leaves.
 */
enum glass_dr_verdict glass_dr_turn(const struct glass_node *n, u8 mad[256], u32 *out_port,
				    u16 *dlid);

#endif
