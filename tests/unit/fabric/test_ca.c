// SPDX-License-Identifier: GPL-2.0-only
/* A passive channel adapter: what it answers, what it drops, and what it counts. */
#include "mad.h"

#include "fabric/ca.h"
#include "mgmt/notice.h"
#include "wire/opcode.h"

#define LID 0x10
#define SM_LID 0x44

static struct glass_port ports[3];
static struct glass_node ca;
static struct glass_fwd out;
static struct glass_pkt pkt;
static struct glass_seg seg[2];
static u8 mad[256];

static int setup(void **state)
{
	u32 i;

	memset(ports, 0xa5, sizeof(ports));
	memset(&out, 0xa5, sizeof(out));
	assert_int_equal(glass_node_init(&ca, GLASS_NODE_CA, 2, ports, NULL, 0x100, 0x180, "ca"), 0);
	for (i = 1; i <= 2; i++) {
		ports[i].phys_state = GLASS_PHYS_LINKUP;
		ports[i].state = GLASS_PORT_ACTIVE;
		ports[i].lid = LID + i;
	}
	return rnd_restart(state);
}

static void data_pkt(u16 dlid, u32 dqpn)
{
	static u8 bytes[GLASS_MAD_BYTES];

	seg[0] = (struct glass_seg){ .addr = bytes, .len = sizeof(bytes) };
	pkt = (struct glass_pkt){
		.lnh = GLASS_LNH_LOCAL, .slid = SM_LID, .dlid = dlid, .pkey = 0xffff,
		.opcode = GLASS_TR_UD | GLASS_BOP_SEND_ONLY, .dqpn = dqpn, .len = sizeof(bytes),
		.nseg = 1, .seg = seg,
	};
}

/* The MAD in two pieces, as a program may send it */
static void mad_pkt(u16 dlid, u32 qpn)
{
	data_pkt(dlid, qpn);
	seg[0] = (struct glass_seg){ .addr = mad, .len = 100 };
	seg[1] = (struct glass_seg){ .addr = mad + 100, .len = 156 };
	pkt.nseg = 2;
	pkt.sqpn = qpn ? 33 : 0;
	pkt.qkey = qpn ? 0x80010000 : 0;
	pkt.vl = qpn ? 0 : GLASS_VL_SMP;
	pkt.sl = qpn ? 3 : 0;
	pkt.psn = 99;
	pkt.flow = 7;
}

static void dr_pkt(u8 method, u16 attr, u32 mod, u32 hops)
{
	mad_init(mad, GLASS_MC_SM_DR, method, attr, mod);
	mad[GLASS_SMP_HOP_CNT] = mad[GLASS_SMP_HOP_PTR] = hops;
	mad_pkt(GLASS_LID_PERMISSIVE, 0);
	pkt.slid = GLASS_LID_PERMISSIVE;
}

static void gets(u32 port, enum glass_fwd_kind kind)
{
	struct glass_pkt before = pkt;
	u8 was[256];

	memcpy(was, mad, 256);
	memset(out.mad, 0x5a, sizeof(out.mad));
	glass_ca_rx(&ca, port, &pkt, &out);
	assert_int_equal(out.kind, kind);
	assert_memory_equal(&before, &pkt, sizeof(pkt));
	assert_memory_equal(was, mad, 256);
	if (kind != GLASS_FWD_MAD)
		return;
	assert_int_equal(out.port, port);
	assert_int_equal(out.mad[GLASS_MAD_METHOD], GLASS_MM_GET_RESP);
	assert_true(glass_mad_tid(out.mad) == TID);
}

static void drops(u32 port, enum glass_drop why, bool own)
{
	gets(port, GLASS_FWD_DROP);
	assert_int_equal(out.why, why);
	assert_int_equal(out.own, own);
}

static void test_directed_route(void **state)
{
	(void)state;
	dr_pkt(GLASS_MM_GET, GLASS_SA_NODE_INFO, 0, 3);
	gets(2, GLASS_FWD_MAD);
	assert_int_equal(glass_mad_status(out.mad), GLASS_SMP_DIRECTION);
	assert_int_equal(out.mad[GLASS_SMP_HOP_PTR], 3);
	assert_int_equal(out.mad[GLASS_SMP_RETURN_PATH + 3], 2);
	assert_int_equal(out.mad[64 + 2], GLASS_NODE_CA);
	assert_int_equal(out.mad[64 + 36], 2);
	assert_int_equal(out.dlid, GLASS_LID_PERMISSIVE);
	assert_int_equal(out.slid, GLASS_LID_PERMISSIVE);
	assert_int_equal(out.vl, GLASS_VL_SMP);
	assert_int_equal(out.flow, 7);
	assert_int_equal(out.psn, 99);
	/* before it has a LID, too, in INIT */
	ports[1].lid = 0;
	ports[1].state = GLASS_PORT_INIT;
	dr_pkt(GLASS_MM_GET, GLASS_SA_NODE_INFO, 0, 1);
	gets(1, GLASS_FWD_MAD);
	/* VL15 is no data */
	assert_true(ports[1].ctr[GLASS_CTR_RCV_PKTS] == 0 && ports[1].ctr[GLASS_CTR_XMIT_PKTS] == 0);

	/* not the end of the route; a path too long; an answer; a pointer that is beyond */
	mad[GLASS_SMP_HOP_CNT] = 2;
	drops(1, GLASS_DROP_SMP_ROUTE, false);
	dr_pkt(GLASS_MM_GET, GLASS_SA_NODE_INFO, 0, 64);
	drops(1, GLASS_DROP_SMP_ROUTE, false);
	dr_pkt(GLASS_MM_GET, GLASS_SA_NODE_INFO, 0, 2);
	mad[GLASS_SMP_HOP_PTR] = 9;
	drops(1, GLASS_DROP_SMP_ROUTE, false);
	dr_pkt(GLASS_MM_GET_RESP, GLASS_SA_NODE_INFO, 0, 2);
	put_unaligned_be16(GLASS_SMP_DIRECTION, mad + GLASS_MAD_STATUS);
	mad[GLASS_SMP_HOP_PTR] = 1;
	drops(1, GLASS_DROP_MAD_INVALID, false);
	/* the requester would be at this node; the return path names another port */
	dr_pkt(GLASS_MM_GET, GLASS_SA_NODE_INFO, 0, 0);
	drops(1, GLASS_DROP_SMP_ROUTE, true);
	dr_pkt(GLASS_MM_GET, GLASS_SA_NODE_INFO, 0, 2);
	mad[GLASS_SMP_HOP_PTR] = 3;
	mad[GLASS_SMP_RETURN_PATH + 2] = 2;
	drops(1, GLASS_DROP_SMP_ROUTE, true);
}

static void test_lid_routed(void **state)
{
	(void)state;
	mad_init(mad, GLASS_MC_SM_LID, GLASS_MM_GET, GLASS_SA_PORT_INFO, 1);
	mad_pkt(LID + 2, 0);
	gets(2, GLASS_FWD_MAD);
	assert_int_equal(glass_mad_status(out.mad), 0);
	assert_int_equal(data16(out.mad, GLASS_PI_LID), LID + 1);
	assert_int_equal(out.slid, LID + 2);
	assert_int_equal(out.dlid, SM_LID);
	/* by the permissive LID, from a manager that has no LID yet */
	mad_pkt(GLASS_LID_PERMISSIVE, 0);
	pkt.slid = GLASS_LID_PERMISSIVE;
	gets(2, GLASS_FWD_MAD);
	assert_int_equal(out.slid, LID + 2);
	assert_int_equal(out.dlid, GLASS_LID_PERMISSIVE);
	ports[2].lid = 0;
	gets(2, GLASS_FWD_MAD);
	assert_int_equal(out.slid, GLASS_LID_PERMISSIVE);
	/* the LID of the other port is not that of this one */
	mad_pkt(LID + 1, 0);
	drops(2, GLASS_DROP_WRONG_LID, false);
	/* nobody is there to be answered */
	mad_pkt(LID + 1, 0);
	pkt.slid = 0;
	drops(1, GLASS_DROP_NO_ROUTE, true);
	pkt.slid = 0xc001;
	drops(1, GLASS_DROP_NO_ROUTE, true);
}

/* Attributes and classes of vendors: refused by SMA and PMA; other classes are not answered. */
static void test_vendor(void **state)
{
	static const u8 classes[] = { 0x09, 0x0a, 0x0f, 0x30, 0x4f, GLASS_MC_SA, 0x06, 0x07 };
	u32 i;

	(void)state;
	mad_init(mad, GLASS_MC_SM_LID, GLASS_MM_GET, 0xff90, 0);
	mad_pkt(LID + 1, 0);
	gets(1, GLASS_FWD_MAD);
	assert_int_equal(glass_mad_status(out.mad), GLASS_MS_BAD_METHOD_ATTR);
	mad[GLASS_MAD_METHOD] = GLASS_MM_SET;
	gets(1, GLASS_FWD_MAD);
	assert_int_equal(glass_mad_status(out.mad), GLASS_MS_BAD_METHOD_ATTR);
	mad_init(mad, GLASS_MC_PM, GLASS_MM_GET, 0xff72, 0);
	mad_pkt(LID + 1, 1);
	gets(1, GLASS_FWD_MAD);
	assert_int_equal(glass_mad_status(out.mad), GLASS_MS_BAD_METHOD_ATTR);
	for (i = 0; i < ARRAY_SIZE(classes); i++) {
		mad_init(mad, classes[i], GLASS_MM_GET, 1, 0);
		mad_pkt(LID + 1, 1);
		drops(1, GLASS_DROP_MAD_INVALID, false);
		mad_pkt(LID + 1, 0);
		drops(1, GLASS_DROP_MAD_INVALID, false);
	}
}

static void test_gmp(void **state)
{
	struct glass_port *p = &ports[1];
	u64 words;

	(void)state;
	mad_init(mad, GLASS_MC_PM, GLASS_MM_GET, GLASS_PA_COUNTERS, 0);
	mad[64 + 1] = 1;
	mad_pkt(LID + 1, 1);
	words = glass_pkt_words(&pkt);
	gets(1, GLASS_FWD_MAD);
	assert_int_equal(glass_mad_status(out.mad), 0);
	assert_int_equal(out.dqpn, 33);
	assert_int_equal(out.sqpn, 1);
	assert_int_equal(out.qkey, 0x80010000);
	assert_int_equal(out.sl, 3);
	assert_int_equal(out.pkey, 0xffff);
	assert_int_equal(out.dlid, SM_LID);
	assert_int_equal(out.slid, LID + 1);
	/* the answer shows the request, and is counted itself */
	assert_int_equal(data32(out.mad, 36), 1);
	assert_true(p->ctr[GLASS_CTR_RCV_DATA] == words);
	assert_true(p->ctr[GLASS_CTR_XMIT_DATA] == words);
	assert_true(p->ctr[GLASS_CTR_UC_XMIT_PKTS] == 1);

	pkt.pkey = 0x1234;
	drops(1, GLASS_DROP_BAD_PKEY, false);
	assert_int_equal(p->pkey_viol, 1);
	pkt.pkey = 0xffff;
	pkt.qkey = 1;
	drops(1, GLASS_DROP_BAD_QKEY, false);
	assert_int_equal(p->qkey_viol, 1);
	pkt.qkey = 0x80010000;
	pkt.len = 255;
	drops(1, GLASS_DROP_MAD_INVALID, false);
	pkt.len = 256;
	pkt.nseg = 1;
	drops(1, GLASS_DROP_MAD_INVALID, false);
	assert_true(ports[2].ctr[GLASS_CTR_RCV_PKTS] == 0);
}

static void test_data(void **state)
{
	struct glass_port *p = &ports[1];
	u32 s;

	(void)state;
	data_pkt(LID + 1, 77);
	drops(1, GLASS_DROP_NO_QP, false);
	/* QP0 receives from VL15 only */
	data_pkt(LID + 1, 0);
	drops(1, GLASS_DROP_NO_QP, false);
	data_pkt(LID + 5, 77);
	drops(1, GLASS_DROP_WRONG_LID, false);
	data_pkt(0xc001, 77);
	pkt.more = 2;
	gets(1, GLASS_FWD_CONSUMED);
	assert_true(p->ctr[GLASS_CTR_RCV_PKTS] == 6);
	assert_true(p->ctr[GLASS_CTR_MC_RCV_PKTS] == 3);
	/* an SMP has no multicast LID */
	mad_init(mad, GLASS_MC_SM_LID, GLASS_MM_GET, GLASS_SA_NODE_INFO, 0);
	mad_pkt(0xc001, 0);
	drops(1, GLASS_DROP_WRONG_LID, false);

	/* data takes an ARMED port to ACTIVE, multicast too; an SMP does not */
	p->state = GLASS_PORT_ARMED;
	mad_pkt(LID + 1, 0);
	gets(1, GLASS_FWD_MAD);
	assert_int_equal(out.changes, 0);
	assert_int_equal(p->state, GLASS_PORT_ARMED);
	data_pkt(0xc001, 77);
	gets(1, GLASS_FWD_CONSUMED);
	assert_int_equal(p->state, GLASS_PORT_ACTIVE);
	assert_int_equal(out.changes, GLASS_CHG_ACTIVE | GLASS_CHG_STATE | 1 << 24);

	for (s = 0; s < GLASS_PORT_ARMED; s++) {
		p->state = s;
		drops(1, GLASS_DROP_PORT_DOWN, false);
	}
	p->state = GLASS_PORT_DOWN;
	mad_pkt(LID + 1, 0);
	drops(1, GLASS_DROP_PORT_DOWN, false);
	assert_true(p->ctr[GLASS_CTR_RCV_PKTS] == 7);
	/* ports that there are not */
	drops(0, GLASS_DROP_PORT_DOWN, false);
	drops(3, GLASS_DROP_PORT_DOWN, false);
	drops(~0u, GLASS_DROP_PORT_DOWN, false);
}

/* Port numbers reach 254: changes say which port, without an overflow. */
static void test_many_ports(void **state)
{
	static struct glass_port many[255];
	struct glass_node big;

	(void)state;
	assert_int_equal(glass_node_init(&big, GLASS_NODE_CA, 254, many, NULL, 0x1000, 0x1, "big"),
			 0);
	many[254].state = GLASS_PORT_ARMED;
	data_pkt(0xc001, 77);
	glass_ca_rx(&big, 254, &pkt, &out);
	assert_int_equal(GLASS_CHG_PORT(out.changes), 254);
}

/* The answer to a Set that takes the port down leaves by it, and the owner is told. */
static void test_set(void **state)
{
	(void)state;
	mad_init(mad, GLASS_MC_SM_LID, GLASS_MM_GET, GLASS_SA_PORT_INFO, 1);
	mad_pkt(LID + 1, 0);
	gets(1, GLASS_FWD_MAD);
	memcpy(mad + 64, out.mad + 64, 64);
	mad[GLASS_MAD_METHOD] = GLASS_MM_SET;
	mad[64 + GLASS_PI_SPEED_STATE] &= 0xf0;
	mad[64 + GLASS_PI_PHYS] = GLASS_PHYS_DISABLED << 4;
	put_unaligned_be16(SM_LID, mad + 64 + GLASS_PI_SM_LID);
	put_unaligned_be16(0x99, mad + 64 + GLASS_PI_LID);
	gets(1, GLASS_FWD_MAD);
	assert_int_equal(glass_mad_status(out.mad), 0);
	assert_true(out.changes & GLASS_CHG_LINK);
	assert_int_equal(GLASS_CHG_PORT(out.changes), 1);
	assert_int_equal(ports[1].state, GLASS_PORT_DOWN);
	/* from the LID to which the request went */
	assert_int_equal(out.slid, LID + 1);
	assert_int_equal(ports[1].lid, 0x99);
	/* no trap was asked for */
	assert_false(glass_ca_trap(&ca, &out));
}

static void test_mkey(void **state)
{
	(void)state;
	ports[1].mkey = 5;
	ports[1].mkey_protect = 2;
	mad_init(mad, GLASS_MC_SM_LID, GLASS_MM_GET, GLASS_SA_NODE_INFO, 0);
	mad_pkt(LID + 1, 0);
	drops(1, GLASS_DROP_BAD_MKEY, false);
	put_unaligned_be64(5, mad + GLASS_SMP_MKEY);
	gets(1, GLASS_FWD_MAD);
}

static void test_trap(void **state)
{
	(void)state;
	ports[2].sm_lid = SM_LID;
	glass_trap_request(&ca, 2, GLASS_TRAP_LOCAL_CHANGE);
	memset(&out, 0xa5, sizeof(out));
	assert_true(glass_ca_trap(&ca, &out));
	assert_int_equal(out.kind, GLASS_FWD_MAD);
	assert_int_equal(out.port, 2);
	assert_int_equal(out.slid, LID + 2);
	assert_int_equal(out.dlid, SM_LID);
	assert_int_equal(out.mad[GLASS_MAD_METHOD], GLASS_MM_TRAP);
	/* while the link is down, it is lost */
	ports[2].state = GLASS_PORT_DOWN;
	assert_true(glass_ca_trap(&ca, &out));
	assert_int_equal(out.kind, GLASS_FWD_DROP);
	assert_true(out.own);
	assert_int_equal(out.why, GLASS_DROP_PORT_DOWN);
	assert_true(ports[2].ctr[GLASS_CTR_XMIT_DISCARDS] == 1);
}

/* Anything, at any port: a verdict that there is, and answers by the port of the request only. */
static void test_hostile(void **state)
{
	static const u16 lids[] = { LID + 1, LID + 2, GLASS_LID_PERMISSIVE, 0xc000, 0 };
	struct glass_pkt made;
	struct glass_seg own;
	u32 i, k, port;

	(void)state;
	for (i = 0; i < 200000; i++) {
		if (!(i % 500))
			setup(NULL);
		rnd_fill(mad, sizeof(mad));
		mad_init(mad, rnd_below(2) ? GLASS_MC_SM_DR : 1 + rnd_below(6), 1 + rnd_below(8),
			 rnd_below(0x40), rnd_below(4));
		for (k = 64; k < 256; k++)
			mad[k] = rnd_below(4) ? rnd_below(4) : rnd();
		mad[GLASS_SMP_HOP_PTR] = rnd_below(5);
		mad[GLASS_SMP_HOP_CNT] = rnd_below(5);
		if (rnd_below(2))
			put_unaligned_be16(rnd(), mad + GLASS_MAD_STATUS);
		mad_pkt(lids[rnd_below(5)], rnd_below(3));
		pkt.vl = rnd_below(2) ? GLASS_VL_SMP : rnd() & 15;
		pkt.slid = rnd_below(4) ? lids[rnd_below(5)] : rnd();
		port = rnd_below(4);
		memset(&out, 0xa5, sizeof(out));
		glass_ca_rx(&ca, port, &pkt, &out);
		assert_true(out.kind == GLASS_FWD_DROP || out.kind == GLASS_FWD_CONSUMED ||
			    out.kind == GLASS_FWD_MAD);
		assert_true(GLASS_CHG_PORT(out.changes) <= 2);
		if (out.kind == GLASS_FWD_DROP)
			assert_true(out.why > GLASS_DROP_NONE && out.why < GLASS_DROP_COUNT);
		if (out.kind != GLASS_FWD_MAD)
			continue;
		assert_int_equal(out.port, port);
		assert_true(out.dlid && !glass_lid_is_mcast(out.dlid));
		assert_true(out.mad[GLASS_MAD_METHOD] & GLASS_MM_RESPONSE);
		glass_fwd_pkt(&out, &made, &own);
		assert_int_equal(made.len, GLASS_MAD_BYTES);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_directed_route, setup),
		cmocka_unit_test_setup(test_lid_routed, setup),
		cmocka_unit_test_setup(test_vendor, setup),
		cmocka_unit_test_setup(test_gmp, setup),
		cmocka_unit_test_setup(test_data, setup),
		cmocka_unit_test_setup(test_many_ports, setup),
		cmocka_unit_test_setup(test_set, setup),
		cmocka_unit_test_setup(test_mkey, setup),
		cmocka_unit_test_setup(test_trap, setup),
		cmocka_unit_test_setup(test_hostile, setup),
	};

	return cmocka_run_group_tests_name("ca", tests, NULL, NULL);
}
