// SPDX-License-Identifier: GPL-2.0-only
/* Scenarios from seeds. */
#include "sim.h"

static u64 state;

/* splitmix64 */
static u64 rnd(void)
{
	u64 z = state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static u32 below(u32 n)
{
	return rnd() % n;
}

static bool chance(u32 per_1000)
{
	return below(1000) < per_1000;
}

#define PICK(...)                                            \
	({                                                   \
		static const u32 these_[] = { __VA_ARGS__ }; \
		these_[below(ARRAY_SIZE(these_))];           \
	})

static void make_conn(struct scenario *sc, struct sc_conn *c, u32 nodes)
{
	c->used = 1;
	c->type = PICK(GLASS_QPT_RC, GLASS_QPT_RC, GLASS_QPT_RC, GLASS_QPT_RC, GLASS_QPT_UC,
		       GLASS_QPT_UD, GLASS_QPT_XRC_INI);
	c->node0 = below(nodes);
	c->node1 = (c->node0 + 1 + below(nodes - 1)) % nodes;
	c->mtu = PICK(256, 256, 512, 1024, 2048, 4096);
	c->timeout = 8 + below(7);
	c->retry_cnt = chance(600) ? 7 : below(8);
	c->rnr_retry = chance(600) ? 7 : below(8);
	c->min_rnr = 1 + below(12);
	c->rd_atomic = 1 + below(chance(500) ? 2 : 16);
	c->psn0 = chance(500) ? below(1 << 24) : 0xffffff - below(100);
	c->psn1 = chance(500) ? below(1 << 24) : 0xffffff - below(100);
	c->bits0 = below(1 << sc->node[c->node0].lmc);
	c->bits1 = below(1 << sc->node[c->node1].lmc);
	c->srq = c->type == GLASS_QPT_XRC_INI ? 2 : chance(250) ? below(4) : 0;
	c->grh = chance(150);
	c->sq_log = 2 + below(5);
	c->held = chance(500) ? 0 : 1 + below(1000);
	/* what is not acknowledged keeps its order only if all or none of it is held out */
	if (!sc_rc(c))
		c->held = chance(500) ? 0 : 1000;
	/* some longer than an ACK is waited for */
	c->held_ns = 1 + below(PICK(20000, 20000, 20000, 2000000, 10000000));
	if (!sc->bytes && c->type == GLASS_QPT_RC && chance(300)) {
		c->trains = below(PE_TRAIN + 1);
		c->later = chance(500);
	}
	if (c->later)
		c->timeout = 13 + below(2);
	c->recv_first = chance(500) ? S_MSGS : below(8);
	c->recv_gap = 1000 + below(chance(800) ? 100000 : 2000000);
	if (chance(60))
		c->recv_short = 1 + below(300);
	if (c->type == GLASS_QPT_UD && chance(700))
		c->groups = below(256) & 0x33;
	/* path bits are of ports with several LIDs: scenario_tidy() */
	if (glass_type_is_connected(c->type) && chance(400)) {
		c->alt = 1;
		c->dead_at = chance(400) ? 1 + below(2000000) : 0;
	}
}

/* UD: to whom */
static u8 random_target(const struct scenario *sc)
{
	u32 to[S_CONNS * 2], n = 0;

	for (u32 i = 0; i < S_CONNS * 2; i++)
		if (sc->conn[i / 2].used && sc->conn[i / 2].type == GLASS_QPT_UD)
			to[n++] = 1 + i;
	return n && chance(400) ? to[below(n)] : chance(500) ? S_TO_GROUP + below(S_GROUPS) : 0;
}

static u32 random_len(const struct sc_conn *c)
{
	switch (below(8)) {
	case 0:
		return 0;
	case 1:
		return 1 + below(8);
	case 2:
		return c->mtu * (1 + below(3));
	case 3:
		return c->mtu * (1 + below(3)) + below(3) - 1;
	case 4:
		return chance(300) ? below(25000) : min(below(10 * c->mtu), 12000u);
	default:
		return below(c->mtu + c->mtu / 2);
	}
}

#define OP(n, w, v) GLASS_OP_##n,
static const u8 all_ops[] = { GLASS_WR_OPS(OP) };

static void make_msg(const struct scenario *sc, struct sc_msg *m, u32 conn, u32 side, u64 span)
{
	const struct sc_conn *c = &sc->conn[conn];

	m->conn = conn;
	m->side = side;
	m->op = all_ops[below(ARRAY_SIZE(all_ops))];
	if (c->type == GLASS_QPT_UC)
		m->op = PICK(GLASS_OP_SEND, GLASS_OP_SEND_IMM, GLASS_OP_WRITE, GLASS_OP_WRITE_IMM);
	else if (c->type == GLASS_QPT_UD)
		m->op = PICK(GLASS_OP_SEND, GLASS_OP_SEND_IMM);
	m->len = random_len(c);
	if (op_atomic(m->op) || m->op == GLASS_OP_ATOMIC_WRITE)
		m->len = 8;
	if (m->op == GLASS_OP_FLUSH || op_local(m->op))
		m->len = 0;
	if (c->type == GLASS_QPT_UD) {
		m->len = min(m->len, (u32)c->mtu);
		m->to = random_target(sc);
	}
	m->imm = rnd();
	m->signaled = chance(700);
	m->solicited = chance(300);
	m->fence = chance(100);
	m->nsge = 1 + below(4);
	m->word = below(8);
	m->inl = (op_sends(m->op) && m->len <= 2048 && chance(200));
	m->at = rnd() % span;
	if (chance(3) && m->len && sc_rc(c))
		m->bad = m->inl || chance(500) ? SC_BAD_RKEY : SC_BAD_LKEY;
	if (m->bad == SC_BAD_RKEY && !op_answered(m->op) && !op_writes(m->op))
		m->bad = SC_GOOD;
}

static void make_acts(struct scenario *sc, u32 nodes, u64 span)
{
	for (u32 n = chance(350) ? 1 + below(3) : 0; n; n--) {
		struct sc_act *a = &sc->act[sc->nact++];
		u32 trunks[S_TRUNKS], nt = 0;

		for (u32 i = 0; i < S_TRUNKS; i++)
			if (sc->trunk[i].used)
				trunks[nt++] = S_NODES + i;
		a->at = rnd() % span;
		a->kind = SC_LINK_DOWN;
		a->what = nt && chance(600) ? trunks[below(nt)] : below(nodes);
		/* some never come back */
		if (chance(850)) {
			sc->act[sc->nact] = *a;
			sc->act[sc->nact].kind = SC_LINK_UP;
			sc->act[sc->nact++].at += 1 + below(chance(500) ? 100000 : 30000000);
		}
	}
	for (u32 n = chance(250) ? 1 + below(2) : 0; n; n--) {
		struct sc_act *a = &sc->act[sc->nact++];

		a->at = rnd() % span;
		a->what = below(S_CONNS * 2);
		a->kind = PICK(SC_QP_ERR, SC_QP_FATAL, SC_SQD, SC_RESET, SC_DESTROY);
		if (a->kind == SC_SQD) {
			sc->act[sc->nact] = *a;
			sc->act[sc->nact].kind = SC_RTS;
			sc->act[sc->nact++].at += 1 + below(3000000);
		}
	}
	for (u32 i = 0; i < S_CONNS * 2 && sc->nact < S_ACTS - 2; i++) {
		struct sc_act *a = &sc->act[sc->nact];

		if (!sc->conn[i / 2].used)
			continue;
		a->at = rnd() % span;
		a->what = i;
		if (sc->conn[i / 2].type == GLASS_QPT_UD && chance(150)) {
			a->kind = PICK(SC_JOIN, SC_LEAVE);
			a->what |= below(S_GROUPS) << 4;
			sc->nact++;
		} else if (sc->conn[i / 2].alt && chance(100)) {
			a->kind = PICK(SC_MIGRATE, SC_MIGRATE, SC_REARM);
			sc->nact++;
		}
	}
	if (chance(100)) {
		sc->act[sc->nact].kind = SC_SWEEP;
		sc->act[sc->nact++].at = rnd() % span;
	}
}

/* Cables between switches go elsewhere, also to one switch with both ends. */
static void make_moves(struct scenario *sc, u32 switches, u64 span)
{
	u32 trunks[S_TRUNKS], nt = 0, n = 1 + below(3);

	for (u32 i = 0; i < S_TRUNKS; i++)
		if (sc->trunk[i].used)
			trunks[nt++] = i;
	for (; nt && n && sc->nact < S_ACTS; n--) {
		struct sc_act *a = &sc->act[sc->nact++];

		a->at = rnd() % span;
		a->kind = SC_MOVE;
		a->what = trunks[below(nt)] | below(switches) << 3 | below(switches) << 5 |
			  (chance(200) ? 1 << 7 : 0);
	}
}

static void make_rule(struct scenario *sc, u32 nodes)
{
	static const char *const what[] = {
		"act=drop prob=%u%%",
		"act=drop every=%u",
		"act=delay time=20us jitter=10us prob=%u%%",
		"act=dup copies=2 prob=%u%%",
		"act=reorder gap=2 prob=%u%%",
		"act=corrupt prob=%u%%",
		"act=drop gemodel=2%%,%u%%",
		"act=nak code=psn_seq prob=%u%%",
		"act=nak code=inv_req every=%u0",
		"act=nak code=rem_op every=%u0",
		"act=rnr timer=2 prob=%u%%",
		"act=ack prob=%u%%",
		"act=hold every=%u",
	};
	/* what may be answered is said by the rule itself */
	static const char *const asked[] = { "", " dir=rx", " op=send", " len=1..300" };
	static const char *const which[] = {
		"",	    " dir=rx",	   " op=send,write", " op=ack", " op=read_resp",
		" round=1", " len=1..300", " op=read",
	};
	struct sc_rule *r = &sc->rule[sc->nrule++];
	u32 i = below(ARRAY_SIZE(what));
	char text[S_RULE_TEXT - 30];

	r->node = below(nodes);
	snprintf(text, sizeof(text), what[i], 2 + below(9));
	snprintf(r->text, sizeof(r->text), "add %s seed=%u%s qptype=rc", text, below(1000),
		 i >= 7 ? asked[below(ARRAY_SIZE(asked))] : which[below(ARRAY_SIZE(which))]);
}

void scenario_make(struct scenario *sc, u64 seed)
{
	u32 nodes, switches, conns, msgs;
	u64 span;

	memset(sc, 0, sizeof(*sc));
	state = seed * 0xd1342543de82ef95ULL + 1;
	sc->seed = seed;
	sc->bytes = chance(400);
	sc->latency = 50 + below(chance(800) ? 1000 : 50000);
	sc->sm_step = 100 + below(5000);
	sc->sm_light = 1000000 + below(5000000);
	sc->sm_loss = chance(300) ? below(200) : 0;
	sc->mkey = chance(300) ? rnd() : 0;
	if (chance(700)) {
		sc->loss = PICK(0, 2, 10, 30, 50, 100, 300);
		sc->dup = PICK(0, 0, 20, 100, 300);
		sc->delay = PICK(0, 0, 20, 100, 500);
		sc->delay_ns = 1 + below(chance(900) ? 50000 : 20000000);
		sc->damage = PICK(0, 0, 10, 50);
	}
	switches = 1 + below(S_SWITCHES);
	nodes = 2 + below(S_NODES - 1);
	sc->switches = (1 << switches) - 1;
	for (u32 i = 0; i < nodes; i++)
		sc->node[i] = (struct sc_node){ .used = 1, .sw = below(switches), .lmc = below(3) };
	for (u32 i = 1; i < switches; i++)
		sc->trunk[i - 1] = (struct sc_trunk){ .used = 1, .a = below(i), .b = i };
	for (u32 i = switches - 1; switches > 1 && i < S_TRUNKS && chance(500); i++) {
		sc->trunk[i] = (struct sc_trunk){ .used = 1, .a = below(switches) };
		sc->trunk[i].b = (sc->trunk[i].a + 1 + below(switches - 1)) % switches;
	}
	conns = 1 + below(S_CONNS);
	span = 1 + below(chance(700) ? 300000 : 5000000);
	for (u32 i = 0; i < conns; i++)
		make_conn(sc, &sc->conn[i], nodes);
	msgs = 1 + below(chance(700) ? 24 * conns : 8 * conns);
	for (u32 i = 0; i < msgs && sc->nmsg < S_MSGS; i++) {
		u32 conn = below(conns);
		bool one_way =
			sc->conn[conn].type == GLASS_QPT_XRC_INI || (sc->conn[conn].psn0 & 3) == 1;

		make_msg(sc, &sc->msg[sc->nmsg++], conn, one_way ? 0 : below(2), span);
	}
	make_acts(sc, nodes, span * 2);
	if (chance(300))
		make_rule(sc, nodes);
	/* last, so that the rest of a seed's scenario is what it was before cables moved */
	if (chance(250))
		make_moves(sc, switches, span * 2);
	scenario_tidy(sc);
}

static bool msg_fits(const struct scenario *sc, const struct sc_msg *m)
{
	const struct sc_conn *c;

	if (m->conn >= S_CONNS || !sc->conn[m->conn].used || m->side > 1)
		return false;
	c = &sc->conn[m->conn];
	if (c->type == GLASS_QPT_UD ? m->to >= S_TO_GROUP + S_GROUPS : m->to)
		return false;
	if (m->to && m->to < S_TO_GROUP &&
	    (m->to > S_CONNS * 2 || !sc->conn[(m->to - 1) / 2].used ||
	     sc->conn[(m->to - 1) / 2].type != GLASS_QPT_UD))
		return false;
	return c->type != GLASS_QPT_XRC_INI || !m->side;
}

static bool act_fits(const struct scenario *sc, const struct sc_act *a)
{
	switch (a->kind) {
	case SC_LINK_DOWN:
	case SC_LINK_UP:
		return a->what < S_NODES
			       ? sc->node[a->what].used
			       : a->what < S_NODES + S_TRUNKS && sc->trunk[a->what - S_NODES].used;
	case SC_MOVE:
		return sc->trunk[a->what & 7].used && sc->switches >> (a->what >> 3 & 3) & 1 &&
		       sc->switches >> (a->what >> 5 & 3) & 1;
	case SC_SWEEP:
		return true;
	case SC_JOIN:
	case SC_LEAVE:
		return a->what < S_GROUPS * 16 && sc->conn[(a->what & 15) / 2].used &&
		       sc->conn[(a->what & 15) / 2].type == GLASS_QPT_UD;
	case SC_MIGRATE:
	case SC_REARM:
		return a->what < S_CONNS * 2 && sc->conn[a->what / 2].used && sc->conn[a->what / 2].alt;
	default:
		return a->what < S_CONNS * 2 && sc->conn[a->what / 2].used &&
		       !(sc->conn[a->what / 2].type == GLASS_QPT_XRC_INI && (a->what & 1) &&
			 a->kind >= SC_SQD);
	}
}

#define KEEP(array, count, fits)                            \
	do {                                                \
		u32 n_ = 0;                                 \
		for (u32 i = 0; i < (count); i++)           \
			if (fits)                           \
				(array)[n_++] = (array)[i]; \
		(count) = n_;                               \
	} while (0)

void scenario_tidy(struct scenario *sc)
{
	for (u32 i = 0; i < S_NODES; i++)
		if (sc->node[i].used && !(sc->switches >> sc->node[i].sw & 1))
			sc->node[i].used = 0;
	for (u32 i = 0; i < S_TRUNKS; i++) {
		struct sc_trunk *t = &sc->trunk[i];

		if (t->used &&
		    (t->a == t->b || !(sc->switches >> t->a & 1) || !(sc->switches >> t->b & 1)))
			t->used = 0;
	}
	for (u32 i = 0; i < S_CONNS; i++) {
		struct sc_conn *c = &sc->conn[i];

		if (c->used &&
		    (!sc->node[c->node0].used || !sc->node[c->node1].used || c->node0 == c->node1))
			c->used = 0;
		/* path bits that a port does not have are another's LID */
		c->bits0 &= (1 << sc->node[c->node0].lmc) - 1;
		c->bits1 &= (1 << sc->node[c->node1].lmc) - 1;
		if (!sc->node[c->node0].lmc || !sc->node[c->node1].lmc || !glass_type_is_connected(c->type))
			c->alt = 0;
		if (!c->alt)
			c->dead_at = 0;
		if (c->type != GLASS_QPT_UD)
			c->groups = 0;
	}
	KEEP(sc->msg, sc->nmsg, msg_fits(sc, &sc->msg[i]));
	KEEP(sc->act, sc->nact, act_fits(sc, &sc->act[i]));
	KEEP(sc->fault, sc->nfault,
	     sc->fault[i].conn < S_CONNS && sc->conn[sc->fault[i].conn].used);
	KEEP(sc->rule, sc->nrule, sc->node[sc->rule[i].node].used);
}
