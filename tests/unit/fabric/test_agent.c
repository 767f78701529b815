// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a switch and a passive adapter have in common: LinkArm, and attributes and classes of
 * vendors.
 */
#include "fdb.h"
#include "mad.h"

#include "fabric/ca.h"
#include "fabric/switch.h"

#define LID 7
#define SW_LID 9

static struct glass_port ca_ports[2], sw_ports[4];
static struct glass_node ca;
static struct glass_switch sw;
static struct glass_fwd out;
static u8 mad[256];

static int setup(void **state)
{
	(void)state;
	glass_fdb_free(&sw.fdb);
	memset(&sw, 0xa5, sizeof(sw));
	assert_int_equal(glass_node_init(&ca, GLASS_NODE_CA, 1, ca_ports, NULL, 0x100, 0x180, "ca"),
			 0);
	assert_int_equal(glass_switch_init(&sw, 3, sw_ports, 0x200, 0x280, "switch"), 0);
	for (u32 i = 1; i <= 3; i++) {
		sw_ports[i].phys_state = GLASS_PHYS_LINKUP;
		sw_ports[i].state = GLASS_PORT_ACTIVE;
		set_lft(&sw.fdb, i, i);
	}
	set_lft(&sw.fdb, LID, 2);
	set_lft(&sw.fdb, SW_LID, 0);
	set_mft(&sw.fdb, 0, 0, 1 << 2 | 1 << 3);
	sw.fdb.lft_top = 10;
	sw_ports[0].lid = SW_LID;
	ca_ports[1].phys_state = GLASS_PHYS_LINKUP;
	ca_ports[1].state = GLASS_PORT_ACTIVE;
	ca_ports[1].lid = LID;
	return 0;
}

static struct glass_pkt mad_pkt(u16 dlid, u32 qpn)
{
	static struct glass_seg seg = { .addr = mad, .len = 256 };

	return (struct glass_pkt){
		.lnh = GLASS_LNH_LOCAL, .slid = 1, .dlid = dlid, .pkey = 0xffff,
		.opcode = GLASS_TR_UD | GLASS_BOP_SEND_ONLY, .sqpn = qpn ? 33 : 0, .dqpn = qpn,
		.vl = qpn ? 0 : GLASS_VL_SMP, .qkey = qpn ? 0x80010000 : 0, .len = 256, .nseg = 1,
		.seg = &seg,
	};
}

/*
 * LinkArm (IBA 7.2.7): an ARMED port sends SMPs only; it receives data, and that makes it ACTIVE.
 * One direction: data from port 1 to port 2 of the switch.
 */
static void test_armed_switch(void **state)
{
	struct glass_pkt smp = mad_pkt(LID, 0), data = mad_pkt(LID, 77), group = data;

	(void)state;
	group.dlid = 0xc000;
	mad_init(mad, GLASS_MC_SM_LID, GLASS_MM_GET, GLASS_SA_NODE_INFO, 0);
	/* the egress port: SMPs leave, data does not, and the port stays as it is */
	sw_ports[2].state = GLASS_PORT_ARMED;
	glass_switch_rx(&sw, 1, &smp, &out);
	assert_int_equal(out.kind, GLASS_FWD_PORT);
	glass_switch_rx(&sw, 1, &data, &out);
	assert_int_equal(out.kind, GLASS_FWD_DROP);
	assert_int_equal(out.why, GLASS_DROP_PORT_DOWN);
	assert_int_equal(glass_switch_fast(&sw, 1, &data, glass_pkt_words(&data)), 0);
	glass_switch_rx(&sw, 1, &group, &out);
	assert_int_equal(out.kind, GLASS_FWD_SET);
	assert_true(out.ports[0] == 1 << 3 && out.down[0] == 1 << 2);
	assert_int_equal(sw_ports[2].state, GLASS_PORT_ARMED);
	assert_int_equal(out.changes, 0);
	/* the ingress port: an SMP changes nothing, data makes it ACTIVE, and is forwarded */
	smp.dlid = data.dlid = 1;
	glass_switch_rx(&sw, 2, &smp, &out);
	assert_int_equal(out.kind, GLASS_FWD_PORT);
	assert_int_equal(sw_ports[2].state, GLASS_PORT_ARMED);
	assert_int_equal(glass_switch_fast(&sw, 2, &data, glass_pkt_words(&data)), 0);
	glass_switch_rx(&sw, 2, &data, &out);
	assert_int_equal(out.kind, GLASS_FWD_PORT);
	assert_int_equal(sw_ports[2].state, GLASS_PORT_ACTIVE);
	assert_int_equal(out.changes, GLASS_CHG_ACTIVE | GLASS_CHG_STATE | 2 << 24);
	assert_int_equal(glass_switch_fast(&sw, 2, &data, glass_pkt_words(&data)), 1);
	/* multicast, and data that is dropped, too */
	sw_ports[1].state = GLASS_PORT_ARMED;
	glass_switch_rx(&sw, 1, &group, &out);
	assert_int_equal(out.kind, GLASS_FWD_SET);
	assert_int_equal(sw_ports[1].state, GLASS_PORT_ACTIVE);
	sw_ports[1].state = GLASS_PORT_ARMED;
	data.dlid = 6;
	glass_switch_rx(&sw, 1, &data, &out);
	assert_int_equal(out.kind, GLASS_FWD_DROP);
	assert_int_equal(sw_ports[1].state, GLASS_PORT_ACTIVE);
	/* below ARMED no data arrives */
	sw_ports[1].state = GLASS_PORT_INIT;
	glass_switch_rx(&sw, 1, &group, &out);
	assert_int_equal(out.why, GLASS_DROP_PORT_DOWN);
	assert_int_equal(sw_ports[1].state, GLASS_PORT_INIT);
}

/*
 * The other end of the cable: a port of an adapter. Its answer to a GMP leaves, because it is
 * ACTIVE.
 */
static void test_armed_ca(void **state)
{
	struct glass_pkt smp = mad_pkt(LID, 0), gmp = mad_pkt(LID, 1), data = mad_pkt(LID, 77);
	struct glass_port *p = &ca_ports[1];

	(void)state;
	p->state = GLASS_PORT_ARMED;
	assert_true(glass_port_sends(p, GLASS_VL_SMP) && !glass_port_sends(p, 0));
	assert_true(glass_port_receives(p, GLASS_VL_SMP) && glass_port_receives(p, 0));
	mad_init(mad, GLASS_MC_SM_LID, GLASS_MM_GET, GLASS_SA_NODE_INFO, 0);
	glass_ca_rx(&ca, 1, &smp, &out);
	assert_int_equal(out.kind, GLASS_FWD_MAD);
	assert_int_equal(p->state, GLASS_PORT_ARMED);
	mad_init(mad, GLASS_MC_PM, GLASS_MM_GET, GLASS_PA_CLASS_PORT_INFO, 0);
	glass_ca_rx(&ca, 1, &gmp, &out);
	assert_int_equal(out.kind, GLASS_FWD_MAD);
	assert_int_equal(p->state, GLASS_PORT_ACTIVE);
	assert_int_equal(out.changes, GLASS_CHG_ACTIVE | GLASS_CHG_STATE | 1 << 24);
	/* a dropped packet is data, too */
	p->state = GLASS_PORT_ARMED;
	glass_ca_rx(&ca, 1, &data, &out);
	assert_int_equal(out.why, GLASS_DROP_NO_QP);
	assert_int_equal(p->state, GLASS_PORT_ACTIVE);
	p->state = GLASS_PORT_INIT;
	glass_ca_rx(&ca, 1, &data, &out);
	assert_int_equal(out.why, GLASS_DROP_PORT_DOWN);
	assert_int_equal(p->state, GLASS_PORT_INIT);
}

static void rx(bool at_switch, const struct glass_pkt *pkt)
{
	if (at_switch)
		glass_switch_rx(&sw, 1, pkt, &out);
	else
		glass_ca_rx(&ca, 1, pkt, &out);
}

/* Attributes of vendors: "method/attribute combination not supported", and nothing changes. */
static void test_vendor_attributes(void **state)
{
	static const u8 classes[] = { GLASS_MC_SM_LID, GLASS_MC_SM_DR, GLASS_MC_PM };
	static const u16 attrs[] = { 0xff00, 0xff17, 0xff90, 0xffb0, 0xffff };

	(void)state;
	for (u32 i = 0; i < 2 * 3 * 5 * 2; i++) {
		bool at_switch = i & 1;
		u8 class = classes[i / 4 % 3];
		u16 status;
		struct glass_pkt pkt = mad_pkt(at_switch ? SW_LID : LID, class == GLASS_MC_PM);

		mad_init(mad, class, i & 2 ? GLASS_MM_SET : GLASS_MM_GET, attrs[i / 12], 1);
		memset(mad + 64, 0x77, 64);
		if (class == GLASS_MC_SM_DR)
			mad[GLASS_SMP_HOP_PTR] = mad[GLASS_SMP_HOP_CNT] = 1;
		rx(at_switch, &pkt);
		assert_int_equal(out.kind, GLASS_FWD_MAD);
		assert_int_equal(out.changes, 0);
		status = glass_mad_status(out.mad) & ~GLASS_SMP_DIRECTION;
		assert_int_equal(status, GLASS_MS_BAD_METHOD_ATTR);
		assert_memory_equal(out.mad + 64, mad + 64, 64);
	}
}

/* Classes of vendors, and all others but the two agents': no answer, and the packet is dropped. */
static void test_vendor_classes(void **state)
{
	(void)state;
	for (u32 class = 0; class < 256; class++) {
		for (u32 i = 0; i < 4; i++) {
			struct glass_pkt pkt = mad_pkt(i & 1 ? SW_LID : LID, i >> 1);

			if (i >> 1 ? class == GLASS_MC_PM :
				     class == GLASS_MC_SM_LID || class == GLASS_MC_SM_DR)
				continue;
			mad_init(mad, class, GLASS_MM_GET, GLASS_SA_NODE_INFO, 0);
			rx(i & 1, &pkt);
			assert_int_equal(out.kind, GLASS_FWD_DROP);
			assert_int_equal(out.why, GLASS_DROP_MAD_INVALID);
			assert_false(out.own);
		}
	}
}

/* VL15 is not in the counters of data and packets, at either node. */
static void test_vl15_is_not_counted(void **state)
{
	struct glass_pkt pkt;

	(void)state;
	mad_init(mad, GLASS_MC_SM_LID, GLASS_MM_GET, GLASS_SA_NODE_INFO, 0);
	pkt = mad_pkt(LID, 0);
	rx(false, &pkt);
	assert_int_equal(out.kind, GLASS_FWD_MAD);
	pkt = mad_pkt(SW_LID, 0);
	rx(true, &pkt);
	assert_int_equal(out.kind, GLASS_FWD_MAD);
	pkt = mad_pkt(LID, 0);
	rx(true, &pkt);
	assert_int_equal(out.kind, GLASS_FWD_PORT);
	for (u32 i = GLASS_CTR_XMIT_DATA; i <= GLASS_CTR_MC_RCV_PKTS; i++)
		assert_true(!ca_ports[1].ctr[i] && !sw_ports[1].ctr[i] && !sw_ports[2].ctr[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_armed_switch, setup),
		cmocka_unit_test_setup(test_armed_ca, setup),
		cmocka_unit_test_setup(test_vendor_attributes, setup),
		cmocka_unit_test_setup(test_vendor_classes, setup),
		cmocka_unit_test_setup(test_vl15_is_not_counted, setup),
	};

	return cmocka_run_group_tests_name("agent", tests, NULL, NULL);
}
