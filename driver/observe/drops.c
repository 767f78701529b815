// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#include <linux/ktime.h>

#include "observe/drops.h"
#include "observe/observe.h"

void glass_drops_init(struct glass_drops *d)
{
	spin_lock_init(&d->lock);
}

void glass_drop_note(struct glass_drops *d, const char *dev, u32 port, enum glass_drop_place place,
		     const struct glass_pkt *pkt, enum glass_drop reason)
{
	glass_drop_note_at(d, dev, port, place, "", 0, pkt, reason);
}

void glass_drop_note_at(struct glass_drops *d, const char *dev, u32 port,
			enum glass_drop_place place, const char *node, u32 node_port,
			const struct glass_pkt *pkt, enum glass_drop reason)
{
	struct glass_drop_count *c;
	struct glass_dropped *e;
	unsigned long flags;
	u64 now;

	glass_capture_died(pkt, reason);
	trace_glass_pkt_drop(dev, port, pkt, reason, place);
	if (WARN_ON_ONCE(port > GLASS_TOPO_MAX_HCA_PORTS || reason >= GLASS_DROP_COUNT))
		return;
	now = ktime_get_ns();
	spin_lock_irqsave(&d->lock, flags);
	c = &d->count[port][reason];
	c->packets += 1 + pkt->more;
	c->last = now;
	e = &d->last[d->seq % GLASS_DROPS_LAST];
	e->seq = ++d->seq;
	e->when = now;
	e->flow = pkt->flow;
	e->port = port;
	e->dqpn = pkt->dqpn;
	e->psn = pkt->psn;
	e->len = pkt->len;
	e->slid = pkt->slid;
	e->dlid = pkt->dlid;
	e->opcode = pkt->opcode;
	e->reason = reason;
	e->place = place;
	e->at_port = node_port;
	strscpy(e->at, node, sizeof(e->at));
	spin_unlock_irqrestore(&d->lock, flags);
}

bool glass_drops_get(struct glass_drops *d, u32 port, enum glass_drop reason,
		     struct glass_drop_count *out)
{
	unsigned long flags;

	spin_lock_irqsave(&d->lock, flags);
	*out = d->count[port][reason];
	spin_unlock_irqrestore(&d->lock, flags);
	return out->packets;
}

bool glass_drops_find(struct glass_drops *d, u64 seq, struct glass_dropped *out)
{
	unsigned long flags;
	bool found;

	spin_lock_irqsave(&d->lock, flags);
	if (d->seq > GLASS_DROPS_LAST)
		seq = max(seq, d->seq - GLASS_DROPS_LAST + 1);
	seq = max(seq, 1ULL);
	found = seq <= d->seq;
	if (found)
		*out = d->last[(seq - 1) % GLASS_DROPS_LAST];
	spin_unlock_irqrestore(&d->lock, flags);
	return found;
}
