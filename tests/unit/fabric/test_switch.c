// SPDX-License-Identifier: GPL-2.0-only
/*
 * A switch alone, and two switches with an adapter at each end:
 *
 *	CA A port 1 -- 2 switch X 5 -- 3 switch Y 4 -- port 1 CA B
 */
#include "fdb.h"
#include "mad.h"

#include "fabric/switch.h"
#include "fabric/topology.h"
#include "mgmt/dr.h"
#include "mgmt/sma.h"
#include "wire/opcode.h"
#include "wire/serial.h"

#define PORTS 70

static struct glass_switch x, y;
static struct glass_port x_ports[PORTS + 1], y_ports[PORTS + 1], a_ports[2], b_ports[2];
static struct glass_node a, b;
static struct glass_fwd out;

static void wire_up(struct glass_node *na, u32 pa, struct glass_node *nb, u32 pb)
{
	u32 u, v;

	glass_link_update(na, &na->ports[pa], nb, &nb->ports[pb], &u, &v);
}

static int setup(void **state)
{
	glass_fdb_free(&x.fdb);
	glass_fdb_free(&y.fdb);
	memset(&x, 0xa5, sizeof(x));
	memset(&y, 0xa5, sizeof(y));
	assert_int_equal(glass_switch_init(&x, PORTS, x_ports, 0x1000, 0x1080, "x"), 0);
	assert_int_equal(glass_switch_init(&y, PORTS, y_ports, 0x2000, 0x2080, "y"), 0);
	glass_node_init(&a, GLASS_NODE_CA, 1, a_ports, NULL, 0x100, 0x180, "a");
	glass_node_init(&b, GLASS_NODE_CA, 1, b_ports, NULL, 0x200, 0x280, "b");
	wire_up(&a, 1, &x.node, 2);
	wire_up(&x.node, 5, &y.node, 3);
	wire_up(&y.node, 4, &b, 1);
	x_ports[0].lid = 10;
	y_ports[0].lid = 20;
	return rnd_restart(state);
}

static struct glass_pkt data_pkt(u16 slid, u16 dlid, u32 len)
{
	static u8 bytes[GLASS_MTU_MAX];
	static struct glass_seg seg;
	struct glass_pkt p = {
		.lnh = GLASS_LNH_LOCAL, .slid = slid, .dlid = dlid,
		.opcode = GLASS_BOP_SEND_ONLY, .dqpn = 77, .pkey = 0xffff,
		.len = len, .nseg = 1, .seg = &seg,
	};

	seg.addr = bytes;
	seg.len = len;
	return p;
}

static struct glass_pkt mad_pkt(u16 slid, u16 dlid, u32 qpn, u8 *mad, struct glass_seg seg[2])
{
	struct glass_pkt p = data_pkt(slid, dlid, 256);

	/* in two pieces, as a program may send it */
	seg[0].addr = mad;
	seg[0].len = 100;
	seg[1].addr = mad + 100;
	seg[1].len = 156;
	p.seg = seg;
	p.nseg = 2;
	p.opcode = GLASS_TR_UD | GLASS_BOP_SEND_ONLY;
	p.dqpn = qpn;
	p.sqpn = qpn ? 33 : 0;
	p.qkey = qpn ? 0x80010000 : 0;
	p.vl = qpn ? 0 : GLASS_VL_SMP;
	p.sl = qpn ? 3 : 0;
	p.psn = 99;
	return p;
}

static void set_state(struct glass_port *ports, u32 n, u8 state)
{
	while (n) {
		ports[n].phys_state = GLASS_PHYS_LINKUP;
		ports[n--].state = state;
	}
}

static void drops(u32 in, const struct glass_pkt *p, enum glass_drop why)
{
	glass_switch_rx(&x, in, p, &out);
	assert_int_equal(out.kind, GLASS_FWD_DROP);
	assert_int_equal(out.why, why);
}

static u32 fast(u32 in, const struct glass_pkt *p)
{
	return glass_switch_fast(&x, in, p, glass_pkt_words(p));
}

static void test_unicast(void **state)
{
	struct glass_pkt p = data_pkt(1, 7, 100);
	u32 words = glass_pkt_words(&p);
	enum glass_drop why;

	(void)state;
	assert_int_equal(words, (8 + 12 + 100 + 4) / 4);
	set_state(x_ports, PORTS, GLASS_PORT_ACTIVE);
	drops(2, &p, GLASS_DROP_NO_ROUTE);
	assert_int_equal(x_ports[2].ctr[GLASS_CTR_RCV_SWITCH_RELAY], 1);
	set_lft(&x.fdb, 7, 5);
	/* above LinearFDBTop nothing is found */
	drops(2, &p, GLASS_DROP_NO_ROUTE);
	x.fdb.lft_top = 7;
	glass_switch_rx(&x, 2, &p, &out);
	assert_int_equal(out.kind, GLASS_FWD_PORT);
	assert_int_equal(out.port, 5);
	assert_int_equal(out.changes, 0);
	assert_int_equal(glass_switch_route(&x, 7, &why), 5);
	assert_int_equal(x_ports[5].ctr[GLASS_CTR_XMIT_DATA], words);
	assert_int_equal(x_ports[5].ctr[GLASS_CTR_XMIT_PKTS], 1);
	assert_int_equal(x_ports[5].ctr[GLASS_CTR_UC_XMIT_PKTS], 1);
	assert_int_equal(x_ports[2].ctr[GLASS_CTR_RCV_PKTS], 3);
	assert_int_equal(x_ports[2].ctr[GLASS_CTR_RCV_DATA], 3 * words);
	/* the inline way counts and decides alike */
	assert_int_equal(fast(2, &p), 5);
	assert_int_equal(x_ports[5].ctr[GLASS_CTR_XMIT_DATA], 2 * words);
	assert_int_equal(x_ports[2].ctr[GLASS_CTR_RCV_DATA], 4 * words);
	/* never back to where it came from */
	drops(5, &p, GLASS_DROP_NO_ROUTE);
	assert_int_equal(fast(5, &p), 0);
	/* the switch itself has the LID, whatever the table says */
	x_ports[0].lid = 6;
	x_ports[0].lmc = 1;
	glass_fdb_changed(&x.fdb);
	drops(2, &p, GLASS_DROP_NO_QP);
	assert_int_equal(fast(2, &p), 0);
	x_ports[0].lmc = 0;
	glass_fdb_changed(&x.fdb);
	assert_int_equal(fast(2, &p), 5);
	/* entries that name no port */
	set_lft(&x.fdb, 7, PORTS + 1);
	drops(2, &p, GLASS_DROP_NO_ROUTE);
	assert_int_equal(fast(2, &p), 0);
	set_lft(&x.fdb, 7, 0);
	drops(2, &p, GLASS_DROP_WRONG_LID);
	assert_int_equal(fast(2, &p), 0);
	/* ports that do not exist */
	drops(0, &p, GLASS_DROP_PORT_DOWN);
	drops(PORTS + 1, &p, GLASS_DROP_PORT_DOWN);
	drops(~0u, &p, GLASS_DROP_PORT_DOWN);
	assert_int_equal(fast(~0u, &p), 0);
}

/* A train counts as its packets do, where it dies as where it passes. */
static void test_trains_count(void **state)
{
	struct glass_pkt p = data_pkt(1, 7, 4 * 1024);
	u16 viol = 0xfff0;

	(void)state;
	p.more = 3;
	set_state(x_ports, PORTS, GLASS_PORT_ACTIVE);
	drops(2, &p, GLASS_DROP_NO_ROUTE);
	assert_int_equal(x_ports[2].ctr[GLASS_CTR_RCV_SWITCH_RELAY], 4);
	set_lft(&x.fdb, 7, 5);
	x.fdb.lft_top = 7;
	drops(5, &p, GLASS_DROP_NO_ROUTE);
	assert_int_equal(x_ports[5].ctr[GLASS_CTR_RCV_SWITCH_RELAY], 4);
	x_ports[5].state = GLASS_PORT_DOWN;
	drops(2, &p, GLASS_DROP_PORT_DOWN);
	assert_int_equal(x_ports[5].ctr[GLASS_CTR_XMIT_DISCARDS], 4);
	assert_int_equal(x_ports[2].ctr[GLASS_CTR_RCV_PKTS], 8);
	/* violations stick at their most */
	glass_viol(&viol, 4);
	assert_int_equal(viol, 0xfff4);
	glass_viol(&viol, 16);
	assert_int_equal(viol, 0xffff);
	glass_viol(&viol, 1);
	assert_int_equal(viol, 0xffff);
}

static void test_states(void **state)
{
	struct glass_pkt p = data_pkt(1, 7, 100);
	u32 in, o;

	(void)state;
	set_lft(&x.fdb, 7, 5);
	x.fdb.lft_top = 7;
	for (in = GLASS_PORT_DOWN; in <= GLASS_PORT_ACTIVE; in++) {
		for (o = GLASS_PORT_DOWN; o <= GLASS_PORT_ACTIVE; o++) {
			u64 discards = x_ports[5].ctr[GLASS_CTR_XMIT_DISCARDS];

			p.vl = 0;
			x_ports[2].state = in;
			x_ports[5].state = o;
			assert_int_equal(fast(2, &p),
					 in == GLASS_PORT_ACTIVE && o == GLASS_PORT_ACTIVE ? 5 : 0);
			if (in < GLASS_PORT_ARMED) {
				drops(2, &p, GLASS_DROP_PORT_DOWN);
			} else if (o < GLASS_PORT_ACTIVE) {
				drops(2, &p, GLASS_DROP_PORT_DOWN);
				assert_int_equal(x_ports[5].ctr[GLASS_CTR_XMIT_DISCARDS],
						 discards + 1);
			} else {
				glass_switch_rx(&x, 2, &p, &out);
				assert_int_equal(out.kind, GLASS_FWD_PORT);
			}
			/* data at an ARMED port makes it ACTIVE, and says so */
			if (in == GLASS_PORT_ARMED) {
				assert_int_equal(x_ports[2].state, GLASS_PORT_ACTIVE);
				assert_int_equal(out.changes,
						 GLASS_CHG_ACTIVE | GLASS_CHG_STATE | 2u << 24);
			}
			/* management goes through as soon as the link is there */
			p.vl = GLASS_VL_SMP;
			x_ports[2].state = in;
			glass_switch_rx(&x, 2, &p, &out);
			assert_int_equal(out.kind, in > GLASS_PORT_DOWN && o > GLASS_PORT_DOWN ?
					 GLASS_FWD_PORT : GLASS_FWD_DROP);
			assert_int_equal(x_ports[2].state, in);
		}
	}
	p.vl = 0;
	x_ports[2].state = GLASS_PORT_ACTIVE;
	x_ports[5].state = GLASS_PORT_ACTIVE;
	x_ports[5].mtu_active = GLASS_MTU_256;
	p.len = 257;
	assert_int_equal(fast(2, &p), 0);
	drops(2, &p, GLASS_DROP_BAD_LEN);
}

static u32 set_size(void)
{
	u32 i, n = 0;

	for (i = 0; i < 256; i++)
		n += glass_port_set_has(out.ports, i);
	return n;
}

static void test_multicast(void **state)
{
	struct glass_pkt p = data_pkt(1, 0xc003, 40);

	(void)state;
	set_state(x_ports, PORTS, GLASS_PORT_ACTIVE);
	drops(2, &p, GLASS_DROP_NO_ROUTE);
	/* ports 0, 2, 5, 64, 70 and some that do not exist */
	set_mft(&x.fdb, 3, 0, 1 | 1 << 2 | 1 << 5);
	set_mft(&x.fdb, 3, 1, 1ULL << 0 | 1ULL << 6 | 1ULL << 7 | 1ULL << 63);
	set_mft(&x.fdb, 3, 3, ~0ULL);
	glass_switch_rx(&x, 2, &p, &out);
	assert_int_equal(out.kind, GLASS_FWD_SET);
	assert_int_equal(set_size(), 3);
	assert_true(glass_port_set_has(out.ports, 5) && glass_port_set_has(out.ports, 64) &&
		    glass_port_set_has(out.ports, 70));
	assert_int_equal(x_ports[70].ctr[GLASS_CTR_MC_XMIT_PKTS], 1);
	assert_int_equal(x_ports[2].ctr[GLASS_CTR_MC_RCV_PKTS], 2);
	assert_int_equal(x_ports[2].ctr[GLASS_CTR_MC_XMIT_PKTS], 0);
	/* a port that is down gets none, the others do */
	x_ports[64].state = GLASS_PORT_DOWN;
	glass_switch_rx(&x, 5, &p, &out);
	assert_int_equal(set_size(), 2);
	assert_true(glass_port_set_has(out.ports, 2) && glass_port_set_has(out.ports, 70));
	assert_int_equal(x_ports[64].ctr[GLASS_CTR_XMIT_DISCARDS], 1);
	/* each copy that dies is told, with its reason */
	assert_int_equal(out.down[1], 1ULL << 0);
	assert_false(out.down[0] | out.down[2] | out.down[3]);
	assert_false(out.too_long[0] | out.too_long[1] | out.too_long[2] | out.too_long[3]);
	x_ports[70].mtu_active = 1;
	p.len = 300;
	glass_switch_rx(&x, 5, &p, &out);
	assert_int_equal(set_size(), 1);
	assert_int_equal(out.down[1], 1ULL << 0);
	assert_int_equal(out.too_long[1], 1ULL << 6);
	x_ports[2].state = GLASS_PORT_DOWN;
	glass_switch_rx(&x, 5, &p, &out);
	assert_int_equal(out.kind, GLASS_FWD_SET);
	assert_int_equal(set_size(), 0);
	assert_int_equal(out.down[0], 1ULL << 2);
	x_ports[2].state = GLASS_PORT_ACTIVE;
	p.len = 40;
	/* nobody but the sender and the switch itself */
	set_mft(&x.fdb, 3, 1, 0);
	set_mft(&x.fdb, 3, 3, 0);
	set_mft(&x.fdb, 3, 0, 1 | 1 << 2);
	drops(2, &p, GLASS_DROP_NO_ROUTE);
	/* beyond the table: the default ports, if there are any */
	p.dlid = 0xfffe;
	drops(2, &p, GLASS_DROP_NO_ROUTE);
	x.fdb.def_mcast_primary = 5;
	x.fdb.def_mcast_not_primary = 6;
	glass_switch_rx(&x, 2, &p, &out);
	assert_int_equal(out.kind, GLASS_FWD_SET);
	assert_true(set_size() == 1 && glass_port_set_has(out.ports, 5));
	glass_switch_rx(&x, 5, &p, &out);
	assert_true(set_size() == 1 && glass_port_set_has(out.ports, 6));
	/* management packets have no groups */
	p.vl = GLASS_VL_SMP;
	p.dlid = 0xc003;
	drops(2, &p, GLASS_DROP_NO_ROUTE);
}

enum where { AT_A, AT_X, AT_Y, AT_B, NOWHERE };

/*
 * Carries an SMP over the model until it ends somewhere: at a manager (returns
 * where) or nowhere. Adapters answer requests. hops counts packets.
 */
static enum where carry(enum where at, u32 port, u8 *mad, struct glass_pkt pkt, u32 *hops)
{
	static u8 answer[256];
	struct glass_seg seg[2];

	for (*hops = 0; *hops < 200; ++*hops) {
		struct glass_switch *sw = at == AT_X ? &x : &y;
		struct glass_node *ca = at == AT_A ? &a : &b;
		u32 chg, out_port = 0;
		u16 dlid;

		if (at == AT_A || at == AT_B) {
			assert_int_equal(port, 1);
			if (mad[GLASS_MAD_CLASS] == GLASS_MC_SM_DR &&
			    glass_dr_receive(ca, port, mad, &out_port, &dlid) != GLASS_DR_LOCAL)
				return NOWHERE;
			if (glass_sma_process(ca, port, mad, answer, 0, &chg) != GLASS_MAD_REPLY)
				return at;
			memcpy(mad, answer, 256);
			if (mad[GLASS_MAD_CLASS] == GLASS_MC_SM_DR &&
			    glass_dr_turn(ca, mad, &out_port, &dlid) != GLASS_DR_FORWARD)
				return NOWHERE;
			dlid = pkt.slid;
			pkt = mad_pkt(pkt.dlid, dlid, 0, mad, seg);
			port = at == AT_A ? 2 : 4;
			at = at == AT_A ? AT_X : AT_Y;
			continue;
		}
		glass_switch_rx(sw, port, &pkt, &out);
		if (out.kind == GLASS_FWD_MAD) {
			struct glass_seg one;

			glass_fwd_pkt(&out, &pkt, &one);
			assert_int_equal(glass_pkt_copy_payload(&pkt, 0, mad, 256), 256);
			pkt = mad_pkt(pkt.slid, pkt.dlid, 0, mad, seg);
		} else if (out.kind != GLASS_FWD_PORT) {
			return NOWHERE;
		}
		if (at == AT_X && out.port == 2) {
			at = AT_A;
			port = 1;
		} else if (at == AT_X && out.port == 5) {
			at = AT_Y;
			port = 3;
		} else if (at == AT_Y && out.port == 3) {
			at = AT_X;
			port = 5;
		} else if (at == AT_Y && out.port == 4) {
			at = AT_B;
			port = 1;
		} else {
			return NOWHERE;
		}
	}
	return NOWHERE;
}

/* The sender's part, which the kernel's MAD layer does: out by the first port of the path. False: A has no such port. */
static bool leaves_a(u8 *mad)
{
	mad[GLASS_SMP_HOP_PTR] = 1;
	return mad[GLASS_SMP_INITIAL_PATH + 1] == 1;
}

/* Sends a directed-route Get(NodeInfo) from adapter A along a path. */
static enum where send_dr(u8 *mad, const u8 *path, u32 hop_cnt, u32 *hops)
{
	struct glass_seg seg[2];

	mad_init(mad, GLASS_MC_SM_DR, GLASS_MM_GET, GLASS_SA_NODE_INFO, 0);
	mad[GLASS_SMP_HOP_CNT] = hop_cnt;
	memcpy(mad + GLASS_SMP_INITIAL_PATH + 1, path, hop_cnt);
	*hops = 0;
	if (!leaves_a(mad))
		return NOWHERE;
	return carry(AT_X, 2, mad, mad_pkt(0xffff, 0xffff, 0, mad, seg), hops);
}

static void test_dr_walk(void **state)
{
	static const struct {
		u8 path[8];
		u32 cnt;
		u64 guid; /* of the node that answers */
		u8 in_port;
	} walk[] = {
		{ { 1 }, 1, 0x1000, 2 },
		{ { 1, 5 }, 2, 0x2000, 3 },
		{ { 1, 5, 4 }, 3, 0x200, 1 },
		{ { 1, 2 }, 2, 0x100, 1 }, /* back to the sender's own node */
		{ { 1, 5, 3 }, 3, 0x1000, 5 },
		{ { 1, 5, 3, 5, 3, 5, 4 }, 7, 0x200, 1 },
	};
	u8 mad[256];
	u32 i, k, hops;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(walk); i++) {
		assert_int_equal(send_dr(mad, walk[i].path, walk[i].cnt, &hops), AT_A);
		assert_int_equal(mad[GLASS_MAD_METHOD], GLASS_MM_GET_RESP);
		assert_int_equal(glass_mad_status(mad), GLASS_SMP_DIRECTION);
		assert_int_equal(mad[GLASS_SMP_HOP_PTR], 0);
		assert_int_equal(mad[GLASS_SMP_HOP_CNT], walk[i].cnt);
		assert_true(data64(mad, 12) == walk[i].guid);
		assert_int_equal(mad[64 + 36], walk[i].in_port);
		/* the path as it came and the way back as it was taken */
		for (k = 0; k < walk[i].cnt; k++)
			assert_int_equal(mad[GLASS_SMP_INITIAL_PATH + 1 + k], walk[i].path[k]);
		assert_int_equal(mad[GLASS_SMP_RETURN_PATH + walk[i].cnt], walk[i].in_port);
	}
	/* SMPs are not counted as data */
	assert_int_equal(x_ports[5].ctr[GLASS_CTR_XMIT_PKTS], 0);
}

static void test_dr_nowhere(void **state)
{
	static const struct {
		u8 path[4];
		u32 cnt;
	} lost[] = {
		{ { 1, 0 }, 2 },	{ { 1, 9 }, 2 },     { { 1, 71 }, 2 },	 { { 1, 255 }, 2 },
		{ { 1, 5, 0, 4 }, 4 },	{ { 2 }, 1 },	     { { 0 }, 1 },	 { { 1, 5, 4, 1 }, 4 },
		{ { 1, 0, 5 }, 3 },
	};
	u8 mad[256], path[256];
	u32 i, hops;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(lost); i++)
		assert_int_equal(send_dr(mad, lost[i].path, lost[i].cnt, &hops), NOWHERE);
	assert_int_equal(send_dr(mad, lost[0].path, 2, &hops), NOWHERE);
	assert_int_equal(out.why, GLASS_DROP_SMP_ROUTE);

	/* a sender that did not make the first step itself, and pointers out of all range */
	for (i = 0; i < 256; i++) {
		struct glass_seg seg[2];
		struct glass_pkt p = mad_pkt(0xffff, 0xffff, 0, mad, seg);

		if (i >= 1 && i <= 4)
			continue;
		mad_init(mad, GLASS_MC_SM_DR, GLASS_MM_GET, GLASS_SA_NODE_INFO, 0);
		mad[GLASS_SMP_HOP_CNT] = 3;
		mad[GLASS_SMP_HOP_PTR] = i;
		memset(mad + GLASS_SMP_INITIAL_PATH, 5, 64);
		drops(2, &p, GLASS_DROP_SMP_ROUTE);
	}

	/* 63 hops are the most; the path goes to and fro between X and Y */
	for (i = 0; i < 256; i++)
		path[i] = i == 0 ? 1 : i & 1 ? 5 : 3;
	assert_int_equal(send_dr(mad, path, 63, &hops), AT_A);
	assert_true(data64(mad, 12) == 0x1000);
	assert_int_equal(send_dr(mad, path, 64, &hops), NOWHERE);
	assert_int_equal(send_dr(mad, path, 127, &hops), NOWHERE);
}

/* The directed part alone, the LID-routed one before it, and the one after it. */
static void test_dr_lid_parts(void **state)
{
	struct glass_seg seg[2];
	struct glass_pkt p;
	u8 mad[256];
	u32 hops;

	(void)state;
	a_ports[1].lid = 1;
	b_ports[1].lid = 2;
	x.fdb.lft_top = 20;
	y.fdb.lft_top = 20;
	set_lft(&x.fdb, 1, 2);
	set_lft(&x.fdb, 2, 5);
	set_lft(&x.fdb, 10, 0);
	set_lft(&x.fdb, 20, 5);
	set_lft(&y.fdb, 1, 3);
	set_lft(&y.fdb, 2, 4);
	set_lft(&y.fdb, 10, 3);
	set_lft(&y.fdb, 20, 0);

	/* LID routed to Y, then one hop out of its port 4 */
	mad_init(mad, GLASS_MC_SM_DR, GLASS_MM_GET, GLASS_SA_NODE_INFO, 0);
	mad[GLASS_SMP_HOP_CNT] = 1;
	mad[GLASS_SMP_INITIAL_PATH + 1] = 4;
	put_unaligned_be16(1, mad + GLASS_SMP_DR_SLID);
	assert_int_equal(carry(AT_X, 2, mad, mad_pkt(1, 20, 0, mad, seg), &hops), AT_A);
	assert_true(data64(mad, 12) == 0x200);
	assert_int_equal(mad[GLASS_SMP_HOP_PTR], 0);

	/* one hop to X, from there LID routed to B */
	mad_init(mad, GLASS_MC_SM_DR, GLASS_MM_GET, GLASS_SA_NODE_INFO, 0);
	mad[GLASS_SMP_HOP_CNT] = 1;
	mad[GLASS_SMP_INITIAL_PATH + 1] = 1;
	put_unaligned_be16(2, mad + GLASS_SMP_DR_DLID);
	assert_true(leaves_a(mad));
	p = mad_pkt(0xffff, 0xffff, 0, mad, seg);
	glass_switch_rx(&x, 2, &p, &out);
	assert_int_equal(out.kind, GLASS_FWD_MAD);
	assert_int_equal(out.port, 5);
	assert_int_equal(out.slid, 10);
	assert_int_equal(out.dlid, 2);

	/* the LID-routed end is the switch itself */
	mad_init(mad, GLASS_MC_SM_DR, GLASS_MM_GET, GLASS_SA_NODE_INFO, 0);
	mad[GLASS_SMP_HOP_CNT] = 1;
	mad[GLASS_SMP_INITIAL_PATH + 1] = 1;
	put_unaligned_be16(10, mad + GLASS_SMP_DR_DLID);
	assert_true(leaves_a(mad));
	assert_int_equal(carry(AT_X, 2, mad, mad_pkt(0xffff, 0xffff, 0, mad, seg), &hops), AT_A);
	assert_true(data64(mad, 12) == 0x1000);
}

static void test_lid_routed(void **state)
{
	struct glass_seg seg[2], one;
	struct glass_pkt p, r;
	u8 mad[256];
	u32 hops;

	(void)state;
	a_ports[1].lid = 1;
	b_ports[1].lid = 2;
	x.fdb.lft_top = 20;
	y.fdb.lft_top = 20;
	set_lft(&x.fdb, 1, 2);
	set_lft(&x.fdb, 2, 5);
	set_lft(&x.fdb, 20, 5);
	set_lft(&y.fdb, 1, 3);
	set_lft(&y.fdb, 2, 4);
	/* SMPs to a far adapter and a far switch */
	mad_init(mad, GLASS_MC_SM_LID, GLASS_MM_GET, GLASS_SA_NODE_INFO, 0);
	assert_int_equal(carry(AT_X, 2, mad, mad_pkt(1, 2, 0, mad, seg), &hops), AT_A);
	assert_true(data64(mad, 12) == 0x200);
	mad_init(mad, GLASS_MC_SM_LID, GLASS_MM_GET, GLASS_SA_NODE_INFO, 0);
	assert_int_equal(carry(AT_X, 2, mad, mad_pkt(1, 20, 0, mad, seg), &hops), AT_A);
	assert_true(data64(mad, 12) == 0x2000);

	/* perfquery of the switch: who asked, a limited member, gets an answer that it can take, on the same SL */
	x_ports[2].state = GLASS_PORT_ACTIVE;
	mad_init(mad, GLASS_MC_PM, GLASS_MM_GET, GLASS_PA_COUNTERS, 0);
	mad[65] = 2;
	p = mad_pkt(1, 10, 1, mad, seg);
	p.pkey = 0x7fff;
	glass_switch_rx(&x, 2, &p, &out);
	assert_int_equal(out.kind, GLASS_FWD_MAD);
	assert_int_equal(out.port, 2);
	glass_fwd_pkt(&out, &r, &one);
	assert_int_equal(r.slid, 10);
	assert_int_equal(r.dlid, 1);
	assert_int_equal(r.dqpn, 33);
	assert_int_equal(r.sqpn, 1);
	assert_int_equal(r.qkey, 0x80010000);
	assert_int_equal(r.sl, 3);
	assert_int_equal(r.vl, 0);
	assert_int_equal(r.pkey, 0xffff);
	assert_int_equal(r.psn, 99);
	assert_int_equal(r.len, 256);
	assert_int_equal(data32(one.addr, 36), 1);
	assert_int_equal(x_ports[2].ctr[GLASS_CTR_XMIT_PKTS], 1);
	assert_int_equal(x_ports[2].ctr[GLASS_CTR_XMIT_DATA], (8 + 12 + 8 + 256 + 4) / 4);

	/* and what is wrong with a GMP has its reason */
	p.qkey = 1;
	drops(2, &p, GLASS_DROP_BAD_QKEY);
	assert_int_equal(x_ports[0].qkey_viol, 1);
	p.qkey = 0x80010000;
	p.pkey = 0x8001;
	drops(2, &p, GLASS_DROP_BAD_PKEY);
	assert_int_equal(x_ports[0].pkey_viol, 1);
	p.pkey = 0xffff;
	p.dqpn = 2;
	drops(2, &p, GLASS_DROP_NO_QP);
	p.dqpn = 1;
	p.len = 255;
	drops(2, &p, GLASS_DROP_MAD_INVALID);
	p.len = 256;
	mad[GLASS_MAD_CLASS] = GLASS_MC_SA;
	drops(2, &p, GLASS_DROP_MAD_INVALID);
	/* segments that lie about their sum */
	mad[GLASS_MAD_CLASS] = GLASS_MC_PM;
	p.nseg = 1;
	drops(2, &p, GLASS_DROP_MAD_INVALID);
	p.nseg = 2;
	/* an asker whom no table knows */
	p.slid = 0xc005;
	drops(2, &p, GLASS_DROP_NO_ROUTE);
	p.slid = 10;
	drops(2, &p, GLASS_DROP_NO_ROUTE);
}

/* A Set that takes down the port by which it came is still answered. */
static void test_answer_before_down(void **state)
{
	struct glass_seg seg[2];
	struct glass_pkt p;
	u8 mad[256];

	(void)state;
	mad_init(mad, GLASS_MC_SM_DR, GLASS_MM_GET, GLASS_SA_PORT_INFO, 2);
	mad[GLASS_SMP_HOP_CNT] = 1;
	mad[GLASS_SMP_HOP_PTR] = 1;
	p = mad_pkt(0xffff, 0xffff, 0, mad, seg);
	glass_switch_rx(&x, 2, &p, &out);
	assert_int_equal(out.kind, GLASS_FWD_MAD);
	memcpy(mad + 64, out.mad + 64, 64);
	mad[GLASS_MAD_METHOD] = GLASS_MM_SET;
	mad[64 + GLASS_PI_SPEED_STATE] &= 0xf0;
	mad[64 + GLASS_PI_PHYS] = GLASS_PHYS_DISABLED << 4;
	glass_switch_rx(&x, 2, &p, &out);
	assert_int_equal(out.kind, GLASS_FWD_MAD);
	assert_int_equal(out.port, 2);
	assert_int_equal(out.changes, GLASS_CHG_LINK | GLASS_CHG_STATE | 2u << 24);
	assert_int_equal(x_ports[2].state, GLASS_PORT_DOWN);
	drops(2, &p, GLASS_DROP_PORT_DOWN);
}

static void test_trap(void **state)
{
	(void)state;
	/* links came up in setup: there is something to tell, but nobody to tell */
	assert_false(glass_switch_trap(&x, &out));
	x_ports[0].sm_lid = 1;
	/* and no way there */
	assert_true(glass_switch_trap(&x, &out));
	assert_int_equal(out.kind, GLASS_FWD_DROP);
	assert_int_equal(out.why, GLASS_DROP_NO_ROUTE);
	assert_true(out.own);
	set_lft(&x.fdb, 1, 2);
	x.fdb.lft_top = 1;
	assert_true(glass_switch_trap(&x, &out));
	assert_int_equal(out.kind, GLASS_FWD_MAD);
	assert_int_equal(out.port, 2);
	assert_int_equal(out.dlid, 1);
	assert_int_equal(out.slid, 10);
	assert_int_equal(out.vl, GLASS_VL_SMP);
	assert_int_equal(out.dqpn, 0);
}

/* Any packet with any payload at any port, on a switch with any tables. */
static void test_hostile(void **state)
{
	struct glass_seg seg[2];
	u8 mad[256];
	u32 i, kinds[5] = { 0 };

	(void)state;
	for (i = 0; i < GLASS_LFT_LIDS; i++)
		set_lft(&x.fdb, i, rnd());
	for (i = 0; i < GLASS_MFT_LIDS * GLASS_PORT_WORDS; i++)
		set_mft(&x.fdb, i / GLASS_PORT_WORDS, i % GLASS_PORT_WORDS, rnd());
	x.fdb.lft_top = GLASS_LFT_LIDS - 1;
	set_state(x_ports, PORTS, GLASS_PORT_ACTIVE);
	for (i = 0; i < 40000; i++) {
		struct glass_pkt p;
		bool smp = rnd_below(2);

		mad_init(mad, smp ? GLASS_MC_SM_DR : GLASS_MC_PM, 1 + rnd_below(2),
			 0x10 + rnd_below(0x10), rnd_below(80));
		rnd_fill(mad + 64, 192);
		mad[GLASS_SMP_HOP_CNT] = rnd_below(4) ? rnd_below(64) : rnd();
		mad[GLASS_SMP_HOP_PTR] = rnd_below(4) ? rnd_below(65) : rnd();
		mad[GLASS_MAD_STATUS] = rnd();
		if (!rnd_below(4))
			rnd_fill(mad + GLASS_SMP_DR_SLID, 4);
		if (!rnd_below(16))
			rnd_fill(mad, 256);
		p = mad_pkt(rnd_below(2) ? 0xffff : rnd(), rnd_below(2) ? 0xffff : rnd(),
			    smp ? 0 : 1, mad, seg);
		if (!rnd_below(16))
			p.opcode = rnd();
		if (!rnd_below(16))
			p.vl = rnd_below(16);
		x_ports[0].mkey = 0;
		x_ports[0].lid = 10;
		glass_switch_rx(&x, rnd_below(PORTS + 3), &p, &out);
		assert_in_range(out.kind, GLASS_FWD_DROP, GLASS_FWD_MAD);
		kinds[out.kind]++;
		if (out.kind == GLASS_FWD_DROP)
			assert_in_range(out.why, 1, GLASS_DROP_COUNT - 1);
		if (out.kind == GLASS_FWD_PORT || out.kind == GLASS_FWD_MAD)
			assert_in_range(out.port, 1, PORTS);
		if (!(i % 64))
			set_state(x_ports, PORTS, GLASS_PORT_ACTIVE);
	}
	/* all of it was reached */
	assert_true(kinds[GLASS_FWD_DROP] > 100 && kinds[GLASS_FWD_PORT] > 100);
	assert_true(kinds[GLASS_FWD_SET] > 100 && kinds[GLASS_FWD_MAD] > 100);
}

static void test_topology(void **state)
{
	static struct glass_topology t;
	u64 guids[3 * (GLASS_TOPO_MAX_HCAS + 1) + GLASS_TOPO_MAX_LINKS];
	const u32 ports = GLASS_TOPO_MAX_HCA_PORTS - 1;
	u32 h, p, i, k, n = 0;

	(void)state;
	assert_int_equal(glass_topology_star(&t, 0, 1), -EINVAL);
	assert_int_equal(glass_topology_star(&t, GLASS_TOPO_MAX_HCAS + 1, 1), -EINVAL);
	assert_int_equal(glass_topology_star(&t, 1, 0), -EINVAL);
	assert_int_equal(glass_topology_star(&t, 1, GLASS_TOPO_MAX_HCA_PORTS + 1), -EINVAL);
	/* ibfabric and the commands of the fabric know no switch with one port */
	assert_int_equal(glass_topology_star(&t, 1, 1), 0);
	assert_int_equal(t.num_links, 1);
	assert_int_equal(t.switch_ports, 2);
	/* more ports than a switch has */
	assert_int_equal(glass_topology_star(&t, GLASS_TOPO_MAX_HCAS, GLASS_TOPO_MAX_HCA_PORTS), -EINVAL);
	assert_int_equal(glass_topology_star(&t, GLASS_TOPO_MAX_HCAS, ports), 0);
	assert_true(t.switch_ports <= GLASS_SWITCH_MAX_PORTS);
	assert_int_equal(t.num_links, t.switch_ports);
	for (h = 0; h < GLASS_TOPO_MAX_HCAS; h++) {
		for (p = 1; p <= ports; p++) {
			const struct glass_link *l = &t.links[h * ports + p - 1];

			assert_int_equal(l->a.kind, GLASS_END_HCA);
			assert_int_equal(l->a.index, h);
			assert_int_equal(l->a.port, p);
			assert_int_equal(l->b.kind, GLASS_END_SWITCH);
			assert_int_equal(l->b.index, 0);
			assert_int_equal(l->b.port, h * ports + p);
			guids[n++] = glass_guid_hca(GLASS_GUID_BASE, h) + p;
		}
		guids[n++] = glass_guid_hca(GLASS_GUID_BASE, h);
		guids[n++] = glass_guid_system(GLASS_GUID_BASE, GLASS_END_HCA, h);
	}
	guids[n++] = glass_guid_switch(GLASS_GUID_BASE, 0);
	guids[n++] = glass_guid_system(GLASS_GUID_BASE, GLASS_END_SWITCH, 0);
	for (i = 0; i < n; i++)
		for (k = i + 1; k < n; k++)
			assert_true(guids[i] != guids[k]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_unicast, setup),
		cmocka_unit_test_setup(test_trains_count, setup),
		cmocka_unit_test_setup(test_states, setup),
		cmocka_unit_test_setup(test_multicast, setup),
		cmocka_unit_test_setup(test_dr_walk, setup),
		cmocka_unit_test_setup(test_dr_nowhere, setup),
		cmocka_unit_test_setup(test_dr_lid_parts, setup),
		cmocka_unit_test_setup(test_lid_routed, setup),
		cmocka_unit_test_setup(test_answer_before_down, setup),
		cmocka_unit_test_setup(test_trap, setup),
		cmocka_unit_test_setup(test_hostile, setup),
		cmocka_unit_test(test_topology),
	};

	return cmocka_run_group_tests_name("switch", tests, rnd_group, NULL);
}
