/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The dropped packets of a device: a trace event, a counter by port and reason, and a log of the
 * last ones. A packet that is not dropped costs nothing here.
 */
#ifndef GLASS_OBSERVE_DROPS_H
#define GLASS_OBSERVE_DROPS_H

#include <linux/spinlock.h>

#include "fabric/topology.h"
#include "uapi/glass-enums.h"
#include "wire/packet.h"

#define GLASS_DROPS_LAST 64 /* entries of the log */

/* A log entry of a dropped packet; its values as in the trace event glass_pkt_drop. */
struct glass_dropped {
	u64 seq; /* from 1; 0: no such entry */
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
};

struct glass_drop_count {
	u64 packets;
	u64 last; /* ktime_get_ns() of the last one */
};

struct glass_drops {
	spinlock_t lock; /* all of it; irqs off */
	u64 seq; /* of the last dropped packet */
	struct glass_drop_count count[GLASS_TOPO_MAX_HCA_PORTS + 1][GLASS_DROP_COUNT];
	struct glass_dropped last[GLASS_DROPS_LAST]; /* by (seq - 1) % GLASS_DROPS_LAST */
};

void glass_drops_init(struct glass_drops *d);

/*
 * Records the drop of a packet (of a train: the drop of all its packets). dev, port: those of the
 * sender if the packet was dropped in transit (place tx, link, switch), else the receiver's. Any
 * context.
 */
void glass_drop_note(struct glass_drops *d, const char *dev, u32 port, enum glass_drop_place place,
		     const struct glass_pkt *pkt, enum glass_drop reason);

/*
 * For readers. get: copies the count of drops for a port and reason; false: there was none. find:
 * copies the oldest log entry with a sequence number of at least seq; false: there is none. Any
 * context.
 */
bool glass_drops_get(struct glass_drops *d, u32 port, enum glass_drop reason,
		     struct glass_drop_count *out);
bool glass_drops_find(struct glass_drops *d, u64 seq, struct glass_dropped *out);

#endif
