// SPDX-License-Identifier: GPL-2.0-only
/* CNPs: how they cut the rate of a QP, how the rate rises again, and which QPs send and obey them. */
#include "proto_pair.h"

#include "proto/rate.h"

#define MS 1000000ull

static void test_cut(void **state)
{
	struct glass_rate r = {};
	u64 now = 5 * MS;

	(void)state;
	glass_rate_cut(&r, now);
	assert_int_equal(r.now, GLASS_RATE_LINE / 2);
	assert_int_equal(r.target, GLASS_RATE_LINE);
	/* not again at once */
	glass_rate_cut(&r, now + GLASS_RATE_CUT_NS - 1);
	assert_int_equal(r.now, GLASS_RATE_LINE / 2);
	now += GLASS_RATE_CUT_NS;
	glass_rate_cut(&r, now);
	assert_int_equal(r.now, GLASS_RATE_LINE / 4);
	assert_int_equal(r.target, GLASS_RATE_LINE / 2);
	/* and never below the least */
	for (u32 i = 0; i < 100; i++) {
		now += GLASS_RATE_CUT_NS;
		glass_rate_cut(&r, now);
		assert_true(r.now >= GLASS_RATE_LEAST);
	}
	assert_int_equal(r.now, GLASS_RATE_LEAST);
}

/* Without CNPs for a while, the next one cuts by a smaller part. */
static void test_alpha(void **state)
{
	struct glass_rate r = {};
	u32 before;

	(void)state;
	glass_rate_cut(&r, MS);
	r.raise_ns = 1000 * MS; /* no increase meanwhile */
	before = r.now;
	glass_rate_cut(&r, MS + 20 * GLASS_RATE_ALPHA_NS);
	assert_true(r.now > before * 3 / 4 && r.now < before);
}

static void test_rise(void **state)
{
	struct glass_rate r = {};
	u64 now = MS;
	u32 last;

	(void)state;
	glass_rate_cut(&r, now);
	last = r.now;
	/* fast recovery: half of the distance in each round */
	for (u32 i = 0; i < GLASS_RATE_FAST; i++) {
		now += GLASS_RATE_RAISE_NS;
		glass_rate_sent(&r, 100, now);
		assert_int_equal(r.now, (last + GLASS_RATE_LINE + 1) / 2);
		last = r.now;
	}
	/* and at last it is not limited any more */
	for (u32 i = 0; i < GLASS_RATE_ROUNDS && r.now; i++) {
		now += GLASS_RATE_RAISE_NS;
		glass_rate_sent(&r, 100, now);
		assert_true(!r.now || r.now >= last);
		last = r.now ? r.now : last;
	}
	assert_int_equal(r.now, 0);
	/* so it is after a long time, whatever the rate was: in bounded time */
	for (u32 i = 0; i < 50; i++)
		glass_rate_cut(&r, now += GLASS_RATE_CUT_NS);
	glass_rate_sent(&r, 100, now + 3600 * 1000 * MS);
	assert_int_equal(r.now, 0);
}

/* At the rate that it has, a QP sends as much in a second, whatever the size of its packets. */
static void test_pace(void **state)
{
	static const u32 sizes[] = { 64, 1024, 4096 };
	struct glass_rate r;
	u64 now, bytes, wait;

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(sizes); i++) {
		r = (struct glass_rate){ .now = 100000, .target = 100000, .raise_ns = 10000 * MS };
		now = 20 * MS;
		bytes = 0;
		while (now < 1020 * MS) {
			wait = glass_rate_sent(&r, sizes[i], now);
			assert_true(wait <= 4 * MS);
			bytes += sizes[i];
			now += wait ? wait : 100;
		}
		assert_in_range(bytes, 99 * 1000000, 101 * 1000000);
	}
	/* what was not sent is not made up for */
	r = (struct glass_rate){ .now = 100000, .target = 100000, .raise_ns = 10000 * MS };
	glass_rate_sent(&r, 4096, 20 * MS);
	assert_int_equal(glass_rate_sent(&r, 4096, 520 * MS), 40960);
}

/* The end A of a connection at Ethernet ports, and a packet of its peer */
static struct pe_pair *roce_pair(struct glass_pkt *pkt)
{
	struct pe_pair *p = make_default();
	static const u8 peer[16] = { [10] = 0xff, 0xff, 10, 9, 0, 2 };

	p->a.q.attr.av.ethernet = 1;
	p->a.q.attr.av.has_grh = 1;
	p->a.q.attr.av.tclass = 0x6a;
	memcpy(p->a.q.attr.av.dgid, peer, sizeof(peer));
	memset(pkt, 0, sizeof(*pkt));
	pkt->opcode = GLASS_TR_RC | GLASS_BOP_ACK;
	pkt->lnh = GLASS_LNH_GLOBAL;
	pkt->dqpn = p->a.q.qpn;
	memcpy(pkt->grh.sgid, peer, sizeof(peer));
	return p;
}

static void test_marked(void **state)
{
	struct glass_pkt pkt, cnp;
	struct pe_pair *p = roce_pair(&pkt);
	struct glass_pqp *q = &p->a.q;
	struct glass_seg seg;

	(void)state;
	assert_true(glass_pqp_marked(q, &pkt, MS));
	assert_false(glass_pqp_marked(q, &pkt, MS + GLASS_CNP_EVERY_NS - 1));
	assert_true(glass_pqp_marked(q, &pkt, MS + GLASS_CNP_EVERY_NS));
	pe_ecn_on = false;
	assert_false(glass_pqp_marked(q, &pkt, 2 * MS));
	pe_ecn_on = true;
	assert_int_equal(q->stats.np_ecn_marked_roce_packets, 4);
	assert_int_equal(q->stats.np_cnp_sent, 2);
	/* a stranger makes it send nothing to its peer */
	pkt.grh.sgid[15]++;
	assert_false(glass_pqp_marked(q, &pkt, 3 * MS));
	pkt.grh.sgid[15]--;
	/* CNPs are not answered by CNPs */
	pkt.opcode = GLASS_OPCODE_CNP;
	assert_false(glass_pqp_marked(q, &pkt, 3 * MS));
	assert_int_equal(q->stats.np_ecn_marked_roce_packets, 4);
	glass_pqp_cnp(q, &cnp, &seg);
	assert_int_equal(cnp.opcode, 0x81);
	assert_int_equal(cnp.dqpn, q->attr.dest_qpn);
	assert_int_equal(cnp.len, 16);
	assert_int_equal(cnp.psn, 0);
	assert_int_equal(cnp.grh.tclass, 0x68);
	pe_pair_free(p);
}

static void test_obeyed(void **state)
{
	struct glass_rx_meta meta = {};
	struct glass_pkt pkt;
	struct pe_pair *p = roce_pair(&pkt);
	struct glass_pqp *q = &p->a.q;
	u32 drops = q->stats.drops;

	(void)state;
	pkt.opcode = GLASS_OPCODE_CNP;
	pe_ecn_on = false;
	glass_pqp_rx(q, &pkt, &meta, MS);
	pe_ecn_on = true;
	assert_int_equal(q->stats.rp_cnp_ignored, 1);
	assert_int_equal(q->rate.now, 0);
	glass_pqp_rx(q, &pkt, &meta, MS);
	assert_int_equal(q->stats.rp_cnp_handled, 1);
	assert_int_equal(q->rate.now, GLASS_RATE_LINE / 2);
	assert_int_equal(q->stats.drops, drops);
	/* not from a stranger, and not at an InfiniBand port */
	pkt.grh.sgid[15]++;
	glass_pqp_rx(q, &pkt, &meta, 2 * MS);
	pkt.grh.sgid[15]--;
	q->attr.av.ethernet = 0;
	glass_pqp_rx(q, &pkt, &meta, 2 * MS);
	assert_int_equal(q->stats.rp_cnp_handled, 1);
	assert_int_equal(q->stats.drops, drops + 2);
	pe_pair_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cut),    cmocka_unit_test(test_alpha), cmocka_unit_test(test_rise),
		cmocka_unit_test(test_pace),   cmocka_unit_test(test_marked), cmocka_unit_test(test_obeyed),
	};

	return cmocka_run_group_tests_name("proto_rate", tests, NULL, NULL);
}
