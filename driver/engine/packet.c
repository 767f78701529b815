// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Packets between QPs and links (packet.h), except multicast delivery (copies.c) and most of the
 * work for captures and the flight recorder (watch.c).
 */
#include <linux/delay.h>

#include "engine/engine.h"
#include "engine/lint.h"
#include "engine/packet.h"
#include "link/env.h"
#include "link/link.h"
#include "observe/flight_record.h"
#include "observe/observe.h"
#include "wire/mad.h"

static bool is_smp(const struct glass_pkt *pkt)
{
	return pkt->dqpn == 0 && (pkt->opcode & GLASS_TR_MASK) == GLASS_TR_UD && pkt->sqpn == 0;
}

void glass_port_address(struct glass_dev *dev, u32 port, struct glass_pkt *pkt,
			const struct glass_av *av, u16 pkey_index)
{
	const struct glass_port *p = &dev->node_ports[port];

	pkt->lver = 0;
	pkt->tver = 0;
	glass_data_address(p, pkt, av, pkey_index);
	if (is_smp(pkt)) {
		pkt->vl = GLASS_VL_SMP;
		pkt->sl = 0;
		/* on a hop of a directed route both LIDs are permissive (IBA 14.2.2) */
		pkt->slid = pkt->dlid == GLASS_LID_PERMISSIVE ? GLASS_LID_PERMISSIVE :
								READ_ONCE(p->lid);
	}
}

static noinline void trace_mad(struct glass_dev *dev, u32 port, enum glass_dir dir,
			       const struct glass_pkt *pkt)
{
	if (pkt->nseg && pkt->seg[0].len >= 24)
		trace_glass_mad(glass_dev_name(dev), port, dir, pkt, pkt->seg[0].addr);
}

static __always_inline void port_out(struct glass_dev *dev, u32 port, struct glass_pkt *pkt,
				     struct glass_run *run)
{
	if (glass_injecting() &&
	    glass_inject_sent(dev, port, (struct glass_qp *)run->tx.qp, pkt, run))
		return;
	glass_link_send(&dev->ports[port].link, pkt, run);
}

void glass_port_out(struct glass_dev *dev, u32 port, struct glass_pkt *pkt, struct glass_run *run)
{
	port_out(dev, port, pkt, run);
}

/*
 * Sends a packet while a trace event, a capture, the flight recorder or fault injection is on. Out
 * of line, so that glass_port_send() saves no registers while all of these are off.
 */
static noinline void send_observed(struct glass_dev *dev, u32 port, struct glass_pkt *pkt,
				   struct glass_run *run)
{
	trace_glass_pkt_tx(glass_dev_name(dev), port, pkt);
	if (trace_glass_mad_enabled() && pkt->dqpn <= 1)
		trace_mad(dev, port, GLASS_DIR_TX, pkt);
	if (glass_watched()) {
		run->tx.fate.reason = GLASS_DROP_NONE;
		run->tx.fate.rule[0] = 0;
		if (glass_hops_wanted())
			run->tx.fate.nhops = 0;
		glass_flight_snap(&run->tx.snap, pkt);
		if (unlikely(glass_capturing())) {
			glass_watch_send(dev, port, pkt, run);
			return;
		}
		run->tx.port = port;
		run->tx.pairing = GLASS_PAIR_ARRIVAL;
	}
	port_out(dev, port, pkt, run);
	/*
	 * Call glass_watch_sent() even if all observers were turned off meanwhile, because it
	 * clears `pairing` for the run's next packet.
	 */
	if (unlikely(run->tx.pairing))
		glass_watch_sent(port, pkt, run);
}

void glass_port_send(struct glass_dev *dev, u32 port, struct glass_pkt *pkt, struct glass_run *run)
{
	if (trace_glass_pkt_tx_enabled() || trace_glass_mad_enabled() || glass_watched() ||
	    glass_injecting())
		send_observed(dev, port, pkt, run);
	else
		glass_link_send(&dev->ports[port].link, pkt, run);
}

void glass_port_send_forged(struct glass_dev *dev, u32 port, const struct glass_qp *qp,
			    struct glass_pkt *pkt, struct glass_run *run)
{
	trace_glass_pkt_tx(glass_dev_name(dev), port, pkt);
	if (glass_watched())
		glass_watch_send_forged(dev, port, qp, pkt, run);
	else
		glass_link_send(&dev->ports[port].link, pkt, run);
}

static u16 alt_pkey(const struct glass_port *p, const struct glass_qp *qp)
{
	return READ_ONCE(p->pkeys[qp->core.attr.alt_pkey_index & (GLASS_PKEYS - 1)]);
}

/*
 * Returns the P_Key index for the QP's completion. Returns a negative value if the packet's P_Key
 * does not match. In that case the QP must not receive the packet.
 */
static __always_inline int pkey_index(struct glass_dev *dev, u32 port, const struct glass_qp *qp,
				      const struct glass_pkt *pkt)
{
	struct glass_port *p = &dev->node_ports[port];
	u16 mine = glass_qp_pkey(p, qp);

	if (qp->core.type == GLASS_QPT_SMI)
		return 0;
	if (qp->core.type == GLASS_QPT_GSI)
		return glass_port_pkey_index(p, pkt->pkey);
	return glass_pkey_match(mine, pkt->pkey) ? qp->core.attr.pkey_index : -1;
}

/*
 * Behaviour write_reorder of strict mode (model/strict.h): places the last bytes of a WRITE packet
 * (glass_write_tail()), and sleeps before the caller places the rest. Does nothing if this
 * behaviour is off, or if the packet is not a WRITE.
 */
static noinline void write_strictly(struct glass_qp *qp, u32 port, const struct glass_pkt *pkt)
{
	u32 us = 0;

	spin_lock(&qp->lock);
	if (!qp->dead && qp->core.state != GLASS_QPS_RESET && qp->core.attr.port == port &&
	    pkey_index(qp->dev, port, qp, pkt) >= 0)
		us = glass_write_tail(qp, pkt);
	spin_unlock(&qp->lock);
	if (us)
		usleep_range(us, us + 50);
}

/*
 * Returns the time for a packet that arrives. A responder needs the time only for its reports of
 * errors, so a request that the sender's turn delivers has the time at which the turn began to send
 * it, if the tick is still the same. Answers and CNPs need the present time: it decides when the
 * requester's timer expires, and how fast it sends.
 */
static __always_inline u64 arrival_time(const struct glass_qp *qp, const struct glass_pkt *pkt,
					const struct glass_run *run)
{
	if (!glass_injecting() && run && pkt == &run->tx.pkt &&
	    glass_opcode_is_request(pkt->opcode) && likely(run->tx.tick == jiffies))
		return run->tx.when;
	return glass_qp_now(qp);
}

void glass_qp_receive(struct glass_qp *qp, u32 port, const struct glass_pkt *pkt, bool mcast,
		      struct glass_run *run)
{
	struct glass_dev *dev = qp->dev;
	const struct glass_port *p = &dev->node_ports[port];
	enum glass_drop why = GLASS_DROP_NONE;
	struct glass_rx_meta meta;
	bool work = false;
	int index;

	if (glass_strict_any())
		write_strictly(qp, port, pkt);
	spin_lock(&qp->lock);
	if (unlikely(qp->core.attr.mig_state) && !qp->dead)
		glass_pqp_migrate_rx(&qp->core, pkt, port,
				     glass_pkey_match(alt_pkey(p, qp), pkt->pkey));
	index = pkey_index(dev, port, qp, pkt);
	if (qp->dead) {
		why = GLASS_DROP_NO_QP;
	} else if (unlikely(qp->core.state == GLASS_QPS_RESET)) {
		/* test this before the port and the P_Key: a QP in RESET has neither */
		why = GLASS_DROP_QP_STATE;
	} else if (qp->core.attr.port != port) {
		why = GLASS_DROP_WRONG_PORT;
	} else if (unlikely(index < 0)) {
		why = GLASS_DROP_BAD_PKEY;
		if (glass_linting()) {
			glass_lint_begin(qp, pkt->flow);
			glass_lint_pkey(qp, glass_qp_pkey(p, qp), pkt);
			glass_lint_end(qp);
		}
	} else {
		u64 now = arrival_time(qp, pkt, run);

		qp->core.ack_soon = glass_qp_concerned(qp, GLASS_INJECT_PACKETS);
		meta.pkey_index = index;
		meta.dlid_path_bits = mcast ? 0 : pkt->dlid & ((1 << p->lmc) - 1);
		glass_core_rx(qp, pkt, &meta, now);
		glass_qp_fail_if_asked(qp, now);
		work = glass_pqp_has_work(&qp->core, now);
		glass_qp_arm(qp);
	}
	if (unlikely(why && why != GLASS_DROP_NO_QP))
		qp->core.stats.drops += 1 + pkt->more;
	spin_unlock(&qp->lock);
	if (work)
		glass_qp_kick(qp, run);
	if (unlikely(why))
		glass_port_drop(dev, port, GLASS_AT_RX, pkt, why);
}

static __always_inline enum glass_drop check_headers(const struct glass_port *p,
						     const struct glass_pkt *pkt, bool mcast)
{
	if (pkt->vl == GLASS_VL_SMP) {
		if (pkt->dqpn || (pkt->opcode & GLASS_TR_MASK) != GLASS_TR_UD)
			return GLASS_DROP_BAD_BTH;
		if (pkt->dlid != GLASS_LID_PERMISSIVE && !glass_port_has_lid(p, pkt->dlid))
			return GLASS_DROP_WRONG_LID;
		return GLASS_DROP_NONE;
	}
	if (pkt->dqpn == 0)
		return GLASS_DROP_NO_QP;
	if (mcast) {
		if (pkt->dqpn != GLASS_QPN_MCAST || (pkt->opcode & GLASS_TR_MASK) != GLASS_TR_UD)
			return GLASS_DROP_BAD_BTH;
		if (pkt->lnh != GLASS_LNH_GLOBAL || !glass_gid_is_mcast(pkt->grh.dgid))
			return GLASS_DROP_BAD_GRH;
		return GLASS_DROP_NONE;
	}
	if (!glass_port_has_lid(p, pkt->dlid) && !(p->ethernet && !pkt->dlid))
		return GLASS_DROP_WRONG_LID;
	/* the receiver of an Ethernet port has found the port by this GID */
	if (pkt->lnh == GLASS_LNH_GLOBAL && !p->ethernet &&
	    glass_port_gid_index(p, pkt->grh.dgid) < 0)
		return GLASS_DROP_BAD_GRH;
	return GLASS_DROP_NONE;
}

void glass_port_loopback(struct glass_link_port *lp, const struct glass_pkt *pkt,
			 struct glass_run *run)
{
	struct glass_hca_port *hp = container_of(lp, struct glass_hca_port, link);

	if (pkt->lnh == GLASS_LNH_GLOBAL &&
	    glass_mcast_member(hp->dev, lp->num, pkt->grh.dgid))
		glass_port_receive(lp, pkt, run);
}

/*
 * Receives a packet at a port. If `pair` is false, *end gets the receiving QP's data for the flight
 * recorder; `end` may be NULL. If `pair` is true, this function writes one flight record for both
 * ends, and `end` is NULL. In that case it receives only a unicast packet that is undamaged, has
 * right headers, and names a QP that exists. It leaves any other packet to glass_watch_receive().
 */
static __always_inline void packet_receive(struct glass_link_port *lp, const struct glass_pkt *pkt,
					   struct glass_run *run, struct glass_flight_end *end,
					   bool pair)
{
	struct glass_hca_port *hp = container_of(lp, struct glass_hca_port, link);
	bool mcast = glass_lid_is_mcast(pkt->dlid);
	struct glass_dev *dev = hp->dev;
	enum glass_drop why;
	struct glass_qp *qp;

	why = check_headers(lp->port, pkt, mcast);
	if (unlikely(pkt->spoilt))
		why = pkt->spoilt;
	if (pair && unlikely(why || mcast)) {
		glass_watch_receive(lp, pkt, run);
		return;
	}
	if (unlikely(why)) {
		glass_port_drop(dev, lp->num, GLASS_AT_RX, pkt, why);
		return;
	}
	if (mcast) {
		if (glass_injecting() && glass_inject_arrived(dev, lp->num, NULL, pkt, run))
			return;
		if (!glass_mcast_deliver(dev, lp->num, pkt, run))
			glass_port_drop(dev, lp->num, GLASS_AT_RX, pkt, GLASS_DROP_NO_MCAST);
		return;
	}
	qp = glass_qp_find(dev, lp->num, pkt->dqpn);
	if (pair && unlikely(!qp)) {
		glass_watch_receive(lp, pkt, run);
		return;
	}
	if (unlikely(!qp)) {
		if (glass_linting())
			glass_lint_no_qp(dev, pkt);
		glass_port_drop(dev, lp->num, GLASS_AT_RX, pkt, GLASS_DROP_NO_QP);
		return;
	}
	if (!pair && end)
		glass_watch_end(end, qp);
	if (!glass_injecting() || !glass_inject_arrived(dev, lp->num, qp, pkt, run))
		glass_qp_receive(qp, lp->num, pkt, false, run);
	if (pair && likely(READ_ONCE(glass_flight_enabled))) {
		glass_flight_write(true, &run->tx.qp->face, run->tx.port, GLASS_DROP_NONE, true,
				   &qp->face, lp->num, run->tx.fate.reason, pkt, &run->tx.snap,
				   run->tx.when);
		run->tx.pairing = GLASS_PAIR_NONE;
	}
	glass_ref_put(&qp->ref);
}

void glass_port_take(struct glass_link_port *lp, const struct glass_pkt *pkt,
		     struct glass_run *run, struct glass_flight_end *end)
{
	packet_receive(lp, pkt, run, end, false);
}

/*
 * Receives a packet while a trace event, a capture or the flight recorder is on. Out of line, so
 * that glass_port_receive() saves no registers while all of these are off.
 */
static noinline void receive_observed(struct glass_link_port *lp, const struct glass_pkt *pkt,
				      struct glass_run *run)
{
	struct glass_hca_port *hp = container_of(lp, struct glass_hca_port, link);

	trace_glass_pkt_rx(lp->name, lp->num, pkt);
	if (trace_glass_mad_enabled() && pkt->dqpn <= 1)
		trace_mad(hp->dev, lp->num, GLASS_DIR_RX, pkt);
	if (!glass_watched())
		glass_port_take(lp, pkt, run, NULL);
	else if (likely(run && pkt == &run->tx.pkt && run->tx.pairing == GLASS_PAIR_ARRIVAL &&
			!run->tx.fate.reason && !run->tx.fate.rule[0]))
		packet_receive(lp, pkt, run, NULL, true);
	else
		glass_watch_receive(lp, pkt, run);
}

void glass_port_receive(struct glass_link_port *lp, const struct glass_pkt *pkt,
			struct glass_run *run)
{
	if (trace_glass_pkt_rx_enabled() || trace_glass_mad_enabled() || glass_watched())
		receive_observed(lp, pkt, run);
	else
		glass_port_take(lp, pkt, run, NULL);
}

void glass_port_deliver(struct glass_dev *dev, u32 port, const struct glass_pkt *pkt,
			struct glass_run *run)
{
	struct glass_qp *qp;

	if (unlikely(pkt->spoilt)) {
		glass_port_drop(dev, port, GLASS_AT_RX, pkt, pkt->spoilt);
		return;
	}
	if (glass_lid_is_mcast(pkt->dlid)) {
		if (!glass_mcast_deliver(dev, port, pkt, run))
			glass_port_drop(dev, port, GLASS_AT_RX, pkt, GLASS_DROP_NO_MCAST);
		return;
	}
	qp = glass_qp_find(dev, port, pkt->dqpn);
	if (!qp) {
		glass_port_drop(dev, port, GLASS_AT_RX, pkt, GLASS_DROP_NO_QP);
		return;
	}
	glass_qp_receive(qp, port, pkt, false, run);
	glass_ref_put(&qp->ref);
}
