// SPDX-License-Identifier: GPL-2.0-only
/*
 * The RC property test: what must hold at each step. All is seen from outside:
 * from packets, completions and the clock.
 */
#include "prop.h"

u32 prop_retries(struct side *s)
{
	return s->ep->retries[GLASS_RETRY_TIMEOUT] + s->ep->retries[GLASS_RETRY_NAK_SEQ] +
	       s->ep->retries[GLASS_RETRY_IMPLIED];
}

struct before prop_before(struct side *s)
{
	return (struct before){ prop_retries(s), s->ep->retries[GLASS_RETRY_RNR],
				s->ep->q.stats.timeouts };
}

/* IBA 9.7.6.1.3 */
static u64 ack_timeout(const struct side *s)
{
	u8 t = s->ep->q.attr.timeout;

	return t ? 4096ULL << t : 0;
}

/* IBA table 45: 655.36 ms, then from 10 us on three halves and four thirds in turn */
static u64 rnr_wait(u8 code)
{
	return code ? ((code & 1 ? 3ULL : 2ULL) << code / 2 >> 1) * 10000 : 655360000;
}

static void check_indices(struct side *s)
{
	struct glass_pqp *q = &s->ep->q;
	struct glass_req_state *r = &q->req;

	CHECK((s32)(r->cur - r->tail) >= 0 && (s32)(r->begun - r->cur) >= 0 &&
	      (s32)(r->head - r->begun) >= 0, "indices %u %u %u %u", r->tail, r->cur, r->begun,
	      r->head);
	CHECK(((r->max_psn - r->una) & GLASS_PSN_MASK) <= 0x800000 &&
	      ((r->psn - r->una) & GLASS_PSN_MASK) <= ((r->max_psn - r->una) & GLASS_PSN_MASK),
	      "una %x psn %x max %x", r->una, r->psn, r->max_psn);
	CHECK(r->rd_atomic <= q->attr.max_rd_atomic, "%u READs outstanding", r->rd_atomic);
	CHECK(q->resp.res_todo <= q->attr.max_dest_rd_atomic, "todo %u", q->resp.res_todo);
}

/* The clock runs while something waits for an answer, and never too long. */
static void check_deadline(struct side *s)
{
	struct glass_pqp *q = &s->ep->q;
	bool sends = q->state == GLASS_QPS_RTS || q->state == GLASS_QPS_SQD;
	u64 latest = sim->now + ack_timeout(s);

	CHECK(!sends || !q->attr.timeout || q->req.psn == q->req.una || q->deadline,
	      "no timer, una %x psn %x", q->req.una, q->req.psn);
	if (s->rnr_until > latest)
		latest = s->rnr_until;
	CHECK(q->deadline <= latest, "deadline %llu, now %llu, at most %llu",
	      (unsigned long long)q->deadline, (unsigned long long)sim->now,
	      (unsigned long long)latest);
}

/* It went to ERR: was what it says about its budget true? */
static void check_error(struct side *s, u32 spent, u32 rnr)
{
	const struct glass_pqp *q = &s->ep->q;

	switch (q->first_error.cause) {
	case GLASS_CAUSE_RETRY_EXC:
		CHECK(spent == q->attr.retry_cnt, "RETRY_EXC after %u retries of %u", spent,
		      q->attr.retry_cnt);
		CHECK(s->tx_una >= spent + rnr, "%u transmissions, %u + %u retries", s->tx_una,
		      spent, rnr);
		break;
	case GLASS_CAUSE_RNR_EXC:
		CHECK(rnr == q->attr.rnr_retry && rnr < 7, "RNR_EXC after %u retries of %u", rnr,
		      q->attr.rnr_retry);
		CHECK(s->tx_una >= spent + rnr, "%u transmissions, %u + %u retries", s->tx_una,
		      spent, rnr);
		break;
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
void prop_after(struct side *s, struct before b, const struct glass_pkt *rx)
{
	struct glass_pqp *q = &s->ep->q;
	u32 spent, rnr;

	check_indices(s);
	if (q->stats.timeouts != b.timeouts)
		CHECK(q->attr.timeout && sim->now >= s->tick + ack_timeout(s),
		      "timeout at %llu, last progress at %llu", (unsigned long long)sim->now,
		      (unsigned long long)s->tick);
	if (q->req.una != s->una) {
		s->una = q->req.una;
		s->retries0 = b.retries;
		s->rnr0 = b.rnr;
		s->tx_una = 0;
		s->tick = sim->now;
		s->rnr_until = 0;
	}
	spent = prop_retries(s) - s->retries0;
	rnr = s->ep->retries[GLASS_RETRY_RNR] - s->rnr0;
	CHECK(spent <= q->attr.retry_cnt, "%u retries of %u", spent, q->attr.retry_cnt);
	CHECK(rnr <= q->attr.rnr_retry || q->attr.rnr_retry == 7, "%u RNR retries of %u", rnr,
	      q->attr.rnr_retry);
	if (s->ep->retries[GLASS_RETRY_RNR] != b.rnr) {
		CHECK(rx && (rx->opcode & GLASS_BOP_MASK) == GLASS_BOP_ACK &&
		      rx->syndrome == (GLASS_AETH_RNR | s->peer->ep->q.attr.min_rnr_timer),
		      "RNR retry without RNR NAK");
		s->rnr_until = sim->now + rnr_wait(rx->syndrome & GLASS_AETH_VALUE);
	}
	check_deadline(s);
	if (q->state == GLASS_QPS_ERR && !s->was_err) {
		s->was_err = true;
		check_error(s, spent, rnr);
	}
}

/* A request packet was handed out. */
void prop_sent(struct side *s, const struct glass_pkt *pkt)
{
	const struct glass_pqp *q = &s->ep->q;
	const struct wr *w;
	u32 n = pkt->flow;
	u32 reads = 0;

	CHECK(n >= q->req.tail && n < s->posted, "packet of wr %u, tail %u", n, q->req.tail);
	CHECK(sim->now >= s->rnr_until, "sent at %llu, receiver not ready until %llu",
	      (unsigned long long)sim->now, (unsigned long long)s->rnr_until);
	s->rnr_until = 0;
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
	if (pkt->psn == s->una) {
		s->tx_una++;
		s->tick = sim->now;
	}
}
