/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Ethernet ports (model/ether.h): how they come and go, how they send packets, and how they pass
 * received packets to their HCA.
 */
#ifndef GLASS_LINK_ETHER_H
#define GLASS_LINK_ETHER_H

#include "model/ether.h"

struct glass_run;

/*
 * Makes the Ethernet port of a network interface. Its HCA is not there yet. `leave` is
 * glass_ether.leave. Returns the port or an ERR_PTR: -ENODEV (no such interface), -EINVAL (no
 * Ethernet interface), -EBUSY (it has a port already), -EADDRINUSE (somebody else has the UDP port
 * in its namespace), -ENOMEM. May sleep. The caller holds fabric->making.
 */
struct glass_ether *glass_ether_open(struct glass_fabric *f, struct net *net, const char *netdev,
				     void (*leave)(struct glass_ether *e));
/* Frees a port whose HCA was unplugged. May sleep. The caller holds fabric->making. */
void glass_ether_close(struct glass_ether *e);

/*
 * Sets or removes (gid NULL) entry `index` of the GID table; `ifindex` is the interface that has
 * the address. Returns 0 or a negative errno. May sleep.
 */
int glass_ether_set_gid(struct glass_ether *e, u32 index, const u8 *gid, int ifindex);

/*
 * The kernel's rdma_cm names an IPv4 group ::ffff:a.b.c.d, as an address. Writes it as the GID of a
 * group, ff0e::ffff:a.b.c.d, which glass_gid_of_v4() makes of datagrams. Other GIDs do not change.
 */
void glass_ether_group(u8 gid[16]);
/*
 * Joins a multicast group at the port's interface, or leaves it: the kernel's IP then passes, or no
 * longer passes, datagrams of the group. The interface is in the group until glass_ether_leave()
 * was called as often as glass_ether_join() has succeeded. Returns 0, or -EINVAL (the GID is no
 * group of IP, or the interface has no such IP), -ENODEV (the interface is gone), -ENOMEM. Both
 * take RTNL.
 */
int glass_ether_join(struct glass_ether *e, const u8 group[16]);
void glass_ether_leave(struct glass_ether *e, const u8 group[16]);

/* The port's link comes up, if its interface has a carrier. May sleep. */
void glass_ether_attach(struct glass_ether *e, struct glass_link_port *lp);
/* The port sends and receives no more packets; some may still be in flight. May sleep. */
void glass_ether_detach(struct glass_ether *e);

/*
 * Sends a packet of the port lp, which is an Ethernet port. As glass_link_send(): on return the
 * packet is dropped, received, or on its way.
 */
void glass_ether_send(struct glass_link_port *lp, const struct glass_pkt *pkt, struct glass_run *run);

/* Has the port this GID? Any context. */
bool glass_ether_has_gid(const struct glass_ether *e, const u8 gid[16]);

/* Is so much on its way that a QP that sends a long packet waits? Of a port that is an Ethernet port. */
bool glass_ether_full(const struct glass_link_port *lp);

/* The way from a GID to another, as far as the kernel's networking knows it. */
struct glass_ether_way {
	bool own; /* the port has the source GID; false: all other fields are 0 */
	char netdev[IFNAMSIZ]; /* interface with the address; empty: it is gone */
	int error; /* 0: there is a route; else a positive errno, and the fields below are 0 */
	u8 hop[16]; /* next hop, as GID */
	u8 neighbour; /* its state, NUD_*; NUD_NONE: the kernel does not know it */
};

/* Looks for the way. Asks nobody for an address. Returns false if the interface is gone. irqs on. */
bool glass_ether_look(struct glass_ether *e, const u8 from[16], const u8 to[16],
		      struct glass_ether_way *way);

/* The IB MTU (enum glass_mtu_code) that datagrams of an interface with this MTU can carry. */
u8 glass_ether_mtu_code(u32 netdev_mtu);

/* ether_rx.c: a datagram, or a frame of several, has arrived (glass_udp_receive_t). */
void glass_ether_receive(struct net *net, struct sk_buff *skb);
/* ether_rx.c: the number of datagrams that a frame holds. Of one that glass_ether_receive() has queued. */
u32 glass_ether_datagrams(const struct sk_buff *skb);
/* ether_rx.c: can this frame be delivered without sleeping? See glass_netcable_plain(). */
bool glass_ether_plain(const struct sk_buff *skb);
/*
 * ether_rx.c: processes the datagrams of a frame that waited for a lane. `memo` is that of its queue. Process
 * context, no lock held.
 */
void glass_ether_frame(struct glass_ether *e, struct sk_buff *skb, struct glass_run *run,
		       struct glass_roce_memo *memo);

/*
 * For hashes of GIDs: a number that depends on all bytes of a GID. A program chooses the GIDs to which
 * it sends, so a hash of them may only lead to a cache of fixed size.
 */
static inline u64 glass_gid_fold(const u8 gid[16])
{
	return get_unaligned((const u64 *)gid) * 31 + get_unaligned((const u64 *)(gid + 8));
}

/*
 * ether.c: the GID of an Ethernet port in this namespace, or NULL. If several ports have it, that of
 * the port whose own interface has the address. In a section of RCU.
 */
struct glass_ether_gid *glass_ether_find(const struct net *net, const u8 gid[16]);
/*
 * ether.c: the GID of this port, which is in this namespace, or NULL. If several interfaces have the
 * address, that of the port's own. In a section of RCU.
 */
struct glass_ether_gid *glass_ether_own(const struct glass_ether *e, const struct net *net,
					const u8 gid[16]);
/*
 * ether.c: the Ethernet port of the interface with this index, or the port of one below it, or NULL.
 * In a section of RCU.
 */
struct glass_ether *glass_ether_of(const struct net *net, int ifindex);

#endif
