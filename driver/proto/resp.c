// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The responder of RC and XRC: incoming request packets (IBA 9.7.4, 9.7.5.1, 9.9.3).
 *
 * Owed answers form one list: first the answers to READs, atomics, FLUSHes and ATOMIC WRITEs, then
 * at most one ACK, NAK or RNR NAK. Answers leave in the order of the list. This order is enough: an
 * answer also acknowledges all requests before the one that it answers. The engine takes the
 * answers from the list with glass_resp_next() (resp_tx.c).
 */
#include "proto/internal.h"
#include "wire/serial.h"

/*
 * Makes the responder owe a NAK or RNR NAK with the expected PSN. `pkt` is the packet that the
 * responder does not accept.
 */
static void owe_nak(struct glass_pqp *q, const struct glass_pkt *pkt, u8 syndrome)
{
	struct glass_resp_state *p = &q->resp;

	WRITE_ONCE(p->ack_later, false);
	p->ack_pending = true;
	p->ack_syndrome = syndrome;
	p->ack_psn = p->epsn;
	p->nak_flow = pkt->flow;
	p->nak_wr_id = pkt->wr_id;
	p->nak_sent = true;
	p->nak_psn = pkt->psn;
}

/*
 * Fails the responder: drops the packet for the reason `why`, owes a NAK, and moves the QP to ERR.
 * If a receive WQE was taken for the message, this WQE completes with the error `status`, or is
 * only flushed if `status` is GLASS_WC_SUCCESS. Raises the event `ev`, or no event if `ev` is
 * GLASS_EV_COUNT.
 */
static void resp_fail(struct glass_pqp *q, const struct glass_pkt *pkt, enum glass_drop why,
		      enum glass_nak nak, enum glass_cause cause, enum glass_wc_status status,
		      enum glass_event ev, u64 now)
{
	struct glass_resp_state *p = &q->resp;
	u64 wr_id = p->rwqe_valid ? p->rwqe.wr_id : 0;

	glass_proto_drop(q, pkt, why);
	owe_nak(q, pkt, GLASS_AETH_NAK | nak);
	glass_note_error(q, cause, status, GLASS_AETH_NAK | nak, pkt->opcode, pkt->psn, wr_id,
			 now);
	if (p->rwqe_valid && status != GLASS_WC_SUCCESS)
		glass_recv_complete(q, pkt, q->attr.pkey_index, 0, status, GLASS_WCOP_RECV, cause,
				    0);
	glass_to_err(q, cause, true, now);
	if (ev < GLASS_EV_COUNT)
		glass_env_event(q, ev);
}

/*
 * Fails the responder because the request is invalid. The QP raises QP_REQ_ERR. A receive WQE that
 * was taken for the message is only flushed.
 */
static void inv_req(struct glass_pqp *q, const struct glass_pkt *pkt, enum glass_drop why,
		    u64 now)
{
	resp_fail(q, pkt, why, GLASS_NAK_INV_REQ, GLASS_CAUSE_RESP_INV_REQ, GLASS_WC_SUCCESS,
		  GLASS_EV_QP_REQ_ERR, now);
}

/*
 * Asks the peer by an RNR NAK to retry after 0.64 ms (IBA 9.7.5.2.8). Called if a page that the
 * request needs is absent, or if the request invalidates a key whose memory is still in use. The
 * RNR NAK does not carry the QP's min_rnr_timer, which is the time that a program needs to post a
 * receive.
 */
static void come_again(struct glass_pqp *q, const struct glass_pkt *pkt)
{
	owe_nak(q, pkt, GLASS_AETH_RNR | GLASS_RNR_PAGE);
	glass_env_note_rnr(q, GLASS_DIR_TX, q->resp.epsn, glass_rnr_timer_ns(GLASS_RNR_PAGE), 0);
	glass_proto_drop(q, pkt, GLASS_DROP_PAGE_WAIT);
}

static void page_wait(struct glass_pqp *q, const struct glass_pkt *pkt)
{
	come_again(q, pkt);
	q->pages |= GLASS_PAGES_PEER;
}

/* Ensures that the message has a receive WQE for immediate data. Returns false if there is none. */
static bool take_for_imm(struct glass_pqp *q)
{
	struct glass_resp_state *p = &q->resp;
	int ret;

	if (!p->rwqe_valid) {
		p->rwqe_srq = p->xrc_srq;
		ret = glass_env_take_rwqe(q, &p->rwqe);
		/* a malformed WQE was consumed, too, and its wr_id is valid */
		p->rwqe_valid = ret == 1 || ret == -EINVAL;
	}
	return p->rwqe_valid;
}

/*
 * Called when a request cannot access the memory that it names. If only a page is absent, the peer
 * gets an RNR NAK. Otherwise the peer gets a NAK, the QP goes to ERR, and the error is reported in
 * one of two ways:
 * - The receive WQE completes with a local access error (IBA 11.6.2). This needs three things: the
 *   packet has immediate data, there is a receive WQE, and glass_env_imm_event() returns false.
 * - In all other cases, the QP raises QP_ACCESS_ERR (9.9.3 class C).
 */
static noinline void no_access(struct glass_pqp *q, const struct glass_pkt *pkt, enum glass_mem mem, u64 now)
{
	if (mem == GLASS_MEM_LATER) {
		page_wait(q, pkt);
		return;
	}
	/* if pkt is a train, the NAK is for its first packet, which has no immediate data */
	if ((glass_rq_info[pkt->opcode & GLASS_BOP_MASK] & GLASS_RQ_IMM) && !pkt->more &&
	    !glass_env_imm_event(q) && take_for_imm(q)) {
		resp_fail(q, pkt, GLASS_DROP_ACCESS, GLASS_NAK_REM_ACCESS, GLASS_CAUSE_RESP_ACCESS,
			  GLASS_WC_LOC_ACCESS_ERR, GLASS_EV_COUNT, now);
		return;
	}
	resp_fail(q, pkt, GLASS_DROP_ACCESS, GLASS_NAK_REM_ACCESS, GLASS_CAUSE_RESP_ACCESS,
		  GLASS_WC_SUCCESS, GLASS_EV_QP_ACCESS_ERR, now);
}

/*
 * Ensures that the message has a receive WQE. If there is no usable one, drops the packet, and
 * returns false. If no WQE is posted, the responder then owes an RNR NAK. If the WQE, its ring or
 * the SRQ is bad, the responder owes a NAK, and the QP is in ERR.
 */
static bool resp_need_rwqe(struct glass_pqp *q, const struct glass_pkt *pkt, u64 now)
{
	struct glass_resp_state *p = &q->resp;
	int ret;

	if (p->rwqe_valid)
		return true;
	p->rwqe_srq = p->xrc_srq;
	ret = glass_env_take_rwqe(q, &p->rwqe);
	if (likely(ret == 1)) {
		p->rwqe_valid = true;
		return true;
	}
	if (!ret) {
		owe_nak(q, pkt, GLASS_AETH_RNR | q->attr.min_rnr_timer);
		glass_env_note_rnr(q, GLASS_DIR_TX, p->epsn,
				   glass_rnr_timer_ns(q->attr.min_rnr_timer), 0);
		glass_proto_drop(q, pkt, GLASS_DROP_RNR_WAIT);
		return false;
	}
	p->rwqe_valid = ret == -EINVAL;
	resp_fail(q, pkt, GLASS_DROP_BAD_RECV, GLASS_NAK_REM_OP,
		  ret == -EINVAL ? GLASS_CAUSE_RESP_OP :
		  q->has_srq ? GLASS_CAUSE_SRQ_ERROR : GLASS_CAUSE_BAD_RING,
		  GLASS_WC_LOC_QP_OP_ERR, ret == -EINVAL ? GLASS_EV_COUNT : GLASS_EV_QP_FATAL,
		  now);
	return false;
}

/*
 * Called when a SEND with Invalidate names a key that cannot be invalidated. The message itself was
 * received: the responder acknowledges it, and sends no NAK. The receive WQE completes with the
 * error, and the QP goes to ERR (IBA 9.9.3 class J).
 */
static void invalidate_failed(struct glass_pqp *q, const struct glass_pkt *pkt, u16 info, u64 now)
{
	struct glass_resp_state *p = &q->resp;

	glass_resp_accept(q, pkt, info, 1 + pkt->more);
	/* owe the ACK even if the packet asks for none: in ERR the QP accepts no later packet */
	glass_owe_ack(p);
	glass_note_error(q, GLASS_CAUSE_RESP_ACCESS, GLASS_WC_REM_INV_REQ_ERR, 0, pkt->opcode,
			 pkt->psn, p->rwqe.wr_id, now);
	glass_recv_complete(q, pkt, q->attr.pkey_index, 0, GLASS_WC_REM_INV_REQ_ERR,
			    GLASS_WCOP_RECV, GLASS_CAUSE_RESP_ACCESS, 0);
	glass_to_err(q, GLASS_CAUSE_RESP_ACCESS, true, now);
}

static void resp_rx_send(struct glass_pqp *q, const struct glass_pkt *pkt, u16 info, u64 now)
{
	struct glass_resp_state *p = &q->resp;
	enum glass_mem mem;

	if (info & GLASS_RQ_START) {
		if (!resp_need_rwqe(q, pkt, now))
			return;
		p->msg_len = 0;
	}
	if (unlikely((u64)p->msg_len + pkt->len > min_t(u64, p->rwqe.len, GLASS_MSG_MAX))) {
		resp_fail(q, pkt, GLASS_DROP_MSG_TOO_LONG, GLASS_NAK_INV_REQ, GLASS_CAUSE_LOC_LEN,
			  GLASS_WC_LOC_LEN_ERR, GLASS_EV_COUNT, now);
		return;
	}
	if (pkt->len) {
		mem = glass_env_scatter_recv(q, &p->rwqe, p->msg_len, pkt);
		if (unlikely(mem != GLASS_MEM_OK)) {
			if (mem == GLASS_MEM_LATER) {
				page_wait(q, pkt);
				return;
			}
			resp_fail(q, pkt, GLASS_DROP_LOCAL_PROT, GLASS_NAK_REM_OP,
				  GLASS_CAUSE_LOC_PROT, GLASS_WC_LOC_PROT_ERR, GLASS_EV_COUNT,
				  now);
			return;
		}
		p->msg_len += pkt->len;
	}
	if (unlikely(info & GLASS_RQ_INV)) {
		mem = glass_env_invalidate(q, pkt->ieth);
		if (unlikely(mem == GLASS_MEM_LATER)) {
			p->msg_len -= pkt->len;
			come_again(q, pkt);
			return;
		}
		if (unlikely(mem != GLASS_MEM_OK)) {
			invalidate_failed(q, pkt, info, now);
			return;
		}
	}
	glass_resp_accept(q, pkt, info, 1 + pkt->more);
	if (info & GLASS_RQ_END)
		glass_recv_complete(q, pkt, q->attr.pkey_index, 0, GLASS_WC_SUCCESS,
				    GLASS_WCOP_RECV, 0, p->msg_len);
}

static void resp_rx_write(struct glass_pqp *q, const struct glass_pkt *pkt, u16 info, u64 now)
{
	struct glass_resp_state *p = &q->resp;

	if (info & GLASS_RQ_START) {
		if (unlikely(!(q->attr.access & GLASS_ACC_REMOTE_WRITE))) {
			inv_req(q, pkt, GLASS_DROP_ACCESS, now);
			return;
		}
		if (unlikely(pkt->dma_len > GLASS_MSG_MAX)) {
			inv_req(q, pkt, GLASS_DROP_MSG_TOO_LONG, now);
			return;
		}
		if (unlikely(info & GLASS_RQ_END ? pkt->dma_len != pkt->len :
						   pkt->dma_len <= pkt->len)) {
			inv_req(q, pkt, GLASS_DROP_BAD_LEN, now);
			return;
		}
		if (!glass_rq_checked_by_write(info) && pkt->dma_len &&
		    unlikely(glass_env_remote_check(q, pkt->rkey, pkt->va, pkt->dma_len,
						    GLASS_ACC_REMOTE_WRITE) != GLASS_MEM_OK)) {
			no_access(q, pkt, GLASS_MEM_ACCESS, now);
			return;
		}
		p->va = pkt->va;
		p->rkey = pkt->rkey;
		p->left = pkt->dma_len;
		p->msg_len = 0;
	} else if (unlikely(info & GLASS_RQ_END ? p->left != pkt->len : p->left <= pkt->len)) {
		inv_req(q, pkt, GLASS_DROP_BAD_LEN, now);
		return;
	}
	if ((info & GLASS_RQ_IMM) && !resp_need_rwqe(q, pkt, now))
		return;
	if (pkt->len) {
		enum glass_mem mem = glass_env_remote_write(q, p->rkey, p->va, pkt);

		if (unlikely(mem != GLASS_MEM_OK)) {
			no_access(q, pkt, mem, now);
			return;
		}
	}
	p->va += pkt->len;
	p->left -= pkt->len;
	p->msg_len += pkt->len;
	glass_resp_accept(q, pkt, info, 1 + pkt->more);
	if (info & GLASS_RQ_IMM)
		glass_recv_complete(q, pkt, q->attr.pkey_index, 0, GLASS_WC_SUCCESS,
				    GLASS_WCOP_RECV_WRITE_IMM, 0, p->msg_len);
}

/*
 * Gets a slot for one more answer. If max_dest_rd_atomic answers are kept already, drops the oldest
 * one. The peer has received that answer, because the peer may have at most max_dest_rd_atomic
 * READs, atomics, FLUSHes and ATOMIC WRITEs outstanding.
 */
struct glass_rd_res *glass_new_res(struct glass_pqp *q)
{
	struct glass_resp_state *p = &q->resp;

	if (p->res_head - p->res_tail >= q->attr.max_dest_rd_atomic) {
		if (p->res_cur == p->res_tail)
			p->res_cur++;
		p->res_tail++;
	}
	return glass_res_at(q, p->res_head);
}

/*
 * Accepts the request in pkt, and appends its answer *e to the list. The caller has set the fields
 * of *e that depend on the kind of request. `npsn` is the number of packets of the answer.
 */
void glass_push_res(struct glass_pqp *q, struct glass_rd_res *e, const struct glass_pkt *pkt,
		    u16 info, u32 npsn)
{
	struct glass_resp_state *p = &q->resp;

	e->kind = pkt->opcode & GLASS_BOP_MASK;
	e->xrc_srq = p->xrc_srq;
	e->replay = 0;
	e->psn = pkt->psn;
	e->npsn = npsn;
	e->start = 0;
	e->next = 0;
	e->end = npsn;
	e->flow = pkt->flow;
	e->wr_id = pkt->wr_id;
	glass_resp_accept(q, pkt, info, npsn);
	e->msn = p->msn;
	/* the answer acknowledges its request and all earlier ones: no ACK is needed */
	p->ack_pending = false;
	WRITE_ONCE(p->ack_later, false);
	p->res_head++;
	p->res_todo++;
	glass_resp_skip_done(q);
}

static void rx_read_req(struct glass_pqp *q, const struct glass_pkt *pkt, u16 info, u64 now)
{
	struct glass_rd_res *e;

	if (unlikely(!(q->attr.access & GLASS_ACC_REMOTE_READ))) {
		inv_req(q, pkt, GLASS_DROP_ACCESS, now);
		return;
	}
	if (unlikely(pkt->dma_len > GLASS_MSG_MAX)) {
		inv_req(q, pkt, GLASS_DROP_MSG_TOO_LONG, now);
		return;
	}
	if (unlikely(q->resp.res_todo >= q->attr.max_dest_rd_atomic)) {
		inv_req(q, pkt, GLASS_DROP_RD_ATOMIC, now);
		return;
	}
	if (pkt->dma_len && unlikely(glass_env_remote_check(q, pkt->rkey, pkt->va, pkt->dma_len,
							    GLASS_ACC_REMOTE_READ) !=
				     GLASS_MEM_OK)) {
		no_access(q, pkt, GLASS_MEM_ACCESS, now);
		return;
	}
	e = glass_new_res(q);
	e->rkey = pkt->rkey;
	e->va = pkt->va;
	e->len = pkt->dma_len;
	glass_push_res(q, e, pkt, info, glass_npkts(pkt->dma_len, q->attr.mtu));
}

static void rx_atomic_req(struct glass_pqp *q, const struct glass_pkt *pkt, u16 info, u64 now)
{
	struct glass_rd_res *e;
	enum glass_mem mem;
	u64 orig;

	if (unlikely(!(q->attr.access & GLASS_ACC_REMOTE_ATOMIC))) {
		inv_req(q, pkt, GLASS_DROP_ACCESS, now);
		return;
	}
	if (unlikely(pkt->va & 7)) {
		inv_req(q, pkt, GLASS_DROP_MISALIGNED, now);
		return;
	}
	if (unlikely(q->resp.res_todo >= q->attr.max_dest_rd_atomic)) {
		inv_req(q, pkt, GLASS_DROP_RD_ATOMIC, now);
		return;
	}
	mem = glass_env_atomic(q, pkt->rkey, pkt->va, pkt->opcode & GLASS_BOP_MASK, pkt->cmp,
			       pkt->swap_add, &orig);
	if (unlikely(mem != GLASS_MEM_OK)) {
		if (mem == GLASS_MEM_ALIGN)
			inv_req(q, pkt, GLASS_DROP_MISALIGNED, now);
		else
			no_access(q, pkt, mem, now);
		return;
	}
	e = glass_new_res(q);
	e->orig = orig;
	glass_push_res(q, e, pkt, info, 1);
}

/*
 * Carries out a FLUSH (annex A19) on arrival, and answers it like a READ of length 0.
 * rx_atomic_write() does the same for an ATOMIC WRITE.
 */
static void rx_flush(struct glass_pqp *q, const struct glass_pkt *pkt, u16 info, u64 now)
{
	u32 need = (pkt->feth & GLASS_FETH_GLOBAL ? GLASS_ACC_FLUSH_GLOBAL : 0) |
		   (pkt->feth & GLASS_FETH_PERSISTENT ? GLASS_ACC_FLUSH_PERSISTENT : 0);
	u32 level = pkt->feth & GLASS_FETH_LEVEL;

	/*
	 * Refuse a FLUSH without placement type, with an unknown type or with an unknown level.
	 * Ignore reserved bits (IBA 1.5.2).
	 */
	if (unlikely(!need ||
		     (pkt->feth & GLASS_FETH_TYPES & ~(GLASS_FETH_GLOBAL | GLASS_FETH_PERSISTENT)) ||
		     (level != GLASS_FETH_RANGE && level != GLASS_FETH_MR))) {
		inv_req(q, pkt, GLASS_DROP_BAD_BTH, now);
		return;
	}
	if (unlikely(need & ~q->attr.access)) {
		inv_req(q, pkt, GLASS_DROP_ACCESS, now);
		return;
	}
	if (unlikely(q->resp.res_todo >= q->attr.max_dest_rd_atomic)) {
		inv_req(q, pkt, GLASS_DROP_RD_ATOMIC, now);
		return;
	}
	if (unlikely(glass_env_flush(q, pkt->rkey, pkt->va, pkt->dma_len, pkt->feth) !=
		     GLASS_MEM_OK)) {
		no_access(q, pkt, GLASS_MEM_ACCESS, now);
		return;
	}
	glass_push_res(q, glass_new_res(q), pkt, info, 1);
}

static void rx_atomic_write(struct glass_pqp *q, const struct glass_pkt *pkt, u16 info, u64 now)
{
	enum glass_mem mem;
	u64 word;

	if (unlikely(!(q->attr.access & GLASS_ACC_REMOTE_WRITE))) {
		inv_req(q, pkt, GLASS_DROP_ACCESS, now);
		return;
	}
	if (unlikely(pkt->len != sizeof(word) || pkt->dma_len != sizeof(word))) {
		inv_req(q, pkt, GLASS_DROP_BAD_LEN, now);
		return;
	}
	if (unlikely(pkt->va & 7)) {
		inv_req(q, pkt, GLASS_DROP_MISALIGNED, now);
		return;
	}
	if (unlikely(q->resp.res_todo >= q->attr.max_dest_rd_atomic)) {
		inv_req(q, pkt, GLASS_DROP_RD_ATOMIC, now);
		return;
	}
	glass_pkt_copy_payload(pkt, 0, &word, sizeof(word));
	mem = glass_env_atomic_write(q, pkt->rkey, pkt->va, word);
	if (unlikely(mem != GLASS_MEM_OK)) {
		if (mem == GLASS_MEM_ALIGN)
			inv_req(q, pkt, GLASS_DROP_MISALIGNED, now);
		else
			no_access(q, pkt, mem, now);
		return;
	}
	glass_push_res(q, glass_new_res(q), pkt, info, 1);
}

/*
 * Returns the kept answer whose PSN range contains `psn`, or NULL. *index gets the free-running
 * index of the answer.
 */
static struct glass_rd_res *find_res(struct glass_pqp *q, u32 psn, u32 *index)
{
	struct glass_resp_state *p = &q->resp;
	u32 i;

	for (i = p->res_head; i != p->res_tail; i--) {
		struct glass_rd_res *e = glass_res_at(q, i - 1);

		if (glass_psn_dist(psn, e->psn) < e->npsn) {
			*index = i - 1;
			return e;
		}
	}
	return NULL;
}

/*
 * Handles a duplicate request (IBA 9.7.5.1.4):
 * - A SEND or WRITE is dropped. An ACK is owed again, unless an ACK or NAK is pending.
 * - For any other request, the responder sends the kept answer again; for a READ, it reads the data
 *   from memory again. If the answer is still to be sent, the responder only drops the request.
 * - A request that matches no kept answer is dropped. It is a ghost, a late packet of the past.
 */
static void rx_duplicate(struct glass_pqp *q, const struct glass_pkt *pkt, u16 info)
{
	struct glass_resp_state *p = &q->resp;
	struct glass_rd_res *e;
	u32 index = 0, k;
	u64 off;

	q->stats.dup_rx++;
	if (info & (GLASS_RQ_SEND | GLASS_RQ_WRITE)) {
		glass_proto_drop(q, pkt, GLASS_DROP_DUPLICATE);
		if (!p->ack_pending)
			glass_owe_ack(p);
		return;
	}
	e = find_res(q, pkt->psn, &index);
	if (!e || e->kind != (pkt->opcode & GLASS_BOP_MASK)) {
		glass_proto_drop(q, pkt, GLASS_DROP_BAD_PSN);
		return;
	}
	k = glass_psn_dist(pkt->psn, e->psn);
	if (info & GLASS_RQ_READ) {
		off = (u64)k * q->attr.mtu;
		if (pkt->len || pkt->rkey != e->rkey || pkt->va != e->va + off ||
		    pkt->dma_len + off != e->len) {
			glass_proto_drop(q, pkt, GLASS_DROP_BAD_PSN);
			return;
		}
	}
	if (k >= e->next) {
		/* the answer to this request was not sent yet */
		glass_proto_drop(q, pkt, GLASS_DROP_DUPLICATE);
		return;
	}
	e->start = k;
	e->next = k;
	if (glass_idx_cmp(index, p->res_cur) < 0)
		p->res_cur = index;
}

/* Is the packet's SRQ in the QP's XRC domain, and the same as in the message's first packet? */
static bool xrc_srq_ok(struct glass_pqp *q, const struct glass_pkt *pkt, u16 info)
{
	struct glass_resp_state *p = &q->resp;

	if (!(info & GLASS_RQ_START) && pkt->xrc_srq != p->msg_srq)
		return false;
	p->msg_srq = pkt->xrc_srq;
	p->xrc_srq = pkt->xrc_srq;
	return glass_env_xrc_srq(q, pkt->xrc_srq);
}

/*
 * Has the responder already reported the hole (the missing packets) in front of this packet? A hole
 * needs only one NAK (IBA 9.7.5.1). A hole whose NAK is still owed counts as reported.
 *
 * Packets of one transmission come in order. So a packet with a higher PSN than the packet that
 * caused the NAK (nak_psn) belongs to the same transmission, and is behind the same hole. A packet
 * with a lower or the same PSN belongs to a later transmission, and gets a second NAK.
 * - The first NAK may be due to a ghost: a packet of an earlier connection that arrives late, and
 *   whose PSN happens to be ahead of all requests. The requester ignored that NAK, because it names
 *   a PSN that is not outstanding. So it needs the second one.
 * - If the first NAK was right: the requester has acted on it, and ignores the second one
 *   (nak_seq_seen).
 */
static bool hole_reported(const struct glass_resp_state *p, const struct glass_pkt *pkt)
{
	if (!p->nak_sent)
		return false;
	return glass_psn_cmp(pkt->psn, p->nak_psn) > 0 ||
	       (p->ack_pending && p->ack_syndrome != GLASS_AETH_ACK);
}

void glass_resp_rx(struct glass_pqp *q, const struct glass_pkt *pkt, u64 now)
{
	struct glass_resp_state *p = &q->resp;
	u16 info = glass_rq_info[pkt->opcode & GLASS_BOP_MASK];
	u32 mtu = q->attr.mtu;
	u32 full = mtu * pkt->more; /* of a train: bytes of all packets except the last */
	s32 diff = glass_psn_cmp(pkt->psn, p->epsn);

	if (unlikely(q->state == GLASS_QPS_RTR && !p->comm_est)) {
		p->comm_est = true;
		glass_env_event(q, GLASS_EV_COMM_EST);
	}
	if (unlikely(diff)) {
		if (diff < 0 && info) {
			rx_duplicate(q, pkt, info);
			return;
		}
		if (diff < 0) {
			glass_proto_drop(q, pkt, GLASS_DROP_BAD_PSN);
			return;
		}
		if (hole_reported(p, pkt)) {
			glass_proto_drop(q, pkt, GLASS_DROP_NAK_WAIT);
			return;
		}
		owe_nak(q, pkt, GLASS_AETH_NAK | GLASS_NAK_PSN_SEQ);
		glass_proto_drop(q, pkt, GLASS_DROP_BAD_PSN);
		return;
	}

	/*
	 * A message in progress must go on with the same kind of packets. If no message is in
	 * progress, this packet must start one.
	 */
	if (unlikely(!info || !!(info & GLASS_RQ_START) == p->in_msg ||
		     (p->in_msg && ((info ^ glass_rq_info[p->last_op & GLASS_BOP_MASK]) &
				    (GLASS_RQ_SEND | GLASS_RQ_WRITE))))) {
		inv_req(q, pkt, info ? GLASS_DROP_BAD_SEQ : GLASS_DROP_BAD_BTH, now);
		return;
	}
	if (unlikely(q->type == GLASS_QPT_XRC_TGT) && !xrc_srq_ok(q, pkt, info)) {
		inv_req(q, pkt, GLASS_DROP_ACCESS, now);
		return;
	}
	if (info & (GLASS_RQ_SEND | GLASS_RQ_WRITE)) {
		/*
		 * first and middle packets have one MTU of payload, last packets have at least one
		 * byte
		 */
		if (unlikely(info & GLASS_RQ_END ?
			     pkt->len > full + mtu ||
			     (pkt->len <= full && (pkt->more || !(info & GLASS_RQ_START))) :
			     pkt->len != full + mtu)) {
			inv_req(q, pkt, GLASS_DROP_BAD_LEN, now);
			return;
		}
		if (info & GLASS_RQ_SEND)
			resp_rx_send(q, pkt, info, now);
		else
			resp_rx_write(q, pkt, info, now);
		return;
	}
	if (unlikely(pkt->more || (pkt->len && !(info & GLASS_RQ_ATOMIC_WRITE)))) {
		inv_req(q, pkt, GLASS_DROP_BAD_LEN, now);
		return;
	}
	if (unlikely(info & GLASS_RQ_FLUSH))
		rx_flush(q, pkt, info, now);
	else if (unlikely(info & GLASS_RQ_ATOMIC_WRITE))
		rx_atomic_write(q, pkt, info, now);
	else if (info & GLASS_RQ_READ)
		rx_read_req(q, pkt, info, now);
	else
		rx_atomic_req(q, pkt, info, now);
}

bool glass_pqp_write_at(const struct glass_pqp *q, const struct glass_pkt *pkt, u32 *rkey, u64 *va)
{
	const struct glass_resp_state *p = &q->resp;
	u16 info = glass_rq_info[pkt->opcode & GLASS_BOP_MASK];

	if (!(info & GLASS_RQ_WRITE) || !glass_type_is_connected(q->type) || q->state < GLASS_QPS_RTR ||
	    q->state > GLASS_QPS_SQE || !(q->attr.access & GLASS_ACC_REMOTE_WRITE) || glass_source_fault(q, pkt))
		return false;
	if (!(info & GLASS_RQ_START)) {
		*rkey = p->rkey;
		*va = p->va;
		return p->in_msg && glass_rq_info[p->last_op & GLASS_BOP_MASK] & GLASS_RQ_WRITE && pkt->psn == p->epsn &&
		       pkt->len <= p->left;
	}
	*rkey = pkt->rkey;
	*va = pkt->va;
	return pkt->psn == p->epsn || q->type == GLASS_QPT_UC;
}
