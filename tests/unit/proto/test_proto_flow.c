// SPDX-License-Identifier: GPL-2.0-only
/*
 * What follows a message: its flow in each packet and completion of both sides;
 * rounds of retries; the reason of each packet that dies.
 */
#include "proto_pair.h"

static struct pe_wire w;

static u64 pull_b(struct pe_pair *p)
{
	assert_true(pe_pull(&p->b, &w, p->now));
	return w.pkt.flow;
}

/* A work request whose wr_id is its flow, too */
static struct glass_swqe *post_flow(struct pe_pair *p, enum glass_wr_op op, u64 flow, u32 len)
{
	struct glass_swqe *s = post(&p->a, op, flow, len);

	s->flow = flow;
	return s;
}

static void test_there_and_back(void **state)
{
	static const enum glass_wr_op ops[] = { GLASS_OP_SEND, GLASS_OP_WRITE_IMM, GLASS_OP_WRITE,
						GLASS_OP_READ, GLASS_OP_FETCH_ADD };
	struct pe_pair *p = make_default();

	(void)state;
	for (u64 i = 0; i < 5; i++) {
		u64 flow = 0x100000012000000ULL + i;
		bool takes = i < 2;
		u32 packets = 0;

		if (takes)
			recv_(&p->b, 9, 5000);
		post_flow(p, ops[i], flow, ops[i] == GLASS_OP_FETCH_ADD ? 8 : 3000);
		while (pe_pull(&p->a, &w, p->now)) {
			assert_int_equal(w.pkt.flow, flow);
			give_b(p, &w);
			packets++;
		}
		assert_true(packets >= 1);
		while (pe_pull(&p->b, &w, p->now)) {
			assert_int_equal(w.pkt.flow, flow);
			give_a(p, &w);
		}
		assert_int_equal(pe_cqe(&p->a)->flow, flow);
		if (takes)
			assert_int_equal(pe_cqe(&p->b)->flow, flow);
	}
	pe_pair_free(p);
}

/* A NAK is about the packet that it refuses; the ACK after it about what was taken. */
static void test_naks(void **state)
{
	struct pe_pair *p = make_default();
	static struct pe_wire late;

	(void)state;
	post_flow(p, GLASS_OP_WRITE, 11, 10);
	post_flow(p, GLASS_OP_WRITE, 12, 10);
	pull_a(p, &late);
	pull_a(p, &w);
	give_b(p, &w);
	assert_int_equal(pull_b(p), 12);
	assert_int_equal(w.pkt.syndrome, GLASS_AETH_NAK | GLASS_NAK_PSN_SEQ);
	give_a(p, &w);
	pe_settle(p);
	/* no receive */
	post_flow(p, GLASS_OP_SEND, 13, 10);
	pull_a(p, &w);
	give_b(p, &w);
	assert_int_equal(pull_b(p), 13);
	assert_int_equal(w.pkt.syndrome & GLASS_AETH_KIND, GLASS_AETH_RNR);
	give_a(p, &w);
	/* what was taken comes once more: the ACK is about what was taken last */
	give_b(p, &late);
	assert_int_equal(p->b.drops[GLASS_DROP_DUPLICATE], 1);
	assert_int_equal(pull_b(p), 12);
	pe_pair_free(p);

	p = make_default();
	post_flow(p, GLASS_OP_WRITE, 21, 10);
	pe_settle(p);
	post_flow(p, GLASS_OP_WRITE, 22, 10)->rkey ^= 0x55;
	pull_a(p, &w);
	give_b(p, &w);
	assert_int_equal(p->b.drops[GLASS_DROP_ACCESS], 1);
	assert_int_equal(pull_b(p), 22);
	assert_int_equal(w.pkt.syndrome, GLASS_AETH_NAK | GLASS_NAK_REM_ACCESS);
	pe_pair_free(p);
}

static bool lose_all(struct pe_pair *p, struct pe_ep *from, const struct glass_pkt *pkt)
{
	(void)p;
	(void)from;
	(void)pkt;
	return true;
}

static void test_rounds(void **state)
{
	struct pe_pair *p = make_default();
	u32 i;

	(void)state;
	p->lose = lose_all;
	post_flow(p, GLASS_OP_WRITE, 1, 10);
	for (i = 0; i < 3; i++) {
		pe_settle(p);
		assert_int_equal(p->a.q.req.round, i);
		p->now = p->a.q.deadline;
		glass_pqp_timer(&p->a.q, p->now);
	}
	assert_int_equal(p->a.q.req.round, 3);
	assert_int_equal(p->a.q.req.retry_left, 0);
	/* an answer begins the count anew */
	p->lose = NULL;
	pe_settle(p);
	expect_send(&p->a, 1, GLASS_WC_SUCCESS);
	assert_int_equal(p->a.q.req.round, 0);
	pe_pair_free(p);
}

/* Answers that no responder gives: each dies once, of its own reason. */
static void test_forged_answers(void **state)
{
	static const struct {
		u8 syndrome;
		u32 len;
		u32 psn_off;
		enum glass_drop why;
	} forged[] = {
		{ 0x40, 0, 0, GLASS_DROP_BAD_AETH },
		{ 0x80, 0, 0, GLASS_DROP_BAD_AETH },
		{ GLASS_AETH_NAK | 9, 0, 0, GLASS_DROP_BAD_AETH },
		{ GLASS_AETH_ACK, 4, 0, GLASS_DROP_BAD_LEN },
		{ GLASS_AETH_ACK, 0, 7, GLASS_DROP_STALE_RESP },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(forged) / sizeof(forged[0]); i++) {
		struct pe_pair *p = make_default();

		post_flow(p, GLASS_OP_WRITE, 1, 10);
		pull_a(p, &w);
		give_b(p, &w);
		pull_b(p);
		w.pkt.syndrome = forged[i].syndrome;
		w.pkt.len = forged[i].len;
		w.pkt.psn = glass_psn_add(w.pkt.psn, forged[i].psn_off);
		give_a(p, &w);
		assert_int_equal(p->a.drops[forged[i].why], 1);
		assert_int_equal(p->a.q.stats.drops, 1);
		pe_pair_free(p);
	}
}

/* A train that dies is as many packets. */
static void test_trains_are_counted(void **state)
{
	struct pe_pair *p = make_default();

	(void)state;
	p->a.q.max_more = 3;
	post_flow(p, GLASS_OP_SEND, 1, 4096);
	pull_a(p, &w);
	assert_int_equal(w.pkt.more, 3);
	give_b(p, &w);
	assert_int_equal(p->b.drops[GLASS_DROP_RNR_WAIT], 1);
	assert_int_equal(p->b.q.stats.drops, 4);
	pe_pair_free(p);
}

/* The GRH of a train says no length of a packet: the bytes of 16 packets do not fit in it. */
static void test_train_has_no_length(void **state)
{
	struct pe_cfg cfg = PE_CFG_DEFAULT;
	struct pe_pair *p;

	(void)state;
	cfg.has_grh = true;
	cfg.mtu = 4096;
	p = make(&cfg);
	p->a.q.attr.av.ethernet = true;
	p->a.q.max_more = 15;
	post_flow(p, GLASS_OP_SEND, 1, 16 * 4096);
	pull_a(p, &w);
	assert_int_equal(w.pkt.more, 15);
	assert_int_equal(w.pkt.grh.pay_len, 0);
	/* one packet has its own */
	post_flow(p, GLASS_OP_SEND, 2, 5);
	pull_a(p, &w);
	assert_int_equal(w.pkt.grh.pay_len, GLASS_BTH_BYTES + 8 + GLASS_ICRC_BYTES);
	pe_pair_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_there_and_back),
		cmocka_unit_test(test_naks),
		cmocka_unit_test(test_rounds),
		cmocka_unit_test(test_forged_answers),
		cmocka_unit_test(test_trains_are_counted),
		cmocka_unit_test(test_train_has_no_length),
	};

	return cmocka_run_group_tests_name("proto_flow", tests, NULL, NULL);
}
