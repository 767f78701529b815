/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The dropped packets of a device: a trace event for each of them, counters by port and reason, and
 * a log of the latest drops. A packet that is not dropped costs nothing here.
 */
#ifndef GLASS_OBSERVE_DROPS_H
#define GLASS_OBSERVE_DROPS_H

#include <linux/spinlock.h>

#include "fabric/topology.h"
#include "uapi/glass-enums.h"
#include "wire/packet.h"

#define GLASS_DROPS_LAST 64 /* entries of the log */

/* A log entry of a dropped packet. Its fields have the values of the trace event glass_pkt_drop. */
struct glass_dropped {
	u64 seq; /* number of the drop, from 1; 0: the entry is empty */
	u64 when; /* ktime_get_ns() */
	u64 flow;
	u32 port;
	u32 dqpn;
	u32 psn;
	u32 len; /* bytes of payload */
	u16 slid, dlid;
	u8 opcode;
	u8 reason; /* enum glass_drop */
	u8 place; /* enum glass_drop_place */
	u8 at_port;
	/* the node that dropped the packet, at its port at_port; "": the device itself */
	char at[GLASS_FABRIC_NAME_MAX + 1];
};

struct glass_drop_count {
	u64 packets;
	u64 last; /* ktime_get_ns() of the last drop */
};

struct glass_drops {
	spinlock_t lock; /* protects all other fields; irqs off */
	u64 seq; /* number of the last drop; 0: none yet */
	struct glass_drop_count count[GLASS_TOPO_MAX_HCA_PORTS + 1][GLASS_DROP_COUNT];
	struct glass_dropped last[GLASS_DROPS_LAST]; /* by (seq - 1) % GLASS_DROPS_LAST */
};

void glass_drops_init(struct glass_drops *d);

/*
 * Records the drop of a packet, or of all packets of a train (wire/train.h). One device counts the
 * drop: the sender's device if `place` is tx, link or switch, else the receiver's device. A frame
 * from glassN/raw has no sender, so the receiver's device always counts its drop. d, dev, port: the
 * drops, the name and the port of the counting device. Any context.
 */
void glass_drop_note(struct glass_drops *d, const char *dev, u32 port, enum glass_drop_place place,
		     const struct glass_pkt *pkt, enum glass_drop reason);

/*
 * As glass_drop_note(), for a packet that another node of the fabric dropped. node, node_port: this
 * node, and its port that dropped the packet.
 */
void glass_drop_note_at(struct glass_drops *d, const char *dev, u32 port,
			enum glass_drop_place place, const char *node, u32 node_port,
			const struct glass_pkt *pkt, enum glass_drop reason);

/*
 * For readers, in any context. glass_drops_get() copies the counter of a port and reason; false:
 * the counter is 0. glass_drops_find() copies the oldest log entry whose number is at least seq;
 * false: there is no such entry.
 */
bool glass_drops_get(struct glass_drops *d, u32 port, enum glass_drop reason,
		     struct glass_drop_count *out);
bool glass_drops_find(struct glass_drops *d, u64 seq, struct glass_dropped *out);

#endif
