// SPDX-License-Identifier: GPL-2.0-only
/* Partitions: external ports of a switch that let only the P_Keys of their tables in and out. */
#include "fdb.h"
#include "mad.h"

#include "fabric/switch.h"
#include "mgmt/notice.h"
#include "mgmt/sma.h"

#define PORTS 4

static struct glass_switch sw;
static struct glass_port ports[PORTS + 1];
static struct glass_fwd out;
static u8 in[256], mad[256];

static int setup(void **state)
{
	u32 i;

	glass_fdb_free(&sw.fdb);
	memset(&sw, 0xa5, sizeof(sw));
	assert_int_equal(glass_switch_init(&sw, PORTS, ports, 0x1000, 0x1080, "x"), 0);
	for (i = 1; i <= PORTS; i++) {
		ports[i].phys_state = GLASS_PHYS_LINKUP;
		ports[i].state = GLASS_PORT_ACTIVE;
		set_lft(&sw.fdb, i, i);
	}
	ports[0].lid = 10;
	ports[0].sm_lid = 1;
	set_lft(&sw.fdb, 10, 0);
	sw.fdb.lft_top = 10;
	return rnd_restart(state);
}

static int ask(u8 method, u16 attr, u32 mod)
{
	u32 chg;

	in[GLASS_MAD_METHOD] = method;
	put_unaligned_be16(attr, in + GLASS_MAD_ATTR);
	put_unaligned_be32(mod, in + GLASS_MAD_ATTR_MOD);
	assert_int_equal(glass_sma_process(&sw.node, 1, in, mad, 0, &chg), GLASS_MAD_REPLY);
	return glass_mad_status(mad);
}

static int get(u16 attr, u32 mod)
{
	mad_init(in, GLASS_MC_SM_LID, GLASS_MM_GET, attr, mod);
	return ask(GLASS_MM_GET, attr, mod);
}

/* As OpenSM does: Get PortInfo, and Set it with other bits. */
static void enforce(u32 port, u8 bits)
{
	assert_int_equal(get(GLASS_SA_PORT_INFO, port), 0);
	memcpy(in + 64, mad + 64, 64);
	in[64 + GLASS_PI_SPEED_STATE] &= 0xf0;
	in[64 + GLASS_PI_PHYS] = 0;
	in[64 + GLASS_PI_OPVL_ENFORCE] |= bits;
	assert_int_equal(ask(GLASS_MM_SET, GLASS_SA_PORT_INFO, port), 0);
}

static void pkeys(u32 port, u16 a, u16 b)
{
	mad_init(in, GLASS_MC_SM_LID, GLASS_MM_SET, GLASS_SA_PKEY_TABLE, port << 16);
	put_unaligned_be16(a, in + 64 + 2 * 30);
	put_unaligned_be16(b, in + 64 + 2 * 31);
	assert_int_equal(ask(GLASS_MM_SET, GLASS_SA_PKEY_TABLE, port << 16), 0);
}

static struct glass_pkt data_pkt(u16 dlid, u16 pkey)
{
	static u8 bytes[64];
	static struct glass_seg seg = { .addr = bytes, .len = 64 };

	return (struct glass_pkt){
		.lnh = GLASS_LNH_LOCAL, .slid = 1, .dlid = dlid, .sl = 5,
		.opcode = GLASS_BOP_SEND_ONLY, .dqpn = 77, .pkey = pkey, .len = 64, .nseg = 1,
		.seg = &seg,
	};
}

/* The packet passes from port 1 to port 2, also by the fast path; or both say why not. */
static void check(u16 pkey, enum glass_drop why)
{
	struct glass_pkt p = data_pkt(2, pkey);

	assert_int_equal(glass_switch_fast(&sw, 1, &p, glass_pkt_words(&p)), why ? 0 : 2);
	glass_switch_rx(&sw, 1, &p, &out);
	assert_int_equal(out.kind, why ? GLASS_FWD_DROP : GLASS_FWD_PORT);
	assert_int_equal(out.why, why);
	assert_false(out.own);
}

static void test_caps(void **state)
{
	(void)state;
	assert_int_equal(get(GLASS_SA_SWITCH_INFO, 0), 0);
	assert_int_equal(data16(mad, 14), 32);
	assert_int_equal(mad[64 + 16], 0xc0);
	assert_int_equal(get(GLASS_SA_PKEY_TABLE, 3 << 16), 0);
	assert_int_equal(data16(mad, 0), 0xffff);
	assert_int_equal(get(GLASS_SA_PKEY_TABLE, 3 << 16 | 1), GLASS_MS_BAD_FIELD);
	assert_int_equal(get(GLASS_SA_PKEY_TABLE, (PORTS + 1) << 16), GLASS_MS_BAD_FIELD);
	/* FilterRaw bits are not kept; port 0 enforces nothing */
	enforce(3, 0xf);
	assert_int_equal(get(GLASS_SA_PORT_INFO, 3), 0);
	assert_int_equal(mad[64 + GLASS_PI_OPVL_ENFORCE] & 0xf, 0xc);
	assert_int_equal(ports[3].enforce, GLASS_ENFORCE_IN | GLASS_ENFORCE_OUT);
	enforce(0, 0xf);
	assert_int_equal(ports[0].enforce, 0);
	assert_int_equal(get(GLASS_SA_PORT_INFO, 0), 0);
	assert_int_equal(mad[64 + GLASS_PI_OPVL_ENFORCE] & 0xf, 0);
}

static void test_inbound(void **state)
{
	(void)state;
	pkeys(1, 0x8001, 0x0002);
	/* a table that nobody enforces means nothing */
	check(0x8009, GLASS_DROP_NONE);
	enforce(1, GLASS_ENFORCE_IN);
	check(0x8001, GLASS_DROP_NONE);
	check(0x0001, GLASS_DROP_NONE);
	/* what a limited member sends is limited */
	check(0x0002, GLASS_DROP_NONE);
	check(0x8009, GLASS_DROP_BAD_PKEY);
	assert_true(ports[1].ctr[GLASS_CTR_RCV_CONSTRAINT] == 1);
	assert_int_equal(ports[1].pkey_viol, 1);
	/* 0 is no P_Key, although it stands in the table */
	check(0, GLASS_DROP_BAD_PKEY);
	check(0x8000, GLASS_DROP_BAD_PKEY);
	check(0xffff, GLASS_DROP_BAD_PKEY);
	assert_true(ports[1].ctr[GLASS_CTR_RCV_CONSTRAINT] == 4);
	assert_true(ports[2].ctr[GLASS_CTR_XMIT_CONSTRAINT] == 0);
	assert_true(ports[2].ctr[GLASS_CTR_XMIT_DISCARDS] == 0);
}

static void test_outbound(void **state)
{
	struct glass_pkt p;

	(void)state;
	pkeys(2, 0x8001, 0x0002);
	enforce(2, GLASS_ENFORCE_OUT);
	check(0x8001, GLASS_DROP_NONE);
	check(0x0001, GLASS_DROP_NONE);
	check(0x8002, GLASS_DROP_NONE);
	/* two limited members do not match */
	check(0x0002, GLASS_DROP_BAD_PKEY);
	check(0xffff, GLASS_DROP_BAD_PKEY);
	assert_true(ports[2].ctr[GLASS_CTR_XMIT_CONSTRAINT] == 2);
	assert_int_equal(ports[2].pkey_viol, 2);
	assert_true(ports[2].ctr[GLASS_CTR_XMIT_DISCARDS] == 0);
	assert_true(ports[1].ctr[GLASS_CTR_RCV_CONSTRAINT] == 0);
	/* the other direction is free; a train counts as its packets do */
	p = data_pkt(1, 0xffff);
	glass_switch_rx(&sw, 2, &p, &out);
	assert_int_equal(out.kind, GLASS_FWD_PORT);
	p = data_pkt(2, 0xffff);
	p.more = 3;
	glass_switch_rx(&sw, 1, &p, &out);
	assert_true(ports[2].ctr[GLASS_CTR_XMIT_CONSTRAINT] == 6);
}

static void test_multicast(void **state)
{
	struct glass_pkt p = data_pkt(0xc000, 0x8001);

	(void)state;
	set_mft(&sw.fdb, 0, 0, 1 << 2 | 1 << 3 | 1 << 4);
	pkeys(2, 0x8005, 0);
	pkeys(3, 0x0001, 0);
	enforce(2, GLASS_ENFORCE_OUT);
	enforce(3, GLASS_ENFORCE_OUT);
	glass_switch_rx(&sw, 1, &p, &out);
	assert_int_equal(out.kind, GLASS_FWD_SET);
	assert_true(out.ports[0] == (1 << 3 | 1 << 4));
	assert_true(out.denied[0] == 1 << 2);
	assert_true(!out.down[0] && !out.too_long[0]);
	assert_true(ports[2].ctr[GLASS_CTR_XMIT_CONSTRAINT] == 1);
	enforce(1, GLASS_ENFORCE_IN);
	pkeys(1, 0x8005, 0);
	glass_switch_rx(&sw, 1, &p, &out);
	assert_int_equal(out.kind, GLASS_FWD_DROP);
	assert_int_equal(out.why, GLASS_DROP_BAD_PKEY);
}

/* SMPs pass; GMPs for the switch and its answers do not, if the port does not let them. */
static void test_mads(void **state)
{
	struct glass_seg seg = { .addr = in, .len = 256 };
	struct glass_pkt p = data_pkt(10, 0xffff);

	(void)state;
	pkeys(1, 0x8005, 0);
	enforce(1, GLASS_ENFORCE_IN | GLASS_ENFORCE_OUT);
	mad_init(in, GLASS_MC_SM_LID, GLASS_MM_GET, GLASS_SA_NODE_INFO, 0);
	p.opcode = GLASS_TR_UD | GLASS_BOP_SEND_ONLY;
	p.vl = GLASS_VL_SMP;
	p.dqpn = 0;
	p.len = 256;
	p.seg = &seg;
	glass_switch_rx(&sw, 1, &p, &out);
	assert_int_equal(out.kind, GLASS_FWD_MAD);
	p.dlid = 2;
	glass_switch_rx(&sw, 1, &p, &out);
	assert_int_equal(out.kind, GLASS_FWD_PORT);

	mad_init(in, GLASS_MC_PM, GLASS_MM_GET, GLASS_PA_CLASS_PORT_INFO, 0);
	p.vl = 0;
	p.dlid = 10;
	p.dqpn = 1;
	p.qkey = 0x80010000;
	glass_switch_rx(&sw, 1, &p, &out);
	assert_int_equal(out.kind, GLASS_FWD_DROP);
	assert_int_equal(out.why, GLASS_DROP_BAD_PKEY);
	assert_false(out.own);
	ports[1].enforce = GLASS_ENFORCE_OUT;
	glass_switch_rx(&sw, 1, &p, &out);
	assert_int_equal(out.kind, GLASS_FWD_DROP);
	assert_int_equal(out.why, GLASS_DROP_BAD_PKEY);
	assert_true(out.own);
	assert_true(ports[1].ctr[GLASS_CTR_XMIT_CONSTRAINT] == 1);
	ports[1].enforce = 0;
	glass_switch_rx(&sw, 1, &p, &out);
	assert_int_equal(out.kind, GLASS_FWD_MAD);
}

/* The fast path and the slow one agree, whatever states and tables the two ports have. */
static void test_paths_agree(void **state)
{
	static const u16 keys[] = { 0xffff, 0x8001, 0x0001, 0x8002, 0x0002, 0, 0x7fff };
	u32 i;

	(void)state;
	for (i = 0; i < 50000; i++) {
		struct glass_pkt p = data_pkt(2, keys[rnd_below(7)]);
		u32 port;

		for (port = 1; port <= 2; port++) {
			ports[port].state = rnd_below(4) ? GLASS_PORT_ACTIVE : rnd_below(5);
			ports[port].enforce = rnd_below(4) << 2;
			ports[port].pkeys[0] = keys[rnd_below(7)];
			ports[port].pkeys[31] = keys[rnd_below(7)];
		}
		/* as after a Set */
		glass_fdb_changed(&sw.fdb);
		port = glass_switch_fast(&sw, 1, &p, glass_pkt_words(&p));
		if (ports[1].state == GLASS_PORT_ARMED)
			assert_int_equal(port, 0);
		else if (port)
			assert_int_equal(port, 2);
		i += ports[1].state == GLASS_PORT_ARMED;
		glass_switch_rx(&sw, 1, &p, &out);
		if (out.changes & GLASS_CHG_ACTIVE)
			continue;
		assert_int_equal(out.kind == GLASS_FWD_PORT, port == 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_caps, setup),
		cmocka_unit_test_setup(test_inbound, setup),
		cmocka_unit_test_setup(test_outbound, setup),
		cmocka_unit_test_setup(test_multicast, setup),
		cmocka_unit_test_setup(test_mads, setup),
		cmocka_unit_test_setup(test_paths_agree, setup),
	};

	return cmocka_run_group_tests_name("partition", tests, NULL, NULL);
}
