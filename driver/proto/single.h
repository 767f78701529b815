/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Single requests: new SENDs, WRITEs, READs and atomics of an RC QP whose data are one packet, and
 * that the QP can send now. Most requests are. glass_req_next() makes their packets by these functions, and so
 * does the engine's direct way (engine/direct.c), which has both ends of a connection at hand, and so can
 * leave out of the core's functions what it need not ask. At the end: the same for datagrams.
 */
#ifndef GLASS_PROTO_SINGLE_H
#define GLASS_PROTO_SINGLE_H

#include "proto/internal.h"

/* Which packet of a message: the index of glass_req_op.bop */
enum { GLASS_POS_MIDDLE, GLASS_POS_FIRST, GLASS_POS_LAST, GLASS_POS_ONLY };

/* A kind of work request, as the requester sees it; from GLASS_WR_TABLE (req.c) */
struct glass_req_op {
	u8 bop[4]; /* BTH operations, indexed by GLASS_POS_* */
	u8 wc_op;
	bool uc, ud;
	bool recv; /* consumes a receive WQE of the peer, and so a credit */
	bool known; /* the operation exists: GLASS_WR_TABLE has gaps */
};

extern const struct glass_req_op glass_req_ops[GLASS_OP_COUNT];

/* SENDs and WRITEs, which are equal but for RETH, credit, and immediate data or key */
#define GLASS_SINGLE_PUTS (GLASS_WRS_WITH(GLASS_WRF_RECV) | BIT(GLASS_OP_WRITE))
/* READs and atomics: their answer may be one packet, too */
#define GLASS_SINGLE_GETS (BIT(GLASS_OP_READ) | BIT(GLASS_OP_CMP_SWAP) | BIT(GLASS_OP_FETCH_ADD))

static __always_inline bool glass_single_gets(const struct glass_swqe *w)
{
	return GLASS_SINGLE_GETS >> w->op & 1;
}

static inline void glass_fill_atomic(struct glass_pkt *pkt, const struct glass_swqe *w)
{
	pkt->va = w->raddr;
	pkt->rkey = w->rkey;
	if (w->op == GLASS_OP_CMP_SWAP) {
		pkt->swap_add = w->swap;
		pkt->cmp = w->cmp_add;
	} else {
		pkt->swap_add = w->cmp_add;
		pkt->cmp = 0;
	}
}

/*
 * May the peer postpone the ACK of w, whose last packet is about to be sent? The peer may if no
 * completion and no later request of this QP has to wait for that ACK, and if the ACK comes before
 * the ACK timer expires, which is at least twice GLASS_ACK_LATER_NS. `single`, a constant: w is a single request.
 */
#define GLASS_ACK_WAITS_FROM 13 /* the least exponent of such a timeout (glass_ack_timeout_ns()) */
static __always_inline bool glass_ack_can_wait(const struct glass_pqp *q, const struct glass_swqe *w, bool single)
{
	const struct glass_req_state *r = &q->req;

	static_assert(4096 << GLASS_ACK_WAITS_FROM >= 2 * GLASS_ACK_LATER_NS &&
		      4096 << (GLASS_ACK_WAITS_FROM - 1) < 2 * GLASS_ACK_LATER_NS);
	return q->ack_later && !q->sig_all && !(w->flags & GLASS_SWQE_SIGNALED) &&
	       (single || (r->psn == r->max_psn && q->state == GLASS_QPS_RTS)) &&
	       glass_psn_dist(r->psn, r->una) < GLASS_REQ_WINDOW / 2 &&
	       r->head - r->tail <= q->sq_entries / 2 &&
	       (!r->credit_valid || glass_psn_cmp(r->ssn, r->credit_lsn) <= 0) &&
	       (!q->attr.timeout || q->attr.timeout >= GLASS_ACK_WAITS_FROM);
}

/* The part of glass_single_is() that only SENDs and WRITEs need, or only READs and atomics */
static __always_inline bool glass_single_is_free(const struct glass_pqp *q, const struct glass_swqe *w, u32 out)
{
	const struct glass_req_state *r = &q->req;

	if (GLASS_SINGLE_PUTS >> w->op & 1)
		return !r->credit_valid || !out || !glass_req_ops[w->op].recv ||
		       glass_psn_cmp(r->ssn, r->credit_lsn) <= 0;
	return glass_single_gets(w) && r->rd_atomic < q->attr.max_rd_atomic &&
	       !(w->flags & GLASS_SWQE_INLINE) && (w->op == GLASS_OP_READ || w->len >= 8);
}

/* glass_single_is() for a request of `max` bytes at most */
static __always_inline bool glass_request_is_new(const struct glass_pqp *q, const struct glass_swqe *w, u32 max)
{
	const struct glass_req_state *r = &q->req;
	u32 out = glass_psn_dist(r->psn, r->una);

	/* first what tells a train from a single request */
	return w->len <= max && q->type == GLASS_QPT_RC && q->state == GLASS_QPS_RTS && r->cur == r->begun &&
	       !r->cur_err && !r->rnr_wait && r->psn == r->max_psn && out < r->window &&
	       w->status == GLASS_WC_SUCCESS && w->op < GLASS_OP_COUNT &&
	       !(w->flags & GLASS_SWQE_FENCE) && glass_single_is_free(q, w, out);
}

/*
 * Is w, the WQE at cur, a single request, while the QP repeats nothing and waits for nothing? Then
 * rc_blocked() and wqe_error() of req.c would find nothing.
 */
static __always_inline bool glass_single_is(const struct glass_pqp *q, const struct glass_swqe *w)
{
	return glass_request_is_new(q, w, q->attr.mtu);
}

/*
 * If w, for which glass_single_is() is false, is longer than a packet, and may go as one train now: returns how many packets that
 * has. Otherwise 0.
 */
static __always_inline u32 glass_train_is(const struct glass_pqp *q, const struct glass_swqe *w)
{
	u32 pkts;

	if (!q->max_more || !glass_request_is_new(q, w, q->attr.mtu * (1 + q->max_more)) ||
	    !(GLASS_SINGLE_PUTS >> w->op & 1) || !glass_av_trains(&q->attr.av))
		return 0;
	pkts = glass_npkts(w->len, q->attr.mtu);
	return glass_psn_dist(q->req.psn, q->req.una) + pkts <= GLASS_REQ_WINDOW ? pkts : 0;
}

/* Starts a request of `pkts` packets (glass_single_is(): 1, or glass_train_is()), as req_begin_wqe() of req.c does. */
static __always_inline void glass_single_begin(struct glass_pqp *q, struct glass_swqe *w, u32 pkts)
{
	struct glass_req_state *r = &q->req;

	q->left &= ~GLASS_LEFT_LOCALS;
	w->psn = r->psn;
	w->npsn = pkts;
	w->tries = 0;
	r->begun++;
	r->ssn = glass_psn_add(r->ssn, 1);
	if (!glass_req_ops[w->op].recv)
		r->credit_lsn = glass_psn_add(r->credit_lsn, 1);
}

/*
 * Fills what the heads of all request packets of a connection have in common, and the padding. A head is struct glass_pkt up to
 * `psn`. mig_state is MIGRATED if the head shall be copied.
 */
static __always_inline void glass_single_head(const struct glass_pqp *q, struct glass_pkt *pkt)
{
	pkt->dqpn = q->attr.dest_qpn;
	glass_fill_headers(pkt, &q->attr.av, q->attr.mig_state);
}

/*
 * Makes the packet, or the train of `pkts` packets, of a request that has begun, and goes on to the next WQE. The caller has
 * set the payload: pkt->seg, nseg and len. It does the same as req_next_any() of req.c, which it leaves out
 * where that has nothing to do. `gets` is glass_single_gets(w). `headed`, a constant: the caller has copied the head
 * (glass_single_head()) of an earlier packet, and attr is the same. `now` is the time in ns.
 */
static __always_inline void glass_single_fill(struct glass_pqp *q, struct glass_swqe *w, struct glass_pkt *pkt,
					      bool gets, bool headed, u32 pkts, u64 now)
{
	struct glass_req_state *r = &q->req;
	bool recv = glass_req_ops[w->op].recv;

	w->tries = 1;
	pkt->opcode = GLASS_TR_RC | glass_req_ops[w->op].bop[GLASS_POS_ONLY];
	pkt->more = pkts - 1;
	pkt->psn = r->psn;
	pkt->flow = w->flow;
	pkt->wr_id = w->wr_id;
	pkt->se = recv && (w->flags & GLASS_SWQE_SOLICITED);
	pkt->ack_req = 1;
	if (gets && w->op != GLASS_OP_READ) {
		glass_fill_atomic(pkt, w);
	} else if (w->op <= GLASS_OP_WRITE_IMM || gets) {
		pkt->va = w->raddr;
		pkt->rkey = w->rkey;
		pkt->dma_len = w->len;
	}
	if (gets) {
		r->rd_atomic++;
		pkt->ack_later = 0;
	} else {
		pkt->imm = w->imm;
		pkt->ieth = w->rkey;
		pkt->ack_later = glass_ack_can_wait(q, w, true);
	}
	r->since_ackreq = 0;
	pkt->xrc_srq = w->xrc_srq;
	if (headed) {
		pkt->mig = 1;
		pkt->pad = -pkt->len & 3;
		pkt->tver = 0;
	} else {
		glass_single_head(q, pkt);
	}
	q->stats.tx_pkts += pkts;
	q->stats.tx_bytes += pkt->len;
	q->stats.tx_msgs++;
	r->psn = glass_psn_add(r->psn, pkts);
	r->max_psn = r->psn;
	r->cur++;
	r->cur_off = 0;
	if (!r->ack_deadline && q->attr.timeout)
		r->ack_deadline = now + glass_ack_timeout_ns(q->attr.timeout);
	q->deadline = r->ack_deadline;
}

/* Is this the next packet, or train of `pkts` packets, that the responder expects, while it waits for a new message? */
static __always_inline bool glass_single_is_next(const struct glass_pqp *q, u32 psn, u32 len, u32 pkts)
{
	const struct glass_resp_state *p = &q->resp;

	return p->epsn == psn && !p->in_msg && len <= q->attr.mtu * pkts && (pkts == 1 || len > q->attr.mtu * (pkts - 1)) &&
	       (q->state == GLASS_QPS_RTS || (q->state == GLASS_QPS_RTR && p->comm_est));
}

/*
 * Would glass_pqp_rx() of the responder accept a WRITE without immediate data, with this PSN and this many bytes, in one
 * packet or a train of `pkts` packets, and do no more than to place it and owe an ACK? The caller has checked that the
 * packet comes from the responder's peer.
 */
static __always_inline bool glass_single_write_fits(const struct glass_pqp *q, u32 psn, u32 len, u32 pkts)
{
	return glass_single_is_next(q, psn, len, pkts) && q->attr.access & GLASS_ACC_REMOTE_WRITE;
}

/* As above, for a SEND without Invalidate: it takes no more than the responder's next receive. */
static __always_inline bool glass_single_send_fits(const struct glass_pqp *q, u32 psn, u32 len, u32 pkts)
{
	return glass_single_is_next(q, psn, len, pkts) && !q->has_srq && !q->resp.rwqe_valid;
}

/* The completion of the receive that such a SEND took */
static __always_inline struct glass_cqe glass_single_send_cqe(const struct glass_pqp *q, const struct glass_pkt *pkt)
{
	struct glass_cqe cqe = glass_recv_cqe(q, pkt, q->attr.pkey_index, 0, GLASS_WC_SUCCESS, GLASS_WCOP_RECV, 0, pkt->len);

	/* glass_single_send_fits() has found this out: with constants, the compiler leaves out later tests */
	cqe.has_inv = false;
	cqe.from_srq = false;
	return cqe;
}

/*
 * glass_pqp_rx() for such a SEND, after the caller has taken the receive (resp.rwqe) and placed the data there, and up
 * to the completion.
 */
static __always_inline void glass_single_send_rx(struct glass_pqp *q, const struct glass_pkt *pkt, u32 pkts)
{
	struct glass_resp_state *p = &q->resp;

	q->stats.rx_pkts += pkts;
	q->stats.rx_bytes += pkt->len;
	p->rwqe_srq = p->xrc_srq;
	p->msg_len = pkt->len;
	glass_resp_accept(q, pkt, GLASS_RQ_START | GLASS_RQ_END | GLASS_RQ_SEND, pkts);
}

/* glass_pqp_rx() for such a WRITE, after the caller has placed its data. */
static __always_inline void glass_single_write_rx(struct glass_pqp *q, const struct glass_pkt *pkt, u32 pkts)
{
	struct glass_resp_state *p = &q->resp;

	q->stats.rx_pkts += pkts;
	q->stats.rx_bytes += pkt->len;
	p->va = pkt->va + pkt->len;
	p->rkey = pkt->rkey;
	p->left = 0;
	p->msg_len = pkt->len;
	glass_resp_accept(q, pkt, GLASS_RQ_START | GLASS_RQ_END | GLASS_RQ_WRITE, pkts);
}

/*
 * A READ or atomic w that is a single request, whose answer is one packet, and before which nothing is
 * outstanding: would the responder q accept it, and answer at once? As above. It must owe no answer.
 */
static __always_inline bool glass_single_get_fits(const struct glass_pqp *q, const struct glass_pqp *requester,
						  const struct glass_swqe *w)
{
	const struct glass_req_state *r = &requester->req;
	u32 len = w->op == GLASS_OP_READ ? w->len : 0;

	return r->tail == r->cur && !r->round && glass_single_is_next(q, r->psn, len, 1) && !q->resp.res_todo &&
	       q->attr.max_dest_rd_atomic &&
	       q->attr.access & (w->op == GLASS_OP_READ ? GLASS_ACC_REMOTE_READ : GLASS_ACC_REMOTE_ATOMIC);
}

/*
 * glass_pqp_rx() for such a READ or atomic, and glass_resp_next() for its answer. The caller has set the answer's
 * payload, or has carried out the atomic, whose result is `orig`.
 */
void glass_single_answer(struct glass_pqp *q, const struct glass_pkt *pkt, struct glass_pkt *answer, u64 orig);
/* glass_pqp_rx() of the requester for this answer, after the caller has placed its data. */
void glass_single_got(struct glass_pqp *q, const struct glass_pkt *answer, u64 now);

/* Is w, the WQE at cur of a UD QP, a new datagram without a GRH? Then wqe_error() of req.c would find nothing. */
static __always_inline bool glass_datagram_is(const struct glass_pqp *q, const struct glass_swqe *w)
{
	const struct glass_req_state *r = &q->req;

	return q->type == GLASS_QPT_UD && q->state == GLASS_QPS_RTS && r->cur == r->begun && !r->cur_err &&
	       !r->sent_pending && w->status == GLASS_WC_SUCCESS &&
	       (w->op == GLASS_OP_SEND || w->op == GLASS_OP_SEND_IMM) && w->len <= q->port_mtu && !w->av.has_grh;
}

/*
 * Makes the packet of such a datagram, after glass_single_begin(), and goes on to the next WQE, as req_next_any() of
 * req.c does. The caller has set the payload, and what glass_fill_headers() fills. glass_req_sent() completes the WQE.
 */
static __always_inline void glass_datagram_fill(struct glass_pqp *q, struct glass_swqe *w, struct glass_pkt *pkt)
{
	struct glass_req_state *r = &q->req;

	w->tries = 1;
	pkt->opcode = GLASS_TR_UD | glass_req_ops[w->op].bop[GLASS_POS_ONLY];
	pkt->more = 0;
	pkt->psn = r->psn;
	pkt->flow = w->flow;
	pkt->wr_id = w->wr_id;
	pkt->se = !!(w->flags & GLASS_SWQE_SOLICITED);
	pkt->ack_req = 0;
	pkt->ack_later = 0;
	pkt->imm = w->imm;
	pkt->ieth = w->rkey;
	r->since_ackreq++;
	pkt->dqpn = w->dqpn;
	pkt->sqpn = q->qpn;
	pkt->qkey = w->qkey & GLASS_QKEY_CTRL ? q->attr.qkey : w->qkey;
	pkt->mig = 1;
	pkt->pad = -pkt->len & 3;
	pkt->tver = 0;
	q->stats.tx_pkts++;
	q->stats.tx_bytes += pkt->len;
	q->stats.tx_msgs++;
	r->psn = glass_psn_add(r->psn, 1);
	r->max_psn = r->psn;
	r->una = r->psn;
	r->cur++;
	r->cur_off = 0;
	r->sent_pending = true;
	glass_update_deadline(q);
}

/* Would glass_pqp_rx() of q receive this datagram, whose receive WQE is the next one? */
static __always_inline bool glass_datagram_fits(const struct glass_pqp *q, const struct glass_pkt *pkt)
{
	return q->type == GLASS_QPT_UD && q->state >= GLASS_QPS_RTR && q->state != GLASS_QPS_ERR &&
	       pkt->qkey == q->attr.qkey && pkt->len <= q->attr.mtu && !q->has_srq && !q->resp.rwqe_valid;
}

/* glass_pqp_rx() for such a datagram, as glass_single_send_rx() for a SEND. */
static __always_inline void glass_datagram_rx(struct glass_pqp *q, const struct glass_pkt *pkt)
{
	q->stats.rx_pkts++;
	q->stats.rx_bytes += pkt->len;
	q->stats.rx_msgs++;
}

/* The completion of the receive that such a datagram took */
static __always_inline struct glass_cqe glass_datagram_cqe(const struct glass_pqp *q, const struct glass_pkt *pkt,
							   struct glass_rx_meta meta)
{
	struct glass_cqe cqe = glass_recv_cqe(q, pkt, meta.pkey_index, meta.dlid_path_bits, GLASS_WC_SUCCESS,
					      GLASS_WCOP_RECV, 0, GLASS_GRH_BYTES + pkt->len);

	/* as in glass_single_send_cqe() */
	cqe.has_inv = false;
	cqe.has_grh = false;
	cqe.from_srq = false;
	return cqe;
}

#endif
