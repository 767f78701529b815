/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The data of netdev cables. Such a cable joins a port of the fabric to a port of another fabric,
 * mostly that of another host. Packets travel as frames of a network interface (wire/frame.h). In
 * the net, the far end of the cable is a node with one port, which stands for the other fabric.
 */
#ifndef GLASS_MODEL_NETCABLE_H
#define GLASS_MODEL_NETCABLE_H

#include <linux/hrtimer.h>
#include <linux/skbuff.h>

#include "fabric/training.h"
#include "model/links.h"
#include "model/objects.h"
#include "netdev/netdev.h"
#include "wire/roce.h"

/*
 * Where QPs wait while too many frames of a cable are on their way. There is one for each slot of
 * glass_fabric.netcables, and it exists as long as the fabric.
 */
struct glass_congestion {
	spinlock_t lock; /* protects the fields below; irqs off */
	struct glass_netdev *nd; /* that of the slot's cable, or of the Ethernet port; NULL: none */
	const u32 *mtu; /* of the interface; NULL: all frames have the limit of short ones */
	struct list_head waiting; /* struct glass_qp.run_node */
	u32 limit; /* the smallest limit (bytes) of the QPs that wait */
	u32 waits; /* how often a QP has waited */
	u64 since; /* ns: when the first QP of `waiting` began to wait */
	struct hrtimer timer; /* runs while a QP waits */
};

/* Where a packet goes that leaves by a cable: values of the moment when fabric->lock was held. */
struct glass_netcable_hop {
	struct glass_netcable *cable;
	u32 session;
	u8 mac[ETH_ALEN];
	bool no_vcrc;
	gfp_t gfp; /* for frames */
};

/* A batch is sent when it has this many packets. */
#define GLASS_BATCH_PACKETS 16

/*
 * A frame that a run (struct glass_run) is filling with short packets of the QP that has its turn.
 * It is sent when it is full, when a packet comes that cannot join it, and at the end of the turn
 * at the latest. Only the owner of the run uses it.
 */
struct glass_batch {
	struct sk_buff *skb; /* NULL: there is no frame */
	struct glass_netcable_hop hop; /* with a reference to the cable */
	struct glass_link_port *from; /* the port that sends the packets */
	u32 most; /* bytes of the frame, at most */
	u32 count; /* packets in the frame */
	/* the packets, without payload: for the records of drops, if the interface refuses the frame */
	struct glass_pkt pkts[GLASS_BATCH_PACKETS];
};

struct glass_ether;

/* Received frames of a netdev cable or of an Ethernet port, which wait for a lane. */
struct glass_frames {
	struct sk_buff_head skbs;
	struct list_head node; /* in glass_lane.frames; under the lane's lock */
	/* a context processes frames of this queue: no other may, and it is on no list; the same */
	bool busy;
	unsigned int lane;
	struct glass_netcable *cable; /* NULL: `ether` is not */
	struct glass_ether *ether; /* the Ethernet port (model/ether.h); NULL: `cable` is not */
	struct glass_roce_memo icrc; /* of an Ethernet port's datagrams; used by the context that is `busy` */
};

/*
 * The memory (bytes) of the frames of one cable that may wait for lanes. Further frames are dropped
 * (rule bad_overrun).
 */
#define GLASS_FRAMES_BYTES (8 * 1024 * 1024)
/* Hellos of one cable that may wait; further ones are dropped (rule bad_overrun). */
#define GLASS_HELLOS_MAX 16

/* Counters of a cable, without lock: several CPUs count. */
struct glass_netcable_stats {
	atomic64_t tx_frames, tx_packets, tx_bytes;
	atomic64_t rx_frames, rx_packets, rx_bytes;
	atomic64_t tx_dropped; /* packets: no memory, or the interface's queue has dropped the frame */
	atomic64_t rx_undelivered; /* packets that arrived, and that a node of our fabric dropped */
	atomic64_t tx_hellos, rx_hellos;
	atomic64_t rule[GLASS_RULE_COUNT]; /* frames, and of the rules from bad_length on packets */
};

struct glass_netcable {
	struct glass_fabric *fabric;
	u32 slot; /* index in fabric->netcables */
	struct glass_netdev nd;
	char netdev[IFNAMSIZ]; /* the present name of the interface; for people; under fabric->lock */
	bool open; /* the interface is open; under fabric->making */
	bool vcrc; /* never leave out the VCRC */
	bool refusing; /* the interface has refused the last frame; a hint, without lock */
	u8 mtu; /* enum glass_mtu_code: the limit that the command gave */
	struct glass_ref ref; /* held while a packet is being sent */

	/*
	 * The node at the far end, as the net sees it. Its port has what the peer's hellos say of
	 * the peer's port. `far.net.owners` is not NULL, so that packets end there, but owners[1]
	 * is NULL, because no HCA of this host owns the port.
	 */
	struct glass_fabric_node far;
	struct glass_node far_node;
	struct glass_port far_port;
	struct glass_net_end far_ends[2];
	void *far_owners[2];

	/* under fabric->lock */
	struct glass_training training;
	u32 downs; /* LinkDowned of far_port when the session began */
	bool told_link; /* the flag GLASS_HELLO_LINK of our last hello */
	bool hello_due; /* a hello should be sent at once */
	u64 hello_at; /* ns: when the last hello was sent */
	u64 lost; /* frames that were lost on the way in earlier sessions */
	u64 lost_now; /* and in this session */
	u64 peer_sent; /* frames of this session that the peer's last hello has counted */
	u64 came_up; /* ns; 0: it is not up */
	u8 own_mtu; /* enum glass_mtu_code: what our interface carries; 0: it is too small */
	u32 ups; /* how often it came up */

	/*
	 * The parts of `training` that receivers and senders read without lock; written under
	 * fabric->lock. `peer` is the peer's address, shifted left by 16 bits, plus 1 while the cable is up.
	 */
	u32 session;
	u64 peer;
	u32 link_mtu; /* bytes of payload that a packet has at most */
	u32 netdev_mtu; /* of the interface */
	bool heard; /* packets of the peer have come; a receiver sets it, the work clears it */
	atomic64_t session_tx, session_rx; /* frames with packets in this session */

	struct sk_buff_head hellos; /* received */
	struct delayed_work work; /* processes and sends hellos */
	struct work_struct gone; /* removes the cable: its interface is gone */
	struct glass_netcable_stats stats;
	atomic_t queued; /* bytes of memory of the frames in all of frames[] */
	u32 nlanes;
	struct glass_frames frames[];
};

/* The name of the far node is this character and the name of the interface; no node's name has it. */
#define GLASS_NETCABLE_NAME '@'

/*
 * Returns the bytes of frames on their way at which a QP waits (netdev/netdev.h) that has sent a
 * packet or train with `len` bytes of payload. `netdev_mtu` is the MTU of the interface, that of a
 * netdev cable or of an Ethernet port.
 */
static inline u32 glass_netcable_limit(u32 netdev_mtu, u32 len)
{
	return len >= 4096 && netdev_mtu >= 4096 ? GLASS_NETDEV_FLIGHT_LONG : GLASS_NETDEV_FLIGHT;
}

/* Is this node the far end of a netdev cable? Then returns the cable, otherwise NULL. */
static inline struct glass_netcable *glass_netcable_of(struct glass_net_node *n)
{
	if (!n || n->index < GLASS_TOPO_MAX_HCAS || !n->owners)
		return NULL;
	return container_of(n, struct glass_netcable, far.net);
}

#endif
