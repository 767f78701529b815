// SPDX-License-Identifier: GPL-2.0-only
/*
 * RC exact under every loss: two endpoints of the protocol core over a wire that
 * loses, doubles, delays, reorders and damages packets, with random work, attributes
 * and times. On some wires packets are their wire bytes, and damaged ones must be
 * found by their CRCs; on some, trains of packets go as one.
 *
 * Checked: every WR completes once and in order, with success, or with the error
 * that it was made to have, or with RETRY_EXC or RNR_RETRY_EXC when the budget was
 * really spent, and flushes after it; receives complete in order with the bytes of
 * their message; data is equal; memory that is nobody's target is not touched;
 * atomics happen at most once, and exactly once where they succeed; nothing passes a
 * fence; no timer ends too early or too late.
 *
 * GLASS_SEEDS=N how many seeds (10000); GLASS_SEED=N that one alone.
 */
#include "harness.h"
#include "prop.h"
#include "wire/serial.h"

static const char *const status_words[GLASS_WC_COUNT] = GLASS_WORDS(GLASS_WC_STATUSES);

struct sim *sim;

/* What all seeds together saw, so that a reader sees that they saw something */
static struct {
	u64 packets, bytes, lost, damaged, wrs, good, retries, rnr, dups, trains, later;
	u64 ended[GLASS_WC_COUNT];
} total;

static bool chance(u32 per_1000)
{
	return rnd_below(1000) < per_1000;
}

/* ---- making the work ---- */

static u32 random_len(u32 mtu)
{
	switch (rnd_below(8)) {
	case 0:
		return 0;
	case 1:
		return 1 + rnd_below(8);
	case 2:
		return mtu * (1 + rnd_below(3));
	case 3:
		return mtu * (1 + rnd_below(3)) + rnd_below(3) - 1;
	case 4:
		return rnd_below(min(12 * mtu, (u32)SRC_LEN));
	default:
		return rnd_below(mtu + mtu / 2);
	}
}

#define OP(n, w, v) GLASS_OP_##n,
static const enum glass_wr_op all_ops[] = { GLASS_WR_OPS(OP) };

static void make_wr(struct side *s, u32 i, u32 mtu, u32 *reads)
{
	struct wr *w = &s->wr[i];

	memset(w, 0, sizeof(*w));
	w->op = all_ops[rnd_below(ARRAY_SIZE(all_ops))];
	w->len = random_len(mtu);
	w->imm = rnd();
	w->signaled = chance(700);
	w->solicited = chance(300);
	w->fence = chance(100);
	w->nsge = 1 + rnd_below(4);
	w->src = rnd_below(SRC_LEN - w->len + 1);
	switch (w->op) {
	case GLASS_OP_SEND:
	case GLASS_OP_SEND_IMM:
	case GLASS_OP_SEND_INV:
	case GLASS_OP_WRITE_IMM:
		w->consumes = true;
		w->recv = s->peer->nrwr++;
		s->peer->rwr[w->recv].wr = i;
		break;
	case GLASS_OP_CMP_SWAP:
	case GLASS_OP_FETCH_ADD:
		w->len = 8;
		w->word = rnd_below(8);
		w->operand = ((u64)(i + 1) << 32) | (s->ep->q.qpn << 8) | 1;
		w->cmp = 0;
		break;
	case GLASS_OP_ATOMIC_WRITE:
		w->len = 8;
		s->peer->rmt_len = (s->peer->rmt_len + 7) & ~7u;
		break;
	case GLASS_OP_FLUSH:
	case GLASS_OP_LOCAL_INV:
	case GLASS_OP_BIND_MW:
	case GLASS_OP_REG_MR:
		w->len = 0;
		break;
	default:
		break;
	}
	/* those that always bring 8 bytes may begin too late for them */
	w->src = min(w->src, SRC_LEN - w->len);
	if (op_answered(w->op))
		++*reads;
	if (op_writes(w->op)) {
		w->dst = s->peer->rmt_len;
		s->peer->rmt_len += w->len + GUARD;
	} else if (op_reads(w->op)) {
		w->dst = s->loc_len;
		s->loc_len += w->len + GUARD;
	}
	w->inl = (w->op <= GLASS_OP_SEND_IMM || w->op == GLASS_OP_SEND_INV ||
		  w->op == GLASS_OP_ATOMIC_WRITE) && w->len <= 2048 && chance(200);
	if (w->consumes && w->op != GLASS_OP_WRITE_IMM) {
		struct rwr *r = &s->peer->rwr[w->recv];

		r->len = w->len + rnd_below(10);
	}
}

static void make_bad(struct side *s)
{
	struct wr *w = &s->wr[rnd_below(s->nwr)];
	bool send = op_is_send(w->op);

	w->how = rnd_below(4);
	switch (rnd_below(4)) {
	case 0:
		if (!send && w->len)
			w->bad = BAD_RKEY;
		break;
	case 1:
		if (!w->inl && w->len)
			w->bad = BAD_LKEY;
		break;
	case 2:
		w->bad = BAD_STATUS;
		break;
	default:
		if (send && w->len) {
			w->bad = chance(500) ? BAD_RECV : BAD_RECV_MEM;
			if (w->bad == BAD_RECV)
				s->peer->rwr[w->recv].len = rnd_below(w->len);
		}
	}
}

static void on_atomic(struct pe_ep *ep, u64 addr, u8 bop, u64 cmp, u64 operand, u64 orig)
{
	struct side *s = ep->user; /* where the memory is */
	u32 i = (operand >> 32) - 1;
	struct wr *w;

	(void)cmp;
	CHECK(i < s->peer->nwr, "atomic with operand %llx", (unsigned long long)operand);
	w = &s->peer->wr[i];
	CHECK(w->operand == operand && addr == pe_va(K_ATM, w->word * 8), "wr %u", i);
	CHECK((bop == GLASS_BOP_CMP_SWAP) == (w->op == GLASS_OP_CMP_SWAP), "wr %u", i);
	w->executed++;
	w->orig = orig;
	CHECK(w->executed == 1, "atomic of wr %u carried out twice", i);
}

/* What local operations and the peer's requests without data do: only that they did is kept. */
static bool on_local(struct pe_ep *ep, const struct glass_swqe *w)
{
	struct side *s = ep->user;
	u32 i = w->rkey - K_WR;

	CHECK(i < s->posted && s->wr[i].op == w->op, "local operation %u", i);
	CHECK(!s->wr[i].fence || ep->q.req.tail == i, "local operation %u passed its fence", i);
	CHECK(!s->wr[i].executed++, "local operation %u done twice", i);
	return true;
}

static void on_invalidate(struct pe_ep *ep, u32 key)
{
	struct side *s = ep->user;
	u32 i = key - K_WR;

	CHECK(i < s->peer->posted && s->peer->wr[i].op == GLASS_OP_SEND_INV, "invalidates %x", key);
	s->peer->wr[i].executed++;
}

static void on_flush(struct pe_ep *ep, u32 len)
{
	struct side *s = ep->user;

	CHECK(len < s->peer->posted && s->peer->wr[len].op == GLASS_OP_FLUSH, "flush %u", len);
	s->peer->wr[len].executed++;
}

static void make_memory(struct side *s, u32 salt)
{
	struct pe_ep *ep = s->ep;

	pe_fill(pe_mr_add(ep, K_SRC, SRC_LEN, GLASS_ACC_REMOTE_READ)->mem, SRC_LEN, salt);
	memset(pe_mr_add(ep, K_RMT, s->rmt_len + GUARD,
			 GLASS_ACC_REMOTE_WRITE | GLASS_ACC_LOCAL_WRITE |
				 GLASS_ACC_FLUSH_GLOBAL)->mem,
	       BLANK, s->rmt_len + GUARD);
	memset(pe_mr_add(ep, K_LOC, s->loc_len + GUARD, GLASS_ACC_LOCAL_WRITE)->mem, BLANK,
	       s->loc_len + GUARD);
	memset(pe_mr_add(ep, K_RCV, s->rcv_len + GUARD, GLASS_ACC_LOCAL_WRITE)->mem, BLANK,
	       s->rcv_len + GUARD);
	pe_mr_add(ep, K_ATM, 64, GLASS_ACC_REMOTE_ATOMIC);
	pe_mr_add(ep, K_ALIEN, SRC_LEN, 15)->pd++;
}

/* ---- the program at one side ---- */

static void split(struct glass_swqe *w, u32 key, u32 off, u32 len, u32 n)
{
	for (u32 i = 0; i < n; i++) {
		u32 part = i + 1 < n ? rnd_below(len + 1) : len;

		w->sge[i].addr = pe_va(key, off);
		w->sge[i].len = part;
		w->sge[i].lkey = key;
		off += part;
		len -= part;
	}
	w->num_sge = n;
}

/* A key of nothing, of another domain, or without the right; or beyond the end */
static void spoil_rkey(struct side *s, const struct wr *r, struct glass_swqe *w)
{
	static const u32 keys[] = { K_NONE, K_ALIEN, K_LOC };

	if (r->how < ARRAY_SIZE(keys)) {
		w->rkey = keys[r->how];
		w->raddr = pe_va(w->rkey, 0);
	} else {
		u32 size = pe_mr_find(s->peer->ep, w->rkey)->len;

		/* its last byte lies behind the end; of an atomic that is aligned all the same */
		bool bytes = r->op == GLASS_OP_READ || r->op <= GLASS_OP_SEND_IMM;

		w->raddr = pe_va(w->rkey, bytes ? size - r->len + 1 : (size - r->len + 8) & ~7u);
	}
}

static void spoil_lkey(struct side *s, const struct wr *r, struct glass_swqe *w)
{
	static const u32 keys[] = { K_NONE, K_ALIEN };

	if (r->how < ARRAY_SIZE(keys)) {
		for (u32 i = 0; i < w->num_sge; i++) {
			w->sge[i].lkey = keys[r->how];
			w->sge[i].addr = pe_va(keys[r->how], 0);
		}
	} else {
		/* its last byte lies behind the end */
		u32 key = w->sge[0].lkey;

		split(w, key, op_reads(r->op) ? r->dst : r->src, r->len - 1, 1);
		w->sge[1].addr = pe_va(key, pe_mr_find(s->ep, key)->len);
		w->sge[1].lkey = key;
		w->sge[1].len = 1;
		w->num_sge = 2;
	}
}

static void post_one(struct side *s)
{
	struct wr *r = &s->wr[s->posted];
	struct glass_swqe *w = pe_wqe(s->ep, r->op, s->posted);

	w->flags = (r->signaled ? GLASS_SWQE_SIGNALED : 0) |
		   (r->solicited ? GLASS_SWQE_SOLICITED : 0) | (r->fence ? GLASS_SWQE_FENCE : 0);
	w->len = r->len;
	w->imm = (__be32)r->imm;
	if (r->inl) {
		w->flags |= GLASS_SWQE_INLINE;
		memcpy(w->data, pe_mr_find(s->ep, K_SRC)->mem + r->src, r->len);
	} else if (op_reads(r->op)) {
		split(w, K_LOC, r->dst, r->len, r->nsge);
	} else {
		split(w, K_SRC, r->src, r->len, r->nsge);
	}
	if (r->op == GLASS_OP_READ) {
		w->rkey = K_SRC;
		w->raddr = pe_va(K_SRC, r->src);
	} else if (op_writes(r->op)) {
		w->rkey = K_RMT;
		w->raddr = pe_va(K_RMT, r->dst);
	} else if (r->op == GLASS_OP_FLUSH) {
		w->rkey = K_RMT;
		w->raddr = pe_va(K_RMT, 0);
		w->blen = s->posted;
		w->access = GLASS_FETH_GLOBAL | GLASS_FETH_MR;
	} else if (r->op == GLASS_OP_SEND_INV || op_local(r->op)) {
		w->rkey = K_WR + s->posted;
	} else {
		w->rkey = K_ATM;
		w->raddr = pe_va(K_ATM, r->word * 8);
		w->cmp_add = r->op == GLASS_OP_CMP_SWAP ? r->cmp : r->operand;
		w->swap = r->operand;
	}
	if (r->bad == BAD_RKEY)
		spoil_rkey(s, r, w);
	else if (r->bad == BAD_LKEY)
		spoil_lkey(s, r, w);
	else if (r->bad == BAD_STATUS)
		w->status = GLASS_WC_LOC_QP_OP_ERR;
	s->posted++;
	pe_post(s->ep);
}

static void recv_one(struct side *s)
{
	struct rwr *r = &s->rwr[s->rposted];
	bool bad = s->peer->wr[r->wr].bad == BAD_RECV_MEM;

	pe_recv(s->ep, s->rposted++, pe_va(bad ? K_SRC : K_RCV, r->off), r->len, bad ? K_SRC : K_RCV);
}

static void app(struct side *s)
{
	enum glass_qp_state st = s->ep->q.state;
	u32 n;

	if (s->recv_at <= sim->now && s->rposted < s->nrwr) {
		for (n = 1 + rnd_below(8); n && s->rposted < s->nrwr; n--)
			recv_one(s);
		s->recv_at = s->rposted < s->nrwr ? sim->now + rnd_below(400000) : ~0ULL;
	}
	if (s->post_at <= sim->now) {
		for (n = 1 + rnd_below(12); n && s->posted < s->nwr && glass_sq_room(&s->ep->q); n--)
			post_one(s);
		s->post_at = s->posted < s->nwr ? sim->now + 1 + rnd_below(100000) : ~0ULL;
	}
	if (s->sqd_at <= sim->now) {
		if (st == GLASS_QPS_RTS)
			pe_state(s->ep, GLASS_QPS_SQD, sim->now);
		s->sqd_at = ~0ULL;
	}
	if (s->rts_at <= sim->now) {
		if (s->ep->q.state == GLASS_QPS_SQD)
			pe_state(s->ep, GLASS_QPS_RTS, sim->now);
		s->rts_at = ~0ULL;
	}
}

/* ---- the wire ---- */

static void put_on_wire(struct pe_wire *w)
{
	struct pe_wire **pp = &sim->wire;

	while (*pp && ((*pp)->when < w->when ||
		       ((*pp)->when == w->when && (*pp)->order < w->order)))
		pp = &(*pp)->next;
	w->next = *pp;
	*pp = w;
}

/* Some bits change, or the end is cut off. Must be found. */
static void damage(u8 *bytes, u32 len)
{
	struct glass_pkt pkt;
	struct glass_seg seg;
	enum glass_drop why;

	if (chance(200)) {
		len = rnd_below(len);
	} else {
		u32 bit = rnd_below(len * 8);
		u32 other = rnd_below(len * 8);

		bytes[bit / 8] ^= 1 << bit % 8;
		if (other != bit && chance(500))
			bytes[other / 8] ^= 1 << other % 8;
	}
	CHECK(glass_pkt_parse(&pkt, &seg, bytes, len, 0, &why), "damage was not seen");
	total.damaged++;
}

/* The packet as its wire bytes; false: they did not survive */
static bool as_bytes(struct pe_wire *w, const struct glass_pkt *pkt)
{
	enum glass_drop why;
	int len = glass_pkt_build(pkt, w->data, GLASS_PKT_WIRE_MAX);

	CHECK(len > 0, "packet cannot be built: %d", len);
	total.bytes++;
	if (chance(sim->damage)) {
		damage(w->data, len);
		return false;
	}
	CHECK(!glass_pkt_parse(&w->pkt, &w->seg, w->data, len, 0, &why), "bad packet: %u", why);
	return true;
}

static void transmit(const struct pe_wire *from, bool to_b)
{
	int copies = chance(sim->dup) ? 2 + rnd_below(2) : 1;

	while (copies--) {
		bool bytes = sim->bytes && !from->pkt.more;
		struct pe_wire *w;

		if (chance(sim->loss) || sim->now >= sim->blackout) {
			total.lost++;
			continue;
		}
		/* the header and as much of the data as there is */
		w = malloc(offsetof(struct pe_wire, data) +
			   (bytes ? GLASS_PKT_WIRE_MAX : from->pkt.len + 8));
		memcpy(w, from, offsetof(struct pe_wire, data) + (bytes ? 0 : from->pkt.len));
		w->seg.addr = w->data;
		w->pkt.seg = &w->seg;
		if (bytes && !as_bytes(w, &from->pkt)) {
			free(w);
			continue;
		}
		w->when = sim->now + sim->delay;
		if (chance(sim->reorder))
			w->when += rnd_below(sim->jitter + 1);
		w->order = sim->order++ << 1 | to_b;
		put_on_wire(w);
	}
}

static bool pull(struct side *s)
{
	static struct pe_wire w;
	struct pe_before b = prop_before(s);
	bool got;

	s->ep->q.max_more = sim->trains ? rnd_below(PE_TRAIN + 1) : 0;
	s->ep->q.ack_later = sim->ack_later && chance(900);
	got = pe_pull(s->ep, &w, sim->now);

	if (got) {
		u8 bop = w.pkt.opcode & GLASS_BOP_MASK;
		bool resp = bop >= GLASS_BOP_READ_RESP_FIRST && bop <= GLASS_BOP_ATOMIC_ACK;

		total.trains += !!w.pkt.more;
		if (!resp)
			prop_sent(s, &w.pkt);
		sim->tx++;
		transmit(&w, s == &sim->s[0]);
	}
	prop_after(s, b, NULL);
	return got;
}

static void deliver(struct pe_wire *w)
{
	struct side *s = &sim->s[w->order & 1];
	struct pe_before b = prop_before(s);

	glass_pqp_rx(&s->ep->q, &w->pkt, &w->meta, sim->now);
	prop_after(s, b, &w->pkt);
	if (glass_resp_ack_later(&s->ep->q) && s->ack_at == ~0ULL)
		s->ack_at = sim->now + rnd_below(GLASS_ACK_LATER_NS + 1);
	free(w);
}

static void ack_now(struct side *s)
{
	struct pe_before b = prop_before(s);

	s->ack_at = ~0ULL;
	total.later += glass_resp_ack_later(&s->ep->q);
	glass_pqp_ack_now(&s->ep->q);
	prop_after(s, b, NULL);
}

static void timer(struct side *s)
{
	struct pe_before b = prop_before(s);

	glass_pqp_timer(&s->ep->q, sim->now);
	prop_after(s, b, NULL);
}

static u64 next_time(void)
{
	u64 t = sim->wire ? sim->wire->when : ~0ULL;

	for (int i = 0; i < 2; i++) {
		struct side *s = &sim->s[i];

		if (s->ep->q.deadline)
			t = min(t, s->ep->q.deadline);
		if (glass_sq_room(&s->ep->q))
			t = min(t, s->post_at);
		t = min(t, s->recv_at);
		t = min(t, s->ack_at);
		t = min(t, s->sqd_at);
		t = min(t, s->rts_at);
	}
	return t;
}

static void run(void)
{
	u32 steps = 0;

	for (;;) {
		bool moved = false;
		u64 next;
		int first = rnd_below(2);

		CHECK(++steps < 300000, "no end: %u and %u of %u and %u sent, %u and %u of %u and %u receives",
		      sim->s[0].ep->q.req.tail, sim->s[1].ep->q.req.tail, sim->s[0].nwr,
		      sim->s[1].nwr, sim->s[0].rposted, sim->s[1].rposted, sim->s[0].nrwr,
		      sim->s[1].nrwr);
		for (int i = 0; i < 2; i++)
			app(&sim->s[i ^ first]);
		while (sim->wire && sim->wire->when <= sim->now) {
			struct pe_wire *w = sim->wire;

			sim->wire = w->next;
			deliver(w);
		}
		for (int i = 0; i < 2; i++) {
			struct side *s = &sim->s[i ^ first];

			if ((s->ep->q.deadline && s->ep->q.deadline <= sim->now) || chance(50))
				timer(s);
			if (s->ack_at <= sim->now)
				ack_now(s);
			for (u32 n = 1 + rnd_below(8); n && pull(s); n--)
				moved = true;
		}
		if (moved) {
			sim->now += rnd_below(3000);
			continue;
		}
		next = next_time();
		if (next == ~0ULL)
			return;
		sim->now = max(sim->now, next);
	}
}

static void one_seed(u64 seed)
{
	static const u16 mtus[] = { 256, 512, 1024, 2048, 4096 };
	static const u32 losses[] = { 0, 0, 2, 10, 30, 50, 100, 300 };
	static const u32 dups[] = { 0, 0, 20, 100, 300 };
	struct pe_cfg *c;
	u16 mtu;
	bool perfect;
	u32 reads = 0;

	rnd_state = seed * 0x9e3779b97f4a7c15ULL;
	sim = calloc(1, sizeof(*sim));
	sim->now = 1 + rnd_below(1000000);
	perfect = chance(100);
	if (!perfect) {
		sim->loss = losses[rnd_below(ARRAY_SIZE(losses))];
		sim->dup = dups[rnd_below(ARRAY_SIZE(dups))];
		sim->reorder = chance(500) ? 0 : rnd_below(1000);
		sim->jitter = chance(900) ? rnd_below(50000) : rnd_below(20000000);
	}
	sim->delay = 100 + rnd_below(chance(800) ? 5000 : 500000);
	sim->blackout = ~0ULL;
	if (!perfect && chance(50))
		sim->blackout = sim->now + rnd_below(3000000);
	sim->trains = chance(400);
	sim->ack_later = chance(400);
	sim->bytes = chance(300);
	if (sim->bytes && !perfect)
		sim->damage = rnd_below(50);
	sim->fair = sim->loss + sim->damage <= 30 && sim->jitter < 50000 && sim->blackout == ~0ULL;
	mtu = mtus[rnd_below(5)];

	for (int i = 0; i < 2; i++) {
		struct side *s = &sim->s[i];

		c = &sim->cfg[i];
		c->type = GLASS_QPT_RC;
		c->mtu = mtu;
		c->timeout = perfect && chance(500) ? 0 : (sim->ack_later ? 12 : 8) + rnd_below(6);
		c->retry_cnt = chance(600) ? 7 : rnd_below(8);
		c->rnr_retry = chance(600) ? 7 : rnd_below(8);
		c->min_rnr_timer = rnd_below(18);
		c->srq = chance(200);
		c->has_grh = chance(100);
		c->sq_entries = 4 << rnd_below(5);
		s->peer = &sim->s[!i];
		s->ep = calloc(1, sizeof(*s->ep));
		s->ep->user = s;
		s->ep->on_atomic = on_atomic;
		s->ep->on_local = on_local;
		s->ep->on_invalidate = on_invalidate;
		s->ep->on_flush = on_flush;
	}
	/* what both must agree on */
	sim->cfg[1].has_grh = sim->cfg[0].has_grh;
	sim->cfg[0].rd_atomic = sim->cfg[1].rd_atomic = 1 + rnd_below(chance(500) ? 2 : 16);
	sim->cfg[0].psn = sim->cfg[1].psn =
		chance(500) ? rnd_below(1 << 24) : (0xffffff - rnd_below(100));

	for (int i = 0; i < 2; i++) {
		pe_ep_init(sim->s[i].ep, &sim->cfg[i], 0x11 + i);
		sim->s[i].ep->peer = sim->s[!i].ep;
		/* one direction only, sometimes */
		sim->s[i].nwr = i && chance(400) ? 0 : 1 + rnd_below(MAX_WR);
	}
	for (int i = 0; i < 2; i++) {
		for (u32 n = 0; n < sim->s[i].nwr; n++)
			make_wr(&sim->s[i], n, mtu, &reads);
		if (sim->s[i].nwr && chance(150))
			make_bad(&sim->s[i]);
	}
	for (int i = 0; i < 2; i++) {
		struct side *s = &sim->s[i];

		for (u32 n = 0; n < s->nrwr; n++) {
			s->rwr[n].off = s->rcv_len;
			s->rcv_len += max(s->rwr[n].len, s->peer->wr[s->rwr[n].wr].len) + GUARD;
		}
		make_memory(s, seed + i);
		pe_to_init(s->ep, &sim->cfg[i]);
		/* receives may be posted before RTR, early and late */
		for (u32 n = rnd_below(s->nrwr + 1); n; n--)
			recv_one(s);
		s->ack_at = ~0ULL;
		s->post_at = sim->now + rnd_below(50000);
		s->recv_at = s->rposted < s->nrwr ? sim->now + rnd_below(1000000) : ~0ULL;
		s->sqd_at = chance(150) ? sim->now + rnd_below(2000000) : ~0ULL;
		s->rts_at = s->sqd_at == ~0ULL ? ~0ULL : s->sqd_at + rnd_below(3000000);
	}
	for (int i = 0; i < 2; i++)
		pe_to_rtr(sim->s[i].ep, &sim->cfg[i], sim->now);
	for (int i = 0; i < 2; i++) {
		pe_to_rts(sim->s[i].ep, &sim->cfg[i], sim->now);
		sim->s[i].budget.una = sim->s[i].ep->q.req.una;
	}

	run();

	for (int i = 0; i < 2; i++) {
		struct side *s = &sim->s[i];

		CHECK(s->posted == s->nwr || !sim->cfg[i].timeout, "%u of %u posted", s->posted,
		      s->nwr);
		CHECK(s->ep->q.req.tail == s->ep->q.req.head || !sim->cfg[i].timeout,
		      "side %d stuck: tail %u cur %u head %u", i, s->ep->q.req.tail,
		      s->ep->q.req.cur, s->ep->q.req.head);
		if (!sim->cfg[i].timeout && s->ep->q.req.tail != s->ep->q.req.head) {
			/* no timer: only a dead peer excuses */
			CHECK(s->peer->ep->q.state == GLASS_QPS_ERR, "side %d stuck", i);
			s->responder_err = true;
		}
		pe_state(s->ep, GLASS_QPS_ERR, sim->now);
		CHECK(s->ep->events[GLASS_EV_QP_LAST_WQE_REACHED] == sim->cfg[i].srq,
		      "LAST_WQE_REACHED %u times", s->ep->events[GLASS_EV_QP_LAST_WQE_REACHED]);
		CHECK(!s->ep->refs, "%d payload references", s->ep->refs);
	}
	for (int i = 0; i < 2; i++) {
		u32 good = prop_check_sends(&sim->s[i]);

		prop_check_recvs(&sim->s[!i], good);
		total.good += good;
		total.wrs += sim->s[i].nwr;
		total.retries += prop_retries(&sim->s[i]);
		total.rnr += sim->s[i].ep->retries[GLASS_RETRY_RNR];
		total.dups += sim->s[i].ep->q.stats.dup_rx;
		total.ended[sim->s[i].ep->q.first_error.status]++;
	}
	total.packets += sim->tx;

	for (int i = 0; i < 2; i++) {
		pe_ep_free(sim->s[i].ep);
		free(sim->s[i].ep);
	}
	free(sim);
	sim = NULL;
}

static void test_rc_property(void **state)
{
	(void)state;
	seeds_run("proto_prop", 10000, one_seed, (u64 *)&total, sizeof(total) / sizeof(u64));
#define T(name) (unsigned long long)total.name
	printf("# %llu packets, %llu of them as bytes, %llu trains, %llu ACKs put off, %llu lost, %llu damaged, %llu duplicate requests\n",
	       T(packets), T(bytes), T(trains), T(later), T(lost), T(damaged), T(dups));
	printf("# %llu of %llu WRs succeeded, %llu retries, %llu RNR waits; endpoints that ended in each status:",
	       T(good), T(wrs), T(retries), T(rnr));
	for (u32 i = 1; i < GLASS_WC_COUNT; i++)
		if (total.ended[i])
			printf(" %s %llu", status_words[i], T(ended[i]));
#undef T
	printf("\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rc_property),
	};

	return cmocka_run_group_tests_name("proto_prop", tests, NULL, NULL);
}
