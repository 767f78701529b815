// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The UC responder (IBA 9.8.2), which sends no answers. A hole (a missing packet) ends the message
 * in progress. The responder then drops all packets until one starts a message. The receive WQE of
 * the message that ended serves the next message that needs one (9.9.3 classes D and E).
 */
#include "proto/internal.h"

/*
 * Drops the packet, and ends the message in progress. The receive WQE remains for a later message.
 */
static void uc_lose(struct glass_pqp *q, const struct glass_pkt *pkt, enum glass_drop why)
{
	q->resp.in_msg = false;
	glass_proto_drop(q, pkt, why);
}

/* Drops the packet, completes the receive WQE with an error, and moves the QP to ERR. */
static void uc_recv_fail(struct glass_pqp *q, const struct glass_pkt *pkt, enum glass_drop why,
			 enum glass_wc_status status, enum glass_cause cause, u64 now)
{
	glass_proto_drop(q, pkt, why);
	glass_note_error(q, cause, status, 0, pkt->opcode, pkt->psn, q->resp.rwqe.wr_id, now);
	glass_recv_complete(q, pkt, q->attr.pkey_index, 0, status, GLASS_WCOP_RECV, cause, 0);
	glass_to_err(q, cause, false, now);
}

/*
 * Drops a message that does not fit into its receive WQE (IBA 9.9.3). Without an SRQ (class D) the
 * WQE serves the next message. A WQE from an SRQ (class E) completes with an error, so that no QP
 * withholds a shared WQE from the others.
 */
static void uc_drop_too_long(struct glass_pqp *q, const struct glass_pkt *pkt)
{
	uc_lose(q, pkt, GLASS_DROP_MSG_TOO_LONG);
	if (q->has_srq)
		glass_recv_complete(q, pkt, q->attr.pkey_index, 0, GLASS_WC_LOC_LEN_ERR,
				    GLASS_WCOP_RECV, GLASS_CAUSE_LOC_LEN, 0);
}

/*
 * Ensures that the message has a receive WQE. If there is no usable one, drops the packet, and
 * returns false. Also moves the QP to ERR if the WQE is malformed, or if its ring or SRQ is broken.
 */
static bool uc_need_rwqe(struct glass_pqp *q, const struct glass_pkt *pkt, u64 now)
{
	struct glass_resp_state *p = &q->resp;
	int ret;

	if (p->rwqe_valid)
		return true;
	ret = glass_env_take_rwqe(q, &p->rwqe);
	if (likely(ret == 1)) {
		p->rwqe_valid = true;
		return true;
	}
	if (ret == -EINVAL) {
		uc_recv_fail(q, pkt, GLASS_DROP_BAD_RECV, GLASS_WC_LOC_QP_OP_ERR,
			     GLASS_CAUSE_RESP_OP, now);
	} else if (ret < 0) {
		glass_proto_drop(q, pkt, GLASS_DROP_BAD_RECV);
		glass_pqp_fail(q, q->has_srq ? GLASS_CAUSE_SRQ_ERROR : GLASS_CAUSE_BAD_RING,
			       GLASS_EV_QP_FATAL, now);
	} else {
		uc_lose(q, pkt, GLASS_DROP_NO_RECV);
	}
	return false;
}

/* Drops the message because a page of its memory is absent: UC cannot ask the peer to retry. */
static void lose_for_page(struct glass_pqp *q, const struct glass_pkt *pkt)
{
	q->pages |= GLASS_PAGES_PEER;
	uc_lose(q, pkt, GLASS_DROP_PAGE_WAIT);
}

static bool uc_rx_send(struct glass_pqp *q, const struct glass_pkt *pkt, u64 now)
{
	struct glass_resp_state *p = &q->resp;
	enum glass_mem mem;

	if (!uc_need_rwqe(q, pkt, now))
		return false;
	if (unlikely((u64)p->msg_len + pkt->len > min_t(u64, p->rwqe.len, GLASS_MSG_MAX))) {
		uc_drop_too_long(q, pkt);
		return false;
	}
	mem = pkt->len ? glass_env_scatter_recv(q, &p->rwqe, p->msg_len, pkt) : GLASS_MEM_OK;
	if (unlikely(mem != GLASS_MEM_OK)) {
		if (mem == GLASS_MEM_LATER) {
			lose_for_page(q, pkt);
			return false;
		}
		uc_recv_fail(q, pkt, GLASS_DROP_LOCAL_PROT, GLASS_WC_LOC_PROT_ERR,
			     GLASS_CAUSE_LOC_PROT, now);
		return false;
	}
	p->msg_len += pkt->len;
	return true;
}

static bool uc_rx_write(struct glass_pqp *q, const struct glass_pkt *pkt, u16 info, u64 now)
{
	struct glass_resp_state *p = &q->resp;
	enum glass_mem mem;

	if (info & GLASS_RQ_START) {
		p->va = pkt->va;
		p->rkey = pkt->rkey;
		p->left = pkt->dma_len;
		if (unlikely(pkt->dma_len > GLASS_MSG_MAX)) {
			uc_lose(q, pkt, GLASS_DROP_MSG_TOO_LONG);
			return false;
		}
		if (unlikely(!(q->attr.access & GLASS_ACC_REMOTE_WRITE) ||
			     (!glass_rq_checked_by_write(info) && pkt->dma_len &&
			      glass_env_remote_check(q, p->rkey, p->va, p->left,
						     GLASS_ACC_REMOTE_WRITE) != GLASS_MEM_OK))) {
			uc_lose(q, pkt, GLASS_DROP_ACCESS);
			return false;
		}
	}
	if (unlikely(info & GLASS_RQ_END ? p->left != pkt->len : p->left <= pkt->len)) {
		uc_lose(q, pkt, GLASS_DROP_BAD_LEN);
		return false;
	}
	if ((info & GLASS_RQ_IMM) && !uc_need_rwqe(q, pkt, now))
		return false;
	mem = pkt->len ? glass_env_remote_write(q, p->rkey, p->va, pkt) : GLASS_MEM_OK;
	if (unlikely(mem != GLASS_MEM_OK)) {
		if (mem == GLASS_MEM_LATER)
			lose_for_page(q, pkt);
		else
			uc_lose(q, pkt, GLASS_DROP_ACCESS);
		return false;
	}
	p->va += pkt->len;
	p->left -= pkt->len;
	p->msg_len += pkt->len;
	return true;
}

void glass_uc_rx(struct glass_pqp *q, const struct glass_pkt *pkt, u64 now)
{
	struct glass_resp_state *p = &q->resp;
	u16 info = glass_rq_info[pkt->opcode & GLASS_BOP_MASK];
	bool in_order = pkt->psn == p->epsn;
	u32 mtu = q->attr.mtu;

	if (unlikely(!(info & (GLASS_RQ_SEND | GLASS_RQ_WRITE)) || (info & GLASS_RQ_INV))) {
		glass_proto_drop(q, pkt, GLASS_DROP_BAD_BTH);
		return;
	}
	if (unlikely(q->state == GLASS_QPS_RTR && !p->comm_est)) {
		p->comm_est = true;
		glass_env_event(q, GLASS_EV_COMM_EST);
	}
	p->epsn = glass_psn_add(pkt->psn, 1);
	if (info & GLASS_RQ_START) {
		p->in_msg = true;
		p->msg_len = 0;
	} else if (unlikely(!in_order || !p->in_msg ||
			    ((info ^ glass_rq_info[p->last_op & GLASS_BOP_MASK]) &
			     (GLASS_RQ_SEND | GLASS_RQ_WRITE)))) {
		uc_lose(q, pkt, GLASS_DROP_BAD_SEQ);
		return;
	}
	p->last_op = pkt->opcode & GLASS_BOP_MASK;
	if (unlikely(info & GLASS_RQ_END ?
		     pkt->len > mtu || (!pkt->len && !(info & GLASS_RQ_START)) :
		     pkt->len != mtu)) {
		uc_lose(q, pkt, GLASS_DROP_BAD_LEN);
		return;
	}
	if (info & GLASS_RQ_SEND ? !uc_rx_send(q, pkt, now) : !uc_rx_write(q, pkt, info, now))
		return;
	if (!(info & GLASS_RQ_END))
		return;
	p->in_msg = false;
	p->msn = glass_psn_add(p->msn, 1);
	q->stats.rx_msgs++;
	if (info & GLASS_RQ_SEND)
		glass_recv_complete(q, pkt, q->attr.pkey_index, 0, GLASS_WC_SUCCESS,
				    GLASS_WCOP_RECV, 0, p->msg_len);
	else if (info & GLASS_RQ_IMM)
		glass_recv_complete(q, pkt, q->attr.pkey_index, 0, GLASS_WC_SUCCESS,
				    GLASS_WCOP_RECV_WRITE_IMM, 0, p->msg_len);
}
