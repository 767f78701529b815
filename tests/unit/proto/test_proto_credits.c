// SPDX-License-Identifier: GPL-2.0-only
/* Credits of the RC responder, and what the requester makes of them (IBA 9.7.7.2). */
#include "proto_pair.h"

static void test_credits(void **state)
{
	struct pe_pair *p = make_default();
	static struct pe_wire w;
	int n;

	(void)state;
	for (n = 0; n < 4; n++)
		recv_(&p->b, n, 100);
	post(&p->a, GLASS_OP_SEND, 0, 10);
	pe_settle(p);
	/* three more are allowed, and one that asks for news */
	for (n = 1; n < 10; n++)
		post(&p->a, GLASS_OP_SEND, n, 10);
	for (n = 0; pe_pull(&p->a, &w, p->now); n++)
		give_b(p, &w);
	assert_int_equal(n, 4);
	for (n = 4; n < 10; n++)
		recv_(&p->b, n, 100);
	pe_run(p, ~0ULL - 1);
	for (n = 0; n < 10; n++)
		expect_send(&p->a, n, GLASS_WC_SUCCESS);
	pe_pair_free(p);
}

/* All codes: what the responder says is what the requester understands, rounded down. */
static void test_credit_codes(void **state)
{
	(void)state;
	for (u32 n = 1; n < 200; n++) {
		struct pe_pair *p = make_default();
		u32 left;

		for (u32 i = 0; i < n; i++)
			recv_(&p->b, i, 100);
		post(&p->a, GLASS_OP_SEND, 0, 10);
		pe_settle(p);
		left = p->a.q.req.credit_lsn - p->a.q.req.ssn;
		assert_true(p->a.q.req.credit_valid);
		assert_true(left <= n - 1 && left >= (n - 1) * 2 / 3);
		pe_pair_free(p);
	}
}

/* A pair whose requester knows of three credits, with `more` receives that it does not know of. */
static struct pe_pair *three_credits(u32 more)
{
	struct pe_pair *p = make_default();
	u32 n;

	for (n = 0; n < 4; n++)
		recv_(&p->b, n, 100);
	post(&p->a, GLASS_OP_SEND, 0, 10);
	pe_settle(p);
	expect_send(&p->a, 0, GLASS_WC_SUCCESS);
	for (n = 0; n < more; n++)
		recv_(&p->b, 4 + n, 100);
	return p;
}

/* How many SENDs leave now; B does not get them. */
static u32 sends(struct pe_pair *p)
{
	static struct pe_wire w;
	u32 n = 0;

	while (pe_pull(&p->a, &w, p->now)) {
		assert_int_equal(w.pkt.opcode, GLASS_BOP_SEND_ONLY);
		n++;
	}
	return n;
}

/* The answer to a READ or an atomic is an ACK, too: its credits hold while others are outstanding. */
static void answer_brings_credits(enum glass_wr_op op, u32 len, u8 first)
{
	static struct pe_wire w;
	struct pe_pair *p = three_credits(20);
	u32 n;

	for (n = 1; n < 3; n++)
		post(&p->a, op, n, len);
	for (; n < 13; n++)
		post(&p->a, GLASS_OP_SEND, n, 10);
	for (n = 1; n < 3; n++) {
		pull_a(p, &w);
		give_b(p, &w);
	}
	/* four SENDs go by the credits that are known */
	assert_int_equal(sends(p), 4);
	assert_true(pe_pull(&p->b, &w, p->now));
	assert_int_equal(w.pkt.opcode, first);
	give_a(p, &w);
	assert_int_not_equal(p->a.q.req.una, p->a.q.req.psn);
	assert_int_equal(sends(p), 6);
	pe_pair_free(p);
}

static void test_answers_bring_credits(void **state)
{
	(void)state;
	answer_brings_credits(GLASS_OP_READ, 8, GLASS_BOP_READ_RESP_ONLY);
	answer_brings_credits(GLASS_OP_READ, 3000, GLASS_BOP_READ_RESP_FIRST);
	answer_brings_credits(GLASS_OP_FETCH_ADD, 8, GLASS_BOP_ATOMIC_ACK);
}

/* An ACK of what was acknowledged last brings credits. One that brings none is stale. */
static void test_unsolicited_ack(void **state)
{
	static struct pe_wire w;
	struct pe_pair *p = three_credits(20);
	const struct glass_pqp *a = &p->a.q;
	u32 una;

	(void)state;
	for (u32 n = 1; n < 11; n++)
		post(&p->a, GLASS_OP_SEND, n, 10);
	assert_int_equal(sends(p), 4);
	una = a->req.una;
	memset(&w.pkt, 0, sizeof(w.pkt));
	w.pkt.lnh = GLASS_LNH_LOCAL;
	w.pkt.slid = a->attr.av.dlid;
	w.pkt.opcode = GLASS_BOP_ACK;
	w.pkt.mig = 1;
	w.pkt.psn = (una - 1) & GLASS_PSN_MASK;
	w.pkt.msn = 1;
	w.pkt.syndrome = GLASS_AETH_ACK | 6; /* eight */
	give_a(p, &w);
	assert_int_equal(p->a.drops[GLASS_DROP_STALE_RESP], 0);
	assert_int_equal(a->req.una, una);
	assert_int_equal(sends(p), 5);
	give_a(p, &w);
	assert_int_equal(p->a.drops[GLASS_DROP_STALE_RESP], 1);
	/* an older one, a NAK, and what is no ACK bring nothing */
	w.pkt.syndrome = GLASS_AETH_ACK | 10;
	w.pkt.psn = (una - 2) & GLASS_PSN_MASK;
	give_a(p, &w);
	w.pkt.psn = (una - 1) & GLASS_PSN_MASK;
	w.pkt.syndrome = GLASS_AETH_NAK | GLASS_NAK_INV_REQ;
	give_a(p, &w);
	w.pkt.syndrome = GLASS_AETH_ACK | 10;
	w.pkt.opcode = GLASS_BOP_ATOMIC_ACK;
	give_a(p, &w);
	assert_int_equal(p->a.drops[GLASS_DROP_STALE_RESP], 4);
	assert_int_equal(sends(p), 0);
	pe_pair_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_credits),
		cmocka_unit_test(test_credit_codes),
		cmocka_unit_test(test_answers_bring_credits),
		cmocka_unit_test(test_unsolicited_ack),
	};

	return cmocka_run_group_tests_name("proto_credits", tests, NULL, NULL);
}
