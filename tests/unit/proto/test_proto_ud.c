// SPDX-License-Identifier: GPL-2.0-only
/*
 * Datagrams (UD, GSI, SMI) and UC: what is sent, what is taken, what dies, and
 * the send queue's own error state.
 */
#include "proto_pair.h"

static void test_ud(void **state)
{
	static const u32 sizes[] = { 0, 1, 3, 1000, 1023, 1024 };

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct pe_pair *p = make_type(GLASS_QPT_UD, false);
		const struct glass_cqe *c;
		static u8 blank[40];

		memset(blank, 0xcc, 40);
		memset(mem(&p->b, LOC), 0xcc, 40);
		recv_(&p->b, 9, 40 + sizes[i]);
		post(&p->a, i & 1 ? GLASS_OP_SEND_IMM : GLASS_OP_SEND, 1, sizes[i])->flags |=
			GLASS_SWQE_SOLICITED;
		pe_settle(p);
		expect_send(&p->a, 1, GLASS_WC_SUCCESS);
		c = expect_recv(&p->b, 9, GLASS_WC_SUCCESS);
		assert_int_equal(c->byte_len, 40 + sizes[i]);
		assert_int_equal(c->src_qp, 0x11);
		assert_int_equal(c->slid, 0x11);
		assert_int_equal(c->sl, 2);
		assert_int_equal(c->has_imm, i & 1);
		assert_true(c->solicited);
		assert_false(c->has_grh);
		assert_memory_equal(mem(&p->b, LOC), blank, 40);
		assert_memory_equal(mem(&p->b, LOC) + 40, mem(&p->a, SRC), sizes[i]);
		pe_pair_free(p);
	}
}

static void test_ud_grh(void **state)
{
	struct pe_pair *p = make_type(GLASS_QPT_UD, false);
	struct glass_swqe *w;
	u8 *b;

	(void)state;
	recv_(&p->b, 9, 100);
	w = post(&p->a, GLASS_OP_SEND, 1, 5);
	w->av.has_grh = 1;
	w->av.tclass = 0xab;
	w->av.flow_label = 0x12345;
	w->av.hop_limit = 7;
	memset(w->av.sgid, 0x51, 16);
	memset(w->av.dgid, 0xd6, 16);
	pe_settle(p);
	assert_true(expect_recv(&p->b, 9, GLASS_WC_SUCCESS)->has_grh);
	b = mem(&p->b, LOC);
	assert_int_equal(get_unaligned_be32(b), 0x6ab12345);
	/* BTH, DETH, 5 bytes, padding, ICRC */
	assert_int_equal(get_unaligned_be16(b + 4), 12 + 8 + 8 + 4);
	assert_int_equal(b[6], 0x1b);
	assert_int_equal(b[7], 7);
	assert_int_equal(b[8], 0x51);
	assert_int_equal(b[23], 0x51);
	assert_int_equal(b[24], 0xd6);
	assert_int_equal(b[39], 0xd6);
	assert_memory_equal(b + 40, mem(&p->a, SRC), 5);
	pe_pair_free(p);
}

static void test_ud_drops(void **state)
{
	struct pe_pair *p = make_type(GLASS_QPT_UD, false);
	static struct pe_wire w;

	(void)state;
	/* no receive: silence */
	post(&p->a, GLASS_OP_SEND, 1, 5);
	pe_settle(p);
	expect_send(&p->a, 1, GLASS_WC_SUCCESS);
	assert_int_equal(p->b.drops[GLASS_DROP_NO_RECV], 1);
	recv_(&p->b, 9, 100);
	post(&p->a, GLASS_OP_SEND, 1, 5)->qkey = 0x1235;
	pe_settle(p);
	assert_int_equal(p->b.drops[GLASS_DROP_BAD_QKEY], 1);
	/* the high bit asks for the QP's own */
	post(&p->a, GLASS_OP_SEND, 1, 5)->qkey = 0x80000001;
	assert_true(pe_pull(&p->a, &w, p->now));
	assert_int_equal(w.pkt.qkey, 0x1234);
	/* forged ones */
	w.pkt.opcode = GLASS_TR_UD | GLASS_BOP_SEND_FIRST;
	glass_pqp_rx(&p->b.q, &w.pkt, &w.meta, p->now);
	assert_int_equal(p->b.drops[GLASS_DROP_BAD_BTH], 1);
	w.pkt.opcode = GLASS_BOP_SEND_ONLY;
	glass_pqp_rx(&p->b.q, &w.pkt, &w.meta, p->now);
	assert_int_equal(p->b.drops[GLASS_DROP_QP_TYPE], 1);
	w.pkt.opcode = GLASS_TR_UD | GLASS_BOP_SEND_ONLY;
	w.pkt.len = w.seg.len = 1025;
	glass_pqp_rx(&p->b.q, &w.pkt, &w.meta, p->now);
	assert_int_equal(p->b.drops[GLASS_DROP_BAD_LEN], 1);
	assert_null(pe_cqe(&p->b));
	pe_pair_free(p);
}

/* A datagram that does not fit is dropped; its receive serves the next one that does. */
static void test_ud_short_buffer(void **state)
{
	struct pe_pair *p = make_type(GLASS_QPT_UD, false);
	struct glass_qp_attr reset = { .state = GLASS_QPS_RESET };

	(void)state;
	recv_(&p->b, 9, 44);
	recv_(&p->b, 10, 100);
	for (u32 n = 1; n <= 2; n++) {
		post(&p->a, GLASS_OP_SEND, n, 5);
		pe_settle(p);
		expect_send(&p->a, n, GLASS_WC_SUCCESS);
		assert_int_equal(p->b.drops[GLASS_DROP_MSG_TOO_LONG], n);
	}
	expect_none(&p->b);
	assert_int_equal(p->b.q.state, GLASS_QPS_RTS);
	assert_int_equal(p->b.q.first_error.cause, GLASS_CAUSE_NONE);
	assert_int_equal(all_events(&p->b), 0);
	post(&p->a, GLASS_OP_SEND, 3, 4);
	post(&p->a, GLASS_OP_SEND, 4, 60);
	pe_settle(p);
	assert_int_equal(expect_recv(&p->b, 9, GLASS_WC_SUCCESS)->byte_len, 44);
	assert_int_equal(expect_recv(&p->b, 10, GLASS_WC_SUCCESS)->byte_len, 100);
	expect_none(&p->b);
	/* the one that stays is flushed first, and RESET forgets it */
	for (int flush = 1; flush >= 0; flush--) {
		recv_(&p->b, 11, 44);
		recv_(&p->b, 12, 100);
		post(&p->a, GLASS_OP_SEND, 5, 5);
		pe_settle(p);
		if (!flush)
			break;
		assert_int_equal(pe_state(&p->b, GLASS_QPS_ERR, p->now), 0);
		expect_recv(&p->b, 11, GLASS_WC_WR_FLUSH_ERR);
		expect_recv(&p->b, 12, GLASS_WC_WR_FLUSH_ERR);
		expect_none(&p->b);
		pe_pair_free(p);
		p = make_type(GLASS_QPT_UD, false);
	}
	assert_int_equal(glass_pqp_modify(&p->b.q, &reset, GLASS_QPA_STATE, p->now), 0);
	assert_false(p->b.q.resp.rwqe_valid);
	pe_pair_free(p);
}

/* What was taken from an SRQ cannot stay with one QP: it fails, and the QP goes on. */
static void short_srq_buffer(enum glass_qp_type type, u32 bytes)
{
	struct pe_pair *p = make_type(type, false);
	u32 grh = type == GLASS_QPT_UD ? GLASS_GRH_BYTES : 0;
	const struct glass_cqe *c;

	p->b.q.has_srq = true;
	recv_(&p->b, 9, grh + bytes - 1);
	recv_(&p->b, 10, grh + bytes);
	post(&p->a, GLASS_OP_SEND, 1, bytes);
	post(&p->a, GLASS_OP_SEND, 2, bytes);
	pe_settle(p);
	c = expect_recv(&p->b, 9, GLASS_WC_LOC_LEN_ERR);
	assert_int_equal(c->cause, GLASS_CAUSE_LOC_LEN);
	assert_true(c->solicited && c->from_srq);
	expect_recv(&p->b, 10, GLASS_WC_SUCCESS);
	expect_none(&p->b);
	assert_int_equal(p->b.drops[GLASS_DROP_MSG_TOO_LONG], 1);
	assert_int_equal(p->b.q.state, GLASS_QPS_RTS);
	assert_int_equal(p->b.q.stats.err_cqes, 1);
	assert_int_equal(all_events(&p->b), 0);
	pe_pair_free(p);
}

static void test_ud_short_srq_buffer(void **state)
{
	(void)state;
	short_srq_buffer(GLASS_QPT_UD, 5);
}

static void test_ud_bad_receive(void **state)
{
	struct pe_pair *p = make_type(GLASS_QPT_UD, false);

	(void)state;
	pe_recv(&p->b, 9, pe_va(SRC, 0), 100, SRC); /* not writable */
	recv_(&p->b, 10, 100);
	post(&p->a, GLASS_OP_SEND, 1, 5);
	pe_settle(p);
	expect_recv(&p->b, 9, GLASS_WC_LOC_PROT_ERR);
	expect_recv(&p->b, 10, GLASS_WC_WR_FLUSH_ERR);
	assert_int_equal(p->b.q.state, GLASS_QPS_ERR);
	assert_int_equal(p->a.q.state, GLASS_QPS_RTS);
	pe_pair_free(p);
}

/* Send errors of UD and UC stop the send queue only, and it can be started again. */
static void test_sqe(void **state)
{
	(void)state;
	for (int uc = 0; uc < 2; uc++) {
		for (int i = 0; i < 4; i++) {
			static const enum glass_wc_status want[] = {
				GLASS_WC_LOC_LEN_ERR, GLASS_WC_LOC_PROT_ERR,
				GLASS_WC_LOC_QP_OP_ERR, GLASS_WC_LOC_QP_OP_ERR,
			};
			struct pe_pair *p = make_type(uc ? GLASS_QPT_UC : GLASS_QPT_UD, false);
			struct glass_swqe *w;

			recv_(&p->b, 8, BIG);
			post(&p->a, GLASS_OP_SEND, 1, 5);
			w = post(&p->a, GLASS_OP_SEND, 2, 1024);
			if (i == 0)
				/* lesson 26: a datagram is at most one MTU */
				w->len = uc ? 0x80000001 : 1025;
			else if (i == 1)
				w->sge[0].lkey = 0x999;
			else if (i == 2)
				w->op = GLASS_OP_READ;
			else
				w->status = GLASS_WC_LOC_QP_OP_ERR;
			post(&p->a, GLASS_OP_SEND, 3, 5);
			pe_settle(p);
			expect_send(&p->a, 1, GLASS_WC_SUCCESS);
			expect_send(&p->a, 2, want[i]);
			expect_send(&p->a, 3, GLASS_WC_WR_FLUSH_ERR);
			assert_int_equal(p->a.q.state, GLASS_QPS_SQE);
			post(&p->a, GLASS_OP_SEND, 4, 5);
			expect_send(&p->a, 4, GLASS_WC_WR_FLUSH_ERR);
			/* receiving goes on */
			recv_(&p->a, 5, BIG);
			post(&p->b, GLASS_OP_SEND, 6, 5)->dqpn = 0x11;
			pe_settle(p);
			expect_recv(&p->a, 5, GLASS_WC_SUCCESS);
			expect_recv(&p->b, 8, GLASS_WC_SUCCESS);
			assert_int_equal(pe_state(&p->a, GLASS_QPS_RTS, p->now), 0);
			recv_(&p->b, 9, BIG);
			post(&p->a, GLASS_OP_SEND, 7, 5);
			pe_settle(p);
			expect_send(&p->a, 7, GLASS_WC_SUCCESS);
			expect_send(&p->b, 6, GLASS_WC_SUCCESS);
			expect_recv(&p->b, 9, GLASS_WC_SUCCESS);
			pe_pair_free(p);
		}
	}
}

static void test_ud_sqd(void **state)
{
	struct pe_pair *p = make_type(GLASS_QPT_UD, false);
	struct glass_qp_attr a = { .state = GLASS_QPS_SQD, .sqd_async = true };

	(void)state;
	post(&p->a, GLASS_OP_SEND, 1, 5);
	assert_int_equal(glass_pqp_modify(&p->a.q, &a,
					  GLASS_QPA_STATE | GLASS_QPA_EN_SQD_ASYNC_NOTIFY, 0), 0);
	assert_int_equal(p->a.events[GLASS_EV_SQ_DRAINED], 1);
	pe_settle(p);
	assert_null(pe_cqe(&p->a));
	assert_int_equal(pe_state(&p->a, GLASS_QPS_RTS, 0), 0);
	pe_settle(p);
	expect_send(&p->a, 1, GLASS_WC_SUCCESS);
	pe_pair_free(p);
}

static void test_mad_qps(void **state)
{
	static const enum glass_qp_type types[] = { GLASS_QPT_GSI, GLASS_QPT_SMI };
	static struct pe_wire w;

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct pe_pair *p = make_type(types[i], false);

		recv_(&p->b, 9, 296);
		post(&p->a, GLASS_OP_SEND, 1, 256)->qkey = 0x80000000;
		pull_a(p, &w);
		assert_int_equal(w.meta.pkey_index, 3); /* the WQE's */
		/* the high bit asks for the QP's own */
		assert_int_equal(w.pkt.qkey, i ? 0x1234 : 0x80010000);
		assert_int_equal(w.pkt.sl, 2);
		w.pkt.qkey ^= 1;
		if (i) { /* QP0 has no Q_Key */
			glass_pqp_rx(&p->b.q, &w.pkt, &w.meta, 0);
		} else {
			glass_pqp_rx(&p->b.q, &w.pkt, &w.meta, 0);
			assert_int_equal(p->b.drops[GLASS_DROP_BAD_QKEY], 1);
			w.pkt.qkey ^= 1;
			glass_pqp_rx(&p->b.q, &w.pkt, &w.meta, 0);
		}
		assert_int_equal(expect_recv(&p->b, 9, GLASS_WC_SUCCESS)->pkey_index, 3);
		pe_pair_free(p);
	}
}

/* ---- UC ---- */

static void test_uc(void **state)
{
	static const u32 sizes[] = { 0, 1, 1023, 1024, 1025, 3 * 1024, 10000 };

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct pe_pair *p = make_type(GLASS_QPT_UC, i & 1);
		const struct glass_cqe *c;

		recv_(&p->b, 9, BIG);
		recv_(&p->b, 10, 0);
		post(&p->a, GLASS_OP_SEND, 1, sizes[i]);
		post(&p->a, GLASS_OP_WRITE, 2, sizes[i]);
		post(&p->a, GLASS_OP_WRITE_IMM, 3, sizes[i]);
		pe_settle(p);
		for (int n = 1; n < 4; n++)
			expect_send(&p->a, n, GLASS_WC_SUCCESS);
		assert_int_equal(expect_recv(&p->b, 9, GLASS_WC_SUCCESS)->byte_len, sizes[i]);
		c = expect_recv(&p->b, 10, GLASS_WC_SUCCESS);
		assert_int_equal(c->op, GLASS_WCOP_RECV_WRITE_IMM);
		assert_int_equal(c->byte_len, sizes[i]);
		/* not of a connection's, though every other pair has a GRH in its path */
		assert_false(c->has_grh);
		assert_memory_equal(mem(&p->b, LOC), mem(&p->a, SRC), sizes[i]);
		assert_memory_equal(mem(&p->b, DST), mem(&p->a, SRC), sizes[i]);
		assert_int_equal(p->b.q.stats.tx_pkts, 0);
		assert_int_equal(p->a.q.deadline, 0);
		pe_pair_free(p);
	}
}

/* One packet lost: that message is lost, its receive WQE serves the next. */
static void test_uc_loss(void **state)
{
	(void)state;
	for (u32 i = 1; i <= 9; i++) {
		struct pe_pair *p = make_type(GLASS_QPT_UC, false);
		u32 lost = 1 + (i - 1) / 3;
		u32 r = 20;

		p->lose = lose_nth;
		p->count = i;
		for (u32 n = 0; n < 3; n++)
			recv_(&p->b, 20 + n, BIG);
		for (u32 n = 1; n <= 3; n++)
			post(&p->a, GLASS_OP_SEND, n, 2500 + n);
		pe_settle(p);
		for (u32 n = 1; n <= 3; n++)
			expect_send(&p->a, n, GLASS_WC_SUCCESS);
		for (u32 n = 1; n <= 3; n++)
			if (n != lost)
				assert_int_equal(expect_recv(&p->b, r++, GLASS_WC_SUCCESS)->byte_len,
						 2500 + n);
		assert_null(pe_cqe(&p->b));
		pe_pair_free(p);
	}
}

static void test_uc_drops(void **state)
{
	struct pe_pair *p = make_type(GLASS_QPT_UC, false);

	(void)state;
	post(&p->a, GLASS_OP_SEND, 1, 3000);
	pe_settle(p);
	assert_int_equal(p->b.drops[GLASS_DROP_NO_RECV], 1);
	assert_int_equal(p->b.drops[GLASS_DROP_BAD_SEQ], 2);
	post(&p->a, GLASS_OP_WRITE, 2, 3000)->rkey = 0x999;
	pe_settle(p);
	assert_int_equal(p->b.drops[GLASS_DROP_ACCESS], 1);
	assert_int_equal(p->b.q.state, GLASS_QPS_RTS);
	post(&p->a, GLASS_OP_WRITE, 3, 3000);
	pe_settle(p);
	assert_memory_equal(mem(&p->b, DST), mem(&p->a, SRC), 3000);
	pe_pair_free(p);
}

/* A message that does not fit is dropped, the receive serves the next one. */
static void test_uc_short_buffer(void **state)
{
	struct pe_pair *p = make_type(GLASS_QPT_UC, false);

	(void)state;
	recv_(&p->b, 9, 2000);
	/* found out with the second packet of three, with the only one, and fits */
	post(&p->a, GLASS_OP_SEND, 1, 3000);
	post(&p->a, GLASS_OP_SEND, 2, 2001);
	post(&p->a, GLASS_OP_SEND, 3, 2000);
	pe_settle(p);
	assert_int_equal(expect_recv(&p->b, 9, GLASS_WC_SUCCESS)->byte_len, 2000);
	assert_memory_equal(mem(&p->b, LOC), mem(&p->a, SRC), 2000);
	expect_none(&p->b);
	assert_int_equal(p->b.drops[GLASS_DROP_MSG_TOO_LONG], 2);
	assert_int_equal(p->b.q.state, GLASS_QPS_RTS);
	assert_int_equal(all_events(&p->b), 0);
	pe_pair_free(p);
}

static void test_uc_short_srq_buffer(void **state)
{
	(void)state;
	short_srq_buffer(GLASS_QPT_UC, 3000);
}

/* An RDMA WRITE of more than 2^31 bytes is dropped, whatever memory there is (IBA 9.7.7, 9.8.2). */
static void test_uc_write_too_long(void **state)
{
	static struct pe_wire w;

	(void)state;
	for (int more = 0; more < 2; more++) {
		struct pe_pair *p = make_type(GLASS_QPT_UC, false);

		/* the first packet is all that is written */
		pe_mr_find(&p->b, DST)->len = 0xfff00000;
		post(&p->a, GLASS_OP_WRITE, 1, 3000);
		pull_a(p, &w);
		w.pkt.dma_len = 0x80000000u + more;
		give_b(p, &w);
		assert_int_equal(p->b.drops[GLASS_DROP_MSG_TOO_LONG], more);
		assert_int_equal(p->b.q.resp.in_msg, !more);
		pe_mr_find(&p->b, DST)->len = BIG;
		pe_pair_free(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ud),
		cmocka_unit_test(test_ud_grh),
		cmocka_unit_test(test_ud_drops),
		cmocka_unit_test(test_ud_short_buffer),
		cmocka_unit_test(test_ud_short_srq_buffer),
		cmocka_unit_test(test_uc_short_buffer),
		cmocka_unit_test(test_uc_short_srq_buffer),
		cmocka_unit_test(test_ud_bad_receive),
		cmocka_unit_test(test_sqe),
		cmocka_unit_test(test_ud_sqd),
		cmocka_unit_test(test_mad_qps),
		cmocka_unit_test(test_uc),
		cmocka_unit_test(test_uc_loss),
		cmocka_unit_test(test_uc_drops),
		cmocka_unit_test(test_uc_write_too_long),
	};

	return cmocka_run_group_tests_name("proto_ud", tests, NULL, NULL);
}
