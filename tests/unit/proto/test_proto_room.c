// SPDX-License-Identifier: GPL-2.0-only
/*
 * A completion is told last: a consumer that posts as soon as it is told, as kernel
 * consumers that count exactly do, finds the room that the completion frees. proto_env.c
 * checks each completion of every test; here send queues are full, and each completion
 * posts one more.
 */
#include "proto_pair.h"

#define ROUNDS 200

struct again {
	u32 left; /* posts still to come */
	enum glass_wr_op op;
	u32 len;
	bool no_memory; /* the work requests name a key that is none */
};

static void post_one(struct pe_ep *ep)
{
	struct again *a = ep->user;
	struct glass_swqe *w;

	/* in ERR a post is flushed at once, and its completion posts the next one */
	a->left--;
	w = post(ep, a->op, a->left, a->len);
	if (!glass_type_is_connected(ep->q.type))
		w->qkey = GLASS_QKEY_CTRL;
	if (a->no_memory)
		w->sge[0].lkey = 0x999;
}

/* pe_wqe() ends the test when there is no room. */
static void post_again(struct pe_ep *ep, const struct glass_cqe *cqe)
{
	struct again *a = ep->user;

	if (cqe->is_send && a->left)
		post_one(ep);
}

/* Fills the send queue of A; from here on each completion posts one more. */
static void fill(struct pe_pair *p, struct again *a)
{
	a->left = ROUNDS;
	p->a.user = a;
	p->a.on_complete = post_again;
	while (glass_sq_room(&p->a.q))
		post_one(&p->a);
}

static u32 sends_with(const struct pe_ep *ep, enum glass_wc_status status)
{
	u32 n = 0;

	for (u32 i = 0; i < ep->ncqe; i++)
		n += ep->cqe[i].is_send && ep->cqe[i].status == status;
	return n;
}

static void recvs(struct pe_pair *p)
{
	for (u32 n = 0; n < ROUNDS; n++)
		recv_(&p->b, n, 4096);
}

static void test_success(void **state)
{
	static const struct {
		enum glass_qp_type type;
		enum glass_wr_op op;
		u32 len;
	} cases[] = {
		{ GLASS_QPT_RC, GLASS_OP_WRITE, 100 },	   { GLASS_QPT_RC, GLASS_OP_WRITE, 5000 },
		{ GLASS_QPT_RC, GLASS_OP_SEND, 100 },	   { GLASS_QPT_RC, GLASS_OP_READ, 3000 },
		{ GLASS_QPT_RC, GLASS_OP_FETCH_ADD, 8 },   { GLASS_QPT_UC, GLASS_OP_WRITE, 3000 },
		{ GLASS_QPT_UC, GLASS_OP_SEND, 100 },	   { GLASS_QPT_UD, GLASS_OP_SEND, 100 },
		{ GLASS_QPT_GSI, GLASS_OP_SEND, 200 },
	};

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		struct pe_pair *p = make_type(cases[i].type, false);
		struct again a = { .op = cases[i].op, .len = cases[i].len };

		recvs(p);
		fill(p, &a);
		pe_settle(p);
		assert_int_equal(a.left, 0);
		assert_int_equal(sends_with(&p->a, GLASS_WC_SUCCESS), ROUNDS);
		pe_pair_free(p);
	}
}

/* Local operations complete in a row with what they waited for. */
static void test_locals(void **state)
{
	struct pe_pair *p = make_default();
	struct again a = { .op = GLASS_OP_WRITE, .len = 10 };

	(void)state;
	pe_mr_add(&p->a, 0x404, 64, 0);
	p->a.user = &a;
	a.left = ROUNDS;
	p->a.on_complete = post_again;
	post_one(&p->a);
	for (u32 n = 0; glass_sq_room(&p->a.q); n++) {
		struct glass_swqe *w = pe_wqe(&p->a, n % 2 ? GLASS_OP_REG_MR : GLASS_OP_LOCAL_INV,
					      1000 + n);

		w->rkey = 0x404;
		pe_post(&p->a);
	}
	pe_settle(p);
	assert_int_equal(a.left, 0);
	assert_int_equal(sends_with(&p->a, GLASS_WC_SUCCESS), ROUNDS + PE_SQ - 1);
	pe_pair_free(p);
}

/* What fails and what is flushed frees its slot, too. */
static void test_failure(void **state)
{
	static const enum glass_qp_type types[] = { GLASS_QPT_RC, GLASS_QPT_UC, GLASS_QPT_UD };

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(types); i++) {
		struct pe_pair *p = make_type(types[i], false);
		struct again a = { .op = GLASS_OP_SEND, .len = 100, .no_memory = true };

		fill(p, &a);
		pe_settle(p);
		assert_int_equal(a.left, 0);
		assert_int_equal(sends_with(&p->a, GLASS_WC_LOC_PROT_ERR), 1);
		assert_int_equal(sends_with(&p->a, GLASS_WC_WR_FLUSH_ERR), ROUNDS - 1);
		pe_pair_free(p);
	}
}

static void test_flush(void **state)
{
	struct pe_pair *p = make_default();
	struct again a = { .op = GLASS_OP_READ, .len = 100 };
	struct pe_tx tx;

	(void)state;
	fill(p, &a);
	/* some of them have their PSNs, and are counted */
	for (u32 n = 0; n < 3; n++) {
		assert_true(pe_next(&p->a, &tx, p->now));
		pe_sent(&p->a, &tx);
	}
	assert_int_equal(p->a.q.req.rd_atomic, 3);
	assert_int_equal(pe_state(&p->a, GLASS_QPS_ERR, p->now), 0);
	assert_int_equal(a.left, 0);
	assert_int_equal(sends_with(&p->a, GLASS_WC_WR_FLUSH_ERR), ROUNDS);
	pe_pair_free(p);
}

/* A receive: it is the consumer's again, and the responder may take the next one. */
static void post_recv_again(struct pe_ep *ep, const struct glass_cqe *cqe)
{
	struct again *a = ep->user;

	if (cqe->is_send || !a->left)
		return;
	a->left--;
	recv_(ep, a->left, 4096);
}

static void test_receives(void **state)
{
	struct pe_pair *p = make_default();
	struct again a = { .op = GLASS_OP_SEND, .len = 100 }, r = { .left = ROUNDS };

	(void)state;
	for (u32 n = 0; n < PE_RQ; n++)
		recv_(&p->b, n, 4096);
	p->b.user = &r;
	p->b.on_complete = post_recv_again;
	fill(p, &a);
	pe_settle(p);
	assert_int_equal(r.left, 0);
	assert_int_equal(p->b.rq_head - p->b.rq_tail, PE_RQ);
	pe_pair_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_success),
		cmocka_unit_test(test_locals),
		cmocka_unit_test(test_failure),
		cmocka_unit_test(test_flush),
		cmocka_unit_test(test_receives),
	};

	return cmocka_run_group_tests_name("proto_room", tests, NULL, NULL);
}
