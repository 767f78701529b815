/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A network interface that Glass sends frames to and receives frames from. This layer knows frames
 * (struct sk_buff) and interfaces, but nothing of what the frames carry. An interface may be moved
 * to another network namespace or be renamed: it stays the same interface.
 */
#ifndef GLASS_NETDEV_NETDEV_H
#define GLASS_NETDEV_NETDEV_H

#include <linux/etherdevice.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <net/sock.h>

struct glass_netdev;

/* The functions of the owner of an interface. Calls for one interface may overlap. */
struct glass_netdev_ops {
	/*
	 * A frame has arrived. skb->data is what follows the Ethernet header. The frame belongs to
	 * the callee. Soft interrupt context.
	 */
	void (*receive)(struct glass_netdev *nd, struct sk_buff *skb);
	/*
	 * The carrier, MTU, address, name or namespace may have changed. Holds RTNL, or, when a frame
	 * was refused because there is no carrier, RCU: must not sleep.
	 */
	void (*changed)(struct glass_netdev *nd);
	/*
	 * The interface is being unregistered, or, if `stays`, moved to another network namespace:
	 * it is not used any more. Holds RTNL.
	 */
	void (*gone)(struct glass_netdev *nd);
	bool stays; /* an interface that leaves its network namespace is gone */
};

struct glass_netdev {
	const struct glass_netdev_ops *ops;
	struct net_device __rcu *dev; /* NULL: closed, or gone */
	netdevice_tracker tracker;
	struct packet_type pt;
	/*
	 * A socket that only counts: sk->sk_wmem_alloc is the memory of all frames that were sent
	 * and are not freed yet. The kernel's networking frees a frame by functions of its own, so
	 * frames may outlive this struct and the module.
	 */
	struct socket *sock;
	struct list_head node; /* in the list of all open interfaces; under its mutex */
};

/* Why an interface cannot be opened. */
enum glass_netdev_error {
	GLASS_NETDEV_OK,
	GLASS_NETDEV_NONE, /* the namespace has no interface of this name */
	GLASS_NETDEV_NOT_ETHERNET,
	GLASS_NETDEV_TAKEN, /* it is open already for this EtherType */
	GLASS_NETDEV_NO_MEMORY,
};

/*
 * Opens the interface of this name in a network namespace: from now on, frames of the EtherType
 * `proto` that arrive there are passed to ops->receive(). If `proto` is 0, no frames are. *nd is zeroed memory. May sleep. The
 * caller must not hold a lock that ops->changed() or ops->gone() takes.
 */
enum glass_netdev_error glass_netdev_open(struct glass_netdev *nd, struct net *net,
					  const char *name, u16 proto,
					  const struct glass_netdev_ops *ops);
/* Closes the interface. On return, no function of nd->ops runs any more, or will run. May sleep. */
void glass_netdev_close(struct glass_netdev *nd);

/* The present properties of an open interface. */
struct glass_netdev_info {
	char name[IFNAMSIZ];
	int ifindex;
	unsigned int netns; /* inode number of its network namespace, as lsns(8) shows it */
	u32 mtu;
	u8 mac[ETH_ALEN];
	bool carrier; /* it is up, and has a carrier */
};

/* Returns false if the interface is gone. Any context. */
bool glass_netdev_info(struct glass_netdev *nd, struct glass_netdev_info *info);

/*
 * Returns an empty frame with `bytes` bytes of memory, or NULL. The caller reserves headers and
 * appends the rest. Any context but irqs off.
 */
struct sk_buff *glass_netdev_frame(u32 bytes, gfp_t gfp);

/*
 * Returns an empty frame with room for `len` bytes behind the Ethernet header, or NULL. The caller
 * appends the bytes by skb_put().
 */
struct sk_buff *glass_netdev_alloc(struct glass_netdev *nd, u32 len, gfp_t gfp);

/*
 * Sends a frame to the address `to`, and frees it. Frames with the same hash (skb_set_hash()) stay
 * in order. Returns 0. Returns -ENODEV if the interface is
 * gone, and -ENOBUFS if its queue has dropped the frame. Process context, irqs on; may hold RCU.
 */
int glass_netdev_send(struct glass_netdev *nd, struct sk_buff *skb, const u8 to[ETH_ALEN]);

/*
 * Counts the memory of a frame in glass_netdev_flight() until it is freed, and keeps frames with
 * the same hash in order. glass_netdev_send() does so; this function is for frames that are sent in
 * another way. Any context.
 */
void glass_netdev_own(struct glass_netdev *nd, struct sk_buff *skb);

/*
 * While frames with this much memory are on their way, senders must wait. A small frame takes about
 * 800 bytes, and the kernel's backlog of a CPU takes 1,000 frames: so one interface does not
 * overrun it.
 */
#define GLASS_NETDEV_FLIGHT (512 * 1024)
/*
 * The same for senders of frames with 4 KiB and more. There are fewer of these, and senders of short
 * frames wait already: about 680 short frames and 290 others are on their way at most.
 */
#define GLASS_NETDEV_FLIGHT_LONG (1280 * 1024)

/* The memory of the frames that were sent and are not freed yet, in bytes. Any context. */
static inline u32 glass_netdev_flight(const struct glass_netdev *nd)
{
	return sk_wmem_alloc_get(nd->sock->sk);
}

/* At the module's start and end. The former returns 0 or a negative errno. Both may sleep. */
int glass_netdev_init(void);
void glass_netdev_exit(void);

#endif
