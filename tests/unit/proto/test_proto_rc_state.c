// SPDX-License-Identifier: GPL-2.0-only
/* RC and the QP's states: draining, errors from outside, RESET, events. */
#include "proto_pair.h"

static void test_sqd(void **state)
{
	struct pe_pair *p = make_default();
	struct glass_qp_attr a = { .state = GLASS_QPS_SQD, .sqd_async = true };
	static struct pe_wire w;

	(void)state;
	post(&p->a, GLASS_OP_WRITE, 1, 3000);
	post(&p->a, GLASS_OP_WRITE, 2, 10);
	pull_a(p, &w);
	give_b(p, &w);
	assert_int_equal(glass_pqp_modify(&p->a.q, &a,
					  GLASS_QPA_STATE | GLASS_QPA_EN_SQD_ASYNC_NOTIFY, p->now),
			 0);
	assert_int_equal(p->a.events[GLASS_EV_SQ_DRAINED], 0);
	pe_settle(p);
	/* what was begun is done, nothing new */
	expect_send(&p->a, 1, GLASS_WC_SUCCESS);
	expect_none(&p->a);
	assert_int_equal(p->a.events[GLASS_EV_SQ_DRAINED], 1);
	/* the receive side works on */
	recv_(&p->a, 5, 100);
	post(&p->b, GLASS_OP_SEND, 6, 10);
	pe_settle(p);
	expect_recv(&p->a, 5, GLASS_WC_SUCCESS);
	expect_send(&p->b, 6, GLASS_WC_SUCCESS);
	assert_int_equal(pe_state(&p->a, GLASS_QPS_RTS, p->now), 0);
	pe_settle(p);
	expect_send(&p->a, 2, GLASS_WC_SUCCESS);
	assert_int_equal(p->a.events[GLASS_EV_SQ_DRAINED], 1);
	/* idle: drained at once; without the wish: silently */
	assert_int_equal(glass_pqp_modify(&p->a.q, &a,
					  GLASS_QPA_STATE | GLASS_QPA_EN_SQD_ASYNC_NOTIFY, p->now),
			 0);
	assert_int_equal(p->a.events[GLASS_EV_SQ_DRAINED], 2);
	assert_int_equal(pe_state(&p->a, GLASS_QPS_RTS, p->now), 0);
	assert_int_equal(pe_state(&p->a, GLASS_QPS_SQD, p->now), 0);
	assert_int_equal(p->a.events[GLASS_EV_SQ_DRAINED], 2);
	pe_pair_free(p);
}

/* Sent without a timeout, and lost; a timeout that is given then counts from there. */
static void test_timeout_given_later(void **state)
{
	struct pe_cfg cfg = PE_CFG_DEFAULT;
	struct glass_qp_attr a = { .state = GLASS_QPS_SQD, .timeout = 14 };
	static struct pe_wire w;
	struct pe_pair *p;

	(void)state;
	cfg.timeout = 0;
	p = make(&cfg);
	post(&p->a, GLASS_OP_WRITE, 1, 10);
	pull_a(p, &w);
	assert_int_equal(p->a.q.deadline, 0);
	assert_int_equal(pe_state(&p->a, GLASS_QPS_SQD, p->now), 0);
	assert_int_equal(p->a.q.deadline, 0);
	assert_int_equal(glass_pqp_modify(&p->a.q, &a, GLASS_QPA_STATE | GLASS_QPA_TIMEOUT, p->now), 0);
	assert_int_equal(p->a.q.deadline, p->now + glass_ack_timeout_ns(14));
	pe_run(p, ~0ULL - 1);
	expect_send(&p->a, 1, GLASS_WC_SUCCESS);
	assert_int_equal(p->a.q.stats.timeouts, 1);
	/* nothing is outstanding: nothing is waited for */
	a.timeout = 15;
	assert_int_equal(glass_pqp_modify(&p->a.q, &a, GLASS_QPA_STATE | GLASS_QPA_TIMEOUT, p->now), 0);
	assert_int_equal(p->a.q.deadline, 0);
	pe_pair_free(p);
}

static void test_err_by_verb(void **state)
{
	struct pe_pair *p = make_default();
	static struct pe_wire w;

	(void)state;
	recv_(&p->a, 1, BIG);
	recv_(&p->a, 2, 100);
	post(&p->a, GLASS_OP_WRITE, 3, 3000)->flags = 0;
	post(&p->a, GLASS_OP_WRITE, 4, 30);
	pull_a(p, &w);
	/* half of a message received */
	post(&p->b, GLASS_OP_SEND, 9, 2000);
	assert_true(pe_pull(&p->b, &w, p->now));
	give_a(p, &w);
	assert_int_equal(pe_state(&p->a, GLASS_QPS_ERR, p->now), 0);
	expect_send(&p->a, 3, GLASS_WC_WR_FLUSH_ERR);
	expect_send(&p->a, 4, GLASS_WC_WR_FLUSH_ERR);
	expect_recv(&p->a, 1, GLASS_WC_WR_FLUSH_ERR);
	expect_recv(&p->a, 2, GLASS_WC_WR_FLUSH_ERR);
	expect_none(&p->a);
	assert_int_equal(p->a.q.deadline, 0);
	assert_int_equal(all_events(&p->a), 0);
	give_a(p, &w);
	assert_int_equal(p->a.drops[GLASS_DROP_QP_STATE], 1);
	/* again: nothing new */
	assert_int_equal(pe_state(&p->a, GLASS_QPS_ERR, p->now), 0);
	expect_none(&p->a);
	pe_pair_free(p);
}

static void test_reset(void **state)
{
	struct pe_pair *p = make_default();
	struct pe_cfg cfg = PE_CFG_DEFAULT;
	static struct pe_wire w;

	(void)state;
	post(&p->a, GLASS_OP_WRITE, 3, 3000);
	post(&p->a, GLASS_OP_READ, 4, 3000);
	pull_a(p, &w);
	/* lesson 9: 0, not a positive number */
	assert_int_equal(pe_state(&p->a, GLASS_QPS_RESET, p->now), 0);
	expect_none(&p->a);
	assert_false(glass_pqp_has_work(&p->a.q, p->now));
	assert_int_equal(p->a.q.deadline, 0);
	assert_int_equal(p->a.q.req.tail, p->a.q.req.head);
	assert_int_equal(pe_state(&p->b, GLASS_QPS_RESET, p->now), 0);
	for (int i = 0; i < 2; i++) {
		struct pe_ep *ep = i ? &p->a : &p->b;

		pe_to_init(ep, &cfg);
		pe_to_rtr(ep, &cfg, p->now);
		pe_to_rts(ep, &cfg, p->now);
	}
	post(&p->a, GLASS_OP_WRITE, 5, 3000);
	pe_settle(p);
	expect_send(&p->a, 5, GLASS_WC_SUCCESS);
	expect_none(&p->a);
	pe_pair_free(p);
}

static void test_comm_est(void **state)
{
	struct pe_cfg cfg = PE_CFG_DEFAULT;
	struct pe_pair *p = make(&cfg);

	(void)state;
	assert_int_equal(pe_state(&p->b, GLASS_QPS_RESET, p->now), 0);
	pe_to_init(&p->b, &cfg);
	post(&p->a, GLASS_OP_WRITE, 1, 3000);
	pe_settle(p);
	assert_int_equal(p->b.drops[GLASS_DROP_QP_STATE], 3);
	pe_to_rtr(&p->b, &cfg, p->now);
	pe_run(p, ~0ULL - 1);
	expect_send(&p->a, 1, GLASS_WC_SUCCESS);
	assert_int_equal(p->b.events[GLASS_EV_COMM_EST], 1);
	/* no request leaves in RTR */
	post(&p->b, GLASS_OP_WRITE, 1, 3000);
	assert_false(glass_pqp_has_work(&p->b.q, p->now));
	pe_pair_free(p);
}

/* Lesson 11: LAST_WQE_REACHED whatever was received before, and once. */
static void test_last_wqe_reached(void **state)
{
	struct pe_cfg cfg = PE_CFG_DEFAULT;
	static struct pe_wire w;
	struct pe_pair *p;

	(void)state;
	cfg.srq = true;
	p = make(&cfg);
	recv_(&p->b, 1, BIG);
	recv_(&p->b, 2, BIG);
	assert_int_equal(pe_state(&p->b, GLASS_QPS_ERR, p->now), 0);
	assert_int_equal(p->b.events[GLASS_EV_QP_LAST_WQE_REACHED], 1);
	expect_none(&p->b); /* the SRQ's WQEs stay */
	pe_flush(&p->b);
	assert_int_equal(p->b.events[GLASS_EV_QP_LAST_WQE_REACHED], 1);
	pe_pair_free(p);

	/* one in progress is flushed before the event */
	p = make(&cfg);
	recv_(&p->b, 1, BIG);
	post(&p->a, GLASS_OP_SEND, 1, 3000);
	pull_a(p, &w);
	give_b(p, &w);
	assert_int_equal(pe_state(&p->b, GLASS_QPS_ERR, p->now), 0);
	assert_true(expect_recv(&p->b, 1, GLASS_WC_WR_FLUSH_ERR)->from_srq);
	assert_int_equal(p->b.events[GLASS_EV_QP_LAST_WQE_REACHED], 1);
	pe_pair_free(p);
}

/* A receive's memory is of its SRQ's domain; what the peer accesses, of the QP's. */
static void test_domain_of_srq(void **state)
{
	struct pe_cfg cfg = PE_CFG_DEFAULT;
	struct pe_pair *p;

	(void)state;
	cfg.srq = true;
	p = make(&cfg);
	p->b.srq_pd++;
	recv_(&p->b, 1, BIG);
	pe_mr_find(&p->b, LOC)->pd++;
	post(&p->a, GLASS_OP_SEND, 1, 3000);
	post(&p->a, GLASS_OP_WRITE, 2, 3000);
	pe_settle(p);
	expect_send(&p->a, 1, GLASS_WC_SUCCESS);
	expect_send(&p->a, 2, GLASS_WC_SUCCESS);
	expect_recv(&p->b, 1, GLASS_WC_SUCCESS);
	pe_mr_find(&p->b, LOC)->pd--;
	recv_(&p->b, 2, BIG);
	post(&p->a, GLASS_OP_SEND, 3, 10);
	pe_settle(p);
	expect_send(&p->a, 3, GLASS_WC_REM_OP_ERR);
	expect_recv(&p->b, 2, GLASS_WC_LOC_PROT_ERR);
	pe_pair_free(p);
}

static void test_fail(void **state)
{
	struct pe_pair *p = make_default();

	(void)state;
	recv_(&p->a, 1, 10);
	post(&p->a, GLASS_OP_WRITE, 2, 10);
	glass_pqp_fail(&p->a.q, GLASS_CAUSE_INJECTED, GLASS_EV_QP_FATAL, p->now);
	expect_send(&p->a, 2, GLASS_WC_WR_FLUSH_ERR);
	expect_recv(&p->a, 1, GLASS_WC_WR_FLUSH_ERR);
	assert_int_equal(p->a.events[GLASS_EV_QP_FATAL], 1);
	assert_int_equal(p->a.q.first_error.cause, GLASS_CAUSE_INJECTED);
	glass_pqp_fail(&p->a.q, GLASS_CAUSE_INJECTED, GLASS_EV_QP_FATAL, p->now);
	assert_int_equal(p->a.events[GLASS_EV_QP_FATAL], 1);
	pe_pair_free(p);
}

/* A READ that takes half of the PSN space: the limit of PSN arithmetic. */
static void test_longest_read(void **state)
{
	struct pe_cfg cfg = PE_CFG_DEFAULT;
	static struct pe_wire w, x;
	struct pe_pair *p;

	(void)state;
	cfg.mtu = 256;
	p = make(&cfg);
	post(&p->a, GLASS_OP_READ, 1, 0x80000000);
	post(&p->a, GLASS_OP_WRITE, 2, 10);
	pull_a(p, &w);
	assert_int_equal(w.pkt.dma_len, 0x80000000);
	assert_false(pe_pull(&p->a, &x, p->now));
	assert_int_equal((p->a.q.req.psn - w.pkt.psn) & GLASS_PSN_MASK, 0x800000);
	/* an answer to its first and to its last PSN */
	x = w;
	x.pkt.slid = 0x12;
	x.pkt.opcode = GLASS_BOP_READ_RESP_FIRST;
	x.pkt.syndrome = 0;
	x.pkt.len = x.seg.len = 256;
	x.pkt.nseg = 1;
	x.pkt.seg = &x.seg;
	x.seg.addr = x.data;
	give_a(p, &x);
	assert_int_equal(p->a.q.req.una, glass_psn_add(w.pkt.psn, 1));
	give_a(p, &x);
	assert_int_equal(p->a.drops[GLASS_DROP_STALE_RESP], 1);
	x.pkt.psn = glass_psn_add(w.pkt.psn, 0x7fffff);
	give_a(p, &x);
	assert_int_equal(p->a.retries[GLASS_RETRY_IMPLIED], 1);
	pull_a(p, &w);
	assert_int_equal(w.pkt.dma_len, 0x80000000 - 256);
	pe_pair_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sqd),
		cmocka_unit_test(test_timeout_given_later),
		cmocka_unit_test(test_err_by_verb),
		cmocka_unit_test(test_reset),
		cmocka_unit_test(test_comm_est),
		cmocka_unit_test(test_last_wqe_reached),
		cmocka_unit_test(test_domain_of_srq),
		cmocka_unit_test(test_fail),
		cmocka_unit_test(test_longest_read),
	};

	return cmocka_run_group_tests_name("proto_rc_state", tests, NULL, NULL);
}
