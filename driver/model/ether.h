/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The data of Ethernet ports (RoCEv2). An HCA with an Ethernet port has this port alone, and no
 * cable: its packets are UDP datagrams of a network interface.
 */
#ifndef GLASS_MODEL_ETHER_H
#define GLASS_MODEL_ETHER_H

#include <linux/hashtable.h>

#include "model/netcable.h"
#include "uapi/glass-ether.h"
#include "wire/roce.h"

#define GLASS_ETHER_GIDS 64 /* entries of the GID table */
#define GLASS_ETHER_ROUTES_BITS 6

/* A GID of an Ethernet port. Found by glass_ether_find() and glass_ether_of() under RCU. */
struct glass_ether_gid {
	struct hlist_node by_gid, by_if;
	struct rcu_head rcu;
	struct glass_ether *ether;
	u8 gid[16];
	int ifindex; /* the interface that has the address: the port's own, or one upon it */
};

/* A route that a packet has taken. */
struct glass_ether_route {
	spinlock_t lock; /* protects the fields below; irqs on */
	struct dst_entry *dst; /* NULL: the entry is free */
	u32 cookie;
	u8 from[16], to[16];
	struct glass_roce_memo icrc;
};

/* Counters, without lock: several CPUs count. */
struct glass_ether_stats {
	atomic64_t tx_packets, tx_bytes, rx_packets, rx_bytes;
	atomic64_t tx_no_route; /* packets: no GID of the port has the source, or no route */
	atomic64_t tx_dropped; /* packets: no memory, or the stack has dropped the datagram */
	atomic64_t rule[GLASS_ROCE_RULE_COUNT]; /* datagrams */
};

struct glass_ether {
	struct glass_fabric *fabric;
	struct glass_netdev nd;
	struct net *net; /* that of the interface; NULL: the interface is gone. To compare only */
	char netdev[IFNAMSIZ]; /* the name of the interface; for people */
	u32 netdev_mtu; /* of the interface */
	struct glass_congestion congestion; /* where QPs wait for the interface */
	/* the port; NULL: the HCA is not plugged in. Under fabric->lock */
	struct glass_link_port *lp;
	bool gone; /* the HCA shall be removed: its interface is gone, or a user deleted the link */
	void (*leave)(struct glass_ether *e); /* called after `gone` was set; any context */

	struct mutex leaving; /* held while the namespace is left: see leave_net() */
	struct mutex gids_lock; /* serializes changes of gid[] */
	/* NULL: no such GID. Read under RCU, changed under gids_lock */
	struct glass_ether_gid __rcu *gid[GLASS_ETHER_GIDS];
	struct glass_ether_route route[1 << GLASS_ETHER_ROUTES_BITS];

	struct work_struct work; /* looks at the interface */
	struct glass_ether_stats stats;
	atomic_t queued; /* bytes of memory of the frames in all of frames[] */
	u32 nlanes;
	struct glass_frames frames[];
};

#endif
