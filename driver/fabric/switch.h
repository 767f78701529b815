/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A switch: forwards decoded packets (struct glass_pkt) between its ports, and answers MADs that
 * are sent to it. It does not deliver packets: its functions return a verdict (struct glass_fwd),
 * and the owner of the switch (link/) acts on the verdict. There is no lock here: the owner
 * serialises all calls for one switch, except calls of functions whose comment says "Only reads".
 */
#ifndef GLASS_FABRIC_SWITCH_H
#define GLASS_FABRIC_SWITCH_H

#include "fabric/agent.h"
#include "mgmt/node.h"
#include "wire/opcode.h"
#include "wire/packet.h"

/* glass_fdb_free(&sw->fdb) frees the tables. All other memory belongs to the owner. */
struct glass_switch {
	struct glass_node node; /* node.ports: memory of the owner (glass_switch_init()) */
	struct glass_fdb fdb;
};

/*
 * Sets up a switch with num_ports external ports (1 .. 254). `ports` is memory for num_ports + 1
 * entries, which outlives the switch. sys_guid is the system image GUID, and desc the node
 * description. Returns 0 or -EINVAL.
 */
int glass_switch_init(struct glass_switch *sw, u32 num_ports, struct glass_port *ports, u64 guid,
		      u64 sys_guid, const char *desc);

/*
 * Looks up a unicast LID in the forwarding table. Returns the output port, 1 .. 254. Returns 0 if
 * the table leads to the switch itself. Returns -1 if there is no route; *why gets the reason. Only
 * reads.
 */
static inline int glass_switch_route(const struct glass_switch *sw, u16 dlid, enum glass_drop *why)
{
	u32 port;

	if (unlikely(dlid >= GLASS_LFT_LIDS || dlid > sw->fdb.lft_top)) {
		*why = GLASS_DROP_NO_ROUTE;
		return -1;
	}
	port = glass_fdb_port(&sw->fdb, dlid);
	if (unlikely(port > sw->node.num_ports)) {
		*why = GLASS_DROP_NO_ROUTE;
		return -1;
	}
	return port;
}

/* The lower half of the key of a packet's route (glass_route.key). */
static inline u32 glass_switch_way(const struct glass_pkt *pkt)
{
	return (u32)pkt->dlid << 16 | pkt->pkey;
}

/* The key of a packet's route (glass_route.key). */
static inline u64 glass_switch_route_key(const struct glass_switch *sw, const struct glass_pkt *pkt)
{
	return (u64)sw->fdb.generation << 32 | glass_switch_way(pkt);
}

/*
 * Finds the route of a unicast data packet that arrived at port `in`, and stores it in in->route.
 * Returns false if there is none that glass_switch_fast() may use: the packet is for the switch
 * itself, or it has no way out, or one of the ports does not let its P_Key pass.
 */
bool glass_switch_find_route(struct glass_switch *sw, struct glass_port *in,
			     const struct glass_pkt *pkt);

/*
 * As glass_switch_fast(), for a caller that passes many switches: it has read once what each needs of the packet.
 * way: glass_switch_way(). len: bytes of payload. pkts: number of packets.
 */
static __always_inline u32 glass_switch_hop(struct glass_switch *sw, u32 in_port, const struct glass_pkt *pkt,
					    u32 way, u32 len, u32 pkts, u32 words)
{
	struct glass_port *in, *out;

	if (unlikely(in_port - 1 >= sw->node.num_ports))
		return 0;
	in = &sw->node.ports[in_port];
	if (unlikely(in->route.key != ((u64)sw->fdb.generation << 32 | way)) &&
	    !glass_switch_find_route(sw, in, pkt))
		return 0;
	out = &sw->node.ports[in->route.out];
	/* a port's state and MTU may change without a new generation: compare them for each packet */
	if (unlikely(in->state != GLASS_PORT_ACTIVE || out->state != GLASS_PORT_ACTIVE ||
		     len > glass_mtu_bytes(out->mtu_active) * pkts))
		return 0;
	glass_port_count_data_rx(in, words, pkts);
	glass_port_count_data_tx(out, words, pkts);
	return in->route.out;
}

/*
 * The fast path of glass_switch_rx(), for unicast data between two ACTIVE ports. Counts the packet
 * at both ports, and returns the output port. Returns 0 if the packet needs glass_switch_rx();
 * nothing is counted then. `words` is glass_pkt_words(pkt). The VL of the packet must not be VL15.
 */
static __always_inline u32 glass_switch_fast(struct glass_switch *sw, u32 in_port,
					     const struct glass_pkt *pkt, u32 words)
{
	return glass_switch_hop(sw, in_port, pkt, glass_switch_way(pkt), pkt->len, 1 + pkt->more, words);
}

/*
 * Handles a packet that arrived at in_port (1 .. num_ports), and counts it. *out gets the verdict:
 * `kind`, `why`, `own`, `changes`, and the other fields that belong to the kind.
 */
void glass_switch_rx(struct glass_switch *sw, u32 in_port, const struct glass_pkt *pkt,
		     struct glass_fwd *out);

/*
 * If a trap is pending, and the switch has a LID and an SM LID, returns true. *out then gets the
 * verdict on the trap: GLASS_FWD_MAD, or GLASS_FWD_DROP with `own`. Otherwise returns false.
 *
 * The trap remains pending until the subnet manager represses it. Therefore the owner calls this
 * function when node.trap_pending becomes true, and again after each subnet timeout until it
 * returns false. If node.trap_pending is still true then, the owner calls it again at the next
 * change of the switch.
 */
bool glass_switch_trap(struct glass_switch *sw, struct glass_fwd *out);

/* Is bit number `bit` in a set of bits, such as glass_fwd.ports? */
static inline bool glass_port_set_has(const u64 *set, u32 bit)
{
	return set[bit / 64] >> (bit % 64) & 1;
}

#endif
