// SPDX-License-Identifier: GPL-2.0-only
/* RC operations between two endpoints: data, lengths, order and limits. */
#include "proto_pair.h"

static const u32 sizes[] = { 0, 1, 3, 1023, 1024, 1025, 3 * 1024 - 1, 3 * 1024, 3 * 1024 + 1,
			     BIG - 1, BIG };

static void test_send_sizes(void **state)
{
	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(sizes); i++) {
		for (int imm = 0; imm < 2; imm++) {
			struct pe_pair *p = make_default();
			const struct glass_cqe *c;

			recv_(&p->b, 9, BIG);
			post(&p->a, imm ? GLASS_OP_SEND_IMM : GLASS_OP_SEND, 5, sizes[i]);
			pe_settle(p);
			expect_send(&p->a, 5, GLASS_WC_SUCCESS);
			expect_none(&p->a);
			c = expect_recv(&p->b, 9, GLASS_WC_SUCCESS);
			assert_int_equal(c->op, GLASS_WCOP_RECV);
			assert_int_equal(c->byte_len, sizes[i]);
			assert_int_equal(c->has_imm, imm);
			assert_int_equal(c->imm, imm ? 0x12345678 : 0);
			assert_int_equal(c->src_qp, 0x11);
			assert_false(c->solicited);
			assert_memory_equal(mem(&p->b, LOC), mem(&p->a, SRC), sizes[i]);
			assert_int_equal(p->a.q.stats.tx_pkts, glass_npkts(sizes[i], 1024));
			assert_int_equal(p->a.q.deadline, 0);
			pe_pair_free(p);
		}
	}
}

static void test_write_read_sizes(void **state)
{
	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct pe_pair *p = make_default();

		post(&p->a, GLASS_OP_WRITE, 1, sizes[i]);
		pe_settle(p);
		expect_send(&p->a, 1, GLASS_WC_SUCCESS);
		assert_memory_equal(mem(&p->b, DST), mem(&p->a, SRC), sizes[i]);
		/* lesson 3: READs of three packets and more must be whole */
		post(&p->a, GLASS_OP_READ, 2, sizes[i]);
		pe_settle(p);
		expect_send(&p->a, 2, GLASS_WC_SUCCESS);
		assert_memory_equal(mem(&p->a, LOC), mem(&p->a, SRC), sizes[i]);
		expect_none(&p->b);
		assert_int_equal(p->b.q.resp.msn, 2);
		pe_pair_free(p);
	}
}

static void test_write_imm(void **state)
{
	struct pe_pair *p = make_default();
	const struct glass_cqe *c;

	(void)state;
	recv_(&p->b, 9, 0);
	recv_(&p->b, 10, 0);
	post(&p->a, GLASS_OP_WRITE_IMM, 1, 5000)->flags |= GLASS_SWQE_SOLICITED;
	post(&p->a, GLASS_OP_WRITE_IMM, 2, 0);
	pe_settle(p);
	expect_send(&p->a, 1, GLASS_WC_SUCCESS);
	expect_send(&p->a, 2, GLASS_WC_SUCCESS);
	c = expect_recv(&p->b, 9, GLASS_WC_SUCCESS);
	assert_int_equal(c->op, GLASS_WCOP_RECV_WRITE_IMM);
	assert_int_equal(c->byte_len, 5000);
	assert_true(c->has_imm && c->solicited);
	c = expect_recv(&p->b, 10, GLASS_WC_SUCCESS);
	assert_int_equal(c->byte_len, 0);
	assert_false(c->solicited);
	assert_memory_equal(mem(&p->b, DST), mem(&p->a, SRC), 5000);
	pe_pair_free(p);
}

/* Lesson 4: the solicited flag has nothing to do with the padding. */
static void test_solicited(void **state)
{
	struct pe_pair *p = make_default();

	(void)state;
	for (u32 len = 0; len < 8; len++) {
		for (int se = 0; se < 2; se++) {
			recv_(&p->b, len, 100);
			if (se)
				post(&p->a, GLASS_OP_SEND, 1, len)->flags |= GLASS_SWQE_SOLICITED;
			else
				post(&p->a, GLASS_OP_SEND, 1, len);
			pe_settle(p);
			assert_int_equal(expect_recv(&p->b, len, GLASS_WC_SUCCESS)->solicited, se);
		}
	}
	pe_pair_free(p);
}

/* Lesson 2: compare-and-swap is not fetch-and-add. */
static void test_atomics(void **state)
{
	struct pe_pair *p = make_default();
	struct glass_swqe *w;
	u64 v = 1000;

	(void)state;
	memcpy(mem(&p->b, DST) + 8, &v, 8);
	w = post(&p->a, GLASS_OP_FETCH_ADD, 1, 8);
	w->raddr = pe_va(DST, 8);
	w->cmp_add = 5;
	pe_settle(p);
	expect_send(&p->a, 1, GLASS_WC_SUCCESS);
	memcpy(&v, mem(&p->a, LOC), 8);
	assert_int_equal(v, 1000);
	memcpy(&v, mem(&p->b, DST) + 8, 8);
	assert_int_equal(v, 1005);

	w = post(&p->a, GLASS_OP_CMP_SWAP, 2, 8);
	w->raddr = pe_va(DST, 8);
	w->cmp_add = 1004;
	w->swap = 7;
	pe_settle(p);
	memcpy(&v, mem(&p->b, DST) + 8, 8);
	assert_int_equal(v, 1005);
	w = post(&p->a, GLASS_OP_CMP_SWAP, 3, 8);
	w->raddr = pe_va(DST, 8);
	w->cmp_add = 1005;
	w->swap = 7;
	pe_settle(p);
	expect_send(&p->a, 2, GLASS_WC_SUCCESS);
	expect_send(&p->a, 3, GLASS_WC_SUCCESS);
	memcpy(&v, mem(&p->b, DST) + 8, 8);
	assert_int_equal(v, 7);
	memcpy(&v, mem(&p->a, LOC), 8);
	assert_int_equal(v, 1005);
	assert_int_equal(p->b.atomics, 3);
	pe_pair_free(p);
}

/* Lesson 5: one WR's length does not leak into the next. */
static void test_chain(void **state)
{
	struct pe_pair *p = make_default();

	(void)state;
	for (u32 i = 0; i < 20; i++) {
		recv_(&p->b, i, BIG);
		post(&p->a, GLASS_OP_SEND, i, i * 500);
	}
	pe_settle(p);
	for (u32 i = 0; i < 20; i++) {
		expect_send(&p->a, i, GLASS_WC_SUCCESS);
		assert_int_equal(expect_recv(&p->b, i, GLASS_WC_SUCCESS)->byte_len, i * 500);
	}
	pe_pair_free(p);
}

static void test_inline(void **state)
{
	struct pe_pair *p = make_default();
	struct glass_swqe *w;

	(void)state;
	recv_(&p->b, 9, BIG);
	w = pe_wqe(&p->a, GLASS_OP_SEND, 1);
	w->flags |= GLASS_SWQE_INLINE;
	w->len = 2048;
	pe_fill(w->data, 2048, 3);
	pe_post(&p->a);
	pe_settle(p);
	assert_int_equal(expect_recv(&p->b, 9, GLASS_WC_SUCCESS)->byte_len, 2048);
	assert_memory_equal(mem(&p->b, LOC), w->data, 2048);
	pe_pair_free(p);
}

static void test_unsignaled(void **state)
{
	struct pe_pair *p = make_default();

	(void)state;
	for (u32 i = 0; i < 200; i++) {
		struct glass_swqe *w = post(&p->a, GLASS_OP_WRITE, i, 100);

		if (i != 199)
			w->flags &= ~GLASS_SWQE_SIGNALED;
		pe_settle(p);
	}
	expect_send(&p->a, 199, GLASS_WC_SUCCESS);
	expect_none(&p->a);
	p->a.q.sig_all = true;
	post(&p->a, GLASS_OP_WRITE, 7, 1)->flags = 0;
	pe_settle(p);
	expect_send(&p->a, 7, GLASS_WC_SUCCESS);
	pe_pair_free(p);
}

static void test_grh(void **state)
{
	struct pe_cfg cfg = PE_CFG_DEFAULT;
	static struct pe_wire w;
	struct pe_pair *p;

	(void)state;
	cfg.has_grh = true;
	p = make(&cfg);
	recv_(&p->b, 9, 100);
	post(&p->a, GLASS_OP_WRITE_IMM, 1, 5);
	assert_true(pe_pull(&p->a, &w, p->now));
	assert_int_equal(w.pkt.lnh, GLASS_LNH_GLOBAL);
	/* BTH, RETH, immediate, 5 bytes, 3 of padding, ICRC (lesson 20) */
	assert_int_equal(w.pkt.grh.pay_len, 12 + 16 + 4 + 8 + 4);
	assert_int_equal(w.pkt.grh.next_hdr, 0x1b);
	glass_pqp_rx(&p->b.q, &w.pkt, &w.meta, p->now);
	/* it says nothing of the receive's buffer, where no GRH is */
	assert_false(expect_recv(&p->b, 9, GLASS_WC_SUCCESS)->has_grh);
	/* from elsewhere, or without its GRH: not for this QP */
	w.pkt.psn = glass_psn_add(w.pkt.psn, 1);
	w.pkt.grh.sgid[0] ^= 1;
	glass_pqp_rx(&p->b.q, &w.pkt, &w.meta, p->now);
	w.pkt.lnh = GLASS_LNH_LOCAL;
	glass_pqp_rx(&p->b.q, &w.pkt, &w.meta, p->now);
	assert_int_equal(p->b.drops[GLASS_DROP_BAD_GRH], 2);
	/* lesson 26: the source LID of a connected QP counts */
	w.pkt.slid++;
	glass_pqp_rx(&p->b.q, &w.pkt, &w.meta, p->now);
	assert_int_equal(p->b.drops[GLASS_DROP_WRONG_SLID], 1);
	pe_settle(p);
	pe_pair_free(p);
}

/* ---- order and limits ---- */

static void test_fence(void **state)
{
	struct pe_pair *p = make_default();
	static struct pe_wire w;

	(void)state;
	post(&p->a, GLASS_OP_READ, 1, 100);
	post(&p->a, GLASS_OP_WRITE, 2, 100)->flags |= GLASS_SWQE_FENCE;
	assert_true(pe_pull(&p->a, &w, p->now));
	assert_false(glass_pqp_has_work(&p->a.q, p->now));
	assert_false(pe_pull(&p->a, &w, p->now));
	glass_pqp_rx(&p->b.q, &w.pkt, &w.meta, p->now);
	assert_true(pe_pull(&p->b, &w, p->now));
	glass_pqp_rx(&p->a.q, &w.pkt, &w.meta, p->now);
	assert_true(glass_pqp_has_work(&p->a.q, p->now));
	pe_settle(p);
	expect_send(&p->a, 1, GLASS_WC_SUCCESS);
	expect_send(&p->a, 2, GLASS_WC_SUCCESS);
	pe_pair_free(p);
}

static void test_rd_atomic_limit(void **state)
{
	struct pe_pair *p = make_default();
	static struct pe_wire w;
	int n;

	(void)state;
	for (n = 0; n < 10; n++)
		post(&p->a, n & 1 ? GLASS_OP_READ : GLASS_OP_FETCH_ADD, n, 8);
	for (n = 0; pe_pull(&p->a, &w, p->now); n++)
		glass_pqp_rx(&p->b.q, &w.pkt, &w.meta, p->now);
	assert_int_equal(n, 4);
	pe_settle(p);
	for (n = 0; n < 10; n++)
		expect_send(&p->a, n, GLASS_WC_SUCCESS);
	assert_int_equal(p->b.atomics, 5);
	pe_pair_free(p);
}

static void test_window(void **state)
{
	struct pe_pair *p = make_default();
	static struct pe_wire w;
	int n, acks = 0;

	(void)state;
	for (n = 0; n < 10; n++)
		post(&p->a, GLASS_OP_WRITE, n, BIG);
	for (n = 0; pe_pull(&p->a, &w, p->now); n++) {
		assert_true(n < 300);
		acks += w.pkt.ack_req;
	}
	assert_true(n >= 64 && acks >= 2);
	p->now = p->a.q.deadline;
	glass_pqp_timer(&p->a.q, p->now);
	pe_settle(p);
	for (n = 0; n < 10; n++)
		expect_send(&p->a, n, GLASS_WC_SUCCESS);
	pe_pair_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_send_sizes),
		cmocka_unit_test(test_write_read_sizes),
		cmocka_unit_test(test_write_imm),
		cmocka_unit_test(test_solicited),
		cmocka_unit_test(test_atomics),
		cmocka_unit_test(test_chain),
		cmocka_unit_test(test_inline),
		cmocka_unit_test(test_unsignaled),
		cmocka_unit_test(test_grh),
		cmocka_unit_test(test_fence),
		cmocka_unit_test(test_rd_atomic_limit),
		cmocka_unit_test(test_window),
	};

	return cmocka_run_group_tests_name("proto_rc_ops", tests, NULL, NULL);
}
