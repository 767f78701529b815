// SPDX-License-Identifier: GPL-2.0-only
/* The longest message by the shortest MTU takes half of all PSNs, which is as many as may be outstanding (IBA 9.7.2, 9.7.7). */
#include "proto_pair.h"

#define HALF 0x800000u

static void test_longest_read(void **state)
{
	struct pe_cfg cfg = PE_CFG_DEFAULT;
	static struct pe_wire request, w;
	struct pe_pair *p;

	(void)state;
	cfg.mtu = 256;
	p = make(&cfg);
	/* the first bytes are all that is read */
	pe_mr_find(&p->b, DST)->len = GLASS_MSG_MAX;
	post(&p->a, GLASS_OP_READ, 1, GLASS_MSG_MAX);
	pull_a(p, &request);
	assert_int_equal(request.pkt.dma_len, GLASS_MSG_MAX);
	give_b(p, &request);
	assert_int_equal(p->b.q.resp.epsn, glass_psn_add(cfg.psn, HALF));
	/* no PSN is left for what comes behind it */
	post(&p->a, GLASS_OP_WRITE, 2, 1);
	assert_false(pe_pull(&p->a, &w, p->now));
	assert_true(pe_pull(&p->b, &w, p->now));
	assert_int_equal(w.pkt.opcode, GLASS_BOP_READ_RESP_FIRST);
	assert_int_equal(w.pkt.psn, cfg.psn);
	/* it is lost; the request that comes again is as old as one can be, and a duplicate */
	give_b(p, &request);
	assert_true(pe_pull(&p->b, &w, p->now));
	assert_int_equal(w.pkt.opcode, GLASS_BOP_READ_RESP_FIRST);
	assert_int_equal(w.pkt.psn, cfg.psn);
	give_a(p, &w);
	assert_int_equal(p->a.q.req.una, glass_psn_add(cfg.psn, 1 + w.pkt.more));
	for (int i = 0; i < GLASS_DROP_COUNT; i++)
		assert_int_equal(p->a.drops[i] + p->b.drops[i], 0);
	expect_none(&p->a);
	pe_mr_find(&p->b, DST)->len = BIG;
	pe_pair_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_longest_read),
	};

	return cmocka_run_group_tests_name("proto_half", tests, NULL, NULL);
}
