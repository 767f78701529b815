// SPDX-License-Identifier: GPL-2.0-only
#include "proto_budget.h"

static char wrong[200];

#define HOLDS(c, ...)                                             \
	do {                                                      \
		if (!(c)) {                                       \
			snprintf(wrong, sizeof(wrong), __VA_ARGS__); \
			return wrong;                             \
		}                                                 \
	} while (0)
#define LL(n) ((unsigned long long)(n))

u32 pe_retries(const struct pe_ep *ep)
{
	return ep->retries[GLASS_RETRY_TIMEOUT] + ep->retries[GLASS_RETRY_NAK_SEQ] +
	       ep->retries[GLASS_RETRY_IMPLIED];
}

struct pe_before pe_before(const struct pe_ep *ep)
{
	struct pe_before b;

	/* with the padding, which pe_budget_after() compares */
	memset(&b, 0, sizeof(b));
	b.retries = pe_retries(ep);
	b.rnr = ep->retries[GLASS_RETRY_RNR];
	b.timeouts = ep->q.stats.timeouts;
	b.migrations = ep->events[GLASS_EV_PATH_MIG];
	b.changes = ep->q.changes;
	b.state = ep->q.state;
	memcpy(&b.attr, &ep->q.attr, sizeof(b.attr));
	return b;
}

/* IBA 9.7.6.1.3 */
static u64 ack_timeout(const struct pe_ep *ep)
{
	u8 t = ep->q.attr.timeout;

	return t ? 4096ULL << t : 0;
}

/* IBA table 45: 655.36 ms, then from 10 us on three halves and four thirds in turn */
static u64 rnr_wait(u8 code)
{
	return code ? ((code & 1 ? 3ULL : 2ULL) << code / 2 >> 1) * 10000 : 655360000;
}

static const char *check_windows(const struct pe_ep *ep)
{
	const struct glass_pqp *q = &ep->q;
	const struct glass_req_state *r = &q->req;

	HOLDS((s32)(r->cur - r->tail) >= 0 && (s32)(r->begun - r->cur) >= 0 &&
	      (s32)(r->head - r->begun) >= 0, "indices %u %u %u %u", r->tail, r->cur, r->begun, r->head);
	HOLDS(((r->max_psn - r->una) & GLASS_PSN_MASK) <= 0x800000 &&
	      ((r->psn - r->una) & GLASS_PSN_MASK) <= ((r->max_psn - r->una) & GLASS_PSN_MASK),
	      "una %x psn %x max %x", r->una, r->psn, r->max_psn);
	HOLDS(r->rd_atomic <= q->attr.max_rd_atomic, "%u READs outstanding", r->rd_atomic);
	HOLDS(q->resp.res_todo <= q->attr.max_dest_rd_atomic, "%u answers owed", q->resp.res_todo);
	return NULL;
}

/* The clock runs while something waits for an answer, and never too long. */
static const char *check_deadline(const struct pe_budget *b, const struct pe_ep *ep, u64 now)
{
	const struct glass_pqp *q = &ep->q;
	bool sends = q->state == GLASS_QPS_RTS || q->state == GLASS_QPS_SQD;
	u64 latest = max(now + ack_timeout(ep), b->rnr_latest);

	HOLDS(!sends || !q->attr.timeout || q->req.psn == q->req.una || q->deadline,
	      "no timer, una %x psn %x", q->req.una, q->req.psn);
	HOLDS(q->deadline <= latest, "deadline %llu, now %llu, at most %llu", LL(q->deadline), LL(now),
	      LL(latest));
	return NULL;
}

/* It went to ERR: is what it says about its budget true? */
static const char *check_error(const struct pe_budget *b, const struct pe_ep *ep, u32 spent, u32 rnr)
{
	const struct glass_pqp *q = &ep->q;

	if (q->first_error.cause == GLASS_CAUSE_RETRY_EXC)
		HOLDS(spent == q->attr.retry_cnt, "RETRY_EXC after %u retries of %u", spent,
		      q->attr.retry_cnt);
	else if (q->first_error.cause == GLASS_CAUSE_RNR_EXC)
		HOLDS(rnr == q->attr.rnr_retry && rnr < 7, "RNR_EXC after %u retries of %u", rnr,
		      q->attr.rnr_retry);
	else
		return NULL;
	HOLDS(b->tx_una >= spent + rnr, "%u transmissions, %u + %u retries", b->tx_una, spent, rnr);
	return NULL;
}

const char *pe_budget_after(struct pe_budget *b, const struct pe_ep *ep, const struct pe_before *before,
			    const struct glass_pkt *rx, u64 now)
{
	const struct glass_pqp *q = &ep->q;
	const char *why = check_windows(ep);
	u32 spent, rnr;

	if (why)
		return why;
	HOLDS(q->changes != before->changes ||
	      (q->state == before->state && !memcmp(&q->attr, &before->attr, sizeof(q->attr))),
	      "state or attributes changed, and were not counted");
	if (q->stats.timeouts != before->timeouts)
		HOLDS(q->attr.timeout && now >= b->tick + ack_timeout(ep),
		      "timeout at %llu, last progress at %llu", LL(now), LL(b->tick));
	if (q->req.una != b->una) {
		b->una = q->req.una;
		b->retries0 = before->retries;
		b->rnr0 = before->rnr;
		b->rounds0 = before->retries + before->rnr;
		b->tx_una = 0;
		b->tick = now;
		b->rnr_until = 0;
		b->rnr_latest = 0;
		b->in_vain = false;
	}
	/* another path has retries of its own, and the one that found the first one dead is free */
	if (ep->events[GLASS_EV_PATH_MIG] != before->migrations)
		b->retries0 = pe_retries(ep);
	spent = pe_retries(ep) - b->retries0;
	rnr = ep->retries[GLASS_RETRY_RNR] - b->rnr0;
	HOLDS(spent <= q->attr.retry_cnt, "%u retries of %u", spent, q->attr.retry_cnt);
	HOLDS(rnr <= q->attr.rnr_retry || q->attr.rnr_retry == 7, "%u RNR retries of %u", rnr,
	      q->attr.rnr_retry);
	if (ep->retries[GLASS_RETRY_RNR] != before->rnr || q->stats.timeouts != before->timeouts)
		b->in_vain = true;
	if (ep->retries[GLASS_RETRY_RNR] != before->rnr) {
		HOLDS(rx && (rx->opcode & GLASS_BOP_MASK) == GLASS_BOP_ACK &&
		      (rx->syndrome & GLASS_AETH_KIND) == GLASS_AETH_RNR, "RNR retry without RNR NAK");
		b->rnr_until = now + rnr_wait(rx->syndrome & GLASS_AETH_VALUE);
		/* it may be patient: 64 ms */
		b->rnr_latest = pe_retries(ep) + ep->retries[GLASS_RETRY_RNR] - b->rounds0 > 8 ? max(b->rnr_until, now + 64000000) : b->rnr_until;
	}
	why = check_deadline(b, ep, now);
	if (why || q->state != GLASS_QPS_ERR || b->was_err)
		return why;
	b->was_err = true;
	return check_error(b, ep, spent, rnr);
}

const char *pe_budget_sent(struct pe_budget *b, const struct glass_pkt *pkt, u64 now)
{
	HOLDS(now >= b->rnr_until, "sent at %llu, receiver not ready until %llu", LL(now),
	      LL(b->rnr_until));
	b->rnr_until = 0;
	HOLDS(!b->in_vain || pkt->psn == b->una, "PSN %x is sent, and %x is tried in vain", pkt->psn, b->una);
	if (pkt->psn == b->una) {
		b->tx_una++;
		b->tick = now;
	}
	return NULL;
}
