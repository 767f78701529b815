// SPDX-License-Identifier: GPL-2.0-only
/* Cables: what a link can do is what its two ports and its cable have in common. */
#include "mad.h"

#include "mgmt/node.h"
#include "mgmt/pma.h"
#include "mgmt/sma.h"

static struct glass_port ca_ports[2], sw_ports[4];
static struct glass_fdb fdb;
static struct glass_node ca, sw;
static struct glass_port *const a = &ca_ports[1], *const b = &sw_ports[3];
static u8 in[256], out[256];
static u32 chg_a, chg_b;

static int setup(void **state)
{
	(void)state;
	assert_int_equal(glass_node_init(&ca, GLASS_NODE_CA, 1, ca_ports, NULL, 0x100, 0x180, "ca"),
			 0);
	assert_int_equal(glass_node_init(&sw, GLASS_NODE_SWITCH, 3, sw_ports, &fdb, 0x200, 0x280,
					 "switch"), 0);
	return 0;
}

static void update(void)
{
	glass_link_update(&ca, a, &sw, b, &chg_a, &chg_b);
}

static void set_caps(u8 width, u8 speed, u8 ext, u8 mtu)
{
	a->cable = b->cable = (struct glass_cable_caps){ width, speed, ext, mtu, false };
}

/* Lets the link come up anew; -1: it does not. Else the number of lanes. */
static int renew(void)
{
	glass_port_link(a, false);
	glass_port_link(b, false);
	update();
	assert_int_equal(a->state, b->state);
	if (a->state == GLASS_PORT_DOWN)
		return -1;
	assert_int_equal(glass_port_lanes(a), glass_port_lanes(b));
	assert_int_equal(glass_port_lane_speed(a), glass_port_lane_speed(b));
	return glass_port_lanes(a);
}

static const u8 *port_info(struct glass_node *n, u32 port)
{
	u32 chg;

	mad_init(in, GLASS_MC_SM_LID, GLASS_MM_GET, GLASS_SA_PORT_INFO, port);
	assert_int_equal(glass_sma_process(n, 1, in, out, 0, &chg), GLASS_MAD_REPLY);
	return out + GLASS_SMP_DATA;
}

static void test_default(void **state)
{
	const u8 *pi;

	(void)state;
	assert_int_equal(renew(), 4);
	assert_int_equal(glass_port_lane_speed(a), GLASS_LANE_EDR);
	pi = port_info(&ca, 1);
	assert_int_equal(pi[GLASS_PI_WIDTH_SUPPORTED], GLASS_WIDTH_1X | GLASS_WIDTH_4X);
	assert_int_equal(pi[GLASS_PI_SPEED_EXT], GLASS_SPEED_EXT_EDR << 4 | 3);
	assert_int_equal(pi[GLASS_PI_INIT_MTUCAP], GLASS_MTU_4096);
}

/* Entry 0 of an adapter's ports need not exist: nothing reads or writes it. */
static void test_no_port_0(void **state)
{
	struct glass_port *one = malloc(sizeof(*one));
	struct glass_node n;
	u32 chg;

	(void)state;
	assert_int_equal(glass_node_init(&n, GLASS_NODE_CA, 1, one - 1, NULL, 0x300, 0x380, "n"), 0);
	glass_node_set_rates(&n, GLASS_WIDTH_1X, GLASS_SPEED_SDR, 0);
	mad_init(in, GLASS_MC_SM_LID, GLASS_MM_GET, GLASS_SA_PORT_INFO, 0);
	assert_int_equal(glass_sma_process(&n, 1, in, out, 0, &chg), GLASS_MAD_REPLY);
	mad_init(in, GLASS_MC_PM, GLASS_MM_GET, GLASS_PA_COUNTERS, 0);
	in[GLASS_PM_DATA + 1] = 255;
	assert_int_equal(glass_pma_process(&n, 1, in, out), GLASS_MAD_REPLY);
	in[GLASS_PM_DATA + 1] = 0;
	assert_int_equal(glass_pma_process(&n, 1, in, out), GLASS_MAD_REPLY);
	printf("# glass_node %zu bytes, glass_port %zu bytes\n", sizeof(n), sizeof(*one));
	free(one);
}

/* The bit of 2x is above that of 12x, but 2x is narrower than 4x. */
static void test_widths(void **state)
{
	static const struct {
		u8 cable;
		int lanes;
	} t[] = {
		{ 0xff, 12 },
		{ GLASS_WIDTH_2X | GLASS_WIDTH_8X, 8 },
		{ GLASS_WIDTH_2X | GLASS_WIDTH_4X | GLASS_WIDTH_1X, 4 },
		{ GLASS_WIDTH_2X | GLASS_WIDTH_1X, 2 },
		{ GLASS_WIDTH_1X, 1 },
		{ 0, -1 },
	};
	u32 i;

	(void)state;
	glass_node_set_rates(&ca, 0x1f, 7, 0xf);
	glass_node_set_rates(&sw, 0x1f, 7, 0xf);
	for (i = 0; i < ARRAY_SIZE(t); i++) {
		set_caps(t[i].cable, 0xff, 0xff, GLASS_MTU_4096);
		assert_int_equal(renew(), t[i].lanes);
	}
	/* one end of the cable is enough */
	set_caps(0xff, 0xff, 0xff, GLASS_MTU_4096);
	b->cable.width = GLASS_WIDTH_2X;
	assert_int_equal(renew(), 2);
}

static void test_speeds(void **state)
{
	static const struct {
		u8 speed, ext;
		int lane; /* -1: no link */
	} t[] = {
		{ 0xff, 0xff, GLASS_LANE_NDR },
		{ 7, 7, GLASS_LANE_HDR },
		{ 7, 3, GLASS_LANE_EDR },
		{ 7, 1, GLASS_LANE_FDR },
		{ 7, 0, GLASS_LANE_QDR },
		{ 3, 0, GLASS_LANE_DDR },
		{ 1, 0, GLASS_LANE_SDR },
		{ 0, 0, -1 },
	};
	u32 i;

	(void)state;
	glass_node_set_rates(&ca, 3, 7, 0xf);
	glass_node_set_rates(&sw, 3, 7, 0xf);
	for (i = 0; i < ARRAY_SIZE(t); i++) {
		set_caps(0xff, t[i].speed, t[i].ext, GLASS_MTU_4096);
		if (t[i].lane < 0) {
			assert_int_equal(renew(), -1);
			continue;
		}
		assert_int_equal(renew(), 4);
		assert_int_equal(glass_port_lane_speed(a), t[i].lane);
	}
	/* an older port limits the link, too, and shows that it has no extended speeds */
	set_caps(0xff, 0xff, 0xff, GLASS_MTU_4096);
	glass_node_set_rates(&ca, GLASS_WIDTH_4X, 3, 0);
	assert_int_equal(renew(), 4);
	assert_int_equal(glass_port_lane_speed(b), GLASS_LANE_DDR);
	assert_false(get_unaligned_be32(port_info(&ca, 1) + GLASS_PI_CAP_MASK) &
		     GLASS_CAP_EXT_SPEEDS);
}

/* The cable caps MTUCap; a manager cannot set a larger MTU; the active MTU does not stay above. */
static void test_mtu(void **state)
{
	u32 chg;

	(void)state;
	assert_int_equal(renew(), 4);
	assert_false((chg_a | chg_b) & GLASS_CHG_MTU);
	set_caps(0xff, 0xff, 0xff, GLASS_MTU_1024);
	assert_int_equal(renew(), 4);
	assert_true(chg_a & GLASS_CHG_MTU);
	assert_true(chg_b & GLASS_CHG_MTU);
	assert_int_equal(a->mtu_active, GLASS_MTU_1024);
	assert_int_equal(b->mtu_active, GLASS_MTU_1024);
	assert_int_equal(port_info(&ca, 1)[GLASS_PI_INIT_MTUCAP] & 0xf, GLASS_MTU_1024);

	memcpy(in + GLASS_SMP_DATA, out + GLASS_SMP_DATA, GLASS_SMP_DATA_BYTES);
	in[GLASS_MAD_METHOD] = GLASS_MM_SET;
	in[GLASS_SMP_DATA + GLASS_PI_SPEED_STATE] &= 0xf0;
	in[GLASS_SMP_DATA + GLASS_PI_PHYS] = 0;
	in[GLASS_SMP_DATA + GLASS_PI_LID + 1] = 1;
	in[GLASS_SMP_DATA + GLASS_PI_SM_LID + 1] = 1;
	in[GLASS_SMP_DATA + GLASS_PI_MTU_SMSL] = GLASS_MTU_2048 << 4;
	assert_int_equal(glass_sma_process(&ca, 1, in, out, 0, &chg), GLASS_MAD_REPLY);
	assert_int_equal(glass_mad_status(out), GLASS_MS_BAD_FIELD);
	in[GLASS_SMP_DATA + GLASS_PI_MTU_SMSL] = GLASS_MTU_512 << 4;
	assert_int_equal(glass_sma_process(&ca, 1, in, out, 0, &chg), GLASS_MAD_REPLY);
	assert_int_equal(glass_mad_status(out), 0);
	assert_int_equal(a->mtu_active, GLASS_MTU_512);
	/* an MTU that the cable carries stays as the manager has set it */
	assert_int_equal(renew(), 4);
	assert_int_equal(a->mtu_active, GLASS_MTU_512);
}

/* A pulled cable: the link is down until the cable is plugged in again, at both ends. */
static void test_cut(void **state)
{
	(void)state;
	assert_int_equal(renew(), 4);
	a->state = GLASS_PORT_ACTIVE;
	b->state = GLASS_PORT_ACTIVE;
	b->cable.cut = true;
	update();
	assert_true(chg_a & GLASS_CHG_DOWN);
	assert_true(chg_b & GLASS_CHG_DOWN);
	assert_int_equal(a->state, GLASS_PORT_DOWN);
	assert_int_equal(b->state, GLASS_PORT_DOWN);
	assert_int_equal(renew(), -1);
	/* an injection rule pulls it, too: it must let go as well */
	b->pulled = 1;
	b->cable.cut = false;
	assert_int_equal(renew(), -1);
	b->pulled = 0;
	assert_int_equal(renew(), 4);
	assert_int_equal(a->state, GLASS_PORT_INIT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_default, setup),
		cmocka_unit_test_setup(test_no_port_0, setup),
		cmocka_unit_test_setup(test_widths, setup),
		cmocka_unit_test_setup(test_speeds, setup),
		cmocka_unit_test_setup(test_mtu, setup),
		cmocka_unit_test_setup(test_cut, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
