// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * What all transports share: the entry points, errors, the way into ERR.
 */
#include "proto/internal.h"

/* Bytes of the extended headers behind the BTH, by BTH operation; UD has a DETH more. */
static const u8 ext_bytes[32] = {
	[GLASS_BOP_SEND_LAST_IMM] = GLASS_IMM_BYTES,
	[GLASS_BOP_SEND_ONLY_IMM] = GLASS_IMM_BYTES,
	[GLASS_BOP_WRITE_FIRST] = GLASS_RETH_BYTES,
	[GLASS_BOP_WRITE_LAST_IMM] = GLASS_IMM_BYTES,
	[GLASS_BOP_WRITE_ONLY] = GLASS_RETH_BYTES,
	[GLASS_BOP_WRITE_ONLY_IMM] = GLASS_RETH_BYTES + GLASS_IMM_BYTES,
	[GLASS_BOP_READ_REQ] = GLASS_RETH_BYTES,
	[GLASS_BOP_READ_RESP_FIRST] = GLASS_AETH_BYTES,
	[GLASS_BOP_READ_RESP_LAST] = GLASS_AETH_BYTES,
	[GLASS_BOP_READ_RESP_ONLY] = GLASS_AETH_BYTES,
	[GLASS_BOP_ACK] = GLASS_AETH_BYTES,
	[GLASS_BOP_ATOMIC_ACK] = GLASS_AETH_BYTES + GLASS_ATOMICACKETH_BYTES,
	[GLASS_BOP_CMP_SWAP] = GLASS_ATOMICETH_BYTES,
	[GLASS_BOP_FETCH_ADD] = GLASS_ATOMICETH_BYTES,
	[GLASS_BOP_SEND_LAST_INV] = GLASS_IETH_BYTES,
	[GLASS_BOP_SEND_ONLY_INV] = GLASS_IETH_BYTES,
	[GLASS_BOP_FLUSH] = GLASS_FETH_BYTES + GLASS_RETH_BYTES,
	[GLASS_BOP_ATOMIC_WRITE] = GLASS_RETH_BYTES,
};

const u16 glass_rq_info[32] = {
	[GLASS_BOP_SEND_FIRST] = GLASS_RQ_SEND | GLASS_RQ_START,
	[GLASS_BOP_SEND_MIDDLE] = GLASS_RQ_SEND,
	[GLASS_BOP_SEND_LAST] = GLASS_RQ_SEND | GLASS_RQ_END,
	[GLASS_BOP_SEND_LAST_IMM] = GLASS_RQ_SEND | GLASS_RQ_END | GLASS_RQ_IMM,
	[GLASS_BOP_SEND_ONLY] = GLASS_RQ_SEND | GLASS_RQ_START | GLASS_RQ_END,
	[GLASS_BOP_SEND_ONLY_IMM] = GLASS_RQ_SEND | GLASS_RQ_START | GLASS_RQ_END | GLASS_RQ_IMM,
	[GLASS_BOP_WRITE_FIRST] = GLASS_RQ_WRITE | GLASS_RQ_START,
	[GLASS_BOP_WRITE_MIDDLE] = GLASS_RQ_WRITE,
	[GLASS_BOP_WRITE_LAST] = GLASS_RQ_WRITE | GLASS_RQ_END,
	[GLASS_BOP_WRITE_LAST_IMM] = GLASS_RQ_WRITE | GLASS_RQ_END | GLASS_RQ_IMM,
	[GLASS_BOP_WRITE_ONLY] = GLASS_RQ_WRITE | GLASS_RQ_START | GLASS_RQ_END,
	[GLASS_BOP_WRITE_ONLY_IMM] = GLASS_RQ_WRITE | GLASS_RQ_START | GLASS_RQ_END | GLASS_RQ_IMM,
	[GLASS_BOP_READ_REQ] = GLASS_RQ_READ | GLASS_RQ_START | GLASS_RQ_END,
	[GLASS_BOP_CMP_SWAP] = GLASS_RQ_ATOMIC | GLASS_RQ_START | GLASS_RQ_END,
	[GLASS_BOP_FETCH_ADD] = GLASS_RQ_ATOMIC | GLASS_RQ_START | GLASS_RQ_END,
	[GLASS_BOP_SEND_LAST_INV] = GLASS_RQ_SEND | GLASS_RQ_END | GLASS_RQ_INV,
	[GLASS_BOP_SEND_ONLY_INV] = GLASS_RQ_SEND | GLASS_RQ_START | GLASS_RQ_END | GLASS_RQ_INV,
	[GLASS_BOP_FLUSH] = GLASS_RQ_FLUSH | GLASS_RQ_START | GLASS_RQ_END,
	[GLASS_BOP_ATOMIC_WRITE] = GLASS_RQ_ATOMIC_WRITE | GLASS_RQ_START | GLASS_RQ_END,
};

void glass_set_state(struct glass_pqp *q, enum glass_qp_state to, enum glass_cause cause, u64 now)
{
	enum glass_qp_state from = q->state;

	WRITE_ONCE(q->state, to);
	q->attr.state = to;
	q->attr.cur_state = to;
	q->state_since = now;
	if (to != GLASS_QPS_ERR && to != GLASS_QPS_SQE)
		q->left = 0;
	if ((to == GLASS_QPS_ERR || to == GLASS_QPS_SQE) && cause != GLASS_CAUSE_VERB)
		q->stats.qp_errs++;
	glass_env_note_state(q, from, to, cause);
}

static void count_error(struct glass_pqp_stats *s, enum glass_cause cause)
{
	switch (cause) {
	case GLASS_CAUSE_LOC_LEN:
	case GLASS_CAUSE_LOC_QP_OP:
	case GLASS_CAUSE_LOC_PROT:
	case GLASS_CAUSE_MW_BIND:
	case GLASS_CAUSE_RESP_OP:
		s->loc_errs++;
		break;
	case GLASS_CAUSE_REM_INV_REQ:
	case GLASS_CAUSE_REM_ACCESS:
	case GLASS_CAUSE_REM_OP:
	case GLASS_CAUSE_BAD_RESP:
		s->rem_errs++;
		break;
	case GLASS_CAUSE_RETRY_EXC:
	case GLASS_CAUSE_RNR_EXC:
		s->retry_errs++;
		break;
	case GLASS_CAUSE_RESP_INV_REQ:
	case GLASS_CAUSE_RESP_ACCESS:
		s->resp_errs++;
		break;
	default: /* none of a work request's */
		break;
	}
}

/* A completion is about to be made of a work request that did not succeed. */
void glass_count_failed(struct glass_pqp *q, enum glass_wc_status status)
{
	if (status == GLASS_WC_WR_FLUSH_ERR)
		q->stats.flush_cqes++;
	else
		q->stats.err_cqes++;
}

void glass_note_error(struct glass_pqp *q, enum glass_cause cause, u8 status, u8 syndrome,
		      u8 opcode, u32 psn, u64 wr_id, u64 now)
{
	struct glass_error *e = &q->last_error;

	count_error(&q->stats, cause);
	e->cause = cause;
	e->status = status;
	e->syndrome = syndrome;
	e->opcode = opcode;
	e->psn = psn;
	e->wr_id = wr_id;
	e->when = now;
	if (q->first_error.cause == GLASS_CAUSE_NONE)
		q->first_error = *e;
}

void glass_proto_drop(struct glass_pqp *q, const struct glass_pkt *pkt, enum glass_drop reason)
{
	q->stats.drops += 1 + pkt->more;
	glass_env_note_drop(q, pkt, reason);
}

/* Why the packet is not from the peer that this QP is connected to (IBA 9.6.1.2); GLASS_DROP_NONE: it is. */
static inline enum glass_drop source_fault(const struct glass_pqp *q, const struct glass_pkt *pkt)
{
	const struct glass_av *av = &q->attr.av;
	bool grh = pkt->lnh == GLASS_LNH_GLOBAL;

	if (unlikely(pkt->slid != av->dlid))
		return GLASS_DROP_WRONG_SLID;
	if (unlikely(grh != !!av->has_grh) ||
	    (grh && unlikely(memcmp(pkt->grh.sgid, av->dgid, sizeof(av->dgid)))))
		return GLASS_DROP_BAD_GRH;
	return GLASS_DROP_NONE;
}

enum glass_drop glass_source_fault(const struct glass_pqp *q, const struct glass_pkt *pkt)
{
	return source_fault(q, pkt);
}

static inline bool source_ok(struct glass_pqp *q, const struct glass_pkt *pkt)
{
	enum glass_drop why = source_fault(q, pkt);

	if (likely(!why))
		return true;
	glass_proto_drop(q, pkt, why);
	return false;
}

/*
 * The fields of LRH, BTH and GRH that do not depend on what the packet carries.
 * opcode and len hold already.
 */
void glass_fill_headers(struct glass_pkt *pkt, const struct glass_av *av, u8 mig_state)
{
	u32 bytes;

	pkt->sl = av->sl;
	pkt->lnh = GLASS_LNH_LOCAL;
	pkt->lver = 0;
	pkt->dlid = av->dlid;
	pkt->mig = mig_state == GLASS_MIG_MIGRATED;
	pkt->pad = -pkt->len & 3;
	pkt->tver = 0;
	if (likely(!av->has_grh))
		return;
	bytes = GLASS_BTH_BYTES + ext_bytes[pkt->opcode & GLASS_BOP_MASK] + pkt->len + pkt->pad +
		GLASS_ICRC_BYTES;
	if ((pkt->opcode & GLASS_TR_MASK) == GLASS_TR_UD)
		bytes += GLASS_DETH_BYTES;
	else if ((pkt->opcode & GLASS_TR_MASK) == GLASS_TR_XRC &&
		 glass_rq_info[pkt->opcode & GLASS_BOP_MASK])
		bytes += GLASS_XRCETH_BYTES;
	pkt->lnh = GLASS_LNH_GLOBAL;
	pkt->grh.tclass = av->tclass;
	pkt->grh.hop_limit = av->hop_limit;
	pkt->grh.next_hdr = 0x1b;
	pkt->grh.flow_label = av->flow_label & 0xfffff;
	pkt->grh.pay_len = bytes;
	memcpy(pkt->grh.sgid, av->sgid, sizeof(pkt->grh.sgid));
	memcpy(pkt->grh.dgid, av->dgid, sizeof(pkt->grh.dgid));
}

/*
 * The alternate path becomes the path; there is no alternate one then (IBA 17.2.8.1.4).
 * False: none is armed.
 */
bool glass_migrate(struct glass_pqp *q)
{
	struct glass_qp_attr *a = &q->attr;

	if (a->mig_state != GLASS_MIG_ARMED || !a->alt.dlid)
		return false;
	a->av = a->alt;
	a->port = a->alt_port;
	a->pkey_index = a->alt_pkey_index;
	a->timeout = a->alt_timeout;
	a->alt.dlid = 0;
	a->mig_state = GLASS_MIG_MIGRATED;
	q->req.retry_left = a->retry_cnt;
	glass_env_event(q, GLASS_EV_PATH_MIG);
	return true;
}

/* Does the packet come over this path (IBA 9.6.1)? */
static bool on_path(const struct glass_pkt *pkt, const struct glass_av *av)
{
	bool grh = pkt->lnh == GLASS_LNH_GLOBAL;

	return pkt->slid == av->dlid && grh == !!av->has_grh &&
	       (!grh || !memcmp(pkt->grh.sgid, av->dgid, sizeof(av->dgid)));
}

bool glass_pqp_migrate_rx(struct glass_pqp *q, const struct glass_pkt *pkt, u8 port, bool pkey_ok)
{
	const struct glass_qp_attr *a = &q->attr;

	if (likely(a->mig_state != GLASS_MIG_ARMED) || !pkt->mig ||
	    q->state < GLASS_QPS_RTR || q->state == GLASS_QPS_ERR ||
	    (pkt->opcode & GLASS_TR_MASK) != glass_transport(q->type))
		return false;
	if (port != a->alt_port || !pkey_ok || !on_path(pkt, &a->alt)) {
		/* not on the path that was agreed on: refused, once for each arming */
		if (!q->mig_refused)
			glass_env_event(q, GLASS_EV_PATH_MIG_ERR);
		q->mig_refused = true;
		return false;
	}
	return glass_migrate(q);
}

void glass_update_deadline(struct glass_pqp *q)
{
	q->deadline = q->req.rnr_wait ? q->req.rnr_until : q->req.ack_deadline;
}

/* Completes the receive WQE in q->resp.rwqe. */
void glass_recv_complete(struct glass_pqp *q, const struct glass_pkt *pkt, u16 pkey_index,
			 u8 path_bits, enum glass_wc_status status, enum glass_wc_op op,
			 enum glass_cause cause, u32 byte_len)
{
	struct glass_cqe cqe = {
		.wr_id = q->resp.rwqe.wr_id,
		.status = status,
		.op = op,
		.cause = cause,
		.dlid_path_bits = path_bits,
		.pkey_index = pkey_index,
		.byte_len = byte_len,
		.flow = pkt ? pkt->flow : 0,
		.from_srq = q->has_srq,
		.xrc_srq = q->resp.rwqe_srq,
		.solicited = status != GLASS_WC_SUCCESS,
	};

	if (pkt) {
		u16 info = glass_rq_info[pkt->opcode & GLASS_BOP_MASK];

		cqe.sl = pkt->sl;
		cqe.slid = pkt->slid;
		/* the GRH lies in a datagram's buffer; of a connection it is the path's alone */
		cqe.has_grh = glass_is_datagram(q) && pkt->lnh == GLASS_LNH_GLOBAL;
		cqe.src_qp = glass_is_datagram(q) ? pkt->sqpn : q->attr.dest_qpn;
		if (status == GLASS_WC_SUCCESS) {
			cqe.has_imm = info & GLASS_RQ_IMM;
			cqe.imm = cqe.has_imm ? pkt->imm : 0;
			cqe.has_inv = info & GLASS_RQ_INV;
			cqe.inv_key = cqe.has_inv ? pkt->ieth : 0;
			cqe.solicited = pkt->se;
		}
	}
	q->resp.rwqe_valid = false;
	if (unlikely(status != GLASS_WC_SUCCESS))
		glass_count_failed(q, status);
	glass_env_complete(q, &cqe);
}

/* The receive WQE in progress and those that are posted, in order; how many, max at most. */
static u32 flush_recv(struct glass_pqp *q, u32 max)
{
	u32 n = 0;
	int ret;

	/* not even the event: it says that nothing more comes */
	if (!max)
		return 0;
	if (q->resp.rwqe_valid) {
		glass_recv_complete(q, NULL, 0, 0, GLASS_WC_WR_FLUSH_ERR, GLASS_WCOP_RECV, 0, 0);
		n++;
	}
	if (q->has_srq) {
		/* no SRQ is an XRC target's own */
		if (q->type != GLASS_QPT_XRC_TGT && !q->resp.last_wqe_reached) {
			q->resp.last_wqe_reached = true;
			glass_env_event(q, GLASS_EV_QP_LAST_WQE_REACHED);
		}
		return n;
	}
	for (; n < max; n++) {
		ret = glass_env_take_rwqe(q, &q->resp.rwqe);
		if (ret != 1 && ret != -EINVAL)
			break;
		glass_recv_complete(q, NULL, 0, 0, GLASS_WC_WR_FLUSH_ERR, GLASS_WCOP_RECV, 0, 0);
	}
	return n;
}

/*
 * Into ERR: all that is posted completes as flushed. keep_answers: the responder
 * found the error, and what it still owes the peer, up to and with the NAK, is
 * handed out in ERR. Otherwise READs are forgotten, and with them what may not
 * pass them; an ACK for what was done is still true and is sent.
 */
void glass_to_err(struct glass_pqp *q, enum glass_cause cause, bool keep_answers, u64 now)
{
	struct glass_req_state *r = &q->req;
	struct glass_resp_state *p = &q->resp;

	glass_set_state(q, GLASS_QPS_ERR, cause, now);
	r->rnr_wait = false;
	r->ack_deadline = 0;
	q->deadline = 0;
	glass_pqp_ack_now(q);
	if (!keep_answers && p->res_cur != p->res_head) {
		p->res_cur = p->res_head;
		p->res_todo = 0;
		p->ack_pending = false;
	}
	p->in_msg = false;
	/* whoever sends may have brought this about: a piece is flushed here, the rest in turns of its own */
	glass_pqp_flush(q, GLASS_FLUSH_PIECE);
}

void glass_pqp_fail(struct glass_pqp *q, enum glass_cause cause, enum glass_event ev, u64 now)
{
	if (q->state == GLASS_QPS_ERR)
		return;
	if (q->state != GLASS_QPS_RESET) {
		glass_note_error(q, cause, GLASS_WC_SUCCESS, 0, 0, 0, 0, now);
		glass_to_err(q, cause, false, now);
	}
	if (ev < GLASS_EV_COUNT)
		glass_env_event(q, ev);
}

u32 glass_pqp_flush(struct glass_pqp *q, u32 max)
{
	u32 n;

	q->left &= ~GLASS_LEFT_FLUSH;
	if (q->state != GLASS_QPS_ERR && q->state != GLASS_QPS_SQE)
		return 0;
	n = glass_req_flush(q, max);
	/* in one CQ the send that failed comes before what is flushed because of it */
	if (q->state == GLASS_QPS_ERR && likely(!q->req.fail_status))
		n += flush_recv(q, max - n);
	if (n == max)
		q->left |= GLASS_LEFT_FLUSH;
	return n;
}

void glass_pqp_returned(struct glass_pqp *q, u64 now)
{
	bool flush = q->lent & GLASS_LENT_FLUSH;

	q->lent = 0;
	(void)now;
	if (flush)
		glass_pqp_flush(q, GLASS_FLUSH_PIECE);
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
		glass_proto_drop(q, pkt, GLASS_DROP_QP_TYPE);
		return;
	}
	if (tr == GLASS_TR_UD) {
		glass_ud_rx(q, pkt, meta, now);
		return;
	}
	if (!source_ok(q, pkt))
		return;
	/* the peer has an alternate path, too, and migrates when asked (17.2.8.1.2) */
	if (unlikely(q->attr.mig_state == GLASS_MIG_REARM) && !pkt->mig) {
		q->attr.mig_state = GLASS_MIG_ARMED;
		q->mig_refused = false;
	}
	if (tr == GLASS_TR_UC) {
		glass_uc_rx(q, pkt, now);
		return;
	}
	response = bop >= GLASS_BOP_READ_RESP_FIRST && bop <= GLASS_BOP_ATOMIC_ACK;
	if (unlikely(q->type == (response ? GLASS_QPT_XRC_TGT : GLASS_QPT_XRC_INI))) {
		/* a half of XRC does its half */
		glass_proto_drop(q, pkt, GLASS_DROP_BAD_BTH);
		return;
	}
	if (response)
		glass_req_rx(q, pkt, now);
	else
		glass_resp_rx(q, pkt, now);
	glass_update_deadline(q);
}
