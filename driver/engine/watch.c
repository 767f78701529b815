// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Sends and receives packets at a port while a capture or the flight recorder is on, and writes the
 * records of both. The recorder has one record for both ends of a packet's path. A capture has one
 * record for each end. A packet's fate (struct glass_fate) is its drop reason, and the injection
 * rule that hit it.
 */
#include "engine/copies.h"
#include "engine/direct_parts.h"
#include "engine/engine.h"
#include "engine/packet.h"
#include "link/link.h"
#include "observe/observe.h"

void glass_watch_end(struct glass_flight_end *end, const struct glass_qp *qp)
{
	u8 flags = end->flags, port = end->port, reason = end->reason;

	*end = qp->face;
	end->flags |= flags;
	end->port = port;
	end->reason = reason;
}

/* Fills a capture's view of a packet from an end of a flight record. */
static void view_of(struct glass_view *view, const struct glass_flight_end *end, u8 dir)
{
	view->dev = end->dev;
	view->port = end->port;
	view->dir = dir;
	view->flags = end->flags;
	view->qpn = end->qpn;
	view->qptype = end->qptype;
	view->pid = end->pid;
	if (end->flags & GLASS_CAP_HAS_OWNER)
		memcpy(view->comm, end->comm, sizeof(view->comm));
}

/* Sends a packet, and captures it with its fate at the sending port. */
static noinline_for_stack void send_captured(const struct glass_flight_end *tx,
					     struct glass_dev *dev, struct glass_pkt *pkt,
					     struct glass_run *run)
{
	struct glass_capture_slots slots;
	struct glass_view view;

	view_of(&view, tx, GLASS_DIR_TX);
	glass_capture_begin(&slots, &view, pkt);
	glass_port_out(dev, tx->port, pkt, run);
	glass_capture_end(&slots, pkt->fate);
}

/*
 * Writes the flight record of a packet. But if the receiving port has deferred multicast copies
 * (`rest` is not NULL), only stores the data of the record in *rest: glass_watch_copied() writes
 * the record after the last copy.
 */
static void watch_record(const struct glass_flight_end *tx, const struct glass_flight_end *rx,
			 const struct glass_pkt *pkt, const struct glass_flight_snap *snap,
			 u64 when, struct glass_copies *rest)
{
	if (!glass_flight_on())
		return;
	if (likely(!rest)) {
		glass_flight_packet(tx, rx, pkt, snap, when);
		return;
	}
	rest->tx = *tx;
	rest->rx = *rx;
	rest->snap = *snap;
	rest->when = when;
}

void glass_watch_copied(struct glass_copies *c)
{
	glass_capture_end(&c->slots, &c->fate);
	if (!c->when || !glass_flight_on())
		return;
	c->rx.reason = c->fate.reason;
	glass_flight_packet(&c->tx, &c->rx, &c->datagram->pkt, &c->snap, c->when);
}

/*
 * Writes the flight record of the packet in `run`: the sending end and, if the packet arrived, the
 * first port where it arrived. Then prepares run->tx for the next packet.
 */
static void record_sent(const struct glass_flight_end *tx, const struct glass_pkt *pkt,
			struct glass_run *run)
{
	watch_record(tx, &run->tx.rx, pkt, &run->tx.snap, run->tx.when, run->tx.rx_rest);
	run->tx.pairing = GLASS_PAIR_NONE;
	run->tx.rx.port = 0;
	run->tx.rx_rest = NULL;
}

void glass_watch_send(struct glass_dev *dev, u32 port, struct glass_pkt *pkt,
		      struct glass_run *run)
{
	struct glass_flight_end tx = { .port = port };

	glass_watch_end(&tx, run->tx.qp);
	run->tx.pairing = GLASS_PAIR_SENDER;
	if (glass_capturing())
		send_captured(&tx, dev, pkt, run);
	else
		glass_port_out(dev, port, pkt, run);
	tx.reason = run->tx.fate.reason;
	record_sent(&tx, pkt, run);
}

void glass_watch_sent(u32 port, const struct glass_pkt *pkt, struct glass_run *run)
{
	struct glass_flight_end tx = { .port = port, .reason = run->tx.fate.reason };

	glass_watch_end(&tx, run->tx.qp);
	record_sent(&tx, pkt, run);
}

void glass_watch_send_forged(struct glass_dev *dev, u32 port, const struct glass_qp *qp,
			     struct glass_pkt *pkt, struct glass_run *run)
{
	/* no receiving end: the arrival of a forged packet writes a record of its own */
	static const struct glass_flight_end apart;
	struct glass_capture_slots slots;
	struct glass_flight_end tx = { .dev = dev->index, .port = port };
	bool capturing = glass_capturing();
	struct glass_flight_snap snap;
	struct glass_view view;

	glass_flight_snap_take(&snap, pkt);
	glass_watch_end(&tx, qp);
	if (capturing) {
		view_of(&view, &tx, GLASS_DIR_TX);
		glass_capture_begin(&slots, &view, pkt);
	}
	glass_link_send(&dev->ports[port].link, pkt, run);
	if (capturing)
		glass_capture_end(&slots, pkt->fate);
	tx.reason = pkt->fate->reason;
	if (glass_flight_on())
		glass_flight_packet(&tx, &apart, pkt, &snap, ktime_get_ns());
}

static noinline_for_stack void receive_captured(struct glass_link_port *lp,
						const struct glass_pkt *pkt, struct glass_run *run,
						struct glass_flight_end *rx)
{
	struct glass_hca_port *hp = container_of(lp, struct glass_hca_port, link);
	struct glass_capture_slots slots;
	struct glass_qp *qp = NULL;
	struct glass_view view;

	/* record no QP for a multicast packet, which may have many receivers */
	if (!glass_lid_is_mcast(pkt->dlid))
		qp = glass_qp_find(hp->dev, lp->num, pkt->dqpn);
	if (qp) {
		glass_watch_end(rx, qp);
		glass_ref_put(&qp->ref);
	}
	view_of(&view, rx, GLASS_DIR_RX);
	glass_capture_begin(&slots, &view, pkt);
	glass_port_take(lp, pkt, run, NULL);
	if (run && run->tx.rest)
		run->tx.rest->slots = slots;
	else
		glass_capture_end(&slots, pkt->fate);
}

/*
 * Receives a packet while captures are on, or a packet that already has a fate, for example because
 * an injection rule hit it at the sender. Records the packet's fate at this port in the captures,
 * and the drop reason in *rx. Then restores the sender's fate in *pkt->fate.
 */
static noinline_for_stack void arrive_spoilt(struct glass_link_port *lp, const struct glass_pkt *pkt,
					     struct glass_run *run, struct glass_flight_end *rx)
{
	struct glass_fate sent = *pkt->fate;

	pkt->fate->reason = GLASS_DROP_NONE;
	pkt->fate->rule[0] = 0;
	if (glass_capturing())
		receive_captured(lp, pkt, run, rx);
	else
		glass_port_take(lp, pkt, run, rx);
	rx->reason = pkt->fate->reason;
	*pkt->fate = sent;
}

/*
 * Receives a packet, and describes this end of its path in *rx. Returns the packet's deferred
 * multicast copies at this port, or NULL.
 */
static struct glass_copies *watch_arrival(struct glass_link_port *lp, const struct glass_pkt *pkt,
					  struct glass_run *run, struct glass_flight_end *rx)
{
	struct glass_hca_port *hp = container_of(lp, struct glass_hca_port, link);
	struct glass_copies *rest = NULL;

	if (run)
		/* an arrival without observers may have left `rest` set */
		run->tx.rest = NULL;
	rx->dev = hp->dev->index;
	rx->port = lp->num;
	rx->flags = pkt->raw ? GLASS_CAP_RAW : 0;
	rx->qpn = 0;
	rx->pid = 0;
	rx->qptype = 0;
	if (unlikely(glass_capturing() || pkt->fate->reason || pkt->fate->rule[0])) {
		arrive_spoilt(lp, pkt, run, rx);
	} else {
		glass_port_take(lp, pkt, run, rx);
		rx->reason = pkt->fate->reason;
		pkt->fate->reason = GLASS_DROP_NONE;
		pkt->fate->rule[0] = 0;
	}
	if (run)
		swap(rest, run->tx.rest);
	return rest;
}

/*
 * Receives a packet without a place for its fate (pkt->fate is NULL), such as a trap of a node. To
 * do so, receives a copy of the packet that has such a place.
 */
static noinline_for_stack void receive_copy(struct glass_link_port *lp, const struct glass_pkt *pkt,
					    struct glass_run *run)
{
	struct glass_pkt copy = *pkt;
	struct glass_fate fate = { .reason = GLASS_DROP_NONE };

	copy.fate = &fate;
	glass_watch_receive(lp, &copy, run);
}

/*
 * Receives a packet whose arrival gets a flight record of its own, without a sender. Examples are:
 * - a multicast packet at any port after the first
 * - a packet that a switch made, or that a program wrote to the debugfs file `raw`
 * - a packet that an injection rule forged, repeated, damaged, delayed or held
 */
static noinline_for_stack void receive_alone(struct glass_link_port *lp,
					     const struct glass_pkt *pkt, struct glass_run *run)
{
	static const struct glass_flight_end nobody;
	struct glass_flight_snap snap;
	struct glass_flight_end rx;
	struct glass_copies *rest;

	glass_flight_snap_take(&snap, pkt);
	rest = watch_arrival(lp, pkt, run, &rx);
	watch_record(&nobody, &rx, pkt, &snap, run ? run->tx.when : ktime_get_ns(), rest);
}

void glass_watch_receive(struct glass_link_port *lp, const struct glass_pkt *pkt,
			 struct glass_run *run)
{
	if (unlikely(!pkt->fate))
		receive_copy(lp, pkt, run);
	else if (run && pkt == &run->tx.pkt && run->tx.pairing && !run->tx.rx.port)
		/* the sender writes one record for both ends */
		run->tx.rx_rest = watch_arrival(lp, pkt, run, &run->tx.rx);
	else
		receive_alone(lp, pkt, run);
}

void glass_direct_trace(const struct glass_link_port *out, const struct glass_link_port *in, const struct glass_pkt *pkt)
{
	trace_glass_pkt_tx(out->name, out->num, pkt);
	trace_glass_pkt_rx(in->name, in->num, pkt);
}

static void capture_one_end(struct glass_capture_slots *slots, const struct glass_qp *qp, const struct glass_link_port *lp,
			enum glass_dir dir, const struct glass_pkt *pkt)
{
	struct glass_flight_end end = { .port = lp->num };
	struct glass_view view;

	glass_watch_end(&end, qp);
	view_of(&view, &end, dir);
	glass_capture_begin(slots, &view, pkt);
}

void glass_direct_capture(struct glass_run *run, const struct glass_qp *from, const struct glass_link_port *out,
			  const struct glass_qp *to, const struct glass_link_port *in, const struct glass_pkt *pkt)
{
	lockdep_assert_held(&from->lock);
	lockdep_assert_held(&to->lock);
	capture_one_end(&run->captured[GLASS_DIR_TX], from, out, GLASS_DIR_TX, pkt);
	capture_one_end(&run->captured[GLASS_DIR_RX], to, in, GLASS_DIR_RX, pkt);
}

void glass_direct_captured(struct glass_run *run, const struct glass_fate *arrived)
{
	/* the sending port has let it pass */
	static const struct glass_fate sent;

	glass_capture_end(&run->captured[GLASS_DIR_RX], arrived);
	glass_capture_end(&run->captured[GLASS_DIR_TX], &sent);
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
