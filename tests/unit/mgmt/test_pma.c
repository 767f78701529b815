// SPDX-License-Identifier: GPL-2.0-only
/* Performance management agents: what perfquery asks of adapters and switches. */
#include "mad.h"

#include "mgmt/node.h"
#include "mgmt/pma.h"

#define SW_PORTS 5

static struct glass_port ca_ports[3], sw_ports[SW_PORTS + 1];
static struct glass_fdb fdb;
static struct glass_node ca, sw;
static u8 in[256], out[256];

/* PortCounters: counter, byte, bits, bit of CounterSelect or 16 + bit of CounterSelect2 */
static const struct {
	u32 ctr, off, bits, select;
} fields[] = {
	{ GLASS_CTR_SYMBOL_ERR, 4, 16, 0 },	  { GLASS_CTR_LINK_RECOVERY, 6, 8, 1 },
	{ GLASS_CTR_LINK_DOWNED, 7, 8, 2 },	  { GLASS_CTR_RCV_ERR, 8, 16, 3 },
	{ GLASS_CTR_RCV_REMPHYS, 10, 16, 4 },	  { GLASS_CTR_RCV_SWITCH_RELAY, 12, 16, 5 },
	{ GLASS_CTR_XMIT_DISCARDS, 14, 16, 6 },	  { GLASS_CTR_XMIT_CONSTRAINT, 16, 8, 7 },
	{ GLASS_CTR_RCV_CONSTRAINT, 17, 8, 8 },	  { GLASS_CTR_VL15_DROPPED, 22, 16, 11 },
	{ GLASS_CTR_XMIT_DATA, 24, 32, 12 },	  { GLASS_CTR_RCV_DATA, 28, 32, 13 },
	{ GLASS_CTR_XMIT_PKTS, 32, 32, 14 },	  { GLASS_CTR_RCV_PKTS, 36, 32, 15 },
	{ GLASS_CTR_XMIT_WAIT, 40, 32, 16 },
};

static const u8 ext[] = {
	GLASS_CTR_XMIT_DATA,	GLASS_CTR_RCV_DATA,    GLASS_CTR_XMIT_PKTS,    GLASS_CTR_RCV_PKTS,
	GLASS_CTR_UC_XMIT_PKTS, GLASS_CTR_UC_RCV_PKTS, GLASS_CTR_MC_XMIT_PKTS, GLASS_CTR_MC_RCV_PKTS,
};

static int setup(void **state)
{
	glass_node_init(&ca, GLASS_NODE_CA, 2, ca_ports, NULL, 0x100, 0x180, "ca");
	glass_node_init(&sw, GLASS_NODE_SWITCH, SW_PORTS, sw_ports, &fdb, 0x200, 0x280, "sw");
	return rnd_restart(state);
}

static int ask(struct glass_node *n, u32 port)
{
	int res;

	memset(out, 0x5a, 256);
	res = glass_pma_process(n, port, in, out);
	if (res != GLASS_MAD_REPLY)
		return -1 - res;
	assert_int_equal(out[GLASS_MAD_METHOD], GLASS_MM_GET_RESP);
	assert_true(glass_mad_tid(out) == glass_mad_tid(in));
	return glass_mad_status(out);
}

static int request(struct glass_node *n, u8 method, u16 attr, u8 select_port)
{
	mad_init(in, GLASS_MC_PM, method, attr, 0);
	in[64 + 1] = select_port;
	return ask(n, 1);
}

static int get(struct glass_node *n, u16 attr, u8 select_port)
{
	return request(n, GLASS_MM_GET, attr, select_port);
}

static u64 field(u32 i)
{
	if (fields[i].bits == 8)
		return out[64 + fields[i].off];
	return fields[i].bits == 16 ? data16(out, fields[i].off) : data32(out, fields[i].off);
}

static void test_class_port_info(void **state)
{
	(void)state;
	assert_int_equal(get(&ca, GLASS_PA_CLASS_PORT_INFO, 0), 0);
	assert_int_equal(out[64], 1);
	assert_int_equal(out[65], 1);
	/* all ports, extended width; not the variant without multicast counters */
	assert_int_equal(data16(out, 2) & 0x0700, 0x0300);
	assert_int_equal(request(&ca, GLASS_MM_SET, GLASS_PA_CLASS_PORT_INFO, 0),
			 GLASS_MS_BAD_METHOD_ATTR);
}

static void test_each_counter(void **state)
{
	u32 i, k;

	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		setup(state);
		ca_ports[2].ctr[fields[i].ctr] = 0x12;
		assert_int_equal(get(&ca, GLASS_PA_COUNTERS, 2), 0);
		assert_int_equal(out[64 + 1], 2);
		for (k = 0; k < ARRAY_SIZE(fields); k++)
			assert_int_equal(field(k), k == i ? 0x12 : 0);
		assert_int_equal(get(&ca, GLASS_PA_COUNTERS, 1), 0);
		assert_int_equal(field(i), 0);
	}
	setup(state);
	ca_ports[1].ctr[GLASS_CTR_LOCAL_INTEGRITY] = 3;
	ca_ports[1].ctr[GLASS_CTR_BUFFER_OVERRUN] = 99;
	assert_int_equal(get(&ca, GLASS_PA_COUNTERS, 1), 0);
	assert_int_equal(out[64 + 19], 0x3f);
}

static void test_saturation(void **state)
{
	u32 i;

	(void)state;
	for (i = 0; i < GLASS_CTR_COUNT; i++)
		ca_ports[1].ctr[i] = 0x123456789abULL;
	assert_int_equal(get(&ca, GLASS_PA_COUNTERS, 1), 0);
	for (i = 0; i < ARRAY_SIZE(fields); i++)
		assert_true(field(i) == (1ULL << fields[i].bits) - 1);
	assert_int_equal(get(&ca, GLASS_PA_COUNTERS_EXT, 1), 0);
	for (i = 0; i < ARRAY_SIZE(ext); i++)
		assert_true(data64(out, 8 + 8 * i) == 0x123456789abULL);
}

/* perfquery -R: Set with a mask touches what the mask names, in this view alone. */
static void test_reset(void **state)
{
	u32 i, k;

	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		setup(state);
		for (k = 0; k < GLASS_CTR_COUNT; k++)
			ca_ports[1].ctr[k] = 0xfffff;
		mad_init(in, GLASS_MC_PM, GLASS_MM_SET, GLASS_PA_COUNTERS, 0);
		in[64 + 1] = 1;
		if (fields[i].select < 16)
			put_unaligned_be16(1 << fields[i].select, in + 64 + 2);
		else
			in[64 + 18] = 1 << (fields[i].select - 16);
		assert_int_equal(ask(&ca, 1), 0);
		assert_int_equal(get(&ca, GLASS_PA_COUNTERS, 1), 0);
		for (k = 0; k < ARRAY_SIZE(fields); k++)
			assert_int_equal(field(k),
					 k == i ? 0 : min(0xfffffULL, (1ULL << fields[k].bits) - 1));
		/* the counter itself and the other view go on */
		assert_int_equal(ca_ports[1].ctr[fields[i].ctr], 0xfffff);
		assert_int_equal(get(&ca, GLASS_PA_COUNTERS_EXT, 1), 0);
		for (k = 0; k < ARRAY_SIZE(ext); k++)
			assert_int_equal(data64(out, 8 + 8 * k), 0xfffff);
		ca_ports[1].ctr[fields[i].ctr] += 5;
		assert_int_equal(get(&ca, GLASS_PA_COUNTERS, 1), 0);
		assert_int_equal(field(i), 5);
	}
}

static void test_set_value(void **state)
{
	(void)state;
	ca_ports[1].ctr[GLASS_CTR_XMIT_PKTS] = 7;
	mad_init(in, GLASS_MC_PM, GLASS_MM_SET, GLASS_PA_COUNTERS, 0);
	in[64 + 1] = 1;
	put_unaligned_be16(0xffff, in + 64 + 2);
	put_unaligned_be32(1000, in + 64 + 32);
	in[64 + 19] = 0xa5;
	assert_int_equal(ask(&ca, 1), 0);
	assert_int_equal(data32(out, 32), 1000);
	assert_int_equal(out[64 + 19], 0xa5);
	ca_ports[1].ctr[GLASS_CTR_XMIT_PKTS] += 3;
	assert_int_equal(get(&ca, GLASS_PA_COUNTERS, 1), 0);
	assert_int_equal(data32(out, 32), 1003);
	assert_int_equal(ca_ports[1].ctr[GLASS_CTR_XMIT_PKTS], 10);

	mad_init(in, GLASS_MC_PM, GLASS_MM_SET, GLASS_PA_COUNTERS_EXT, 0);
	in[64 + 1] = 1;
	put_unaligned_be16(1 << 2, in + 64 + 2);
	assert_int_equal(ask(&ca, 1), 0);
	assert_int_equal(data64(out, 8 + 16), 0);
	assert_int_equal(get(&ca, GLASS_PA_COUNTERS, 1), 0);
	assert_int_equal(data32(out, 32), 1003);
}

static void test_port_select(void **state)
{
	u32 i, p;

	(void)state;
	for (p = 0; p <= SW_PORTS; p++)
		sw_ports[p].ctr[GLASS_CTR_RCV_DATA] = 1 << p;
	for (p = 0; p <= SW_PORTS; p++) {
		assert_int_equal(get(&sw, GLASS_PA_COUNTERS, p), 0);
		assert_int_equal(data32(out, 28), 1 << p);
		assert_int_equal(get(&sw, GLASS_PA_COUNTERS_EXT, p), 0);
		assert_int_equal(data64(out, 16), 1 << p);
	}
	for (i = SW_PORTS + 1; i < 0xff; i++) {
		assert_int_equal(get(&sw, GLASS_PA_COUNTERS, i), GLASS_MS_BAD_FIELD);
		assert_int_equal(get(&sw, GLASS_PA_COUNTERS_EXT, i), GLASS_MS_BAD_FIELD);
		assert_int_equal(get(&sw, GLASS_PA_SAMPLES_CONTROL, i), GLASS_MS_BAD_FIELD);
	}
	/* all external ports together */
	assert_int_equal(get(&sw, GLASS_PA_COUNTERS, 0xff), 0);
	assert_int_equal(data32(out, 28), 0x3e);
	assert_int_equal(get(&sw, GLASS_PA_COUNTERS_EXT, 0xff), 0);
	assert_int_equal(data64(out, 16), 0x3e);
	assert_int_equal(get(&ca, GLASS_PA_COUNTERS, 0), GLASS_MS_BAD_FIELD);
	/* and reset together */
	mad_init(in, GLASS_MC_PM, GLASS_MM_SET, GLASS_PA_COUNTERS, 0);
	in[64 + 1] = 0xff;
	put_unaligned_be16(0xffff, in + 64 + 2);
	assert_int_equal(ask(&sw, 1), 0);
	assert_int_equal(data32(out, 28), 0);
	assert_int_equal(get(&sw, GLASS_PA_COUNTERS, 3), 0);
	assert_int_equal(data32(out, 28), 0);
	assert_int_equal(get(&sw, GLASS_PA_COUNTERS, 0), 0);
	assert_int_equal(data32(out, 28), 1);
}

static void test_refusals(void **state)
{
	(void)state;
	assert_int_equal(get(&ca, 0x7777, 1), GLASS_MS_BAD_METHOD_ATTR);
	assert_int_equal(get(&ca, GLASS_PA_SAMPLES_RESULT, 1), GLASS_MS_BAD_METHOD_ATTR);
	assert_int_equal(get(&ca, GLASS_PA_SAMPLES_CONTROL, 1), 0);
	assert_int_equal(data32(out, 8), 0);
	assert_int_equal(request(&ca, GLASS_MM_SET, GLASS_PA_SAMPLES_CONTROL, 1),
			 GLASS_MS_BAD_METHOD_ATTR);
	assert_int_equal(request(&ca, 0x44, GLASS_PA_COUNTERS, 1), GLASS_MS_BAD_METHOD);
	mad_init(in, GLASS_MC_PM, GLASS_MM_GET, GLASS_PA_COUNTERS, 0);
	in[GLASS_MAD_BASE_VERSION] = 3;
	assert_int_equal(ask(&ca, 1), GLASS_MS_BAD_VERSION);
	assert_int_equal(request(&ca, GLASS_MM_GET_RESP, GLASS_PA_COUNTERS, 1),
			 -1 - GLASS_MAD_IGNORE);
	mad_init(in, GLASS_MC_SA, GLASS_MM_GET, GLASS_PA_COUNTERS, 0);
	assert_int_equal(ask(&ca, 1), -1 - GLASS_MAD_IGNORE);
}

static void test_count_helpers(void **state)
{
	struct glass_port *p = &ca_ports[1];

	(void)state;
	glass_port_count_tx(p, 0, 5, 10, 1);
	glass_port_count_tx(p, 0, 0xc001, 20, 1);
	glass_port_count_tx(p, GLASS_VL_SMP, 5, 70, 1);
	glass_port_count_rx(p, 0, 0xc001, 7, 1);
	glass_port_count_rx(p, GLASS_VL_SMP, 0xffff, 70, 1);
	assert_int_equal(get(&ca, GLASS_PA_COUNTERS_EXT, 1), 0);
	assert_int_equal(data64(out, 8), 30);
	assert_int_equal(data64(out, 16), 7);
	assert_int_equal(data64(out, 24), 2);
	assert_int_equal(data64(out, 32), 1);
	assert_int_equal(data64(out, 40), 1);
	assert_int_equal(data64(out, 48), 0);
	assert_int_equal(data64(out, 56), 1);
	assert_int_equal(data64(out, 64), 1);
}

static void test_hostile(void **state)
{
	u32 i;

	(void)state;
	for (i = 0; i < 30000; i++) {
		mad_init(in, GLASS_MC_PM, 1 + rnd_below(2), rnd_below(0x20), rnd());
		rnd_fill(in + 64, 192);
		if (!rnd_below(8))
			rnd_fill(in, 64);
		glass_pma_process(rnd_below(2) ? &ca : &sw, rnd_below(8), in, out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_class_port_info, setup),
		cmocka_unit_test_setup(test_each_counter, setup),
		cmocka_unit_test_setup(test_saturation, setup),
		cmocka_unit_test_setup(test_reset, setup),
		cmocka_unit_test_setup(test_set_value, setup),
		cmocka_unit_test_setup(test_port_select, setup),
		cmocka_unit_test_setup(test_refusals, setup),
		cmocka_unit_test_setup(test_count_helpers, setup),
		cmocka_unit_test_setup(test_hostile, setup),
	};

	return cmocka_run_group_tests_name("pma", tests, rnd_group, NULL);
}
