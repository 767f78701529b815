/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Delayed packets of a device. A rule with act=delay delays a packet for a time. A rule with
 * act=reorder delays a packet until a number of later packets has overtaken it, or until its time
 * is over.
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
	/* the packet goes on at the latest at this time (ktime_get_ns()); 0: as soon as possible */
	u64 due;
	u32 rule; /* id of the rule that delays the packet */
	u32 port;
	u8 dir; /* enum glass_dir */
	u8 role; /* enum glass_role */
	u32 gap; /* number of packets that must still overtake it; 0 without act=reorder */
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
 * set and its bytes fit into this room, copies these bytes, too. Returns NULL if there is no
 * memory. The caller frees the copy by kfree(), or passes it to glass_later_add(). Any context.
 */
struct glass_waiting *glass_later_copy(const struct glass_pkt *pkt, u32 more);

/*
 * Delays a packet until w->due, and takes ownership of w. Returns false if GLASS_INJECT_WAITING
 * packets are delayed already; then w is freed. Any context.
 */
bool glass_later_add(struct glass_dev *dev, struct glass_waiting *w);

/*
 * Call this before passing on a packet of the QP with this `born`, in this direction and role. This
 * packet overtakes all packets with the same born, dir and role that act=reorder delays. An
 * overtaken packet becomes due if no further packet must overtake it. Returns true if a packet has
 * become due. Then the caller passes its own packet on, and calls glass_later_kick(), which starts
 * the delivery of due packets. Any context.
 */
bool glass_later_passed(struct glass_dev *dev, u64 born, u8 dir, u8 role);
void glass_later_kick(struct glass_dev *dev);
/* Does any delayed packet wait for packets to overtake it? Any context. */
bool glass_later_gaps(const struct glass_dev *dev);

/*
 * All packets that the rule with this id delays become due. With the id 0, all delayed packets
 * become due. Does not wait for their delivery. Any context.
 */
void glass_later_release(struct glass_dev *dev, u32 id);

/* Waits until the work that delivers due packets is neither queued nor running. May sleep. */
void glass_later_flush(struct glass_dev *dev);

/* Returns the number of delayed packets. Any context. */
u32 glass_later_waiting(struct glass_dev *dev);

#endif
