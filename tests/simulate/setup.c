// SPDX-License-Identifier: GPL-2.0-only
/* Queue pairs, their memory and their messages: made before a run, and freed after it. */
#include "sim.h"

/* ---- memory ---- */

static u32 take(u32 *len, u32 n, bool aligned)
{
	u32 at;

	if (aligned)
		*len = (*len + 7) & ~7u;
	at = *len;
	*len += n + GUARD;
	return at;
}

static void place_msg(struct msg *m, struct side *s)
{
	struct hca *own = s->hca, *far = s->peer->hca;
	u8 op = m->m->op;

	m->src = op == GLASS_OP_READ ? take(&far->src_len, m->m->len, false)
		 : op_sends(op)	     ? take(&own->src_len, m->m->len, false)
				     : 0;
	if (op_writes(op))
		m->dst = take(&far->rmt_len, m->m->len, op == GLASS_OP_ATOMIC_WRITE);
	else if (op_reads(op))
		m->dst = take(&own->loc_len, m->m->len, false);
}

static void fill(struct hca *h, u32 off, const struct msg *m)
{
	u8 *p = mem_at(h, K_SRC, off);

	for (u32 i = 0; i < m->m->len; i++)
		p[i] = pattern(m->salt, i);
}

static void make_memory(struct hca *h)
{
	static const struct {
		u32 key;
		u16 access;
	} regions[] = {
		{ K_SRC, GLASS_ACC_REMOTE_READ },
		{ K_RMT, GLASS_ACC_REMOTE_WRITE | GLASS_ACC_LOCAL_WRITE | GLASS_ACC_FLUSH_GLOBAL },
		{ K_LOC, GLASS_ACC_LOCAL_WRITE },
		{ K_RCV, GLASS_ACC_LOCAL_WRITE },
	};
	u32 lens[] = { h->src_len, h->rmt_len, h->loc_len, h->rcv_len };

	for (u32 i = 0; i < ARRAY_SIZE(regions); i++) {
		u32 len = lens[i] + GUARD;

		memset(pe_mr_add(h->mem, regions[i].key, len, regions[i].access)->mem, BLANK, len);
	}
	pe_mr_add(h->mem, K_ATM, 64, GLASS_ACC_REMOTE_ATOMIC);
}

/* ---- hooks of the environment ---- */

static bool on_local(struct pe_ep *ep, const struct glass_swqe *wqe)
{
	struct side *s = ep->user;
	u32 i = wqe->rkey - K_WR;

	CHECK(i < s->posted && s->list[i]->m->op == wqe->op, "local operation %u", i);
	CHECK(!s->list[i]->m->fence || ep->q.req.tail == i, "local operation %u passed its fence",
	      i);
	CHECK(!s->list[i]->executed++, "local operation %u done twice", i);
	return true;
}

static void on_invalidate(struct pe_ep *ep, u32 key)
{
	struct side *s = ep->user;
	u32 i = key - K_WR;

	CHECK(i < s->peer->posted && s->peer->list[i]->m->op == GLASS_OP_SEND_INV, "invalidates %x",
	      key);
	CHECK(!s->peer->list[i]->executed++, "invalidated by message %u twice", i);
}

static void on_flush(struct pe_ep *ep, u32 len)
{
	struct side *s = ep->user;

	CHECK(len < s->peer->posted && s->peer->list[len]->m->op == GLASS_OP_FLUSH, "flush %u",
	      len);
	CHECK(!s->peer->list[len]->executed++, "flush %u twice", len);
}

/* ---- making it ---- */

struct pe_cfg cfg_of(struct side *s)
{
	const struct sc_conn *c = s->c;
	struct pe_cfg cfg = { .type = c->type,
			      .mtu = c->mtu,
			      .timeout = c->timeout,
			      .retry_cnt = c->retry_cnt,
			      .rnr_retry = c->rnr_retry,
			      .min_rnr_timer = c->min_rnr,
			      .rd_atomic = c->rd_atomic,
			      .srq = c->srq >> s->num & 1,
			      .has_grh = c->grh,
			      .sq_entries = 1U << c->sq_log };

	if (c->type == GLASS_QPT_XRC_INI && s->num)
		cfg.type = GLASS_QPT_XRC_TGT;
	if (cfg.type == GLASS_QPT_XRC_INI)
		cfg.srq = false;
	return cfg;
}

static void make_side(u32 conn, u32 num)
{
	u32 id = conn * 2 + num;
	struct side *s = &w->side[id];
	struct pe_cfg cfg;

	s->c = &w->sc->conn[conn];
	s->conn = conn;
	s->num = num;
	s->id = id;
	s->peer = &w->side[id ^ 1];
	s->hca = &w->hca[num ? s->c->node1 : s->c->node0];
	s->ep = calloc(1, sizeof(*s->ep));
	cfg = cfg_of(s);
	pe_ep_init(s->ep, &cfg, QPN(id));
	s->ep->user = s;
	s->ep->mem_of = s->hca->mem;
	if (cfg.srq)
		s->ep->rq_of = s->hca->mem;
	s->ep->on_local = on_local;
	s->ep->on_invalidate = on_invalidate;
	s->ep->on_flush = on_flush;
	s->ep->on_complete = check_complete;
	s->now_in = s->ever_in = num ? s->c->groups >> 4 : s->c->groups & 15;
	for (u32 i = 0; i < 4; i++)
		s->seen[i / 2][i % 2] = calloc(1, 4096);
}

static struct rqueue *queue_of(struct side *s)
{
	return s->ep->rq_of ? &s->hca->srq : &w->rq[s->id];
}

/* How many receives, and how long: of a queue that several use the longest of all */
static void size_queue(struct rqueue *q, struct hca *h, struct pe_ep *ep, const struct sc_conn *c,
		       u32 spare)
{
	q->hca = h;
	q->ep = ep;
	q->planned = min(q->planned + spare, (u32)PE_RQ);
	q->first = c->recv_first;
	q->gap = max(c->recv_gap, 1u);
	q->stride += GLASS_GRH_BYTES + GUARD;
	q->base = take(&h->rcv_len, q->planned * q->stride, false);
	q->taken = calloc(q->planned + 1, sizeof(u32));
	q->len = calloc(q->planned + 1, sizeof(u32));
	q->shorts = c->recv_short;
}

/* Datagrams may come of any side; s->nconsume counts them all. */
static void size_datagrams(struct side *s, struct rqueue *q)
{
	for (u32 id = 0; id < S_CONNS * 2; id++) {
		struct side *from = &w->side[id];

		for (u32 i = 0; from->ep && i < from->nlist; i++) {
			if (!datagram_reaches(from->list[i], from, s))
				continue;
			s->nconsume++;
			q->stride = max(q->stride, from->list[i]->m->len);
			q->planned++;
		}
	}
}

void program_make(void)
{
	const struct scenario *sc = w->sc;
	u32 n = 0;

	for (u32 i = 0; i < S_NODES; i++)
		if (sc->node[i].used) {
			w->hca[i].mem = calloc(1, sizeof(struct pe_ep));
			w->hca[i].mem->pd = 7;
		}
	for (u32 i = 0; i < S_CONNS * 2; i++)
		if (sc->conn[i / 2].used)
			make_side(i / 2, i & 1);
	for (u32 id = 0; id < S_CONNS * 2; id++) {
		struct side *s = &w->side[id];

		if (!s->ep)
			continue;
		/* messages that wait for the same time keep their order */
		s->list = &w->index[n];
		for (u32 i = 0; i < sc->nmsg; i++) {
			struct msg *m = &w->msg[i];

			if (sc->msg[i].conn * 2u + sc->msg[i].side != id)
				continue;
			m->m = &sc->msg[i];
			m->salt = i + 1;
			m->operand = (((u64)i + 1) * 0x9e3779b97f4a7c15ULL) | 1;
			s->list[s->nlist++] = m;
			place_msg(m, s);
		}
		n += s->nlist;
	}
	for (u32 id = 0; id < S_CONNS * 2; id++) {
		struct side *s = &w->side[id], *p = s->peer;
		struct rqueue *q;

		if (!s->ep)
			continue;
		s->consume = &w->index[n];
		q = queue_of(s);
		if (s->c->type == GLASS_QPT_UD)
			size_datagrams(s, q);
		for (u32 i = 0; s->c->type != GLASS_QPT_UD && i < p->nlist; i++) {
			if (!op_consumes(p->list[i]->m->op))
				continue;
			s->consume[s->nconsume++] = p->list[i];
			q->stride = max(q->stride, p->list[i]->m->len);
			q->planned++;
		}
		n += s->c->type == GLASS_QPT_UD ? 0 : s->nconsume;
		if (s->ep->rq_of)
			q->planned += 2;
		else
			size_queue(q, s->hca, s->ep, s->c, 0);
	}
	for (u32 id = 0; id < S_CONNS * 2; id++) {
		struct side *s = &w->side[id];

		if (s->ep && s->ep->rq_of && !s->hca->srq.ep)
			size_queue(&s->hca->srq, s->hca, s->hca->mem, s->c, 0);
	}
	for (u32 i = 0; i < S_NODES; i++)
		if (sc->node[i].used)
			make_memory(&w->hca[i]);
	for (u32 id = 0; id < S_CONNS * 2; id++)
		for (u32 i = 0; i < w->side[id].nlist; i++) {
			struct msg *m = w->side[id].list[i];

			if (m->m->op == GLASS_OP_READ)
				fill(w->side[id].peer->hca, m->src, m);
			else if (op_sends(m->m->op))
				fill(w->side[id].hca, m->src, m);
		}
}

void program_end(void)
{
	for (u32 id = 0; id < S_CONNS * 2; id++) {
		struct side *s = &w->side[id];

		if (!s->ep)
			continue;
		for (u32 i = 0; i < 4; i++)
			free(s->seen[i / 2][i % 2]);
		free(w->rq[id].taken);
		free(w->rq[id].len);
		pe_ep_free(s->ep);
		free(s->ep);
	}
	for (u32 i = 0; i < S_NODES; i++)
		if (w->hca[i].mem) {
			free(w->hca[i].srq.taken);
			free(w->hca[i].srq.len);
			pe_ep_free(w->hca[i].mem);
			free(w->hca[i].mem);
		}
}
