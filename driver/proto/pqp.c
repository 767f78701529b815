// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Entry points that all transports share: a packet arrives, the timer expires. */
#include "proto/internal.h"

static inline bool source_ok(struct glass_pqp *q, const struct glass_pkt *pkt)
{
	enum glass_drop why = glass_source_fault(q, pkt);

	if (likely(!why))
		return true;
	glass_proto_drop(q, pkt, why);
	return false;
}

bool glass_pqp_has_work(const struct glass_pqp *q, u64 now)
{
	return glass_resp_owed(q) || glass_req_work(q, now) ||
	       (q->left & GLASS_LEFT_FLUSH);
}

void glass_pqp_timer(struct glass_pqp *q, u64 now)
{
	struct glass_req_state *r = &q->req;

	if (!glass_type_is_rc(q->type) || (q->state != GLASS_QPS_RTS && q->state != GLASS_QPS_SQD))
		return;
	if (r->rnr_wait) {
		if (now >= r->rnr_until)
			r->rnr_wait = false;
	} else if (r->ack_deadline && now >= r->ack_deadline) {
		glass_req_timeout(q, now);
	}
	glass_update_deadline(q);
}

void glass_pqp_shift(struct glass_pqp *q, u64 ns)
{
	struct glass_req_state *r = &q->req;

	if (r->ack_deadline)
		r->ack_deadline += ns;
	if (r->rnr_wait)
		r->rnr_until += ns;
	glass_update_deadline(q);
}

void glass_pqp_rx(struct glass_pqp *q, const struct glass_pkt *pkt,
		  const struct glass_rx_meta *meta, u64 now)
{
	u8 bop = pkt->opcode & GLASS_BOP_MASK;
	bool response;
	u8 tr;

	q->stats.rx_pkts += 1 + pkt->more;
	q->stats.rx_bytes += pkt->len;

	if (unlikely(q->state < GLASS_QPS_RTR || q->state == GLASS_QPS_ERR)) {
		glass_proto_drop(q, pkt, GLASS_DROP_QP_STATE);
		return;
	}
	tr = glass_transport(q->type);
	if (unlikely((pkt->opcode & GLASS_TR_MASK) != tr)) {
		if (glass_pqp_cnp_rx(q, pkt, now))
			return;
		glass_proto_drop(q, pkt, GLASS_DROP_QP_TYPE);
		return;
	}
	if (tr == GLASS_TR_UD) {
		glass_ud_rx(q, pkt, meta, now);
		return;
	}
	if (!source_ok(q, pkt))
		return;
	/* MigReq 0 means that the peer has loaded an alternate path, too (IBA 17.2.8.1.2) */
	if (unlikely(q->attr.mig_state == GLASS_MIG_REARM) && !pkt->mig) {
		glass_pqp_changed(q);
		q->attr.mig_state = GLASS_MIG_ARMED;
		q->mig_refused = false;
	}
	if (tr == GLASS_TR_UC) {
		glass_uc_rx(q, pkt, now);
		return;
	}
	response = bop >= GLASS_BOP_READ_RESP_FIRST && bop <= GLASS_BOP_ATOMIC_ACK;
	if (unlikely(q->type == (response ? GLASS_QPT_XRC_TGT : GLASS_QPT_XRC_INI))) {
		/* an XRC initiator accepts only responses, an XRC target only requests */
		glass_proto_drop(q, pkt, GLASS_DROP_BAD_BTH);
		return;
	}
	if (response)
		glass_req_rx(q, pkt, now);
	else
		glass_resp_rx(q, pkt, now);
	glass_update_deadline(q);
}
