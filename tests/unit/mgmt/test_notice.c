// SPDX-License-Identifier: GPL-2.0-only
/* Traps: what asks for them, what is in them, how they take turns, and how they are repressed. */
#include "mad.h"

#include "fabric/ca.h"
#include "fabric/switch.h"
#include "mgmt/notice.h"
#include "mgmt/sma.h"

#define LID 0x10
#define SM_LID 0x44
#define GIDS(p) memset((p).grh.sgid, 0xaa, 16), memset((p).grh.dgid, 0xbb, 16)

static struct glass_port ca_ports[3], sw_ports[5];
static struct glass_node ca;
static struct glass_switch sw;
static struct glass_fwd out;
static u8 mad[256], in[256], answer[256];
static const u8 *const det = mad + GLASS_SMP_DATA + GLASS_NT_DETAILS;
static u32 port;

static int setup(void **state)
{
	u32 i;

	(void)state;
	glass_fdb_free(&sw.fdb);
	memset(&sw, 0xa5, sizeof(sw));
	memset(&ca, 0xa5, sizeof(ca));
	assert_int_equal(glass_node_init(&ca, GLASS_NODE_CA, 2, ca_ports, NULL, 0x100, 0x180, "ca"),
			 0);
	assert_int_equal(glass_switch_init(&sw, 4, sw_ports, 0x200, 0x280, "switch"), 0);
	for (i = 1; i <= 2; i++) {
		ca_ports[i].phys_state = GLASS_PHYS_LINKUP;
		ca_ports[i].state = GLASS_PORT_ACTIVE;
		ca_ports[i].lid = LID + i;
		ca_ports[i].sm_lid = SM_LID;
	}
	for (i = 1; i <= 4; i++) {
		sw_ports[i].phys_state = GLASS_PHYS_LINKUP;
		sw_ports[i].state = GLASS_PORT_ACTIVE;
	}
	sw_ports[0].lid = 0x55;
	sw_ports[0].sm_lid = SM_LID;
	port = ~0u;
	return 0;
}

/* The next trap of the node has this number and type. Returns its transaction ID. */
static u64 trap(struct glass_node *n, u16 number, u8 type)
{
	memset(mad, 0x5a, sizeof(mad));
	assert_true(n->trap_pending);
	assert_true(glass_trap_build(n, mad, &port));
	assert_int_equal(mad[GLASS_MAD_METHOD], GLASS_MM_TRAP);
	assert_int_equal(glass_mad_attr(mad), GLASS_SA_NOTICE);
	assert_int_equal(data16(mad, GLASS_NT_NUMBER), number);
	assert_int_equal(mad[64 + GLASS_NT_TYPE], type);
	assert_int_equal(data32(mad, GLASS_NT_TYPE) & 0xffffff, n->type);
	assert_int_equal(data16(mad, GLASS_NT_ISSUER_LID), n->ports[port].lid);
	return glass_mad_tid(mad);
}

static void none(struct glass_node *n)
{
	assert_false(n->trap_pending);
	assert_false(glass_trap_build(n, mad, &port));
}

static void repress(struct glass_node *n, u64 tid)
{
	u8 smp[256];
	u32 chg;

	mad_init(smp, GLASS_MC_SM_LID, GLASS_MM_TRAP_REPRESS, GLASS_SA_NOTICE, 0);
	put_unaligned_be64(tid, smp + GLASS_MAD_TID);
	put_unaligned_be64(n->ports[n->type == GLASS_NODE_CA].mkey, smp + GLASS_SMP_MKEY);
	assert_int_equal(glass_sma_process(n, 1, smp, answer, 0, &chg), GLASS_MAD_CONSUMED);
}

static struct glass_pkt bad_pkt(u16 dlid)
{
	static u8 bytes[256];
	static struct glass_seg seg = { .addr = bytes, .len = 256 };

	return (struct glass_pkt){
		.lnh = GLASS_LNH_LOCAL, .sl = 9, .slid = 0x22, .dlid = dlid, .pkey = 0x1234,
		.opcode = GLASS_TR_UD | GLASS_BOP_SEND_ONLY, .sqpn = 0xabcdef, .dqpn = 1,
		.qkey = 0x55667788, .len = 256, .nseg = 1, .seg = &seg,
	};
}

static void test_local_change(void **state)
{
	u64 tid;

	(void)state;
	none(&ca);
	ca_ports[2].cap_mask = 0x12345678;
	glass_trap_local_change(&ca, 2, 0);
	tid = trap(&ca, 144, 0x84);
	assert_int_equal(port, 2);
	assert_int_equal(get_unaligned_be16(det + 2), LID + 2);
	assert_int_equal(get_unaligned_be32(det + 6), 0x12345678);
	assert_int_equal(det[5], 0);
	assert_int_equal(get_unaligned_be16(det + 10), 0);
	/* a second change before the first was repressed: one trap says both */
	glass_trap_local_change(&ca, 2, GLASS_LOCAL_DESC);
	glass_trap_local_change(&ca, 2, GLASS_LOCAL_SPEED);
	repress(&ca, tid);
	tid = trap(&ca, 144, 0x84);
	assert_int_equal(det[5], 1);
	assert_int_equal(get_unaligned_be16(det + 10), GLASS_LOCAL_DESC | GLASS_LOCAL_SPEED);
	repress(&ca, tid);
	none(&ca);
	glass_trap_local_change(&ca, 1, 0);
	trap(&ca, 144, 0x84);
	assert_int_equal(get_unaligned_be16(det + 10), 0);
}

static void test_mkey(void **state)
{
	u64 tid;
	u32 chg;

	(void)state;
	ca_ports[1].mkey = 5;
	ca_ports[1].mkey_protect = 2;
	mad_init(in, GLASS_MC_SM_LID, GLASS_MM_SET, GLASS_SA_PORT_INFO, 0x80000001);
	put_unaligned_be64(0x1122334455667788ULL, in + GLASS_SMP_MKEY);
	ca.smp_slid = 0x33;
	assert_int_equal(glass_sma_process(&ca, 1, in, answer, 0, &chg), GLASS_MAD_BAD_MKEY);
	tid = trap(&ca, 256, 0x82);
	assert_int_equal(port, 1);
	assert_int_equal(get_unaligned_be16(det + 2), 0x33);
	assert_int_equal(get_unaligned_be16(det + 4), 0);
	assert_int_equal(det[6], GLASS_MM_SET);
	assert_int_equal(get_unaligned_be16(det + 8), GLASS_SA_PORT_INFO);
	assert_int_equal(get_unaligned_be32(det + 10), 0x80000001);
	assert_true(get_unaligned_be64(det + 14) == 0x1122334455667788ULL);
	assert_int_equal(det[23], 0);
	/* a flood of bad SMPs does not change the trap that is about to be repressed */
	in[GLASS_MAD_METHOD] = GLASS_MM_GET;
	assert_int_equal(glass_sma_process(&ca, 1, in, answer, 0, &chg), GLASS_MAD_BAD_MKEY);
	assert_true(trap(&ca, 256, 0x82) == tid);
	assert_int_equal(det[6], GLASS_MM_SET);
	repress(&ca, tid);
	none(&ca);

	/* by directed route: the path back; a long one is cut */
	mad_init(in, GLASS_MC_SM_DR, GLASS_MM_GET, GLASS_SA_NODE_INFO, 0);
	in[GLASS_SMP_HOP_CNT] = 40;
	memset(in + GLASS_SMP_RETURN_PATH, 0x77, 64);
	in[GLASS_SMP_RETURN_PATH + 1] = 6;
	assert_int_equal(glass_sma_process(&ca, 1, in, answer, 0, &chg), GLASS_MAD_BAD_MKEY);
	trap(&ca, 256, 0x82);
	assert_int_equal(get_unaligned_be16(det + 4), GLASS_LID_PERMISSIVE);
	assert_int_equal(det[23], 0x80 | 0x40 | 40);
	assert_int_equal(det[24], 6);
	assert_int_equal(det[53], 0x77);
	assert_int_equal(mad[64 + GLASS_NT_DETAILS + 54], 0);
	repress(&ca, glass_mad_tid(mad));
	in[GLASS_SMP_HOP_CNT] = 2;
	assert_int_equal(glass_sma_process(&ca, 1, in, answer, 0, &chg), GLASS_MAD_BAD_MKEY);
	trap(&ca, 256, 0x82);
	assert_int_equal(det[23], 0x80 | 2);
	assert_int_equal(det[25], 0x77);
	assert_int_equal(det[26], 0);
}

/* At a port of an adapter: 257 and 258, of the port that received the packet. */
static void test_keys(void **state)
{
	struct glass_pkt p = bad_pkt(LID + 2);

	(void)state;
	glass_ca_rx(&ca, 2, &p, &out);
	assert_int_equal(out.why, GLASS_DROP_BAD_PKEY);
	assert_int_equal(out.changes, GLASS_CHG_TRAP | 2 << 24);
	trap(&ca, 257, 0x82);
	assert_int_equal(port, 2);
	assert_int_equal(get_unaligned_be16(det + 2), 0x22);
	assert_int_equal(get_unaligned_be16(det + 4), LID + 2);
	assert_int_equal(get_unaligned_be32(det + 6), 0x1234);
	assert_int_equal(get_unaligned_be32(det + 10), 0x90abcdef);
	assert_int_equal(get_unaligned_be32(det + 14), 1);
	assert_int_equal(det[18] | det[34], 0);
	repress(&ca, glass_mad_tid(mad));

	p.pkey = 0xffff;
	p.lnh = GLASS_LNH_GLOBAL;
	GIDS(p);
	glass_ca_rx(&ca, 2, &p, &out);
	assert_int_equal(out.why, GLASS_DROP_BAD_QKEY);
	trap(&ca, 258, 0x82);
	assert_int_equal(get_unaligned_be32(det + 6), 0x55667788);
	assert_int_equal(det[18], 0xaa);
	assert_int_equal(det[33], 0xaa);
	assert_int_equal(det[34], 0xbb);
	assert_int_equal(det[49], 0xbb);
	assert_int_equal(det[50], 0);
}

static void test_switch_pkey(void **state)
{
	struct glass_pkt p = bad_pkt(0xc000);
	u8 to = 4;
	u64 tid;

	(void)state;
	/* a multicast packet asks for no trap while the manager suppresses that */
	sw_ports[3].enforce = GLASS_ENFORCE_IN;
	sw_ports[0].mcast_pkey_trap_suppr = 1;
	glass_switch_rx(&sw, 3, &p, &out);
	assert_int_equal(out.why, GLASS_DROP_BAD_PKEY);
	assert_int_equal(out.changes, 0);
	none(&sw.node);
	sw_ports[0].mcast_pkey_trap_suppr = 0;
	glass_switch_rx(&sw, 3, &p, &out);
	assert_true(out.changes & GLASS_CHG_TRAP);
	tid = trap(&sw.node, 259, 0x82);
	assert_int_equal(port, 0);
	assert_int_equal(get_unaligned_be16(det), 0x3f);
	assert_int_equal(get_unaligned_be16(det + 2), 0x22);
	assert_int_equal(get_unaligned_be16(det + 4), 0xc000);
	assert_int_equal(get_unaligned_be16(det + 6), 0x1234);
	assert_int_equal(get_unaligned_be32(det + 8), 0x90abcdef);
	assert_int_equal(get_unaligned_be32(det + 12), 1);
	assert_int_equal(get_unaligned_be16(det + 48), 0x55);
	assert_int_equal(det[50], 3);
	/* outbound, with GIDs: the port that did not send */
	repress(&sw.node, tid);
	sw_ports[3].enforce = 0;
	sw_ports[4].enforce = GLASS_ENFORCE_OUT;
	assert_true(glass_fdb_set_ports(&sw.fdb, 7, &to, 1, 0));
	sw.fdb.lft_top = 7;
	p.dlid = 7;
	p.lnh = GLASS_LNH_GLOBAL;
	GIDS(p);
	glass_switch_rx(&sw, 3, &p, &out);
	assert_int_equal(out.why, GLASS_DROP_BAD_PKEY);
	assert_true(out.changes & GLASS_CHG_TRAP);
	trap(&sw.node, 259, 0x82);
	assert_int_equal(get_unaligned_be16(det), 0xff);
	assert_int_equal(det[16], 0xaa);
	assert_int_equal(det[32], 0xbb);
	assert_int_equal(det[50], 4);
}

/* Traps of several numbers take turns; each goes by its own transaction ID. */
static void test_turns(void **state)
{
	struct glass_pkt p = bad_pkt(0x55);
	u64 link, local, tid;

	(void)state;
	sw_ports[0].sm_lid = 0;
	glass_trap_request(&sw.node, 0, GLASS_TRAP_LINK_STATE);
	glass_trap_local_change(&sw.node, 0, GLASS_LOCAL_DESC);
	glass_switch_rx(&sw, 1, &p, &out);
	assert_int_equal(out.why, GLASS_DROP_BAD_PKEY);
	/* nobody to tell yet */
	assert_false(glass_trap_build(&sw.node, mad, &port));
	assert_true(sw.node.trap_pending);
	sw_ports[0].sm_lid = SM_LID;
	tid = 0;
	link = local = 0;
	for (u32 i = 0; i < 6; i++) {
		assert_true(glass_trap_build(&sw.node, mad, &port));
		switch (data16(mad, GLASS_NT_NUMBER)) {
		case 128:
			link = glass_mad_tid(mad);
			break;
		case 144:
			local = glass_mad_tid(mad);
			break;
		case 257:
			tid = glass_mad_tid(mad);
		}
	}
	assert_true(link && local && tid && link != local && local != tid && tid != link);
	repress(&sw.node, local);
	repress(&sw.node, tid + 100);
	assert_true(trap(&sw.node, 257, 0x82) == tid);
	assert_true(trap(&sw.node, 128, 0x81) == link);
	assert_true(trap(&sw.node, 257, 0x82) == tid);
	assert_true(trap(&sw.node, 128, 0x81) == link);
	/* another change of a link has another ID: the answer to the old trap does not stop it */
	glass_trap_request(&sw.node, 0, GLASS_TRAP_LINK_STATE);
	repress(&sw.node, link);
	repress(&sw.node, tid);
	link = trap(&sw.node, 128, 0x81);
	repress(&sw.node, link);
	none(&sw.node);
	/* a port that cannot send does not stop the other port's trap */
	ca_ports[1].lid = 0;
	glass_trap_request(&ca, 1, GLASS_TRAP_LINK_STATE);
	glass_trap_local_change(&ca, 2, 0);
	trap(&ca, 144, 0x84);
	trap(&ca, 144, 0x84);
	assert_int_equal(port, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_local_change, setup),
		cmocka_unit_test_setup(test_mkey, setup),
		cmocka_unit_test_setup(test_keys, setup),
		cmocka_unit_test_setup(test_switch_pkey, setup),
		cmocka_unit_test_setup(test_turns, setup),
	};

	return cmocka_run_group_tests_name("notice", tests, NULL, NULL);
}
