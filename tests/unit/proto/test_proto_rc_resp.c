// SPDX-License-Identifier: GPL-2.0-only
/* The RC responder packet by packet: holes, duplicates, forged packets. */
#include "proto_pair.h"

static void test_nak_once_per_hole(void **state)
{
	struct pe_pair *p = make_default();
	static struct pe_wire w[6], n;

	(void)state;
	for (int i = 0; i < 6; i++) {
		post(&p->a, GLASS_OP_WRITE, i, 10);
		pull_a(p, &w[i]);
	}
	give_b(p, &w[0]);
	give_b(p, &w[2]);
	assert_true(pe_pull(&p->b, &n, p->now));
	assert_int_equal(n.pkt.syndrome, GLASS_AETH_NAK | GLASS_NAK_PSN_SEQ);
	assert_int_equal(n.pkt.psn, w[1].pkt.psn);
	give_b(p, &w[3]);
	give_b(p, &w[4]);
	assert_false(glass_pqp_has_work(&p->b.q, p->now));
	assert_int_equal(p->b.drops[GLASS_DROP_NAK_WAIT], 2);
	give_b(p, &w[1]);
	give_b(p, &w[3]);
	give_a(p, &n);
	/* lesson 27: it cost one retry, and only one however often it comes */
	assert_int_equal(p->a.q.req.retry_left, 2);
	give_a(p, &n);
	give_a(p, &n);
	assert_int_equal(p->a.q.req.retry_left, 2);
	assert_int_equal(p->a.retries[GLASS_RETRY_NAK_SEQ], 1);
	expect_send(&p->a, 0, GLASS_WC_SUCCESS);
	pe_settle(p);
	for (int i = 1; i < 6; i++)
		expect_send(&p->a, i, GLASS_WC_SUCCESS);
	pe_pair_free(p);
}

/*
 * A ghost, ahead of all that was sent, has a NAK that means nothing to the requester. The next hole has one
 * of its own, and is found without the timer; what comes behind it has none.
 */
static void test_hole_after_ghost(void **state)
{
	static const u32 ahead[] = { 1, 2, 7, 0x7ffff0 };

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(ahead); i++) {
		struct pe_pair *p = make_default();
		static struct pe_wire w[4], ghost, n;

		post(&p->a, GLASS_OP_WRITE, 0, 10);
		pull_a(p, &w[0]);
		give_b(p, &w[0]);
		pe_settle(p);
		expect_send(&p->a, 0, GLASS_WC_SUCCESS);
		ghost = w[0];
		ghost.pkt.psn = glass_psn_add(w[0].pkt.psn, 1 + ahead[i]);
		give_b(p, &ghost);
		assert_true(pe_pull(&p->b, &n, p->now));
		assert_int_equal(n.pkt.syndrome, GLASS_AETH_NAK | GLASS_NAK_PSN_SEQ);
		give_a(p, &n);
		assert_int_equal(p->a.drops[GLASS_DROP_STALE_RESP], 1);
		for (int k = 1; k < 4; k++) {
			post(&p->a, GLASS_OP_WRITE, k, 10);
			pull_a(p, &w[k]);
		}
		/* the first is lost */
		give_b(p, &w[2]);
		assert_true(pe_pull(&p->b, &n, p->now));
		assert_int_equal(n.pkt.syndrome, GLASS_AETH_NAK | GLASS_NAK_PSN_SEQ);
		assert_int_equal(n.pkt.psn, w[1].pkt.psn);
		give_b(p, &w[3]);
		assert_false(glass_pqp_has_work(&p->b.q, p->now));
		give_a(p, &n);
		assert_int_equal(p->a.retries[GLASS_RETRY_NAK_SEQ], 1);
		/* no time passes */
		pe_settle(p);
		for (int k = 1; k < 4; k++)
			expect_send(&p->a, k, GLASS_WC_SUCCESS);
		assert_int_equal(p->a.q.stats.timeouts, 0);
		pe_pair_free(p);
	}
}

/* A NAK that did not leave yet is the only one, and an RNR NAK is not replaced. */
static void test_one_nak_at_a_time(void **state)
{
	struct pe_pair *p = make_default();
	static struct pe_wire w[3], n;

	(void)state;
	for (int i = 0; i < 3; i++) {
		post(&p->a, GLASS_OP_SEND, i, 10);
		pull_a(p, &w[i]);
	}
	give_b(p, &w[2]);
	give_b(p, &w[1]);
	assert_int_equal(p->b.drops[GLASS_DROP_NAK_WAIT], 1);
	assert_true(pe_pull(&p->b, &n, p->now));
	assert_int_equal(n.pkt.syndrome, GLASS_AETH_NAK | GLASS_NAK_PSN_SEQ);
	assert_false(glass_pqp_has_work(&p->b.q, p->now));
	/* the hole is filled, but there is no receive */
	give_b(p, &w[0]);
	give_b(p, &w[1]);
	give_b(p, &w[2]);
	assert_true(pe_pull(&p->b, &n, p->now));
	assert_int_equal(n.pkt.syndrome & GLASS_AETH_KIND, GLASS_AETH_RNR);
	give_b(p, &w[1]);
	assert_false(glass_pqp_has_work(&p->b.q, p->now));
	pe_pair_free(p);
}

/* A hole that was filled does not silence the report of the next. */
static void test_second_hole(void **state)
{
	struct pe_pair *p = make_default();
	static struct pe_wire w[4], n;

	(void)state;
	for (int i = 0; i < 4; i++) {
		post(&p->a, GLASS_OP_WRITE, i, 10);
		pull_a(p, &w[i]);
	}
	give_b(p, &w[1]);
	assert_true(pe_pull(&p->b, &n, p->now));
	assert_int_equal(n.pkt.psn, w[0].pkt.psn);
	give_b(p, &w[0]);
	give_b(p, &w[1]);
	give_b(p, &w[3]);
	assert_true(pe_pull(&p->b, &n, p->now));
	assert_int_equal(n.pkt.syndrome, GLASS_AETH_NAK | GLASS_NAK_PSN_SEQ);
	assert_int_equal(n.pkt.psn, w[2].pkt.psn);
	/* lesson 12: what is resent starts there, nothing stale before it */
	give_a(p, &n);
	pull_a(p, &w[0]);
	assert_int_equal(w[0].pkt.psn, w[2].pkt.psn);
	assert_int_equal(w[0].pkt.ack_req, 1);
	/* a report that the receiver saw nobody read is void once the hole is filled */
	give_b(p, &w[3]);
	give_b(p, &w[2]);
	give_b(p, &w[3]);
	assert_true(pe_pull(&p->b, &n, p->now));
	assert_int_equal(n.pkt.syndrome & GLASS_AETH_KIND, GLASS_AETH_ACK);
	assert_int_equal(n.pkt.psn, w[3].pkt.psn);
	pe_settle(p);
	pe_pair_free(p);
}

/* Lesson 27: an ACK that passes an unanswered READ means that the answer was lost. */
static void test_ack_passes_read(void **state)
{
	struct pe_pair *p = make_default();
	static struct pe_wire w, d, r[5], ack;

	(void)state;
	post(&p->a, GLASS_OP_WRITE, 1, 10);
	post(&p->a, GLASS_OP_READ, 2, 5000);
	post(&p->a, GLASS_OP_WRITE, 3, 10);
	pull_a(p, &w);
	give_b(p, &w);
	pull_a(p, &w);
	give_b(p, &w);
	pull_a(p, &d);
	give_b(p, &d);
	for (int i = 0; i < 5; i++)
		assert_true(pe_pull(&p->b, &r[i], p->now));
	assert_true(pe_pull(&p->b, &ack, p->now));
	assert_int_equal(ack.pkt.opcode, GLASS_BOP_ACK);
	give_a(p, &r[0]); /* answers the WRITE, too */
	expect_send(&p->a, 1, GLASS_WC_SUCCESS);
	give_a(p, &ack);
	assert_int_equal(p->a.retries[GLASS_RETRY_IMPLIED], 1);
	give_a(p, &r[3]); /* the same hole */
	assert_int_equal(p->a.retries[GLASS_RETRY_IMPLIED], 1);
	/* the READ goes on where it stopped */
	pull_a(p, &w);
	assert_int_equal(w.pkt.opcode, GLASS_BOP_READ_REQ);
	assert_int_equal(w.pkt.va, pe_va(DST, 1024));
	assert_int_equal(w.pkt.dma_len, 5000 - 1024);
	assert_int_equal(w.pkt.psn, r[1].pkt.psn);
	give_a(p, &r[1]); /* came late: taken */
	give_b(p, &w);
	pe_settle(p);
	expect_send(&p->a, 2, GLASS_WC_SUCCESS);
	expect_send(&p->a, 3, GLASS_WC_SUCCESS);
	pe_pair_free(p);
}

/* Responses never pass the answer of an older READ. */
static void test_ack_waits_for_read(void **state)
{
	struct pe_pair *p = make_default();
	static struct pe_wire w, x;

	(void)state;
	post(&p->a, GLASS_OP_READ, 2, 3000);
	pull_a(p, &w);
	give_b(p, &w);
	post(&p->a, GLASS_OP_WRITE, 3, 10);
	pull_a(p, &x);
	give_b(p, &x);
	give_b(p, &x);
	for (int i = 0; i < 3; i++) {
		assert_true(pe_pull(&p->b, &x, p->now));
		assert_in_range(x.pkt.opcode, GLASS_BOP_READ_RESP_FIRST, GLASS_BOP_READ_RESP_ONLY);
		assert_int_equal(x.pkt.psn, glass_psn_add(w.pkt.psn, i));
	}
	assert_true(pe_pull(&p->b, &x, p->now));
	assert_int_equal(x.pkt.opcode, GLASS_BOP_ACK);
	assert_int_equal(x.pkt.psn, glass_psn_add(w.pkt.psn, 3));
	assert_false(pe_pull(&p->b, &x, p->now));
	pe_pair_free(p);
}

static void test_duplicates(void **state)
{
	struct pe_pair *p = make_default();
	static struct pe_wire s, f, r, a, x;
	u64 v;

	(void)state;
	recv_(&p->b, 9, 100);
	recv_(&p->b, 10, 100);
	post(&p->a, GLASS_OP_SEND, 1, 10);
	post(&p->a, GLASS_OP_FETCH_ADD, 2, 8)->cmp_add = 3;
	post(&p->a, GLASS_OP_READ, 3, 2000);
	pull_a(p, &s);
	pull_a(p, &f);
	pull_a(p, &r);
	give_b(p, &s);
	give_b(p, &s);
	give_b(p, &f);
	give_b(p, &f);
	give_b(p, &s);
	assert_int_equal(p->b.atomics, 1);
	expect_recv(&p->b, 9, GLASS_WC_SUCCESS);
	expect_none(&p->b);
	assert_true(pe_pull(&p->b, &a, p->now));
	assert_int_equal(a.pkt.opcode, GLASS_BOP_ATOMIC_ACK);
	give_a(p, &a);
	/* what came before is coalesced into it, what came after it is an ACK */
	while (pe_pull(&p->b, &x, p->now))
		assert_int_equal(x.pkt.opcode, GLASS_BOP_ACK);
	/* a ghost of the atomic: answered from what was kept */
	give_b(p, &f);
	assert_true(pe_pull(&p->b, &x, p->now));
	assert_int_equal(x.pkt.opcode, GLASS_BOP_ATOMIC_ACK);
	assert_int_equal(x.pkt.orig, a.pkt.orig);
	give_a(p, &x);
	assert_int_equal(p->b.atomics, 1);
	memcpy(&v, mem(&p->b, DST), 8);
	assert_int_equal(v, 3);
	give_b(p, &r);
	while (pe_pull(&p->b, &x, p->now))
		give_a(p, &x);
	expect_send(&p->a, 1, GLASS_WC_SUCCESS);
	expect_send(&p->a, 2, GLASS_WC_SUCCESS);
	expect_send(&p->a, 3, GLASS_WC_SUCCESS);
	/* the READ again: from memory, FIRST to LAST; and from its middle */
	give_b(p, &r);
	assert_true(pe_pull(&p->b, &x, p->now));
	assert_int_equal(x.pkt.opcode, GLASS_BOP_READ_RESP_FIRST);
	r.pkt.psn = glass_psn_add(r.pkt.psn, 1);
	r.pkt.va += 1024;
	r.pkt.dma_len -= 1024;
	give_b(p, &r); /* that one is still to come */
	assert_true(pe_pull(&p->b, &x, p->now));
	assert_int_equal(x.pkt.opcode, GLASS_BOP_READ_RESP_LAST);
	give_b(p, &r);
	assert_true(pe_pull(&p->b, &x, p->now));
	assert_int_equal(x.pkt.opcode, GLASS_BOP_READ_RESP_ONLY);
	assert_int_equal(x.pkt.len, 2000 - 1024);
	/* one that asks for something else is a ghost */
	r.pkt.va += 4;
	give_b(p, &r);
	r.pkt.va -= 4;
	r.pkt.dma_len++;
	give_b(p, &r);
	assert_false(pe_pull(&p->b, &x, p->now));
	/* one whose memory is gone harms the asker only */
	r.pkt.dma_len--;
	pe_mr_del(pe_mr_find(&p->b, DST));
	give_b(p, &r);
	assert_true(pe_pull(&p->b, &x, p->now));
	assert_int_equal(x.pkt.syndrome, GLASS_AETH_NAK | GLASS_NAK_REM_ACCESS);
	assert_int_equal(p->b.q.state, GLASS_QPS_RTS);
	give_a(p, &x);
	assert_int_equal(p->a.q.state, GLASS_QPS_RTS);
	expect_none(&p->a);
	pe_pair_free(p);
}

/* A QP in SQD may get room for more answers: those that it has go along, in their order. */
static void test_room_grows(void **state)
{
	struct glass_qp_attr attr = { .max_dest_rd_atomic = 3 };
	struct pe_cfg cfg = PE_CFG_DEFAULT;
	static struct pe_wire f[5], x;
	struct pe_pair *p;
	u64 orig[5];
	u32 i;

	(void)state;
	cfg.rd_atomic = 2;
	p = make(&cfg);
	assert_int_equal(p->b.q.res_slots, 2);
	/* an odd number of them, so that the ring has gone round */
	for (i = 0; i < 5; i++) {
		post(&p->a, GLASS_OP_FETCH_ADD, i, 8)->cmp_add = 1 + i;
		pull_a(p, &f[i]);
		give_b(p, &f[i]);
		assert_true(pe_pull(&p->b, &x, p->now));
		orig[i] = x.pkt.orig;
		give_a(p, &x);
	}
	attr.state = GLASS_QPS_SQD;
	assert_int_equal(glass_pqp_modify(&p->b.q, &attr, GLASS_QPA_STATE, p->now), 0);
	assert_int_equal(glass_pqp_modify(&p->b.q, &attr, GLASS_QPA_STATE |
					  GLASS_QPA_MAX_DEST_RD_ATOMIC, p->now), -ENOMEM);
	assert_int_equal(p->b.q.attr.max_dest_rd_atomic, 2);
	pe_res_room(&p->b, 3);
	assert_int_equal(p->b.q.res_slots, 4);
	assert_int_equal(glass_pqp_modify(&p->b.q, &attr, GLASS_QPA_STATE |
					  GLASS_QPA_MAX_DEST_RD_ATOMIC, p->now), 0);
	for (i = 3; i < 5; i++) {
		give_b(p, &f[i]);
		assert_true(pe_pull(&p->b, &x, p->now));
		assert_int_equal(x.pkt.opcode, GLASS_BOP_ATOMIC_ACK);
		assert_int_equal(x.pkt.orig, orig[i]);
	}
	assert_int_equal(p->b.atomics, 5);
	pe_pair_free(p);
}

/* A ghost of an old READ takes no responder resource from a new one. */
static void test_ghost_read_and_depth_one(void **state)
{
	struct pe_cfg cfg = PE_CFG_DEFAULT;
	static struct pe_wire r, x;
	struct pe_pair *p;

	(void)state;
	cfg.rd_atomic = 1;
	p = make(&cfg);
	post(&p->a, GLASS_OP_READ, 1, 3000);
	pull_a(p, &r);
	give_b(p, &r);
	while (pe_pull(&p->b, &x, p->now))
		give_a(p, &x);
	give_b(p, &r);
	post(&p->a, GLASS_OP_READ, 2, 3000);
	pe_settle(p);
	expect_send(&p->a, 1, GLASS_WC_SUCCESS);
	expect_send(&p->a, 2, GLASS_WC_SUCCESS);
	pe_pair_free(p);
}

static void test_too_many_reads(void **state)
{
	struct pe_cfg cfg = PE_CFG_DEFAULT;
	static struct pe_wire w;
	struct pe_pair *p;

	(void)state;
	cfg.rd_atomic = 2;
	p = make(&cfg);
	p->a.q.attr.max_rd_atomic = 3;
	for (int i = 0; i < 3; i++) {
		post(&p->a, GLASS_OP_READ, i, 100);
		pull_a(p, &w);
		give_b(p, &w);
	}
	pe_run(p, ~0ULL - 1);
	/* the answers owed come first, then the NAK */
	expect_send(&p->a, 0, GLASS_WC_SUCCESS);
	expect_send(&p->a, 1, GLASS_WC_SUCCESS);
	expect_send(&p->a, 2, GLASS_WC_REM_INV_REQ_ERR);
	assert_int_equal(p->b.events[GLASS_EV_QP_REQ_ERR], 1);
	pe_pair_free(p);
}

struct forged {
	const char *name;
	u8 first, second; /* 0xff: none */
	s32 dlen1, dlen2; /* change to the length of each: 0 = full MTU */
};

/* What a peer that does not keep the rules may send: NAK invalid request */
static const struct forged forged[] = {
	{ "middle without first", GLASS_BOP_SEND_MIDDLE, 0xff, 0, 0 },
	{ "last without first", GLASS_BOP_SEND_LAST, 0xff, 0, 0 },
	{ "write middle without first", GLASS_BOP_WRITE_MIDDLE, 0xff, 0, 0 },
	{ "first after first", GLASS_BOP_SEND_FIRST, GLASS_BOP_SEND_FIRST, 0, 0 },
	{ "only after first", GLASS_BOP_SEND_FIRST, GLASS_BOP_SEND_ONLY, 0, 0 },
	{ "read after first", GLASS_BOP_SEND_FIRST, GLASS_BOP_READ_REQ, 0, -1024 },
	{ "write middle after send first", GLASS_BOP_SEND_FIRST, GLASS_BOP_WRITE_MIDDLE, 0, 0 },
	{ "send last after write first", GLASS_BOP_WRITE_FIRST, GLASS_BOP_SEND_LAST, 0, 0 },
	{ "short first", GLASS_BOP_SEND_FIRST, 0xff, -1, 0 },
	{ "long first", GLASS_BOP_SEND_FIRST, 0xff, 1, 0 },
	{ "long only", GLASS_BOP_SEND_ONLY, 0xff, 1, 0 },
	{ "short middle", GLASS_BOP_SEND_FIRST, GLASS_BOP_SEND_MIDDLE, 0, -1 },
	{ "empty last", GLASS_BOP_SEND_FIRST, GLASS_BOP_SEND_LAST, 0, -1024 },
	{ "long last", GLASS_BOP_SEND_FIRST, GLASS_BOP_SEND_LAST, 0, 1 },
	{ "write of more than it said", GLASS_BOP_WRITE_ONLY, 0xff, -1, 0 },
	{ "write last short of its length", GLASS_BOP_WRITE_FIRST, GLASS_BOP_WRITE_LAST, 0, -1 },
	{ "read request with payload", GLASS_BOP_READ_REQ, 0xff, 0, 0 },
	{ "atomic with payload", GLASS_BOP_FETCH_ADD, 0xff, 0, 0 },
	{ "flush with payload", GLASS_BOP_FLUSH, 0xff, 0, 0 },
	{ "atomic write of too much", GLASS_BOP_ATOMIC_WRITE, 0xff, 0, 0 },
	{ "invalidate in the middle of a write", GLASS_BOP_WRITE_FIRST, GLASS_BOP_SEND_LAST_INV, 0, 0 },
	{ "reserved", 0x15, 0xff, 0, 0 },
	{ "reserved", 0x1f, 0xff, 0, 0 },
};

static void test_forged_requests(void **state)
{
	static struct pe_wire w;

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(forged); i++) {
		struct pe_pair *p = make_default();

		recv_(&p->b, 9, BIG);
		post(&p->a, GLASS_OP_WRITE, 1, 1024);
		pull_a(p, &w);
		w.pkt.opcode = forged[i].first;
		w.pkt.len += forged[i].dlen1;
		w.pkt.nseg = w.pkt.len ? 1 : 0;
		w.seg.len = w.pkt.len;
		w.pkt.dma_len = forged[i].second == 0xff ? 1024 : 2048;
		give_b(p, &w);
		if (forged[i].second != 0xff) {
			assert_int_equal(p->b.q.state, GLASS_QPS_RTS);
			w.pkt.psn = glass_psn_add(w.pkt.psn, 1);
			w.pkt.opcode = forged[i].second;
			w.pkt.len = 1024 + forged[i].dlen2;
			w.pkt.nseg = w.pkt.len ? 1 : 0;
			w.seg.len = w.pkt.len;
			give_b(p, &w);
		}
		if (p->b.q.state != GLASS_QPS_ERR)
			fail_msg("%s", forged[i].name);
		assert_int_equal(p->b.events[GLASS_EV_QP_REQ_ERR], 1);
		expect_recv(&p->b, 9, GLASS_WC_WR_FLUSH_ERR);
		/* the NAK is still handed out in ERR */
		assert_true(glass_pqp_has_work(&p->b.q, p->now));
		assert_true(pe_pull(&p->b, &w, p->now));
		assert_int_equal(w.pkt.syndrome, GLASS_AETH_NAK | GLASS_NAK_INV_REQ);
		assert_false(pe_pull(&p->b, &w, p->now));
		pe_pair_free(p);
	}
}

/* Answers that answer nothing, or not what was asked */
static void test_bad_responses(void **state)
{
	static struct pe_wire w;

	(void)state;
	for (int i = 0; i < 5; i++) {
		struct pe_pair *p = make_default();

		post(&p->a, i == 4 ? GLASS_OP_WRITE : GLASS_OP_READ, 1, 2000);
		pull_a(p, &w);
		give_b(p, &w);
		if (i < 4)
			assert_true(pe_pull(&p->b, &w, p->now));
		if (i == 0)
			w.pkt.len = w.seg.len = 1000;
		else if (i == 1)
			w.pkt.opcode = GLASS_BOP_READ_RESP_LAST;
		else if (i == 2)
			w.pkt.opcode = GLASS_BOP_ATOMIC_ACK;
		else if (i == 3)
			w.pkt.syndrome = GLASS_AETH_NAK;
		else
			w.pkt.opcode = GLASS_BOP_READ_RESP_FIRST;
		w.pkt.slid = 0x12;
		give_a(p, &w);
		expect_send(&p->a, 1, GLASS_WC_BAD_RESP_ERR);
		assert_int_equal(p->a.q.state, GLASS_QPS_ERR);
		pe_pair_free(p);
	}
}

static void test_wrong_transport(void **state)
{
	struct pe_pair *p = make_default();
	static struct pe_wire w;

	(void)state;
	post(&p->a, GLASS_OP_WRITE, 1, 10);
	pull_a(p, &w);
	w.pkt.opcode |= GLASS_TR_UC;
	give_b(p, &w);
	assert_int_equal(p->b.drops[GLASS_DROP_QP_TYPE], 1);
	assert_false(glass_pqp_has_work(&p->b.q, p->now));
	pe_pair_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nak_once_per_hole),
		cmocka_unit_test(test_hole_after_ghost),
		cmocka_unit_test(test_one_nak_at_a_time),
		cmocka_unit_test(test_second_hole),
		cmocka_unit_test(test_ack_passes_read),
		cmocka_unit_test(test_ack_waits_for_read),
		cmocka_unit_test(test_duplicates),
		cmocka_unit_test(test_room_grows),
		cmocka_unit_test(test_ghost_read_and_depth_one),
		cmocka_unit_test(test_too_many_reads),
		cmocka_unit_test(test_forged_requests),
		cmocka_unit_test(test_bad_responses),
		cmocka_unit_test(test_wrong_transport),
	};

	return cmocka_run_group_tests_name("proto_rc_resp", tests, NULL, NULL);
}
