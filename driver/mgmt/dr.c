// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The rules for each hop of a directed-route SMP (IBA 14.2.2). No index into a path may reach
 * GLASS_SMP_MAX_HOPS. Therefore glass_dr_receive() and glass_dr_turn() check the hop count, and
 * dr_outbound() and dr_inbound() compare the hop pointer with the hop count.
 */
#include "mgmt/dr.h"

/* Returns the verdict on an SMP whose path leaves the node by `port`. */
static enum glass_dr_verdict leave_by(const struct glass_node *n, u8 port, u32 *out_port)
{
	/* a route may name any byte, also port 0 or a port that the node does not have */
	if (!port || port > n->num_ports)
		return GLASS_DR_DROP;
	*out_port = port;
	return GLASS_DR_FORWARD;
}

/*
 * Returns the verdict at the node where the directed part of the path ends. lid is the DrDLID of a
 * request, or the DrSLID of an answer. If lid is the permissive LID, the whole path ends at this
 * node.
 */
static enum glass_dr_verdict end_of_path(const struct glass_node *n, u16 lid, u16 *dlid)
{
	if (lid == GLASS_LID_PERMISSIVE)
		return GLASS_DR_LOCAL;
	if (n->type != GLASS_NODE_SWITCH)
		return GLASS_DR_DROP;
	*dlid = lid;
	return GLASS_DR_LID_ROUTE;
}

static enum glass_dr_verdict dr_outbound(const struct glass_node *n, u32 in_port, u8 mad[256],
					 u32 *out_port, u16 *dlid)
{
	u32 cnt = mad[GLASS_SMP_HOP_CNT];
	u32 ptr = mad[GLASS_SMP_HOP_PTR];

	/* the SMP came to this node by LID: the directed part of its path starts here */
	if (!ptr && cnt) {
		if (n->type != GLASS_NODE_SWITCH ||
		    get_unaligned_be16(mad + GLASS_SMP_DR_SLID) == GLASS_LID_PERMISSIVE)
			return GLASS_DR_DROP;
		mad[GLASS_SMP_HOP_PTR] = 1;
		return leave_by(n, mad[GLASS_SMP_INITIAL_PATH + 1], out_port);
	}
	if (ptr && ptr < cnt) {
		if (n->type != GLASS_NODE_SWITCH)
			return GLASS_DR_DROP;
		mad[GLASS_SMP_RETURN_PATH + ptr] = in_port;
		mad[GLASS_SMP_HOP_PTR] = ++ptr;
		return leave_by(n, mad[GLASS_SMP_INITIAL_PATH + ptr], out_port);
	}
	if (ptr == cnt) {
		if (cnt)
			mad[GLASS_SMP_RETURN_PATH + ptr] = in_port;
		mad[GLASS_SMP_HOP_PTR] = ptr + 1;
		return end_of_path(n, get_unaligned_be16(mad + GLASS_SMP_DR_DLID), dlid);
	}
	/* cnt + 1: the directed part of the path ended at another node; the SMP came here by LID */
	return ptr == cnt + 1 ? GLASS_DR_LOCAL : GLASS_DR_DROP;
}

/*
 * Moves an answer one hop back along its path. `own` is true if this node sends the answer, and
 * false if the answer arrived here.
 */
static enum glass_dr_verdict dr_inbound(const struct glass_node *n, u8 mad[256], bool own,
					u32 *out_port, u16 *dlid)
{
	u32 cnt = mad[GLASS_SMP_HOP_CNT];
	u32 ptr = mad[GLASS_SMP_HOP_PTR];

	if (!ptr)
		return own ? GLASS_DR_DROP : GLASS_DR_LOCAL;
	if (ptr > cnt + 1)
		return GLASS_DR_DROP;
	mad[GLASS_SMP_HOP_PTR] = --ptr;
	if (!ptr)
		return end_of_path(n, get_unaligned_be16(mad + GLASS_SMP_DR_SLID), dlid);
	if (!own && n->type != GLASS_NODE_SWITCH)
		return GLASS_DR_DROP;
	return leave_by(n, mad[GLASS_SMP_RETURN_PATH + ptr], out_port);
}

enum glass_dr_verdict glass_dr_receive(const struct glass_node *n, u32 in_port, u8 mad[256],
				       u32 *out_port, u16 *dlid)
{
	if (mad[GLASS_SMP_HOP_CNT] >= GLASS_SMP_MAX_HOPS)
		return GLASS_DR_DROP;
	if (glass_smp_returning(mad))
		return dr_inbound(n, mad, false, out_port, dlid);
	return dr_outbound(n, in_port, mad, out_port, dlid);
}

enum glass_dr_verdict glass_dr_turn(const struct glass_node *n, u8 mad[256], u32 *out_port,
				    u16 *dlid)
{
	if (mad[GLASS_SMP_HOP_CNT] >= GLASS_SMP_MAX_HOPS || !glass_smp_returning(mad))
		return GLASS_DR_DROP;
	return dr_inbound(n, mad, true, out_port, dlid);
}
