/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The net: nodes (HCAs, passive CAs and switches) and the cables between their ports.
 * glass_net_walk() carries a packet from switch to switch until it reaches an HCA or a passive CA,
 * or is dropped. The net delivers nothing to HCAs; its owner (link/) does. No locks: the owner
 * serialises all calls for one net.
 */
#ifndef GLASS_FABRIC_NET_H
#define GLASS_FABRIC_NET_H

#include "fabric/switch.h"
#include "fabric/topology.h"

struct glass_net_node;

/* One end of a cable: a port of a node. node NULL: no cable. */
struct glass_net_end {
	struct glass_net_node *node;
	u8 port; /* from 1 on */
	/*
	 * The limits of the cable, as in PortInfo, and whether it is pulled. Valid in the entries of
	 * glass_net_node.ends only, and equal in the two entries of a cable.
	 */
	u8 width, speed, speed_ext;
	u8 mtu; /* enum glass_mtu_code */
	bool pulled;
};

/* A node in the net. The owner allocates it, and calls glass_net_add(). */
struct glass_net_node {
	u32 index; /* the owner's number of the node; of an HCA below GLASS_TOPO_MAX_HCAS */
	u32 num_ports;
	struct glass_node *node; /* management state; NULL: an HCA that is unplugged */
	struct glass_switch *sw; /* NULL: the node is an HCA or a passive CA */
	struct glass_net_end *ends; /* num_ports + 1: the far end of the cable at each port */
	/*
	 * Of an HCA: num_ports + 1, the owner's own; the net does not use them. NULL: a switch, or
	 * a passive CA, for which the net answers MADs.
	 */
	void **owners;
	/* The rest belongs to glass_net_walk(). */
	u64 seen; /* glass_net.groups of the last multicast packet that this switch forwarded */
	u32 in_port; /* where that packet arrived */
	struct glass_net_node *next; /* in the list of switches that still have to forward it */
};

/*
 * A data packet passes at most this many switches: more than any path of a subnet that its manager
 * has routed, so tables that lead in a circle cost a bounded time. The answer of a node to a GMP
 * may pass as many again.
 */
#define GLASS_NET_MAX_HOPS 64
/*
 * The same for an SMP and the SMPs that switches make of it. A directed route has at most 63 hops
 * (IBA 14.2.2), and a LID-routed part may come before and after it, for request and answer.
 */
#define GLASS_NET_MAX_SMP_HOPS (2 * (63 + 2 * GLASS_NET_MAX_HOPS))

/* A set of HCA ports: bit number HCA * GLASS_TOPO_MAX_HCA_PORTS + port - 1. */
#define GLASS_NET_HCA_PORTS (GLASS_TOPO_MAX_HCAS * GLASS_TOPO_MAX_HCA_PORTS)
#define GLASS_NET_PORT_WORDS ((GLASS_NET_HCA_PORTS + 63) / 64)

enum glass_way_kind {
	GLASS_WAY_ARRIVED, /* the packet reached the HCA port `at` */
	GLASS_WAY_COPIES, /* copies reached the HCA ports `to` */
	GLASS_WAY_CONSUMED, /* the switch or passive CA `at` consumed the packet, and sends none */
	GLASS_WAY_DROPPED, /* `why`; see `cut` */
};

/* A copy of a multicast packet that a switch or a passive CA dropped. */
struct glass_way_lost {
	struct glass_net_end at; /* the node, and its port that did not send or receive the copy */
	enum glass_drop why;
};

#define GLASS_WAY_LOST 8

/* How the way of a packet ended. About 350 bytes: embed it in an object, not on a stack. */
struct glass_way {
	enum glass_way_kind kind;
	/*
	 * Where it ended: the HCA port; or the switch or passive CA, and its port: the one at which
	 * the packet arrived, or, if the packet could not leave by a port, that one.
	 */
	struct glass_net_end at;
	/*
	 * The packet that ended: the one that glass_net_walk() got, or the last of those that
	 * switches made of it (answers, forwarded SMPs), which lies in the net until the next walk.
	 */
	const struct glass_pkt *pkt;
	bool own; /* a switch made pkt */
	enum glass_drop why;
	/* GLASS_WAY_DROPPED: the packet did not get through a cable: there is none at that port */
	bool cut;
	u32 hops; /* switches and passive CAs passed */
	/* a switch or passive CA on the way that has a trap to send (glass_trap_sendable()), or NULL */
	struct glass_net_node *trap;
	/*
	 * The packet changed the link state of a switch port: node NULL, or the port. After the
	 * delivery of the packet, the owner calls glass_net_link_update() for it.
	 */
	struct glass_net_end changed;
	/* copies of a multicast packet */
	u64 to[GLASS_NET_PORT_WORDS];
	u32 nlost; /* dropped copies; the first GLASS_WAY_LOST of them are in lost[] */
	struct glass_way_lost lost[GLASS_WAY_LOST];
};

struct glass_net;

/*
 * Looks at packets at the ports of switches and passive CAs. at: the port. dir: GLASS_DIR_RX where
 * the packet arrives, GLASS_DIR_TX where it leaves.
 */
struct glass_net_taps {
	/* May the packet pass the port? Returns GLASS_DROP_NONE, or why it is lost there. */
	enum glass_drop (*admit)(struct glass_net *net, struct glass_net_end at, enum glass_dir dir,
				 const struct glass_pkt *pkt);
	/* The packet was at the port. why: why the node dropped it there, or GLASS_DROP_NONE. */
	void (*seen)(struct glass_net *net, struct glass_net_end at, enum glass_dir dir,
		     const struct glass_pkt *pkt, enum glass_drop why);
};

struct glass_net {
	/* Set by the owner before a walk; NULL: nobody looks. */
	const struct glass_net_taps *taps;
	/* Time, ns, for M_Key leases; the owner sets it before it calls glass_net_walk(). */
	u64 now;
	/* The rest belongs to glass_net_walk(). */
	u64 groups; /* multicast packets so far */
	/*
	 * Two slots: the packet on its way, if a switch made it, lies in pkt[slot], which refers to
	 * fwd[slot]. The verdict on it goes to the other one.
	 */
	u32 slot;
	struct glass_fwd fwd[2];
	struct glass_pkt pkt[2];
	struct glass_seg seg[2];
};

/* Sets up a node. ends: num_ports + 1 entries, which outlive it. No cable is plugged in yet. */
void glass_net_add(struct glass_net_node *n, u32 index, struct glass_node *node,
		   struct glass_switch *sw, u32 num_ports, struct glass_net_end *ends);

/*
 * Plugs a cable in between two ports. The limits of the cable are those of `a`. -EBUSY: one of the
 * ports has a cable; -EINVAL: no such port.
 */
int glass_net_plug(struct glass_net_end a, struct glass_net_end b);

/* An end without limits: all widths, speeds and MTUs. */
static inline struct glass_net_end glass_net_end(struct glass_net_node *n, u32 port)
{
	return (struct glass_net_end){
		.node = n,
		.port = port,
		.width = 0xff,
		.speed = 0xff,
		.speed_ext = 0xff,
		.mtu = GLASS_MTU_4096,
	};
}

/* Pulls a cable, or plugs it in again. The caller then calls glass_net_link_update(). */
void glass_net_pull(struct glass_net_end a, bool pulled);

/*
 * Removes the cable at `a`, and takes the links of its two ports down. *chg_a and *chg_b get
 * GLASS_CHG_*. The caller knows that there is a cable.
 */
void glass_net_unplug(struct glass_net_end a, u32 *chg_a, u32 *chg_b);

/*
 * Brings the link of the cable at `a` up or down: glass_link_update() for its two ends. Without a
 * cable, or while a node is unplugged, the link is down. *chg_a and *chg_b get GLASS_CHG_*.
 */
void glass_net_link_update(struct glass_net_end a, u32 *chg_a, u32 *chg_b);

/* The port of an end, or NULL: there is no node. */
static inline struct glass_port *glass_net_port(struct glass_net_end e)
{
	return e.node && e.node->node ? &e.node->node->ports[e.port] : NULL;
}

/*
 * The fast path of glass_net_walk(), for unicast data through ACTIVE ports: passes and counts at
 * each switch from `at`, where the packet arrives, on. *at gets the HCA port reached, and the
 * result is true. Or *at gets the port from which glass_net_walk() must go on, and *hops the number
 * of switches passed. pkt->vl: not VL15; words: glass_pkt_words(pkt).
 */
static inline bool glass_net_fast(struct glass_net_end *at, const struct glass_pkt *pkt, u32 words,
				  u32 *hops)
{
	struct glass_net_node *n = at->node;
	u32 in = at->port, passed = 0, out;
	const struct glass_net_end *end;
	bool fast = false;

	while (n) {
		if (!n->sw) {
			fast = n->owners;
			break;
		}
		out = 0;
		if (likely(passed < GLASS_NET_MAX_HOPS))
			out = glass_switch_fast(n->sw, in, pkt, words);
		if (unlikely(!out))
			break;
		passed++;
		end = &n->ends[out];
		in = end->port;
		n = end->node;
	}
	at->node = n;
	at->port = in;
	*hops = passed;
	return fast;
}

/*
 * Carries a packet that arrives at `at` to the end of its way. hops: the number of switches that it
 * has passed before, by glass_net_fast(); 0: `at` is the far end of its sender's cable. Counts it
 * at each switch, but not at the HCA port where it arrives. *way gets the result, which refers to
 * the net: it is valid until the next call.
 */
void glass_net_walk(struct glass_net *net, struct glass_net_end at, u32 hops,
		    const struct glass_pkt *pkt, struct glass_way *way);

/*
 * Is a trap of the node n pending that can be sent? Then carries it to the end of its way, as
 * glass_net_walk() does. Else returns false. An HCA must be plugged in.
 */
bool glass_net_trap(struct glass_net *net, struct glass_net_node *n, struct glass_way *way);

#endif
