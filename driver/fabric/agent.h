/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The verdict of a node on a packet (struct glass_fwd), and the code that a switch (switch.h) and a
 * passive channel adapter (ca.h) share. Both pass MADs that are for the node itself to its
 * management agents. There is no lock here: the owner of a node serialises all calls.
 */
#ifndef GLASS_FABRIC_AGENT_H
#define GLASS_FABRIC_AGENT_H

#include "mgmt/node.h"
#include "wire/packet.h"

enum glass_fwd_kind {
	GLASS_FWD_DROP, /* `why` is the reason */
	GLASS_FWD_CONSUMED, /* the node consumed the packet, and no packet leaves */
	GLASS_FWD_PORT, /* the packet leaves by `port` */
	GLASS_FWD_SET, /* a copy leaves by each port of ports[], which may be empty */
	GLASS_FWD_MAD, /* mad[] leaves by `port`: glass_fwd_pkt() makes the packet */
};

/*
 * The verdict of a node on a packet. It has about 400 bytes: embed it in an object, do not put it
 * on a stack.
 */
struct glass_fwd {
	enum glass_fwd_kind kind;
	enum glass_drop why; /* GLASS_FWD_DROP: the reason */
	/* output port; with GLASS_FWD_DROP: the port by which the packet could not leave, or 0 */
	u32 port;
	u64 ports[GLASS_PORT_WORDS]; /* GLASS_FWD_SET: the output ports, a bit for each */
	/*
	 * GLASS_FWD_SET: the ports that drop their copy, one set for each drop reason: `down` for
	 * PORT_DOWN, `too_long` for BAD_LEN, and `denied` for BAD_PKEY
	 */
	u64 down[GLASS_PORT_WORDS], too_long[GLASS_PORT_WORDS], denied[GLASS_PORT_WORDS];
	/*
	 * Valid with GLASS_FWD_DROP. It is false if the node drops the packet that it received. It
	 * is true if the node drops a packet of its own: an answer, a forwarded SMP, or a trap.
	 * Then glass_fwd_pkt() can build this packet from the fields below.
	 */
	bool own;
	/*
	 * 0, or the changes that the packet has made: GLASS_CHG_* bits with the number of the
	 * changed port (GLASS_CHG_PORT()). Port 0 is the switch itself. After GLASS_CHG_LINK the
	 * owner must call glass_link_update() for the cable at this port.
	 */
	u32 changes;
	/*
	 * The fields below are valid only for GLASS_FWD_MAD, and for GLASS_FWD_DROP with `own`.
	 * They are a MAD (an answer, a forwarded directed-route SMP, or a trap) and the header
	 * fields of its packet.
	 */
	u16 slid, dlid;
	u8 sl, vl;
	u16 pkey;
	u64 flow; /* the flow of the packet that the MAD answers or forwards; 0 for a trap */
	u32 sqpn, dqpn, qkey;
	u32 psn;
	u8 mad[GLASS_MAD_BYTES];
};

/* Resets *out: no packet leaves, and nothing has changed. Call this before you set a verdict. */
static inline void glass_fwd_init(struct glass_fwd *out)
{
	out->kind = GLASS_FWD_CONSUMED;
	out->why = GLASS_DROP_NONE;
	out->own = false;
	out->changes = 0;
	out->port = 0;
}

/* Sets the verdict: the node drops the packet that it received. */
static inline void glass_fwd_drop(struct glass_fwd *out, enum glass_drop why)
{
	out->kind = GLASS_FWD_DROP;
	out->own = false;
	out->why = why;
}

/* Sets the verdict: the node drops the MAD in *out, which it was about to send. */
static inline void glass_fwd_drop_own(struct glass_fwd *out, enum glass_drop why)
{
	glass_fwd_drop(out, why);
	out->own = true;
}

/* Sets the verdict: the MAD in *out leaves by p. Counts it there. Does not test the state of p. */
void glass_fwd_send(struct glass_port *p, struct glass_fwd *out);

/*
 * Fills *pkt with the packet of a verdict GLASS_FWD_MAD, or GLASS_FWD_DROP with `own`. The payload
 * is out->mad, and *seg becomes the gather list, with one entry. *out and *seg must remain valid
 * while *pkt is used.
 */
void glass_fwd_pkt(struct glass_fwd *out, struct glass_pkt *pkt, struct glass_seg *seg);

/*
 * Fills the header fields of the SMP in *out, except its LIDs. `pkt` is the packet that this SMP
 * answers or forwards, or NULL if this SMP is a trap.
 */
void glass_agent_smp_header(const struct glass_pkt *pkt, struct glass_fwd *out);

/*
 * Copies the MAD of a packet for QP qpn (0 or 1). Returns false if the packet is for another QP or
 * has no MAD: *out is then the verdict to drop it.
 */
bool glass_agent_mad(const struct glass_pkt *pkt, u32 qpn, u8 mad[256], struct glass_fwd *out);

/*
 * Lets the node's subnet management agent handle an SMP. `pkt` is the packet of the SMP, `in` is
 * the number of the port at which it arrived, and `request` is a copy of the SMP. After
 * GLASS_MAD_REPLY, out->mad is the answer, and the caller must send it. After any other result,
 * *out is the verdict.
 */
enum glass_mad_result glass_agent_smp(struct glass_node *n, u32 in, const struct glass_pkt *pkt,
				      const u8 request[256], struct glass_fwd *out);

/*
 * Handles a packet of a data VL that is for this node. Only QP1 receives such packets, for
 * performance management. `in` is the number of the port at which the packet arrived. p is the port
 * whose LID, P_Keys and violation counters apply: port `in` of a CA, or port 0 of a switch. Returns
 * true if out->mad is an answer, with all its header fields: the caller must send it. Otherwise
 * returns false, and *out is the verdict.
 */
bool glass_agent_gmp(struct glass_node *n, struct glass_port *p, u32 in,
		     const struct glass_pkt *pkt, struct glass_fwd *out);

/* Returns the LID of a port, or the permissive LID while the port has none. */
static inline u16 glass_agent_lid(const struct glass_port *p)
{
	return p->lid ? p->lid : GLASS_LID_PERMISSIVE;
}

/*
 * Returns the SLID for the answer to a packet. p is the port that received the packet or, at a
 * switch, port 0.
 */
static inline u16 glass_agent_slid(const struct glass_port *p, const struct glass_pkt *pkt)
{
	return pkt->dlid == GLASS_LID_PERMISSIVE ? glass_agent_lid(p) : pkt->dlid;
}

#endif
