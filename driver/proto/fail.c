// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The transition to ERR, and the flush of the queues in ERR and SQE. */
#include "proto/internal.h"

void glass_pqp_ack_now(struct glass_pqp *q)
{
	if (q->resp.ack_later)
		glass_owe_ack(&q->resp);
}

/*
 * Flushes the receive WQE that was taken for a message, then the posted receive WQEs in order.
 * Flushes at most `max` WQEs in all, and returns how many it flushed. A QP with an SRQ owns no
 * posted WQEs. It flushes only the WQE that was taken, and then raises QP_LAST_WQE_REACHED once.
 */
static u32 flush_recv(struct glass_pqp *q, u32 max)
{
	u32 n = 0;
	int ret;

	/* No WQE may be flushed now, and QP_LAST_WQE_REACHED must come after the flush. */
	if (!max)
		return 0;
	if (q->resp.rwqe_valid) {
		glass_recv_complete(q, NULL, 0, 0, GLASS_WC_WR_FLUSH_ERR, GLASS_WCOP_RECV, 0, 0);
		n++;
	}
	if (q->has_srq) {
		/*
		 * an XRC target raises no event: it has no SRQ of its own, because requests name
		 * the SRQs
		 */
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
 * Moves the QP to ERR, and flushes a few of its WQEs. The QP may still send answers in ERR.
 *
 * `keep_answers` means that the responder found the error. In that case it still sends all answers
 * that it owes. The last of them answers the packet with the error.
 *
 * If `keep_answers` is false, and answers to READs, atomics, FLUSHes or ATOMIC WRITEs are owed, the
 * function drops these answers, and the ACK or NAK behind them. If no such answer is owed, the
 * responder still sends a pending ACK or NAK, because it has executed the requests that an ACK
 * acknowledges.
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
	/*
	 * The calling context may be that of the peer, which delivers a packet to this QP. So flush
	 * only a few WQEs; the engine's later calls of glass_pqp_flush() flush the rest.
	 */
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
	/*
	 * While the send WQE that failed is not complete (fail_status), do not flush receives. Both
	 * queues may have the same CQ, and the CQ must get the error before the flushed WQEs.
	 */
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
