// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Passive channel adapters (ca.h). */
#include "fabric/ca.h"
#include "mgmt/dr.h"
#include "mgmt/notice.h"
#include "wire/opcode.h"

/* Can an answer be sent to a requester with this LID? */
static bool can_answer(u16 dlid)
{
	return dlid && !glass_lid_is_mcast(dlid);
}

/*
 * Sends the answer in *out by the port at which its request came. Does not test whether the port is
 * up: the request may have taken it down just now.
 */
static void ca_answer(struct glass_port *p, struct glass_fwd *out)
{
	if (can_answer(out->dlid))
		glass_fwd_send(p, out);
	else
		glass_fwd_drop_own(out, GLASS_DROP_NO_ROUTE);
}

static void ca_directed_route(struct glass_node *ca, struct glass_port *p,
			      const struct glass_pkt *pkt, u8 *mad, struct glass_fwd *out)
{
	u32 port = 0;
	u16 dlid = 0;

	/* an adapter forwards no SMP: each directed route ends at it */
	if (glass_dr_receive(ca, p->num, mad, &port, &dlid) != GLASS_DR_LOCAL) {
		glass_fwd_drop(out, GLASS_DROP_SMP_ROUTE);
		return;
	}
	if (glass_agent_smp(ca, p->num, pkt, mad, out) != GLASS_MAD_REPLY)
		return;
	out->slid = GLASS_LID_PERMISSIVE;
	out->dlid = GLASS_LID_PERMISSIVE;
	/* a forged return path may name another port */
	if (glass_dr_turn(ca, out->mad, &port, &dlid) == GLASS_DR_FORWARD && port == p->num)
		ca_answer(p, out);
	else
		glass_fwd_drop_own(out, GLASS_DROP_SMP_ROUTE);
}

static void ca_smp(struct glass_node *ca, struct glass_port *p, const struct glass_pkt *pkt,
		   struct glass_fwd *out)
{
	u16 slid = glass_agent_slid(p, pkt);
	u8 mad[GLASS_MAD_BYTES];

	if (!glass_agent_mad(pkt, 0, mad, out))
		return;
	glass_agent_smp_header(pkt, out);
	if (mad[GLASS_MAD_CLASS] == GLASS_MC_SM_DR) {
		ca_directed_route(ca, p, pkt, mad, out);
		return;
	}
	if (glass_agent_smp(ca, p->num, pkt, mad, out) != GLASS_MAD_REPLY)
		return;
	out->slid = slid;
	out->dlid = pkt->slid;
	ca_answer(p, out);
}

void glass_ca_rx(struct glass_node *ca, u32 in_port, const struct glass_pkt *pkt,
		 struct glass_fwd *out)
{
	struct glass_port *p = glass_node_port(ca, in_port);

	glass_fwd_init(out);
	if (!p || !glass_port_receives(p, pkt->vl)) {
		glass_fwd_drop(out, GLASS_DROP_PORT_DOWN);
		return;
	}
	glass_port_count_rx(p, pkt->vl, pkt->dlid, glass_pkt_words(pkt), 1 + pkt->more);
	if (pkt->vl != GLASS_VL_SMP) {
		out->changes = glass_port_data_seen(p);
		/* no QP of a passive adapter is in a group: the port consumes the multicast */
		if (glass_lid_is_mcast(pkt->dlid))
			return;
	}
	if (pkt->dlid != GLASS_LID_PERMISSIVE && !glass_port_has_lid(p, pkt->dlid))
		glass_fwd_drop(out, GLASS_DROP_WRONG_LID);
	else if (pkt->vl == GLASS_VL_SMP)
		ca_smp(ca, p, pkt, out);
	else if (glass_agent_gmp(ca, p, in_port, pkt, out))
		ca_answer(p, out);
}

bool glass_ca_trap(struct glass_node *ca, struct glass_fwd *out)
{
	struct glass_port *p;
	u32 num;

	glass_fwd_init(out);
	if (!glass_trap_build(ca, out->mad, &num))
		return false;
	p = &ca->ports[num];
	glass_agent_smp_header(NULL, out);
	out->slid = p->lid;
	out->dlid = p->sm_lid;
	if (glass_port_sends(p, GLASS_VL_SMP)) {
		glass_fwd_send(p, out);
	} else {
		p->ctr[GLASS_CTR_XMIT_DISCARDS]++;
		glass_fwd_drop_own(out, GLASS_DROP_PORT_DOWN);
	}
	return true;
}
