/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Packets of a device that an injection rule delays (act=delay), or lets others overtake
 * (act=reorder).
 */
#ifndef GLASS_INJECT_LATER_H
#define GLASS_INJECT_LATER_H

#include "model/device.h"
#include "inject/inject.h"

struct glass_run;

/* A delayed packet, with its payload. */
struct glass_waiting {
	struct list_head node;
	u64 due; /* ktime_get_ns(); reorder: at the latest */
	u32 rule; /* id */
	u32 port;
	u8 dir; /* enum glass_dir */
	u8 role; /* enum glass_role */
	u32 gap; /* reorder: number of packets that must still overtake it; else 0 */
	u64 born; /* glass_qp.born of its QP */
	struct glass_pkt pkt;
	struct glass_seg seg; /* its payload, in data[] */
	u8 data[];
};

/* Once for each device. 0 or -ENOMEM. */
int glass_later_init(struct glass_dev *dev);
/* Drops all delayed packets. No packet may be added any more. May sleep. */
void glass_later_exit(struct glass_dev *dev);

/*
 * Copies a packet with its payload, and with room for `more` bytes after it. If pkt->wire is set
 * and fits, copies these bytes, too. NULL: no memory. The caller owns the copy, for kfree(), until
 * glass_later_add(). Any context.
 */
struct glass_waiting *glass_later_copy(const struct glass_pkt *pkt, u32 more);

/* Delays a packet until w->due, and owns it. False: too many are delayed, and w is freed. */
bool glass_later_add(struct glass_dev *dev, struct glass_waiting *w);

/*
 * Call when a packet of that QP, direction and role passes, before it is passed on: it overtakes
 * the delayed ones of its stream. Makes due those whose gap is reached. Returns whether there is
 * one: then the caller passes its packet on and calls glass_later_kick().
 */
bool glass_later_passed(struct glass_dev *dev, u64 born, u8 dir, u8 role);
void glass_later_kick(struct glass_dev *dev);
/* Must other packets still overtake any delayed one? Any context. */
bool glass_later_gaps(const struct glass_dev *dev);

/* Makes due all packets that this rule (id 0: any) delays; does not wait. Any context. */
void glass_later_release(struct glass_dev *dev, u32 id);

/* Waits for the work that delivers due packets, if it is queued or running. May sleep. */
void glass_later_flush(struct glass_dev *dev);

/* Number of delayed packets. */
u32 glass_later_waiting(struct glass_dev *dev);

#endif
