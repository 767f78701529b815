// SPDX-License-Identifier: GPL-2.0-only
/* Memory on demand whose page is not there: who waits, what the peer sees, and how it goes on. */
#include "proto_pair.h"

#define FOR_EVER (~0ULL - 1)

/* So many looks that no test outlives them */
#define LONG 1000000

static u32 rnr_naks(const struct pe_pair *p)
{
	return p->a.retries[GLASS_RETRY_RNR];
}

/* A message whose payload is not there waits, and nobody notices. */
static void test_payload(void **state)
{
	static const enum glass_qp_type types[] = { GLASS_QPT_RC, GLASS_QPT_UC, GLASS_QPT_UD };

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(types); i++) {
		struct pe_pair *p = make_type(types[i], false);

		recv_(&p->b, 7, 2000);
		p->a.absent = LONG;
		post(&p->a, GLASS_OP_SEND, 1, 100);
		pe_run(p, FOR_EVER);
		assert_int_equal(p->sent, 0);
		expect_none(&p->a);
		assert_int_equal(glass_req_waits(&p->a.q, p->now), GLASS_WAIT_PAGE);
		p->a.absent = 0;
		glass_pqp_pages(&p->a.q);
		pe_run(p, FOR_EVER);
		expect_send(&p->a, 1, GLASS_WC_SUCCESS);
		expect_recv(&p->b, 7, GLASS_WC_SUCCESS);
		assert_int_equal(glass_req_waits(&p->a.q, p->now), GLASS_WAIT_NOTHING);
		pe_pair_free(p);
	}
}

/* What came before goes on meanwhile, also when it has to go again. */
static void test_payload_behind_others(void **state)
{
	struct pe_pair *p = make_default();
	struct pe_wire w;

	(void)state;
	post(&p->a, GLASS_OP_WRITE, 1, 100);
	post(&p->a, GLASS_OP_WRITE, 2, 100);
	pull_a(p, &w); /* is lost */
	p->a.absent = 1;
	assert_false(pe_pull(&p->a, &w, p->now));
	p->a.absent = 0;
	pe_run(p, FOR_EVER);
	expect_send(&p->a, 1, GLASS_WC_SUCCESS);
	expect_send(&p->a, 2, GLASS_WC_SUCCESS);
	assert_int_equal(p->a.retries[GLASS_RETRY_NAK_SEQ], 1);
	pe_pair_free(p);
}

/* Flushed like everything else. */
static void test_payload_flushed(void **state)
{
	struct pe_pair *p = make_default();

	(void)state;
	p->a.absent = LONG;
	post(&p->a, GLASS_OP_WRITE, 1, 100);
	pe_run(p, FOR_EVER);
	glass_pqp_fail(&p->a.q, GLASS_CAUSE_INJECTED, GLASS_EV_COUNT, p->now);
	pe_flush(&p->a);
	expect_send(&p->a, 1, GLASS_WC_WR_FLUSH_ERR);
	glass_pqp_pages(&p->a.q);
	pe_run(p, FOR_EVER);
	assert_int_equal(p->sent, 0);
	assert_int_equal(pe_state(&p->a, GLASS_QPS_RESET, p->now), 0);
	pe_pair_free(p);
}

/* Requests whose place is not there have an RNR NAK each time, and are done once when it is. */
static void test_requests(void **state)
{
	static const enum glass_wr_op ops[] = { GLASS_OP_SEND, GLASS_OP_WRITE, GLASS_OP_WRITE_IMM,
						GLASS_OP_FETCH_ADD, GLASS_OP_ATOMIC_WRITE };
	struct pe_cfg cfg = PE_CFG_DEFAULT;

	(void)state;
	cfg.rnr_retry = 7;
	for (u32 i = 0; i < ARRAY_SIZE(ops); i++) {
		bool recv = ops[i] == GLASS_OP_SEND || ops[i] == GLASS_OP_WRITE_IMM;
		struct pe_pair *p = make(&cfg);

		recv_(&p->b, 7, 2000);
		p->b.absent = 3;
		post(&p->a, ops[i], 1, 8);
		pe_run(p, FOR_EVER);
		expect_send(&p->a, 1, GLASS_WC_SUCCESS);
		if (recv)
			expect_recv(&p->b, 7, GLASS_WC_SUCCESS);
		assert_int_equal(p->b.drops[GLASS_DROP_PAGE_WAIT], 3);
		assert_int_equal(rnr_naks(p), 3);
		assert_int_equal(p->b.atomics, ops[i] == GLASS_OP_FETCH_ADD);
		assert_int_equal(p->b.q.stats.rx_msgs, 1);
		assert_int_equal(all_events(&p->b), 0);
		pe_pair_free(p);
	}
}

/* In the middle of a message, too; and the wait is not that for a receive. */
static void test_request_in_the_middle(void **state)
{
	struct pe_cfg cfg = PE_CFG_DEFAULT;
	struct pe_wire w;
	struct pe_pair *p;

	(void)state;
	cfg.min_rnr_timer = 0; /* the longest */
	p = make(&cfg);
	recv_(&p->b, 7, 8000);
	post(&p->a, GLASS_OP_SEND, 1, 5000);
	pull_a(p, &w);
	give_b(p, &w);
	p->b.absent = 1;
	pull_a(p, &w);
	give_b(p, &w);
	assert_int_equal(glass_resp_waits(&p->b.q), GLASS_WAIT_PAGE);
	assert_true(pe_pull(&p->b, &w, p->now));
	assert_int_equal(w.pkt.syndrome & GLASS_AETH_KIND, GLASS_AETH_RNR);
	assert_int_equal(glass_rnr_timer_ns(w.pkt.syndrome & GLASS_AETH_VALUE), 640000);
	give_a(p, &w);
	glass_pqp_pages(&p->b.q);
	pe_run(p, FOR_EVER);
	expect_send(&p->a, 1, GLASS_WC_SUCCESS);
	assert_int_equal(expect_recv(&p->b, 7, GLASS_WC_SUCCESS)->byte_len, 5000);
	assert_memory_equal(mem(&p->b, LOC), mem(&p->a, SRC), 5000);
	pe_pair_free(p);
}

/* Datagrams and UC messages are lost; the receive serves the next one. */
static void test_unreliable(void **state)
{
	static const enum glass_qp_type types[] = { GLASS_QPT_UC, GLASS_QPT_UD };

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(types); i++) {
		struct pe_pair *p = make_type(types[i], false);

		recv_(&p->b, 7, 2000);
		p->b.absent = 1;
		post(&p->a, GLASS_OP_SEND, 1, 100);
		post(&p->a, GLASS_OP_SEND, 2, 100);
		pe_run(p, FOR_EVER);
		expect_send(&p->a, 1, GLASS_WC_SUCCESS);
		expect_send(&p->a, 2, GLASS_WC_SUCCESS);
		expect_recv(&p->b, 7, GLASS_WC_SUCCESS);
		expect_none(&p->b);
		assert_int_equal(p->b.drops[GLASS_DROP_PAGE_WAIT], 1);
		assert_int_equal(p->b.q.state, GLASS_QPS_RTS);
		pe_pair_free(p);
	}
}

static void test_uc_write(void **state)
{
	struct pe_pair *p = make_type(GLASS_QPT_UC, false);

	(void)state;
	p->b.absent = 1;
	post(&p->a, GLASS_OP_WRITE, 1, 100);
	post(&p->a, GLASS_OP_WRITE, 2, 100);
	pe_run(p, FOR_EVER);
	expect_send(&p->a, 1, GLASS_WC_SUCCESS);
	expect_send(&p->a, 2, GLASS_WC_SUCCESS);
	assert_int_equal(p->b.drops[GLASS_DROP_PAGE_WAIT], 1);
	assert_int_equal(p->b.q.stats.rx_msgs, 1);
	pe_pair_free(p);
}

/* What a READ asks for is not there: silence, also of what is behind it, until it is. */
static void test_read_data(void **state)
{
	struct pe_pair *p = make_default();
	struct pe_wire w;

	(void)state;
	post(&p->a, GLASS_OP_READ, 1, 3000);
	post(&p->a, GLASS_OP_WRITE, 2, 100);
	pull_a(p, &w);
	give_b(p, &w);
	assert_true(pe_pull(&p->b, &w, p->now));
	give_a(p, &w);
	p->b.absent = LONG;
	pull_a(p, &w);
	give_b(p, &w);
	assert_false(pe_pull(&p->b, &w, p->now));
	assert_int_equal(glass_resp_waits(&p->b.q), GLASS_WAIT_PAGE);
	p->b.absent = 0;
	glass_pqp_pages(&p->b.q);
	pe_run(p, FOR_EVER);
	expect_send(&p->a, 1, GLASS_WC_SUCCESS);
	expect_send(&p->a, 2, GLASS_WC_SUCCESS);
	/* the WRITE came after it */
	assert_memory_equal(mem(&p->a, LOC) + 100, mem(&p->b, DST) + 100, 2900);
	pe_pair_free(p);
}

/* It never comes: the requester's retries end that, as with a peer that is gone. */
static void test_read_data_never(void **state)
{
	struct pe_pair *p = make_default();

	(void)state;
	p->b.absent = LONG;
	post(&p->a, GLASS_OP_READ, 1, 3000);
	pe_run(p, FOR_EVER);
	expect_send(&p->a, 1, GLASS_WC_RETRY_EXC_ERR);
	assert_int_equal(p->b.q.state, GLASS_QPS_RTS);
	pe_pair_free(p);
}

/*
 * Where the answer goes is not there: it dies, and so does what is behind it. No retry is used up, however
 * often the timer of what is sent meanwhile runs out. When the page is there it is asked for again.
 */
static void test_answers(void **state)
{
	static const enum glass_wr_op ops[] = { GLASS_OP_READ, GLASS_OP_FETCH_ADD };

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(ops); i++) {
		struct pe_pair *p = make_default();

		p->a.absent = LONG;
		post(&p->a, ops[i], 1, ops[i] == GLASS_OP_READ ? 3000 : 8);
		pe_run(p, FOR_EVER);
		expect_none(&p->a);
		assert_int_equal(p->a.drops[GLASS_DROP_PAGE_WAIT], 1);
		assert_int_equal(glass_req_waits(&p->a.q, p->now), GLASS_WAIT_PAGE);
		assert_int_equal(p->a.q.deadline, 0);
		p->a.absent = 0;
		glass_pqp_pages(&p->a.q);
		pe_run(p, FOR_EVER);
		expect_send(&p->a, 1, GLASS_WC_SUCCESS);
		assert_int_equal(p->b.atomics, ops[i] == GLASS_OP_FETCH_ADD);
		assert_int_equal(p->a.q.req.retry_left, 3);
		pe_pair_free(p);
	}
}

static void test_answer_while_others_are_sent(void **state)
{
	struct pe_pair *p = make_default();

	(void)state;
	p->a.absent = 1;
	post(&p->a, GLASS_OP_READ, 1, 1000);
	pe_settle(p);
	assert_int_equal(p->a.drops[GLASS_DROP_PAGE_WAIT], 1);
	/* of no bytes: they need no page themselves */
	for (u32 i = 0; i < 20; i++) {
		p->a.absent = LONG;
		post(&p->a, GLASS_OP_WRITE, 2 + i, 0);
		pe_run(p, p->now + 1000000000ULL);
	}
	expect_none(&p->a);
	assert_int_equal(p->a.q.state, GLASS_QPS_RTS);
	p->a.absent = 0;
	glass_pqp_pages(&p->a.q);
	pe_run(p, FOR_EVER);
	for (u32 i = 0; i < 21; i++)
		expect_send(&p->a, 1 + i, GLASS_WC_SUCCESS);
	pe_pair_free(p);
}

/* The answer came after all, to another try: nothing is asked for again. */
static void test_answered_meanwhile(void **state)
{
	struct pe_pair *p = make_default();
	struct pe_wire w;
	u32 sent;

	(void)state;
	p->a.absent = 1;
	post(&p->a, GLASS_OP_READ, 1, 1000);
	pull_a(p, &w);
	give_b(p, &w);
	assert_true(pe_pull(&p->b, &w, p->now));
	give_a(p, &w);
	expect_none(&p->a);
	give_a(p, &w);
	expect_send(&p->a, 1, GLASS_WC_SUCCESS);
	sent = p->sent;
	glass_pqp_pages(&p->a.q);
	pe_run(p, FOR_EVER);
	assert_int_equal(p->sent, sent);
	pe_pair_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_payload),
		cmocka_unit_test(test_payload_behind_others),
		cmocka_unit_test(test_payload_flushed),
		cmocka_unit_test(test_requests),
		cmocka_unit_test(test_request_in_the_middle),
		cmocka_unit_test(test_unreliable),
		cmocka_unit_test(test_uc_write),
		cmocka_unit_test(test_read_data),
		cmocka_unit_test(test_read_data_never),
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_answer_while_others_are_sent),
		cmocka_unit_test(test_answered_meanwhile),
	};

	return cmocka_run_group_tests_name("proto_pages", tests, NULL, NULL);
}
