/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Packets that wait for a step. What the same QP sends (or gets) behind such a
 * packet waits, too, and goes on with it, up to the next one that a rule hit.
 */
#ifndef GLASS_INJECT_HOLD_H
#define GLASS_INJECT_HOLD_H

#include <linux/hashtable.h>
#include <linux/xarray.h>

#include "model/device.h"
#include "inject/inject.h"

/* Packets that wait on a device. */
struct glass_hold {
	struct glass_dev *dev;
	spinlock_t lock; /* all below; irqs off */
	struct xarray held; /* struct held of hold.c, by number: in the order in which they came */
	DECLARE_HASHTABLE(last_of, 8); /* of each QP and direction that has any, the last */
	u32 n;
	u64 last; /* number of the last that came to wait, from 1 */
	struct work_struct work; /* lets go what waits for nothing any more */
};

/* What is told of one of them. */
struct glass_held_info {
	u64 num;
	u64 when; /* ktime_get_ns() when it came */
	bool hit; /* by a rule; else it is behind such a one */
	bool frozen; /* the timers of its QP stand */
	char rule[GLASS_RULE_NAME]; /* for which it waits */
	u32 port;
	u8 dir; /* enum glass_dir */
	u32 qpn;
	struct glass_pkt pkt; /* without its payload */
};

/* Once for each device. 0 or -ENOMEM. */
int glass_hold_init(struct glass_dev *dev);
/* What waits is thrown away: nothing may come to wait any more. May sleep. */
void glass_hold_exit(struct glass_dev *dev);

/*
 * A packet that a rule hit waits from now on. Returns its number, or 0: no memory,
 * or too many wait. In one RCU section with the question that found the rule.
 */
u64 glass_hold_add(struct glass_dev *dev, const struct glass_passing *p, u32 port,
		   const struct glass_pkt *pkt, const struct glass_hit *hit);
/*
 * The timers of its QP, and of that one's peer if it is on this host, stand until
 * it goes on; not with timers=run. qp may be NULL. May sleep.
 */
void glass_hold_freeze(struct glass_dev *dev, struct glass_qp *qp, u64 num,
		       const struct glass_hit *hit);

/* Does any packet wait? */
static inline bool glass_hold_any(const struct glass_dev *dev)
{
	return READ_ONCE(dev->hold->n);
}

/* If packets of its QP and direction wait, this one does, too, and it is true. */
bool glass_hold_behind(struct glass_dev *dev, const struct glass_passing *p, u32 port,
		       const struct glass_pkt *pkt);

/*
 * Lets the first n packets go that were hit by that rule (id 0: by any). Returns how many;
 * glass_hold_flush() waits for them. Any context but interrupts.
 */
u32 glass_hold_step(struct glass_dev *dev, u32 id, u64 n);

/*
 * Waits for what is on its way just now, which may wait for memory that a program brings in: no
 * lock is to be held that others need. May sleep.
 */
void glass_hold_flush(struct glass_dev *dev);

/* How many wait. */
static inline u32 glass_hold_waiting(const struct glass_dev *dev)
{
	return READ_ONCE(dev->hold->n);
}

/* The first that waits and has at least that number; false: there is none. */
bool glass_hold_next(struct glass_dev *dev, u64 num, struct glass_held_info *info);

#endif
