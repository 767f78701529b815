// SPDX-License-Identifier: GPL-2.0-only
/*
 * What must hold, at each step and in the end. All is seen from outside: from packets,
 * completions, memory and the clock.
 */
#include "sim.h"

struct pe_before check_before(struct side *s)
{
	return pe_before(s->ep);
}

/* IBA table 46 */
static u32 credits(u8 code)
{
	return code < 2 ? code : (code & 1 ? 3u : 2u) << (code / 2 - 1);
}

bool check_steady(void)
{
	bool moves = w->sc->sm_loss;

	for (u32 i = 0; moves && i < w->sc->nact; i++)
		if (w->sc->act[i].kind == SC_JOIN || w->sc->act[i].kind == SC_LEAVE || w->sc->act[i].kind == SC_SWEEP)
			return false;
	return !w->link_trouble;
}

static bool rc_requester(const struct side *s)
{
	return s->ep->q.type == GLASS_QPT_RC || s->ep->q.type == GLASS_QPT_XRC_INI;
}

/* Does it have an AETH? */
static bool acknowledges(u8 bop)
{
	return bop == GLASS_BOP_ACK || bop == GLASS_BOP_ATOMIC_ACK ||
	       (bop >= GLASS_BOP_READ_RESP_FIRST && bop <= GLASS_BOP_READ_RESP_ONLY &&
		bop != GLASS_BOP_READ_RESP_MIDDLE);
}

/*
 * What an answer that was taken lets the requester begin; an ACK may say it again. One without a credit count (a rule's
 * is) says that there is no limit, until the next that has one (IBA 9.7.7.2).
 */
static void note_credits(struct side *s, const struct glass_pkt *pkt)
{
	const struct glass_pqp *q = &s->ep->q;
	u8 code = pkt->syndrome & GLASS_AETH_VALUE;
	u32 n = 0, done = 0;

	if (!acknowledges(pkt->opcode & GLASS_BOP_MASK) ||
	    (pkt->syndrome & GLASS_AETH_KIND) != GLASS_AETH_ACK ||
	    q->req.una != glass_psn_add(pkt->psn, 1 + pkt->more))
		return;
	s->credit_known = code != GLASS_AETH_NO_CREDIT;
	if (!s->credit_known)
		return;
	for (u32 i = 0; i < s->posted && n < (pkt->msn & GLASS_PSN_MASK); i++) {
		if (op_local(s->list[i]->m->op))
			continue;
		n++;
		done += op_consumes(s->list[i]->m->op);
	}
	s->credit_limit = max(s->credit_limit, done + credits(code));
}

void check_after(struct side *s, struct pe_before b, const struct glass_pkt *rx)
{
	struct glass_pqp *q = &s->ep->q;
	bool was_err = s->budget.was_err;
	const char *wrong;

	/* a piece at a time: whoever pulls packets flushes the rest */
	CHECK(q->state != GLASS_QPS_ERR || q->lent || q->req.tail == q->req.head || (q->left & GLASS_LEFT_FLUSH),
	      "in ERR, and not flushed");
	/* RESET forgets the budgets, too */
	if (!rc_requester(s) || s->gone)
		return;
	if (rx)
		note_credits(s, rx);
	wrong = pe_budget_after(&s->budget, s->ep, &b, rx, side_now(s));
	CHECK(!wrong, "%s", wrong);
	sums.retries += pe_retries(s->ep) - b.retries;
	sums.rnr += s->ep->retries[GLASS_RETRY_RNR] - b.rnr;
	if (s->budget.was_err && !was_err)
		sums.nak_while_out += s->out;
}

void check_path(struct side *s, const struct glass_pkt *pkt)
{
	u32 bits = s->num ? s->c->bits1 : s->c->bits0;

	/* each migration goes to the other one of two paths */
	if (s->c->alt)
		bits ^= s->ep->events[GLASS_EV_PATH_MIG] & 1;
	CHECK(pkt->slid == s->hca->ports[1].lid + bits, "sent from LID %u after %u migrations", pkt->slid,
	      s->ep->events[GLASS_EV_PATH_MIG]);
}

#define NAKS(X, E, n, w, v, verb, wc, on, naks, ...) [v] = GLASS_NAKS_##naks,

/* A responder refuses a request only as the table of operations says. */
void check_answer(const struct side *s, const struct glass_pkt *pkt)
{
	static const u8 naks[GLASS_OP_COUNT] = { GLASS_WR_TABLE(NAKS, , ) };
	u32 n = pkt->flow - 1, nak;

	switch (pkt->syndrome & GLASS_AETH_KIND) {
	case GLASS_AETH_NAK:
		nak = 1u << (pkt->syndrome & GLASS_AETH_VALUE);
		break;
	case GLASS_AETH_RNR:
		nak = GLASS_NAKS_RNR;
		break;
	default:
		return;
	}
	if ((pkt->opcode & GLASS_BOP_MASK) != GLASS_BOP_ACK || s->peer->gone || n >= s->peer->posted)
		return;
	CHECK(naks[s->peer->list[n]->m->op] & nak, "message %u, operation %u, is refused by syndrome 0x%02x", n,
	      s->peer->list[n]->m->op, pkt->syndrome);
	sums.naks++;
}

void check_sent(struct side *s, const struct glass_pkt *pkt)
{
	const struct glass_pqp *q = &s->ep->q;
	u32 n = pkt->flow - 1, reads = 0, out;
	const struct sc_msg *m;
	const char *wrong;

	CHECK(!s->gone, "packet of message %u of a QP that is gone", n);
	CHECK(n >= s->done && n < s->posted, "packet of message %u; %u are done, %u posted", n,
	      s->done, s->posted);
	m = s->list[n]->m;
	CHECK(!op_local(m->op), "packet of local operation %u", n);
	CHECK(!s->list[n]->ended, "packet of message %u, which is over", n);
	if (!rc_requester(s))
		return;
	for (u32 i = q->req.tail; i < n; i++) {
		reads += op_answered(s->list[i]->m->op);
		CHECK(!op_local(s->list[i]->m->op) || s->list[i]->executed == 1,
		      "message %u sent before local operation %u", n, i);
	}
	CHECK(!m->fence || !reads, "message %u passed its fence: %u READs are not answered", n,
	      reads);
	CHECK(!op_answered(m->op) || reads < q->attr.max_rd_atomic,
	      "message %u sent behind %u READs", n, reads);
	out = (pkt->psn - s->budget.una) & GLASS_PSN_MASK;
	CHECK(out < 0x800000, "PSN %x, oldest without an answer %x", pkt->psn, s->budget.una);
	CHECK(out < 128, "PSN %x: %u are outstanding", pkt->psn, out);
	/* a message that begins; those before it have begun */
	for (; s->begun <= n; s->begun++) {
		if (!op_consumes(s->list[s->begun]->m->op))
			continue;
		CHECK(!s->credit_known || !out || s->consumed_begun <= s->credit_limit,
		      "message %u begins: %u took receives before it, credits are for %u", s->begun,
		      s->consumed_begun, s->credit_limit);
		s->consumed_begun++;
	}
	wrong = pe_budget_sent(&s->budget, pkt, side_now(s));
	CHECK(!wrong, "%s", wrong);
}

/* ---- completions ---- */

static void same(const u8 *at, u32 salt, u32 len, const char *what, u32 n)
{
	for (u32 i = 0; i < len; i++)
		CHECK(at[i] == pattern(salt, i), "%s %u: byte %u of %u is %02x, not %02x", what, n,
		      i, len, at[i], pattern(salt, i));
}

/* A message succeeded: its data is there, and all buffers are their owners' again. */
static void succeed(struct side *s, u32 n)
{
	struct msg *m = s->list[n];
	const struct sc_msg *x = m->m;

	CHECK(!x->bad, "bad message %u succeeded", n);
	m->good = !s->lied;
	sums.good++;
	if (op_sends(x->op))
		memset(mem_at(s->hca, K_SRC, m->src), USED, x->len);
	if (op_local(x->op))
		CHECK(m->executed == 1, "local operation %u: %u times", n, m->executed);
	/* a rule may have said that the peer has what it has not */
	if (!rc_requester(s) || s->lied)
		return;
	if (op_writes(x->op)) {
		same(mem_at(s->peer->hca, K_RMT, m->dst), m->salt, x->len, "WRITE", n);
		memset(mem_at(s->peer->hca, K_RMT, m->dst), USED, x->len);
	} else if (x->op == GLASS_OP_READ) {
		same(mem_at(s->hca, K_LOC, m->dst), m->salt, x->len, "READ", n);
		memset(mem_at(s->hca, K_LOC, m->dst), USED, x->len);
		memset(mem_at(s->peer->hca, K_SRC, m->src), USED, x->len);
	} else if (op_atomic(x->op)) {
		memcpy(&m->orig, mem_at(s->hca, K_LOC, m->dst), 8);
		memset(mem_at(s->hca, K_LOC, m->dst), USED, x->len);
		sums.atomics++;
	} else if (x->op == GLASS_OP_FLUSH || x->op == GLASS_OP_SEND_INV) {
		CHECK(m->executed == 1, "message %u: done %u times", n, m->executed);
	}
}

/* Are faults so few and times so short that a full budget survives them? */
static bool fair(const struct side *s)
{
	const struct scenario *sc = w->sc;
	u32 n = 0;

	for (u32 i = 0; i < sc->nfault; i++)
		n += sc->fault[i].conn == s->conn;
	/* a path that is dead is survived when both ends have left it */
	if (s->c->dead_at && (!s->ep->events[GLASS_EV_PATH_MIG] || !s->peer->ep->events[GLASS_EV_PATH_MIG]))
		return false;
	return !sc->nact && !sc->nrule && n <= 7 && sc->loss + sc->damage <= 30 &&
	       (!sc->delay || sc->delay_ns <= 50000) && s->ep->q.attr.retry_cnt == 7 &&
	       s->ep->q.attr.timeout >= 12 && s->c->held_ns <= 20000 &&
	       s->peer->ep->q.state != GLASS_QPS_ERR;
}

static bool may_fail(struct side *s, const struct sc_msg *x, enum glass_wc_status st)
{
	const struct glass_pqp *q = &s->ep->q;

	switch (st) {
	case GLASS_WC_RETRY_EXC_ERR:
		/* check_error() looks at the budget */
		return !fair(s);
	case GLASS_WC_RNR_RETRY_EXC_ERR:
		return q->attr.rnr_retry < 7;
	case GLASS_WC_REM_ACCESS_ERR:
		return x->bad == SC_BAD_RKEY || s->naks >> GLASS_NAK_REM_ACCESS & 1;
	case GLASS_WC_REM_INV_REQ_ERR:
		return s->peer->cut_short || s->naks >> GLASS_NAK_INV_REQ & 1;
	case GLASS_WC_REM_OP_ERR:
		return s->naks >> GLASS_NAK_REM_OP & 1;
	case GLASS_WC_LOC_PROT_ERR:
		return x->bad == SC_BAD_LKEY;
	default:
		return false;
	}
}

static void fail(struct side *s, u32 n, const struct glass_cqe *c)
{
	struct msg *m = s->list[n];

	if (c->status == GLASS_WC_WR_FLUSH_ERR) {
		sums.flushed++;
		CHECK(s->failed || s->acted ||
			      s->ep->q.first_error.cause == GLASS_CAUSE_RESP_ACCESS || s->cut_short,
		      "message %u flushed without an error", n);
	} else {
		sums.failed++;
		CHECK(!s->failed, "second error: message %u, status %u", n, c->status);
		CHECK(rc_requester(s) && may_fail(s, m->m, c->status),
		      "message %u (bad %u): status %u", n, m->m->bad, c->status);
	}
	s->failed = true;
	/* its owner may write to the buffer at once */
	if (op_sends(m->m->op))
		memset(mem_at(s->hca, K_SRC, m->src), USED, m->m->len);
}

static void sent(struct side *s, const struct glass_cqe *c)
{
	u32 n = c->wr_id;

	CHECK(!s->gone, "completion of message %u of a QP that is gone", n);
	CHECK(n >= s->done && n < s->posted, "completion of message %u; %u are told, %u posted", n,
	      s->done, s->posted);
	CHECK(c->wqe_index == n, "message %u: index %u", n, c->wqe_index);
	for (; s->done <= n; s->done++) {
		struct msg *m = s->list[s->done];

		m->ended = true;
		m->done_at = w->now;
		if (s->done == n && c->status != GLASS_WC_SUCCESS) {
			fail(s, n, c);
			continue;
		}
		CHECK(!s->failed, "success of message %u after an error", s->done);
		CHECK(!!m->m->signaled == (s->done == n), "message %u: signaled %u, told at %u",
		      s->done, m->m->signaled, n);
		succeed(s, s->done);
	}
	if (c->status == GLASS_WC_SUCCESS)
		CHECK(c->byte_len == s->list[n]->m->len, "message %u: %u bytes", n, c->byte_len);
}

/* Is this what message m carries? at: the payload in the receive buffer */
static bool fits(struct side *s, const struct msg *m, const struct glass_cqe *c, const u8 *at,
		 u32 len)
{
	bool write = m->m->op == GLASS_OP_WRITE_IMM;
	const u8 *p = write ? mem_at(s->hca, K_RMT, m->dst) : at;

	if (m->executed || m->m->len != len || m->m->solicited != c->solicited ||
	    c->has_imm != (write || m->m->op == GLASS_OP_SEND_IMM) ||
	    (c->has_imm && c->imm != (__be32)m->m->imm))
		return false;
	for (u32 i = 0; i < len; i++)
		if (p[i] != pattern(m->salt, i))
			return false;
	return true;
}

/* The peer's message that a receive completes, or NULL */
static struct msg *which(struct side *s, const struct glass_cqe *c, const u8 *at, u32 len)
{
	if (sc_rc(s->c))
		return s->received < s->nconsume ? s->consume[s->received] : NULL;
	if (s->c->type == GLASS_QPT_UD)
		return datagram_which(s, c, at, len);
	/* what another route carried may have overtaken */
	for (u32 i = w->link_trouble ? 0 : s->uc_next; i < s->nconsume; i++)
		if (fits(s, s->consume[i], c, at, len)) {
			s->uc_next = i + 1;
			return s->consume[i];
		}
	return NULL;
}

static void filled(const u8 *at, u8 with, u32 len, const char *what, u32 n)
{
	for (u32 i = 0; i < len; i++)
		CHECK(at[i] == with, "%s %u: byte %u is %02x, not %02x", what, n, i, at[i], with);
}

/* A receive that ended for its length: was the message longer? */
static void check_short(struct side *s, u32 n, u32 len)
{
	sums.too_short++;
	CHECK(!s->recv_failed, "receive %u is too short after an error", n);
	if (!sc_rc(s->c)) {
		/* of a shared queue alone; the QP goes on (IBA 9.9.3, class E) */
		CHECK(s->ep->rq_of, "receive %u: a message that is too long ended it, and is not reliable", n);
		return;
	}
	CHECK(s->received < s->nconsume && s->consume[s->received]->m->len > len,
	      "receive %u of %u bytes is said to be too short", n, len);
	s->cut_short = true;
	s->recv_failed = true;
}

/* The data of message m, which a receive completed */
static void arrived(struct side *s, const struct msg *m, const u8 *at, u32 len, u32 n)
{
	/* a rule told the sender that all had arrived, and its owner wrote to the buffer while a packet was out */
	bool reused = s->peer->lied && m->ended;

	for (u32 i = 0; i < len; i++)
		CHECK(at[i] == pattern(m->salt, i) || (reused && at[i] == USED), "receive %u: byte %u of %u is %02x, not %02x",
		      n, i, len, at[i], pattern(m->salt, i));
}

static void received(struct side *s, const struct glass_cqe *c)
{
	struct rqueue *q = s->ep->rq_of ? &s->hca->srq : &w->rq[s->id];
	bool ud = s->c->type == GLASS_QPT_UD;
	u32 n = (u32)c->wr_id, off = c->wr_id >> 32, len = c->byte_len - (ud ? GLASS_GRH_BYTES : 0);
	u8 *at = mem_at(s->hca, K_RCV, off);
	struct side *from;
	struct msg *m;
	u32 bits;

	CHECK(n < q->posted && off == q->base + n * q->stride, "receive %u", n);
	CHECK(!q->taken[n], "receive %u told twice", n);
	CHECK(!s->gone, "receive %u of a QP that is gone", n);
	q->taken[n] = 1;
	/* nobody writes behind it, whatever became of it */
	filled(at + q->len[n], BLANK, q->stride - GUARD - q->len[n], "behind receive", n);
	if (c->status == GLASS_WC_LOC_LEN_ERR) {
		check_short(s, n, q->len[n]);
		return;
	}
	if (c->status != GLASS_WC_SUCCESS) {
		CHECK(c->status == GLASS_WC_WR_FLUSH_ERR ||
			      (c->status == GLASS_WC_LOC_ACCESS_ERR && !s->recv_failed),
		      "receive %u: status %u", n, c->status);
		s->recv_failed = true;
		return;
	}
	CHECK(!s->recv_failed, "receive %u succeeded after an error", n);
	q->taken[n] = 2;
	m = which(s, c, at + (ud ? GLASS_GRH_BYTES : 0), len);
	CHECK(m, "receive %u: %u bytes of no message that was sent", n, len);
	s->received++;
	sums.received++;
	CHECK(m->ended ? m->good || s->peer->failed || s->peer->lied || s->peer->gone || s->c->type == GLASS_QPT_UD :
			 m->posted_at,
	      "receive %u of what was not posted", n);
	CHECK(len == m->m->len, "receive %u: %u of %u bytes", n, len, m->m->len);
	CHECK(c->has_imm == (m->m->op == GLASS_OP_SEND_IMM || m->m->op == GLASS_OP_WRITE_IMM) &&
		      (!c->has_imm || c->imm == (__be32)m->m->imm),
	      "receive %u: immediate data", n);
	CHECK(c->solicited == m->m->solicited, "receive %u: solicited %u", n, c->solicited);
	CHECK(c->op == (m->m->op == GLASS_OP_WRITE_IMM ? GLASS_WCOP_RECV_WRITE_IMM
						       : GLASS_WCOP_RECV),
	      "receive %u: op %u", n, c->op);
	CHECK(c->has_inv == (m->m->op == GLASS_OP_SEND_INV), "receive %u: invalidation", n);
	from = ud ? &w->side[c->src_qp - QPN(0)] : s->peer;
	bits = c->slid - from->hca->ports[1].lid;
	CHECK(c->has_grh == (ud && (from->c->grh || m->m->to >= S_TO_GROUP)), "receive %u: GRH", n);
	CHECK((from->c->alt ? bits | 1 : bits) ==
		      (from->c->alt ? (from->num ? from->c->bits1 : from->c->bits0) | 1 :
				      (from->num ? from->c->bits1 : from->c->bits0)),
	      "receive %u: from LID %u", n, c->slid);
	CHECK(c->src_qp == from->ep->q.qpn, "receive %u: from QP %x", n, c->src_qp);
	arrived(s, m, m->m->op == GLASS_OP_WRITE_IMM ? mem_at(s->hca, K_RMT, m->dst) : at + (ud ? GLASS_GRH_BYTES : 0),
		len, n);
	if (!sc_rc(s->c) && !ud)
		m->executed++;
	memset(at, USED, q->stride - GUARD);
}

void check_complete(struct pe_ep *ep, const struct glass_cqe *c)
{
	if (c->is_send)
		sent(ep->user, c);
	else
		received(ep->user, c);
}

/* ---- the end ---- */

static void end_msg(struct side *s, u32 n)
{
	struct msg *m = s->list[n];
	const struct sc_msg *x = m->m;
	u8 *at = op_writes(x->op)  ? mem_at(s->peer->hca, K_RMT, m->dst)
		 : op_reads(x->op) ? mem_at(s->hca, K_LOC, m->dst)
				   : NULL;

	if (x->op == GLASS_OP_FLUSH || x->op == GLASS_OP_SEND_INV)
		CHECK(m->executed <= 1, "message %u: done %u times", n, m->executed);
	if (!at)
		return;
	filled(at + x->len, BLANK, GUARD, "behind message", n);
	if (m->reclaimed && op_reads(x->op)) {
		filled(at, USED, x->len, "after RESET, message", n);
		return;
	}
	if (m->good && rc_requester(s)) {
		/* its owner has taken it back: who writes there now is late */
		filled(at, USED, x->len, "after message", n);
		return;
	}
	if (op_atomic(x->op))
		return;
	for (u32 i = 0; i < x->len; i++)
		CHECK(at[i] == BLANK || at[i] == pattern(m->salt, i),
		      "message %u: byte %u of %u is %02x, not %02x", n, i, x->len, at[i],
		      pattern(m->salt, i));
}

static void end_side(struct side *s)
{
	const struct glass_pqp *q = &s->ep->q;
	bool stopped = q->state == GLASS_QPS_SQD;
	struct rqueue *rq = &w->rq[s->id];

	CHECK(!s->frozen, "its time stands for ever");
	CHECK(!s->out && !q->lent && !s->reclaims, "a packet is held out for ever");
	sums.migrated += s->ep->events[GLASS_EV_PATH_MIG];
	if (s->gone) {
		CHECK(!s->ep->refs, "%d payload references", s->ep->refs);
		CHECK(s->dead || !q->deadline, "a timer in RESET");
		return;
	}
	CHECK(stopped || s->posted == s->nlist, "%u of %u messages posted", s->posted, s->nlist);
	CHECK(stopped || q->req.tail == q->req.head, "stuck: tail %u cur %u head %u", q->req.tail,
	      q->req.cur, q->req.head);
	CHECK(!q->deadline, "a timer for ever");
	s->acted |= stopped;
	pe_state(s->ep, GLASS_QPS_ERR, w->now);
	CHECK(q->req.tail == q->req.head, "send queue not empty");
	for (; s->done < s->posted; s->done++) {
		CHECK(!s->failed && !s->list[s->done]->m->signaled, "no completion of message %u",
		      s->done);
		s->list[s->done]->ended = true;
		s->list[s->done]->done_at = w->now;
		succeed(s, s->done);
	}
	CHECK(!s->ep->refs, "%d payload references", s->ep->refs);
	CHECK(!q->resp.rwqe_valid, "a receive is kept");
	for (u32 i = 0; !s->ep->rq_of && i < rq->posted; i++)
		CHECK(rq->taken[i], "receive %u was never told", i);
	CHECK(s->ep->events[GLASS_EV_QP_LAST_WQE_REACHED] ==
		      (q->has_srq && q->type != GLASS_QPT_XRC_TGT),
	      "LAST_WQE_REACHED %u times", s->ep->events[GLASS_EV_QP_LAST_WQE_REACHED]);
}

static void end_queue(struct rqueue *q)
{
	for (u32 i = 0; q->ep && i < q->posted; i++) {
		u8 *at = mem_at(q->hca, K_RCV, q->base + i * q->stride);

		filled(at + q->stride - GUARD, BLANK, GUARD, "behind receive", i);
		if (q->taken[i] == 2)
			filled(at, USED, q->stride - GUARD, "after receive", i);
		else if (!q->taken[i] && q->ep->rq_head != q->ep->rq_tail && i >= q->ep->rq_tail)
			filled(at, BLANK, q->stride - GUARD, "receive that is not taken", i);
	}
}

void check_end(void)
{
	CHECK(!w->flights, "%u packets are left", w->flights);
	for (u32 i = 0; i < S_CONNS * 2; i++)
		if (w->side[i].ep)
			end_side(&w->side[i]);
	for (u32 i = 0; i < S_CONNS * 2; i++) {
		struct side *s = &w->side[i];

		if (!s->ep)
			continue;
		for (u32 n = 0; n < s->nlist; n++)
			end_msg(s, n);
		/* what the sender was told to have arrived has arrived */
		for (u32 n = 0; sc_rc(s->c) && n < s->nconsume; n++)
			CHECK(!s->consume[n]->good || n < s->received,
			      "message %u succeeded and was not received", n);
		if (sc_clean(w->sc) && s->c->type == GLASS_QPT_UD && s->c->recv_first >= s->nconsume &&
		    !s->ep->rq_of && !s->c->recv_short)
			datagram_end(s);
		if (sc_clean(w->sc) && s->c->type == GLASS_QPT_UC && s->c->recv_first >= s->nconsume &&
		    !s->ep->rq_of && !s->c->recv_short && !s->c->alt)
			CHECK(s->received == s->nconsume,
			      "%u of %u datagrams came in a fabric without faults", s->received,
			      s->nconsume);
		end_queue(&w->rq[i]);
	}
	for (u32 i = 0; i < S_NODES; i++)
		if (w->hca[i].mem)
			end_queue(&w->hca[i].srq);
	check_atomics();
	fabric_end();
}
