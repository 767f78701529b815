// SPDX-License-Identifier: GPL-2.0-only
/*
 * A peer that keeps no rule: forged packets in any order, against QPs of all types
 * in all states, between random posts, timers and modifies. Nothing may be
 * touched outside of what the peer was given, nothing may crash or never end.
 *
 * GLASS_SEEDS=N how many seeds (2000); GLASS_SEED=N that one alone.
 */
#include "harness.h"
#include "proto_env.h"
#include "proto_seeds.h"

#define OPEN 0x202 /* the peer may do all here */
#define SHUT 0x303 /* and nothing here */
#define MINE 0x404 /* local buffers */
#define LEN 4096

static u32 some_psn(const struct glass_pqp *q)
{
	const u32 near[] = { q->resp.epsn, q->req.una, q->req.psn, q->req.max_psn,
			     q->resp.epsn + 0x800000, q->req.una + 0x800000 };

	if (!rnd_below(30))
		return rnd() & GLASS_PSN_MASK;
	return (near[rnd_below(rnd_below(20) ? 4 : 6)] + rnd_below(7) - 3 +
		(rnd_below(4) ? 3 : 0)) & GLASS_PSN_MASK;
}

static bool is_read_like(u8 opcode)
{
	u8 bop = opcode & GLASS_BOP_MASK;

	return bop == GLASS_BOP_READ_REQ || bop == GLASS_BOP_CMP_SWAP ||
	       bop == GLASS_BOP_FETCH_ADD || bop == GLASS_BOP_FLUSH;
}

static bool answers;

static void forge(struct pe_ep *ep, struct pe_wire *w)
{
	static const u8 trs[] = { GLASS_TR_UD, GLASS_TR_UD, GLASS_TR_RC, GLASS_TR_UC, GLASS_TR_UD };
	static const u32 keys[] = { OPEN, OPEN, OPEN, SHUT, MINE, 0 };
	struct glass_pkt *p = &w->pkt;
	u32 mtu = ep->q.attr.mtu;

	rnd_fill(p, sizeof(*p));
	p->opcode = (rnd_below(30) ? trs[ep->q.type] : rnd() & 0xe0) | rnd_below(rnd_below(8) ? 24 : 32);
	if (!rnd_below(16))
		p->opcode = (p->opcode & 0xe0) | (rnd_below(2) ? GLASS_BOP_FLUSH : GLASS_BOP_ATOMIC_WRITE);
	p->dqpn = ep->q.qpn;
	p->slid = rnd_below(50) ? 0x12 : rnd();
	p->lnh = rnd_below(20) ? GLASS_LNH_LOCAL : GLASS_LNH_GLOBAL;
	p->psn = rnd_below(3) ? ep->q.resp.epsn : some_psn(&ep->q);
	if (!rnd_below(2) && (p->opcode & 31) >= GLASS_BOP_READ_RESP_FIRST)
		p->psn = some_psn(&ep->q);
	switch (rnd_below(4)) {
	case 0:
		p->len = mtu;
		break;
	case 1:
		p->len = rnd_below(mtu + 1);
		break;
	case 2:
		p->len = rnd_below(GLASS_MTU_MAX + 1);
		break;
	default:
		p->len = 0;
	}
	if (is_read_like(p->opcode) && rnd_below(20))
		p->len = 0;
	if ((p->opcode & 31) == GLASS_BOP_ATOMIC_WRITE && rnd_below(20))
		p->len = 8;
	p->feth = rnd_below(8) ? rnd_below(2) << 4 | rnd_below(4) : rnd();
	p->ieth = keys[rnd_below(6)];
	p->rkey = keys[rnd_below(6)];
	p->va = pe_va(p->rkey, rnd_below(4) ? rnd_below(LEN) & ~7u : rnd());
	if (ep->q.res_slots && !rnd_below(3)) {
		/* once more what was asked before */
		const struct glass_rd_res *e = &ep->q.res[(ep->q.resp.res_head - 1 -
							   rnd_below(4)) & (ep->q.res_slots - 1)];

		p->rkey = e->rkey;
		p->psn = e->psn;
		p->va = e->va;
	}
	if ((p->opcode & 31) == GLASS_BOP_ATOMIC_WRITE)
		p->va &= ~7ull;
	p->dma_len = rnd_below(4) ? (p->len ? p->len : 700) : rnd_below(2) ? rnd_below(2 * LEN) : rnd();
	switch (rnd_below(8)) {
	case 0:
		break;
	case 1:
		p->syndrome = GLASS_AETH_RNR | 1;
		break;
	case 2:
		p->syndrome = GLASS_AETH_NAK | GLASS_NAK_PSN_SEQ;
		break;
	case 3:
		p->syndrome = rnd_below(30) ? 0 : GLASS_AETH_NAK | rnd_below(8);
		break;
	default:
		p->syndrome = rnd() & 0x1f;
	}
	/* half of the peers answer mostly, and nearly right */
	if (answers && ep->q.type == GLASS_QPT_RC && rnd_below(50)) {
		p->opcode = rnd_below(3) ? GLASS_BOP_ACK : GLASS_BOP_READ_RESP_FIRST + rnd_below(6);
		p->psn = rnd_below(4) ? ep->q.req.una : some_psn(&ep->q);
		p->slid = 0x12;
		p->lnh = GLASS_LNH_LOCAL;
		p->len = p->opcode >= GLASS_BOP_ACK ? 0 : rnd_below(20) ? mtu : p->len;
	}
	p->more = rnd_below(8) ? 0 : rnd_below(8) ? rnd_below(PE_TRAIN) : rnd();
	if (p->more && rnd_below(2))
		p->len = min(mtu * (1 + p->more) - rnd_below(2) * rnd_below(mtu),
			     (u32)sizeof(w->data));
	p->ack_later = rnd_below(2);
	p->qkey = rnd_below(4) ? ep->q.attr.qkey : rnd();
	p->msn &= 0xffffff;
	w->seg.addr = w->data;
	w->seg.len = p->len;
	p->seg = &w->seg;
	p->nseg = p->len ? 1 : 0;
	w->meta.pkey_index = 0;
	w->meta.dlid_path_bits = 0;
}

static void post(struct pe_ep *ep)
{
	struct glass_swqe *w;

	if (!glass_sq_room(&ep->q))
		return;
	w = pe_wqe(ep, rnd_below(30) ? rnd_below(GLASS_OP_COUNT) : rnd() & 0xff, 1);
	w->flags = rnd() & (GLASS_SWQE_FENCE | GLASS_SWQE_SIGNALED | GLASS_SWQE_SOLICITED);
	w->len = rnd_below(4) ? rnd_below(LEN) : rnd_below(20) ? 8 : rnd();
	if (w->op == GLASS_OP_FLUSH || (w->op == GLASS_OP_ATOMIC_WRITE && rnd_below(20)))
		w->len = w->op == GLASS_OP_FLUSH ? 0 : 8;
	w->rkey = rnd_below(8) ? MINE : rnd();
	if (glass_type_is_connected(ep->q.type)) {
		w->blen = rnd_below(4) ? rnd_below(LEN) : rnd();
		w->access = rnd_below(2) << 4 | rnd_below(4);
		w->mr_lkey = rnd_below(8) ? MINE : rnd();
	} else {
		w->dqpn = 0x12;
	}
	w->num_sge = 1 + rnd_below(3);
	for (u32 i = 0; i < w->num_sge; i++) {
		w->sge[i].lkey = rnd_below(40) ? MINE : rnd();
		w->sge[i].addr = pe_va(MINE, 0);
		w->sge[i].len = i ? rnd_below(100) : min(w->len, (u32)LEN);
	}
	if (w->len <= 2048 && !rnd_below(4))
		w->flags |= GLASS_SWQE_INLINE;
	if (!rnd_below(100))
		w->status = rnd() & 0xff;
	pe_post(ep);
}

static void modify(struct pe_ep *ep, const struct pe_cfg *cfg, u64 now)
{
	struct glass_qp_attr a;

	switch (rnd_below(12)) {
	case 0:
		pe_state(ep, rnd_below(GLASS_QPS_COUNT), now);
		break;
	case 1:
		memset(&a, rnd(), sizeof(a));
		a.state = rnd_below(GLASS_QPS_COUNT);
		a.cur_state = ep->q.state;
		a.sqd_async = true;
		glass_pqp_modify(&ep->q, &a, GLASS_QPA_STATE | (rnd() & 0x1fffff), now);
		break;
	case 2:
		pe_state(ep, GLASS_QPS_SQD, now);
		break;
	case 3:
		glass_pqp_fail(&ep->q, GLASS_CAUSE_INJECTED, rnd_below(GLASS_EV_COUNT + 1), now);
		break;
	default:
		if (ep->q.state == GLASS_QPS_ERR) {
			pe_state(ep, GLASS_QPS_RESET, now);
			ep->rq_tail = ep->rq_head;
		}
		if (ep->q.state == GLASS_QPS_RESET)
			pe_to_init(ep, cfg);
		if (ep->q.state == GLASS_QPS_INIT)
			pe_to_rtr(ep, cfg, now);
		if (ep->q.state == GLASS_QPS_RTR)
			pe_to_rts(ep, cfg, now);
		if (ep->q.state == GLASS_QPS_SQD || ep->q.state == GLASS_QPS_SQE)
			pe_state(ep, GLASS_QPS_RTS, now);
	}
}

/* While a packet is being read, its buffer stays the QP's: no send ends in error, no datagram ends at all. */
static void nothing_given_back(const struct pe_ep *ep, u32 from)
{
	for (; from < ep->ncqe; from++)
		CHECK(!ep->cqe[from].is_send ||
		      (ep->q.type == GLASS_QPT_RC && ep->cqe[from].status == GLASS_WC_SUCCESS),
		      "wr 0x%llx ended with %u while a packet was read",
		      (unsigned long long)ep->cqe[from].wr_id, ep->cqe[from].status);
}

static void one_seed(u64 seed)
{
	static const u16 mtus[] = { 256, 512, 1024, 2048, 4096 };
	static const u8 types[] = { GLASS_QPT_RC, GLASS_QPT_RC, GLASS_QPT_RC, GLASS_QPT_UC,
				    GLASS_QPT_UD, GLASS_QPT_GSI, GLASS_QPT_SMI };
	struct pe_ep *ep = calloc(1, sizeof(*ep));
	struct pe_ep *peer = calloc(1, sizeof(*peer));
	struct pe_cfg cfg = PE_CFG_DEFAULT;
	static struct pe_wire w;
	bool is_out = false;
	struct pe_tx out;
	u8 *shut;
	u64 now = 1;

	rnd_state = seed * 0x9e3779b97f4a7c15ULL;
	answers = rnd_below(2);
	cfg.type = types[rnd_below(ARRAY_SIZE(types))];
	cfg.mtu = mtus[rnd_below(5)];
	cfg.psn = rnd_below(2) ? 0xffffff - rnd_below(20) : rnd_below(1 << 24);
	cfg.retry_cnt = rnd_below(8);
	cfg.rnr_retry = rnd_below(8);
	cfg.rd_atomic = rnd_below(5);
	cfg.srq = !rnd_below(4);
	peer->q.qpn = 0x12;
	ep->peer = peer;
	pe_ep_init(ep, &cfg, 0x11);
	pe_mr_add(ep, OPEN, LEN, 15 | GLASS_ACC_FLUSH_GLOBAL);
	shut = pe_mr_add(ep, SHUT, LEN, 0)->mem;
	memset(shut, 0x3c, LEN);
	pe_mr_add(ep, MINE, LEN, GLASS_ACC_LOCAL_WRITE);

	for (u32 i = 0; i < 600; i++) {
		struct glass_req_state *r = &ep->q.req;
		enum glass_qp_state st = ep->q.state;
		static struct glass_rd_res answers_were[GLASS_MAX_RD_ATOMIC];
		static struct glass_pqp was;
		size_t room;
		u32 cqes, first;

		if (ep->ncqe > PE_CQES - 1000)
			ep->ncqe = 0;
		first = ep->ncqe;
		ep->q.max_more = rnd_below(3) ? 0 : rnd_below(PE_TRAIN + 1);
		ep->q.ack_later = rnd_below(2);
		if (!rnd_below(8))
			glass_pqp_ack_now(&ep->q);
		if (!rnd_below(40) || (st != GLASS_QPS_RTS && !rnd_below(6)))
			modify(ep, &cfg, now);
		if (!rnd_below(3))
			post(ep);
		if (!rnd_below(3) && ep->rq_head - ep->rq_tail < 50) {
			pe_recv(ep, 2, pe_va(MINE, 0), rnd_below(LEN), rnd_below(40) ? MINE : 5);
			if (!rnd_below(100))
				ep->take_fails = rnd_below(2) ? -EIO : -EINVAL;
		}
		for (u32 n = rnd_below(4); !is_out && n && pe_pull(ep, &w, now); n--)
			;
		if (is_out)
			nothing_given_back(ep, first);
		else if (!rnd_below(4))
			is_out = pe_next(ep, &out, now);
		forge(ep, &w);
		st = ep->q.state;
		cqes = ep->ncqe;
		was = ep->q;
		room = was.res_slots * sizeof(*was.res);
		if (room)
			memcpy(answers_were, was.res, room);
		glass_pqp_rx(&ep->q, &w.pkt, &w.meta, now);
		/* one packet does a bounded amount of work */
		CHECK(ep->q.state != st || ep->ncqe - cqes <= 200, "%u completions",
		      ep->ncqe - cqes);
		/*
		 * A packet leaves a trace: it changes the QP, or its death is told. But the
		 * first packet of a UC message, come again, begins it anew and changes nothing.
		 */
		CHECK((cfg.type == GLASS_QPT_UC && was.resp.in_msg && ep->q.resp.in_msg) ||
		      ep->q.stats.drops != was.stats.drops || ep->ncqe != cqes ||
		      memcmp(&ep->q.req, &was.req, sizeof(was.req)) ||
		      memcmp(&ep->q.resp, &was.resp, sizeof(was.resp)) ||
		      (room && memcmp(ep->q.res, answers_were, room)),
		      "opcode 0x%x vanished", w.pkt.opcode);
		if (is_out)
			nothing_given_back(ep, cqes);
		if (is_out && !rnd_below(3)) {
			pe_sent(ep, &out);
			is_out = false;
			CHECK((ep->q.state != GLASS_QPS_ERR && ep->q.state != GLASS_QPS_SQE) ||
			      r->tail == r->head, "%u not flushed", r->head - r->tail);
		}
		if (!is_out && !rnd_below(10) && ep->q.deadline) {
			now = max(now, ep->q.deadline);
			glass_pqp_timer(&ep->q, now);
		}
		now += rnd_below(100000);
		CHECK((s32)(r->cur - r->tail) >= 0 && (s32)(r->begun - r->cur) >= 0 &&
		      (s32)(r->head - r->begun) >= 0, "indices %u %u %u %u", r->tail, r->cur,
		      r->begun, r->head);
		CHECK(((r->max_psn - r->una) & GLASS_PSN_MASK) <= 0x800000 &&
		      ((r->psn - r->una) & GLASS_PSN_MASK) <=
		      ((r->max_psn - r->una) & GLASS_PSN_MASK), "una %x psn %x max %x", r->una,
		      r->psn, r->max_psn);
		CHECK(is_out || !ep->refs, "%d payload references", ep->refs);
	}
	if (is_out)
		pe_sent(ep, &out);
	for (u32 i = 0; i < LEN; i++)
		CHECK(shut[i] == 0x3c, "forbidden memory written at %u", i);
	pe_ep_free(ep);
	free(ep);
	free(peer);
}

static void test_forged(void **state)
{
	(void)state;
	seeds_run("proto_fuzz", 2000, one_seed, NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forged),
	};

	return cmocka_run_group_tests_name("proto_fuzz", tests, NULL, NULL);
}
