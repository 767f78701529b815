// SPDX-License-Identifier: GPL-2.0-only
/* Nets of many switches: ways of packets, cables, circles in the tables, copies of groups. */
#include "net_world.h"

static void test_chain(void **state)
{
	struct glass_pkt p = data_pkt(7, 100);
	struct glass_net_end at;
	u32 i;

	(void)state;
	chain(5);
	walk(&p);
	assert_int_equal(way.kind, GLASS_WAY_ARRIVED);
	assert_ptr_equal(way.at.node, &hca[1]);
	assert_int_equal(way.at.port, 2);
	assert_int_equal(way.hops, 5);
	assert_ptr_equal(way.pkt, &p);
	assert_false(way.own);
	assert_null(way.trap);
	assert_null(way.changed.node);
	at = hca[0].ends[1];
	assert_true(fast(&at, &p));
	assert_ptr_equal(at.node, &hca[1]);
	assert_int_equal(at.port, 2);
	for (i = 0; i < 5; i++) {
		assert_int_equal(sw_ports[i][1].ctr[GLASS_CTR_RCV_PKTS], 2);
		assert_int_equal(sw_ports[i][2].ctr[GLASS_CTR_XMIT_PKTS], 2);
	}
	/* the arrival is the owner's to count */
	assert_int_equal(hca_ports[1][2].ctr[GLASS_CTR_RCV_PKTS], 0);
}

/* Where the fast path ends, the walk goes on, and nothing counts twice. */
static void test_fast_then_walk(void **state)
{
	struct glass_pkt p = data_pkt(7, 100);
	struct glass_net_end at;

	(void)state;
	chain(5);
	sw_ports[3][2].state = GLASS_PORT_INIT;
	at = hca[0].ends[1];
	assert_false(fast(&at, &p));
	assert_ptr_equal(at.node, &swi[3]);
	assert_int_equal(at.port, 1);
	assert_int_equal(passed, 3);
	glass_net_walk(&net, at, passed, &p, &way);
	assert_int_equal(way.kind, GLASS_WAY_DROPPED);
	assert_int_equal(way.hops, 4);
	assert_int_equal(way.why, GLASS_DROP_PORT_DOWN);
	assert_ptr_equal(way.at.node, &swi[3]);
	assert_int_equal(way.at.port, 2); /* by which it could not leave */
	assert_false(way.cut);
	assert_int_equal(sw_ports[2][1].ctr[GLASS_CTR_RCV_PKTS], 1);
	assert_int_equal(sw_ports[3][1].ctr[GLASS_CTR_RCV_PKTS], 1);
	assert_int_equal(sw_ports[3][2].ctr[GLASS_CTR_XMIT_DISCARDS], 1);
	assert_int_equal(sw_ports[4][1].ctr[GLASS_CTR_RCV_PKTS], 0);
}

static void test_no_cable(void **state)
{
	struct glass_pkt p = data_pkt(7, 100);
	struct glass_net_end at = {};

	(void)state;
	assert_false(fast(&at, &p));
	glass_net_walk(&net, at, passed, &p, &way);
	assert_int_equal(way.kind, GLASS_WAY_DROPPED);
	assert_true(way.cut);
	chain(2);
	/* a port that says ACTIVE, with nothing behind it */
	sw_ports[1][3].state = GLASS_PORT_ACTIVE;
	set_lft(&sw[1].fdb, 7, 3);
	at = hca[0].ends[1];
	assert_false(fast(&at, &p));
	assert_null(at.node);
	glass_net_walk(&net, at, passed, &p, &way);
	assert_true(way.cut);
	assert_int_equal(way.why, GLASS_DROP_PORT_DOWN);
}

/* Three switches whose tables lead in a circle. */
static void test_circle(void **state)
{
	struct glass_pkt p = data_pkt(7, 100);
	struct glass_net_end at;
	u64 relay = 0;
	u32 i;

	(void)state;
	plug(at_hca(0, 1), at_switch(0, 3));
	for (i = 0; i < 3; i++)
		plug(at_switch(i, 2), at_switch((i + 1) % 3, 1));
	all_active();
	for (i = 0; i < 3; i++) {
		sw[i].fdb.lft_top = 7;
		set_lft(&sw[i].fdb, 7, 2);
	}
	walk(&p);
	assert_int_equal(way.kind, GLASS_WAY_DROPPED);
	assert_int_equal(way.why, GLASS_DROP_LOOP);
	assert_int_equal(way.hops, GLASS_NET_MAX_HOPS);
	for (i = 0; i < 3; i++)
		relay += sw_ports[i][1].ctr[GLASS_CTR_RCV_SWITCH_RELAY];
	assert_int_equal(relay, 1);
	at = hca[0].ends[1];
	assert_false(fast(&at, &p));
	assert_non_null(at.node->sw);
}

/* 64 switches are passed, one more is not, whether the fast path passes them or the walk. */
static void test_longest_way(void **state)
{
	struct glass_pkt p = data_pkt(7, 100);
	struct glass_net_end at;
	u32 n;

	(void)state;
	for (n = GLASS_NET_MAX_HOPS; n <= GLASS_NET_MAX_HOPS + 1; n++) {
		fresh();
		chain(n);
		at = hca[0].ends[1];
		if (!fast(&at, &p))
			glass_net_walk(&net, at, passed, &p, &way);
		assert_int_equal(passed, GLASS_NET_MAX_HOPS);
		if (n == GLASS_NET_MAX_HOPS) {
			assert_ptr_equal(at.node, &hca[1]);
		} else {
			assert_int_equal(way.kind, GLASS_WAY_DROPPED);
			assert_int_equal(way.why, GLASS_DROP_LOOP);
		}
		walk(&p);
		assert_int_equal(way.hops, GLASS_NET_MAX_HOPS);
		assert_int_equal(way.kind == GLASS_WAY_ARRIVED, n == GLASS_NET_MAX_HOPS);
	}
}

/* Get(ClassPortInfo) of performance management, from hca 0 */
static struct glass_pkt gmp(u16 dlid, u8 *mad, struct glass_seg *seg)
{
	struct glass_pkt p = smp_to(dlid, mad, seg);

	mad_init(mad, GLASS_MC_PM, GLASS_MM_GET, 1, 0);
	p.vl = 0;
	p.dqpn = 1;
	p.qkey = 0x80010000;
	return p;
}

/* As far as data go, a GMP goes there and its answer back, also to a passive CA. */
static void test_longest_answer(void **state)
{
	u8 mad[GLASS_MAD_BYTES];
	struct glass_hop hop[GLASS_TRACE_HOPS];
	struct glass_seg seg;
	struct glass_pkt p;
	u32 i, n;

	(void)state;
	hca[1].owners = NULL;
	chain(GLASS_NET_MAX_HOPS);
	hca_ports[0][1].state = hca_ports[1][2].state = GLASS_PORT_ACTIVE;
	hca_ports[1][2].lid = 7;
	p = gmp(7, mad, &seg);
	walk(&p);
	assert_int_equal(way.kind, GLASS_WAY_ARRIVED);
	assert_ptr_equal(way.at.node, &hca[0]);
	assert_int_equal(way.hops, 2 * GLASS_NET_MAX_HOPS + 1);
	n = glass_net_trace(at_hca(0, 1), 7, hop);
	assert_int_equal(n, GLASS_TRACE_HOPS);
	assert_int_equal(hop[n - 1].why, GLASS_DROP_NONE);
	/* the last switch */
	for (i = 0; i < GLASS_NET_MAX_HOPS; i++)
		set_lft(&sw[i].fdb, 100 + GLASS_NET_MAX_HOPS - 1, 2);
	p = gmp(100 + GLASS_NET_MAX_HOPS - 1, mad, &seg);
	walk(&p);
	assert_int_equal(way.kind, GLASS_WAY_ARRIVED);
	assert_int_equal(way.hops, 2 * GLASS_NET_MAX_HOPS - 1);
}

static bool copy_at(u32 h, u32 port)
{
	return glass_port_set_has(way.to, h * GLASS_TOPO_MAX_HCA_PORTS + port - 1);
}

static u32 num_copies(void)
{
	u32 i, n = 0;

	for (i = 0; i < GLASS_NET_PORT_WORDS; i++)
		n += __builtin_popcountll(way.to[i]);
	return n;
}

/* A tree: switch 0 has hca 0; 1 and 2 below it have hca 1 and 2; below 2 is 3, with both ports of hca 3. */
static void tree(void)
{
	plug(at_hca(0, 1), at_switch(0, 1));
	plug(at_switch(0, 2), at_switch(1, 1));
	plug(at_switch(0, 3), at_switch(2, 1));
	plug(at_switch(1, 2), at_hca(1, 1));
	plug(at_switch(2, 2), at_hca(2, 1));
	plug(at_switch(2, 3), at_switch(3, 1));
	plug(at_switch(3, 2), at_hca(3, 1));
	plug(at_switch(3, 3), at_hca(3, 2));
	all_active();
	set_mft(&sw[0].fdb, 5, 0, 1 << 1 | 1 << 2 | 1 << 3);
	set_mft(&sw[1].fdb, 5, 0, 1 << 1 | 1 << 2);
	set_mft(&sw[2].fdb, 5, 0, 1 << 1 | 1 << 2 | 1 << 3);
	set_mft(&sw[3].fdb, 5, 0, 1 << 1 | 1 << 2 | 1 << 3);
}

static void test_group(void **state)
{
	struct glass_pkt p = data_pkt(0xc005, 100);

	(void)state;
	tree();
	walk(&p);
	assert_int_equal(way.kind, GLASS_WAY_COPIES);
	assert_int_equal(num_copies(), 4);
	assert_true(copy_at(1, 1) && copy_at(2, 1) && copy_at(3, 1) && copy_at(3, 2));
	assert_int_equal(way.hops, 4);
	assert_int_equal(way.nlost, 0);
	/* from a leaf, upwards */
	glass_net_walk(&net, hca[3].ends[2], 0, &p, &way);
	assert_int_equal(num_copies(), 4);
	assert_true(copy_at(0, 1) && copy_at(1, 1) && copy_at(2, 1) && copy_at(3, 1));
	/* one branch is down, another has a switch without the group */
	sw_ports[0][2].state = GLASS_PORT_INIT;
	set_mft(&sw[3].fdb, 5, 0, 0);
	walk(&p);
	assert_int_equal(num_copies(), 1);
	assert_true(copy_at(2, 1));
	assert_int_equal(way.nlost, 2);
	assert_ptr_equal(way.lost[0].at.node, &swi[0]);
	assert_int_equal(way.lost[0].at.port, 2);
	assert_int_equal(way.lost[0].why, GLASS_DROP_PORT_DOWN);
	assert_ptr_equal(way.lost[1].at.node, &swi[3]);
	assert_int_equal(way.lost[1].why, GLASS_DROP_NO_ROUTE);
	/* none at all */
	set_mft(&sw[0].fdb, 5, 0, 1 << 1);
	walk(&p);
	assert_int_equal(way.kind, GLASS_WAY_DROPPED);
	assert_int_equal(way.why, GLASS_DROP_NO_ROUTE);
}

/* Tables that send a group in a circle: each switch forwards a packet once. */
static void test_group_in_a_circle(void **state)
{
	struct glass_pkt p = data_pkt(0xc005, 100);
	u64 relays;
	u32 i;

	(void)state;
	tree();
	plug(at_switch(1, 4), at_switch(3, 4));
	plug(at_switch(1, 5), at_switch(2, 5));
	all_active();
	for (i = 0; i < 4; i++)
		set_mft(&sw[i].fdb, 5, 0, 0x3e);
	walk(&p);
	assert_int_equal(way.kind, GLASS_WAY_COPIES);
	assert_int_equal(num_copies(), 4);
	assert_int_equal(way.hops, 4);
	assert_true(way.nlost > 0);
	/* the next packet is another one */
	walk(&p);
	assert_int_equal(num_copies(), 4);
	/* a port that is not ARMED or ACTIVE receives no copy, and counts none */
	relays = sw_ports[1][5].ctr[GLASS_CTR_RCV_SWITCH_RELAY];
	assert_true(relays > 0);
	sw_ports[1][5].state = GLASS_PORT_INIT;
	walk(&p);
	assert_int_equal(sw_ports[1][5].ctr[GLASS_CTR_RCV_SWITCH_RELAY], relays);
}

/* Tables that ask for all copies that large switches can make: the walk ends after so many. */
static void test_group_of_too_many_copies(void **state)
{
	enum { LARGE = 300, LARGE_PORTS = 254 };
	struct glass_switch *large = calloc(LARGE, sizeof(*large));
	struct glass_net_node *node = calloc(LARGE, sizeof(*node));
	struct glass_port(*ports)[LARGE_PORTS + 1] = calloc(LARGE, sizeof(*ports));
	struct glass_net_end(*ends)[LARGE_PORTS + 1] = calloc(LARGE, sizeof(*ends));
	struct glass_pkt p = data_pkt(0xc005, 100);
	u32 i, k, made = 0;

	(void)state;
	assert_true(large && node && ports && ends);
	for (i = 0; i < LARGE; i++) {
		assert_int_equal(glass_switch_init(&large[i], LARGE_PORTS, ports[i], i + 1, 1, "large"), 0);
		glass_net_add(&node[i], i, &large[i].node, &large[i], LARGE_PORTS, ends[i]);
		plug(i ? glass_net_end(&node[i - 1], 2) : at_hca(0, 1), glass_net_end(&node[i], 1));
		ports[i][1].state = GLASS_PORT_ACTIVE;
		if (i)
			ports[i - 1][2].state = GLASS_PORT_ACTIVE;
		for (k = 0; k < GLASS_PORT_WORDS; k++)
			set_mft(&large[i].fdb, 5, k, ~0ULL);
	}
	walk(&p);
	assert_int_equal(way.kind, GLASS_WAY_COPIES);
	/* each has made one for each port but that where it came: the last ones made none */
	for (i = 0; i < LARGE; i++)
		for (k = 2; k <= LARGE_PORTS; k++)
			made += ports[i][k].ctr[GLASS_CTR_XMIT_PKTS] + ports[i][k].ctr[GLASS_CTR_XMIT_DISCARDS];
	assert_true(made >= GLASS_NET_MAX_COPIES && made < GLASS_NET_MAX_COPIES + LARGE_PORTS);
	i = made / (LARGE_PORTS - 1);
	assert_int_equal(way.hops, i);
	/* the next one counts it, and why it went no further */
	assert_int_equal(ports[i][1].ctr[GLASS_CTR_RCV_PKTS], 1);
	assert_int_equal(ports[i][1].ctr[GLASS_CTR_RCV_SWITCH_RELAY], 1);
	assert_int_equal(ports[i + 1][1].ctr[GLASS_CTR_RCV_PKTS], 0);
	assert_int_equal(way.nlost, made - i + 1);
	for (i = 0; i < LARGE; i++)
		glass_fdb_free(&large[i].fdb);
	free(ends);
	free(ports);
	free(node);
	free(large);
}

/* Get(NodeInfo) by a directed route of n hops; the answer comes back to hca 0. */
static void node_info(u32 n)
{
	u8 mad[GLASS_MAD_BYTES];
	struct glass_seg seg;
	struct glass_pkt p;
	u32 i;

	mad_init(mad, GLASS_MC_SM_DR, GLASS_MM_GET, GLASS_SA_NODE_INFO, 0);
	mad[GLASS_SMP_HOP_CNT] = n;
	mad[GLASS_SMP_HOP_PTR] = 1;
	mad[GLASS_SMP_INITIAL_PATH + 1] = 1;
	for (i = 2; i <= n; i++)
		mad[GLASS_SMP_INITIAL_PATH + i] = 2;
	p = smp(mad, &seg);
	p.fate = NULL;
	walk(&p);
	assert_int_equal(way.kind, GLASS_WAY_ARRIVED);
	assert_true(way.own);
	assert_ptr_equal(way.at.node, &hca[0]);
	assert_int_equal(way.at.port, 1);
	assert_int_equal(way.hops, 2 * n - 1);
	glass_pkt_copy_payload(way.pkt, 0, mad, sizeof(mad));
	assert_int_equal(mad[GLASS_MAD_METHOD], GLASS_MM_GET_RESP);
	assert_true(data64(mad, 12) == 0x1000 * n);
}

static void test_directed_routes(void **state)
{
	u32 n;

	(void)state;
	chain(SWITCHES);
	for (n = 1; n < GLASS_SMP_MAX_HOPS; n++)
		node_info(n);
}

/* An SMP by LID, through switches to one, and its answer back. */
static void test_lid_route(void **state)
{
	u8 mad[GLASS_MAD_BYTES];
	struct glass_seg seg;
	struct glass_pkt p;

	(void)state;
	chain(4);
	set_lft(&sw[0].fdb, 103, 2);
	set_lft(&sw[1].fdb, 103, 2);
	set_lft(&sw[2].fdb, 103, 2);
	mad_init(mad, GLASS_MC_SM_LID, GLASS_MM_GET, GLASS_SA_NODE_INFO, 0);
	p = smp_to(103, mad, &seg);
	walk(&p);
	assert_int_equal(way.kind, GLASS_WAY_ARRIVED);
	assert_ptr_equal(way.at.node, &hca[0]);
	assert_int_equal(way.hops, 7);
	assert_int_equal(way.pkt->slid, 103);
	assert_int_equal(way.pkt->dlid, 1);
	/* the answer has no route: dropped where it was made */
	set_lft(&sw[3].fdb, 1, GLASS_LFT_NONE);
	walk(&p);
	assert_int_equal(way.kind, GLASS_WAY_DROPPED);
	assert_true(way.own);
	assert_ptr_equal(way.at.node, &swi[3]);
	assert_int_equal(way.pkt->dlid, 1);
}

/* A switch makes a packet of one that another made, with a switch between them: the fate is the first packet's. */
static void test_fate_of_own_packets(void **state)
{
	u8 mad[GLASS_MAD_BYTES];
	struct glass_fate fate;
	struct glass_seg seg;
	struct glass_pkt p;

	(void)state;
	chain(3);
	set_lft(&sw[0].fdb, 102, 2);
	set_lft(&sw[1].fdb, 102, 2);
	/* one hop by directed route, then by LID to switch 2 */
	mad_init(mad, GLASS_MC_SM_DR, GLASS_MM_GET, GLASS_SA_NODE_INFO, 0);
	put_unaligned_be16(102, mad + GLASS_SMP_DR_DLID);
	mad[GLASS_SMP_HOP_CNT] = 1;
	mad[GLASS_SMP_HOP_PTR] = 1;
	p = smp(mad, &seg);
	p.fate = &fate;
	walk(&p);
	assert_true(way.own);
	assert_true(way.hops >= 3);
	assert_ptr_equal(way.pkt->fate, &fate);
	glass_pkt_copy_payload(way.pkt, 0, mad, sizeof(mad));
	assert_int_equal(mad[GLASS_MAD_METHOD], GLASS_MM_GET_RESP);
}

/* The lease of a switch's M_Key ends after its time. */
static void test_mkey_lease(void **state)
{
	u8 mad[GLASS_MAD_BYTES];
	struct glass_seg seg;
	struct glass_pkt p;

	(void)state;
	chain(2);
	sw_ports[1][0].mkey = 5;
	sw_ports[1][0].mkey_protect = 3;
	sw_ports[1][0].mkey_lease = 2;
	mad_init(mad, GLASS_MC_SM_LID, GLASS_MM_GET, GLASS_SA_NODE_INFO, 0);
	p = smp_to(101, mad, &seg);
	set_lft(&sw[0].fdb, 101, 2);
	net.now = 10 * 1000000000ULL;
	walk(&p);
	assert_int_equal(way.why, GLASS_DROP_BAD_MKEY);
	net.now += 1999999999;
	walk(&p);
	assert_int_equal(way.why, GLASS_DROP_BAD_MKEY);
	net.now += 1;
	walk(&p);
	assert_int_equal(way.kind, GLASS_WAY_ARRIVED);
}

/* A Set that takes a port down says at which switch. */
static void test_changes(void **state)
{
	u8 mad[GLASS_MAD_BYTES];
	struct glass_seg seg;
	struct glass_pkt p;
	u32 u, v;

	(void)state;
	chain(3);
	set_lft(&sw[0].fdb, 102, 2);
	set_lft(&sw[1].fdb, 102, 2);
	mad_init(mad, GLASS_MC_SM_LID, GLASS_MM_GET, GLASS_SA_PORT_INFO, 2);
	p = smp_to(102, mad, &seg);
	walk(&p);
	assert_int_equal(way.kind, GLASS_WAY_ARRIVED);
	assert_null(way.changed.node);
	glass_pkt_copy_payload(way.pkt, 0, mad, sizeof(mad));
	mad[GLASS_MAD_METHOD] = GLASS_MM_SET;
	mad[64 + GLASS_PI_SPEED_STATE] &= 0xf0;
	mad[64 + GLASS_PI_PHYS] = GLASS_PHYS_DISABLED << 4;
	walk(&p);
	assert_int_equal(way.kind, GLASS_WAY_ARRIVED);
	assert_ptr_equal(way.changed.node, &swi[2]);
	assert_int_equal(way.changed.port, 2);
	assert_int_equal(hca_ports[1][2].state, GLASS_PORT_INIT);
	assert_int_equal(sw_ports[2][2].state, GLASS_PORT_DOWN);
	glass_net_link_update(way.changed, &u, &v);
	assert_int_equal(hca_ports[1][2].state, GLASS_PORT_DOWN);
	assert_int_equal(GLASS_CHG_PORT(v), 2);
}

static void test_trap(void **state)
{
	(void)state;
	chain(3);
	assert_true(sw[2].node.trap_pending);
	/* no subnet manager is known yet */
	assert_false(glass_net_trap(&net, &swi[2], &way));
	sw_ports[2][0].sm_lid = 1;
	assert_true(glass_net_trap(&net, &swi[2], &way));
	assert_int_equal(way.kind, GLASS_WAY_ARRIVED);
	assert_ptr_equal(way.at.node, &hca[0]);
	assert_int_equal(way.hops, 2);
	set_lft(&sw[2].fdb, 1, GLASS_LFT_NONE);
	assert_true(glass_net_trap(&net, &swi[2], &way));
	assert_int_equal(way.kind, GLASS_WAY_DROPPED);
	assert_true(way.own);
}

static void test_cables(void **state)
{
	u32 u, v;

	(void)state;
	chain(2);
	assert_int_equal(glass_net_plug(at_switch(0, 2), at_switch(5, 1)), -EBUSY);
	assert_int_equal(glass_net_plug(at_switch(5, 1), at_switch(0, 2)), -EBUSY);
	assert_int_equal(glass_net_plug(at_switch(5, 0), at_switch(5, 1)), -EINVAL);
	assert_int_equal(glass_net_plug(at_switch(5, PORTS + 1), at_switch(5, 1)), -EINVAL);
	assert_int_equal(glass_net_plug(at_switch(5, 1), at_switch(5, 1)), -EINVAL);
	assert_int_equal(glass_net_plug((struct glass_net_end){}, at_switch(5, 1)), -EINVAL);
	/* a cable from a switch to itself */
	plug(at_switch(5, 1), at_switch(5, 2));
	/* an HCA that is unplugged: its cable stays, the link is down */
	hca[1].node = NULL;
	glass_net_link_update(at_hca(1, 2), &u, &v);
	assert_int_equal(sw_ports[1][2].state, GLASS_PORT_DOWN);
	assert_true(v & GLASS_CHG_STATE);
	hca[1].node = &hca_node[1];
	glass_net_link_update(at_hca(1, 2), &u, &v);
	assert_int_equal(sw_ports[1][2].state, GLASS_PORT_INIT);
}

/* A cable that is pulled, plugged in again and removed, and its limits. */
static void test_pull(void **state)
{
	struct glass_net_end thin = at_switch(5, 1);
	u32 u, v;

	(void)state;
	thin.width = GLASS_WIDTH_1X;
	thin.speed_ext = 0;
	thin.speed = GLASS_SPEED_SDR | GLASS_SPEED_DDR;
	thin.mtu = GLASS_MTU_1024;
	plug(thin, at_switch(6, 2));
	assert_int_equal(sw_ports[6][2].width_active, GLASS_WIDTH_1X);
	assert_int_equal(sw_ports[6][2].speed_active, GLASS_SPEED_DDR);
	assert_int_equal(sw_ports[5][1].speed_ext_active, 0);
	assert_int_equal(sw_ports[5][1].mtu_active, GLASS_MTU_1024);
	glass_net_pull(at_switch(6, 2), true);
	glass_net_link_update(at_switch(5, 1), &u, &v);
	assert_int_equal(sw_ports[5][1].state, GLASS_PORT_DOWN);
	assert_int_equal(sw_ports[6][2].state, GLASS_PORT_DOWN);
	glass_net_pull(at_switch(5, 1), false);
	glass_net_link_update(at_switch(6, 2), &u, &v);
	assert_int_equal(sw_ports[6][2].state, GLASS_PORT_INIT);
	glass_net_unplug(at_switch(6, 2), &u, &v);
	assert_true(u & GLASS_CHG_STATE && v & GLASS_CHG_STATE);
	assert_int_equal(GLASS_CHG_PORT(u), 2);
	assert_int_equal(sw_ports[5][1].state, GLASS_PORT_DOWN);
	assert_null(swi[5].ends[1].node);
	/* the next cable has limits of its own */
	plug(at_switch(5, 1), at_switch(6, 1));
	assert_int_equal(sw_ports[5][1].width_active, GLASS_WIDTH_4X);
	assert_int_equal(glass_port_mtu_cap(&sw_ports[5][1]), GLASS_MTU_4096);
	glass_net_pull(at_switch(5, 3), true); /* no cable */
}

/* A passive CA answers MADs, and drops data. */
static void test_passive(void **state)
{
	u8 mad[GLASS_MAD_BYTES];
	struct glass_net_end at;
	struct glass_seg seg;
	struct glass_pkt p;

	(void)state;
	hca[1].owners = NULL;
	chain(2);
	hca_ports[1][2].lid = 7;
	hca_ports[1][2].state = GLASS_PORT_ACTIVE;
	hca_ports[0][1].lid = 1;
	mad_init(mad, GLASS_MC_SM_LID, GLASS_MM_GET, GLASS_SA_NODE_INFO, 0);
	p = smp_to(7, mad, &seg);
	walk(&p);
	assert_int_equal(way.kind, GLASS_WAY_ARRIVED);
	assert_ptr_equal(way.at.node, &hca[0]);
	assert_true(way.own);
	glass_pkt_copy_payload(way.pkt, 0, mad, sizeof(mad));
	assert_int_equal(mad[GLASS_MAD_METHOD], GLASS_MM_GET_RESP);
	assert_int_equal(get_unaligned_be64(mad + GLASS_SMP_DATA + 12), hca_node[1].guid);
	/* data for a queue pair: there is none; and the fast path leaves it to the walk */
	p = data_pkt(7, 100);
	at = hca[0].ends[1];
	assert_false(fast(&at, &p));
	assert_ptr_equal(at.node, &hca[1]);
	glass_net_walk(&net, at, passed, &p, &way);
	assert_int_equal(way.kind, GLASS_WAY_DROPPED);
	assert_int_equal(way.why, GLASS_DROP_NO_QP);
	assert_int_equal(way.at.port, 2);
	assert_int_equal(hca_ports[1][2].ctr[GLASS_CTR_RCV_PKTS], 1);
	/* a multicast ends there */
	set_mft(&sw[0].fdb, 5, 0, 1 << 2);
	set_mft(&sw[1].fdb, 5, 0, 1 << 2);
	p = data_pkt(0xc005, 100);
	walk(&p);
	assert_int_equal(num_copies(), 0);
	assert_int_equal(way.nlost, 0);
	assert_int_equal(hca_ports[1][2].ctr[GLASS_CTR_MC_RCV_PKTS], 1);
	/* or is dropped */
	hca_ports[1][2].state = GLASS_PORT_INIT;
	walk(&p);
	assert_int_equal(way.nlost, 1);
	assert_ptr_equal(way.lost[0].at.node, &hca[1]);
	assert_int_equal(way.lost[0].why, GLASS_DROP_PORT_DOWN);
	assert_int_equal(hca_ports[1][2].ctr[GLASS_CTR_MC_RCV_PKTS], 1);
}

/* A CA tells its subnet manager, also one at its own port. */
static void test_trap_of_ca(void **state)
{
	(void)state;
	chain(2);
	assert_false(glass_net_trap(&net, &hca[1], &way));
	glass_trap_request(&hca_node[1], 2, GLASS_TRAP_LOCAL_CHANGE);
	hca_ports[1][2].lid = 7;
	hca_ports[1][2].sm_lid = 1;
	assert_true(glass_net_trap(&net, &hca[1], &way));
	assert_int_equal(way.kind, GLASS_WAY_ARRIVED);
	assert_ptr_equal(way.at.node, &hca[0]);
	assert_int_equal(way.pkt->slid, 7);
	hca_ports[1][2].sm_lid = 7;
	assert_true(glass_net_trap(&net, &hca[1], &way));
	assert_ptr_equal(way.at.node, &hca[1]);
	assert_int_equal(way.at.port, 2);
	hca_ports[1][2].state = GLASS_PORT_DOWN;
	assert_true(glass_net_trap(&net, &hca[1], &way));
	assert_int_equal(way.why, GLASS_DROP_PORT_DOWN);
}

static struct glass_hop hop[GLASS_TRACE_HOPS];

static enum glass_drop traced(u16 dlid)
{
	u32 n = glass_net_trace(at_hca(0, 1), dlid, hop);

	return hop[n - 1].why;
}

/* The way that a trace finds is that of a packet. */
static void test_trace(void **state)
{
	static const u32 in[] = { 0, 1, 1, 1, 2 }, out[] = { 1, 2, 2, 2, 0 };
	struct glass_pkt p = data_pkt(7, 100);
	u32 i;

	(void)state;
	chain(3);
	hca_ports[0][1].lid = 1;
	hca_ports[1][2].lid = 7;
	hca_ports[0][1].state = hca_ports[1][2].state = GLASS_PORT_ACTIVE;
	assert_int_equal(glass_net_trace(at_hca(0, 1), 7, hop), 5);
	for (i = 0; i < 5; i++) {
		assert_int_equal(hop[i].in, in[i]);
		assert_int_equal(hop[i].out, out[i]);
		assert_int_equal(hop[i].why, GLASS_DROP_NONE);
	}
	assert_ptr_equal(hop[4].node, &hca[1]);
	assert_int_equal(glass_net_trace(at_hca(0, 1), 1, hop), 1); /* loopback */
	assert_int_equal(glass_net_trace(at_hca(0, 1), 100, hop), 2); /* the first switch itself */
	assert_int_equal(traced(9), GLASS_DROP_NO_ROUTE);
	sw_ports[1][2].state = GLASS_PORT_ARMED;
	assert_int_equal(traced(7), GLASS_DROP_PORT_DOWN);
	assert_int_equal(glass_net_trace(at_hca(0, 1), 7, hop), 3);
	walk(&p);
	assert_int_equal(way.why, GLASS_DROP_PORT_DOWN);
	assert_ptr_equal(way.at.node, &swi[1]);
	assert_int_equal(way.at.port, 2); /* the port by which it could not leave */
	sw_ports[1][2].state = GLASS_PORT_ACTIVE;
	hca_ports[1][2].lid = 8;
	assert_int_equal(traced(7), GLASS_DROP_WRONG_LID);
	hca[1].node = NULL;
	assert_int_equal(traced(7), GLASS_DROP_PORT_DOWN);
	hca_ports[0][1].state = GLASS_PORT_INIT;
	assert_int_equal(glass_net_trace(at_hca(0, 1), 7, hop), 1);
	assert_int_equal(hop[0].why, GLASS_DROP_PORT_DOWN);
}

/* A trace of tables that lead in a circle ends. */
static void test_trace_circle(void **state)
{
	u32 i;

	(void)state;
	plug(at_hca(0, 1), at_switch(0, 3));
	for (i = 0; i < 3; i++)
		plug(at_switch(i, 2), at_switch((i + 1) % 3, 1));
	all_active();
	hca_ports[0][1].state = GLASS_PORT_ACTIVE;
	for (i = 0; i < 3; i++) {
		sw[i].fdb.lft_top = 7;
		set_lft(&sw[i].fdb, 7, 2);
	}
	assert_int_equal(traced(7), GLASS_DROP_LOOP);
	assert_int_equal(glass_net_trace(at_hca(0, 1), 7, hop), GLASS_TRACE_HOPS);
}

/* An SMP by a random directed route, or by LID to a switch or to nowhere. */
static void random_smp(struct glass_net_end at)
{
	u8 mad[GLASS_MAD_BYTES];
	struct glass_seg seg;
	struct glass_pkt p;
	u32 i;

	mad_init(mad, rnd() % 2 ? GLASS_MC_SM_DR : GLASS_MC_SM_LID, GLASS_MM_GET,
		 rnd() % 2 ? GLASS_SA_NODE_INFO : GLASS_SA_PORT_INFO, 1);
	mad[GLASS_SMP_HOP_CNT] = rnd() % 10;
	mad[GLASS_SMP_HOP_PTR] = rnd() % 8 ? 1 : rnd();
	for (i = 1; i < GLASS_SMP_MAX_HOPS; i++)
		mad[GLASS_SMP_INITIAL_PATH + i] = 1 + rnd() % PORTS;
	p = smp(mad, &seg);
	if (mad[GLASS_MAD_CLASS] == GLASS_MC_SM_LID) {
		p.slid = rnd() % 20;
		p.dlid = rnd() % 2 ? 100 + rnd() % 9 : rnd() % 20;
	}
	glass_net_walk(&net, at, 0, &p, &way);
	assert_true(way.hops <= GLASS_NET_MAX_SMP_HOPS);
	if (way.kind == GLASS_WAY_ARRIVED)
		assert_null(way.at.node->sw);
	assert_true(way.own || way.pkt == &p);
}

/*
 * Random cables, tables, states and packets. Each walk ends; what one switch sends to another is
 * what that one gets.
 */
static void random_net(void)
{
	enum { N = 9 };
	u32 i, k, cables = 20 + rnd() % 20;
	struct glass_pkt p;
	struct glass_net_end at;

	fresh();
	for (i = 0; i < cables; i++) {
		struct glass_net_end a = rnd() % 4 ? at_switch(rnd() % N, 1 + rnd() % PORTS) :
						     at_hca(rnd() % HCAS, 1 + rnd() % 2);
		struct glass_net_end b = at_switch(rnd() % N, 1 + rnd() % PORTS);
		u32 u, v;

		if (!glass_net_plug(a, b))
			glass_net_link_update(a, &u, &v);
	}
	all_active();
	for (i = 0; i < N; i++) {
		sw[i].fdb.lft_top = rnd() % 20;
		for (k = 0; k < 20; k++) {
			set_lft(&sw[i].fdb, k, rnd() % (PORTS + 2));
			set_mft(&sw[i].fdb, k, 0, rnd() & 0x7f);
		}
		if (!(rnd() % 4))
			sw_ports[i][1 + rnd() % PORTS].state = GLASS_PORT_INIT;
		sw_ports[i][0].sm_lid = rnd() % 20;
		if (glass_net_trap(&net, &swi[i], &way))
			assert_true(way.own);
	}
	for (i = 0; i < 200; i++) {
		if (!(rnd() % 4)) {
			random_smp(hca[rnd() % HCAS].ends[1 + rnd() % 2]);
			continue;
		}
		p = data_pkt(rnd() % 2 ? rnd() % 22 : 0xc000 + rnd() % 20, rnd() % 2000);
		at = hca[rnd() % HCAS].ends[1 + rnd() % 2];
		passed = 0;
		if (rnd() % 2 && !glass_lid_is_mcast(p.dlid) && fast(&at, &p))
			continue;
		glass_net_walk(&net, at, passed, &p, &way);
		assert_true(way.hops <= GLASS_NET_MAX_HOPS);
		if (way.kind == GLASS_WAY_ARRIVED) {
			assert_null(way.at.node->sw);
			assert_int_equal(way.at.node->ends[way.at.port].node->sw != NULL, 1);
		}
	}
	for (i = 0; i < N; i++)
		for (k = 1; k <= PORTS; k++) {
			at = swi[i].ends[k];
			if (!at.node || !at.node->sw)
				continue;
			/* a port that is not ACTIVE gets nothing, and its peer is to know */
			if (sw_ports[i][k].state != GLASS_PORT_ACTIVE ||
			    glass_net_port(at)->state != GLASS_PORT_ACTIVE)
				continue;
			assert_int_equal(sw_ports[i][k].ctr[GLASS_CTR_XMIT_DATA],
					 glass_net_port(at)->ctr[GLASS_CTR_RCV_DATA]);
			assert_int_equal(sw_ports[i][k].ctr[GLASS_CTR_XMIT_PKTS],
					 glass_net_port(at)->ctr[GLASS_CTR_RCV_PKTS]);
		}
}

static void test_random_nets(void **state)
{
	u32 i;

	(void)state;
	for (i = 0; i < 60; i++)
		random_net();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_pull, setup),
		cmocka_unit_test_setup(test_passive, setup),
		cmocka_unit_test_setup(test_trap_of_ca, setup),
		cmocka_unit_test_setup(test_trace, setup),
		cmocka_unit_test_setup(test_trace_circle, setup),
		cmocka_unit_test_setup(test_chain, setup),
		cmocka_unit_test_setup(test_fast_then_walk, setup),
		cmocka_unit_test_setup(test_no_cable, setup),
		cmocka_unit_test_setup(test_circle, setup),
		cmocka_unit_test_setup(test_longest_way, setup),
		cmocka_unit_test_setup(test_longest_answer, setup),
		cmocka_unit_test_setup(test_group, setup),
		cmocka_unit_test_setup(test_group_in_a_circle, setup),
		cmocka_unit_test_setup(test_group_of_too_many_copies, setup),
		cmocka_unit_test_setup(test_directed_routes, setup),
		cmocka_unit_test_setup(test_lid_route, setup),
		cmocka_unit_test_setup(test_fate_of_own_packets, setup),
		cmocka_unit_test_setup(test_mkey_lease, setup),
		cmocka_unit_test_setup(test_changes, setup),
		cmocka_unit_test_setup(test_trap, setup),
		cmocka_unit_test_setup(test_cables, setup),
		cmocka_unit_test_setup(test_random_nets, setup),
	};

	return cmocka_run_group_tests_name("net", tests, rnd_group, NULL);
}
