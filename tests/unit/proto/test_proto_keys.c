// SPDX-License-Identifier: GPL-2.0-only
/* Work requests that change keys, and FLUSH and ATOMIC WRITE: order, errors, exactly once. */
#include "proto_pair.h"

/* A work request about a key, without data */
static struct glass_swqe *post_key(struct pe_ep *ep, enum glass_wr_op op, u64 wr_id, u32 key)
{
	struct glass_swqe *w = pe_wqe(ep, op, wr_id);

	w->rkey = key;
	w->mw_rkey = key;
	w->mr_lkey = key;
	pe_post(ep);
	return w;
}

static struct glass_swqe *post_flush(struct pe_ep *ep, u64 wr_id, u32 len, u32 feth)
{
	struct glass_swqe *w = post(ep, GLASS_OP_FLUSH, wr_id, 0);

	w->num_sge = 0;
	w->blen = len;
	w->access = feth;
	return w;
}

static void test_remote_invalidate(void **state)
{
	static const u32 sizes[] = { 0, 5, 1024, 5000 };

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct pe_pair *p = make_default();
		const struct glass_cqe *c;

		recv_(&p->b, 9, BIG);
		recv_(&p->b, 10, BIG);
		post(&p->a, GLASS_OP_SEND_INV, 5, sizes[i]); /* of its rkey, DST */
		pe_settle(p);
		expect_send(&p->a, 5, GLASS_WC_SUCCESS);
		c = expect_recv(&p->b, 9, GLASS_WC_SUCCESS);
		assert_int_equal(c->byte_len, sizes[i]);
		assert_true(c->has_inv && !c->has_imm);
		assert_int_equal(c->inv_key, DST);
		assert_true(pe_mr_find(&p->b, DST)->invalid);
		assert_memory_equal(mem(&p->b, LOC), mem(&p->a, SRC), sizes[i]);
		/* the key does not work any more: neither to write nor to be invalidated */
		recv_(&p->b, 11, BIG);
		post(&p->a, GLASS_OP_SEND_INV, 6, sizes[i]);
		pe_settle(p);
		/* the message arrived: an ACK, and the error is the receiver's alone */
		expect_send(&p->a, 6, GLASS_WC_SUCCESS);
		assert_int_equal(p->a.q.state, GLASS_QPS_RTS);
		assert_int_equal(p->b.q.stats.nak_tx, 0);
		c = expect_recv(&p->b, 10, GLASS_WC_REM_INV_REQ_ERR);
		assert_false(c->has_inv);
		assert_true(c->solicited);
		assert_int_equal(c->cause, GLASS_CAUSE_RESP_ACCESS);
		expect_recv(&p->b, 11, GLASS_WC_WR_FLUSH_ERR);
		assert_int_equal(p->b.q.state, GLASS_QPS_ERR);
		assert_int_equal(p->b.q.first_error.cause, GLASS_CAUSE_RESP_ACCESS);
		assert_int_equal(all_events(&p->b), 0);
		/* and then the QP in ERR is silent */
		post(&p->a, GLASS_OP_SEND, 7, 1);
		pe_run(p, ~0ULL - 1);
		expect_send(&p->a, 7, GLASS_WC_RETRY_EXC_ERR);
		pe_pair_free(p);
	}
}

/*
 * A READ may be carried out after what follows it, unless that has a fence (IBA 10.8.3.3): a SEND
 * with invalidate takes the key away from a READ that is not answered yet.
 */
static void test_invalidate_behind_read(void **state)
{
	(void)state;
	for (int fence = 0; fence < 2; fence++) {
		struct pe_pair *p = make_default();
		static struct pe_wire w;

		recv_(&p->b, 9, BIG);
		post(&p->a, GLASS_OP_READ, 1, 100);
		if (fence)
			post(&p->a, GLASS_OP_SEND_INV, 2, 10)->flags |= GLASS_SWQE_FENCE;
		else
			post(&p->a, GLASS_OP_SEND_INV, 2, 10);
		/* all that may go reaches B before B answers */
		while (pe_pull(&p->a, &w, p->now))
			give_b(p, &w);
		pe_settle(p);
		expect_send(&p->a, 1, fence ? GLASS_WC_SUCCESS : GLASS_WC_REM_ACCESS_ERR);
		expect_send(&p->a, 2, fence ? GLASS_WC_SUCCESS : GLASS_WC_WR_FLUSH_ERR);
		expect_recv(&p->b, 9, GLASS_WC_SUCCESS);
		pe_pair_free(p);
	}
}

/* Nobody asked for an ACK, and what came before is to be answered first: the ACK goes out all the same. */
static void test_failed_invalidate_acks(void **state)
{
	struct pe_pair *p = make_default();
	static struct pe_wire w;

	(void)state;
	recv_(&p->b, 9, BIG);
	post(&p->a, GLASS_OP_READ, 1, 5000);
	post(&p->a, GLASS_OP_SEND_INV, 2, 10)->rkey = 0x999;
	pull_a(p, &w);
	give_b(p, &w);
	pull_a(p, &w);
	w.pkt.ack_req = false;
	give_b(p, &w);
	assert_int_equal(p->b.q.state, GLASS_QPS_ERR);
	pe_settle(p);
	expect_send(&p->a, 1, GLASS_WC_SUCCESS);
	expect_send(&p->a, 2, GLASS_WC_SUCCESS);
	assert_memory_equal(mem(&p->a, LOC), mem(&p->b, DST), 5000);
	expect_recv(&p->b, 9, GLASS_WC_REM_INV_REQ_ERR);
	assert_false(glass_pqp_has_work(&p->b.q, p->now));
	pe_pair_free(p);
}

/* A SEND that is sent again invalidates once. */
static void test_invalidate_once(void **state)
{
	struct pe_pair *p = make_default();
	static struct pe_wire w, ack;

	(void)state;
	recv_(&p->b, 9, BIG);
	post(&p->a, GLASS_OP_SEND_INV, 5, 100);
	pull_a(p, &w);
	give_b(p, &w);
	assert_true(pe_pull(&p->b, &ack, p->now)); /* lost */
	pe_mr_find(&p->b, DST)->invalid = false;
	pe_run(p, ~0ULL - 1);
	expect_send(&p->a, 5, GLASS_WC_SUCCESS);
	assert_false(pe_mr_find(&p->b, DST)->invalid);
	pe_pair_free(p);
}

/*
 * While the memory is still used, an invalidation comes again later: the peer's by an RNR NAK, and it places and
 * completes the message once.
 */
static void test_invalidate_later(void **state)
{
	static const u32 sizes[] = { 0, 100, 5000 };
	struct pe_cfg cfg = PE_CFG_DEFAULT;

	(void)state;
	cfg.rnr_retry = 7;
	for (u32 i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct pe_pair *p = make(&cfg);
		const struct glass_cqe *c;

		recv_(&p->b, 9, BIG);
		p->b.invalidate_later = 3;
		post(&p->a, GLASS_OP_SEND_INV, 5, sizes[i]);
		pe_run(p, ~0ULL - 1);
		expect_send(&p->a, 5, GLASS_WC_SUCCESS);
		c = expect_recv(&p->b, 9, GLASS_WC_SUCCESS);
		assert_int_equal(c->byte_len, sizes[i]);
		assert_true(c->has_inv);
		assert_true(pe_mr_find(&p->b, DST)->invalid);
		assert_memory_equal(mem(&p->b, LOC), mem(&p->a, SRC), sizes[i]);
		assert_int_equal(p->a.retries[GLASS_RETRY_RNR], 3);
		assert_int_equal(p->b.q.stats.rx_msgs, 1);
		/* it waits for no page */
		assert_int_equal(p->b.q.pages, 0);
		pe_pair_free(p);
	}
}

/* The program's own: what is behind it waits, and what is before it goes on. */
static void test_local_later(void **state)
{
	struct pe_pair *p = make_default();
	static struct pe_wire w, ack;

	(void)state;
	p->a.local_later = 1;
	post(&p->a, GLASS_OP_WRITE, 1, 100);
	post_key(&p->a, GLASS_OP_LOCAL_INV, 2, LOC);
	post(&p->a, GLASS_OP_WRITE, 3, 100);
	pull_a(p, &w);
	assert_int_equal(p->a.locals, 0);
	give_b(p, &w);
	assert_true(pe_pull(&p->b, &ack, p->now));
	give_a(p, &ack);
	expect_send(&p->a, 1, GLASS_WC_SUCCESS);
	pe_settle(p);
	expect_send(&p->a, 2, GLASS_WC_SUCCESS);
	expect_send(&p->a, 3, GLASS_WC_SUCCESS);
	assert_int_equal(p->a.locals, 1);
	assert_int_equal(p->a.local_later, 0);
	pe_pair_free(p);
}

/* One that waits is flushed, and the QP can be used again. */
static void test_local_later_flushed(void **state)
{
	struct pe_pair *p = make_default();
	static struct pe_wire w;

	(void)state;
	p->a.local_later = 1;
	post_key(&p->a, GLASS_OP_LOCAL_INV, 2, LOC);
	post(&p->a, GLASS_OP_WRITE, 3, 100);
	assert_false(glass_req_next(&p->a.q, &w.pkt, &(const struct glass_av *){ NULL }, &(u16){ 0 }, p->now));
	assert_true(p->a.q.left & GLASS_LEFT_LOCALS);
	glass_pqp_fail(&p->a.q, GLASS_CAUSE_INJECTED, GLASS_EV_COUNT, p->now);
	pe_flush(&p->a);
	expect_send(&p->a, 2, GLASS_WC_WR_FLUSH_ERR);
	expect_send(&p->a, 3, GLASS_WC_WR_FLUSH_ERR);
	assert_int_equal(p->a.locals, 0);
	pe_pair_free(p);
}

/* Strict mode asks where a WRITE will be placed; that is where it is placed. */
static void test_write_at(void **state)
{
	static const enum glass_qp_type types[] = { GLASS_QPT_RC, GLASS_QPT_UC };
	static struct pe_wire w;

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(types); i++) {
		struct pe_pair *p = make_type(types[i], false);
		u32 rkey = 0, off = 0;
		u64 va = 0, base = 0;

		recv_(&p->b, 9, BIG);
		post(&p->a, GLASS_OP_SEND, 1, 10);
		pull_a(p, &w);
		assert_false(glass_pqp_write_at(&p->b.q, &w.pkt, &rkey, &va));
		give_b(p, &w);
		post(&p->a, GLASS_OP_WRITE, 2, 5000);
		while (pe_pull(&p->a, &w, p->now)) {
			assert_true(glass_pqp_write_at(&p->b.q, &w.pkt, &rkey, &va));
			base = off ? base : va;
			assert_int_equal(rkey, DST);
			assert_int_equal(va, base + off);
			off += w.pkt.len;
			give_b(p, &w);
			/* the same again is not expected; a first one is, of UC */
			assert_int_equal(glass_pqp_write_at(&p->b.q, &w.pkt, &rkey, &va),
					 types[i] == GLASS_QPT_UC && off == w.pkt.len);
		}
		assert_int_equal(off, 5000);
		p->b.q.attr.access = 0;
		post(&p->a, GLASS_OP_WRITE, 3, 10);
		pull_a(p, &w);
		assert_false(glass_pqp_write_at(&p->b.q, &w.pkt, &rkey, &va));
		pe_pair_free(p);
	}
}

static void test_register(void **state)
{
	struct pe_pair *p = make_default();

	(void)state;
	post_key(&p->a, GLASS_OP_LOCAL_INV, 1, SRC);
	post_key(&p->a, GLASS_OP_REG_MR, 2, SRC);
	post_key(&p->a, GLASS_OP_BIND_MW, 3, SRC);
	post(&p->a, GLASS_OP_WRITE, 4, 3000);
	pe_settle(p);
	for (u32 i = 1; i <= 4; i++) {
		const struct glass_cqe *c = &p->a.cqe[p->a.ncqe_seen];
		static const u8 ops[] = { GLASS_WCOP_LOCAL_INV, GLASS_WCOP_REG_MR,
					  GLASS_WCOP_BIND_MW, GLASS_WCOP_WRITE };

		expect_send(&p->a, i, GLASS_WC_SUCCESS);
		assert_int_equal(c->op, ops[i - 1]);
	}
	assert_memory_equal(mem(&p->b, DST), mem(&p->a, SRC), 3000);
	/* what is registered is not registered again */
	post_key(&p->a, GLASS_OP_REG_MR, 5, SRC);
	post(&p->a, GLASS_OP_WRITE, 6, 10);
	pe_settle(p);
	expect_send(&p->a, 5, GLASS_WC_MW_BIND_ERR);
	expect_send(&p->a, 6, GLASS_WC_WR_FLUSH_ERR);
	assert_int_equal(p->a.q.state, GLASS_QPS_ERR);
	pe_pair_free(p);
	/* nor is what is not there invalidated */
	p = make_default();
	post_key(&p->a, GLASS_OP_LOCAL_INV, 1, 0x999);
	pe_settle(p);
	expect_send(&p->a, 1, GLASS_WC_MW_BIND_ERR);
	assert_int_equal(p->a.q.first_error.cause, GLASS_CAUSE_MW_BIND);
	pe_pair_free(p);
}

static void test_bind_error(void **state)
{
	struct pe_pair *p = make_default();

	(void)state;
	post(&p->a, GLASS_OP_WRITE, 1, 3000);
	post_key(&p->a, GLASS_OP_BIND_MW, 2, 0x999);
	post(&p->a, GLASS_OP_WRITE, 3, 10);
	pe_settle(p);
	/* it fails in its turn */
	expect_send(&p->a, 1, GLASS_WC_SUCCESS);
	expect_send(&p->a, 2, GLASS_WC_MW_BIND_ERR);
	expect_send(&p->a, 3, GLASS_WC_WR_FLUSH_ERR);
	assert_int_equal(p->a.q.first_error.cause, GLASS_CAUSE_MW_BIND);
	assert_int_equal(p->a.locals, 1);
	pe_pair_free(p);
}

/* It does not wait for answers, its completion does; sent again is what is before and behind it. */
static void test_local_order(void **state)
{
	struct pe_pair *p = make_default();
	static struct pe_wire w;

	(void)state;
	post(&p->a, GLASS_OP_WRITE, 1, 100);
	post_key(&p->a, GLASS_OP_BIND_MW, 2, SRC);
	post_key(&p->a, GLASS_OP_BIND_MW, 3, SRC);
	post(&p->a, GLASS_OP_READ, 4, 100);
	pull_a(p, &w); /* all of it is lost */
	assert_int_equal(p->a.locals, 0);
	pull_a(p, &w);
	assert_int_equal(w.pkt.opcode, GLASS_BOP_READ_REQ);
	assert_int_equal(p->a.locals, 2);
	expect_none(&p->a);
	pe_run(p, ~0ULL - 1);
	for (u32 i = 1; i <= 4; i++)
		expect_send(&p->a, i, GLASS_WC_SUCCESS);
	assert_int_equal(p->a.locals, 2);
	pe_pair_free(p);
}

static void test_local_fence(void **state)
{
	struct pe_pair *p = make_default();
	static struct pe_wire w;

	(void)state;
	post(&p->a, GLASS_OP_WRITE, 1, 100);
	post_key(&p->a, GLASS_OP_LOCAL_INV, 2, SRC)->flags |= GLASS_SWQE_FENCE;
	pull_a(p, &w);
	assert_false(glass_pqp_has_work(&p->a.q, p->now));
	assert_int_equal(glass_req_waits(&p->a.q, p->now), GLASS_WAIT_FENCE);
	give_b(p, &w);
	pe_settle(p);
	expect_send(&p->a, 1, GLASS_WC_SUCCESS);
	expect_send(&p->a, 2, GLASS_WC_SUCCESS);
	pe_pair_free(p);
}

/* A queue full of them, signaled or not, comes to its end. */
static void test_many_locals(void **state)
{
	(void)state;
	for (int first = 0; first < 2; first++) {
		struct pe_pair *p = make_default();
		static struct pe_wire w;

		if (first) {
			post(&p->a, GLASS_OP_WRITE, 99, 10);
			pull_a(p, &w);
		}
		while (glass_sq_room(&p->a.q))
			post_key(&p->a, GLASS_OP_BIND_MW, 1, SRC)->flags = 0;
		for (int i = 0; i < 4; i++)
			assert_false(pe_pull(&p->a, &w, p->now));
		if (first) {
			assert_int_equal(glass_req_waits(&p->a.q, p->now), GLASS_WAIT_WINDOW);
			pe_run(p, ~0ULL - 1);
			expect_send(&p->a, 99, GLASS_WC_SUCCESS);
			for (int i = 0; i < 4; i++)
				assert_false(pe_pull(&p->a, &w, p->now));
		}
		assert_int_equal(p->a.q.req.tail, p->a.q.req.head);
		assert_int_equal(p->a.q.req.locals, 0);
		expect_none(&p->a);
		pe_pair_free(p);
	}
}

static void test_flush(void **state)
{
	static const u32 feths[] = { GLASS_FETH_GLOBAL, GLASS_FETH_GLOBAL | GLASS_FETH_MR };

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(feths); i++) {
		struct pe_pair *p = make_default();

		pe_mr_find(&p->b, DST)->access |= GLASS_ACC_FLUSH_GLOBAL;
		post(&p->a, GLASS_OP_WRITE, 1, 5000);
		post_flush(&p->a, 2, 5000, feths[i]);
		pe_settle(p);
		expect_send(&p->a, 1, GLASS_WC_SUCCESS);
		assert_int_equal(p->a.cqe[p->a.ncqe_seen].op, GLASS_WCOP_FLUSH);
		expect_send(&p->a, 2, GLASS_WC_SUCCESS);
		assert_int_equal(p->b.flushes, 1);
		expect_none(&p->b);
		/* the region does not grant persistence */
		post_flush(&p->a, 3, 10, GLASS_FETH_PERSISTENT);
		pe_settle(p);
		expect_send(&p->a, 3, GLASS_WC_REM_ACCESS_ERR);
		pe_pair_free(p);
	}
}

/* The reserved bits of the FETH are zero when it is sent and ignored when it comes (IBA 1.5.2). */
static void test_flush_reserved_bits(void **state)
{
	struct pe_pair *p = make_default();
	static struct pe_wire x;

	(void)state;
	pe_mr_find(&p->b, DST)->access |= GLASS_ACC_FLUSH_GLOBAL;
	post_flush(&p->a, 1, 10, GLASS_FETH_GLOBAL | 0xffffffc0);
	pull_a(p, &x);
	assert_int_equal(x.pkt.feth, GLASS_FETH_GLOBAL);
	x.pkt.feth |= 0xffffffc0;
	give_b(p, &x);
	pe_settle(p);
	expect_send(&p->a, 1, GLASS_WC_SUCCESS);
	assert_int_equal(p->b.flushes, 1);
	pe_pair_free(p);
}

static void test_flush_refused(void **state)
{
	static const struct {
		u32 feth, len;
		u16 qp_access;
		u8 status;
	} rows[] = {
		{ 0, 10, 0xffff, GLASS_WC_REM_INV_REQ_ERR }, /* of nothing */
		{ 4, 10, 0xffff, GLASS_WC_REM_INV_REQ_ERR }, /* reserved type */
		{ GLASS_FETH_GLOBAL | 0x20, 10, 0xffff, GLASS_WC_REM_INV_REQ_ERR }, /* level */
		{ GLASS_FETH_GLOBAL, 10, GLASS_ACC_REMOTE_WRITE, GLASS_WC_REM_INV_REQ_ERR },
		{ GLASS_FETH_GLOBAL, BIG + 1, 0xffff, GLASS_WC_REM_ACCESS_ERR },
	};

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(rows); i++) {
		struct pe_pair *p = make_default();

		pe_mr_find(&p->b, DST)->access |= GLASS_ACC_FLUSH_GLOBAL;
		p->b.q.attr.access &= rows[i].qp_access;
		post_flush(&p->a, 1, rows[i].len, rows[i].feth);
		pe_settle(p);
		expect_send(&p->a, 1, rows[i].status);
		assert_int_equal(p->b.flushes, 0);
		pe_pair_free(p);
	}
}

static void test_atomic_write(void **state)
{
	struct pe_pair *p = make_default();
	struct glass_swqe *w;
	u64 v = 0x1122334455667788ull;
	static struct pe_wire x;

	(void)state;
	w = post(&p->a, GLASS_OP_ATOMIC_WRITE, 1, 8);
	w->raddr = pe_va(DST, 16);
	w->num_sge = 0;
	w->flags |= GLASS_SWQE_INLINE;
	memcpy(w->data, &v, 8);
	pe_settle(p);
	expect_send(&p->a, 1, GLASS_WC_SUCCESS);
	assert_memory_equal(mem(&p->b, DST) + 16, &v, 8);
	/* its answer is lost: it is not written twice */
	post(&p->a, GLASS_OP_ATOMIC_WRITE, 2, 8)->raddr = pe_va(DST, 16);
	pull_a(p, &x);
	give_b(p, &x);
	assert_memory_equal(mem(&p->b, DST) + 16, mem(&p->a, SRC), 8);
	assert_true(pe_pull(&p->b, &x, p->now));
	assert_int_equal(x.pkt.opcode, GLASS_BOP_READ_RESP_ONLY);
	assert_int_equal(x.pkt.len, 0);
	memcpy(mem(&p->b, DST) + 16, &v, 8);
	pe_run(p, ~0ULL - 1);
	expect_send(&p->a, 2, GLASS_WC_SUCCESS);
	assert_memory_equal(mem(&p->b, DST) + 16, &v, 8);
	/* misaligned */
	post(&p->a, GLASS_OP_ATOMIC_WRITE, 3, 8)->raddr = pe_va(DST, 4);
	pe_settle(p);
	expect_send(&p->a, 3, GLASS_WC_REM_INV_REQ_ERR);
	pe_pair_free(p);
}

static void test_what_a_type_has(void **state)
{
	static const struct {
		enum glass_qp_type type;
		enum glass_wr_op op;
		u8 status;
	} rows[] = {
		{ GLASS_QPT_UC, GLASS_OP_BIND_MW, GLASS_WC_SUCCESS },
		{ GLASS_QPT_UC, GLASS_OP_SEND_INV, GLASS_WC_LOC_QP_OP_ERR },
		{ GLASS_QPT_UC, GLASS_OP_FLUSH, GLASS_WC_LOC_QP_OP_ERR },
		{ GLASS_QPT_UD, GLASS_OP_BIND_MW, GLASS_WC_LOC_QP_OP_ERR },
		{ GLASS_QPT_UD, GLASS_OP_SEND_INV, GLASS_WC_LOC_QP_OP_ERR },
		{ GLASS_QPT_RC, 10, GLASS_WC_LOC_QP_OP_ERR }, /* no operation */
		{ GLASS_QPT_RC, 13, GLASS_WC_LOC_QP_OP_ERR },
	};

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(rows); i++) {
		struct pe_pair *p = make_type(rows[i].type, false);

		post_key(&p->a, rows[i].op, 1, SRC);
		pe_settle(p);
		expect_send(&p->a, 1, rows[i].status);
		pe_pair_free(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_remote_invalidate),
		cmocka_unit_test(test_invalidate_behind_read),
		cmocka_unit_test(test_failed_invalidate_acks),
		cmocka_unit_test(test_invalidate_once),
		cmocka_unit_test(test_invalidate_later),
		cmocka_unit_test(test_local_later),
		cmocka_unit_test(test_local_later_flushed),
		cmocka_unit_test(test_write_at),
		cmocka_unit_test(test_register),
		cmocka_unit_test(test_bind_error),
		cmocka_unit_test(test_local_order),
		cmocka_unit_test(test_local_fence),
		cmocka_unit_test(test_many_locals),
		cmocka_unit_test(test_flush),
		cmocka_unit_test(test_flush_reserved_bits),
		cmocka_unit_test(test_flush_refused),
		cmocka_unit_test(test_atomic_write),
		cmocka_unit_test(test_what_a_type_has),
	};

	return cmocka_run_group_tests_name("proto_keys", tests, NULL, NULL);
}
