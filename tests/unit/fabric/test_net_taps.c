// SPDX-License-Identifier: GPL-2.0-only
/* The taps of a net: what they see at each port, and the packets that they lose. */
#include "net_world.h"

/* What the taps saw, in order; and the port at which they lose packets (node NULL: nowhere). */
static struct {
	struct glass_net_end at;
	enum glass_dir dir;
	enum glass_drop why;
} seen[32];
static u32 nseen;
static struct glass_net_end lose_at;
static enum glass_dir lose_dir;

static enum glass_drop test_admit(struct glass_net *n, struct glass_net_end at, enum glass_dir dir,
				  const struct glass_pkt *p)
{
	(void)p;
	assert_ptr_equal(n, &net);
	assert_non_null(at.node);
	assert_in_range(at.port, 1, PORTS);
	return lose_at.node == at.node && lose_at.port == at.port && lose_dir == dir ?
		       GLASS_DROP_INJECTED : GLASS_DROP_NONE;
}

static void test_seen(struct glass_net *n, struct glass_net_end at, enum glass_dir dir,
		      const struct glass_pkt *p, enum glass_drop why)
{
	(void)n;
	assert_non_null(p);
	assert_true(nseen < ARRAY_SIZE(seen));
	seen[nseen].at = at;
	seen[nseen].dir = dir;
	seen[nseen++].why = why;
}

static const struct glass_net_taps test_taps = { .admit = test_admit, .seen = test_seen };

static void tap(struct glass_net_end at, enum glass_dir dir)
{
	net.taps = &test_taps;
	nseen = 0;
	lose_at = at;
	lose_dir = dir;
}

static void assert_seen(u32 i, struct glass_net_end at, enum glass_dir dir, enum glass_drop why)
{
	assert_true(i < nseen);
	assert_ptr_equal(seen[i].at.node, at.node);
	assert_int_equal(seen[i].at.port, at.port);
	assert_int_equal(seen[i].dir, dir);
	assert_int_equal(seen[i].why, why);
}

static void test_taps_see_each_port(void **state)
{
	struct glass_pkt p = data_pkt(7, 100), lost = data_pkt(8, 100);
	u32 i;

	(void)state;
	chain(3);
	tap(at_switch(0, 0), GLASS_DIR_RX);
	walk(&p);
	assert_int_equal(way.kind, GLASS_WAY_ARRIVED);
	assert_int_equal(nseen, 6);
	for (i = 0; i < 3; i++) {
		assert_seen(2 * i, at_switch(i, 1), GLASS_DIR_RX, GLASS_DROP_NONE);
		assert_seen(2 * i + 1, at_switch(i, 2), GLASS_DIR_TX, GLASS_DROP_NONE);
	}
	/* without a route: lost where it arrived */
	tap(at_switch(0, 0), GLASS_DIR_RX);
	walk(&lost);
	assert_int_equal(nseen, 1);
	assert_seen(0, at_switch(0, 1), GLASS_DIR_RX, GLASS_DROP_NO_ROUTE);
	/* a port that is down: lost there */
	tap(at_switch(0, 0), GLASS_DIR_RX);
	sw_ports[1][2].state = GLASS_PORT_INIT;
	walk(&p);
	assert_int_equal(nseen, 4);
	assert_seen(2, at_switch(1, 1), GLASS_DIR_RX, GLASS_DROP_NONE);
	assert_seen(3, at_switch(1, 2), GLASS_DIR_TX, GLASS_DROP_PORT_DOWN);
}

static void test_taps_lose_packets(void **state)
{
	struct glass_pkt p = data_pkt(7, 100);

	(void)state;
	chain(3);
	/* where it arrives: it counts as damaged, and not as received */
	tap(at_switch(1, 1), GLASS_DIR_RX);
	walk(&p);
	assert_int_equal(way.kind, GLASS_WAY_DROPPED);
	assert_int_equal(way.why, GLASS_DROP_INJECTED);
	assert_ptr_equal(way.at.node, &swi[1]);
	assert_int_equal(way.at.port, 1);
	assert_false(way.cut);
	assert_int_equal(sw_ports[1][1].ctr[GLASS_CTR_RCV_ERR], 1);
	assert_int_equal(sw_ports[1][1].ctr[GLASS_CTR_RCV_PKTS], 0);
	assert_int_equal(sw_ports[0][2].ctr[GLASS_CTR_XMIT_PKTS], 1);
	assert_seen(nseen - 1, at_switch(1, 1), GLASS_DIR_RX, GLASS_DROP_INJECTED);
	/* where it leaves: it was sent, and the cable loses it */
	tap(at_switch(1, 2), GLASS_DIR_TX);
	walk(&p);
	assert_int_equal(way.why, GLASS_DROP_INJECTED);
	assert_ptr_equal(way.at.node, &swi[1]);
	assert_int_equal(way.at.port, 2);
	assert_int_equal(sw_ports[1][2].ctr[GLASS_CTR_XMIT_PKTS], 1);
	assert_int_equal(sw_ports[2][1].ctr[GLASS_CTR_RCV_PKTS], 0);
	assert_int_equal(sw_ports[2][1].ctr[GLASS_CTR_RCV_ERR], 0);
	assert_seen(nseen - 1, at_switch(1, 2), GLASS_DIR_TX, GLASS_DROP_INJECTED);
}

/* Of a multicast packet, a tap loses one copy, and the other one arrives. */
static void test_taps_and_groups(void **state)
{
	struct glass_pkt p = data_pkt(GLASS_LID_MCAST_BASE, 100);
	u32 i;

	(void)state;
	chain(2);
	plug(at_switch(0, 3), at_hca(2, 1));
	all_active();
	for (i = 0; i < 2; i++)
		set_mft(&sw[i].fdb, 0, 0, 1 << 1 | 1 << 2 | 1 << 3);
	p.dqpn = GLASS_QPN_MCAST;
	tap(at_switch(0, 2), GLASS_DIR_TX);
	walk(&p);
	assert_int_equal(way.kind, GLASS_WAY_COPIES);
	assert_int_equal(way.nlost, 1);
	assert_int_equal(way.lost[0].why, GLASS_DROP_INJECTED);
	assert_ptr_equal(way.lost[0].at.node, &swi[0]);
	assert_int_equal(way.lost[0].at.port, 2);
	assert_true(glass_port_set_has(way.to, 2 * GLASS_TOPO_MAX_HCA_PORTS));
	assert_int_equal(nseen, 3);
	assert_seen(0, at_switch(0, 1), GLASS_DIR_RX, GLASS_DROP_NONE);
	assert_seen(1, at_switch(0, 2), GLASS_DIR_TX, GLASS_DROP_INJECTED);
	assert_seen(2, at_switch(0, 3), GLASS_DIR_TX, GLASS_DROP_NONE);
	tap(at_switch(1, 1), GLASS_DIR_RX);
	walk(&p);
	assert_int_equal(way.nlost, 1);
	assert_ptr_equal(way.lost[0].at.node, &swi[1]);
	assert_int_equal(way.lost[0].at.port, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_taps_see_each_port, setup),
		cmocka_unit_test_setup(test_taps_lose_packets, setup),
		cmocka_unit_test_setup(test_taps_and_groups, setup),
	};

	return cmocka_run_group_tests_name("net_taps", tests, rnd_group, NULL);
}
