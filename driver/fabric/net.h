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
#include "uapi/glass-cable.h"
#include "uapi/glass-fabric.h"

struct glass_net_node;

/* One end of a cable: a port of a node. If `node` is NULL, there is no cable. */
struct glass_net_end {
	struct glass_net_node *node;
	u8 port; /* from 1 on */
	/*
	 * The limits of the cable, as in PortInfo, and whether it is pulled. These fields are valid
	 * only in the entries of glass_net_node.ends, and in the argument `a` of glass_net_plug().
	 * The two entries of a cable have the same values.
	 */
	u8 width, speed, speed_ext;
	u8 mtu; /* enum glass_mtu_code */
	bool pulled;
};

/* A node in the net. The owner allocates it, and calls glass_net_add(). */
struct glass_net_node {
	/*
	 * The owner's number of the node. For an HCA, it is below GLASS_TOPO_MAX_HCAS. For the far
	 * end of netdev cable i (model/netcable.h), it is GLASS_TOPO_MAX_HCAS + i.
	 */
	u32 index;
	u32 num_ports;
	struct glass_node *node; /* management state; NULL: an HCA that is unplugged */
	struct glass_switch *sw; /* NULL: the node is an HCA or a passive CA */
	/* num_ports + 1 entries: entry i is the far end of the cable at port i */
	struct glass_net_end *ends;
	/*
	 * For an HCA or the far end of a netdev cable: num_ports + 1 pointers that the owner uses.
	 * The net only tests whether `owners` is NULL. For a switch or a passive CA, it is NULL: the
	 * net answers their MADs.
	 */
	void **owners;
	/* The rest belongs to glass_net_walk(). */
	u64 seen; /* number (glass_net.groups) of the last multicast packet at this switch */
	u32 in_port; /* the port where that packet arrived */
	struct glass_net_node *next; /* in the list of switches that have to forward the packet */
};

/*
 * A data packet passes at most this many switches. The next switch drops it, because its route may
 * be a circle. The limit is higher than the number of switches on any path that a subnet manager
 * chooses. The answer of a node to a GMP may pass as many switches again.
 */
#define GLASS_NET_MAX_HOPS 64
/*
 * After this many copies of a multicast packet, lost ones included, each further switch drops it. The owner's lock is held
 * for the whole walk, so the walk must end soon. Tables that form a tree make fewer copies than there are nodes. Others may
 * ask each switch for 254 copies.
 */
#define GLASS_NET_MAX_COPIES GLASS_FABRIC_MAX_NODES
/*
 * As GLASS_NET_MAX_HOPS, but for an SMP, counted together with the SMPs that switches make of it: forwarded
 * SMPs and the answer. A directed route has at most 63 hops (IBA 14.2.2), and a LID-routed part may
 * come before and after it. The request takes this way once, and so does the answer.
 */
#define GLASS_NET_MAX_SMP_HOPS (2 * (63 + 2 * GLASS_NET_MAX_HOPS))

/*
 * A set of ports of HCAs, and of far ends of netdev cables: bit number index *
 * GLASS_TOPO_MAX_HCA_PORTS + port - 1, where index is that of the node (glass_net_node.index).
 */
#define GLASS_NET_END_NODES (GLASS_TOPO_MAX_HCAS + GLASS_NETCABLES_MAX)
#define GLASS_NET_END_PORTS (GLASS_NET_END_NODES * GLASS_TOPO_MAX_HCA_PORTS)
#define GLASS_NET_PORT_WORDS ((GLASS_NET_END_PORTS + 63) / 64)

enum glass_way_kind {
	GLASS_WAY_ARRIVED, /* the packet reached the HCA port, or the far end of a cable, `at` */
	GLASS_WAY_COPIES, /* multicast: copies reached the ports in the set `to`, maybe none */
	GLASS_WAY_CONSUMED, /* the switch or passive CA `at` consumed the packet, without answer */
	GLASS_WAY_DROPPED, /* the packet was dropped because of `why`; `at` and `cut` say where */
};

/* A copy of a multicast packet that a switch or a passive CA dropped. */
struct glass_way_lost {
	/* the node, and its port by which the copy did not leave, or at which it arrived */
	struct glass_net_end at;
	enum glass_drop why;
};

#define GLASS_WAY_LOST 8

/*
 * The end of a packet's way. The struct has about 350 bytes: embed it in an object, do not put it
 * on a stack.
 */
struct glass_way {
	enum glass_way_kind kind;
	/*
	 * The node and port where the way ended: the HCA port that the packet reached, or the port
	 * of a switch or passive CA at which it arrived. If the packet could not leave a node by a
	 * port, it is this output port.
	 */
	struct glass_net_end at;
	/*
	 * The packet at the end of the way. If `own` is false, it is the packet that
	 * glass_net_walk() got. If `own` is true, a node made it on the way: an answer, a forwarded
	 * SMP, or a trap. It then lies in the net, where the next walk overwrites it.
	 */
	const struct glass_pkt *pkt;
	bool own;
	enum glass_drop why; /* valid with GLASS_WAY_DROPPED */
	/* GLASS_WAY_DROPPED: the output port has no cable, and at.node is NULL */
	bool cut;
	u32 hops; /* number of switches and passive CAs that the packet reached */
	/* the last of these nodes that has a trap to send (glass_trap_sendable()), or NULL */
	struct glass_net_node *trap;
	/*
	 * The port of a switch or passive CA whose link the packet changed (GLASS_CHG_LINK). Its
	 * `node` is NULL if there is no such port. After the delivery of the packet, the owner
	 * calls glass_net_link_update() for this port.
	 */
	struct glass_net_end changed;
	/* GLASS_WAY_COPIES: the set of ports that copies reached (GLASS_NET_END_PORTS) */
	u64 to[GLASS_NET_PORT_WORDS];
	u32 nlost; /* dropped copies; the first GLASS_WAY_LOST of them are in lost[] */
	struct glass_way_lost lost[GLASS_WAY_LOST];
};

struct glass_net;

/*
 * Functions that a walk calls for packets at the ports of switches and passive CAs. `at` is the
 * port. `dir` is GLASS_DIR_RX if the packet arrives at the port, and GLASS_DIR_TX if it leaves by
 * it.
 */
struct glass_net_taps {
	/* May the packet pass the port? Returns GLASS_DROP_NONE, or the reason to drop it there. */
	enum glass_drop (*admit)(struct glass_net *net, struct glass_net_end at, enum glass_dir dir,
				 const struct glass_pkt *pkt);
	/* Reports a packet at the port. `why`: the reason of its drop there, or GLASS_DROP_NONE. */
	void (*seen)(struct glass_net *net, struct glass_net_end at, enum glass_dir dir,
		     const struct glass_pkt *pkt, enum glass_drop why);
};

struct glass_net {
	/* The owner sets it before a walk. NULL: the walk calls no taps. */
	const struct glass_net_taps *taps;
	/* Time, ns, for M_Key leases; the owner sets it before it calls glass_net_walk(). */
	u64 now;
	/* The rest belongs to glass_net_walk(). */
	u64 groups; /* number of multicast packets that were walked so far */
	/*
	 * Two slots, of which `slot` is the present one. If a node made the packet that is on its
	 * way, this packet is pkt[slot], and its MAD lies in fwd[slot]. The verdict of the next
	 * node goes to the other slot, fwd[!slot].
	 */
	u32 slot;
	struct glass_fwd fwd[2];
	struct glass_pkt pkt[2];
	struct glass_seg seg[2];
};

/*
 * Sets up a node without cables. `ends` is memory for num_ports + 1 entries, which must outlive the
 * node.
 */
void glass_net_add(struct glass_net_node *n, u32 index, struct glass_node *node,
		   struct glass_switch *sw, u32 num_ports, struct glass_net_end *ends);

/*
 * Plugs a cable in between two ports. The cable gets the limits of `a`. Returns 0. Returns -EBUSY
 * if one of the ports has a cable already. Returns -EINVAL if a port does not exist, or if `a` and
 * `b` are the same port.
 */
int glass_net_plug(struct glass_net_end a, struct glass_net_end b);

/* Returns an end of a cable without limits: it allows all widths, speeds and MTUs. */
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

/* Pulls the cable at `a`, or plugs it in again. Afterwards call glass_net_link_update(). */
void glass_net_pull(struct glass_net_end a, bool pulled);

/*
 * Removes the cable at `a`, which must exist, and takes the links of its two ports down. *chg_a and
 * *chg_b get GLASS_CHG_*.
 */
void glass_net_unplug(struct glass_net_end a, u32 *chg_a, u32 *chg_b);

/*
 * Calls glass_link_update() for the two ends of the cable at `a`, which brings the link up or down.
 * If there is no cable, or if one end is an unplugged HCA, takes down the link of the only port
 * that is there. *chg_a and *chg_b get GLASS_CHG_*.
 */
void glass_net_link_update(struct glass_net_end a, u32 *chg_a, u32 *chg_b);

/* Returns the port of an end. Returns NULL if there is no node, or it is an unplugged HCA. */
static inline struct glass_port *glass_net_port(struct glass_net_end e)
{
	return e.node && e.node->node ? &e.node->node->ports[e.port] : NULL;
}

/*
 * The fast path of glass_net_walk(), for unicast data through ACTIVE ports. The packet arrives at
 * *at. Carries it from switch to switch, and counts it at each. *hops gets the number of switches
 * passed. Returns true if the packet has reached an HCA: *at is then the HCA's port. Otherwise
 * returns false: *at is then the port from which glass_net_walk() must carry the packet on. The VL
 * of the packet must not be VL15. `words` is glass_pkt_words(pkt).
 */
static __always_inline bool glass_net_fast(struct glass_net_end *at, const struct glass_pkt *pkt,
					   u32 words, u32 *hops)
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
 * Carries a packet to the end of its way. The packet arrives at `at`: the far end of its sender's
 * cable, or the port where glass_net_fast() has stopped. `hops` is the number of switches that
 * glass_net_fast() has passed, or 0. Counts the packet at each switch, but not at the HCA port that
 * it reaches. *way gets the result. It may point into *net, so it is valid only until the next
 * call.
 */
void glass_net_walk(struct glass_net *net, struct glass_net_end at, u32 hops,
		    const struct glass_pkt *pkt, struct glass_way *way);

/*
 * If node `n` has a pending trap that can be sent, carries the trap to the end of its way, as
 * glass_net_walk() does, and returns true. Otherwise returns false. If `n` is an HCA, it must be
 * plugged in.
 */
bool glass_net_trap(struct glass_net *net, struct glass_net_node *n, struct glass_way *way);

#endif
