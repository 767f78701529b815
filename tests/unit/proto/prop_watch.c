// SPDX-License-Identifier: GPL-2.0-only
/*
 * The RC property test: what must hold at each step. All is seen from outside:
 * from packets, completions and the clock.
 */
#include "prop.h"

u32 prop_retries(struct side *s)
{
	return pe_retries(s->ep);
}

struct pe_before prop_before(struct side *s)
{
	return pe_before(s->ep);
}

/* It went to ERR: did its responder's half end it? */
static void note_error(struct side *s)
{
	const struct glass_pqp *q = &s->ep->q;

	switch (q->first_error.cause) {
	case GLASS_CAUSE_RESP_INV_REQ:
	case GLASS_CAUSE_RESP_ACCESS:
	case GLASS_CAUSE_RESP_OP:
	case GLASS_CAUSE_LOC_LEN:
		s->responder_err = true;
		break;
	case GLASS_CAUSE_LOC_PROT:
		s->responder_err = q->first_error.status == GLASS_WC_LOC_PROT_ERR &&
				   q->first_error.syndrome;
		break;
	default:
		break;
	}
}

/* After each call of the core; rx: the packet that it was given, if it was */
void prop_after(struct side *s, struct pe_before b, const struct glass_pkt *rx)
{
	bool was_err = s->budget.was_err;
	const char *wrong;

	if (s->ep->retries[GLASS_RETRY_RNR] != b.rnr)
		CHECK(rx && rx->syndrome == (GLASS_AETH_RNR | s->peer->ep->q.attr.min_rnr_timer),
		      "RNR retry without RNR NAK of the peer");
	wrong = pe_budget_after(&s->budget, s->ep, &b, rx, sim->now);
	CHECK(!wrong, "%s", wrong);
	if (s->budget.was_err && !was_err)
		note_error(s);
}

/* A request packet was handed out. */
void prop_sent(struct side *s, const struct glass_pkt *pkt)
{
	const struct glass_pqp *q = &s->ep->q;
	const struct wr *w;
	u32 n = pkt->flow;
	u32 reads = 0;
	const char *wrong;

	CHECK(n >= q->req.tail && n < s->posted, "packet of wr %u, tail %u", n, q->req.tail);
	w = &s->wr[n];
	for (u32 i = q->req.tail; i < n; i++) {
		reads += op_answered(s->wr[i].op);
		CHECK(!op_local(s->wr[i].op) || s->wr[i].executed == 1,
		      "wr %u sent before local operation %u was done", n, i);
	}
	CHECK(!op_local(w->op), "packet of local operation %u", n);
	CHECK(!w->fence || !reads, "wr %u passed its fence: %u READs are not answered", n, reads);
	CHECK(!op_answered(w->op) || reads < q->attr.max_rd_atomic,
	      "wr %u sent behind %u READs", n, reads);
	wrong = pe_budget_sent(&s->budget, pkt, sim->now);
	CHECK(!wrong, "%s", wrong);
}
