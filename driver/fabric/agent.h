/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The verdict on a packet at a node of the fabric, and what a switch (switch.h) and a passive
 * channel adapter (ca.h) have in common: each hands the MADs that are for the node itself to the
 * node's management agents. No locks: the owner of a node serialises all calls.
 */
#ifndef GLASS_FABRIC_AGENT_H
#define GLASS_FABRIC_AGENT_H

#include "mgmt/node.h"
#include "wire/packet.h"

enum glass_fwd_kind {
	GLASS_FWD_DROP, /* `why` is the reason */
	GLASS_FWD_CONSUMED, /* the node consumed the packet, and sends none */
	GLASS_FWD_PORT, /* the packet leaves by `port` */
	GLASS_FWD_SET, /* a copy leaves by each port of ports[], which may be empty */
	GLASS_FWD_MAD, /* mad[] leaves by `port`: glass_fwd_pkt() makes the packet */
};

/* The verdict of a node on a packet. About 400 bytes: embed it in an object, not on a stack. */
struct glass_fwd {
	enum glass_fwd_kind kind;
	enum glass_drop why; /* GLASS_FWD_DROP: the reason */
	/* the output port; GLASS_FWD_DROP: the port by which the packet could not leave, or 0 */
	u32 port;
	u64 ports[GLASS_PORT_WORDS]; /* GLASS_FWD_SET: the output ports, a bit for each */
	/*
	 * GLASS_FWD_SET: ports that drop their copy, as PORT_DOWN (down), BAD_LEN (too_long) or
	 * BAD_PKEY (denied)
	 */
	u64 down[GLASS_PORT_WORDS], too_long[GLASS_PORT_WORDS], denied[GLASS_PORT_WORDS];
	/*
	 * GLASS_FWD_DROP. True: the node drops a packet of its own (an answer, a forwarded SMP, a
	 * trap), which glass_fwd_pkt() makes. False: it drops the received packet.
	 */
	bool own;
	/*
	 * Not 0: the packet changed a port of the node, or a switch itself (port 0). Bits
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

/* The verdict: no packet leaves, and nothing has changed. Call it first. */
static inline void glass_fwd_init(struct glass_fwd *out)
{
	out->kind = GLASS_FWD_CONSUMED;
	out->why = GLASS_DROP_NONE;
	out->own = false;
	out->changes = 0;
	out->port = 0;
}

/* The node drops the packet that it has received. */
static inline void glass_fwd_drop(struct glass_fwd *out, enum glass_drop why)
{
	out->kind = GLASS_FWD_DROP;
	out->own = false;
	out->why = why;
}

/* The node drops the MAD in *out, which it was about to send. */
static inline void glass_fwd_drop_own(struct glass_fwd *out, enum glass_drop why)
{
	glass_fwd_drop(out, why);
	out->own = true;
}

/* The MAD in *out leaves by p. Counts it there. The caller has tested whether p sends it. */
void glass_fwd_send(struct glass_port *p, struct glass_fwd *out);

/*
 * Fills *pkt from a verdict GLASS_FWD_MAD, or GLASS_FWD_DROP with `own`. Its payload is out->mad;
 * *seg becomes its gather list of one entry. *out and *seg must remain valid while *pkt is used.
 */
void glass_fwd_pkt(struct glass_fwd *out, struct glass_pkt *pkt, struct glass_seg *seg);

/*
 * Fills the header fields of an SMP, except its LIDs. pkt: the SMP that it answers, or that the
 * node forwards; NULL: it is a trap.
 */
void glass_agent_smp_header(const struct glass_pkt *pkt, struct glass_fwd *out);

/*
 * Copies the MAD that a packet for QP qpn (0 or 1) carries. False: it carries none, and is dropped.
 */
bool glass_agent_mad(const struct glass_pkt *pkt, u32 qpn, u8 mad[256], struct glass_fwd *out);

/*
 * Lets the node's subnet management agent handle an SMP. in: the port at which the SMP came; pkt:
 * its packet; request: a copy of the SMP. Returns GLASS_MAD_REPLY: out->mad is the answer, and the
 * caller must send it. After any other result, *out is the verdict.
 */
enum glass_mad_result glass_agent_smp(struct glass_node *n, u32 in, const struct glass_pkt *pkt,
				      const u8 request[256], struct glass_fwd *out);

/*
 * Handles a packet of a data VL that is for this node. Only QP1 receives such packets, for
 * performance management. p: the port that has the node's LID here, with its P_Keys and its
 * violation counters; in: the number of the port at which the packet came. True: out->mad is the
 * answer, with all its header fields, and the caller must send it. False: *out is the verdict.
 */
bool glass_agent_gmp(struct glass_node *n, struct glass_port *p, u32 in,
		     const struct glass_pkt *pkt, struct glass_fwd *out);

/* The LID of a port; the permissive LID, while it has none. */
static inline u16 glass_agent_lid(const struct glass_port *p)
{
	return p->lid ? p->lid : GLASS_LID_PERMISSIVE;
}

/* The SLID of the answer to a packet that p received, or that is for the switch with port 0 p. */
static inline u16 glass_agent_slid(const struct glass_port *p, const struct glass_pkt *pkt)
{
	return pkt->dlid == GLASS_LID_PERMISSIVE ? glass_agent_lid(p) : pkt->dlid;
}

#endif
