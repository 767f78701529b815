// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The switch (switch.h): forwards data and MADs, and answers MADs that are sent to it. */
#include "fabric/switch.h"
#include "mgmt/dr.h"
#include "mgmt/notice.h"
#include "mgmt/pma.h"
#include "mgmt/sma.h"
#include "wire/opcode.h"
#include "wire/serial.h"

#define QP1_QKEY 0x80010000
#define UD_SEND_ONLY (GLASS_TR_UD | GLASS_BOP_SEND_ONLY)

int glass_switch_init(struct glass_switch *sw, u32 num_ports, struct glass_port *ports, u64 guid,
		      u64 sys_guid, const char *desc)
{
	return glass_node_init(&sw->node, GLASS_NODE_SWITCH, num_ports, ports, &sw->fdb, guid,
			       sys_guid, desc);
}

static void fwd_drop(struct glass_fwd *out, enum glass_drop why)
{
	out->kind = GLASS_FWD_DROP;
	out->own = false;
	out->why = why;
}

/* Drops the MAD in *out, which the switch was about to send. */
static void drop_own(struct glass_fwd *out, enum glass_drop why)
{
	fwd_drop(out, why);
	out->own = true;
}

static bool is_own_lid(const struct glass_switch *sw, u16 dlid)
{
	return glass_port_has_lid(&sw->node.ports[0], dlid);
}

/*
 * May the packet leave by this port? True: counts it as sent. False: counts it as discarded, and
 * *why gets the reason.
 */
static bool switch_port_transmit(struct glass_port *p, const struct glass_pkt *pkt,
				 enum glass_drop *why)
{
	if (unlikely(!glass_port_sends(p, pkt->vl))) {
		*why = GLASS_DROP_PORT_DOWN;
	} else if (unlikely(pkt->len > glass_mtu_bytes(p->mtu_active) * (1u + pkt->more) &&
			    pkt->vl != GLASS_VL_SMP)) {
		*why = GLASS_DROP_BAD_LEN;
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
		memcpy(set, sw->fdb.mft[index], sizeof(set));
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
	for (port = 1; port <= sw->node.num_ports; port++) {
		if (!(set[port / 64] >> (port % 64) & 1))
			continue;
		any = true;
		to = switch_port_transmit(&sw->node.ports[port], pkt, &why) ? out->ports :
		     why == GLASS_DROP_PORT_DOWN ? out->down : out->too_long;
		to[port / 64] |= 1ULL << (port % 64);
	}
	if (any) {
		out->kind = GLASS_FWD_SET;
		return;
	}
	in->ctr[GLASS_CTR_RCV_SWITCH_RELAY]++;
	fwd_drop(out, GLASS_DROP_NO_ROUTE);
}

/* Forwards a unicast packet by `port`, which the forwarding table gives for its DLID. */
static void switch_forward_unicast(struct glass_switch *sw, struct glass_port *in,
				   const struct glass_pkt *pkt, u32 port, struct glass_fwd *out)
{
	enum glass_drop why;

	/* a packet never leaves by its ingress port */
	if (port == in->num) {
		in->ctr[GLASS_CTR_RCV_SWITCH_RELAY] += 1 + pkt->more;
		fwd_drop(out, GLASS_DROP_NO_ROUTE);
		return;
	}
	if (!switch_port_transmit(&sw->node.ports[port], pkt, &why)) {
		fwd_drop(out, why);
		return;
	}
	out->kind = GLASS_FWD_PORT;
	out->port = port;
}

/*
 * Sends the MAD in *out by `port`, or drops it with the reason `down` if `port` is down. in: the
 * input port of the request that the MAD answers; 0: the MAD is no answer of this switch.
 */
static void switch_emit_mad(struct glass_switch *sw, u32 port, u32 in, struct glass_fwd *out,
			    enum glass_drop down)
{
	struct glass_port *p = &sw->node.ports[port];
	u32 words = (GLASS_LRH_BYTES + GLASS_BTH_BYTES + GLASS_DETH_BYTES + GLASS_MAD_BYTES +
		     GLASS_ICRC_BYTES) / 4;

	/* do not test this if port == in: the request may have taken the port down just now */
	if (port != in && !glass_port_sends(p, out->vl)) {
		p->ctr[GLASS_CTR_XMIT_DISCARDS]++;
		drop_own(out, down);
		return;
	}
	glass_port_count_tx(p, out->vl, out->dlid, words, 1);
	out->kind = GLASS_FWD_MAD;
	out->port = port;
}

/*
 * Sends the MAD in *out to out->dlid, by the port that the forwarding table gives. in: as for
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
		drop_own(out, GLASS_DROP_NO_ROUTE);
		return;
	}
	switch_emit_mad(sw, port, in, out, GLASS_DROP_PORT_DOWN);
}

/* The switch's LID; while it has none, the permissive LID. */
static u16 own_lid(const struct glass_switch *sw)
{
	u16 lid = sw->node.ports[0].lid;

	return lid ? lid : GLASS_LID_PERMISSIVE;
}

/*
 * Fills the header fields of an SMP, except its LIDs. pkt: the SMP that it answers, or that the
 * switch forwards; NULL: it is a trap.
 */
static void smp_header(const struct glass_pkt *pkt, struct glass_fwd *out)
{
	out->vl = GLASS_VL_SMP;
	out->sl = 0;
	out->pkey = GLASS_PKEY_DEFAULT;
	out->sqpn = 0;
	out->dqpn = 0;
	out->qkey = 0;
	out->psn = pkt ? pkt->psn : 0;
	out->flow = pkt ? pkt->flow : 0;
}

/*
 * Sends or drops out->mad, as the verdict of mgmt/dr.h says. port: the output port of
 * GLASS_DR_FORWARD; dlid: the destination of GLASS_DR_LID_ROUTE. in: as for switch_emit_mad().
 */
static void dr_send(struct glass_switch *sw, u32 in, enum glass_dr_verdict verdict, u32 port,
		    u16 dlid, struct glass_fwd *out)
{
	if (verdict == GLASS_DR_FORWARD) {
		out->slid = GLASS_LID_PERMISSIVE;
		out->dlid = GLASS_LID_PERMISSIVE;
		switch_emit_mad(sw, port, in, out, GLASS_DROP_SMP_ROUTE);
	} else if (verdict == GLASS_DR_LID_ROUTE) {
		out->slid = own_lid(sw);
		out->dlid = dlid;
		emit_to_lid(sw, in, out);
	} else {
		out->slid = GLASS_LID_PERMISSIVE;
		out->dlid = GLASS_LID_PERMISSIVE;
		drop_own(out, GLASS_DROP_SMP_ROUTE);
	}
}

/*
 * Lets the switch's own subnet management agent handle a MAD. in: the port at which the MAD came;
 * request: a copy of the MAD. Returns GLASS_MAD_REPLY: out->mad is the answer, and the caller must
 * send it. After any other result, out->kind is the verdict.
 */
static enum glass_mad_result ask_sma(struct glass_switch *sw, u32 in, const u8 *request,
				     struct glass_fwd *out)
{
	enum glass_mad_result res;
	u32 chg;

	res = glass_sma_process(&sw->node, in, request, out->mad, 0, &chg);
	if (chg)
		out->changes = chg;
	if (res == GLASS_MAD_CONSUMED)
		out->kind = GLASS_FWD_CONSUMED;
	else if (res == GLASS_MAD_BAD_MKEY)
		fwd_drop(out, GLASS_DROP_BAD_MKEY);
	else if (res != GLASS_MAD_REPLY)
		fwd_drop(out, GLASS_DROP_MAD_INVALID);
	return res;
}

/* Handles a directed-route SMP: forwards it, or answers it if this switch is its destination. */
static void directed_route(struct glass_switch *sw, u32 in, u8 *mad, struct glass_fwd *out)
{
	enum glass_dr_verdict verdict;
	u32 port = 0;
	u16 dlid = 0;

	verdict = glass_dr_receive(&sw->node, in, mad, &port, &dlid);
	if (verdict == GLASS_DR_LID_ROUTE && is_own_lid(sw, dlid))
		verdict = GLASS_DR_LOCAL;
	if (verdict != GLASS_DR_LOCAL) {
		memcpy(out->mad, mad, GLASS_MAD_BYTES);
		/* in 0: this is no answer of this switch, so the port of the next hop must be up */
		dr_send(sw, 0, verdict, port, dlid, out);
		return;
	}
	if (ask_sma(sw, in, mad, out) != GLASS_MAD_REPLY)
		return;
	port = 0;
	verdict = glass_dr_turn(&sw->node, out->mad, &port, &dlid);
	dr_send(sw, in, verdict, port, dlid, out);
}

static bool is_mad(const struct glass_pkt *pkt, u32 qpn)
{
	return pkt->dqpn == qpn && pkt->opcode == UD_SEND_ONLY && pkt->len == GLASS_MAD_BYTES;
}

/* Handles an SMP for this switch, or one on a directed route through it. */
static void smp_local(struct glass_switch *sw, u32 in, const struct glass_pkt *pkt,
		      struct glass_fwd *out)
{
	u8 mad[GLASS_MAD_BYTES];

	if (!is_mad(pkt, 0) ||
	    glass_pkt_copy_payload(pkt, 0, mad, sizeof(mad)) != sizeof(mad)) {
		fwd_drop(out, GLASS_DROP_MAD_INVALID);
		return;
	}
	smp_header(pkt, out);
	if (mad[GLASS_MAD_CLASS] == GLASS_MC_SM_DR) {
		directed_route(sw, in, mad, out);
		return;
	}
	if (ask_sma(sw, in, mad, out) != GLASS_MAD_REPLY)
		return;
	out->slid = pkt->dlid == GLASS_LID_PERMISSIVE ? own_lid(sw) : pkt->dlid;
	out->dlid = pkt->slid;
	emit_to_lid(sw, in, out);
}

/*
 * Handles a packet of a data VL for this switch. Only QP1 of the switch receives such packets, for
 * performance management.
 */
static void gmp_local(struct glass_switch *sw, u32 in, const struct glass_pkt *pkt,
		      struct glass_fwd *out)
{
	struct glass_port *port0 = &sw->node.ports[0];
	u8 mad[GLASS_MAD_BYTES];
	int pkey;

	if (pkt->dqpn != 1) {
		fwd_drop(out, GLASS_DROP_NO_QP);
		return;
	}
	if (!is_mad(pkt, 1) ||
	    glass_pkt_copy_payload(pkt, 0, mad, sizeof(mad)) != sizeof(mad)) {
		fwd_drop(out, GLASS_DROP_MAD_INVALID);
		return;
	}
	pkey = glass_port_pkey_index(port0, pkt->pkey);
	if (pkey < 0) {
		glass_viol(&port0->pkey_viol, 1);
		fwd_drop(out, GLASS_DROP_BAD_PKEY);
		return;
	}
	if (pkt->qkey != QP1_QKEY) {
		glass_viol(&port0->qkey_viol, 1);
		fwd_drop(out, GLASS_DROP_BAD_QKEY);
		return;
	}
	if (glass_pma_process(&sw->node, in, mad, out->mad) != GLASS_MAD_REPLY) {
		fwd_drop(out, GLASS_DROP_MAD_INVALID);
		return;
	}
	out->vl = pkt->vl;
	out->sl = pkt->sl;
	/*
	 * The answer gets the P_Key of the port's matching entry, not that of the request: two
	 * limited members do not match (IBA 10.9.3), so a requester that is a limited member would
	 * drop an answer with its own P_Key.
	 */
	out->pkey = port0->pkeys[pkey];
	out->sqpn = 1;
	out->dqpn = pkt->sqpn;
	out->qkey = QP1_QKEY;
	out->psn = pkt->psn;
	out->flow = pkt->flow;
	out->slid = pkt->dlid == GLASS_LID_PERMISSIVE ? own_lid(sw) : pkt->dlid;
	out->dlid = pkt->slid;
	emit_to_lid(sw, in, out);
}

void glass_switch_rx(struct glass_switch *sw, u32 in_port, const struct glass_pkt *pkt,
		     struct glass_fwd *out)
{
	struct glass_port *in;
	enum glass_drop why;
	int port;

	out->why = GLASS_DROP_NONE;
	out->own = false;
	out->changes = 0;
	out->port = 0;
	in = in_port ? glass_node_port(&sw->node, in_port) : NULL;
	if (unlikely(!in || !glass_port_receives(in, pkt->vl))) {
		fwd_drop(out, GLASS_DROP_PORT_DOWN);
		return;
	}
	glass_port_count_rx(in, pkt->vl, pkt->dlid, glass_pkt_words(pkt), 1 + pkt->more);
	if (likely(pkt->vl != GLASS_VL_SMP)) {
		out->changes = glass_port_data_seen(in);
		if (glass_lid_is_mcast(pkt->dlid)) {
			switch_forward_multicast(sw, in, pkt, out);
			return;
		}
	}
	if (unlikely(pkt->dlid == GLASS_LID_PERMISSIVE || is_own_lid(sw, pkt->dlid))) {
		if (pkt->vl == GLASS_VL_SMP)
			smp_local(sw, in_port, pkt, out);
		else
			gmp_local(sw, in_port, pkt, out);
		return;
	}
	port = glass_switch_route(sw, pkt->dlid, &why);
	if (unlikely(port <= 0)) {
		in->ctr[GLASS_CTR_RCV_SWITCH_RELAY] += 1 + pkt->more;
		fwd_drop(out, port ? why : GLASS_DROP_WRONG_LID);
		return;
	}
	switch_forward_unicast(sw, in, pkt, port, out);
}

void glass_fwd_pkt(struct glass_fwd *out, struct glass_pkt *pkt, struct glass_seg *seg)
{
	memset(pkt, 0, sizeof(*pkt));
	pkt->vl = out->vl;
	pkt->sl = out->sl;
	pkt->lnh = GLASS_LNH_LOCAL;
	pkt->slid = out->slid;
	pkt->dlid = out->dlid;
	pkt->opcode = UD_SEND_ONLY;
	pkt->mig = 1;
	pkt->pkey = out->pkey;
	pkt->sqpn = out->sqpn;
	pkt->dqpn = out->dqpn;
	pkt->qkey = out->qkey;
	pkt->psn = out->psn;
	pkt->flow = out->flow;
	pkt->len = GLASS_MAD_BYTES;
	seg->addr = out->mad;
	seg->len = GLASS_MAD_BYTES;
	pkt->seg = seg;
	pkt->nseg = 1;
}

bool glass_switch_trap(struct glass_switch *sw, struct glass_fwd *out)
{
	u32 num;

	if (!glass_trap_build(&sw->node, out->mad, &num))
		return false;
	out->why = GLASS_DROP_NONE;
	out->own = false;
	out->changes = 0;
	smp_header(NULL, out);
	out->slid = sw->node.ports[num].lid;
	out->dlid = sw->node.ports[num].sm_lid;
	emit_to_lid(sw, 0, out);
	return true;
}
