// SPDX-License-Identifier: GPL-2.0-only
/* RC errors: NAKs, broken receives, local errors, and who ends in which state. */
#include "proto_pair.h"

struct nak_case {
	const char *name;
	enum glass_wr_op op;
	u32 len, raddr_off, rkey;
	u8 no_access; /* QP access flags taken away at B */
	enum glass_wc_status status;
	enum glass_event event;
	enum glass_cause cause; /* at B */
};

static const struct nak_case nak_cases[] = {
	{ "write, bad rkey", GLASS_OP_WRITE, 10, 0, 0x999, 0, GLASS_WC_REM_ACCESS_ERR,
	  GLASS_EV_QP_ACCESS_ERR, GLASS_CAUSE_RESP_ACCESS },
	{ "write, beyond", GLASS_OP_WRITE, 10, BIG - 9, DST, 0, GLASS_WC_REM_ACCESS_ERR,
	  GLASS_EV_QP_ACCESS_ERR, GLASS_CAUSE_RESP_ACCESS },
	{ "write, wraps", GLASS_OP_WRITE, 10, (u32)-20, DST, 0, GLASS_WC_REM_ACCESS_ERR,
	  GLASS_EV_QP_ACCESS_ERR, GLASS_CAUSE_RESP_ACCESS },
	{ "long write, beyond", GLASS_OP_WRITE, 5000, BIG - 4000, DST, 0, GLASS_WC_REM_ACCESS_ERR,
	  GLASS_EV_QP_ACCESS_ERR, GLASS_CAUSE_RESP_ACCESS },
	{ "write, region without the right", GLASS_OP_WRITE, 10, 0, LOC, 0,
	  GLASS_WC_REM_ACCESS_ERR, GLASS_EV_QP_ACCESS_ERR, GLASS_CAUSE_RESP_ACCESS },
	{ "write, QP without the right", GLASS_OP_WRITE, 10, 0, DST, GLASS_ACC_REMOTE_WRITE,
	  GLASS_WC_REM_INV_REQ_ERR, GLASS_EV_QP_REQ_ERR, GLASS_CAUSE_RESP_INV_REQ },
	{ "read, bad rkey", GLASS_OP_READ, 10, 0, 0x999, 0, GLASS_WC_REM_ACCESS_ERR,
	  GLASS_EV_QP_ACCESS_ERR, GLASS_CAUSE_RESP_ACCESS },
	{ "read, QP without the right", GLASS_OP_READ, 10, 0, DST, GLASS_ACC_REMOTE_READ,
	  GLASS_WC_REM_INV_REQ_ERR, GLASS_EV_QP_REQ_ERR, GLASS_CAUSE_RESP_INV_REQ },
	{ "atomic, unaligned", GLASS_OP_FETCH_ADD, 8, 4, DST, 0, GLASS_WC_REM_INV_REQ_ERR,
	  GLASS_EV_QP_REQ_ERR, GLASS_CAUSE_RESP_INV_REQ },
	{ "atomic, bad rkey", GLASS_OP_CMP_SWAP, 8, 8, 0x999, 0, GLASS_WC_REM_ACCESS_ERR,
	  GLASS_EV_QP_ACCESS_ERR, GLASS_CAUSE_RESP_ACCESS },
	{ "atomic, QP without the right", GLASS_OP_CMP_SWAP, 8, 8, DST, GLASS_ACC_REMOTE_ATOMIC,
	  GLASS_WC_REM_INV_REQ_ERR, GLASS_EV_QP_REQ_ERR, GLASS_CAUSE_RESP_INV_REQ },
};

static void test_naks(void **state)
{
	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(nak_cases); i++) {
		const struct nak_case *c = &nak_cases[i];
		struct pe_pair *p = make_default();
		struct glass_swqe *w;

		p->b.q.attr.access &= ~c->no_access;
		recv_(&p->b, 9, 100);
		recv_(&p->a, 8, 100);
		/* what came before is answered before, READs included */
		post(&p->a, GLASS_OP_SEND, 1, 10);
		if (!c->no_access)
			post(&p->a, GLASS_OP_READ, 2, 5000)->flags = 0;
		recv_(&p->b, 10, 100);
		w = post(&p->a, c->op, 3, c->len);
		w->raddr = c->rkey == LOC ? pe_va(LOC, 0) : pe_va(DST, 0) + (s32)c->raddr_off;
		w->rkey = c->rkey;
		post(&p->a, GLASS_OP_SEND, 4, 10);
		pe_run(p, ~0ULL - 1);
		expect_send(&p->a, 1, GLASS_WC_SUCCESS);
		expect_send(&p->a, 3, c->status);
		expect_send(&p->a, 4, GLASS_WC_WR_FLUSH_ERR);
		expect_recv(&p->a, 8, GLASS_WC_WR_FLUSH_ERR);
		expect_none(&p->a);
		expect_recv(&p->b, 9, GLASS_WC_SUCCESS);
		expect_recv(&p->b, 10, GLASS_WC_WR_FLUSH_ERR);
		expect_none(&p->b);
		assert_int_equal(p->a.q.state, GLASS_QPS_ERR);
		assert_int_equal(p->b.q.state, GLASS_QPS_ERR);
		assert_int_equal(all_events(&p->a), 0);
		assert_int_equal(all_events(&p->b), 1);
		assert_int_equal(p->b.events[c->event], 1);
		assert_int_equal(p->b.q.first_error.cause, c->cause);
		assert_false(glass_pqp_has_work(&p->b.q, p->now));
		assert_int_equal(p->a.q.stats.nak_rx, 1);
		assert_int_equal(p->a.q.stats.rem_errs, 1);
		assert_int_equal(p->a.q.stats.qp_errs, 1);
		assert_int_equal(p->a.q.stats.err_cqes, 1);
		assert_int_equal(p->a.q.stats.flush_cqes, 2);
		assert_int_equal(p->a.q.stats.loc_errs + p->a.q.stats.retry_errs +
				 p->a.q.stats.resp_errs, 0);
		assert_int_equal(p->b.q.stats.nak_tx, 1);
		assert_int_equal(p->b.q.stats.resp_errs, 1);
		assert_int_equal(p->b.q.stats.qp_errs, 1);
		assert_int_equal(p->b.q.stats.err_cqes, 0);
		assert_int_equal(p->b.q.stats.flush_cqes, 1);
		pe_pair_free(p);
	}
}

static void test_zero_write_needs_no_key(void **state)
{
	struct pe_pair *p = make_default();

	(void)state;
	post(&p->a, GLASS_OP_WRITE, 1, 0)->rkey = 0x999;
	post(&p->a, GLASS_OP_READ, 2, 0)->rkey = 0x999;
	pe_settle(p);
	expect_send(&p->a, 1, GLASS_WC_SUCCESS);
	expect_send(&p->a, 2, GLASS_WC_SUCCESS);
	pe_pair_free(p);
}

static void test_recv_too_short(void **state)
{
	(void)state;
	for (u32 room = 0; room < 3000; room += 500) {
		struct pe_pair *p = make_default();
		const struct glass_cqe *c;

		recv_(&p->b, 9, room);
		recv_(&p->b, 10, 100);
		post(&p->a, GLASS_OP_SEND, 1, 3000);
		pe_run(p, ~0ULL - 1);
		expect_send(&p->a, 1, GLASS_WC_REM_INV_REQ_ERR);
		c = expect_recv(&p->b, 9, GLASS_WC_LOC_LEN_ERR);
		assert_true(c->solicited);
		expect_recv(&p->b, 10, GLASS_WC_WR_FLUSH_ERR);
		expect_none(&p->b);
		assert_int_equal(p->b.q.state, GLASS_QPS_ERR);
		assert_int_equal(all_events(&p->b), 0);
		pe_pair_free(p);
	}
}

struct imm_case {
	const char *name;
	u32 len;
	int take; /* what taking a receive gives: 1 it is there, 0 none is posted, else an error */
	u32 more; /* packets that may follow in one train */
	bool gone; /* the region goes when the first packet was taken */
	bool event; /* strict mode */
	bool completes;
};

/* An RDMA WRITE with immediate data that memory refuses: is it the receive's error, or nobody's? */
static void test_write_imm_refused(void **state)
{
	static const struct imm_case imm_cases[] = {
		{ "one packet", 10, 1, 0, false, false, true },
		{ "the receive is malformed", 10, -EINVAL, 0, false, false, true },
		{ "no receive", 10, 0, 0, false, false, false },
		{ "two packets: the first has no immediate data", 2000, 1, 0, false, false, false },
		{ "the same as a train", 2000, 1, PE_TRAIN, false, false, false },
		{ "two packets, the last is refused", 2000, 1, 0, true, false, true },
		{ "strict mode", 10, 1, 0, false, true, false },
	};

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(imm_cases); i++) {
		const struct imm_case *c = &imm_cases[i];
		struct pe_pair *p = make_default();
		static struct pe_wire w;

		p->b.imm_event = c->event;
		p->a.q.max_more = c->more;
		if (c->take)
			recv_(&p->b, 9, 100);
		if (c->take == 1)
			recv_(&p->b, 10, 100);
		p->b.take_fails = c->take < 0 ? c->take : 0;
		post(&p->a, GLASS_OP_WRITE_IMM, 1, c->len)->rkey = c->gone ? DST : 0x999;
		post(&p->a, GLASS_OP_SEND, 2, 10);
		if (c->gone) {
			pull_a(p, &w);
			give_b(p, &w);
			pe_mr_del(pe_mr_find(&p->b, DST));
		}
		pe_run(p, ~0ULL - 1);
		expect_send(&p->a, 1, GLASS_WC_REM_ACCESS_ERR);
		expect_send(&p->a, 2, GLASS_WC_WR_FLUSH_ERR);
		if (c->take)
			expect_recv(&p->b, 9, c->completes ? GLASS_WC_LOC_ACCESS_ERR :
							     GLASS_WC_WR_FLUSH_ERR);
		if (c->take == 1)
			expect_recv(&p->b, 10, GLASS_WC_WR_FLUSH_ERR);
		expect_none(&p->b);
		assert_int_equal(p->b.q.state, GLASS_QPS_ERR);
		assert_int_equal(p->b.q.first_error.cause, GLASS_CAUSE_RESP_ACCESS);
		assert_int_equal(p->b.drops[GLASS_DROP_ACCESS], 1);
		assert_int_equal(all_events(&p->b), !c->completes);
		assert_int_equal(p->b.events[GLASS_EV_QP_ACCESS_ERR], !c->completes);
		pe_pair_free(p);
	}
}

static void test_recv_bad_memory(void **state)
{
	struct pe_pair *p = make_default();

	(void)state;
	pe_recv(&p->b, 9, pe_va(SRC, 0), 100, SRC); /* not writable */
	post(&p->a, GLASS_OP_SEND, 1, 50);
	pe_run(p, ~0ULL - 1);
	expect_send(&p->a, 1, GLASS_WC_REM_OP_ERR);
	expect_recv(&p->b, 9, GLASS_WC_LOC_PROT_ERR);
	assert_int_equal(p->b.q.state, GLASS_QPS_ERR);
	pe_pair_free(p);
}

static void test_recv_queue_broken(void **state)
{
	static const int rets[] = { -EINVAL, -EIO };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct pe_pair *p = make_default();

		recv_(&p->b, 9, 100);
		p->b.take_fails = rets[i];
		post(&p->a, GLASS_OP_SEND, 1, 50);
		pe_run(p, ~0ULL - 1);
		expect_send(&p->a, 1, GLASS_WC_REM_OP_ERR);
		expect_recv(&p->b, 9, i ? GLASS_WC_WR_FLUSH_ERR : GLASS_WC_LOC_QP_OP_ERR);
		assert_int_equal(p->b.events[GLASS_EV_QP_FATAL], i);
		pe_pair_free(p);
	}
}

static void test_read_memory_goes_away(void **state)
{
	struct pe_pair *p = make_default();
	static struct pe_wire w;

	(void)state;
	post(&p->a, GLASS_OP_READ, 1, 5000);
	post(&p->a, GLASS_OP_WRITE, 2, 5);
	while (pe_pull(&p->a, &w, p->now))
		glass_pqp_rx(&p->b.q, &w.pkt, &w.meta, p->now);
	assert_true(pe_pull(&p->b, &w, p->now));
	glass_pqp_rx(&p->a.q, &w.pkt, &w.meta, p->now);
	pe_mr_del(pe_mr_find(&p->b, DST));
	pe_run(p, ~0ULL - 1);
	expect_send(&p->a, 1, GLASS_WC_REM_ACCESS_ERR);
	expect_send(&p->a, 2, GLASS_WC_WR_FLUSH_ERR);
	assert_int_equal(p->b.events[GLASS_EV_QP_ACCESS_ERR], 1);
	assert_int_equal(p->b.q.state, GLASS_QPS_ERR);
	pe_pair_free(p);
}

/* ---- local errors ---- */

static void test_local_errors_wait_their_turn(void **state)
{
	(void)state;
	for (int i = 0; i < 5; i++) {
		struct pe_pair *p = make_default();
		static const enum glass_wc_status want[] = {
			GLASS_WC_LOC_PROT_ERR, GLASS_WC_LOC_LEN_ERR, GLASS_WC_LOC_QP_OP_ERR,
			GLASS_WC_LOC_QP_OP_ERR, GLASS_WC_LOC_PROT_ERR,
		};
		static struct pe_wire w;
		struct glass_swqe *x;
		int n;

		post(&p->a, GLASS_OP_WRITE, 1, 3000);
		post(&p->a, GLASS_OP_READ, 2, 3000);
		x = post(&p->a, i == 4 ? GLASS_OP_READ : GLASS_OP_WRITE, 3, 3000);
		if (i == 0)
			x->sge[0].lkey = 0x999;
		else if (i == 1)
			x->len = 0x80000001;
		else if (i == 2)
			x->status = GLASS_WC_LOC_QP_OP_ERR;
		else if (i == 3)
			x->op = 200;
		else
			x->sge[0].lkey = SRC; /* not writable */
		post(&p->a, GLASS_OP_WRITE, 4, 10);
		for (n = 0; pe_pull(&p->a, &w, p->now); n++)
			if (n == 3)
				assert_int_equal(w.pkt.opcode, GLASS_BOP_READ_REQ);
		expect_none(&p->a); /* nothing before its predecessors are done */
		p->now = p->a.q.deadline;
		glass_pqp_timer(&p->a.q, p->now);
		pe_run(p, ~0ULL - 1);
		expect_send(&p->a, 1, GLASS_WC_SUCCESS);
		expect_send(&p->a, 2, GLASS_WC_SUCCESS);
		expect_send(&p->a, 3, want[i]);
		expect_send(&p->a, 4, GLASS_WC_WR_FLUSH_ERR);
		assert_int_equal(p->a.q.state, GLASS_QPS_ERR);
		assert_int_equal(all_events(&p->a), 0);
		pe_pair_free(p);
	}
}

static void test_no_initiator_depth(void **state)
{
	struct pe_cfg cfg = PE_CFG_DEFAULT;
	struct pe_pair *p;

	(void)state;
	cfg.rd_atomic = 0;
	p = make(&cfg);
	post(&p->a, GLASS_OP_READ, 1, 10);
	pe_settle(p);
	expect_send(&p->a, 1, GLASS_WC_LOC_QP_OP_ERR);
	pe_pair_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_naks),
		cmocka_unit_test(test_zero_write_needs_no_key),
		cmocka_unit_test(test_recv_too_short),
		cmocka_unit_test(test_write_imm_refused),
		cmocka_unit_test(test_recv_bad_memory),
		cmocka_unit_test(test_recv_queue_broken),
		cmocka_unit_test(test_read_memory_goes_away),
		cmocka_unit_test(test_local_errors_wait_their_turn),
		cmocka_unit_test(test_no_initiator_depth),
	};

	return cmocka_run_group_tests_name("proto_rc_errors", tests, NULL, NULL);
}
