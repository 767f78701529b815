// SPDX-License-Identifier: GPL-2.0-only
/* XRC: an initiator and a target, whose requests name the SRQ (annex A14). */
#include "proto_pair.h"
#include "wire/opcode.h"
#include "wire/serial.h"

/* Endpoint a is an initiator, b its target. */
static struct pe_pair *make_xrc(bool grh)
{
	struct pe_cfg a = PE_CFG_DEFAULT, b;
	struct pe_pair *p = calloc(1, sizeof(*p));

	a.type = GLASS_QPT_XRC_INI;
	a.has_grh = grh;
	b = a;
	b.type = GLASS_QPT_XRC_TGT;
	b.srq = true;
	p->a.peer = &p->b;
	p->b.peer = &p->a;
	p->now = 1000;
	pe_ep_init(&p->a, &a, 0x11);
	pe_ep_init(&p->b, &b, 0x12);
	pe_to_init(&p->a, &a);
	pe_to_init(&p->b, &b);
	pe_to_rtr(&p->a, &a, p->now);
	pe_to_rtr(&p->b, &b, p->now);
	pe_to_rts(&p->a, &a, p->now);
	pe_to_rts(&p->b, &b, p->now);
	for (int i = 0; i < 2; i++) {
		struct pe_ep *ep = i ? &p->b : &p->a;

		pe_fill(pe_mr_add(ep, SRC, BIG, 0)->mem, BIG, 77 + i);
		pe_mr_add(ep, DST, BIG, 15 | GLASS_ACC_FLUSH_GLOBAL);
		pe_mr_add(ep, LOC, BIG, GLASS_ACC_LOCAL_WRITE);
	}
	return p;
}

static struct glass_swqe *post_to(struct pe_ep *ep, enum glass_wr_op op, u64 wr_id, u32 len, u32 srq)
{
	struct glass_swqe *w = post(ep, op, wr_id, len);

	w->xrc_srq = srq;
	return w;
}

static void test_operations(void **state)
{
	static const u32 sizes[] = { 0, 1, 1024, 5000 };

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct pe_pair *p = make_xrc(i & 1);
		const struct glass_cqe *c;

		recv_(&p->b, 9, BIG);
		recv_(&p->b, 10, BIG);
		post_to(&p->a, GLASS_OP_SEND_IMM, 1, sizes[i], PE_SRQ);
		post_to(&p->a, GLASS_OP_WRITE_IMM, 2, sizes[i], PE_SRQ);
		post_to(&p->a, GLASS_OP_READ, 3, sizes[i], PE_SRQ);
		post_to(&p->a, GLASS_OP_FETCH_ADD, 4, 8, PE_SRQ);
		pe_settle(p);
		for (u32 n = 1; n <= 4; n++)
			expect_send(&p->a, n, GLASS_WC_SUCCESS);
		c = expect_recv(&p->b, 9, GLASS_WC_SUCCESS);
		assert_int_equal(c->byte_len, sizes[i]);
		assert_int_equal(c->xrc_srq, PE_SRQ);
		assert_true(c->from_srq && c->has_imm);
		expect_recv(&p->b, 10, GLASS_WC_SUCCESS);
		assert_memory_equal(mem(&p->b, DST) + 8, mem(&p->a, SRC) + 8,
				    sizes[i] > 8 ? sizes[i] - 8 : 0);
		pe_pair_free(p);
	}
}

/* Every request has its XRCETH, and what a GRH counts is what is on the wire. */
static void test_wire(void **state)
{
	struct pe_pair *p = make_xrc(true);
	static struct pe_wire w;
	u8 bytes[GLASS_PKT_WIRE_MAX];
	u32 n = 0;

	(void)state;
	recv_(&p->b, 9, BIG);
	post_to(&p->a, GLASS_OP_SEND, 1, 3000, PE_SRQ);
	while (pe_pull(&p->a, &w, p->now)) {
		int len = glass_pkt_build(&w.pkt, bytes, sizeof(bytes));
		struct glass_pkt back;
		struct glass_seg seg;
		enum glass_drop why;

		assert_int_equal(w.pkt.opcode & GLASS_TR_MASK, GLASS_TR_XRC);
		assert_int_equal(w.pkt.grh.pay_len, len - 8 - 40 - 2);
		assert_int_equal(glass_pkt_parse(&back, &seg, bytes, len, 0, &why), 0);
		assert_int_equal(back.xrc_srq, PE_SRQ);
		give_b(p, &w);
		n++;
	}
	assert_int_equal(n, 3);
	assert_true(pe_pull(&p->b, &w, p->now));
	assert_int_equal(w.pkt.opcode, GLASS_TR_XRC | GLASS_BOP_ACK);
	give_a(p, &w);
	expect_send(&p->a, 1, GLASS_WC_SUCCESS);
	pe_pair_free(p);
}

static void test_no_srq(void **state)
{
	struct pe_pair *p = make_xrc(false);

	(void)state;
	recv_(&p->b, 9, BIG);
	post_to(&p->a, GLASS_OP_SEND, 1, 10, 0x77);
	pe_settle(p);
	expect_send(&p->a, 1, GLASS_WC_REM_INV_REQ_ERR);
	assert_int_equal(p->b.events[GLASS_EV_QP_REQ_ERR], 1);
	assert_int_equal(p->b.events[GLASS_EV_QP_LAST_WQE_REACHED], 0);
	expect_none(&p->b);
	pe_pair_free(p);
}

/* The memory is that of the SRQ's protection domain, also when a READ is answered. */
static void test_domains(void **state)
{
	static const u8 ops[] = { GLASS_OP_WRITE, GLASS_OP_READ, GLASS_OP_FETCH_ADD };

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(ops); i++) {
		struct pe_pair *p = make_xrc(false);

		post_to(&p->a, ops[i], 1, 8, PE_SRQ);
		post_to(&p->a, ops[i], 2, 8, PE_SRQ_OTHER);
		pe_settle(p);
		expect_send(&p->a, 1, GLASS_WC_SUCCESS);
		expect_send(&p->a, 2, GLASS_WC_REM_ACCESS_ERR);
		pe_pair_free(p);
	}
}

static void test_srq_changes_in_message(void **state)
{
	struct pe_pair *p = make_xrc(false);
	static struct pe_wire w;

	(void)state;
	recv_(&p->b, 9, BIG);
	post_to(&p->a, GLASS_OP_SEND, 1, 2000, PE_SRQ);
	pull_a(p, &w);
	give_b(p, &w);
	pull_a(p, &w);
	w.pkt.xrc_srq = PE_SRQ_OTHER;
	give_b(p, &w);
	pe_settle(p);
	expect_send(&p->a, 1, GLASS_WC_REM_INV_REQ_ERR);
	assert_int_equal(expect_recv(&p->b, 9, GLASS_WC_WR_FLUSH_ERR)->xrc_srq, PE_SRQ);
	pe_pair_free(p);
}

/* A target sends nothing of its own, an initiator answers nothing. */
static void test_halves(void **state)
{
	struct pe_pair *p = make_xrc(false);
	static struct pe_wire w;

	(void)state;
	post_to(&p->a, GLASS_OP_WRITE, 1, 8, PE_SRQ);
	pull_a(p, &w);
	w.pkt.slid = 0x12;
	w.pkt.dqpn = 0x11;
	give_a(p, &w);
	assert_int_equal(p->a.drops[GLASS_DROP_BAD_BTH], 1);
	w.pkt.opcode = GLASS_TR_XRC | GLASS_BOP_ACK;
	w.pkt.slid = 0x11;
	w.pkt.len = 0;
	w.pkt.nseg = 0;
	give_b(p, &w);
	assert_int_equal(p->b.drops[GLASS_DROP_BAD_BTH], 1);
	/* RC is another transport */
	w.pkt.opcode = GLASS_TR_RC | GLASS_BOP_SEND_ONLY;
	give_b(p, &w);
	assert_int_equal(p->b.drops[GLASS_DROP_QP_TYPE], 1);
	pe_run(p, ~0ULL - 1);
	expect_send(&p->a, 1, GLASS_WC_SUCCESS);
	post(&p->b, GLASS_OP_WRITE, 5, 8);
	pe_settle(p);
	expect_send(&p->b, 5, GLASS_WC_LOC_QP_OP_ERR);
	pe_pair_free(p);
}

/* Losses of both directions are made good as on RC. */
static void test_losses(void **state)
{
	(void)state;
	for (u32 n = 1; n < 12; n++) {
		struct pe_pair *p = make_xrc(false);

		p->lose = lose_nth;
		p->count = n;
		recv_(&p->b, 9, BIG);
		post_to(&p->a, GLASS_OP_SEND, 1, 3000, PE_SRQ);
		post_to(&p->a, GLASS_OP_READ, 2, 3000, PE_SRQ);
		pe_run(p, ~0ULL - 1);
		expect_send(&p->a, 1, GLASS_WC_SUCCESS);
		expect_send(&p->a, 2, GLASS_WC_SUCCESS);
		expect_recv(&p->b, 9, GLASS_WC_SUCCESS);
		expect_none(&p->b);
		assert_memory_equal(mem(&p->b, LOC), mem(&p->a, SRC), 3000);
		pe_pair_free(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_operations),
		cmocka_unit_test(test_wire),
		cmocka_unit_test(test_no_srq),
		cmocka_unit_test(test_domains),
		cmocka_unit_test(test_srq_changes_in_message),
		cmocka_unit_test(test_halves),
		cmocka_unit_test(test_losses),
	};

	return cmocka_run_group_tests_name("proto_xrc", tests, NULL, NULL);
}
