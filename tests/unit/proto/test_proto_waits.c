// SPDX-License-Identifier: GPL-2.0-only
/* What a QP waits for, in one word: as the tools show it. */
#include "proto_pair.h"

#define assert_waits(ep, now, word)                                                                \
	assert_int_equal(glass_req_waits(&(ep)->q, now), GLASS_WAIT_##word)
#define assert_resp_waits(ep, word)                                                                \
	assert_int_equal(glass_resp_waits(&(ep)->q), GLASS_WAIT_##word)

/* Hands out all that A may send; B sees nothing of it. */
static u32 pull_all(struct pe_pair *p)
{
	struct pe_wire w;
	u32 n = 0;

	while (glass_pqp_has_work(&p->a.q, p->now)) {
		assert_waits(&p->a, p->now, ENGINE);
		pull_a(p, &w);
		n += 1 + w.pkt.more;
	}
	return n;
}

static void test_idle_and_ack(void **state)
{
	struct pe_pair *p = make_default();

	(void)state;
	assert_waits(&p->a, p->now, NOTHING);
	assert_resp_waits(&p->a, NOTHING);
	post(&p->a, GLASS_OP_WRITE, 1, 100);
	assert_waits(&p->a, p->now, ENGINE);
	assert_true(glass_pqp_has_work(&p->a.q, p->now));
	pull_all(p);
	assert_waits(&p->a, p->now, ACK);
	post(&p->a, GLASS_OP_READ, 2, 100);
	pull_all(p);
	/* the WRITE is still the oldest */
	assert_waits(&p->a, p->now, ACK);
	pe_run(p, ~0ULL - 1);
	expect_send(&p->a, 1, GLASS_WC_SUCCESS);
	expect_send(&p->a, 2, GLASS_WC_SUCCESS);
	assert_waits(&p->a, p->now, NOTHING);
	pe_pair_free(p);
}

static void test_reads(void **state)
{
	struct pe_cfg cfg = PE_CFG_DEFAULT;
	struct pe_pair *p;

	(void)state;
	cfg.rd_atomic = 1;
	p = make(&cfg);
	post(&p->a, GLASS_OP_READ, 1, 100);
	pull_all(p);
	assert_waits(&p->a, p->now, RESPONSE);
	post(&p->a, GLASS_OP_FETCH_ADD, 2, 8);
	assert_int_equal(pull_all(p), 0);
	assert_waits(&p->a, p->now, READS);
	pe_pair_free(p);

	p = make_default();
	post(&p->a, GLASS_OP_READ, 1, 100);
	post(&p->a, GLASS_OP_SEND, 2, 8)->flags |= GLASS_SWQE_FENCE;
	pull_all(p);
	assert_waits(&p->a, p->now, FENCE);
	pe_pair_free(p);
}

static void test_window(void **state)
{
	struct pe_pair *p = make_default();
	u32 i;

	(void)state;
	for (i = 0; i < 60; i++)
		post(&p->a, GLASS_OP_WRITE, i, 3 * p->a.q.attr.mtu);
	assert_in_range(pull_all(p), 128, 130);
	assert_waits(&p->a, p->now, WINDOW);
	pe_pair_free(p);
}

/* RNR at the sender, a receive at the receiver; then the message that must come again. */
static void test_rnr(void **state)
{
	struct pe_pair *p = make_default();
	struct pe_wire w, nak;

	(void)state;
	post(&p->a, GLASS_OP_SEND, 1, 100);
	pull_a(p, &w);
	give_b(p, &w);
	assert_resp_waits(&p->b, ENGINE);
	assert_true(pe_pull(&p->b, &nak, p->now));
	assert_resp_waits(&p->b, RECV);
	give_a(p, &nak);
	assert_waits(&p->a, p->now, RNR);
	assert_waits(&p->a, p->a.q.req.rnr_until, ENGINE);
	recv_(&p->b, 7, 200);
	pe_run(p, ~0ULL - 1);
	expect_recv(&p->b, 7, GLASS_WC_SUCCESS);
	expect_send(&p->a, 1, GLASS_WC_SUCCESS);
	assert_resp_waits(&p->b, NOTHING);
	pe_pair_free(p);
}

/* The first packets of a message have come: its rest is waited for. */
static void test_message(void **state)
{
	struct pe_pair *p = make_default();
	struct pe_wire w;

	(void)state;
	p->a.q.max_more = 0;
	recv_(&p->b, 7, BIG);
	post(&p->a, GLASS_OP_SEND, 1, 2 * p->a.q.attr.mtu);
	pull_a(p, &w);
	assert_int_equal(w.pkt.more, 0);
	give_b(p, &w);
	assert_resp_waits(&p->b, MESSAGE);
	pe_pair_free(p);
}

static void test_credits(void **state)
{
	struct pe_pair *p = make_default();

	(void)state;
	recv_(&p->b, 1, 100);
	post(&p->a, GLASS_OP_SEND, 1, 8);
	pe_run(p, ~0ULL - 1);
	expect_send(&p->a, 1, GLASS_WC_SUCCESS);
	assert_true(p->a.q.req.credit_valid);
	post(&p->a, GLASS_OP_SEND, 2, 8);
	post(&p->a, GLASS_OP_SEND, 3, 8);
	/* one goes to learn of new credits */
	assert_int_equal(pull_all(p), 1);
	assert_waits(&p->a, p->now, CREDITS);
	/* what takes no receive needs none, but it is behind */
	post(&p->a, GLASS_OP_WRITE, 4, 8);
	assert_int_equal(pull_all(p), 0);
	assert_waits(&p->a, p->now, CREDITS);
	pe_pair_free(p);
}

/* SQD: what was begun waits for its end, then the rest for modify_qp. */
static void test_sqd(void **state)
{
	struct glass_qp_attr attr = { .state = GLASS_QPS_SQD };
	struct pe_pair *p = make_default();

	(void)state;
	post(&p->a, GLASS_OP_WRITE, 1, 8);
	pull_all(p);
	assert_int_equal(glass_pqp_modify(&p->a.q, &attr, GLASS_QPA_STATE, p->now), 0);
	post(&p->a, GLASS_OP_WRITE, 2, 8);
	assert_waits(&p->a, p->now, ACK);
	pe_run(p, ~0ULL - 1);
	expect_send(&p->a, 1, GLASS_WC_SUCCESS);
	assert_waits(&p->a, p->now, STATE);
	attr.state = GLASS_QPS_RTS;
	assert_int_equal(glass_pqp_modify(&p->a.q, &attr, GLASS_QPA_STATE, p->now), 0);
	assert_waits(&p->a, p->now, ENGINE);
	pe_run(p, ~0ULL - 1);
	expect_send(&p->a, 2, GLASS_WC_SUCCESS);
	pe_pair_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_idle_and_ack), cmocka_unit_test(test_reads),
		cmocka_unit_test(test_window),	     cmocka_unit_test(test_rnr),
		cmocka_unit_test(test_message),	     cmocka_unit_test(test_credits),
		cmocka_unit_test(test_sqd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
