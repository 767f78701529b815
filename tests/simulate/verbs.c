// SPDX-License-Identifier: GPL-2.0-only
/* What programs do to their queue pairs while packets are on their way. */
#include "sim.h"

/* A work request that ends without a completion: its buffers are the program's, who writes to them. */
static void take_back(struct side *s, struct msg *m)
{
	u8 op = m->m->op;

	m->reclaimed = true;
	if (op_sends(op))
		memset(mem_at(s->hca, K_SRC, m->src), USED, m->m->len);
	else if (op_reads(op))
		memset(mem_at(s->hca, K_LOC, m->dst), USED, m->m->len);
}

void verbs_reclaim(struct side *s)
{
	s->reclaims = false;
	for (u32 i = s->done; i < s->posted; i++)
		take_back(s, s->list[i]);
}

/*
 * RESET and destroy forget what was posted, without completions. The verb returns when no packet of
 * the QP is being read, which the core says (lent).
 */
static void end(struct side *s, bool destroy)
{
	struct rqueue *q = &w->rq[s->id];

	if (destroy)
		s->dead = true;
	else
		pe_state(s->ep, GLASS_QPS_RESET, side_now(s));
	s->gone = true;
	s->acted = true;
	sums.resets++;
	sums.resets_out += s->out;
	for (u32 i = s->done; i < s->posted; i++) {
		s->list[i]->ended = true;
		s->list[i]->done_at = w->now;
	}
	if (!s->ep->rq_of) {
		q->closed = true;
		s->ep->rq_tail = s->ep->rq_head;
	}
	if (s->ep->q.lent)
		s->reclaims = true;
	else
		verbs_reclaim(s);
}

/* The path with the other path bit of both ends (IBA 17.2.8) */
void verbs_load_alt(struct side *s)
{
	struct glass_qp_attr a = { .alt = s->ep->q.attr.av, .alt_port = 1, .mig_state = GLASS_MIG_REARM };

	a.alt.dlid ^= 1;
	a.alt.path_bits ^= 1;
	a.alt_timeout = s->c->timeout;
	CHECK(!glass_pqp_modify(&s->ep->q, &a, GLASS_QPA_ALT_PATH | GLASS_QPA_PATH_MIG_STATE, side_now(s)),
	      "no alternate path");
}

static void migrate(struct side *s)
{
	struct glass_qp_attr a = { .mig_state = GLASS_MIG_MIGRATED };

	if (s->ep->q.attr.mig_state == GLASS_MIG_ARMED)
		CHECK(!glass_pqp_modify(&s->ep->q, &a, GLASS_QPA_PATH_MIG_STATE, side_now(s)), "no migration");
}

void verbs_act(struct side *s, const struct sc_act *a)
{
	struct pe_before b = check_before(s);
	enum glass_qp_state st = s->ep->q.state;

	s->acted |= a->kind == SC_QP_ERR || a->kind == SC_QP_FATAL;
	switch (a->kind) {
	case SC_QP_ERR:
		pe_state(s->ep, GLASS_QPS_ERR, side_now(s));
		break;
	case SC_QP_FATAL:
		glass_pqp_fail(&s->ep->q, GLASS_CAUSE_INJECTED, GLASS_EV_QP_FATAL, side_now(s));
		break;
	case SC_SQD:
		if (st == GLASS_QPS_RTS)
			pe_state(s->ep, GLASS_QPS_SQD, side_now(s));
		break;
	case SC_RTS:
		if (st == GLASS_QPS_SQD)
			pe_state(s->ep, GLASS_QPS_RTS, side_now(s));
		break;
	case SC_RESET:
	case SC_DESTROY:
		end(s, a->kind == SC_DESTROY);
		return;
	case SC_MIGRATE:
		if (st == GLASS_QPS_RTS)
			migrate(s);
		break;
	case SC_REARM:
		if (st == GLASS_QPS_RTS && s->ep->q.attr.mig_state == GLASS_MIG_MIGRATED)
			verbs_load_alt(s);
		break;
	default:
		datagram_act(s, a);
		return;
	}
	check_after(s, b, NULL);
	program_touch(s);
}
