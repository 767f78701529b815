// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The switch (switch.h): forwards data and MADs, and answers MADs that are sent to it. */
#include "fabric/switch.h"
#include "mgmt/dr.h"
#include "mgmt/notice.h"

int glass_switch_init(struct glass_switch *sw, u32 num_ports, struct glass_port *ports, u64 guid,
		      u64 sys_guid, const char *desc)
{
	return glass_node_init(&sw->node, GLASS_NODE_SWITCH, num_ports, ports, &sw->fdb, guid,
			       sys_guid, desc);
}

static bool is_own_lid(const struct glass_switch *sw, u16 dlid)
{
	return glass_port_has_lid(&sw->node.ports[0], dlid);
}

bool glass_switch_find_route(struct glass_switch *sw, struct glass_port *in,
			     const struct glass_pkt *pkt)
{
	enum glass_drop why;
	int port;

	in->route.key = 0;
	/* a packet for the switch itself stays here, even if the table leads elsewhere */
	if (is_own_lid(sw, pkt->dlid))
		return false;
	port = glass_switch_route(sw, pkt->dlid, &why);
	if (port <= 0 || port == in->num || !glass_port_pkey_in(in, pkt->pkey) ||
	    !glass_port_pkey_out(&sw->node.ports[port], pkt->pkey))
		return false;
	in->route.out = port;
	in->route.key = glass_switch_route_key(sw, pkt);
	return true;
}

/* Port p drops a packet because of its P_Key: counts the violation, and requests a trap. */
static void note_denied(struct glass_switch *sw, struct glass_port *p, const struct glass_pkt *pkt,
		   struct glass_fwd *out)
{
	glass_viol(&p->pkey_viol, 1 + pkt->more);
	if (glass_trap_switch_pkey(&sw->node, p->num, pkt))
		out->changes |= GLASS_CHG_TRAP;
}

/*
 * May a packet of a data VL enter the switch at this port, with its P_Key? If not, counts the
 * violation, and *out gets the verdict.
 */
static bool switch_admit_in(struct glass_switch *sw, struct glass_port *in,
			    const struct glass_pkt *pkt, struct glass_fwd *out)
{
	if (likely(glass_port_pkey_in(in, pkt->pkey)))
		return true;
	in->ctr[GLASS_CTR_RCV_CONSTRAINT] += 1 + pkt->more;
	note_denied(sw, in, pkt, out);
	glass_fwd_drop(out, GLASS_DROP_BAD_PKEY);
	return false;
}

/*
 * May the packet leave by port p? If so, counts it as sent. If not, counts it as discarded or
 * denied, and *why gets the reason.
 */
static bool switch_port_transmit(struct glass_switch *sw, struct glass_port *p,
				 const struct glass_pkt *pkt, enum glass_drop *why,
				 struct glass_fwd *out)
{
	if (unlikely(!glass_port_sends(p, pkt->vl))) {
		*why = GLASS_DROP_PORT_DOWN;
	} else if (unlikely(pkt->len > glass_mtu_bytes(p->mtu_active) * (1u + pkt->more) &&
			    pkt->vl != GLASS_VL_SMP)) {
		*why = GLASS_DROP_BAD_LEN;
	} else if (unlikely(p->enforce && pkt->vl != GLASS_VL_SMP &&
			    !glass_port_pkey_out(p, pkt->pkey))) {
		*why = GLASS_DROP_BAD_PKEY;
		p->ctr[GLASS_CTR_XMIT_CONSTRAINT] += 1 + pkt->more;
		note_denied(sw, p, pkt, out);
		return false;
	} else {
		glass_port_count_tx(p, pkt->vl, pkt->dlid, glass_pkt_words(pkt), 1 + pkt->more);
		return true;
	}
	p->ctr[GLASS_CTR_XMIT_DISCARDS] += 1 + pkt->more;
	return false;
}

static void switch_forward_multicast(struct glass_switch *sw, struct glass_port *in,
				     const struct glass_pkt *pkt, struct glass_fwd *out)
{
	u32 index = pkt->dlid - GLASS_LID_MCAST_BASE;
	u64 set[GLASS_PORT_WORDS] = {};
	enum glass_drop why;
	bool any = false;
	u32 port;
	u64 *to;

	if (index < GLASS_MFT_LIDS) {
		memcpy(set, glass_fdb_mcast(&sw->fdb, index), sizeof(set));
	} else {
		/* a packet with a LID beyond the table leaves by a default port (IBA 18.2.4.3.3) */
		port = sw->fdb.def_mcast_primary;
		if (port == in->num)
			port = sw->fdb.def_mcast_not_primary;
		set[port / 64] = 1ULL << (port % 64);
	}
	/* no copy goes back to the ingress port, or to port 0, which receives no multicast */
	set[in->num / 64] &= ~(1ULL << (in->num % 64));
	set[0] &= ~1ULL;

	memset(out->ports, 0, sizeof(out->ports));
	memset(out->down, 0, sizeof(out->down));
	memset(out->too_long, 0, sizeof(out->too_long));
	memset(out->denied, 0, sizeof(out->denied));
	for (port = 1; port <= sw->node.num_ports; port++) {
		if (!(set[port / 64] >> (port % 64) & 1))
			continue;
		any = true;
		to = switch_port_transmit(sw, &sw->node.ports[port], pkt, &why, out) ? out->ports :
		     why == GLASS_DROP_PORT_DOWN ? out->down :
		     why == GLASS_DROP_BAD_PKEY ? out->denied : out->too_long;
		to[port / 64] |= 1ULL << (port % 64);
	}
	if (any) {
		out->kind = GLASS_FWD_SET;
		return;
	}
	in->ctr[GLASS_CTR_RCV_SWITCH_RELAY]++;
	glass_fwd_drop(out, GLASS_DROP_NO_ROUTE);
}

/* Forwards a unicast packet by `port`, which the forwarding table gives for its DLID. */
static void switch_forward_unicast(struct glass_switch *sw, struct glass_port *in,
				   const struct glass_pkt *pkt, u32 port, struct glass_fwd *out)
{
	enum glass_drop why;

	/* a packet never leaves by its ingress port */
	if (port == in->num) {
		in->ctr[GLASS_CTR_RCV_SWITCH_RELAY] += 1 + pkt->more;
		glass_fwd_drop(out, GLASS_DROP_NO_ROUTE);
		return;
	}
	out->port = port;
	if (!switch_port_transmit(sw, &sw->node.ports[port], pkt, &why, out)) {
		glass_fwd_drop(out, why);
		return;
	}
	out->kind = GLASS_FWD_PORT;
}

/*
 * Sends the MAD in *out by `port`. If the port cannot send, drops the MAD with the reason `down`.
 * Also drops the MAD if its P_Key does not match at the port. `in` is the input port of the request
 * that the MAD answers. It is 0 if the MAD is no answer of this switch.
 */
static void switch_emit_mad(struct glass_switch *sw, u32 port, u32 in, struct glass_fwd *out,
			    enum glass_drop down)
{
	struct glass_port *p = &sw->node.ports[port];

	out->port = port;
	/* an answer may leave by the port of its request even if the request took the port down */
	if (port != in && !glass_port_sends(p, out->vl)) {
		p->ctr[GLASS_CTR_XMIT_DISCARDS]++;
		glass_fwd_drop_own(out, down);
		return;
	}
	if (out->vl != GLASS_VL_SMP && !glass_port_pkey_out(p, out->pkey)) {
		struct glass_pkt pkt;
		struct glass_seg seg;

		glass_fwd_pkt(out, &pkt, &seg);
		p->ctr[GLASS_CTR_XMIT_CONSTRAINT]++;
		note_denied(sw, p, &pkt, out);
		glass_fwd_drop_own(out, GLASS_DROP_BAD_PKEY);
		return;
	}
	glass_fwd_send(p, out);
}

/*
 * Sends the MAD in *out to out->dlid, by the port that the forwarding table gives. `in` is as for
 * switch_emit_mad().
 */
static void emit_to_lid(struct glass_switch *sw, u32 in, struct glass_fwd *out)
{
	enum glass_drop why;
	int port;

	/* a requester without a LID can be reached only by the port at which its request came */
	if (out->dlid == GLASS_LID_PERMISSIVE && in)
		port = in;
	else
		port = glass_switch_route(sw, out->dlid, &why);
	if (port <= 0) {
		glass_fwd_drop_own(out, GLASS_DROP_NO_ROUTE);
		return;
	}
	switch_emit_mad(sw, port, in, out, GLASS_DROP_PORT_DOWN);
}

/*
 * Sends or drops out->mad, as a verdict of mgmt/dr.h says. `port` is the output port of
 * GLASS_DR_FORWARD. dlid is the destination of GLASS_DR_LID_ROUTE. `in` is as for
 * switch_emit_mad().
 */
static void dr_send(struct glass_switch *sw, u32 in, enum glass_dr_verdict verdict, u32 port,
		    u16 dlid, struct glass_fwd *out)
{
	if (verdict == GLASS_DR_FORWARD) {
		out->slid = GLASS_LID_PERMISSIVE;
		out->dlid = GLASS_LID_PERMISSIVE;
		switch_emit_mad(sw, port, in, out, GLASS_DROP_SMP_ROUTE);
	} else if (verdict == GLASS_DR_LID_ROUTE) {
		out->slid = glass_agent_lid(&sw->node.ports[0]);
		out->dlid = dlid;
		emit_to_lid(sw, in, out);
	} else {
		out->slid = GLASS_LID_PERMISSIVE;
		out->dlid = GLASS_LID_PERMISSIVE;
		glass_fwd_drop_own(out, GLASS_DROP_SMP_ROUTE);
	}
}

/* Handles a directed-route SMP: forwards it, or answers it if this switch is its destination. */
static void directed_route(struct glass_switch *sw, u32 in, const struct glass_pkt *pkt, u8 *mad,
			   struct glass_fwd *out)
{
	enum glass_dr_verdict verdict;
	u32 port = 0;
	u16 dlid = 0;

	verdict = glass_dr_receive(&sw->node, in, mad, &port, &dlid);
	if (verdict == GLASS_DR_LID_ROUTE && is_own_lid(sw, dlid))
		verdict = GLASS_DR_LOCAL;
	if (verdict != GLASS_DR_LOCAL) {
		memcpy(out->mad, mad, GLASS_MAD_BYTES);
		/* 0 for `in`: the SMP is no answer of this switch, so the output port must be up */
		dr_send(sw, 0, verdict, port, dlid, out);
		return;
	}
	if (glass_agent_smp(&sw->node, in, pkt, mad, out) != GLASS_MAD_REPLY)
		return;
	port = 0;
	verdict = glass_dr_turn(&sw->node, out->mad, &port, &dlid);
	dr_send(sw, in, verdict, port, dlid, out);
}

/* Handles an SMP that is for this switch, or that takes a directed route through it. */
static void smp_local(struct glass_switch *sw, u32 in, const struct glass_pkt *pkt,
		      struct glass_fwd *out)
{
	u8 mad[GLASS_MAD_BYTES];

	if (!glass_agent_mad(pkt, 0, mad, out))
		return;
	glass_agent_smp_header(pkt, out);
	if (mad[GLASS_MAD_CLASS] == GLASS_MC_SM_DR) {
		directed_route(sw, in, pkt, mad, out);
		return;
	}
	if (glass_agent_smp(&sw->node, in, pkt, mad, out) != GLASS_MAD_REPLY)
		return;
	out->slid = glass_agent_slid(&sw->node.ports[0], pkt);
	out->dlid = pkt->slid;
	emit_to_lid(sw, in, out);
}

void glass_switch_rx(struct glass_switch *sw, u32 in_port, const struct glass_pkt *pkt,
		     struct glass_fwd *out)
{
	struct glass_port *in;
	enum glass_drop why;
	int port;

	glass_fwd_init(out);
	in = in_port ? glass_node_port(&sw->node, in_port) : NULL;
	if (unlikely(!in || !glass_port_receives(in, pkt->vl))) {
		glass_fwd_drop(out, GLASS_DROP_PORT_DOWN);
		return;
	}
	glass_port_count_rx(in, pkt->vl, pkt->dlid, glass_pkt_words(pkt), 1 + pkt->more);
	if (likely(pkt->vl != GLASS_VL_SMP)) {
		out->changes = glass_port_data_seen(in);
		if (unlikely(in->enforce) && !switch_admit_in(sw, in, pkt, out))
			return;
		if (glass_lid_is_mcast(pkt->dlid)) {
			switch_forward_multicast(sw, in, pkt, out);
			return;
		}
	}
	if (unlikely(pkt->dlid == GLASS_LID_PERMISSIVE || is_own_lid(sw, pkt->dlid))) {
		if (pkt->vl == GLASS_VL_SMP)
			smp_local(sw, in_port, pkt, out);
		else if (glass_agent_gmp(&sw->node, &sw->node.ports[0], in_port, pkt, out))
			emit_to_lid(sw, in_port, out);
		return;
	}
	port = glass_switch_route(sw, pkt->dlid, &why);
	if (unlikely(port <= 0)) {
		in->ctr[GLASS_CTR_RCV_SWITCH_RELAY] += 1 + pkt->more;
		glass_fwd_drop(out, port ? why : GLASS_DROP_WRONG_LID);
		return;
	}
	switch_forward_unicast(sw, in, pkt, port, out);
}

bool glass_switch_trap(struct glass_switch *sw, struct glass_fwd *out)
{
	u32 num;

	if (!glass_trap_build(&sw->node, out->mad, &num))
		return false;
	glass_fwd_init(out);
	glass_agent_smp_header(NULL, out);
	out->slid = sw->node.ports[num].lid;
	out->dlid = sw->node.ports[num].sm_lid;
	emit_to_lid(sw, 0, out);
	return true;
}
