// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Functions of inject/env.h, through which fault injection calls the engine and the links.
 * complete.c and hca.c define the other functions of that header.
 */
#include "engine/complete.h"
#include "engine/engine.h"
#include "engine/packet.h"
#include "inject/env.h"
#include "link/env.h"
#include "link/link.h"

void glass_inject_env_send(struct glass_dev *dev, u32 port, const struct glass_pkt *pkt,
			   struct glass_run *run)
{
	glass_link_send(&dev->ports[port].link, pkt, run);
}

void glass_inject_env_deliver(struct glass_dev *dev, u32 port, const struct glass_pkt *pkt,
			      struct glass_run *run)
{
	glass_port_deliver(dev, port, pkt, run);
}

void glass_inject_env_arrive(struct glass_dev *dev, u32 port, const struct glass_pkt *pkt,
			     struct glass_run *run)
{
	glass_link_arrived(&dev->ports[port].link, pkt, run);
}

void glass_inject_env_send_forged(struct glass_dev *dev, u32 port, const struct glass_qp *qp,
				  struct glass_pkt *pkt, struct glass_run *run)
{
	glass_port_send_forged(dev, port, qp, pkt, run);
}

void glass_inject_env_marked(struct glass_dev *dev, u32 port, const struct glass_pkt *pkt,
			     struct glass_run *run)
{
	glass_port_marked(&dev->ports[port].link, pkt, run);
}

void glass_inject_env_send_cnp(struct glass_qp *qp, struct glass_run *run)
{
	glass_port_send_cnp(qp, run);
}

void glass_inject_env_build_cnp(struct glass_qp *qp, struct glass_pkt *cnp, struct glass_seg *seg)
{
	spin_lock(&qp->lock);
	glass_pqp_cnp(&qp->core, cnp, seg);
	spin_unlock(&qp->lock);
}

void glass_inject_env_freeze(struct glass_qp *qp)
{
	spin_lock(&qp->lock);
	if (!qp->frozen++)
		qp->frozen_ns = ktime_get_ns();
	spin_unlock(&qp->lock);
}

void glass_inject_env_thaw(struct glass_qp *qp)
{
	spin_lock(&qp->lock);
	if (!WARN_ON_ONCE(!qp->frozen) && !--qp->frozen) {
		glass_pqp_shift(&qp->core, ktime_get_ns() - qp->frozen_ns);
		/* during the freeze the timer may have fired, but without effect: arm it again */
		glass_qp_arm(qp);
	}
	spin_unlock(&qp->lock);
	glass_qp_kick(qp, NULL);
}

void glass_inject_env_kick(struct glass_qp *qp)
{
	glass_qp_kick(qp, NULL);
}

bool glass_inject_env_put(struct glass_cq *cq, struct ib_qp *ib, u32 qpn, const struct glass_cqe *c,
			  struct glass_cq_told *told)
{
	return glass_cq_put(cq, ib, qpn, c, told);
}

void glass_inject_env_tell(struct glass_cq *cq, const struct glass_cq_told *told)
{
	glass_cq_tell(cq, told);
}

void glass_inject_env_port_event(struct glass_dev *dev, u32 port, enum ib_event_type ev)
{
	glass_port_event(dev, port, ev);
}

void glass_inject_env_port_note(struct glass_link_port *lp, u32 changes)
{
	glass_link_note(lp, changes);
}

void glass_inject_env_port_changed(struct glass_link_port *lp, u32 changes)
{
	glass_link_changed(lp, changes, GLASS_PORT_BY_RULE);
}
