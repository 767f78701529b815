// SPDX-License-Identifier: GPL-2.0-only
/*
 * ACKs that nobody waits for: which requests say so, what answers them in the end, and
 * that nothing of them is lost.
 */
#include "proto_pair.h"

static struct pe_wire w;

/* cfg: NULL is the default */
static struct pe_pair *coalescing(const struct pe_cfg *cfg)
{
	struct pe_pair *p = cfg ? make(cfg) : make_default();

	p->a.q.ack_later = true;
	p->b.q.ack_later = true;
	return p;
}

/* A WRITE, the packet of which is given to the peer; says whether its ACK can come later. */
static bool write_one(struct pe_pair *p, u64 wr_id, bool signaled)
{
	struct glass_swqe *wqe = post(&p->a, GLASS_OP_WRITE, wr_id, 8);

	if (!signaled)
		wqe->flags &= ~GLASS_SWQE_SIGNALED;
	pull_a(p, &w);
	assert_true(w.pkt.ack_req);
	give_b(p, &w);
	return w.pkt.ack_later;
}

static bool answer(struct pe_pair *p)
{
	static struct pe_wire ack;

	if (!pe_pull(&p->b, &ack, p->now))
		return false;
	give_a(p, &ack);
	return true;
}

/* One ACK, that of the signaled one, for all; and by itself when nothing else comes. */
static void test_one_for_many(void **state)
{
	struct pe_pair *p = coalescing(NULL);

	(void)state;
	assert_true(write_one(p, 1, false));
	assert_true(write_one(p, 2, false));
	assert_false(answer(p));
	assert_true(glass_resp_ack_later(&p->b.q));
	assert_false(write_one(p, 3, true));
	assert_false(glass_resp_ack_later(&p->b.q));
	assert_true(answer(p));
	assert_false(answer(p));
	expect_send(&p->a, 3, GLASS_WC_SUCCESS);
	expect_none(&p->a);
	assert_int_equal(p->a.q.req.tail, p->a.q.req.head);

	assert_true(write_one(p, 4, false));
	assert_false(answer(p));
	glass_pqp_ack_now(&p->b.q);
	assert_true(answer(p));
	assert_int_equal(p->a.q.req.tail, p->a.q.req.head);
	glass_pqp_ack_now(&p->b.q);
	assert_false(answer(p));
	pe_pair_free(p);
}

/* A responder that is to answer at once does, whatever the request says. */
static void test_asked_to_be_soon(void **state)
{
	struct pe_pair *p = coalescing(NULL);

	(void)state;
	p->b.q.ack_soon = true;
	assert_true(write_one(p, 1, false));
	assert_true(answer(p));
	p->b.q.ack_soon = false;
	assert_true(write_one(p, 2, false));
	assert_false(answer(p));
	pe_pair_free(p);
}

/* Half of the ring is not left unanswered, nor half of the window. */
static void test_room_is_kept(void **state)
{
	struct pe_cfg cfg = PE_CFG_DEFAULT;
	struct pe_pair *p;
	u32 n;

	(void)state;
	cfg.sq_entries = 8;
	p = coalescing(&cfg);
	for (n = 0; n < 8 && write_one(p, n, false); n++)
		;
	assert_int_equal(n, 4);
	assert_true(answer(p));
	assert_int_equal(p->a.q.req.tail, p->a.q.req.head);
	pe_pair_free(p);

	cfg.sq_entries = 1024;
	p = coalescing(&cfg);
	for (n = 0; n < 1000 && write_one(p, n, false); n++)
		;
	assert_int_equal(n, 64);
	assert_true(answer(p));
	pe_pair_free(p);
}

/* The message by which new credits are asked for, one more than there are, gets its answer at once. */
static void test_credits_are_asked_for(void **state)
{
	struct pe_pair *p = coalescing(NULL);
	struct glass_swqe *wqe;
	u32 n;

	(void)state;
	for (n = 0; n < 9; n++)
		recv_(&p->b, n, 64);
	/* an ACK tells that there are nine, rounded down to a credit code */
	assert_false(write_one(p, 100, true));
	assert_true(answer(p));
	assert_true(p->a.q.req.credit_valid);
	for (n = 0; n < 9; n++) {
		wqe = post(&p->a, GLASS_OP_SEND, n, 8);
		wqe->flags &= ~GLASS_SWQE_SIGNALED;
		pull_a(p, &w);
		give_b(p, &w);
		assert_int_equal(w.pkt.ack_later, n < 8);
	}
	assert_true(answer(p));
	pe_pair_free(p);
}

/* Where it could cost a retry, a completion, or be seen, it is not done. */
static void test_not_later(void **state)
{
	struct pe_cfg cfg = PE_CFG_DEFAULT;
	struct pe_pair *p;

	(void)state;
	cfg.timeout = 12;
	p = coalescing(&cfg);
	/* its timer could run out */
	assert_false(write_one(p, 1, false));
	assert_true(answer(p));
	pe_pair_free(p);

	cfg.timeout = 0;
	p = coalescing(&cfg);
	assert_true(write_one(p, 1, false));
	p->a.q.ack_later = false;
	assert_false(write_one(p, 2, false));
	p->a.q.ack_later = true;
	p->a.q.sig_all = true;
	assert_false(write_one(p, 3, false));
	pe_pair_free(p);
}

/* What is sent again is answered at once, as is what comes double. */
static void test_again_is_not_later(void **state)
{
	struct pe_pair *p = coalescing(NULL);

	(void)state;
	assert_true(write_one(p, 1, false));
	give_b(p, &w);
	assert_false(glass_resp_ack_later(&p->b.q));
	assert_true(answer(p));

	assert_true(write_one(p, 2, false));
	p->now = p->a.q.deadline;
	glass_pqp_timer(&p->a.q, p->now);
	pull_a(p, &w);
	assert_true(w.pkt.ack_req);
	assert_false(w.pkt.ack_later);
	give_b(p, &w);
	assert_true(answer(p));
	assert_int_equal(p->a.q.req.tail, p->a.q.req.head);
	pe_pair_free(p);
}

/* An error after what was taken: the ACK of that is still sent. */
static void test_error_after(void **state)
{
	struct pe_pair *p = coalescing(NULL);

	(void)state;
	assert_true(write_one(p, 1, false));
	pe_state(&p->b, GLASS_QPS_ERR, p->now);
	assert_true(answer(p));
	assert_int_equal(p->a.q.req.tail, p->a.q.req.head);
	pe_pair_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_for_many),
		cmocka_unit_test(test_asked_to_be_soon),
		cmocka_unit_test(test_room_is_kept),
		cmocka_unit_test(test_credits_are_asked_for),
		cmocka_unit_test(test_not_later),
		cmocka_unit_test(test_again_is_not_later),
		cmocka_unit_test(test_error_after),
	};

	return cmocka_run_group_tests_name("proto_acks", tests, NULL, NULL);
}
