// SPDX-License-Identifier: GPL-2.0-only
#include "proto_pair.h"

u8 *mem(struct pe_ep *ep, u32 key)
{
	return pe_mr_find(ep, key)->mem;
}

struct pe_pair *make(const struct pe_cfg *cfg)
{
	struct pe_pair *p = pe_pair_new(cfg);

	for (int i = 0; i < 2; i++) {
		struct pe_ep *ep = i ? &p->b : &p->a;

		pe_fill(pe_mr_add(ep, SRC, BIG, 0)->mem, BIG, 77 + i);
		pe_mr_add(ep, DST, BIG,
			  GLASS_ACC_LOCAL_WRITE | GLASS_ACC_REMOTE_WRITE | GLASS_ACC_REMOTE_READ |
				  GLASS_ACC_REMOTE_ATOMIC);
		pe_mr_add(ep, LOC, BIG, GLASS_ACC_LOCAL_WRITE);
	}
	return p;
}

struct pe_pair *make_default(void)
{
	struct pe_cfg cfg = PE_CFG_DEFAULT;

	return make(&cfg);
}

struct pe_pair *make_type(enum glass_qp_type type, bool grh)
{
	struct pe_cfg cfg = PE_CFG_DEFAULT;

	cfg.type = type;
	cfg.has_grh = grh;
	return make(&cfg);
}

struct glass_swqe *post(struct pe_ep *ep, enum glass_wr_op op, u64 wr_id, u32 len)
{
	struct glass_swqe *w = pe_wqe(ep, op, wr_id);
	bool in = op >= GLASS_OP_READ && op <= GLASS_OP_FETCH_ADD;

	w->len = len;
	w->num_sge = 1;
	w->sge[0].addr = pe_va(in ? LOC : SRC, 0);
	w->sge[0].lkey = in ? LOC : SRC;
	w->sge[0].len = len;
	w->rkey = DST;
	w->imm = (__be32)0x12345678;
	w->pkey_index = 3;
	if (glass_type_is_connected(ep->q.type)) {
		w->raddr = pe_va(DST, 0);
	} else {
		w->dqpn = 0x12;
		w->qkey = 0x1234;
		w->av.dlid = 0x12;
		w->av.sl = 2;
	}
	pe_post(ep);
	return w;
}

void recv_(struct pe_ep *ep, u64 wr_id, u32 len)
{
	pe_recv(ep, wr_id, pe_va(LOC, 0), len, LOC);
}

void expect_send(struct pe_ep *ep, u64 wr_id, enum glass_wc_status status)
{
	const struct glass_cqe *c = pe_cqe(ep);

	assert_non_null(c);
	assert_true(c->is_send);
	assert_int_equal(c->wr_id, wr_id);
	assert_int_equal(c->status, status);
}

const struct glass_cqe *expect_recv(struct pe_ep *ep, u64 wr_id, enum glass_wc_status status)
{
	const struct glass_cqe *c = pe_cqe(ep);

	assert_non_null(c);
	assert_false(c->is_send);
	assert_int_equal(c->wr_id, wr_id);
	assert_int_equal(c->status, status);
	return c;
}

void expect_none(struct pe_ep *ep)
{
	assert_null(pe_cqe(ep));
}

u32 all_events(struct pe_ep *ep)
{
	u32 n = 0;

	for (int i = 0; i < GLASS_EV_COUNT; i++)
		n += ep->events[i];
	return n;
}

void pull_a(struct pe_pair *p, struct pe_wire *w)
{
	assert_true(pe_pull(&p->a, w, p->now));
}

void give_a(struct pe_pair *p, struct pe_wire *w)
{
	glass_pqp_rx(&p->a.q, &w->pkt, &w->meta, p->now);
}

void give_b(struct pe_pair *p, struct pe_wire *w)
{
	glass_pqp_rx(&p->b.q, &w->pkt, &w->meta, p->now);
}

bool lose_nth(struct pe_pair *p, struct pe_ep *from, const struct glass_pkt *pkt)
{
	(void)from;
	(void)pkt;
	return p->count && !--p->count;
}
