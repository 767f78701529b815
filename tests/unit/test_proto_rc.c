// SPDX-License-Identifier: GPL-2.0-only
/*
 * RC between two endpoints of the protocol core: each operation, segmentation,
 * retries, errors and what comes after them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "proto_env.h"

#define SRC 0x101 /* local: what is sent */
#define DST 0x202 /* remote: all rights */
#define LOC 0x303 /* local, writable: what is read, and receive buffers */
#define BIG 65536

#define ALL_REMOTE (GLASS_ACC_LOCAL_WRITE | GLASS_ACC_REMOTE_WRITE | GLASS_ACC_REMOTE_READ | \
		    GLASS_ACC_REMOTE_ATOMIC)

static u64 va(u32 key, u64 off)
{
	return ((u64)key << 32 | 0x1000) + off;
}

static u8 *mem(struct pe_ep *ep, u32 key)
{
	return pe_mr_find(ep, key)->mem;
}

static struct pe_pair *make(const struct pe_cfg *cfg)
{
	struct pe_pair *p = pe_pair_new(cfg);

	for (int i = 0; i < 2; i++) {
		struct pe_ep *ep = i ? &p->b : &p->a;

		pe_fill(pe_mr_add(ep, SRC, BIG, 0)->mem, BIG, 77 + i);
		pe_mr_add(ep, DST, BIG, ALL_REMOTE);
		pe_mr_add(ep, LOC, BIG, GLASS_ACC_LOCAL_WRITE);
	}
	return p;
}

static struct pe_pair *make_default(void)
{
	struct pe_cfg cfg = PE_CFG_DEFAULT;

	return make(&cfg);
}

static struct glass_swqe *post(struct pe_ep *ep, enum glass_wr_op op, u64 wr_id, u32 len)
{
	struct glass_swqe *w = pe_wqe(ep, op, wr_id);
	bool in = op >= GLASS_OP_READ;

	w->len = len;
	w->num_sge = 1;
	w->sge[0].addr = va(in ? LOC : SRC, 0);
	w->sge[0].lkey = in ? LOC : SRC;
	w->sge[0].len = len;
	w->raddr = va(DST, 0);
	w->rkey = DST;
	w->imm = (__be32)0x12345678;
	pe_post(ep);
	return w;
}

static void recv_(struct pe_ep *ep, u64 wr_id, u32 len)
{
	pe_recv(ep, wr_id, va(LOC, 0), len, LOC);
}

static void expect_send(struct pe_ep *ep, u64 wr_id, enum glass_wc_status status)
{
	const struct glass_cqe *c = pe_cqe(ep);

	assert_non_null(c);
	assert_true(c->is_send);
	assert_int_equal(c->wr_id, wr_id);
	assert_int_equal(c->status, status);
}

static const struct glass_cqe *expect_recv(struct pe_ep *ep, u64 wr_id, enum glass_wc_status status)
{
	const struct glass_cqe *c = pe_cqe(ep);

	assert_non_null(c);
	assert_false(c->is_send);
	assert_int_equal(c->wr_id, wr_id);
	assert_int_equal(c->status, status);
	return c;
}

static void expect_none(struct pe_ep *ep)
{
	assert_null(pe_cqe(ep));
}

static u32 all_events(struct pe_ep *ep)
{
	u32 n = 0;

	for (int i = 0; i < GLASS_EV_COUNT; i++)
		n += ep->events[i];
	return n;
}

static const u32 sizes[] = { 0, 1, 3, 1023, 1024, 1025, 3 * 1024 - 1, 3 * 1024, 3 * 1024 + 1,
			     BIG - 1, BIG };

/* ---- operations ---- */

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
	w->raddr = va(DST, 8);
	w->cmp_add = 5;
	pe_settle(p);
	expect_send(&p->a, 1, GLASS_WC_SUCCESS);
	memcpy(&v, mem(&p->a, LOC), 8);
	assert_int_equal(v, 1000);
	memcpy(&v, mem(&p->b, DST) + 8, 8);
	assert_int_equal(v, 1005);

	w = post(&p->a, GLASS_OP_CMP_SWAP, 2, 8);
	w->raddr = va(DST, 8);
	w->cmp_add = 1004;
	w->swap = 7;
	pe_settle(p);
	memcpy(&v, mem(&p->b, DST) + 8, 8);
	assert_int_equal(v, 1005);
	w = post(&p->a, GLASS_OP_CMP_SWAP, 3, 8);
	w->raddr = va(DST, 8);
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
	assert_true(expect_recv(&p->b, 9, GLASS_WC_SUCCESS)->has_grh);
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

/* ---- losses ---- */

static bool lose_nth(struct pe_pair *p, struct pe_ep *from, const struct glass_pkt *pkt)
{
	(void)from;
	(void)pkt;
	return p->count && !--p->count;
}

/* Each packet of a mixed exchange lost once: everything still happens once. */
static void test_lose_each(void **state)
{
	(void)state;
	for (u32 i = 1; i < 60; i++) {
		struct pe_pair *p = make_default();
		u64 v;

		p->count = i;
		p->lose = lose_nth;
		for (int n = 0; n < 3; n++)
			recv_(&p->b, n, BIG);
		post(&p->a, GLASS_OP_SEND, 1, 2500);
		post(&p->a, GLASS_OP_READ, 2, 4 * 1024 + 1)->raddr += 8192;
		post(&p->a, GLASS_OP_FETCH_ADD, 3, 8)->cmp_add = 1;
		post(&p->a, GLASS_OP_WRITE_IMM, 4, 5000)->raddr += 8;
		post(&p->a, GLASS_OP_READ, 5, 0);
		post(&p->a, GLASS_OP_FETCH_ADD, 6, 8)->cmp_add = 1;
		post(&p->a, GLASS_OP_SEND, 7, 3000);
		pe_run(p, ~0ULL - 1);
		for (int n = 1; n <= 7; n++)
			expect_send(&p->a, n, GLASS_WC_SUCCESS);
		for (int n = 0; n < 3; n++)
			expect_recv(&p->b, n, GLASS_WC_SUCCESS);
		expect_none(&p->b);
		assert_int_equal(p->b.atomics, 2);
		memcpy(&v, mem(&p->b, DST), 8);
		assert_int_equal(v, 2);
		assert_memory_equal(mem(&p->b, DST) + 8, mem(&p->a, SRC), 5000);
		pe_pair_free(p);
	}
}

static bool lose_from_a(struct pe_pair *p, struct pe_ep *from, const struct glass_pkt *pkt)
{
	(void)pkt;
	return from == &p->a;
}

static void test_retry_exhausted(void **state)
{
	(void)state;
	for (u32 cnt = 0; cnt < 8; cnt++) {
		struct pe_cfg cfg = PE_CFG_DEFAULT;
		struct pe_pair *p;
		u64 start;

		cfg.retry_cnt = cnt;
		p = make(&cfg);
		start = p->now;
		p->lose = lose_from_a;
		recv_(&p->a, 33, 100);
		post(&p->a, GLASS_OP_WRITE, 1, 10);
		post(&p->a, GLASS_OP_READ, 2, 10)->flags = 0;
		post(&p->a, GLASS_OP_SEND, 3, 10);
		pe_run(p, ~0ULL - 1);
		expect_send(&p->a, 1, GLASS_WC_RETRY_EXC_ERR);
		expect_send(&p->a, 2, GLASS_WC_WR_FLUSH_ERR);
		expect_send(&p->a, 3, GLASS_WC_WR_FLUSH_ERR);
		expect_recv(&p->a, 33, GLASS_WC_WR_FLUSH_ERR);
		expect_none(&p->a);
		assert_int_equal(p->a.q.state, GLASS_QPS_ERR);
		assert_int_equal(p->a.retries[GLASS_RETRY_TIMEOUT], cnt);
		assert_int_equal(p->now - start, (cnt + 1) * glass_ack_timeout_ns(14));
		assert_int_equal(p->a.q.first_error.cause, GLASS_CAUSE_RETRY_EXC);
		assert_int_equal(p->a.q.deadline, 0);
		assert_int_equal(all_events(&p->a), 0);
		/* posts after that are flushed, too */
		post(&p->a, GLASS_OP_SEND, 4, 10);
		expect_send(&p->a, 4, GLASS_WC_WR_FLUSH_ERR);
		recv_(&p->a, 34, 100);
		expect_recv(&p->a, 34, GLASS_WC_WR_FLUSH_ERR);
		pe_pair_free(p);
	}
}

static void test_no_timeout(void **state)
{
	struct pe_cfg cfg = PE_CFG_DEFAULT;
	struct pe_pair *p;

	(void)state;
	cfg.timeout = 0;
	p = make(&cfg);
	p->lose = lose_from_a;
	post(&p->a, GLASS_OP_WRITE, 1, 10);
	pe_settle(p);
	assert_int_equal(p->a.q.deadline, 0);
	pe_pair_free(p);
}

/* Lesson 7: an old ACK, come again, refills no budget. Nor does it move anything. */
static void test_duplicate_ack(void **state)
{
	struct pe_pair *p = make_default();
	static struct pe_wire ack, w;

	(void)state;
	post(&p->a, GLASS_OP_WRITE, 1, 10);
	assert_true(pe_pull(&p->a, &w, p->now));
	glass_pqp_rx(&p->b.q, &w.pkt, &w.meta, p->now);
	assert_true(pe_pull(&p->b, &ack, p->now));
	glass_pqp_rx(&p->a.q, &ack.pkt, &ack.meta, p->now);
	expect_send(&p->a, 1, GLASS_WC_SUCCESS);

	p->lose = lose_from_a;
	post(&p->a, GLASS_OP_WRITE, 2, 10);
	for (int i = 0; i < 4; i++) {
		pe_settle(p);
		glass_pqp_rx(&p->a.q, &ack.pkt, &ack.meta, p->now);
		assert_int_equal(p->a.q.req.retry_left, 3 - i);
		p->now = p->a.q.deadline;
		glass_pqp_timer(&p->a.q, p->now);
	}
	expect_send(&p->a, 2, GLASS_WC_RETRY_EXC_ERR);
	assert_int_equal(p->a.drops[GLASS_DROP_STALE_RESP], 4);
	pe_pair_free(p);
}

/* ---- receiver not ready ---- */

static void test_rnr_then_ready(void **state)
{
	struct pe_pair *p = make_default();
	u64 start;

	(void)state;
	post(&p->a, GLASS_OP_SEND, 1, 3000);
	post(&p->a, GLASS_OP_WRITE, 2, 3000);
	pe_settle(p);
	start = p->now;
	assert_int_equal(p->a.retries[GLASS_RETRY_RNR], 1);
	/* lesson 6: the wait is as long as the NAK says, from now */
	assert_int_equal(p->a.q.deadline, start + 640000);
	assert_false(glass_pqp_has_work(&p->a.q, start + 639999));
	assert_true(glass_pqp_has_work(&p->a.q, start + 640000));
	recv_(&p->b, 9, BIG);
	pe_settle(p);
	expect_none(&p->a);
	pe_run(p, ~0ULL - 1);
	expect_send(&p->a, 1, GLASS_WC_SUCCESS);
	expect_send(&p->a, 2, GLASS_WC_SUCCESS);
	assert_int_equal(expect_recv(&p->b, 9, GLASS_WC_SUCCESS)->byte_len, 3000);
	assert_int_equal(p->a.q.stats.rnr_rx, 1);
	assert_int_equal(p->b.q.stats.rnr_tx, 1);
	pe_pair_free(p);
}

static void test_rnr_exhausted(void **state)
{
	(void)state;
	for (u32 cnt = 0; cnt < 7; cnt++) {
		for (int imm = 0; imm < 2; imm++) {
			struct pe_cfg cfg = PE_CFG_DEFAULT;
			struct pe_pair *p;
			u64 start;

			cfg.rnr_retry = cnt;
			p = make(&cfg);
			start = p->now;
			post(&p->a, imm ? GLASS_OP_WRITE_IMM : GLASS_OP_SEND, 1, 10);
			post(&p->a, GLASS_OP_WRITE, 2, 10);
			pe_run(p, ~0ULL - 1);
			expect_send(&p->a, 1, GLASS_WC_RNR_RETRY_EXC_ERR);
			expect_send(&p->a, 2, GLASS_WC_WR_FLUSH_ERR);
			assert_int_equal(p->a.q.stats.rnr_rx, cnt + 1);
			assert_int_equal(p->now - start, cnt * 640000);
			assert_int_equal(p->a.q.first_error.cause, GLASS_CAUSE_RNR_EXC);
			assert_int_equal(p->b.q.state, GLASS_QPS_RTS);
			pe_pair_free(p);
		}
	}
}

static void test_rnr_forever(void **state)
{
	struct pe_cfg cfg = PE_CFG_DEFAULT;
	struct pe_pair *p;

	(void)state;
	cfg.rnr_retry = 7;
	cfg.min_rnr_timer = 0;
	p = make(&cfg);
	post(&p->a, GLASS_OP_SEND, 1, 10);
	pe_run(p, 100 * 655360000ULL);
	assert_true(p->a.q.stats.rnr_rx > 90);
	assert_int_equal(p->a.q.state, GLASS_QPS_RTS);
	recv_(&p->b, 1, 100);
	pe_run(p, ~0ULL - 1);
	expect_send(&p->a, 1, GLASS_WC_SUCCESS);
	pe_pair_free(p);
}

/* ---- NAKs, and who goes where ---- */

struct nak_case {
	const char *name;
	enum glass_wr_op op;
	u32 len, raddr_off, rkey;
	u8 no_access; /* QP access flags taken away at B */
	enum glass_wc_status status;
	enum glass_event event;
	enum glass_cause cause; /* at B */
};

static const struct nak_case nak_cases[] = {
	{ "write, bad rkey", GLASS_OP_WRITE, 10, 0, 0x999, 0, GLASS_WC_REM_ACCESS_ERR,
	  GLASS_EV_QP_ACCESS_ERR, GLASS_CAUSE_RESP_ACCESS },
	{ "write, beyond", GLASS_OP_WRITE, 10, BIG - 9, DST, 0, GLASS_WC_REM_ACCESS_ERR,
	  GLASS_EV_QP_ACCESS_ERR, GLASS_CAUSE_RESP_ACCESS },
	{ "write, wraps", GLASS_OP_WRITE, 10, (u32)-20, DST, 0, GLASS_WC_REM_ACCESS_ERR,
	  GLASS_EV_QP_ACCESS_ERR, GLASS_CAUSE_RESP_ACCESS },
	{ "long write, beyond", GLASS_OP_WRITE, 5000, BIG - 4000, DST, 0, GLASS_WC_REM_ACCESS_ERR,
	  GLASS_EV_QP_ACCESS_ERR, GLASS_CAUSE_RESP_ACCESS },
	{ "write, region without the right", GLASS_OP_WRITE, 10, 0, LOC, 0,
	  GLASS_WC_REM_ACCESS_ERR, GLASS_EV_QP_ACCESS_ERR, GLASS_CAUSE_RESP_ACCESS },
	{ "write, QP without the right", GLASS_OP_WRITE, 10, 0, DST, GLASS_ACC_REMOTE_WRITE,
	  GLASS_WC_REM_INV_REQ_ERR, GLASS_EV_QP_REQ_ERR, GLASS_CAUSE_RESP_INV_REQ },
	{ "read, bad rkey", GLASS_OP_READ, 10, 0, 0x999, 0, GLASS_WC_REM_ACCESS_ERR,
	  GLASS_EV_QP_ACCESS_ERR, GLASS_CAUSE_RESP_ACCESS },
	{ "read, QP without the right", GLASS_OP_READ, 10, 0, DST, GLASS_ACC_REMOTE_READ,
	  GLASS_WC_REM_INV_REQ_ERR, GLASS_EV_QP_REQ_ERR, GLASS_CAUSE_RESP_INV_REQ },
	{ "atomic, unaligned", GLASS_OP_FETCH_ADD, 8, 4, DST, 0, GLASS_WC_REM_INV_REQ_ERR,
	  GLASS_EV_QP_REQ_ERR, GLASS_CAUSE_RESP_INV_REQ },
	{ "atomic, bad rkey", GLASS_OP_CMP_SWAP, 8, 8, 0x999, 0, GLASS_WC_REM_ACCESS_ERR,
	  GLASS_EV_QP_ACCESS_ERR, GLASS_CAUSE_RESP_ACCESS },
	{ "atomic, QP without the right", GLASS_OP_CMP_SWAP, 8, 8, DST, GLASS_ACC_REMOTE_ATOMIC,
	  GLASS_WC_REM_INV_REQ_ERR, GLASS_EV_QP_REQ_ERR, GLASS_CAUSE_RESP_INV_REQ },
};

static void test_naks(void **state)
{
	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(nak_cases); i++) {
		const struct nak_case *c = &nak_cases[i];
		struct pe_pair *p = make_default();
		struct glass_swqe *w;

		p->b.q.attr.access &= ~c->no_access;
		recv_(&p->b, 9, 100);
		recv_(&p->a, 8, 100);
		/* what came before is answered before, READs included */
		post(&p->a, GLASS_OP_SEND, 1, 10);
		if (!c->no_access)
			post(&p->a, GLASS_OP_READ, 2, 5000)->flags = 0;
		recv_(&p->b, 10, 100);
		w = post(&p->a, c->op, 3, c->len);
		w->raddr = c->rkey == LOC ? va(LOC, 0) : va(DST, 0) + (s32)c->raddr_off;
		w->rkey = c->rkey;
		post(&p->a, GLASS_OP_SEND, 4, 10);
		pe_run(p, ~0ULL - 1);
		expect_send(&p->a, 1, GLASS_WC_SUCCESS);
		expect_send(&p->a, 3, c->status);
		expect_send(&p->a, 4, GLASS_WC_WR_FLUSH_ERR);
		expect_recv(&p->a, 8, GLASS_WC_WR_FLUSH_ERR);
		expect_none(&p->a);
		expect_recv(&p->b, 9, GLASS_WC_SUCCESS);
		expect_recv(&p->b, 10, GLASS_WC_WR_FLUSH_ERR);
		expect_none(&p->b);
		assert_int_equal(p->a.q.state, GLASS_QPS_ERR);
		assert_int_equal(p->b.q.state, GLASS_QPS_ERR);
		assert_int_equal(all_events(&p->a), 0);
		assert_int_equal(all_events(&p->b), 1);
		assert_int_equal(p->b.events[c->event], 1);
		assert_int_equal(p->b.q.first_error.cause, c->cause);
		assert_false(glass_pqp_has_work(&p->b.q, p->now));
		pe_pair_free(p);
	}
}

static void test_zero_write_needs_no_key(void **state)
{
	struct pe_pair *p = make_default();

	(void)state;
	post(&p->a, GLASS_OP_WRITE, 1, 0)->rkey = 0x999;
	post(&p->a, GLASS_OP_READ, 2, 0)->rkey = 0x999;
	pe_settle(p);
	expect_send(&p->a, 1, GLASS_WC_SUCCESS);
	expect_send(&p->a, 2, GLASS_WC_SUCCESS);
	pe_pair_free(p);
}

static void test_recv_too_short(void **state)
{
	(void)state;
	for (u32 room = 0; room < 3000; room += 500) {
		struct pe_pair *p = make_default();
		const struct glass_cqe *c;

		recv_(&p->b, 9, room);
		recv_(&p->b, 10, 100);
		post(&p->a, GLASS_OP_SEND, 1, 3000);
		pe_run(p, ~0ULL - 1);
		expect_send(&p->a, 1, GLASS_WC_REM_INV_REQ_ERR);
		c = expect_recv(&p->b, 9, GLASS_WC_LOC_LEN_ERR);
		assert_true(c->solicited);
		expect_recv(&p->b, 10, GLASS_WC_WR_FLUSH_ERR);
		expect_none(&p->b);
		assert_int_equal(p->b.q.state, GLASS_QPS_ERR);
		assert_int_equal(all_events(&p->b), 0);
		pe_pair_free(p);
	}
}

static void test_recv_bad_memory(void **state)
{
	struct pe_pair *p = make_default();

	(void)state;
	pe_recv(&p->b, 9, va(SRC, 0), 100, SRC); /* not writable */
	post(&p->a, GLASS_OP_SEND, 1, 50);
	pe_run(p, ~0ULL - 1);
	expect_send(&p->a, 1, GLASS_WC_REM_OP_ERR);
	expect_recv(&p->b, 9, GLASS_WC_LOC_PROT_ERR);
	assert_int_equal(p->b.q.state, GLASS_QPS_ERR);
	pe_pair_free(p);
}

static void test_recv_queue_broken(void **state)
{
	static const int rets[] = { -EINVAL, -EIO };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct pe_pair *p = make_default();

		recv_(&p->b, 9, 100);
		p->b.take_fails = rets[i];
		post(&p->a, GLASS_OP_SEND, 1, 50);
		pe_run(p, ~0ULL - 1);
		expect_send(&p->a, 1, GLASS_WC_REM_OP_ERR);
		expect_recv(&p->b, 9, i ? GLASS_WC_WR_FLUSH_ERR : GLASS_WC_LOC_QP_OP_ERR);
		assert_int_equal(p->b.events[GLASS_EV_QP_FATAL], i);
		pe_pair_free(p);
	}
}

static void test_read_memory_goes_away(void **state)
{
	struct pe_pair *p = make_default();
	static struct pe_wire w;

	(void)state;
	post(&p->a, GLASS_OP_READ, 1, 5000);
	post(&p->a, GLASS_OP_WRITE, 2, 5);
	while (pe_pull(&p->a, &w, p->now))
		glass_pqp_rx(&p->b.q, &w.pkt, &w.meta, p->now);
	assert_true(pe_pull(&p->b, &w, p->now));
	glass_pqp_rx(&p->a.q, &w.pkt, &w.meta, p->now);
	pe_mr_del(pe_mr_find(&p->b, DST));
	pe_run(p, ~0ULL - 1);
	expect_send(&p->a, 1, GLASS_WC_REM_ACCESS_ERR);
	expect_send(&p->a, 2, GLASS_WC_WR_FLUSH_ERR);
	assert_int_equal(p->b.events[GLASS_EV_QP_ACCESS_ERR], 1);
	assert_int_equal(p->b.q.state, GLASS_QPS_ERR);
	pe_pair_free(p);
}

/* ---- local errors ---- */

static void test_local_errors_wait_their_turn(void **state)
{
	(void)state;
	for (int i = 0; i < 5; i++) {
		struct pe_pair *p = make_default();
		static const enum glass_wc_status want[] = {
			GLASS_WC_LOC_PROT_ERR, GLASS_WC_LOC_LEN_ERR, GLASS_WC_LOC_QP_OP_ERR,
			GLASS_WC_LOC_QP_OP_ERR, GLASS_WC_LOC_PROT_ERR,
		};
		static struct pe_wire w;
		struct glass_swqe *x;
		int n;

		post(&p->a, GLASS_OP_WRITE, 1, 3000);
		post(&p->a, GLASS_OP_READ, 2, 3000);
		x = post(&p->a, i == 4 ? GLASS_OP_READ : GLASS_OP_WRITE, 3, 3000);
		if (i == 0)
			x->sge[0].lkey = 0x999;
		else if (i == 1)
			x->len = 0x80000001;
		else if (i == 2)
			x->status = GLASS_WC_LOC_QP_OP_ERR;
		else if (i == 3)
			x->op = 200;
		else
			x->sge[0].lkey = SRC; /* not writable */
		post(&p->a, GLASS_OP_WRITE, 4, 10);
		for (n = 0; pe_pull(&p->a, &w, p->now); n++)
			if (n == 3)
				assert_int_equal(w.pkt.opcode, GLASS_BOP_READ_REQ);
		expect_none(&p->a); /* nothing before its predecessors are done */
		p->now = p->a.q.deadline;
		glass_pqp_timer(&p->a.q, p->now);
		pe_run(p, ~0ULL - 1);
		expect_send(&p->a, 1, GLASS_WC_SUCCESS);
		expect_send(&p->a, 2, GLASS_WC_SUCCESS);
		expect_send(&p->a, 3, want[i]);
		expect_send(&p->a, 4, GLASS_WC_WR_FLUSH_ERR);
		assert_int_equal(p->a.q.state, GLASS_QPS_ERR);
		assert_int_equal(all_events(&p->a), 0);
		pe_pair_free(p);
	}
}

static void test_no_initiator_depth(void **state)
{
	struct pe_cfg cfg = PE_CFG_DEFAULT;
	struct pe_pair *p;

	(void)state;
	cfg.rd_atomic = 0;
	p = make(&cfg);
	post(&p->a, GLASS_OP_READ, 1, 10);
	pe_settle(p);
	expect_send(&p->a, 1, GLASS_WC_LOC_QP_OP_ERR);
	pe_pair_free(p);
}

/* ---- responder, packet by packet ---- */

/* The next packet of A without handing it to B */
static void pull_a(struct pe_pair *p, struct pe_wire *w)
{
	assert_true(pe_pull(&p->a, w, p->now));
}

static void give_b(struct pe_pair *p, struct pe_wire *w)
{
	glass_pqp_rx(&p->b.q, &w->pkt, &w->meta, p->now);
}

static void give_a(struct pe_pair *p, struct pe_wire *w)
{
	glass_pqp_rx(&p->a.q, &w->pkt, &w->meta, p->now);
}

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
	assert_int_equal(w.pkt.va, va(DST, 1024));
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
	{ "send with invalidate", GLASS_BOP_SEND_ONLY_INV, 0xff, 0, 0 },
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

/* ---- credits ---- */

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

/* ---- states ---- */

static void test_sqd(void **state)
{
	struct pe_pair *p = make_default();
	struct glass_qp_attr a = { .state = GLASS_QPS_SQD, .sqd_async = true };
	static struct pe_wire w;

	(void)state;
	post(&p->a, GLASS_OP_WRITE, 1, 3000);
	post(&p->a, GLASS_OP_WRITE, 2, 10);
	pull_a(p, &w);
	give_b(p, &w);
	assert_int_equal(glass_pqp_modify(&p->a.q, &a,
					  GLASS_QPA_STATE | GLASS_QPA_EN_SQD_ASYNC_NOTIFY, p->now),
			 0);
	assert_int_equal(p->a.events[GLASS_EV_SQ_DRAINED], 0);
	pe_settle(p);
	/* what was begun is done, nothing new */
	expect_send(&p->a, 1, GLASS_WC_SUCCESS);
	expect_none(&p->a);
	assert_int_equal(p->a.events[GLASS_EV_SQ_DRAINED], 1);
	/* the receive side works on */
	recv_(&p->a, 5, 100);
	post(&p->b, GLASS_OP_SEND, 6, 10);
	pe_settle(p);
	expect_recv(&p->a, 5, GLASS_WC_SUCCESS);
	expect_send(&p->b, 6, GLASS_WC_SUCCESS);
	assert_int_equal(pe_state(&p->a, GLASS_QPS_RTS, p->now), 0);
	pe_settle(p);
	expect_send(&p->a, 2, GLASS_WC_SUCCESS);
	assert_int_equal(p->a.events[GLASS_EV_SQ_DRAINED], 1);
	/* idle: drained at once; without the wish: silently */
	assert_int_equal(glass_pqp_modify(&p->a.q, &a,
					  GLASS_QPA_STATE | GLASS_QPA_EN_SQD_ASYNC_NOTIFY, p->now),
			 0);
	assert_int_equal(p->a.events[GLASS_EV_SQ_DRAINED], 2);
	assert_int_equal(pe_state(&p->a, GLASS_QPS_RTS, p->now), 0);
	pe_pair_free(p);
}

static void test_err_by_verb(void **state)
{
	struct pe_pair *p = make_default();
	static struct pe_wire w;

	(void)state;
	recv_(&p->a, 1, BIG);
	recv_(&p->a, 2, 100);
	post(&p->a, GLASS_OP_WRITE, 3, 3000)->flags = 0;
	post(&p->a, GLASS_OP_WRITE, 4, 30);
	pull_a(p, &w);
	/* half of a message received */
	post(&p->b, GLASS_OP_SEND, 9, 2000);
	assert_true(pe_pull(&p->b, &w, p->now));
	give_a(p, &w);
	assert_int_equal(pe_state(&p->a, GLASS_QPS_ERR, p->now), 0);
	expect_send(&p->a, 3, GLASS_WC_WR_FLUSH_ERR);
	expect_send(&p->a, 4, GLASS_WC_WR_FLUSH_ERR);
	expect_recv(&p->a, 1, GLASS_WC_WR_FLUSH_ERR);
	expect_recv(&p->a, 2, GLASS_WC_WR_FLUSH_ERR);
	expect_none(&p->a);
	assert_int_equal(p->a.q.deadline, 0);
	assert_int_equal(all_events(&p->a), 0);
	give_a(p, &w);
	assert_int_equal(p->a.drops[GLASS_DROP_QP_STATE], 1);
	/* again: nothing new */
	assert_int_equal(pe_state(&p->a, GLASS_QPS_ERR, p->now), 0);
	expect_none(&p->a);
	pe_pair_free(p);
}

static void test_reset(void **state)
{
	struct pe_pair *p = make_default();
	struct pe_cfg cfg = PE_CFG_DEFAULT;
	static struct pe_wire w;

	(void)state;
	post(&p->a, GLASS_OP_WRITE, 3, 3000);
	post(&p->a, GLASS_OP_READ, 4, 3000);
	pull_a(p, &w);
	/* lesson 9: 0, not a positive number */
	assert_int_equal(pe_state(&p->a, GLASS_QPS_RESET, p->now), 0);
	expect_none(&p->a);
	assert_false(glass_pqp_has_work(&p->a.q, p->now));
	assert_int_equal(p->a.q.deadline, 0);
	assert_int_equal(p->a.q.req.tail, p->a.q.req.head);
	assert_int_equal(pe_state(&p->b, GLASS_QPS_RESET, p->now), 0);
	for (int i = 0; i < 2; i++) {
		struct pe_ep *ep = i ? &p->a : &p->b;

		pe_to_init(ep, &cfg);
		pe_to_rtr(ep, &cfg, p->now);
		pe_to_rts(ep, &cfg, p->now);
	}
	post(&p->a, GLASS_OP_WRITE, 5, 3000);
	pe_settle(p);
	expect_send(&p->a, 5, GLASS_WC_SUCCESS);
	expect_none(&p->a);
	pe_pair_free(p);
}

static void test_comm_est(void **state)
{
	struct pe_cfg cfg = PE_CFG_DEFAULT;
	struct pe_pair *p = make(&cfg);

	(void)state;
	assert_int_equal(pe_state(&p->b, GLASS_QPS_RESET, p->now), 0);
	pe_to_init(&p->b, &cfg);
	post(&p->a, GLASS_OP_WRITE, 1, 3000);
	pe_settle(p);
	assert_int_equal(p->b.drops[GLASS_DROP_QP_STATE], 3);
	pe_to_rtr(&p->b, &cfg, p->now);
	pe_run(p, ~0ULL - 1);
	expect_send(&p->a, 1, GLASS_WC_SUCCESS);
	assert_int_equal(p->b.events[GLASS_EV_COMM_EST], 1);
	/* no request leaves in RTR */
	post(&p->b, GLASS_OP_WRITE, 1, 3000);
	assert_false(glass_pqp_has_work(&p->b.q, p->now));
	pe_pair_free(p);
}

/* Lesson 11: LAST_WQE_REACHED whatever was received before, and once. */
static void test_last_wqe_reached(void **state)
{
	struct pe_cfg cfg = PE_CFG_DEFAULT;
	static struct pe_wire w;
	struct pe_pair *p;

	(void)state;
	cfg.srq = true;
	p = make(&cfg);
	recv_(&p->b, 1, BIG);
	recv_(&p->b, 2, BIG);
	assert_int_equal(pe_state(&p->b, GLASS_QPS_ERR, p->now), 0);
	assert_int_equal(p->b.events[GLASS_EV_QP_LAST_WQE_REACHED], 1);
	expect_none(&p->b); /* the SRQ's WQEs stay */
	glass_pqp_flush(&p->b.q, p->now);
	assert_int_equal(p->b.events[GLASS_EV_QP_LAST_WQE_REACHED], 1);
	pe_pair_free(p);

	/* one in progress is flushed before the event */
	p = make(&cfg);
	recv_(&p->b, 1, BIG);
	post(&p->a, GLASS_OP_SEND, 1, 3000);
	pull_a(p, &w);
	give_b(p, &w);
	assert_int_equal(pe_state(&p->b, GLASS_QPS_ERR, p->now), 0);
	assert_true(expect_recv(&p->b, 1, GLASS_WC_WR_FLUSH_ERR)->from_srq);
	assert_int_equal(p->b.events[GLASS_EV_QP_LAST_WQE_REACHED], 1);
	pe_pair_free(p);
}

static void test_fail(void **state)
{
	struct pe_pair *p = make_default();

	(void)state;
	recv_(&p->a, 1, 10);
	post(&p->a, GLASS_OP_WRITE, 2, 10);
	glass_pqp_fail(&p->a.q, GLASS_CAUSE_INJECTED, GLASS_EV_QP_FATAL, p->now);
	expect_send(&p->a, 2, GLASS_WC_WR_FLUSH_ERR);
	expect_recv(&p->a, 1, GLASS_WC_WR_FLUSH_ERR);
	assert_int_equal(p->a.events[GLASS_EV_QP_FATAL], 1);
	assert_int_equal(p->a.q.first_error.cause, GLASS_CAUSE_INJECTED);
	glass_pqp_fail(&p->a.q, GLASS_CAUSE_INJECTED, GLASS_EV_QP_FATAL, p->now);
	assert_int_equal(p->a.events[GLASS_EV_QP_FATAL], 1);
	pe_pair_free(p);
}

/* A READ that takes half of the PSN space: the limit of PSN arithmetic. */
static void test_longest_read(void **state)
{
	struct pe_cfg cfg = PE_CFG_DEFAULT;
	static struct pe_wire w, x;
	struct pe_pair *p;

	(void)state;
	cfg.mtu = 256;
	p = make(&cfg);
	post(&p->a, GLASS_OP_READ, 1, 0x80000000);
	post(&p->a, GLASS_OP_WRITE, 2, 10);
	pull_a(p, &w);
	assert_int_equal(w.pkt.dma_len, 0x80000000);
	assert_false(pe_pull(&p->a, &x, p->now));
	assert_int_equal((p->a.q.req.psn - w.pkt.psn) & GLASS_PSN_MASK, 0x800000);
	/* an answer to its first and to its last PSN */
	x = w;
	x.pkt.slid = 0x12;
	x.pkt.opcode = GLASS_BOP_READ_RESP_FIRST;
	x.pkt.syndrome = 0;
	x.pkt.len = x.seg.len = 256;
	x.pkt.nseg = 1;
	x.pkt.seg = &x.seg;
	x.seg.addr = x.data;
	give_a(p, &x);
	assert_int_equal(p->a.q.req.una, glass_psn_add(w.pkt.psn, 1));
	give_a(p, &x);
	assert_int_equal(p->a.drops[GLASS_DROP_STALE_RESP], 1);
	x.pkt.psn = glass_psn_add(w.pkt.psn, 0x7fffff);
	give_a(p, &x);
	assert_int_equal(p->a.retries[GLASS_RETRY_IMPLIED], 1);
	pull_a(p, &w);
	assert_int_equal(w.pkt.dma_len, 0x80000000 - 256);
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
		cmocka_unit_test(test_lose_each),
		cmocka_unit_test(test_retry_exhausted),
		cmocka_unit_test(test_no_timeout),
		cmocka_unit_test(test_duplicate_ack),
		cmocka_unit_test(test_rnr_then_ready),
		cmocka_unit_test(test_rnr_exhausted),
		cmocka_unit_test(test_rnr_forever),
		cmocka_unit_test(test_naks),
		cmocka_unit_test(test_zero_write_needs_no_key),
		cmocka_unit_test(test_recv_too_short),
		cmocka_unit_test(test_recv_bad_memory),
		cmocka_unit_test(test_recv_queue_broken),
		cmocka_unit_test(test_read_memory_goes_away),
		cmocka_unit_test(test_local_errors_wait_their_turn),
		cmocka_unit_test(test_no_initiator_depth),
		cmocka_unit_test(test_nak_once_per_hole),
		cmocka_unit_test(test_second_hole),
		cmocka_unit_test(test_ack_passes_read),
		cmocka_unit_test(test_ack_waits_for_read),
		cmocka_unit_test(test_duplicates),
		cmocka_unit_test(test_ghost_read_and_depth_one),
		cmocka_unit_test(test_too_many_reads),
		cmocka_unit_test(test_forged_requests),
		cmocka_unit_test(test_bad_responses),
		cmocka_unit_test(test_wrong_transport),
		cmocka_unit_test(test_credits),
		cmocka_unit_test(test_credit_codes),
		cmocka_unit_test(test_sqd),
		cmocka_unit_test(test_err_by_verb),
		cmocka_unit_test(test_reset),
		cmocka_unit_test(test_comm_est),
		cmocka_unit_test(test_last_wqe_reached),
		cmocka_unit_test(test_fail),
		cmocka_unit_test(test_longest_read),
	};

	return cmocka_run_group_tests_name("proto_rc", tests, NULL, NULL);
}
