/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Delayed packets: packets of a device that a rule with act=delay delays for a time, and packets
 * that a rule with act=reorder delays until a number of later packets has overtaken them, or their
 * time is over.
 */
#ifndef GLASS_INJECT_LATER_H
#define GLASS_INJECT_LATER_H

#include "model/device.h"
#include "inject/inject.h"

struct glass_run;

/*
 * A copy of a packet with its payload. Delayed packets are such copies. So are held packets
 * (hold.h) and packets that a rule changes (spoil.h), but these have only some members set.
 */
struct glass_waiting {
	struct list_head node;
	u64 due; /* ktime_get_ns() at which it goes on; with act=reorder it may go on earlier */
	u32 rule; /* id of the rule */
	u32 port;
	u8 dir; /* enum glass_dir */
	u8 role; /* enum glass_role */
	u32 gap; /* act=reorder: number of packets that must still overtake it; else 0 */
	u64 born; /* glass_qp.born of its QP; 0: no QP */
	struct glass_pkt pkt;
	struct glass_seg seg; /* the payload, in data[] */
	u8 data[]; /* payload, then perhaps the bytes of pkt.wire */
};

/* Allocates dev->later of a new device. Returns 0 or -ENOMEM. May sleep. */
int glass_later_init(struct glass_dev *dev);
/*
 * Drops all delayed packets, and frees dev->later. The caller makes sure that no packet is added
 * any more. May sleep.
 */
void glass_later_exit(struct glass_dev *dev);

/*
 * Copies a packet and its payload, with room for `more` bytes after the payload. If pkt->wire is
 * set and its bytes fit into this room, copies these bytes, too. NULL: there is no memory. The
 * caller frees the copy by kfree(), or passes it to glass_later_add(). Any context.
 */
struct glass_waiting *glass_later_copy(const struct glass_pkt *pkt, u32 more);

/*
 * Delays a packet until w->due, and takes w over. False: GLASS_INJECT_WAITING packets are delayed,
 * and w is freed. Any context.
 */
bool glass_later_add(struct glass_dev *dev, struct glass_waiting *w);

/*
 * The caller is about to pass on a packet of the QP with this `born`, in this direction and role.
 * The packet overtakes all packets with the same born, dir and role that act=reorder delays. Each
 * of these that no further packet must overtake becomes due. True: a packet has become due. Then
 * the caller passes its own packet on, and calls glass_later_kick(), which starts the delivery of
 * due packets. Any context.
 */
bool glass_later_passed(struct glass_dev *dev, u64 born, u8 dir, u8 role);
void glass_later_kick(struct glass_dev *dev);
/* Does any delayed packet wait for packets to overtake it? Any context. */
bool glass_later_gaps(const struct glass_dev *dev);

/*
 * Makes due all packets that the rule with this id (0: any) delays. Does not wait for their
 * delivery. Any context.
 */
void glass_later_release(struct glass_dev *dev, u32 id);

/* Waits until the work that delivers due packets is neither queued nor running. May sleep. */
void glass_later_flush(struct glass_dev *dev);

/* Number of delayed packets. */
u32 glass_later_waiting(struct glass_dev *dev);

#endif
