/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * UDP datagrams over IPv4 and IPv6, through the kernel's own stack: so addresses, routes,
 * neighbours and netfilter are those of the network namespace. This layer knows nothing of what
 * the datagrams carry. GIDs stand for addresses: an IPv4 address is ::ffff:a.b.c.d.
 */
#ifndef GLASS_NETDEV_UDP_H
#define GLASS_NETDEV_UDP_H

#include <linux/skbuff.h>
#include <net/dst.h>
#include <net/net_namespace.h>

/*
 * A datagram has arrived at the port. The network header of the frame is that of IP; skb->data is
 * the UDP header, which may be followed by less than its length says. The frame belongs to the
 * callee. Soft interrupt context, in a section of RCU.
 *
 * If skb_is_gso(), the frame holds several datagrams: behind the headers of IP and UDP, whose lengths are
 * those of the frame, each has skb_shinfo(skb)->gso_size bytes of payload, and the last one the rest. Any
 * process may have made it. glass_udp_split() makes datagrams of it.
 */
typedef void (*glass_udp_receive_t)(struct net *net, struct sk_buff *skb);

/*
 * Passes the datagrams of such a frame to `receive`, one by one, and frees the frame. Context and caller
 * are those of glass_udp_receive_t.
 */
void glass_udp_split(struct net *net, struct sk_buff *skb, glass_udp_receive_t receive);

/* At the module's start and end. The former returns 0 or a negative errno. Both may sleep. */
int glass_udp_init(u16 port, glass_udp_receive_t receive);
void glass_udp_exit(void);

/*
 * Receives datagrams in a network namespace until glass_udp_put() was called as often, or until the
 * namespace ends. Returns 0 or a negative errno: -EADDRINUSE if somebody else has the port. May
 * sleep; holds no lock that the end of a namespace needs.
 */
int glass_udp_get(struct net *net);
void glass_udp_put(struct net *net);

/*
 * Finds the route from one address to another, by the interface with this index. Returns the
 * route with a reference, or an ERR_PTR. Process context, irqs on.
 */
struct dst_entry *glass_udp_route(struct net *net, int ifindex, const u8 from[16], const u8 to[16]);
/* Is the route still valid? A number that glass_udp_cookie() returned belongs to it. */
bool glass_udp_valid(struct dst_entry *dst, u32 cookie);
u32 glass_udp_cookie(struct dst_entry *dst);

/*
 * Joins a multicast group at an interface, and leaves it again: the interface counts how often.
 * Returns 0; -EINVAL if this is no group's address, or the interface does not have that version of
 * IP; or -ENOMEM. The caller holds RTNL.
 */
int glass_udp_join(struct net_device *dev, const u8 group[16]);
void glass_udp_leave(struct net_device *dev, const u8 group[16]);

/*
 * Writes the address of the next hop on a route to the address `to`, and what the kernel knows of
 * that hop (NUD_*; NUD_NONE: nothing). Asks nobody for it.
 */
void glass_udp_neighbour(const struct dst_entry *dst, const u8 to[16], u8 hop[16], u8 *state);

/* The addresses of a datagram, and fields of its headers. */
struct glass_udp_flow {
	u8 from[16], to[16];
	u8 tclass, hops; /* traffic class or TOS; hop limit or TTL */
	u32 flow_label; /* IPv6 */
	u16 sport; /* source port; the destination is the port of glass_udp_init() */
};

/*
 * Returns an empty frame with room for the headers and for `len` bytes of payload, or NULL.
 */
struct sk_buff *glass_udp_alloc(const struct dst_entry *dst, u32 len, gfp_t gfp);
/* A frame holds at most this many datagrams. */
#define GLASS_UDP_GSO_MOST 16
/*
 * Returns how many bytes of payload a frame of several datagrams may have on this route; 0: its interface
 * takes no such frames.
 */
u32 glass_udp_gso_room(const struct dst_entry *dst);
/*
 * Appends room for `len` bytes of payload, in one piece, to a frame that has no headers yet. Returns it,
 * or NULL: no memory, or there are MAX_SKB_FRAGS pieces. `len` is at most GLASS_UDP_PIECE.
 */
#define GLASS_UDP_PIECE (32 * 1024)
u8 *glass_udp_append(struct sk_buff *skb, u32 len);
/*
 * The frame, which has its headers, holds n datagrams with `size` bytes of payload each, and the last one
 * with the rest. The kernel or the interface computes their checksums.
 */
void glass_udp_set_gso(struct sk_buff *skb, u32 size, u32 n);

/*
 * Writes the headers of UDP and IP before the payload; `more` bytes will be appended to it.
 * Afterwards skb->data is the IP header, as it will be sent, but for its checksum.
 */
void glass_udp_headers(struct sk_buff *skb, const struct glass_udp_flow *flow, u32 more);
/*
 * Sends a frame that has its headers, and frees it. A multicast does not come back to this host.
 * Returns 0 or a negative errno. In a section of RCU.
 */
int glass_udp_send(struct net *net, struct sk_buff *skb, struct dst_entry *dst);

#endif
