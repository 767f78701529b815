/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Routing of directed-route SMPs (IBA 14.2.2), for switches and end nodes. */
#ifndef GLASS_MGMT_DR_H
#define GLASS_MGMT_DR_H

#include "mgmt/node.h"

/* The verdict on an SMP: what the caller must do with the SMP next */
enum glass_dr_verdict {
	GLASS_DR_DROP, /* drop the SMP: its route leads nowhere, or the SMP is malformed */
	GLASS_DR_LOCAL, /* the SMP has reached its destination: hand it to an agent of this node */
	/* send the SMP by port *out_port, with the permissive LID as SLID and DLID */
	GLASS_DR_FORWARD,
	/* the directed part of the path has ended: send the SMP to LID *dlid, as the LFT says */
	GLASS_DR_LID_ROUTE,
};

/*
 * Updates a directed-route SMP that arrived at in_port, as IBA 14.2.2 requires. Moves the hop
 * pointer in `mad` and, in a request, records in_port in the return path. Returns the verdict. If
 * an agent answers the SMP after GLASS_DR_LOCAL, the caller passes the answer to glass_dr_turn().
 */
enum glass_dr_verdict glass_dr_receive(const struct glass_node *n, u32 in_port, u8 mad[256],
				       u32 *out_port, u16 *dlid);

/*
 * Moves the hop pointer of an answer that this node is about to send. The D bit of the answer must
 * be set. Returns the verdict; GLASS_DR_LOCAL means that the requester is at this node.
 */
enum glass_dr_verdict glass_dr_turn(const struct glass_node *n, u8 mad[256], u32 *out_port,
				    u16 *dlid);

#endif
