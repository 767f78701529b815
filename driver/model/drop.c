// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Counts received packets that a port, one of its QPs or its management agent drops. */
#include "mgmt/notice.h"
#include "model/device.h"

void glass_port_drop(struct glass_dev *dev, u32 port, enum glass_drop_place place,
		     const struct glass_pkt *pkt, enum glass_drop reason)
{
	struct glass_port *p = &dev->node_ports[port];
	/* an injection rule has damaged the packet; PortRcvErrors counts it (IBA 16.1.3.5) */
	bool damaged = place == GLASS_AT_RX && pkt->spoilt;
	unsigned long flags;

	glass_drop_note(&dev->drops, glass_dev_name(dev), port, place, pkt, reason);
	if (reason != GLASS_DROP_BAD_PKEY && reason != GLASS_DROP_BAD_QKEY && !damaged)
		return;
	spin_lock_irqsave(&dev->fabric->lock, flags);
	if (damaged) {
		p->ctr[GLASS_CTR_RCV_ERR]++;
	} else if (reason == GLASS_DROP_BAD_PKEY) {
		glass_viol(&p->pkey_viol, 1 + pkt->more);
		glass_trap_key(&dev->node, port, GLASS_TRAP_BAD_PKEY, pkt);
	} else {
		glass_viol(&p->qkey_viol, 1 + pkt->more);
		glass_trap_key(&dev->node, port, GLASS_TRAP_BAD_QKEY, pkt);
	}
	glass_fabric_want_trap(dev->fabric, dev->ports[port].link.self);
	spin_unlock_irqrestore(&dev->fabric->lock, flags);
}
