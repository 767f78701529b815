/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A switch: forwards decoded packets between its ports and answers management
 * packets itself. No locks: the owner serialises all calls on one switch,
 * except where a function says that it only reads.
 */
#ifndef GLASS_FABRIC_SWITCH_H
#define GLASS_FABRIC_SWITCH_H

#include "mgmt/node.h"
#include "wire/opcode.h"
#include "wire/packet.h"

/* About 82 KiB: not for a stack. */
struct glass_switch {
	struct glass_node node; /* node.ports: caller's memory */
	struct glass_fdb fdb;
};

enum glass_fwd_kind {
	GLASS_FWD_DROP, /* see why */
	GLASS_FWD_CONSUMED, /* the switch consumed it, no packet leaves */
	GLASS_FWD_PORT, /* out by port */
	GLASS_FWD_SET, /* a copy out by each port of ports[], which may be none */
	GLASS_FWD_MAD, /* mad[] goes out by port: glass_fwd_pkt() makes the packet */
};

/* The verdict of a switch on a packet. 420 bytes: embed it in a larger object, not on a stack. */
struct glass_fwd {
	enum glass_fwd_kind kind;
	enum glass_drop why;
	u32 port;
	u64 ports[GLASS_PORT_WORDS];
	/* GLASS_FWD_SET: ports whose copy is dropped, for PORT_DOWN or BAD_LEN. */
	u64 down[GLASS_PORT_WORDS], too_long[GLASS_PORT_WORDS];
	/*
	 * GLASS_FWD_DROP: the dropped packet is the switch's own (or a forwarded SMP):
	 * glass_fwd_pkt()
	 */
	bool own;
	/*
	 * GLASS_CHG_* with the port number, for the owner. After GLASS_CHG_LINK it must call
	 * glass_link_update().
	 */
	u32 changes;
	/* GLASS_FWD_MAD: a directed-route SMP passed on, or an answer */
	u16 slid, dlid;
	u8 sl, vl;
	u16 pkey;
	u64 flow; /* of the packet that it answers or is */
	u32 sqpn, dqpn, qkey;
	u32 psn;
	u8 mad[GLASS_MAD_BYTES];
};

/*
 * num_ports 1 .. 254, ports: num_ports + 1 entries that outlive the switch.
 * Returns 0 or -EINVAL.
 */
int glass_switch_init(struct glass_switch *sw, u32 num_ports, struct glass_port *ports, u64 guid,
		      u64 sys_guid, const char *desc);

/*
 * Routes a unicast data packet (VL other than 15). Returns the output port, 1 .. 254, or 0 when it
 * is for the switch itself, or -1 with *why set. Only reads.
 */
static inline int glass_switch_route(const struct glass_switch *sw, u16 dlid, enum glass_drop *why)
{
	u32 port;

	if (unlikely(dlid >= GLASS_LFT_LIDS || dlid > sw->fdb.lft_top)) {
		*why = GLASS_DROP_NO_ROUTE;
		return -1;
	}
	port = sw->fdb.lft[dlid];
	if (unlikely(port > sw->node.num_ports)) {
		*why = GLASS_DROP_NO_ROUTE;
		return -1;
	}
	return port;
}

/*
 * Fast path of glass_switch_rx(), inline: unicast data between two ACTIVE ports. Counts the packet
 * and returns the output port, or returns 0 without effect: the caller must then call
 * glass_switch_rx().
 */
static inline u32 glass_switch_fast(struct glass_switch *sw, u32 in_port,
				    const struct glass_pkt *pkt)
{
	struct glass_port *in, *out;
	u32 port, words;

	if (unlikely(pkt->vl == GLASS_VL_SMP || pkt->dlid > sw->fdb.lft_top || !in_port ||
		     in_port > sw->node.num_ports))
		return 0;
	port = sw->fdb.lft[pkt->dlid];
	if (unlikely(!port || port > sw->node.num_ports || port == in_port))
		return 0;
	in = &sw->node.ports[in_port];
	out = &sw->node.ports[port];
	if (unlikely(in->state != GLASS_PORT_ACTIVE || out->state != GLASS_PORT_ACTIVE ||
		     pkt->len > glass_mtu_bytes(out->mtu_active) * (1u + pkt->more)))
		return 0;
	words = glass_pkt_words(pkt);
	in->ctr[GLASS_CTR_RCV_DATA] += words;
	in->ctr[GLASS_CTR_RCV_PKTS] += 1 + pkt->more;
	in->ctr[GLASS_CTR_UC_RCV_PKTS] += 1 + pkt->more;
	out->ctr[GLASS_CTR_XMIT_DATA] += words;
	out->ctr[GLASS_CTR_XMIT_PKTS] += 1 + pkt->more;
	out->ctr[GLASS_CTR_UC_XMIT_PKTS] += 1 + pkt->more;
	return port;
}

/*
 * Handles a packet that arrived at in_port (1 .. num_ports). Fills all of *out (mad[] only if
 * used).
 */
void glass_switch_rx(struct glass_switch *sw, u32 in_port, const struct glass_pkt *pkt,
		     struct glass_fwd *out);

/*
 * Makes the packet of a GLASS_FWD_MAD result; out must remain valid while pkt is used. seg: one
 * entry of the caller's.
 */
void glass_fwd_pkt(struct glass_fwd *out, struct glass_pkt *pkt, struct glass_seg *seg);

/*
 * Is there a trap to send now? Then *out is a GLASS_FWD_MAD result, or has the reason of its drop.
 * Call it after changes, and again from time to time (the trap repeats until repressed).
 */
bool glass_switch_trap(struct glass_switch *sw, struct glass_fwd *out);

static inline bool glass_fwd_has_port(const struct glass_fwd *out, u32 port)
{
	return out->ports[port / 64] >> (port % 64) & 1;
}

#endif
