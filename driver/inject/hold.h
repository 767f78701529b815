/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Held packets: a rule with act=hold stops them until a command, a step, releases them. Packets
 * that the same QP sends (or gets) later wait behind a held packet. They go on with it, up to the
 * next one that a rule hit.
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
	spinlock_t lock; /* protects held to last; irqs off */
	struct xarray held; /* struct held of hold.c, by number: in order of arrival */
	DECLARE_HASHTABLE(last_of, 8); /* the last held packet of each QP and direction */
	u32 n; /* packets in `held` */
	u64 last; /* number of the packet that was held last; the first has 1 */
	struct work_struct work; /* delivers released packets */
};

/* The description of a held packet. */
struct glass_held_info {
	u64 num;
	u64 when; /* ktime_get_ns() of its arrival */
	bool hit; /* a rule hit it, and no step released it; else it waits behind such a packet */
	bool frozen; /* the timers of its QP are frozen */
	char rule[GLASS_RULE_NAME]; /* the rule that holds it */
	u32 port;
	u8 dir; /* enum glass_dir */
	u32 qpn;
	struct glass_pkt pkt; /* without its payload */
};

/* Once for each device. 0 or -ENOMEM. */
int glass_hold_init(struct glass_dev *dev);
/* Drops all held packets, and thaws their QPs. No packet may be added any more. May sleep. */
void glass_hold_exit(struct glass_dev *dev);

/*
 * Holds a copy of a packet that a rule hit. Returns its number, or 0: no memory, or too many are
 * held. Call it in the RCU section in which the rule was found: the end of the rule waits for that
 * section before it releases packets.
 */
u64 glass_hold_add(struct glass_dev *dev, const struct glass_passing *p, u32 port,
		   const struct glass_pkt *pkt, const struct glass_hit *hit);
/*
 * Freezes the timers of the held packet's QP, and of the peer if it is on this host, until the
 * packet goes on. Does nothing if the rule has timers=run, or the QP is not RC, or qp is NULL. May
 * sleep.
 */
void glass_hold_freeze(struct glass_dev *dev, struct glass_qp *qp, u64 num,
		       const struct glass_hit *hit);

/* Is any packet of the device held? Any context. */
static inline bool glass_hold_any(const struct glass_dev *dev)
{
	return READ_ONCE(dev->hold->n);
}

/*
 * Holds a copy of this packet, too, if packets of its QP and direction are held; false: it did not.
 */
bool glass_hold_behind(struct glass_dev *dev, const struct glass_passing *p, u32 port,
		       const struct glass_pkt *pkt);

/*
 * Releases the first n held packets that this rule (id 0: any rule) hit. Returns how many these
 * were; glass_hold_flush() waits until they are delivered. Process context.
 */
u32 glass_hold_step(struct glass_dev *dev, u32 id, u64 n);

/*
 * Waits until released packets are delivered. A program can delay the memory to which a packet is
 * delivered: so the caller must hold no lock that others need. May sleep.
 */
void glass_hold_flush(struct glass_dev *dev);

/* Number of held packets. */
static inline u32 glass_hold_waiting(const struct glass_dev *dev)
{
	return READ_ONCE(dev->hold->n);
}

/* Describes the first held packet with at least that number; false: there is none. */
bool glass_hold_next(struct glass_dev *dev, u64 num, struct glass_held_info *info);

#endif
