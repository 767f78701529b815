/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Held packets. A rule with act=hold stops a packet until a step releases the packet. A step is the
 * command `step` or `release`, or the end of the rule. Packets that the same QP sends (or gets)
 * later wait behind the held packet. When the held packet is released, they go on, too, up to the
 * next packet that a rule has stopped.
 */
#ifndef GLASS_INJECT_HOLD_H
#define GLASS_INJECT_HOLD_H

#include <linux/hashtable.h>
#include <linux/xarray.h>

#include "model/device.h"
#include "inject/inject.h"

/* The held packets of a device. */
struct glass_hold {
	struct glass_dev *dev;
	spinlock_t lock; /* protects the members from held to last; irqs off */
	struct xarray held; /* struct held of hold.c, by number, in the order in which they came */
	DECLARE_HASHTABLE(last_of, 8); /* the last held packet of each QP and direction */
	u32 n; /* number of packets in `held` */
	u64 last; /* number of the packet that came last; the first one has number 1 */
	struct work_struct work; /* delivers released packets */
};

/* The description of a held packet. */
struct glass_held_info {
	u64 num;
	u64 when; /* ktime_get_ns() when it was held */
	bool hit; /* it waits for a step; else it waits only for earlier packets */
	bool frozen; /* the packet keeps the timers of its QP frozen */
	/* the rule that stopped it, or that stopped the packet behind which it waits */
	char rule[GLASS_RULE_NAME];
	u32 port;
	u8 dir; /* enum glass_dir */
	u32 qpn; /* number of the QP at that port; 0: QP0, or (multicast) no QP */
	struct glass_pkt pkt; /* without its payload */
};

/* Allocates dev->hold of a new device. Returns 0 or -ENOMEM. May sleep. */
int glass_hold_init(struct glass_dev *dev);
/*
 * Drops all held packets, thaws their QPs, and frees dev->hold. The caller makes sure that no
 * packet is added any more. May sleep.
 */
void glass_hold_exit(struct glass_dev *dev);

/*
 * Holds a copy of a packet on which a rule fired. Returns the number of the held packet, or 0:
 * there is no memory, or GLASS_INJECT_WAITING packets are held. Call it in the RCU read section in
 * which the rule fired. The end of the rule waits for that section before it releases packets.
 */
u64 glass_hold_add(struct glass_dev *dev, const struct glass_passing *p, u32 port,
		   const struct glass_pkt *pkt, const struct glass_hit *hit);
/*
 * qp: the QP of the held packet `num`. Freezes the timers of qp, and those of its peer if the peer
 * is on this host, until the packet goes on. Does nothing if the rule has timers=run, if qp is
 * neither RC nor XRC, or if qp is NULL. May sleep.
 */
void glass_hold_freeze(struct glass_dev *dev, struct glass_qp *qp, u64 num,
		       const struct glass_hit *hit);

/* Is any packet of the device held? Any context. */
static inline bool glass_hold_any(const struct glass_dev *dev)
{
	return READ_ONCE(dev->hold->n);
}

/*
 * Holds a copy of this packet, too, if packets of its QP and direction are held. False: none are
 * held, or there is no memory or room; the caller passes the packet on. Any context.
 */
bool glass_hold_behind(struct glass_dev *dev, const struct glass_passing *p, u32 port,
		       const struct glass_pkt *pkt);

/*
 * Releases the first n packets that wait for a step. id: only packets that the rule with this id
 * stopped; 0: packets that any rule stopped. Returns how many it released. A released packet goes
 * on after the earlier held packets of its QP and direction. Process context.
 */
u32 glass_hold_step(struct glass_dev *dev, u32 id, u64 n);

/*
 * Waits until the packets that can go on are delivered. The caller must hold no lock that others
 * need, because a program can delay a page to which a packet is delivered. May sleep.
 */
void glass_hold_flush(struct glass_dev *dev);

/* Number of held packets, with those that are being delivered. Any context. */
static inline u32 glass_hold_waiting(const struct glass_dev *dev)
{
	return READ_ONCE(dev->hold->n);
}

/*
 * Describes the first held packet whose number is at least `num`. False: there is none. Leaves out
 * packets that are being delivered. Process context.
 */
bool glass_hold_next(struct glass_dev *dev, u64 num, struct glass_held_info *info);

#endif
