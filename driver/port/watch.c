// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Packets on their way through a port while somebody captures. */
#include "engine/engine.h"
#include "observe/observe.h"
#include "port/port.h"

static void view_qp(struct glass_view *v, const struct glass_qp *qp)
{
	v->flags |= GLASS_CAP_HAS_QP | GLASS_CAP_HAS_OWNER;
	v->qpn = qp->core.qpn;
	v->qptype = qp->core.type;
	v->pid = qp->owner.pid;
	v->comm = qp->owner.comm;
}

void glass_watch_send(struct glass_dev *dev, u32 port, struct glass_pkt *pkt,
		      struct glass_run *run)
{
	struct glass_view v = { .dev = dev->index, .port = port, .dir = GLASS_DIR_TX };
	struct glass_capture_slots slots;
	u8 fate = GLASS_DROP_NONE;

	view_qp(&v, run->tx.qp);
	glass_capture_begin(&slots, &v, pkt);
	pkt->fate = &fate;
	glass_link_send(&dev->ports[port].link, pkt, run);
	pkt->fate = NULL;
	glass_capture_end(&slots, fate);
}

void glass_watch_receive(struct glass_link_port *lp, const struct glass_pkt *pkt,
			 struct glass_run *run)
{
	struct glass_hca_port *hp = container_of(lp, struct glass_hca_port, link);
	struct glass_view v = { .dev = hp->dev->index, .port = lp->num, .dir = GLASS_DIR_RX };
	struct glass_capture_slots slots;
	/* the sender's fate and the receiver's are two */
	struct glass_pkt mine = *pkt;
	u8 fate = GLASS_DROP_NONE;
	struct glass_qp *qp = NULL;

	/* a multicast packet has many, or none */
	if (!glass_lid_is_mcast(pkt->dlid))
		qp = glass_qp_find(hp->dev, lp->num, pkt->dqpn);
	if (qp)
		view_qp(&v, qp);
	glass_capture_begin(&slots, &v, pkt);
	if (qp)
		glass_ref_put(&qp->ref);
	mine.fate = &fate;
	glass_port_take(lp, &mine, run);
	glass_capture_end(&slots, fate);
}
