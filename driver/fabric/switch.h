/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A switch: forwards decoded packets (struct glass_pkt) between its ports, and answers MADs that
 * are sent to it. It does not deliver packets: its functions return a verdict (struct glass_fwd),
 * and the owner of the switch (link/) acts on the verdict. No locks: the owner serialises all calls
 * for one switch, except calls of functions whose comment says that they only read.
 */
#ifndef GLASS_FABRIC_SWITCH_H
#define GLASS_FABRIC_SWITCH_H

#include "mgmt/node.h"
#include "wire/opcode.h"
#include "wire/packet.h"

/* About 80 KiB: not for a stack. */
struct glass_switch {
	struct glass_node node; /* node.ports: memory of the caller of glass_switch_init() */
	struct glass_fdb fdb;
};

enum glass_fwd_kind {
	GLASS_FWD_DROP, /* `why` is the reason */
	GLASS_FWD_CONSUMED, /* the switch consumed the packet, and sends none */
	GLASS_FWD_PORT, /* the packet leaves by `port` */
	GLASS_FWD_SET, /* a copy leaves by each port of ports[], which may be empty */
	GLASS_FWD_MAD, /* mad[] leaves by `port`: glass_fwd_pkt() makes the packet */
};

/* The verdict of a switch on a packet. About 400 bytes: embed it in an object, not on a stack. */
struct glass_fwd {
	enum glass_fwd_kind kind;
	enum glass_drop why; /* GLASS_FWD_DROP: the reason */
	u32 port; /* GLASS_FWD_PORT and GLASS_FWD_MAD: the output port */
	u64 ports[GLASS_PORT_WORDS]; /* GLASS_FWD_SET: the output ports, a bit for each */
	/* GLASS_FWD_SET: ports that drop their copy, as PORT_DOWN (down) or BAD_LEN (too_long) */
	u64 down[GLASS_PORT_WORDS], too_long[GLASS_PORT_WORDS];
	/*
	 * GLASS_FWD_DROP. True: the switch drops a packet of its own (an answer, a forwarded SMP, a
	 * trap), which glass_fwd_pkt() makes. False: it drops the received packet.
	 */
	bool own;
	/*
	 * Not 0: the packet changed a port of the switch, or the switch itself (port 0). Bits
	 * GLASS_CHG_*, and the port's number (GLASS_CHG_PORT()). After GLASS_CHG_LINK the owner
	 * must call glass_link_update() for the cable at this port.
	 */
	u32 changes;
	/*
	 * From here on, only for GLASS_FWD_MAD, and for GLASS_FWD_DROP with `own`: a MAD (answer,
	 * forwarded directed-route SMP, or trap), and the header fields of its packet.
	 */
	u16 slid, dlid;
	u8 sl, vl;
	u16 pkey;
	u64 flow; /* of the packet that the MAD answers or forwards; of a trap: 0 */
	u32 sqpn, dqpn, qkey;
	u32 psn;
	u8 mad[GLASS_MAD_BYTES];
};

/*
 * Sets up a switch. num_ports: 1 .. 254; ports: memory for num_ports + 1 entries, which outlives
 * the switch. sys_guid: the system image GUID; desc: the node description. Returns 0 or -EINVAL.
 */
int glass_switch_init(struct glass_switch *sw, u32 num_ports, struct glass_port *ports, u64 guid,
		      u64 sys_guid, const char *desc);

/*
 * Looks a unicast LID up in the forwarding table. Returns the output port, 1 .. 254; 0: the table
 * leads to the switch itself; -1: there is no route, and *why gets the reason. Only reads.
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
 * The fast path of glass_switch_rx(), for unicast data between two ACTIVE ports. Counts the packet
 * at both ports, and returns the output port. 0: the packet needs glass_switch_rx(), and nothing
 * was counted. words: glass_pkt_words(pkt).
 */
static inline u32 glass_switch_fast(struct glass_switch *sw, u32 in_port,
				    const struct glass_pkt *pkt, u32 words)
{
	u32 port, pkts = 1 + pkt->more;
	struct glass_port *in, *out;

	if (unlikely(pkt->vl == GLASS_VL_SMP || pkt->dlid > sw->fdb.lft_top || !in_port ||
		     in_port > sw->node.num_ports))
		return 0;
	port = sw->fdb.lft[pkt->dlid];
	if (unlikely(!port || port > sw->node.num_ports || port == in_port))
		return 0;
	in = &sw->node.ports[in_port];
	out = &sw->node.ports[port];
	if (unlikely(in->state != GLASS_PORT_ACTIVE || out->state != GLASS_PORT_ACTIVE ||
		     pkt->len > glass_mtu_bytes(out->mtu_active) * pkts))
		return 0;
	in->ctr[GLASS_CTR_RCV_DATA] += words;
	in->ctr[GLASS_CTR_RCV_PKTS] += pkts;
	in->ctr[GLASS_CTR_UC_RCV_PKTS] += pkts;
	out->ctr[GLASS_CTR_XMIT_DATA] += words;
	out->ctr[GLASS_CTR_XMIT_PKTS] += pkts;
	out->ctr[GLASS_CTR_UC_XMIT_PKTS] += pkts;
	return port;
}

/*
 * Handles a packet that arrived at in_port (1 .. num_ports), and counts it. *out gets the verdict:
 * kind, why, own, changes, and the other fields that belong to the kind.
 */
void glass_switch_rx(struct glass_switch *sw, u32 in_port, const struct glass_pkt *pkt,
		     struct glass_fwd *out);

/*
 * Fills *pkt from a verdict GLASS_FWD_MAD, or GLASS_FWD_DROP with `own`. Its payload is out->mad;
 * *seg becomes its gather list of one entry. *out and *seg must remain valid while *pkt is used.
 */
void glass_fwd_pkt(struct glass_fwd *out, struct glass_pkt *pkt, struct glass_seg *seg);

/*
 * Is a trap pending, and has the switch a LID and an SM LID, so that it can send the trap? If so,
 * *out gets the verdict on the trap: GLASS_FWD_MAD, or GLASS_FWD_DROP with `own`. The trap remains
 * pending until the subnet manager represses it. Therefore, once node.trap_pending is set, the
 * owner calls this function, and again after each subnet timeout until it returns false. After
 * false, while node.trap_pending is still set, the owner calls it at the next change of the switch.
 */
bool glass_switch_trap(struct glass_switch *sw, struct glass_fwd *out);

/* Is the bit of this number in a set, such as glass_fwd.ports? */
static inline bool glass_port_set_has(const u64 *set, u32 bit)
{
	return set[bit / 64] >> (bit % 64) & 1;
}

#endif
