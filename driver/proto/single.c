// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Single READs and atomics (single.h): both ends of the answer. */
#include "proto/single.h"

void glass_single_answer(struct glass_pqp *q, const struct glass_pkt *pkt, struct glass_pkt *answer, u64 orig)
{
	struct glass_resp_state *p = &q->resp;
	struct glass_rd_res *e = glass_new_res(q);

	q->stats.rx_pkts++;
	if (pkt->opcode == (GLASS_TR_RC | GLASS_BOP_READ_REQ)) {
		e->rkey = pkt->rkey;
		e->va = pkt->va;
		e->len = pkt->dma_len;
		answer->opcode = GLASS_BOP_READ_RESP_ONLY;
	} else {
		e->orig = orig;
		answer->opcode = GLASS_BOP_ATOMIC_ACK;
		answer->orig = orig;
	}
	glass_push_res(q, e, pkt, glass_rq_info[pkt->opcode & GLASS_BOP_MASK], 1);
	e->next = 1;
	e->replay = 1;
	p->res_todo--;
	p->res_cur = p->res_head;
	answer->psn = e->psn;
	answer->msn = e->msn;
	answer->flow = e->flow;
	answer->wr_id = e->wr_id;
	answer->syndrome = glass_credit_syndrome(q);
	answer->more = 0;
	glass_fill_answer(q, answer);
}

void glass_single_got(struct glass_pqp *q, const struct glass_pkt *answer, u64 now)
{
	struct glass_req_state *r = &q->req;

	q->stats.rx_pkts++;
	q->stats.rx_bytes += answer->len;
	r->una = glass_psn_add(answer->psn, 1);
	glass_take_credits(r, answer);
	glass_req_succeed(q);
	glass_req_progress(q, now);
	glass_update_deadline(q);
}
