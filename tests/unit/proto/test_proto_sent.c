// SPDX-License-Identifier: GPL-2.0-only
/*
 * A datagram or UC message completes when its last packet was delivered, and what is
 * flushed or fails does so when none of its packets is on its way: up to then the
 * buffer is read, and must not be given back.
 */
#include "proto_pair.h"

static const enum glass_qp_type types[] = { GLASS_QPT_UC, GLASS_QPT_UD, GLASS_QPT_GSI,
					    GLASS_QPT_SMI };

static struct glass_swqe *post_mad(struct pe_ep *ep, u64 wr_id, u32 len)
{
	struct glass_swqe *w = post(ep, GLASS_OP_SEND, wr_id, len);

	if (!glass_type_is_connected(ep->q.type))
		w->qkey = GLASS_QKEY_CTRL; /* the QP's own */
	return w;
}

static void hand_out(struct pe_pair *p, struct pe_tx *tx)
{
	assert_true(pe_next(&p->a, tx, p->now));
}

static void deliver(struct pe_pair *p, struct pe_tx *tx)
{
	glass_pqp_rx(&p->b.q, &tx->pkt, &tx->meta, p->now);
}

static void test_after_delivery(void **state)
{
	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(types); i++) {
		struct pe_pair *p = make_type(types[i], false);
		struct pe_tx tx;

		recv_(&p->b, 9, 1024 + 40);
		post_mad(&p->a, 1, 700);
		hand_out(p, &tx);
		expect_none(&p->a);
		deliver(p, &tx);
		expect_recv(&p->b, 9, GLASS_WC_SUCCESS);
		expect_none(&p->a);
		assert_int_equal(p->a.q.req.tail, 0);
		pe_sent(&p->a, &tx);
		expect_send(&p->a, 1, GLASS_WC_SUCCESS);
		assert_int_equal(p->a.q.req.tail, 1);
		assert_int_equal(p->a.refs, 0);
		pe_pair_free(p);
	}
}

/* Of several packets the last one counts. */
static void test_uc_last_packet(void **state)
{
	static const enum glass_wr_op some[] = { GLASS_OP_SEND, GLASS_OP_WRITE, GLASS_OP_WRITE_IMM };

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(some); i++) {
		struct pe_pair *p = make_type(GLASS_QPT_UC, false);
		struct pe_tx tx;

		recv_(&p->b, 9, BIG);
		post(&p->a, some[i], 1, 3000);
		for (int n = 0; n < 3; n++) {
			expect_none(&p->a);
			hand_out(p, &tx);
			deliver(p, &tx);
			expect_none(&p->a);
			pe_sent(&p->a, &tx);
		}
		expect_send(&p->a, 1, GLASS_WC_SUCCESS);
		pe_pair_free(p);
	}
}

/* The program writes its next message into the buffer as soon as it may. */
static void next_message(struct pe_ep *ep, const struct glass_cqe *cqe)
{
	u32 n = cqe->wr_id + 1;

	if (!cqe->is_send)
		return;
	assert_int_equal(cqe->status, GLASS_WC_SUCCESS);
	pe_fill(mem(ep, SRC), BIG, n * 1000);
}

static void test_buffer_reused(void **state)
{
	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(types); i++) {
		struct pe_pair *p = make_type(types[i], false);
		u32 head = types[i] == GLASS_QPT_UC ? 0 : 40;
		u32 len = types[i] == GLASS_QPT_UC ? 2500 : 1024;
		static u8 want[4096];

		p->a.on_complete = next_message;
		pe_fill(mem(&p->a, SRC), BIG, 0);
		for (u32 n = 0; n < 10; n++) {
			pe_recv(&p->b, n, pe_va(LOC, n * 4096), 4096, LOC);
			post_mad(&p->a, n, len);
		}
		pe_settle(p);
		for (u32 n = 0; n < 10; n++) {
			expect_send(&p->a, n, GLASS_WC_SUCCESS);
			expect_recv(&p->b, n, GLASS_WC_SUCCESS);
			pe_fill(want, len, n * 1000);
			assert_memory_equal(mem(&p->b, LOC) + n * 4096 + head, want, len);
		}
		pe_pair_free(p);
	}
}

/* A snapshot with inline data is not overwritten before it was delivered. */
static void test_ring_is_full(void **state)
{
	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(types); i++) {
		struct pe_pair *p = make_type(types[i], false);
		struct pe_tx tx;

		for (u32 n = 0; n < PE_SQ; n++)
			post_mad(&p->a, n, 5)->flags = 0; /* unsignaled, too */
		assert_int_equal(glass_sq_room(&p->a.q), 0);
		hand_out(p, &tx);
		assert_int_equal(glass_sq_room(&p->a.q), 0);
		pe_sent(&p->a, &tx);
		assert_int_equal(glass_sq_room(&p->a.q), 1);
		expect_none(&p->a);
		pe_pair_free(p);
	}
}

/* Flushed while it is on its way: one completion, not two, and not before nobody reads it. */
static void test_flush_between(void **state)
{
	(void)state;
	for (u32 i = 0; i < 2 * (ARRAY_SIZE(types) + 1); i++) {
		struct pe_pair *p = i / 2 < ARRAY_SIZE(types) ? make_type(types[i / 2], false) :
								make_default();
		struct pe_tx tx;

		recv_(&p->a, 8, 100);
		post_mad(&p->a, 1, 700);
		post_mad(&p->a, 2, 700);
		hand_out(p, &tx);
		if (i & 1)
			glass_pqp_fail(&p->a.q, GLASS_CAUSE_INJECTED, GLASS_EV_QP_FATAL, p->now);
		else
			assert_int_equal(pe_state(&p->a, GLASS_QPS_ERR, p->now), 0);
		assert_int_equal(p->a.q.state, GLASS_QPS_ERR);
		/* what is received was never lent */
		expect_recv(&p->a, 8, GLASS_WC_WR_FLUSH_ERR);
		expect_none(&p->a);
		post_mad(&p->a, 3, 700);
		expect_none(&p->a);
		pe_sent(&p->a, &tx);
		expect_send(&p->a, 1, GLASS_WC_WR_FLUSH_ERR);
		expect_send(&p->a, 2, GLASS_WC_WR_FLUSH_ERR);
		expect_send(&p->a, 3, GLASS_WC_WR_FLUSH_ERR);
		expect_none(&p->a);
		assert_int_equal(p->a.q.req.tail, p->a.q.req.head);
		pe_flush(&p->a);
		expect_none(&p->a);
		pe_pair_free(p);
	}
}

/* A WRITE of three packets that the peer refuses, with its second packet on its way when A hears of it */
static struct pe_pair *refused_between(struct pe_tx *tx)
{
	struct pe_pair *p = make_default();
	static struct pe_wire nak;

	recv_(&p->a, 8, 100);
	post(&p->a, GLASS_OP_WRITE, 1, 3000)->rkey = 0x999;
	post(&p->a, GLASS_OP_WRITE, 2, 10);
	hand_out(p, tx);
	deliver(p, tx);
	pe_sent(&p->a, tx);
	hand_out(p, tx);
	assert_true(pe_pull(&p->b, &nak, p->now));
	give_a(p, &nak);
	assert_int_equal(p->a.q.state, GLASS_QPS_ERR);
	assert_int_equal(p->a.q.first_error.status, GLASS_WC_REM_ACCESS_ERR);
	expect_none(&p->a);
	return p;
}

/* It fails with its status, once, and not before nobody reads it. */
static void test_fail_between(void **state)
{
	struct pe_tx tx;
	struct pe_pair *p = refused_between(&tx);

	(void)state;
	/* by verb as well: nothing changes */
	assert_int_equal(pe_state(&p->a, GLASS_QPS_ERR, p->now), 0);
	expect_none(&p->a);
	pe_sent(&p->a, &tx);
	/* first what tells why */
	expect_send(&p->a, 1, GLASS_WC_REM_ACCESS_ERR);
	expect_send(&p->a, 2, GLASS_WC_WR_FLUSH_ERR);
	expect_recv(&p->a, 8, GLASS_WC_WR_FLUSH_ERR);
	expect_none(&p->a);
	assert_int_equal(p->a.q.stats.rem_errs, 1);
	assert_int_equal(p->a.q.stats.flush_cqes, 2);
	post(&p->a, GLASS_OP_WRITE, 3, 10);
	expect_send(&p->a, 3, GLASS_WC_WR_FLUSH_ERR);
	expect_none(&p->a);
	pe_pair_free(p);
}

/* In the next life nothing of it is left. */
static void test_fail_and_reset_between(void **state)
{
	struct pe_cfg cfg = PE_CFG_DEFAULT;
	struct pe_tx tx;
	struct pe_pair *p = refused_between(&tx);

	(void)state;
	assert_int_equal(pe_state(&p->a, GLASS_QPS_RESET, p->now), 0);
	pe_to_init(&p->a, &cfg);
	pe_to_rtr(&p->a, &cfg, 0);
	pe_to_rts(&p->a, &cfg, 0);
	post(&p->a, GLASS_OP_WRITE, 3, 10);
	pe_sent(&p->a, &tx);
	expect_none(&p->a);
	assert_int_equal(pe_state(&p->a, GLASS_QPS_ERR, p->now), 0);
	expect_send(&p->a, 3, GLASS_WC_WR_FLUSH_ERR);
	/* these are left to the engine to forget */
	expect_recv(&p->a, 8, GLASS_WC_WR_FLUSH_ERR);
	expect_none(&p->a);
	pe_pair_free(p);
}

/* Said twice, or of nothing, or in the middle of a message, it completes nothing. */
static void test_sent_again(void **state)
{
	struct pe_pair *p;
	struct pe_tx tx;

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(types); i++) {
		p = make_type(types[i], false);
		glass_req_sent(&p->a.q);
		post_mad(&p->a, 1, 700);
		post_mad(&p->a, 2, 700);
		glass_req_sent(&p->a.q);
		expect_none(&p->a);
		hand_out(p, &tx);
		pe_sent(&p->a, &tx);
		glass_req_sent(&p->a.q);
		expect_send(&p->a, 1, GLASS_WC_SUCCESS);
		expect_none(&p->a);
		/* the next hand-out says it, too */
		hand_out(p, &tx);
		glass_env_payload_put(&p->a.q, &tx.pkt);
		expect_none(&p->a);
		assert_false(pe_next(&p->a, &tx, p->now));
		expect_send(&p->a, 2, GLASS_WC_SUCCESS);
		glass_req_sent(&p->a.q);
		expect_none(&p->a);
		pe_pair_free(p);
	}
	/* RC completes by acknowledgements alone */
	p = make_default();
	post(&p->a, GLASS_OP_WRITE, 1, 700);
	hand_out(p, &tx);
	deliver(p, &tx);
	pe_sent(&p->a, &tx);
	glass_req_sent(&p->a.q);
	expect_none(&p->a);
	pe_settle(p);
	expect_send(&p->a, 1, GLASS_WC_SUCCESS);
	pe_pair_free(p);
}

static void to_sqd(struct pe_ep *ep)
{
	struct glass_qp_attr a = { .state = GLASS_QPS_SQD, .sqd_async = true };

	assert_int_equal(glass_pqp_modify(&ep->q, &a,
					  GLASS_QPA_STATE | GLASS_QPA_EN_SQD_ASYNC_NOTIFY, 0), 0);
}

static void test_drained(void **state)
{
	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(types); i++) {
		struct pe_pair *p = make_type(types[i], false);
		u32 npkts = types[i] == GLASS_QPT_UC ? 3 : 1;
		struct pe_tx tx;

		post_mad(&p->a, 1, npkts * 1000);
		post_mad(&p->a, 2, 10);
		hand_out(p, &tx);
		to_sqd(&p->a);
		assert_int_equal(p->a.events[GLASS_EV_SQ_DRAINED], 0);
		/* what was begun goes on to its end, and the event follows its completion */
		for (u32 n = 1; n < npkts; n++) {
			pe_sent(&p->a, &tx);
			assert_int_equal(p->a.events[GLASS_EV_SQ_DRAINED], 0);
			hand_out(p, &tx);
		}
		assert_int_equal(p->a.events[GLASS_EV_SQ_DRAINED], 0);
		expect_none(&p->a);
		pe_sent(&p->a, &tx);
		expect_send(&p->a, 1, GLASS_WC_SUCCESS);
		assert_int_equal(p->a.events[GLASS_EV_SQ_DRAINED], 1);
		glass_req_sent(&p->a.q);
		pe_settle(p);
		expect_none(&p->a);
		assert_int_equal(p->a.events[GLASS_EV_SQ_DRAINED], 1);
		assert_int_equal(pe_state(&p->a, GLASS_QPS_RTS, 0), 0);
		pe_settle(p);
		expect_send(&p->a, 2, GLASS_WC_SUCCESS);
		pe_pair_free(p);
	}
}

/* RESET, or the end of the QP, while a packet is on its way */
static void test_reset_between(void **state)
{
	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(types); i++) {
		struct pe_cfg cfg = PE_CFG_DEFAULT;
		struct pe_pair *p = make_type(types[i], false);
		struct pe_tx tx;

		cfg.type = types[i];
		post_mad(&p->a, 1, 700);
		post_mad(&p->a, 2, 700);
		hand_out(p, &tx);
		assert_int_equal(pe_state(&p->a, GLASS_QPS_RESET, 0), 0);
		assert_int_equal(p->a.q.req.tail, p->a.q.req.head);
		pe_to_init(&p->a, &cfg);
		pe_to_rtr(&p->a, &cfg, 0);
		pe_to_rts(&p->a, &cfg, 0);
		/* the packet of the old life does not complete the new one's message */
		post_mad(&p->a, 3, 700);
		pe_sent(&p->a, &tx);
		expect_none(&p->a);
		pe_settle(p);
		expect_send(&p->a, 3, GLASS_WC_SUCCESS);
		expect_none(&p->a);
		/* destroyed: the payload is let go, nothing else happens any more */
		post_mad(&p->a, 4, 700);
		hand_out(p, &tx);
		glass_env_payload_put(&p->a.q, &tx.pkt);
		expect_none(&p->a);
		pe_pair_free(p);
	}
}

/* The one after it is bad: in order, and into SQE */
static void test_error_behind(void **state)
{
	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(types); i++) {
		for (int told = 0; told < 2; told++) {
			struct pe_pair *p = make_type(types[i], false);
			struct pe_tx tx;

			post_mad(&p->a, 1, 700);
			post_mad(&p->a, 2, 700)->sge[0].lkey = 0x999;
			post_mad(&p->a, 3, 700);
			hand_out(p, &tx);
			if (told)
				pe_sent(&p->a, &tx);
			else
				glass_env_payload_put(&p->a.q, &tx.pkt);
			assert_false(pe_next(&p->a, &tx, p->now));
			expect_send(&p->a, 1, GLASS_WC_SUCCESS);
			expect_send(&p->a, 2, GLASS_WC_LOC_PROT_ERR);
			expect_send(&p->a, 3, GLASS_WC_WR_FLUSH_ERR);
			assert_int_equal(p->a.q.state, GLASS_QPS_SQE);
			glass_req_sent(&p->a.q);
			expect_none(&p->a);
			pe_pair_free(p);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_after_delivery),
		cmocka_unit_test(test_uc_last_packet),
		cmocka_unit_test(test_buffer_reused),
		cmocka_unit_test(test_ring_is_full),
		cmocka_unit_test(test_flush_between),
		cmocka_unit_test(test_fail_between),
		cmocka_unit_test(test_fail_and_reset_between),
		cmocka_unit_test(test_sent_again),
		cmocka_unit_test(test_drained),
		cmocka_unit_test(test_reset_between),
		cmocka_unit_test(test_error_behind),
	};

	return cmocka_run_group_tests_name("proto_sent", tests, NULL, NULL);
}
