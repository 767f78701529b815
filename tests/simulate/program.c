// SPDX-License-Identifier: GPL-2.0-only
/* Queue pairs, and the programs that post to them and poll. */
#include "sim.h"
#include "wire/serial.h"

static void recv_one(struct rqueue *q)
{
	u32 n = q->posted++;

	q->len[n] = q->stride - GUARD;
	if (sim_hash(w->sc->seed, q->base, n, 13) % 1000 < q->shorts)
		q->len[n] = sim_hash(w->sc->seed, q->base, n, 14) % q->len[n];
	pe_recv(q->ep, (u64)(q->base + n * q->stride) << 32 | n,
		pe_va(K_RCV, q->base + n * q->stride), q->len[n], K_RCV);
}

void recv_some(struct rqueue *q, u32 n)
{
	if (q->closed)
		return;
	while (n-- && q->posted < q->planned)
		recv_one(q);
	if (q->posted < q->planned)
		push(w->now + q->gap, EV_RECV, 0, q);
}

struct glass_av av_to(struct side *s, struct side *to)
{
	struct glass_av av = { .dlid = sm_lid(to->hca - w->hca), .port = 1 };

	av.dlid += to->num ? to->c->bits1 : to->c->bits0;
	av.path_bits = s->num ? s->c->bits1 : s->c->bits0;
	av.has_grh = s->c->grh;
	av.hop_limit = 1;
	CHECK(!glass_port_gid(&s->hca->ports[1], 0, av.sgid), "no GID");
	CHECK(!glass_port_gid(&to->hca->ports[1], 0, av.dgid), "no GID");
	return av;
}

void program_connect(void)
{
	struct pe_cfg cfg[S_CONNS * 2];
	struct glass_av av[S_CONNS * 2];

	for (u32 id = 0; id < S_CONNS * 2; id++) {
		struct side *s = &w->side[id];

		if (!s->ep)
			continue;
		s->ep->peer = s->peer->ep;
		cfg[id] = cfg_of(s);
		av[id] = av_to(s, s->peer);
		cfg[id].av = &av[id];
		pe_to_init(s->ep, &cfg[id]);
		if (!s->ep->rq_of)
			recv_some(&w->rq[id], s->c->recv_first);
		else if (!s->hca->srq.posted)
			recv_some(&s->hca->srq, max(s->hca->srq.first, 1u));
		cfg[id].psn = s->num ? s->c->psn0 : s->c->psn1;
		pe_to_rtr(s->ep, &cfg[id], w->now);
		cfg[id].psn = s->num ? s->c->psn1 : s->c->psn0;
		pe_to_rts(s->ep, &cfg[id], w->now);
		s->budget.una = s->ep->q.req.una;
		if (s->c->alt)
			verbs_load_alt(s);
	}
	for (u32 id = 0; id < S_CONNS * 2; id++)
		if (w->side[id].nlist)
			push(w->start + w->side[id].list[0]->m->at, EV_POST, 0, &w->side[id]);
}

/* ---- posting ---- */

static void split(struct glass_swqe *q, u32 key, u32 off, u32 len, const struct msg *m)
{
	u32 n = max(m->m->nsge, (u8)1);

	for (u32 i = 0; i < n; i++) {
		u32 part = i + 1 < n ? sim_hash(m->salt, i, 5, 5) % (len + 1) : len;

		q->sge[i] = (struct glass_sge){ .addr = pe_va(key, off), .len = part, .lkey = key };
		off += part;
		len -= part;
	}
	q->num_sge = n;
}

/* What an atomic compares with: what the word may hold by then */
static u64 guess(const struct side *s, const struct msg *m)
{
	u64 v;

	if (m->m->imm & 1)
		return 0;
	memcpy(&v, pe_mr_find(s->peer->hca->mem, K_ATM)->mem + m->m->word * 8, 8);
	return v;
}

static void post_one(struct side *s)
{
	u32 n = s->posted;
	struct msg *m = s->list[n];
	const struct sc_msg *x = m->m;
	struct glass_swqe *q = pe_wqe(s->ep, x->op, n);

	q->flags = (x->signaled ? GLASS_SWQE_SIGNALED : 0) |
		   (x->solicited ? GLASS_SWQE_SOLICITED : 0) | (x->fence ? GLASS_SWQE_FENCE : 0);
	q->len = x->len;
	q->imm = (__be32)x->imm;
	q->xrc_srq = PE_SRQ;
	q->flow = n + 1;
	if (x->inl) {
		q->flags |= GLASS_SWQE_INLINE;
		memcpy(q->data, mem_at(s->hca, K_SRC, m->src), x->len);
	} else if (op_reads(x->op)) {
		split(q, K_LOC, m->dst, x->len, m);
	} else if (op_sends(x->op)) {
		split(q, K_SRC, m->src, x->len, m);
	}
	if (x->op == GLASS_OP_READ) {
		q->rkey = K_SRC;
		q->raddr = pe_va(K_SRC, m->src);
	} else if (op_writes(x->op)) {
		q->rkey = K_RMT;
		q->raddr = pe_va(K_RMT, m->dst);
	} else if (x->op == GLASS_OP_FLUSH) {
		q->rkey = K_RMT;
		q->raddr = pe_va(K_RMT, 0);
		q->blen = n;
		q->access = GLASS_FETH_GLOBAL | GLASS_FETH_MR;
	} else if (x->op == GLASS_OP_SEND_INV || op_local(x->op)) {
		q->rkey = K_WR + n;
	} else if (op_atomic(x->op)) {
		m->cmp = x->op == GLASS_OP_CMP_SWAP ? guess(s, m) : 0;
		q->rkey = K_ATM;
		q->raddr = pe_va(K_ATM, x->word * 8);
		q->cmp_add = x->op == GLASS_OP_CMP_SWAP ? m->cmp : m->operand;
		q->swap = m->operand;
	}
	if (x->bad == SC_BAD_RKEY)
		q->rkey = K_NONE;
	else if (x->bad == SC_BAD_LKEY)
		for (u32 i = 0; i < q->num_sge; i++)
			q->sge[i].lkey = K_NONE;
	if (s->c->type == GLASS_QPT_UD) {
		q->qkey = QKEY;
		q->pkey_index = 0;
		q->av = datagram_av(s, x->to, &q->dqpn);
	}
	m->posted_at = w->now;
	s->posted++;
	sums.wrs++;
	pe_post(s->ep);
}

/* Its queue pair changed: what is it to be called for, and when? */
static void touch(struct side *s)
{
	struct glass_pqp *q = &s->ep->q;

	if (s->dead)
		return;
	if (!s->out && !s->pull_queued && glass_pqp_may_send(q) && glass_pqp_has_work(q, side_now(s))) {
		s->pull_queued = true;
		push(w->now + 1 + sim_hash(s->id, s->pulls, 1, 1) % 500, EV_PULL, 0, s);
	}
	if (!s->frozen && q->deadline && (!s->timer_at || q->deadline < s->timer_at)) {
		s->timer_at = q->deadline;
		push(q->deadline, EV_TIMER, 0, s);
	}
	if (glass_resp_ack_later(q) && !s->ack_queued) {
		s->ack_queued = true;
		push(w->now + sim_hash(s->id, w->order, 2, 2) % (GLASS_ACK_LATER_NS + 1), EV_ACK, 0,
		     s);
	}
}

static void post(struct side *s)
{
	u64 at;

	if (s->gone)
		return;
	/* the engine takes snapshots of what was posted between two packets */
	while (!s->out && s->posted < s->nlist && glass_sq_room(&s->ep->q)) {
		at = w->start + s->list[s->posted]->m->at;
		if (at > w->now) {
			if (s->post_at != at)
				push(at, EV_POST, 0, s);
			s->post_at = at;
			break;
		}
		post_one(s);
	}
	touch(s);
}

void program_touch(struct side *s)
{
	post(s);
}

/* ---- packets ---- */

static void fire(const struct sc_fault *f)
{
	if (report->nfired < S_FAULTS)
		report->fired[report->nfired] = *f;
	report->nfired++;
}

/* What becomes of this transmission: the faults of the scenario, by list and by chance */
static void faults(struct side *s, const struct glass_pkt *pkt, struct verdict *v)
{
	const struct scenario *sc = w->sc;
	u8 bop = pkt->opcode & GLASS_BOP_MASK;
	bool rc = sc_rc(s->c),
	     resp = rc && bop >= GLASS_BOP_READ_RESP_FIRST && bop <= GLASS_BOP_ATOMIC_ACK;
	struct sc_fault f = { .conn = s->conn, .side = s->num, .resp = resp };
	u32 first = s->num ^ resp ? s->c->psn1 : s->c->psn0;
	u64 h;

	f.rpsn = (pkt->psn - first) & GLASS_PSN_MASK;
	f.nth = ++s->seen[0][resp][f.rpsn & 4095];
	rules_ask(s->hca, s, GLASS_DIR_TX, pkt, v);
	/* the first path carries nothing any more */
	if (s->c->alt && s->c->dead_at && w->now >= w->start + s->c->dead_at &&
	    ((pkt->slid - s->hca->ports[1].lid) & 1) == ((s->num ? s->c->bits1 : s->c->bits0) & 1))
		v->drop = true;
	for (u32 i = 0; i < sc->nfault; i++) {
		const struct sc_fault *g = &sc->fault[i];

		if (g->conn != f.conn || g->side != f.side || g->resp != f.resp ||
		    g->nth != f.nth || g->rpsn != f.rpsn)
			continue;
		if (g->kind == SC_LOSS)
			v->drop = true;
		else if (g->kind == SC_DAMAGE)
			v->damage = true;
		else if (g->kind == SC_DUP && rc)
			v->copies++;
		else if (g->kind == SC_DELAY && rc)
			v->delay += g->arg;
	}
	h = sim_hash(sc->seed, (u64)f.conn << 32 | f.rpsn, (u64)f.nth << 8 | f.side << 1 | f.resp,
		     9);
#define CHANCE(n) ((h = sim_hash(h, 1, 2, 3)) % 1000 < (n))
	if (CHANCE(sc->loss)) {
		f.kind = SC_LOSS;
		v->drop = true;
		fire(&f);
	}
	if (CHANCE(sc->damage)) {
		f.kind = SC_DAMAGE;
		v->damage = true;
		fire(&f);
	}
	if (rc && CHANCE(sc->dup)) {
		f.kind = SC_DUP;
		v->copies++;
		fire(&f);
	}
	if (rc && CHANCE(sc->delay)) {
		f.kind = SC_DELAY;
		f.arg = h % (sc->delay_ns + 1);
		v->delay += f.arg;
		fire(&f);
	}
	sums.lost += v->drop;
	sums.damaged += v->damage;
	sums.dups += v->copies;
	sums.delayed += !!v->delay;
}

struct flight *flight_new(struct side *s, const struct glass_pkt *pkt)
{
	struct flight *f = calloc(1, sizeof(*f));

	w->flights++;
	f->pkt = *pkt;
	f->pkt.seg = f->seg;
	f->pkt.forged = 0;
	f->pkt.raw = 0;
	f->pkt.fate = NULL;
	f->pkt.wire = NULL;
	if (pkt->nseg)
		memcpy(f->seg, pkt->seg, pkt->nseg * sizeof(f->seg[0]));
	f->from = s;
	f->at = (struct glass_link_end){ .kind = GLASS_END_HCA,
					 .port = 1,
					 .index = s->hca - w->hca };
	return f;
}

/* The payload leaves the memory of the sender. */
void flight_own(struct flight *f)
{
	u8 *at = f->data = malloc(f->pkt.len + 1);

	for (u32 i = 0; i < f->pkt.nseg; i++) {
		memcpy(at, f->seg[i].addr, f->seg[i].len);
		at += f->seg[i].len;
	}
	f->seg[0] = (struct glass_seg){ .addr = f->data, .len = f->pkt.len };
	f->pkt.nseg = f->pkt.len ? 1 : 0;
}

static void address(struct side *s, struct glass_pkt *pkt)
{
	u8 bits = pkt->slid - (u16)s->ep->q.qpn;

	pkt->slid = s->hca->ports[1].lid + bits;
	pkt->pkey = s->hca->ports[1].pkeys[0];
}

/*
 * A rule answers in the place of the peer, as inject/forge.c does. dir: where the request was: at
 * its sender, to whom the answer comes as if from the cable, or at its receiver, who sends it.
 */
static void forge(struct side *s, enum glass_dir dir, const struct glass_pkt *pkt, u8 syndrome)
{
	struct side *asked = dir == GLASS_DIR_TX ? s->peer : s;
	const struct glass_pqp *q = &s->ep->q;
	struct glass_pkt ans = {
		.opcode = GLASS_BOP_ACK | (q->type == GLASS_QPT_RC ? GLASS_TR_RC : GLASS_TR_XRC),
		.lnh = pkt->lnh,
		.sl = pkt->sl,
		.mig = pkt->mig,
		.pkey = pkt->pkey,
		.psn = pkt->psn,
		.slid = pkt->dlid,
		.dlid = pkt->slid,
		.dqpn = asked->peer->ep->q.qpn,
		.syndrome = syndrome,
		.msn = dir == GLASS_DIR_TX ? q->req.ssn : q->resp.msn,
	};
	struct flight *f;

	if (pkt->lnh == GLASS_LNH_GLOBAL) {
		ans.grh = pkt->grh;
		ans.grh.pay_len = GLASS_BTH_BYTES + GLASS_AETH_BYTES + GLASS_ICRC_BYTES;
		memcpy(ans.grh.sgid, pkt->grh.dgid, sizeof(ans.grh.sgid));
		memcpy(ans.grh.dgid, pkt->grh.sgid, sizeof(ans.grh.dgid));
	}
	sums.forged++;
	asked->peer->lied = true;
	if ((syndrome & GLASS_AETH_KIND) == GLASS_AETH_NAK)
		asked->peer->naks |= 1 << (syndrome & GLASS_AETH_VALUE);
	f = flight_new(asked, &ans);
	f->forged = true;
	if (dir == GLASS_DIR_TX)
		push(w->now, EV_HOP, 0, f);
	else
		fabric_send(f);
	if (dir == GLASS_DIR_TX)
		f->at = (struct glass_link_end){ .kind = GLASS_END_HCA, .port = 1, .index = s->hca - w->hca };
}

/* Copies that were made at once, for as many as there are */
static void send_copies(struct side *s, const struct glass_pkt *pkt, const struct verdict *v)
{
	for (u32 i = 0; i < 1 + v->copies; i++) {
		struct flight *f = flight_new(s, pkt);

		flight_own(f);
		f->damaged = v->damage;
		f->slow = v->delay;
		if (v->drop)
			flight_free(f);
		else if (v->delay)
			push(w->now + v->delay, EV_HOP, 1, f);
		else
			fabric_send(f);
	}
}

/* Does it wait, or go behind one that waits? Then it goes when that one does, in order. */
static void hold(struct side *s, struct verdict *v)
{
	u64 until = rules_hold(s, GLASS_DIR_TX, v);

	if (until)
		v->delay = until - w->now;
}

static bool pull_one(struct side *s)
{
	struct pe_before b = check_before(s);
	struct glass_pkt *pkt = &s->tx.pkt;
	struct verdict v;
	u64 h = sim_hash(w->sc->seed, s->id, s->pulls++, 4);
	u8 bop;

	s->ep->q.max_more = w->sc->nrule ? 0 : s->c->trains;
	s->ep->q.ack_later = s->c->later && !w->sc->nrule;
	if (!pe_next(s->ep, &s->tx, side_now(s))) {
		check_after(s, b, NULL);
		return false;
	}
	sums.packets++;
	sums.trains += !!pkt->more;
	address(s, pkt);
	check_path(s, pkt);
	bop = pkt->opcode & GLASS_BOP_MASK;
	if (sc_rc(s->c) && GLASS_BTHS_DO(ANSWER) >> bop & 1)
		check_answer(s, pkt);
	else
		check_sent(s, pkt);
	if (h % 1000 < s->c->held) {
		/* it stays lent; what becomes of it shows when it is delivered */
		s->out = true;
		sums.held++;
		check_after(s, b, NULL);
		push(w->now + 1 + (h >> 20) % s->c->held_ns, EV_BACK, 0, s);
		return true;
	}
	faults(s, pkt, &v);
	if (v.answer)
		forge(s, GLASS_DIR_TX, pkt, v.syndrome);
	hold(s, &v);
	send_copies(s, pkt, &v);
	pe_sent(s->ep, &s->tx);
	check_after(s, b, NULL);
	return true;
}

static void pull(struct side *s)
{
	u32 n = 1 + sim_hash(s->id, s->pulls, 6, 6) % 8;

	s->pull_queued = false;
	while (!s->out && n-- && pull_one(s))
		;
	post(s);
}

/* The packet that was held out is delivered, from the memory as it is now. */
static void back(struct side *s)
{
	struct pe_before b;
	struct verdict v;
	bool flush;
	u64 until;

	faults(s, &s->tx.pkt, &v);
	if (v.answer)
		forge(s, GLASS_DIR_TX, &s->tx.pkt, v.syndrome);
	if (!v.drop) {
		struct flight *f = flight_new(s, &s->tx.pkt);

		f->damaged = v.damage;
		until = rules_hold(s, GLASS_DIR_TX, &v);
		if (until) {
			flight_own(f);
			f->slow = true;
			push(until, EV_HOP, 1, f);
		} else {
			f->held = true;
			fabric_carry(f);
		}
	}
	s->out = false;
	if (s->dead) {
		/* the engine ends what is lent, and asks the core nothing any more */
		glass_env_payload_put(&s->ep->q, &s->tx.pkt);
		s->ep->q.lent = 0;
		verbs_reclaim(s);
		return;
	}
	b = check_before(s);
	flush = s->ep->q.lent & GLASS_LENT_FLUSH;
	sums.late_flush += flush;
	pe_sent(s->ep, &s->tx);
	CHECK(!s->ep->q.lent, "still lent");
	if (s->reclaims)
		verbs_reclaim(s);
	check_after(s, b, NULL);
	post(s);
}

void program_deliver(struct hca *h, struct flight *f)
{
	struct glass_port *p = &h->ports[1];
	u32 id = f->pkt.dqpn - QPN(0);
	struct glass_rx_meta meta = { .dlid_path_bits = f->pkt.dlid & ((1 << p->lmc) - 1) };
	struct verdict v;
	struct side *s;
	u64 until;
	int pkey = glass_port_pkey_index(p, f->pkt.pkey);

	CHECK(id < S_CONNS * 2 && w->side[id].ep, "QP %x", f->pkt.dqpn);
	CHECK(pkey >= 0, "P_Key %x", f->pkt.pkey);
	s = &w->side[id];
	CHECK(s->hca == h && (s->peer == f->from || s->c->type == GLASS_QPT_UD),
	      "packet of QP %x came to QP %x", f->from->ep->q.qpn, f->pkt.dqpn);
	if (s->dead)
		return;
	meta.pkey_index = pkey;
	memset(&v, 0, sizeof(v));
	if (!f->forged)
		rules_ask(h, s, GLASS_DIR_RX, &f->pkt, &v);
	if (v.answer)
		forge(s, GLASS_DIR_RX, &f->pkt, v.syndrome);
	if (v.drop || v.damage)
		return;
	until = f->forged ? 0 : rules_hold(s, GLASS_DIR_RX, &v);
	if (until) {
		f = flight_copy(f);
		f->forged = true;
		push(until, EV_LATE, h - w->hca, f);
		return;
	}
	for (u32 i = 0; i < 1 + v.copies; i++) {
		struct pe_before b = check_before(s);

		if (glass_type_is_connected(s->ep->q.type))
			glass_pqp_migrate_rx(&s->ep->q, &f->pkt, 1, true);
		glass_pqp_rx(&s->ep->q, &f->pkt, &meta, side_now(s));
		check_after(s, b, &f->pkt);
		post(s);
	}
}

void program_event(const struct event *e)
{
	struct side *s = e->p;
	struct pe_before b;

	if (e->kind == EV_LATE) {
		program_deliver(&w->hca[e->arg], e->p);
		flight_free(e->p);
		return;
	}
	/* of a QP that is destroyed only what waits for others goes on */
	if (e->kind != EV_RECV && e->kind != EV_ACT && e->kind != EV_BACK && e->kind != EV_STEP && s->dead)
		return;
	switch (e->kind) {
	case EV_POST:
		post(s);
		break;
	case EV_PULL:
		pull(s);
		break;
	case EV_BACK:
		back(s);
		break;
	case EV_TIMER:
		s->timer_at = 0;
		b = check_before(s);
		if (!s->frozen && s->ep->q.deadline && s->ep->q.deadline <= w->now)
			glass_pqp_timer(&s->ep->q, w->now);
		check_after(s, b, NULL);
		post(s);
		break;
	case EV_ACK:
		s->ack_queued = false;
		b = check_before(s);
		glass_pqp_ack_now(&s->ep->q);
		check_after(s, b, NULL);
		touch(s);
		break;
	case EV_STEP:
		rules_step(s);
		post(s);
		break;
	case EV_RECV:
		recv_some(e->p, 1 + sim_hash(w->order, w->now, 8, 8) % 8);
		break;
	case EV_ACT:
		s = &w->side[w->sc->act[e->arg].what & 15];
		if (s->ep && !s->gone)
			verbs_act(s, &w->sc->act[e->arg]);
		break;
	default:
		CHECK(0, "event %u", e->kind);
	}
}
