// SPDX-License-Identifier: GPL-2.0-only
/* Automatic path migration (IBA 17.2.8): arming, what makes a QP migrate, what it refuses. */
#include "proto_pair.h"

/* Both have the alternate path of port 2: LIDs are the peer's and 0x40 more. */
static void load(struct pe_ep *ep)
{
	struct glass_qp_attr a = { .alt.dlid = ep->peer->q.qpn + 0x40, .alt_port = 2,
				   .alt_pkey_index = 1, .alt_timeout = 12,
				   .mig_state = GLASS_MIG_REARM };

	assert_int_equal(glass_pqp_modify(&ep->q, &a, GLASS_QPA_ALT_PATH | GLASS_QPA_PATH_MIG_STATE,
					  0), 0);
}

/* From one port to the same of the peer, as the switch would */
static bool carry(struct pe_pair *p, struct pe_ep *from)
{
	static struct pe_wire w;
	u8 port;

	if (!pe_pull(from, &w, p->now))
		return false;
	port = from->q.attr.port;
	w.pkt.slid = from->q.qpn + (port == 2 ? 0x40 : 0);
	if (p->count && port == 1)
		return true; /* the first path is dead */
	glass_pqp_migrate_rx(&from->peer->q, &w.pkt, port, true);
	if (from->peer->q.attr.port == port)
		glass_pqp_rx(&from->peer->q, &w.pkt, &w.meta, p->now);
	return true;
}

static void settle(struct pe_pair *p)
{
	for (;;) {
		if (carry(p, &p->a) | carry(p, &p->b))
			continue;
		if (!p->a.q.deadline)
			return;
		p->now = p->a.q.deadline;
		glass_pqp_timer(&p->a.q, p->now);
	}
}

static struct pe_pair *make_armed(enum glass_qp_type type)
{
	struct pe_pair *p = make_type(type, false);
	u64 changes;

	load(&p->a);
	load(&p->b);
	changes = p->a.q.changes;
	for (int i = 0; i < 4; i++) {
		recv_(&p->a, 10 + i, BIG);
		recv_(&p->b, 20 + i, BIG);
	}
	assert_int_equal(p->a.q.attr.mig_state, GLASS_MIG_REARM);
	post(&p->a, GLASS_OP_SEND, 1, 10);
	post(&p->b, GLASS_OP_SEND, 1, 10);
	settle(p);
	assert_int_equal(p->a.q.attr.mig_state, GLASS_MIG_ARMED);
	assert_int_equal(p->b.q.attr.mig_state, GLASS_MIG_ARMED);
	assert_int_not_equal(p->a.q.changes, changes);
	for (int i = 0; i < 2; i++) {
		const struct glass_cqe *c;

		while ((c = pe_cqe(i ? &p->b : &p->a)))
			assert_int_equal(c->status, GLASS_WC_SUCCESS);
	}
	return p;
}

static void migrated(struct pe_ep *ep)
{
	assert_int_equal(ep->q.attr.mig_state, GLASS_MIG_MIGRATED);
	assert_int_equal(ep->q.attr.port, 2);
	assert_int_equal(ep->q.attr.pkey_index, 1);
	assert_int_equal(ep->q.attr.timeout, 12);
	assert_int_equal(ep->q.attr.av.dlid, ep->peer->q.qpn + 0x40);
	assert_int_equal(ep->q.attr.alt.dlid, 0);
	assert_int_equal(ep->events[GLASS_EV_PATH_MIG], 1);
	assert_int_equal(ep->events[GLASS_EV_PATH_MIG_ERR], 0);
}

/* One that does not want it leaves the other waiting. */
static void test_one_side(void **state)
{
	struct pe_pair *p = make_default();

	(void)state;
	load(&p->a);
	recv_(&p->b, 9, 100);
	post(&p->a, GLASS_OP_SEND, 1, 10);
	settle(p);
	assert_int_equal(p->a.q.attr.mig_state, GLASS_MIG_REARM);
	assert_int_equal(p->b.q.attr.mig_state, GLASS_MIG_MIGRATED);
	/* and its path's end is its end */
	p->count = 1;
	post(&p->a, GLASS_OP_WRITE, 2, 10);
	settle(p);
	expect_send(&p->a, 1, GLASS_WC_SUCCESS);
	expect_send(&p->a, 2, GLASS_WC_RETRY_EXC_ERR);
	pe_pair_free(p);
}

static void test_path_dies(void **state)
{
	struct pe_pair *p = make_armed(GLASS_QPT_RC);
	u64 changes[] = { p->a.q.changes, p->b.q.changes };

	(void)state;
	p->count = 1;
	post(&p->a, GLASS_OP_SEND, 2, 5000);
	post(&p->a, GLASS_OP_READ, 3, 5000);
	settle(p);
	assert_int_not_equal(p->a.q.changes, changes[0]);
	assert_int_not_equal(p->b.q.changes, changes[1]);
	expect_send(&p->a, 2, GLASS_WC_SUCCESS);
	expect_send(&p->a, 3, GLASS_WC_SUCCESS);
	migrated(&p->a);
	migrated(&p->b);
	assert_memory_equal(mem(&p->b, LOC), mem(&p->a, SRC), 5000);
	pe_pair_free(p);
}

static void test_by_hand(void **state)
{
	static const u8 types[] = { GLASS_QPT_RC, GLASS_QPT_UC };
	struct glass_qp_attr a = { .mig_state = GLASS_MIG_MIGRATED };

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(types); i++) {
		struct pe_pair *p = make_armed(types[i]);

		assert_int_equal(glass_pqp_modify(&p->a.q, &a, GLASS_QPA_PATH_MIG_STATE, p->now), 0);
		migrated(&p->a);
		assert_int_equal(p->b.q.attr.mig_state, GLASS_MIG_ARMED);
		post(&p->a, GLASS_OP_SEND, 2, 10);
		settle(p);
		expect_send(&p->a, 2, GLASS_WC_SUCCESS);
		expect_recv(&p->b, 21, GLASS_WC_SUCCESS);
		migrated(&p->b);
		/* there is no path left to arm */
		a.mig_state = GLASS_MIG_REARM;
		assert_int_equal(glass_pqp_modify(&p->a.q, &p->a.q.attr, 0, p->now), 0);
		a.mig_state = GLASS_MIG_MIGRATED;
		pe_pair_free(p);
	}
}

/* A request to migrate that comes elsewhere than where was agreed is told once. */
static void test_refused(void **state)
{
	struct pe_pair *p = make_armed(GLASS_QPT_RC);
	static struct pe_wire w;

	(void)state;
	post(&p->a, GLASS_OP_WRITE, 2, 10);
	pull_a(p, &w);
	w.pkt.mig = 1;
	assert_false(glass_pqp_migrate_rx(&p->b.q, &w.pkt, 1, true));
	w.pkt.slid = 0x99;
	assert_false(glass_pqp_migrate_rx(&p->b.q, &w.pkt, 2, true));
	assert_int_equal(p->b.events[GLASS_EV_PATH_MIG_ERR], 1);
	assert_int_equal(p->b.events[GLASS_EV_PATH_MIG], 0);
	assert_int_equal(p->b.q.attr.mig_state, GLASS_MIG_ARMED);
	pe_pair_free(p);
}

/* A packet of the right port and LID that is not the path's all the same does not make a QP migrate. */
static void test_headers_of_the_path(void **state)
{
	static const struct {
		bool grh, pkey_ok, migrates;
	} rows[] = {
		{ false, true, true },
		{ true, true, false }, /* the alternate path has no GRH */
		{ false, false, false },
	};

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(rows); i++) {
		struct pe_pair *p = make_armed(GLASS_QPT_RC);
		static struct pe_wire w;

		post(&p->a, GLASS_OP_WRITE, 2, 10);
		pull_a(p, &w);
		w.pkt.mig = 1;
		w.pkt.slid = p->a.q.qpn + 0x40;
		w.pkt.lnh = rows[i].grh ? GLASS_LNH_GLOBAL : GLASS_LNH_LOCAL;
		assert_int_equal(glass_pqp_migrate_rx(&p->b.q, &w.pkt, 2, rows[i].pkey_ok),
				 rows[i].migrates);
		assert_int_equal(p->b.events[GLASS_EV_PATH_MIG_ERR], !rows[i].migrates);
		pe_pair_free(p);
	}
}

static void test_attributes(void **state)
{
	struct pe_pair *p = make_default();
	struct glass_qp_attr a = { .mig_state = GLASS_MIG_REARM };
	u32 bad;

	(void)state;
	/* nothing to arm; ARMED is not the program's */
	assert_int_equal(glass_pqp_check_modify(&p->a.q, &a, GLASS_QPA_PATH_MIG_STATE, &bad), -EINVAL);
	a.alt.dlid = 5;
	assert_int_equal(glass_pqp_check_modify(&p->a.q, &a, GLASS_QPA_PATH_MIG_STATE, &bad), 0);
	a.mig_state = GLASS_MIG_ARMED;
	assert_int_equal(glass_pqp_check_modify(&p->a.q, &a, GLASS_QPA_PATH_MIG_STATE, &bad), -EINVAL);
	a.alt.dlid = GLASS_LID_MCAST_BASE;
	assert_int_equal(glass_pqp_check_modify(&p->a.q, &a, GLASS_QPA_ALT_PATH, &bad), -EINVAL);
	pe_pair_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_side), cmocka_unit_test(test_path_dies),
		cmocka_unit_test(test_by_hand),	 cmocka_unit_test(test_refused),
		cmocka_unit_test(test_headers_of_the_path), cmocka_unit_test(test_attributes),
	};

	return cmocka_run_group_tests_name("proto_migrate", tests, NULL, NULL);
}
