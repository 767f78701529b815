/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Packets of a device that an injection rule delays. */
#ifndef GLASS_INJECT_LATER_H
#define GLASS_INJECT_LATER_H

#include "model/device.h"
#include "inject/inject.h"

struct glass_run;

/* A delayed packet, with its payload. */
struct glass_waiting {
	struct list_head node;
	u64 due; /* ktime_get_ns() */
	u32 rule; /* id */
	u32 port;
	u8 dir; /* enum glass_dir */
	u8 role;
	u32 gap; /* reorder: packets that must still overtake it; 0: none */
	u64 born; /* of its QP */
	struct glass_pkt pkt;
	struct glass_seg seg;
	u8 data[];
};

/* Once for each device. 0 or -ENOMEM. */
int glass_later_init(struct glass_dev *dev);
/* Drops all delayed packets. No packet may be added any more. May sleep. */
void glass_later_exit(struct glass_dev *dev);

/*
 * Copies a packet with its payload, with room for `more` bytes behind it; or NULL. The caller owns
 * the copy until glass_later_add().
 */
struct glass_waiting *glass_later_copy(const struct glass_pkt *pkt, u32 more);

/* Delays a packet until w->due. False: too many are delayed; w is freed. */
bool glass_later_add(struct glass_dev *dev, struct glass_waiting *w);

/*
 * A packet of that QP, direction and role passes. A delayed packet that it was the last to overtake
 * becomes due. Returns whether there was one; the caller then calls glass_later_kick() when the
 * passing packet is through.
 */
bool glass_later_passed(struct glass_dev *dev, u64 born, u8 dir, u8 role);
void glass_later_kick(struct glass_dev *dev);
/* Must any delayed packet still be overtaken? */
bool glass_later_gaps(const struct glass_dev *dev);

/* Releases all packets that this rule delays (id 0: any). Any context. */
void glass_later_release(struct glass_dev *dev, u32 id);

/* Waits for packets that are being delivered. May sleep. */
void glass_later_flush(struct glass_dev *dev);

/* Number of delayed packets. */
u32 glass_later_waiting(struct glass_dev *dev);

#endif
