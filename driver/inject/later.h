/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Packets of a device that wait because an injection rule said so. */
#ifndef GLASS_INJECT_LATER_H
#define GLASS_INJECT_LATER_H

#include "model/device.h"
#include "inject/inject.h"

struct glass_run;

/* One packet that waits, with its payload. */
struct glass_waiting {
	struct list_head node;
	u64 due; /* ktime_get_ns() */
	u32 rule; /* id */
	u32 port;
	u8 dir; /* enum glass_dir */
	u8 role;
	u32 gap; /* reorder: packets that have yet to overtake it; 0: none does */
	u64 born; /* of its QP */
	struct glass_pkt pkt;
	struct glass_seg seg;
	u8 data[];
};

/* Once for each device. 0 or -ENOMEM. */
int glass_later_init(struct glass_dev *dev);
/* What waits is thrown away: nothing may come to wait any more. May sleep. */
void glass_later_exit(struct glass_dev *dev);

/*
 * A copy of a packet with its payload and room for `more` bytes behind it, or
 * NULL. It belongs to the caller until it is given to glass_later_add().
 */
struct glass_waiting *glass_later_copy(const struct glass_pkt *pkt, u32 more);

/* Waits until w->due, and no longer. False: too many do; w is freed. */
bool glass_later_add(struct glass_dev *dev, struct glass_waiting *w);

/*
 * A packet of that QP, direction and role passes: what it was the last to overtake
 * becomes due. Returns whether there was any; glass_later_kick() is to be called
 * when the packet is through.
 */
bool glass_later_passed(struct glass_dev *dev, u64 born, u8 dir, u8 role);
void glass_later_kick(struct glass_dev *dev);
/* Does any packet wait to be overtaken? */
bool glass_later_gaps(const struct glass_dev *dev);

/* All packets that wait for this rule go on their way now. id 0: for any. Any context. */
void glass_later_release(struct glass_dev *dev, u32 id);

/* Waits for what is on its way just now. May sleep. */
void glass_later_flush(struct glass_dev *dev);

/* How many wait. */
u32 glass_later_waiting(struct glass_dev *dev);

#endif
