// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The requester: from send WQEs to request packets (IBA 9.7.3, 9.8.2, 9.8.3).
 *
 * The ring of snapshots (struct glass_swqe) has four indices (struct glass_req_state): tail <= cur
 * <= begun <= head. WQEs in [tail, begun) have PSNs and are outstanding. `cur` walks through these
 * WQEs, and then goes on to the new ones, which begin at `begun`. The oldest PSN without an answer,
 * una, always lies in the WQE at tail. So a retry needs no search: it sets cur back to tail.
 */
#include "proto/single.h"

/* BTH operations of each work request, from the column `packets` of GLASS_WR_TABLE */
#define PACKETS_MANY(f, m, l, o) { GLASS_BOP_##m, GLASS_BOP_##f, GLASS_BOP_##l, GLASS_BOP_##o }
#define PACKETS_ONE(o) { [GLASS_POS_ONLY] = GLASS_BOP_##o }
#define PACKETS_NONE { 0 }
#define WR_OP(X, E, n, w, v, verb, wc, on, naks, packets, how)                                     \
	[v] = {                                                                                    \
		.bop = PACKETS_##packets,                                                          \
		.wc_op = GLASS_WCOP_##wc,                                                          \
		.uc = GLASS_ON_##on & GLASS_ON_UC,                                                 \
		.ud = GLASS_ON_##on & GLASS_ON_UD,                                                 \
		.recv = (how) & GLASS_WRF_RECV,                                                    \
		.known = true,                                                                     \
	},

const struct glass_req_op glass_req_ops[GLASS_OP_COUNT] = { GLASS_WR_TABLE(WR_OP, , ) };

static const u8 status_cause[GLASS_WC_COUNT] = {
	[GLASS_WC_LOC_LEN_ERR] = GLASS_CAUSE_LOC_LEN,
	[GLASS_WC_LOC_QP_OP_ERR] = GLASS_CAUSE_LOC_QP_OP,
	[GLASS_WC_LOC_PROT_ERR] = GLASS_CAUSE_LOC_PROT,
	[GLASS_WC_MW_BIND_ERR] = GLASS_CAUSE_MW_BIND,
	[GLASS_WC_BAD_RESP_ERR] = GLASS_CAUSE_BAD_RESP,
	[GLASS_WC_REM_INV_REQ_ERR] = GLASS_CAUSE_REM_INV_REQ,
	[GLASS_WC_REM_INV_RD_REQ_ERR] = GLASS_CAUSE_REM_INV_REQ,
	[GLASS_WC_REM_ACCESS_ERR] = GLASS_CAUSE_REM_ACCESS,
	[GLASS_WC_REM_OP_ERR] = GLASS_CAUSE_REM_OP,
	[GLASS_WC_RETRY_EXC_ERR] = GLASS_CAUSE_RETRY_EXC,
	[GLASS_WC_RNR_RETRY_EXC_ERR] = GLASS_CAUSE_RNR_EXC,
};

void glass_req_tell(struct glass_pqp *q, const struct glass_swqe *w, u32 index, enum glass_wc_status status,
		    enum glass_cause cause, u8 syndrome)
{
	struct glass_cqe cqe = {
		.wr_id = w->wr_id,
		.status = status,
		.op = w->op < GLASS_OP_COUNT ? glass_req_ops[w->op].wc_op : GLASS_WCOP_SEND,
		.cause = cause,
		.syndrome = syndrome,
		.byte_len = status == GLASS_WC_SUCCESS ? w->len : 0,
		.wqe_index = index,
		.flow = w->flow,
		.is_send = true,
	};

	glass_env_complete(q, &cqe);
}

void glass_req_locals_done(struct glass_pqp *q)
{
	struct glass_req_state *r = &q->req;

	while (r->locals && r->tail != r->begun && glass_op_is_local(glass_swqe_at(q, r->tail)->op))
		glass_complete_wqe(q, GLASS_WC_SUCCESS, GLASS_CAUSE_NONE, 0);
}

void glass_req_complete(struct glass_pqp *q, enum glass_wc_status status, enum glass_cause cause,
			u8 syndrome)
{
	glass_complete_wqe(q, status, cause, syndrome);
	if (unlikely(q->req.locals) && status == GLASS_WC_SUCCESS)
		glass_req_locals_done(q);
}

/*
 * Flushes at most max WQEs of the send queue. Returns how many it flushed. First completes the WQE
 * at tail with its postponed error, if it has one (fail_status). While a packet is lent
 * (GLASS_LENT_OUT, qp.h), only sets GLASS_LENT_FLUSH, so that glass_pqp_returned() flushes.
 */
u32 glass_req_flush(struct glass_pqp *q, u32 max)
{
	struct glass_req_state *r = &q->req;
	u32 n;

	if (unlikely(q->lent)) {
		q->lent |= GLASS_LENT_FLUSH;
		return 0;
	}
	r->sent_pending = false;
	if (unlikely(r->fail_status)) {
		glass_req_complete(q, r->fail_status, r->fail_cause, r->fail_syndrome);
		r->fail_status = GLASS_WC_SUCCESS;
		glass_env_note_told(q);
	}
	for (n = 0; n < max && r->tail != r->head; n++)
		glass_req_complete(q, GLASS_WC_WR_FLUSH_ERR, GLASS_CAUSE_NONE, 0);
	return n;
}

/*
 * Raises SQ_DRAINED in SQD when all started requests are complete: once, and only if modify_qp
 * asked for it.
 */
void glass_req_drained(struct glass_pqp *q)
{
	if (q->state != GLASS_QPS_SQD || q->sqd_drained_told || q->req.tail != q->req.begun)
		return;
	q->sqd_drained_told = true;
	if (q->attr.sqd_async)
		glass_env_event(q, GLASS_EV_SQ_DRAINED);
}

/*
 * Fails the WQE at tail, and flushes a few of the following ones. An RC or XRC QP goes to ERR, any
 * other QP goes to SQE (IBA 10.3.1.6). The QP raises no event, because the error has a completion
 * (11.6.3). While a packet is lent, that completion and the flush wait for the end of the loan.
 */
void glass_req_fail(struct glass_pqp *q, enum glass_wc_status status, u8 syndrome, u8 opcode,
		    u64 now)
{
	struct glass_req_state *r = &q->req;
	enum glass_cause cause = status_cause[status];

	if (cause == GLASS_CAUSE_NONE)
		cause = GLASS_CAUSE_LOC_QP_OP;
	glass_note_error(q, cause, status, syndrome, opcode, r->una,
			 glass_swqe_at(q, r->tail)->wr_id, now);
	if (unlikely(q->lent)) {
		r->fail_status = status;
		r->fail_cause = cause;
		r->fail_syndrome = syndrome;
	} else {
		glass_req_complete(q, status, cause, syndrome);
	}
	if (glass_type_is_rc(q->type)) {
		glass_to_err(q, cause, false, now);
		return;
	}
	glass_set_state(q, GLASS_QPS_SQE, GLASS_CAUSE_SQ_ERROR, now);
	glass_pqp_flush(q, GLASS_FLUSH_PIECE);
}

/* Call after una has moved. If a retry is about to send packets before una, it goes on at una. */
void glass_req_seek(struct glass_pqp *q)
{
	struct glass_req_state *r = &q->req;

	if (glass_psn_dist(r->max_psn, r->psn) <= glass_psn_dist(r->max_psn, r->una))
		return;
	r->psn = r->una;
	r->cur = r->tail;
	r->cur_err = GLASS_WC_SUCCESS;
	r->cur_off = r->tail != r->begun ?
		     glass_psn_dist(r->una, glass_swqe_at(q, r->tail)->psn) : 0;
}

/* Go-back-N: glass_req_next() will send all packets again, beginning with the one at una. */
void glass_req_go_back(struct glass_pqp *q)
{
	struct glass_req_state *r = &q->req;
	struct glass_swqe *w = glass_swqe_at(q, r->tail);

	r->old_answers = min_t(u32, r->old_answers + glass_psn_dist(r->psn, r->una), GLASS_PSN_MASK);
	r->psn = r->una;
	r->cur = r->tail;
	r->cur_off = glass_psn_dist(r->una, w->psn);
	r->cur_err = GLASS_WC_SUCCESS;
	r->rd_atomic = 0;
	r->ack_deadline = 0;
	r->since_ackreq = GLASS_ACKREQ_EVERY; /* the first packet asks for an ACK */
	if (r->cur_off)
		w->tries++;
	q->stats.retries++;
}

/*
 * Returns the status with which a WQE fails before it starts, or GLASS_WC_SUCCESS if it may start.
 */
static u8 wqe_error(const struct glass_pqp *q, const struct glass_swqe *w)
{
	if (unlikely(w->status != GLASS_WC_SUCCESS))
		return w->status < GLASS_WC_COUNT ? w->status : GLASS_WC_GENERAL_ERR;
	if (unlikely(w->op >= GLASS_OP_COUNT || !glass_req_ops[w->op].known))
		return GLASS_WC_LOC_QP_OP_ERR;
	if (glass_type_is_rc(q->type)) {
		if (unlikely(q->type == GLASS_QPT_XRC_TGT))
			return GLASS_WC_LOC_QP_OP_ERR;
		if (glass_op_is_rd_atomic(w->op)) {
			if (!q->attr.max_rd_atomic ||
			    ((w->flags & GLASS_SWQE_INLINE) && w->op != GLASS_OP_ATOMIC_WRITE))
				return GLASS_WC_LOC_QP_OP_ERR;
			if ((w->op == GLASS_OP_CMP_SWAP || w->op == GLASS_OP_FETCH_ADD) &&
			    w->len < 8)
				return GLASS_WC_LOC_LEN_ERR;
			if ((w->op == GLASS_OP_ATOMIC_WRITE && w->len != 8) ||
			    (w->op == GLASS_OP_FLUSH && (w->len || w->blen > 0xffffffffu)))
				return GLASS_WC_LOC_LEN_ERR;
		}
	} else if (q->type == GLASS_QPT_UC) {
		if (!glass_req_ops[w->op].uc)
			return GLASS_WC_LOC_QP_OP_ERR;
	} else {
		if (!glass_req_ops[w->op].ud)
			return GLASS_WC_LOC_QP_OP_ERR;
		if (w->len > q->port_mtu)
			return GLASS_WC_LOC_LEN_ERR;
	}
	if (unlikely(w->len > GLASS_MSG_MAX))
		return GLASS_WC_LOC_LEN_ERR;
	return GLASS_WC_SUCCESS;
}

static u32 wqe_npsn(const struct glass_pqp *q, const struct glass_swqe *w)
{
	if ((glass_op_is_rd_atomic(w->op) && w->op != GLASS_OP_READ) || glass_is_datagram(q))
		return 1;
	return glass_npkts(w->len, q->attr.mtu);
}

/*
 * For RC and XRC. Returns the reason why the WQE at cur waits. Returns GLASS_WAIT_NOTHING if the
 * WQE need not wait: its next packet can be sent, it can be carried out locally, or it can fail.
 */
static enum glass_wait rc_blocked(const struct glass_pqp *q, const struct glass_swqe *w)
{
	const struct glass_req_state *r = &q->req;
	u32 out = glass_psn_dist(r->psn, r->una);
	bool fresh = r->cur == r->begun;
	u32 npsn;

	if (unlikely(r->cur_err))
		return r->cur == r->tail ? GLASS_WAIT_NOTHING : GLASS_WAIT_ACK;
	if (fresh) {
		if (q->state != GLASS_QPS_RTS)
			return GLASS_WAIT_STATE;
		/* completions are in order: a bad WQE fails after all earlier ones are complete */
		if (unlikely(wqe_error(q, w)))
			return r->cur == r->tail ? GLASS_WAIT_NOTHING : GLASS_WAIT_ACK;
	}
	if (unlikely(glass_op_is_local(w->op))) {
		/*
		 * A local operation changes a key. If it has a fence, it waits until all earlier
		 * requests are complete, because they may need that key.
		 */
		if ((w->flags & GLASS_SWQE_FENCE) && r->cur != r->tail)
			return GLASS_WAIT_FENCE;
		return r->locals < GLASS_LOCAL_WINDOW ? GLASS_WAIT_NOTHING : GLASS_WAIT_WINDOW;
	}
	if (out >= r->window)
		return r->window == 1 ? GLASS_WAIT_ACK : GLASS_WAIT_WINDOW;
	if ((w->flags & GLASS_SWQE_FENCE) && r->rd_atomic)
		return GLASS_WAIT_FENCE;
	if (glass_op_is_rd_atomic(w->op)) {
		if (r->rd_atomic >= q->attr.max_rd_atomic && r->rd_atomic)
			return GLASS_WAIT_READS;
		npsn = fresh ? wqe_npsn(q, w) : w->npsn - r->cur_off;
		if (out + npsn > GLASS_PSN_HALF)
			return GLASS_WAIT_WINDOW;
	} else if (fresh && r->credit_valid && out && glass_req_ops[w->op].recv) {
		/*
		 * The requester may exceed the credits by one message, whose ACK then brings new
		 * credits. While nothing is outstanding, credits do not matter. If they did, a
		 * peer that grants no credits could stop the queue for ever (IBA 9.7.7.2).
		 */
		if (glass_psn_cmp(r->ssn, r->credit_lsn) > 0)
			return GLASS_WAIT_CREDITS;
	}
	return GLASS_WAIT_NOTHING;
}

bool glass_req_work(const struct glass_pqp *q, u64 now)
{
	const struct glass_req_state *r = &q->req;

	if (r->cur == r->head)
		return false;
	if (q->state != GLASS_QPS_RTS && q->state != GLASS_QPS_SQD)
		return false;
	if (glass_type_is_rc(q->type)) {
		if (r->rnr_wait && now < r->rnr_until)
			return false;
		return rc_blocked(q, glass_swqe_at(q, r->cur)) == GLASS_WAIT_NOTHING;
	}
	return q->state == GLASS_QPS_RTS || r->cur != r->begun;
}

enum glass_wait glass_req_waits(const struct glass_pqp *q, u64 now)
{
	const struct glass_req_state *r = &q->req;
	enum glass_wait why = GLASS_WAIT_NOTHING;

	if (r->tail == r->head)
		return GLASS_WAIT_NOTHING;
	if (q->state != GLASS_QPS_RTS && q->state != GLASS_QPS_SQD)
		return GLASS_WAIT_ENGINE; /* to flush the WQEs */
	if (q->pages & (GLASS_PAGES_SEND | GLASS_PAGES_ANSWER))
		return GLASS_WAIT_PAGE;
	if (!glass_type_is_rc(q->type))
		return glass_req_work(q, now) || r->sent_pending ? GLASS_WAIT_ENGINE :
								    GLASS_WAIT_STATE;
	if (r->rnr_wait && now < r->rnr_until)
		return GLASS_WAIT_RNR;
	if (r->cur != r->head) {
		why = rc_blocked(q, glass_swqe_at(q, r->cur));
		if (why == GLASS_WAIT_NOTHING)
			return GLASS_WAIT_ENGINE;
	}
	/*
	 * If the WQE at cur waits for a window, a fence, READs or credits, report that. Otherwise,
	 * while requests before cur are outstanding, the queue waits for the answer to the request
	 * at tail. It waits for a modify_qp (GLASS_WAIT_STATE) only when no request is outstanding.
	 */
	if (r->tail == r->cur || (why != GLASS_WAIT_NOTHING && why != GLASS_WAIT_STATE &&
				  why != GLASS_WAIT_ACK))
		return why;
	return glass_op_is_rd_atomic(glass_swqe_at(q, r->tail)->op) ? GLASS_WAIT_RESPONSE :
								      GLASS_WAIT_ACK;
}

/*
 * Starts a WQE: gives it its PSNs, and counts its message in ssn. A message that takes no credit
 * raises credit_lsn, too.
 */
static void req_begin_wqe(struct glass_pqp *q, struct glass_swqe *w)
{
	struct glass_req_state *r = &q->req;

	w->psn = r->psn;
	w->npsn = wqe_npsn(q, w);
	w->tries = 0;
	r->begun++;
	r->ssn = glass_psn_add(r->ssn, 1);
	if (!glass_req_ops[w->op].recv)
		r->credit_lsn = glass_psn_add(r->credit_lsn, 1);
}

/*
 * Carries out the local operation (LOCAL_INV, BIND_MW, REG_MR) at cur, which was not started
 * before. The operation takes no PSN. It completes when all earlier requests are complete, and with
 * an error if it cannot be carried out. Returns false if the memory of the operation's key is still
 * in use. In that case the requester must try the operation again later.
 */
static bool do_local(struct glass_pqp *q, struct glass_swqe *w, u64 now)
{
	struct glass_req_state *r = &q->req;
	enum glass_mem mem = glass_env_local_op(q, w);

	if (unlikely(mem == GLASS_MEM_LATER))
		return false;
	r->locals_ran++;
	w->tries = 1;
	w->psn = r->psn;
	w->npsn = 0;
	glass_env_note_start(q, w);
	if (unlikely(mem != GLASS_MEM_OK)) {
		/*
		 * IBA 11.6.2 calls this status "memory management operation error". Verbs keep the
		 * older name, "memory bind error".
		 */
		w->status = GLASS_WC_MW_BIND_ERR;
		if (r->cur == r->tail)
			glass_req_fail(q, GLASS_WC_MW_BIND_ERR, 0, 0, now);
		return true;
	}
	r->begun++;
	r->locals++;
	r->cur++;
	if (r->cur - 1 != r->tail)
		return true;
	glass_req_complete(q, GLASS_WC_SUCCESS, GLASS_CAUSE_NONE, 0);
	glass_req_drained(q);
	return true;
}

/* Makes bytes [off, off + len) of the WQE's data the payload of *pkt. */
static enum glass_mem fill_payload(struct glass_pqp *q, struct glass_swqe *w, struct glass_pkt *pkt,
				   u32 off, u32 len)
{
	enum glass_mem mem;

	if (w->flags & GLASS_SWQE_INLINE) {
		pkt->seg[0].addr = w->data + off;
		pkt->seg[0].len = len;
		pkt->nseg = 1;
	} else {
		mem = glass_env_gather(q, w->sge, w->num_sge, off, len, pkt);
		if (unlikely(mem != GLASS_MEM_OK)) {
			pkt->nseg = 0;
			pkt->len = 0;
			return mem;
		}
	}
	pkt->len = len;
	return GLASS_MEM_OK;
}

/*
 * Called when the payload of the next packet cannot be read. If a page is absent, the requester
 * sends the packet later. Otherwise the WQE at cur fails after all earlier ones are complete.
 */
static noinline void no_payload(struct glass_pqp *q, enum glass_mem mem, u64 now)
{
	struct glass_req_state *r = &q->req;

	if (mem == GLASS_MEM_LATER) {
		q->pages |= GLASS_PAGES_SEND;
	} else {
		r->cur_err = GLASS_WC_LOC_PROT_ERR;
		if (r->cur == r->tail)
			glass_req_fail(q, GLASS_WC_LOC_PROT_ERR, 0, 0, now);
	}
	glass_update_deadline(q);
}

void glass_req_sent(struct glass_pqp *q)
{
	if (likely(!q->req.sent_pending))
		return;
	q->req.sent_pending = false;
	glass_req_succeed(q);
	glass_req_drained(q);
}

/*
 * Returns how many more packets of w may go with the packet at cur_off, as a train (one struct
 * glass_pkt for several packets). A retry sends single packets, because the peer may have received
 * some of the packets already. Packets with a GRH are sent singly, too, but for those of an Ethernet port.
 */
static u32 train_more(const struct glass_pqp *q, const struct glass_swqe *w)
{
	const struct glass_req_state *r = &q->req;
	u32 left = w->npsn - r->cur_off - 1;
	u32 room = GLASS_REQ_WINDOW - glass_psn_dist(r->psn, r->una) - 1;

	if (r->psn != r->max_psn || !glass_av_trains(&q->attr.av))
		return 0;
	if (left > q->max_more)
		left = q->max_more;
	return min(left, room);
}

static noinline bool req_next_any(struct glass_pqp *q, struct glass_pkt *pkt,
				  const struct glass_av **av, u16 *pkey_index, u64 now)
{
	struct glass_req_state *r = &q->req;
	bool rc = glass_type_is_rc(q->type);
	bool ud = glass_is_datagram(q);
	bool read, last;
	struct glass_swqe *w;
	u32 off, len, k, pos, more = 0;
	enum glass_mem mem;
	u8 err = 0;

	glass_req_sent(q);
	q->left &= ~GLASS_LEFT_LOCALS;
	if (!glass_req_work(q, now))
		return false;
	r->rnr_wait = false;
	w = glass_swqe_at(q, r->cur);
	while (unlikely(glass_op_is_local(w->op)) && !wqe_error(q, w)) {
		if (r->locals_ran >= GLASS_LOCAL_SLICE || !do_local(q, w, now)) {
			r->locals_ran = 0;
			q->left |= GLASS_LEFT_LOCALS;
			return false;
		}
		if (!glass_req_work(q, now))
			return false;
		w = glass_swqe_at(q, r->cur);
	}
	if (r->cur == r->begun) {
		err = wqe_error(q, w);
		if (!err)
			req_begin_wqe(q, w);
	} else if (unlikely(r->cur_err)) {
		err = r->cur_err;
	}
	if (unlikely(err)) {
		glass_req_fail(q, err, 0, 0, now);
		glass_update_deadline(q);
		return false;
	}

	pkt->nseg = 0;
	pkt->len = 0;
	read = glass_op_is_rd_atomic(w->op);
	k = r->cur_off;
	if (read) {
		pos = GLASS_POS_ONLY;
		last = true;
		if (w->op == GLASS_OP_ATOMIC_WRITE) {
			mem = fill_payload(q, w, pkt, 0, w->len);
			if (mem != GLASS_MEM_OK)
				goto no_payload;
		}
	} else {
		off = k * q->attr.mtu;
		if (rc && q->max_more)
			more = train_more(q, w);
again:
		last = k + 1 + more == w->npsn;
		pos = (k ? 0 : GLASS_POS_FIRST) | (last ? GLASS_POS_LAST : 0);
		len = last ? w->len - off : q->attr.mtu * (1 + more);
		if (len) {
			mem = fill_payload(q, w, pkt, off, len);
			if (unlikely(mem != GLASS_MEM_OK)) {
				if (!more)
					goto no_payload;
				/*
				 * The train may need too many segments. A single packet needs
				 * fewer, or shows the true error.
				 */
				more = 0;
				goto again;
			}
		}
	}
	pkt->opcode = glass_req_ops[w->op].bop[pos];
	pkt->more = more;
	pkt->psn = r->psn;
	pkt->flow = w->flow;
	pkt->wr_id = w->wr_id;
	pkt->se = 0;
	pkt->ack_req = 0;
	pkt->ack_later = 0;
	if (!k)
		w->tries++;

	if (read) {
		if (w->op == GLASS_OP_READ) {
			/* k response packets have arrived: a READ sent again asks for the rest */
			pkt->va = w->raddr + (u64)k * q->attr.mtu;
			pkt->rkey = w->rkey;
			pkt->dma_len = w->len - k * q->attr.mtu;
		} else if (w->op == GLASS_OP_FLUSH || w->op == GLASS_OP_ATOMIC_WRITE) {
			pkt->va = w->raddr;
			pkt->rkey = w->rkey;
			pkt->dma_len = w->op == GLASS_OP_FLUSH ? w->blen : w->len;
			pkt->feth = w->access & (GLASS_FETH_TYPES | GLASS_FETH_LEVEL);
		} else {
			glass_fill_atomic(pkt, w);
		}
		r->rd_atomic++;
		pkt->ack_req = 1;
	} else {
		if ((pos & GLASS_POS_FIRST) && !ud && w->op <= GLASS_OP_WRITE_IMM) {
			pkt->va = w->raddr;
			pkt->rkey = w->rkey;
			pkt->dma_len = w->len;
		}
		if (last) {
			pkt->imm = w->imm;
			pkt->ieth = w->rkey;
			pkt->se = glass_req_ops[w->op].recv && (w->flags & GLASS_SWQE_SOLICITED);
		}
		r->since_ackreq += 1 + more;
		if (rc && (last || r->since_ackreq >= GLASS_ACKREQ_EVERY)) {
			pkt->ack_req = 1;
			pkt->ack_later = last && glass_ack_can_wait(q, w, false);
		}
	}
	if (pkt->ack_req)
		r->since_ackreq = 0;

	if (ud) {
		*av = &w->av;
		*pkey_index = q->type == GLASS_QPT_UD ? q->attr.pkey_index : w->pkey_index;
		pkt->opcode |= GLASS_TR_UD;
		pkt->dqpn = w->dqpn;
		pkt->sqpn = q->qpn;
		pkt->qkey = w->qkey;
		if (w->qkey & GLASS_QKEY_CTRL)
			pkt->qkey = q->attr.qkey;
	} else {
		*av = &q->attr.av;
		*pkey_index = q->attr.pkey_index;
		pkt->opcode |= glass_transport(q->type);
		pkt->xrc_srq = w->xrc_srq;
		pkt->dqpn = q->attr.dest_qpn;
	}
	glass_fill_headers(pkt, *av, ud ? GLASS_MIG_MIGRATED : q->attr.mig_state);

	q->stats.tx_pkts += 1 + more;
	q->stats.tx_bytes += pkt->len;
	if (last)
		q->stats.tx_msgs++;

	r->psn = glass_psn_add(r->psn, read ? w->npsn - k : 1 + more);
	if (!rc) {
		r->max_psn = r->psn;
		r->una = r->psn;
	} else if (glass_psn_dist(r->psn, r->una) > glass_psn_dist(r->max_psn, r->una)) {
		r->max_psn = r->psn;
	}
	if (!last) {
		r->cur_off += 1 + more;
	} else {
		r->cur++;
		r->cur_off = 0;
		r->sent_pending = !rc;
		/* a retransmission skips local operations, which were carried out before */
		while (unlikely(r->locals) && r->cur != r->begun &&
		       glass_op_is_local(glass_swqe_at(q, r->cur)->op))
			r->cur++;
	}
	if (rc && !r->ack_deadline && q->attr.timeout)
		r->ack_deadline = now + glass_ack_timeout_ns(q->attr.timeout);
	glass_update_deadline(q);
	return true;

no_payload:
	no_payload(q, mem, now);
	return false;
}

/* The part of glass_req_next() for a request that goes as `pkts` packets at once: a single one, or a train (single.h) */
static __always_inline bool req_next_single(struct glass_pqp *q, struct glass_swqe *w,
					    struct glass_pkt *pkt, const struct glass_av **av,
					    u16 *pkey_index, u32 pkts, u64 now)
{
	glass_single_begin(q, w, pkts);
	pkt->nseg = 0;
	pkt->len = 0;
	if (w->len && !glass_single_gets(w)) {
		enum glass_mem mem = fill_payload(q, w, pkt, 0, w->len);

		if (unlikely(mem != GLASS_MEM_OK)) {
			/* a train may need too many segments: this then sends less at once */
			if (pkts > 1)
				return req_next_any(q, pkt, av, pkey_index, now);
			no_payload(q, mem, now);
			return false;
		}
	}
	glass_single_fill(q, w, pkt, glass_single_gets(w), false, pkts, now);
	*av = &q->attr.av;
	*pkey_index = q->attr.pkey_index;
	return true;
}

/* Out of line: glass_req_next() then saves fewer registers. */
static noinline bool req_next_train(struct glass_pqp *q, struct glass_pkt *pkt,
				    const struct glass_av **av, u16 *pkey_index, u64 now)
{
	struct glass_swqe *w = glass_swqe_at(q, q->req.cur);
	u32 pkts = glass_train_is(q, w);

	if (!pkts)
		return req_next_any(q, pkt, av, pkey_index, now);
	return req_next_single(q, w, pkt, av, pkey_index, pkts, now);
}

bool glass_req_next(struct glass_pqp *q, struct glass_pkt *pkt, const struct glass_av **av,
		    u16 *pkey_index, u64 now)
{
	struct glass_req_state *r = &q->req;
	struct glass_swqe *w;

	if (likely(r->cur != r->head)) {
		w = glass_swqe_at(q, r->cur);
		if (likely(glass_single_is(q, w)))
			return req_next_single(q, w, pkt, av, pkey_index, 1, now);
		if (w->len > q->attr.mtu)
			return req_next_train(q, pkt, av, pkey_index, now);
	}
	return req_next_any(q, pkt, av, pkey_index, now);
}
