// SPDX-License-Identifier: GPL-2.0-only
/* RC when packets are lost or the receiver is not ready: retries and their budgets. */
#include "proto_pair.h"

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

static bool lose_first_psn(struct pe_pair *p, struct pe_ep *from, const struct glass_pkt *pkt)
{
	return from == &p->a && pkt->psn == p->a.q.req.una;
}

/* One packet is lost each time, those behind it arrive: its NAK costs one retry, and no more. */
static void test_hole_that_stays(void **state)
{
	struct pe_pair *p = make_default();
	u64 start = p->now;

	(void)state;
	p->lose = lose_first_psn;
	for (int n = 1; n <= 3; n++)
		post(&p->a, GLASS_OP_WRITE, n, 10);
	pe_run(p, ~0ULL - 1);
	expect_send(&p->a, 1, GLASS_WC_RETRY_EXC_ERR);
	assert_int_equal(p->a.retries[GLASS_RETRY_NAK_SEQ], 1);
	assert_int_equal(p->a.retries[GLASS_RETRY_TIMEOUT], p->a.q.attr.retry_cnt - 1);
	assert_true(p->now - start >= p->a.q.attr.retry_cnt * glass_ack_timeout_ns(14));
	pe_pair_free(p);
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

/* Timers that stood still for a while are that much later, both of them. */
static void test_shifted_timers(void **state)
{
	struct pe_pair *p = make_default();
	u64 was;

	(void)state;
	p->lose = lose_from_a;
	glass_pqp_shift(&p->a.q, 1000);
	assert_int_equal(p->a.q.deadline, 0);
	post(&p->a, GLASS_OP_WRITE, 1, 10);
	pe_settle(p);
	was = p->a.q.deadline;
	assert_true(was);
	glass_pqp_shift(&p->a.q, 5000000000ULL);
	assert_int_equal(p->a.q.deadline, was + 5000000000ULL);
	glass_pqp_timer(&p->a.q, was + 4999999999ULL);
	assert_int_equal(p->a.retries[GLASS_RETRY_TIMEOUT], 0);
	glass_pqp_timer(&p->a.q, was + 5000000000ULL);
	assert_int_equal(p->a.retries[GLASS_RETRY_TIMEOUT], 1);
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

/* A try in vain is one packet, and waits longer after a while; what is taken ends both. */
static void test_rnr_patience(void **state)
{
	struct pe_cfg cfg = PE_CFG_DEFAULT;
	struct pe_pair *p;
	u64 sent, wait, before = 0;

	(void)state;
	cfg.rnr_retry = 7;
	cfg.min_rnr_timer = 1;
	p = make(&cfg);
	for (u64 id = 1; id <= 5; id++)
		post(&p->a, GLASS_OP_SEND, id, 3 * cfg.mtu);
	pe_settle(p);
	for (u32 round = 1; round < 40; round++) {
		assert_int_equal(p->a.q.req.round, round);
		wait = p->a.q.deadline - p->now;
		assert_int_equal(wait, glass_rnr_wait_ns(1, round));
		assert_true(round <= GLASS_PATIENT_ROUNDS ? wait == 10000 : wait > before || wait == GLASS_PATIENCE_NS);
		before = wait;
		sent = p->a.q.stats.tx_pkts;
		pe_run(p, p->a.q.deadline);
		assert_int_equal(p->a.q.stats.tx_pkts, sent + 1);
	}
	assert_int_equal(before, GLASS_PATIENCE_NS);
	assert_int_equal(p->a.recovered, 0);
	for (u64 id = 1; id <= 5; id++)
		recv_(&p->b, id, BIG);
	sent = p->a.q.stats.tx_pkts;
	pe_run(p, ~0ULL - 1);
	for (u64 id = 1; id <= 5; id++)
		expect_send(&p->a, id, GLASS_WC_SUCCESS);
	assert_int_equal(p->a.q.stats.tx_pkts, sent + 15);
	assert_int_equal(p->a.recovered, 1);
	pe_pair_free(p);
}

/* A timeout, too, is followed by one packet, and that one asks for an ACK. */
static void test_timeout_tries_one(void **state)
{
	struct pe_pair *p = make_default();
	struct pe_wire w;

	(void)state;
	post(&p->a, GLASS_OP_WRITE, 1, 3000);
	post(&p->a, GLASS_OP_WRITE, 2, 3000);
	for (int i = 0; i < 6; i++)
		pull_a(p, &w);
	p->now = p->a.q.deadline;
	glass_pqp_timer(&p->a.q, p->now);
	pull_a(p, &w);
	assert_int_equal(w.pkt.psn, p->a.q.req.una);
	assert_true(w.pkt.ack_req);
	assert_false(glass_pqp_has_work(&p->a.q, p->now));
	assert_int_equal(glass_req_waits(&p->a.q, p->now), GLASS_WAIT_ACK);
	give_b(p, &w);
	pe_run(p, ~0ULL - 1);
	expect_send(&p->a, 1, GLASS_WC_SUCCESS);
	expect_send(&p->a, 2, GLASS_WC_SUCCESS);
	pe_pair_free(p);
}

/* ---- answers to READs over a slow way back ---- */

/* The answers of B on their way to A, in order */
struct slow {
	struct pe_wire w[512];
	u32 head, tail;
};

static struct slow *slow;

/* A's requests reach B at once, and B's answers join the others. */
static void slow_requests(struct pe_pair *p)
{
	struct pe_wire *w = &slow->w[slow->head];

	while (pe_pull(&p->a, w, p->now))
		give_b(p, w);
	while (pe_pull(&p->b, &slow->w[slow->head], p->now)) {
		slow->head++;
		assert_true(slow->head < ARRAY_SIZE(slow->w));
	}
}

/* Each `gap` ns the next answer arrives, or is lost if lost_answer() says so. Timers run meanwhile. */
static void slow_answers(struct pe_pair *p, u64 gap, bool (*lost_answer)(struct pe_pair *p, u32 n))
{
	u64 next = p->now + gap;

	for (;;) {
		slow_requests(p);
		if (slow->tail == slow->head && !p->a.q.deadline)
			return;
		if (slow->tail == slow->head || (p->a.q.deadline && p->a.q.deadline < next)) {
			p->now = max(p->now, p->a.q.deadline);
			glass_pqp_timer(&p->a.q, p->now);
			continue;
		}
		p->now = next;
		next += gap;
		if (!lost_answer(p, slow->tail))
			give_a(p, &slow->w[slow->tail]);
		slow->tail++;
	}
}

#define SLOW_READS 4
#define SLOW_PACKETS 16 /* of each READ */

/* Runs SLOW_READS READs. All succeed, and get what is in B's memory. */
static struct pe_pair *slow_reads(u64 gap, bool (*lost_answer)(struct pe_pair *p, u32 n))
{
	struct pe_pair *p = make_default();
	u32 len = SLOW_PACKETS * p->a.q.attr.mtu;

	slow = calloc(1, sizeof(*slow));
	assert_non_null(slow);
	pe_fill(mem(&p->b, DST), BIG, 7);
	for (u32 n = 0; n < SLOW_READS; n++) {
		struct glass_swqe *w = post(&p->a, GLASS_OP_READ, n, len);

		w->raddr += n * len;
		w->sge[0].addr += n * len;
	}
	slow_answers(p, gap, lost_answer);
	for (u32 n = 0; n < SLOW_READS; n++)
		expect_send(&p->a, n, GLASS_WC_SUCCESS);
	assert_memory_equal(mem(&p->a, LOC), mem(&p->b, DST), SLOW_READS * len);
	return p;
}

static bool lose_third(struct pe_pair *p, u32 n)
{
	(void)p;
	return n == 2;
}

/*
 * An answer is lost, and the retransmission's comes behind those to all READs, long after the timer
 * would have expired retry_cnt times. But answers come all the time: no timeout.
 */
static void test_answers_before_the_retry(void **state)
{
	struct pe_pair *p = slow_reads(glass_ack_timeout_ns(14) / 2, lose_third);

	(void)state;
	assert_int_equal(p->a.q.stats.timeouts, 0);
	assert_int_equal(p->a.retries[GLASS_RETRY_IMPLIED], 1);
	/* all of the first transmission, and what is behind the loss once more */
	assert_int_equal(slow->head, 2 * SLOW_READS * SLOW_PACKETS - 2);
	free(slow);
	pe_pair_free(p);
}

/* The answer is lost again in the first retransmission: the next answer shows it. */
static bool lose_third_twice(struct pe_pair *p, u32 n)
{
	(void)p;
	return n == 2 || n == SLOW_READS * SLOW_PACKETS;
}

static void test_answer_lost_twice(void **state)
{
	struct pe_pair *p = slow_reads(glass_ack_timeout_ns(14) / 2, lose_third_twice);

	(void)state;
	assert_int_equal(p->a.q.stats.timeouts, 0);
	assert_int_equal(p->a.retries[GLASS_RETRY_IMPLIED], 2);
	free(slow);
	pe_pair_free(p);
}

/*
 * Timeouts make the peer answer a READ four times, before it answers the next one. While it repeats
 * answers to the READ that is complete, no further timeout comes.
 */
static void test_answers_of_the_past(void **state)
{
	struct pe_pair *p = make_default();
	u32 len = SLOW_PACKETS * p->a.q.attr.mtu;
	u64 timeout = glass_ack_timeout_ns(14);

	(void)state;
	slow = calloc(1, sizeof(*slow));
	assert_non_null(slow);
	post(&p->a, GLASS_OP_READ, 1, len);
	slow_requests(p);
	for (int i = 0; i < 3; i++) {
		p->now = p->a.q.deadline;
		glass_pqp_timer(&p->a.q, p->now);
		slow_requests(p);
	}
	assert_int_equal(p->a.q.stats.timeouts, 3);
	post(&p->a, GLASS_OP_READ, 2, len);
	for (u32 n = 0; n < 4 * SLOW_PACKETS; n++) {
		p->now += timeout / 2;
		assert_true(!p->a.q.deadline || p->a.q.deadline > p->now);
		give_a(p, &slow->w[n]);
		slow_requests(p);
	}
	assert_int_equal(p->a.q.stats.timeouts, 3);
	slow->tail = 4 * SLOW_PACKETS;
	slow_answers(p, timeout / 2, lose_third);
	expect_send(&p->a, 1, GLASS_WC_SUCCESS);
	expect_send(&p->a, 2, GLASS_WC_SUCCESS);
	assert_int_equal(p->a.q.stats.timeouts, 3);
	free(slow);
	pe_pair_free(p);
}

/* All answers to the first retransmission are lost: the timer runs from the last answer before them. */
static bool lose_retransmission(struct pe_pair *p, u32 n)
{
	(void)p;
	return n == 2 || (n >= SLOW_READS * SLOW_PACKETS && n < 2 * SLOW_READS * SLOW_PACKETS - 2);
}

static void test_silence_after_answers(void **state)
{
	u64 gap = glass_ack_timeout_ns(14) / 128;
	struct pe_pair *p = slow_reads(gap, lose_retransmission);

	(void)state;
	assert_int_equal(p->a.q.stats.timeouts, 1);
	assert_int_equal(p->a.retries[GLASS_RETRY_IMPLIED], 1);
	free(slow);
	pe_pair_free(p);
}

/* An answer that nobody asked for comes again and again. It does not keep the QP from failing. */
static void test_answers_without_requests(void **state)
{
	static struct pe_wire request, answer;
	struct pe_pair *p = make_default();
	u64 timeout = glass_ack_timeout_ns(14);
	u32 n;

	(void)state;
	post(&p->a, GLASS_OP_READ, 1, 100);
	pull_a(p, &request);
	give_b(p, &request);
	assert_true(pe_pull(&p->b, &answer, p->now));
	give_a(p, &answer);
	expect_send(&p->a, 1, GLASS_WC_SUCCESS);
	post(&p->a, GLASS_OP_READ, 2, 100);
	for (n = 0; n < 100 && p->a.q.state == GLASS_QPS_RTS; n++) {
		while (pe_pull(&p->a, &request, p->now))
			; /* lost */
		p->now += timeout / 2;
		give_a(p, &answer);
		if (p->a.q.deadline && p->a.q.deadline <= p->now)
			glass_pqp_timer(&p->a.q, p->now);
	}
	expect_send(&p->a, 2, GLASS_WC_RETRY_EXC_ERR);
	/* each retry has one answer that may come late, which restarts the timer once */
	assert_in_range(n, 2 * (p->a.q.attr.retry_cnt + 1), 4 * (p->a.q.attr.retry_cnt + 1));
	pe_pair_free(p);
}

/* A peer that leaves out the same answer each time: each transmission costs one retry, and they end. */
static bool lose_una(struct pe_pair *p, u32 n)
{
	return slow->w[n].pkt.psn == p->a.q.req.una;
}

static void test_answer_always_lost(void **state)
{
	struct pe_pair *p = make_default();

	(void)state;
	slow = calloc(1, sizeof(*slow));
	assert_non_null(slow);
	post(&p->a, GLASS_OP_READ, 1, SLOW_PACKETS * p->a.q.attr.mtu);
	slow_answers(p, 1000, lose_una);
	expect_send(&p->a, 1, GLASS_WC_RETRY_EXC_ERR);
	assert_int_equal(p->a.retries[GLASS_RETRY_IMPLIED], p->a.q.attr.retry_cnt);
	assert_int_equal(p->a.q.stats.timeouts, 0);
	free(slow);
	pe_pair_free(p);
}

/* What makes a queue pair fail flushes a piece of its queues; the rest is flushed in pieces, in order. */
static void test_flush_in_pieces(void **state)
{
	struct glass_qp_attr err = { .state = GLASS_QPS_ERR };
	struct pe_pair *p = make_default();
	u32 n, pieces;

	(void)state;
	for (u64 id = 0; id < PE_SQ; id++)
		post(&p->a, GLASS_OP_WRITE, id, 10);
	for (u64 id = 0; id < 200; id++)
		recv_(&p->a, id, 10);
	assert_int_equal(glass_pqp_modify(&p->a.q, &err, GLASS_QPA_STATE, p->now), 0);
	assert_true(p->a.q.left);
	assert_true(glass_pqp_has_work(&p->a.q, p->now));
	for (pieces = 0; p->a.q.left; pieces++) {
		n = glass_pqp_flush(&p->a.q, 10);
		assert_true(n <= 10);
		assert_int_equal(p->a.q.left, n == 10 ? GLASS_LEFT_FLUSH : 0);
	}
	assert_true(pieces >= (PE_SQ + 200 - 64) / 10);
	assert_false(glass_pqp_has_work(&p->a.q, p->now));
	for (u64 id = 0; id < PE_SQ; id++)
		expect_send(&p->a, id, GLASS_WC_WR_FLUSH_ERR);
	for (u64 id = 0; id < 200; id++)
		expect_recv(&p->a, id, GLASS_WC_WR_FLUSH_ERR);
	expect_none(&p->a);
	pe_pair_free(p);
}

/* What is left to flush is forgotten with the queues, and nothing is flushed in RESET. */
static void test_flush_ends_with_reset(void **state)
{
	struct glass_qp_attr a = { .state = GLASS_QPS_ERR };
	struct pe_pair *p = make_default();

	(void)state;
	for (u64 id = 0; id < PE_SQ; id++)
		post(&p->a, GLASS_OP_WRITE, id, 10);
	assert_int_equal(glass_pqp_modify(&p->a.q, &a, GLASS_QPA_STATE, p->now), 0);
	assert_true(p->a.q.left);
	a.state = GLASS_QPS_RESET;
	assert_int_equal(glass_pqp_modify(&p->a.q, &a, GLASS_QPA_STATE, p->now), 0);
	assert_false(p->a.q.left);
	assert_false(glass_pqp_has_work(&p->a.q, p->now));
	pe_pair_free(p);
}

/* LAST_WQE_REACHED comes after the receive in progress is flushed, however many sends are flushed before it. */
static void test_last_wqe_after_a_piece(void **state)
{
	struct glass_qp_attr err = { .state = GLASS_QPS_ERR };
	struct pe_cfg cfg = PE_CFG_DEFAULT;
	static struct pe_wire w;
	struct pe_pair *p;

	(void)state;
	cfg.srq = true;
	p = make(&cfg);
	recv_(&p->b, 1, BIG);
	post(&p->a, GLASS_OP_SEND, 1, 3 * cfg.mtu);
	pull_a(p, &w);
	give_b(p, &w);
	for (u64 id = 0; id < PE_SQ; id++)
		post(&p->b, GLASS_OP_WRITE, id, 10);
	assert_int_equal(glass_pqp_modify(&p->b.q, &err, GLASS_QPA_STATE, p->now), 0);
	assert_true(p->b.q.left);
	assert_int_equal(p->b.events[GLASS_EV_QP_LAST_WQE_REACHED], 0);
	pe_flush(&p->b);
	assert_int_equal(p->b.events[GLASS_EV_QP_LAST_WQE_REACHED], 1);
	for (u64 id = 0; id < PE_SQ; id++)
		expect_send(&p->b, id, GLASS_WC_WR_FLUSH_ERR);
	expect_recv(&p->b, 1, GLASS_WC_WR_FLUSH_ERR);
	pe_pair_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lose_each),
		cmocka_unit_test(test_retry_exhausted),
		cmocka_unit_test(test_hole_that_stays),
		cmocka_unit_test(test_no_timeout),
		cmocka_unit_test(test_shifted_timers),
		cmocka_unit_test(test_duplicate_ack),
		cmocka_unit_test(test_rnr_then_ready),
		cmocka_unit_test(test_rnr_exhausted),
		cmocka_unit_test(test_rnr_forever),
		cmocka_unit_test(test_rnr_patience),
		cmocka_unit_test(test_timeout_tries_one),
		cmocka_unit_test(test_answers_before_the_retry),
		cmocka_unit_test(test_answer_lost_twice),
		cmocka_unit_test(test_answers_of_the_past),
		cmocka_unit_test(test_silence_after_answers),
		cmocka_unit_test(test_answer_always_lost),
		cmocka_unit_test(test_answers_without_requests),
		cmocka_unit_test(test_flush_in_pieces),
		cmocka_unit_test(test_flush_ends_with_reset),
		cmocka_unit_test(test_last_wqe_after_a_piece),
	};

	return cmocka_run_group_tests_name("proto_rc_retry", tests, NULL, NULL);
}
