// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Packets on their way through a port while somebody captures or the flight recorder is on. */
#include "engine/engine.h"
#include "observe/observe.h"
#include "port/port.h"

void glass_watch_view(struct glass_view *view, const struct glass_qp *qp)
{
	view->flags |= GLASS_CAP_HAS_QP | GLASS_CAP_HAS_OWNER;
	view->qpn = qp->core.qpn;
	view->qptype = qp->core.type;
	view->pid = qp->owner.pid;
	memcpy(view->comm, qp->owner.comm, sizeof(view->comm));
}

static noinline_for_stack void send_captured(const struct glass_view *view, struct glass_dev *dev,
					     struct glass_pkt *pkt, struct glass_run *run)
{
	struct glass_capture_slots slots;

	glass_capture_begin(&slots, view, pkt);
	glass_port_out(dev, view->port, pkt, run);
	glass_capture_end(&slots, pkt->fate);
}

void glass_watch_send(struct glass_dev *dev, u32 port, struct glass_pkt *pkt,
		      struct glass_run *run)
{
	struct glass_view view;
	struct glass_fate fate;

	fate.reason = GLASS_DROP_NONE;
	memset(fate.rule, 0, sizeof(fate.rule));
	view.dev = dev->index;
	view.port = port;
	view.dir = GLASS_DIR_TX;
	view.flags = 0;
	glass_watch_view(&view, run->tx.qp);
	pkt->fate = &fate;
	if (glass_capturing())
		send_captured(&view, dev, pkt, run);
	else
		glass_port_out(dev, port, pkt, run);
	pkt->fate = NULL;
	if (glass_flight_on())
		glass_flight_packet(&view, pkt, run->tx.when, fate.reason);
}

void glass_watch_send_forged(struct glass_dev *dev, u32 port, const struct glass_qp *qp,
			     struct glass_pkt *pkt, struct glass_run *run)
{
	struct glass_capture_slots slots;
	struct glass_view view = {
		.dev = dev->index,
		.port = port,
		.dir = GLASS_DIR_TX,
	};
	bool capturing = glass_capturing();

	glass_watch_view(&view, qp);
	if (capturing)
		glass_capture_begin(&slots, &view, pkt);
	glass_link_send(&dev->ports[port].link, pkt, run);
	if (capturing)
		glass_capture_end(&slots, pkt->fate);
	if (glass_flight_on())
		glass_flight_packet(&view, pkt, ktime_get_ns(), pkt->fate->reason);
}

static noinline_for_stack void receive_captured(struct glass_link_port *lp,
						const struct glass_pkt *pkt, struct glass_run *run,
						struct glass_view *view)
{
	struct glass_hca_port *hp = container_of(lp, struct glass_hca_port, link);
	struct glass_capture_slots slots;
	struct glass_qp *qp = NULL;

	/* a multicast packet has many, or none */
	if (!glass_lid_is_mcast(pkt->dlid))
		qp = glass_qp_find(hp->dev, lp->num, pkt->dqpn);
	if (qp) {
		glass_watch_view(view, qp);
		glass_ref_put(&qp->ref);
	}
	glass_capture_begin(&slots, view, pkt);
	glass_port_take(lp, pkt, run, NULL);
	glass_capture_end(&slots, pkt->fate);
}

/* A packet that brought no place for its fate, as the switch's own do not: a copy has one. */
static noinline_for_stack void receive_copy(struct glass_link_port *lp, const struct glass_pkt *pkt,
					    struct glass_run *run)
{
	struct glass_pkt copy = *pkt;
	struct glass_fate fate = { .reason = GLASS_DROP_NONE };

	copy.fate = &fate;
	glass_watch_receive(lp, &copy, run);
}

void glass_watch_receive(struct glass_link_port *lp, const struct glass_pkt *pkt,
			 struct glass_run *run)
{
	struct glass_hca_port *hp = container_of(lp, struct glass_hca_port, link);
	struct glass_view view;
	struct glass_fate sent;

	if (unlikely(!pkt->fate)) {
		receive_copy(lp, pkt, run);
		return;
	}
	view.dev = hp->dev->index;
	view.port = lp->num;
	view.dir = GLASS_DIR_RX;
	view.flags = pkt->raw ? GLASS_CAP_RAW : 0;
	view.qpn = 0;
	view.pid = 0;
	view.qptype = 0;
	/* what becomes of it here is not what became of it on its way */
	sent = *pkt->fate;
	pkt->fate->reason = GLASS_DROP_NONE;
	memset(pkt->fate->rule, 0, sizeof(sent.rule));
	if (glass_capturing())
		receive_captured(lp, pkt, run, &view);
	else
		glass_port_take(lp, pkt, run, &view);
	if (glass_flight_on())
		glass_flight_packet(&view, pkt, run ? run->tx.when : ktime_get_ns(),
				    pkt->fate->reason);
	*pkt->fate = sent;
}

void glass_watch_discarded(struct glass_dev *dev, u32 port, const struct glass_pkt *pkt,
			   enum glass_drop why)
{
	struct glass_view view = {
		.dev = dev->index,
		.port = port,
		.dir = GLASS_DIR_RX,
		.flags = GLASS_CAP_AGENT,
	};
	const struct glass_fate fate = { .reason = why };
	struct glass_capture_slots slots;

	glass_capture_begin(&slots, &view, pkt);
	glass_capture_end(&slots, &fate);
}
