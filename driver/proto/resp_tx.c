// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* RC and XRC responder, send half: READ data, atomic results, ACKs, NAKs, RNR NAKs (IBA 9.7.5). */
#include "proto/internal.h"

/*
 * Returns the syndrome of an ACK. The ACK grants one credit for each posted receive, rounded down
 * to a value of IBA table 46. A QP with an SRQ does not use credits (GLASS_AETH_NO_CREDIT).
 */
u8 glass_credit_syndrome(struct glass_pqp *q)
{
	u32 n, shift;

	if (q->has_srq)
		return GLASS_AETH_ACK | GLASS_AETH_NO_CREDIT;
	n = glass_env_rq_count(q);
	if (n < 2)
		return GLASS_AETH_ACK | n;
	if (n > 32768)
		n = 32768;
	/* n = (2 or 3) << shift, plus a remainder */
	shift = 30 - __builtin_clz(n);
	return GLASS_AETH_ACK | (2 * shift + (n >> shift));
}

/*
 * Moves res_cur (glass_resp_state, qp.h) on to the next answer that has packets to send, or else to
 * res_head.
 */
void glass_resp_skip_done(struct glass_pqp *q)
{
	struct glass_resp_state *p = &q->resp;
	const struct glass_rd_res *e;

	while (p->res_cur != p->res_head) {
		e = glass_res_at(q, p->res_cur);
		if (e->next < e->end)
			return;
		p->res_cur++;
	}
}

/*
 * Called when the memory of a READ cannot be read:
 * - A page is absent: returns false. This answer and all answers behind it wait.
 * - Any other reason, for example a deregistered region: turns *pkt into a NAK and returns true.
 *   Also drops all other answers that the QP owes, and moves the QP to ERR. For a replay (the
 *   answer was sent in full before), does only the former.
 */
static noinline bool resp_no_data(struct glass_pqp *q, struct glass_pkt *pkt,
				  struct glass_rd_res *e, enum glass_mem mem, u64 now)
{
	struct glass_resp_state *p = &q->resp;

	pkt->nseg = 0;
	pkt->len = 0;
	if (mem == GLASS_MEM_LATER) {
		q->pages |= GLASS_PAGES_PEER;
		return false;
	}
	pkt->opcode = GLASS_BOP_ACK;
	pkt->syndrome = GLASS_AETH_NAK | GLASS_NAK_REM_ACCESS;
	q->stats.nak_tx++;
	e->next = e->end;
	if (e->replay) {
		glass_resp_skip_done(q);
		return true;
	}
	p->res_cur = p->res_head;
	p->res_todo = 0;
	p->ack_pending = false;
	glass_note_error(q, GLASS_CAUSE_RESP_ACCESS, 0, pkt->syndrome, e->kind, pkt->psn, 0, now);
	if (q->state != GLASS_QPS_ERR) {
		glass_to_err(q, GLASS_CAUSE_RESP_ACCESS, false, now);
		glass_env_event(q, GLASS_EV_QP_ACCESS_ERR);
	}
	return true;
}

/*
 * Fills one packet or train of the answer at res_cur. Returns false if the answer has to wait for a
 * page.
 */
static bool next_answer(struct glass_pqp *q, struct glass_pkt *pkt, u64 now)
{
	struct glass_resp_state *p = &q->resp;
	struct glass_rd_res *e = glass_res_at(q, p->res_cur);
	u32 k = e->next;
	u32 len, more = 0;

	pkt->psn = glass_psn_add(e->psn, k);
	pkt->msn = e->msn;
	pkt->flow = e->flow;
	pkt->wr_id = e->wr_id;
	if (unlikely(e->kind == GLASS_BOP_FLUSH || e->kind == GLASS_BOP_ATOMIC_WRITE)) {
		pkt->opcode = GLASS_BOP_READ_RESP_ONLY;
		pkt->syndrome = glass_credit_syndrome(q);
	} else if (e->kind != GLASS_BOP_READ_REQ) {
		pkt->opcode = GLASS_BOP_ATOMIC_ACK;
		pkt->orig = e->orig;
		pkt->syndrome = glass_credit_syndrome(q);
	} else {
		bool first = k == e->start;
		bool last;

		if (glass_av_trains(&q->attr.av))
			more = min_t(u32, q->max_more, e->end - k - 1);
		last = k + 1 + more == e->end;
		len = last ? e->len - k * q->attr.mtu : q->attr.mtu * (1 + more);
		if (unlikely(q->type == GLASS_QPT_XRC_TGT)) {
			p->xrc_srq = e->xrc_srq;
			glass_env_xrc_srq(q, e->xrc_srq);
		}
		if (len) {
			enum glass_mem mem = glass_env_gather_remote(
				q, e->rkey, e->va + (u64)k * q->attr.mtu, len, pkt);

			if (unlikely(mem != GLASS_MEM_OK))
				return resp_no_data(q, pkt, e, mem, now);
		}
		pkt->len = len;
		pkt->opcode = first ? (last ? GLASS_BOP_READ_RESP_ONLY : GLASS_BOP_READ_RESP_FIRST) :
			      last ? GLASS_BOP_READ_RESP_LAST : GLASS_BOP_READ_RESP_MIDDLE;
		if (pkt->opcode != GLASS_BOP_READ_RESP_MIDDLE)
			pkt->syndrome = glass_credit_syndrome(q);
	}
	pkt->more = more;
	e->next += 1 + more;
	if (e->next == e->end) {
		if (!e->replay) {
			e->replay = 1;
			p->res_todo--;
		}
		glass_resp_skip_done(q);
	}
	return true;
}

bool glass_resp_next(struct glass_pqp *q, struct glass_pkt *pkt, const struct glass_av **av,
		     u16 *pkey_index, u64 now)
{
	struct glass_resp_state *p = &q->resp;

	if (!glass_resp_owed(q))
		return false;
	pkt->nseg = 0;
	pkt->len = 0;
	pkt->more = 0;
	if (p->res_cur != p->res_head) {
		if (unlikely(!next_answer(q, pkt, now)))
			return false;
	} else {
		p->ack_pending = false;
		pkt->opcode = GLASS_BOP_ACK;
		pkt->msn = p->msn;
		if (p->ack_syndrome == GLASS_AETH_ACK) {
			pkt->psn = (p->epsn - 1) & GLASS_PSN_MASK;
			pkt->flow = p->flow;
			pkt->wr_id = p->wr_id;
			pkt->syndrome = glass_credit_syndrome(q);
		} else {
			pkt->psn = p->ack_psn;
			pkt->flow = p->nak_flow;
			pkt->wr_id = p->nak_wr_id;
			pkt->syndrome = p->ack_syndrome;
			if ((pkt->syndrome & GLASS_AETH_KIND) == GLASS_AETH_NAK)
				q->stats.nak_tx++;
			else
				q->stats.rnr_tx++;
		}
	}
	glass_fill_answer(q, pkt);
	*av = &q->attr.av;
	*pkey_index = q->attr.pkey_index;
	return true;
}

enum glass_wait glass_resp_waits(const struct glass_pqp *q)
{
	const struct glass_resp_state *p = &q->resp;

	if (q->state < GLASS_QPS_RTR || q->state == GLASS_QPS_ERR)
		return GLASS_WAIT_NOTHING;
	if (q->pages & GLASS_PAGES_PEER)
		return GLASS_WAIT_PAGE;
	if (glass_resp_owed(q))
		return GLASS_WAIT_ENGINE;
	if (p->nak_sent && (p->ack_syndrome & GLASS_AETH_KIND) == GLASS_AETH_RNR)
		return GLASS_WAIT_RECV;
	return p->in_msg || p->nak_sent ? GLASS_WAIT_MESSAGE : GLASS_WAIT_NOTHING;
}
