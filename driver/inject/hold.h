/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Held packets. A rule with act=hold stops a packet until a step releases it. A step is the command
 * `step`, the command `release`, or the end of the rule. Later packets of the same QP in the same
 * direction wait behind the stopped packet. When the stopped packet is released, they go on, too,
 * up to the next packet that a rule has stopped. The packets that wait behind a stopped packet are
 * also held packets.
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
	struct xarray held; /* struct held of hold.c, by number, in order of arrival */
	DECLARE_HASHTABLE(last_of, 8); /* the last held packet of each QP and direction */
	u32 n; /* number of packets in `held` */
	u64 last; /* number of the packet that came last; the first one has number 1 */
	struct work_struct work; /* delivers released packets */
};

/* The description of a held packet. */
struct glass_held_info {
	u64 num; /* from 1, in order of arrival */
	u64 when; /* ktime_get_ns() when the packet was held */
	bool hit; /* true: the packet waits for a step; false: it waits only for earlier packets */
	bool frozen; /* the packet keeps the timers of its QP frozen */
	/* name of the rule that stopped this packet, or the packet behind which this one waits */
	char rule[GLASS_RULE_NAME];
	u32 port;
	u8 dir; /* enum glass_dir */
	u32 qpn; /* number of the QP at that port; 0 for QP0, and for multicast without a QP */
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
 * Holds a copy of a packet on which a rule fired. Returns the number of the held packet. Returns 0
 * if there is no memory, or if GLASS_INJECT_WAITING packets are held. Call this in the RCU read
 * section in which the rule fired. The end of the rule waits for that section before it releases
 * packets.
 */
u64 glass_hold_add(struct glass_dev *dev, const struct glass_passing *p, u32 port,
		   const struct glass_pkt *pkt, const struct glass_hit *hit);
/*
 * Freezes the timers of `qp`, the QP of the held packet `num`, until the packet goes on. Also
 * freezes the timers of its peer QP if the peer is on this host. Does nothing if qp is NULL, if qp
 * is neither RC nor XRC, or if the rule has timers=run. May sleep.
 */
void glass_hold_freeze(struct glass_dev *dev, struct glass_qp *qp, u64 num,
		       const struct glass_hit *hit);

/* Is any packet of the device held? Any context. */
static inline bool glass_hold_any(const struct glass_dev *dev)
{
	return READ_ONCE(dev->hold->n);
}

/*
 * If earlier packets of the packet's QP and direction are held, holds a copy of this packet, too,
 * and returns true. Returns false if no earlier packet is held, or if there is no memory or room
 * for the copy. Then the caller passes the packet on. Any context.
 */
bool glass_hold_behind(struct glass_dev *dev, const struct glass_passing *p, u32 port,
		       const struct glass_pkt *pkt);

/*
 * Releases the first n packets that wait for a step. If id is not 0, counts only packets that the
 * rule with this id stopped. Returns how many packets it released. A released packet goes on after
 * the earlier held packets of its QP and direction. Process context.
 */
u32 glass_hold_step(struct glass_dev *dev, u32 id, u64 n);

/*
 * Waits until the packets that can go on are delivered. The caller must hold no lock that others
 * need, because a program can delay the delivery of a packet into its memory. May sleep.
 */
void glass_hold_flush(struct glass_dev *dev);

/* Returns the number of held packets, including packets that are being delivered. Any context. */
static inline u32 glass_hold_waiting(const struct glass_dev *dev)
{
	return READ_ONCE(dev->hold->n);
}

/*
 * Describes the first held packet whose number is at least `num`. Leaves out packets that are being
 * delivered. Returns false if there is none. Process context.
 */
bool glass_hold_next(struct glass_dev *dev, u64 num, struct glass_held_info *info);

#endif
