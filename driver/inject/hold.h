/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Packets that wait for a step. Later packets that the same QP sends (or gets) wait, too, and go on
 * with it, up to the next one that a rule hit.
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
	spinlock_t lock; /* all below; irqs off */
	struct xarray held; /* struct held of hold.c, by number: in order of arrival */
	DECLARE_HASHTABLE(last_of, 8); /* the last packet of each QP and direction */
	u32 n;
	u64 last; /* number of the last held packet, from 1 */
	struct work_struct work; /* delivers packets that are ready to go */
};

/* The description of a held packet. */
struct glass_held_info {
	u64 num;
	u64 when; /* ktime_get_ns() of its arrival */
	bool hit; /* a rule hit it; else it is behind such a packet */
	bool frozen; /* the timers of its QP are frozen */
	char rule[GLASS_RULE_NAME]; /* the rule that holds it */
	u32 port;
	u8 dir; /* enum glass_dir */
	u32 qpn;
	struct glass_pkt pkt; /* without its payload */
};

/* Once for each device. 0 or -ENOMEM. */
int glass_hold_init(struct glass_dev *dev);
/* Drops all held packets. No packet may be added any more. May sleep. */
void glass_hold_exit(struct glass_dev *dev);

/*
 * Holds a packet that a rule hit. Returns its number, or 0: no memory, or too many are held. Call
 * it in the same RCU section in which the rule was found.
 */
u64 glass_hold_add(struct glass_dev *dev, const struct glass_passing *p, u32 port,
		   const struct glass_pkt *pkt, const struct glass_hit *hit);
/*
 * Freezes the timers of the packet's QP, and of its peer if that is on this host, until the packet
 * goes on; not with timers=run. qp may be NULL. May sleep.
 */
void glass_hold_freeze(struct glass_dev *dev, struct glass_qp *qp, u64 num,
		       const struct glass_hit *hit);

/* Does any packet wait? */
static inline bool glass_hold_any(const struct glass_dev *dev)
{
	return READ_ONCE(dev->hold->n);
}

/* Holds this packet, too, if packets of its QP and direction are held. Returns whether it did. */
bool glass_hold_behind(struct glass_dev *dev, const struct glass_passing *p, u32 port,
		       const struct glass_pkt *pkt);

/*
 * Releases the first n packets that were hit by that rule (id 0: by any). Returns how many;
 * glass_hold_flush() waits for them. Any context but interrupts.
 */
u32 glass_hold_step(struct glass_dev *dev, u32 id, u64 n);

/*
 * Waits for packets that are being delivered. That may wait for memory that a program pages in: the
 * caller must hold no lock that others need. May sleep.
 */
void glass_hold_flush(struct glass_dev *dev);

/* Number of held packets. */
static inline u32 glass_hold_waiting(const struct glass_dev *dev)
{
	return READ_ONCE(dev->hold->n);
}

/* The first held packet with at least that number; false: there is none. */
bool glass_hold_next(struct glass_dev *dev, u64 num, struct glass_held_info *info);

#endif
