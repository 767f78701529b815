// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The transition to ERR, and the flush of the queues in ERR and SQE. */
#include "proto/internal.h"

void glass_pqp_ack_now(struct glass_pqp *q)
{
	if (q->resp.ack_later)
		glass_owe_ack(&q->resp);
}

/*
 * Flushes the receive WQE in progress and the posted ones, in order, at most max. Returns how many.
 */
static u32 flush_recv(struct glass_pqp *q, u32 max)
{
	u32 n = 0;
	int ret;

	/* no event either: it means that no more completions come */
	if (!max)
		return 0;
	if (q->resp.rwqe_valid) {
		glass_recv_complete(q, NULL, 0, 0, GLASS_WC_WR_FLUSH_ERR, GLASS_WCOP_RECV, 0, 0);
		n++;
	}
	if (q->has_srq) {
		/* an XRC target has no SRQ of its own: no event */
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
 * Moves the QP to ERR: all posted WQEs complete as flushed. keep_answers: the responder found the
 * error; the QP still sends the answers that it owes, up to and with the NAK. Otherwise the QP
 * drops the READ and atomic answers that it owes, and the ACK or NAK behind them. If it owes no
 * such answer, it still sends a pending ACK or NAK; an ACK is for requests that were executed.
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
	 * may run in the sender's context: flush a few WQEs here, the rest in turns of the QP
	 * itself
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
	/* a failed send WQE that is not complete yet goes first: both queues may have one CQ */
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
