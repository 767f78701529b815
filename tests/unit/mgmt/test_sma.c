// SPDX-License-Identifier: GPL-2.0-only
/* Subnet management agents of an adapter and of a switch. */
#include "mad.h"

#include "mgmt/node.h"
#include "mgmt/notice.h"
#include "mgmt/sma.h"

#define CA_GUID 0x0667000000000100ULL
#define SW_GUID 0x0667000000100100ULL
#define SW_PORTS 20
#define MKEY 0x1234567890abcdefULL

static struct glass_port ca_ports[3], sw_ports[SW_PORTS + 1];
static struct glass_fdb fdb;
static struct glass_node ca, sw;
static u8 in[256], out[256];
static u32 chg;

static int setup(void **state)
{
	memset(ca_ports, 0xa5, sizeof(ca_ports));
	memset(sw_ports, 0xa5, sizeof(sw_ports));
	glass_fdb_free(&fdb);
	assert_int_equal(glass_node_init(&ca, GLASS_NODE_CA, 2, ca_ports, NULL, CA_GUID, CA_GUID + 128,
					 "glass0"), 0);
	assert_int_equal(glass_node_init(&sw, GLASS_NODE_SWITCH, SW_PORTS, sw_ports, &fdb, SW_GUID,
					 SW_GUID + 128, "glass switch"), 0);
	return rnd_restart(state);
}

/* Sends what is in `in`; returns the status when there is an answer, else -1 - result. */
static int ask(struct glass_node *n, u32 port)
{
	u8 before[256];
	int res;

	memcpy(before, in, 256);
	memset(out, 0x5a, 256);
	res = glass_sma_process(n, port, in, out, 0, &chg);
	assert_memory_equal(before, in, 256);
	if (res != GLASS_MAD_REPLY)
		return -1 - res;
	assert_int_equal(out[GLASS_MAD_METHOD], GLASS_MM_GET_RESP);
	assert_memory_equal(out + GLASS_MAD_TID, in + GLASS_MAD_TID, 16);
	assert_int_equal(glass_smp_returning(out), in[GLASS_MAD_CLASS] == GLASS_MC_SM_DR);
	return glass_mad_status(out) & 0x7fff;
}

static int get(struct glass_node *n, u32 port, u16 attr, u32 mod)
{
	mad_init(in, GLASS_MC_SM_LID, GLASS_MM_GET, attr, mod);
	return ask(n, port);
}

/* Turns the answer to a Get into a Set of the same; change in[64...] and ask(). */
static void make_set(void)
{
	memcpy(in + 64, out + 64, 64);
	in[GLASS_MAD_METHOD] = GLASS_MM_SET;
}

static u8 *pi(void)
{
	return in + 64;
}

static void start_portinfo(struct glass_node *n, u32 port)
{
	assert_int_equal(get(n, n->type == GLASS_NODE_CA ? port : 1, GLASS_SA_PORT_INFO, port), 0);
	make_set();
	/* as managers do: keep the states */
	pi()[GLASS_PI_SPEED_STATE] &= 0xf0;
	pi()[GLASS_PI_PHYS] = 0;
}

static void link_up(struct glass_node *n, u32 port)
{
	glass_port_link(&n->ports[port], true);
	assert_int_equal(n->ports[port].state, GLASS_PORT_INIT);
}

static void test_node_info(void **state)
{
	(void)state;
	assert_int_equal(get(&ca, 2, GLASS_SA_NODE_INFO, 0), 0);
	assert_int_equal(out[64 + 2], GLASS_NODE_CA);
	assert_int_equal(out[64 + 3], 2);
	assert_true(data64(out, 12) == CA_GUID);
	assert_true(data64(out, 20) == CA_GUID + 2);
	assert_true(data64(out, 4) == CA_GUID + 128);
	assert_int_equal(data16(out, 28), GLASS_PKEY_TABLE_LEN);
	assert_int_equal(out[64 + 36], 2);
	assert_int_equal(get(&sw, 7, GLASS_SA_NODE_INFO, 0), 0);
	assert_int_equal(out[64 + 2], GLASS_NODE_SWITCH);
	assert_true(data64(out, 20) == SW_GUID);
	assert_int_equal(out[64 + 36], 7);
	assert_int_equal(get(&ca, 1, GLASS_SA_NODE_INFO, 1), GLASS_MS_BAD_FIELD);
	assert_int_equal(get(&ca, 1, GLASS_SA_NODE_DESC, 0), 0);
	assert_string_equal((char *)out + 64, "glass0");
}

static void test_status_codes(void **state)
{
	(void)state;
	assert_int_equal(get(&ca, 1, 0x7777, 0), GLASS_MS_BAD_METHOD_ATTR);
	assert_int_equal(get(&ca, 1, GLASS_SA_SWITCH_INFO, 0), GLASS_MS_BAD_METHOD_ATTR);
	assert_int_equal(get(&ca, 1, GLASS_SA_LFT, 0), GLASS_MS_BAD_METHOD_ATTR);
	assert_int_equal(get(&ca, 1, GLASS_SA_MFT, 0), GLASS_MS_BAD_METHOD_ATTR);
	assert_int_equal(get(&ca, 1, GLASS_SA_SM_INFO, 0), GLASS_MS_BAD_METHOD_ATTR);
	mad_init(in, GLASS_MC_SM_DR, 0x33, GLASS_SA_NODE_INFO, 0);
	assert_int_equal(ask(&ca, 1), GLASS_MS_BAD_METHOD);
	mad_init(in, GLASS_MC_SM_DR, GLASS_MM_GET, GLASS_SA_NODE_INFO, 0);
	in[GLASS_MAD_CLASS_VERSION] = 2;
	assert_int_equal(ask(&ca, 1), GLASS_MS_BAD_VERSION);
	mad_init(in, GLASS_MC_SM_LID, GLASS_MM_SET, GLASS_SA_NODE_INFO, 0);
	assert_int_equal(ask(&ca, 1), GLASS_MS_BAD_METHOD_ATTR);
}

/* Answers, traps and other classes are other people's; nothing is answered to an answer. */
static void test_not_ours(void **state)
{
	static const u8 methods[] = { GLASS_MM_GET_RESP, GLASS_MM_TRAP, GLASS_MM_REPORT,
				      GLASS_MM_REPORT_RESP };
	u32 i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(methods); i++) {
		mad_init(in, GLASS_MC_SM_LID, methods[i], GLASS_SA_NODE_INFO, 0);
		assert_int_equal(ask(&ca, 1), -1 - GLASS_MAD_IGNORE);
	}
	mad_init(in, GLASS_MC_SA, GLASS_MM_GET, GLASS_SA_NODE_INFO, 0);
	assert_int_equal(ask(&ca, 1), -1 - GLASS_MAD_IGNORE);
	/* ports that do not exist */
	assert_int_equal(get(&ca, 0, GLASS_SA_NODE_INFO, 0), -1 - GLASS_MAD_IGNORE);
	assert_int_equal(get(&ca, 3, GLASS_SA_NODE_INFO, 0), -1 - GLASS_MAD_IGNORE);
	/* a running subnet manager takes SMInfo itself */
	ca_ports[1].cap_mask |= GLASS_CAP_SM;
	assert_int_equal(get(&ca, 1, GLASS_SA_SM_INFO, 0), -1 - GLASS_MAD_IGNORE);
	ca_ports[1].cap_mask ^= GLASS_CAP_SM | GLASS_CAP_SM_DISABLED;
	assert_int_equal(get(&ca, 1, GLASS_SA_SM_INFO, 0), -1 - GLASS_MAD_DISCARDED);
}

/* What a subnet manager does to bring a port up, step by step. */
static void test_bring_up(void **state)
{
	struct glass_port *p = &ca_ports[1];

	(void)state;
	link_up(&ca, 1);
	start_portinfo(&ca, 1);
	put_unaligned_be16(5, pi() + GLASS_PI_LID);
	put_unaligned_be16(1, pi() + GLASS_PI_SM_LID);
	pi()[GLASS_PI_REREG_TIMEOUT] |= 0x80;
	assert_int_equal(ask(&ca, 1), 0);
	assert_int_equal(chg, GLASS_CHG_LID | GLASS_CHG_SM | GLASS_CHG_REREG | 1u << 24);
	assert_int_equal(p->lid, 5);
	assert_int_equal(p->sm_lid, 1);
	assert_true(out[64 + GLASS_PI_REREG_TIMEOUT] & 0x80);
	/* and the bit is gone on the next look */
	assert_int_equal(get(&ca, 1, GLASS_SA_PORT_INFO, 1), 0);
	assert_false(out[64 + GLASS_PI_REREG_TIMEOUT] & 0x80);

	/* INIT to ACTIVE in one step is not allowed and changes nothing */
	start_portinfo(&ca, 1);
	pi()[GLASS_PI_SPEED_STATE] |= GLASS_PORT_ACTIVE;
	put_unaligned_be16(9, pi() + GLASS_PI_LID);
	assert_int_equal(ask(&ca, 1), GLASS_MS_BAD_FIELD);
	assert_int_equal(chg, 0);
	assert_int_equal(p->state, GLASS_PORT_INIT);
	assert_int_equal(p->lid, 5);

	start_portinfo(&ca, 1);
	pi()[GLASS_PI_SPEED_STATE] |= GLASS_PORT_ARMED;
	assert_int_equal(ask(&ca, 1), 0);
	assert_int_equal(p->state, GLASS_PORT_ARMED);
	assert_int_equal(chg, GLASS_CHG_STATE | 1u << 24);

	start_portinfo(&ca, 1);
	pi()[GLASS_PI_SPEED_STATE] |= GLASS_PORT_ACTIVE;
	assert_int_equal(ask(&ca, 1), 0);
	assert_int_equal(p->state, GLASS_PORT_ACTIVE);
	assert_int_equal(chg, GLASS_CHG_STATE | GLASS_CHG_ACTIVE | 1u << 24);
	assert_int_equal(out[64 + GLASS_PI_SPEED_STATE] & 0xf, GLASS_PORT_ACTIVE);

	/* the same again says nothing */
	start_portinfo(&ca, 1);
	assert_int_equal(ask(&ca, 1), 0);
	assert_int_equal(chg, 0);
}

/* Every pair of state now and state asked for. */
static void test_transitions(void **state)
{
	static const u8 ok[5][5] = {
		/* asked: nop down init armed active */
		[GLASS_PORT_DOWN] = { 1, 1, 0, 0, 0 },
		[GLASS_PORT_INIT] = { 1, 1, 0, 1, 0 },
		[GLASS_PORT_ARMED] = { 1, 1, 0, 1, 1 },
		[GLASS_PORT_ACTIVE] = { 1, 1, 0, 0, 1 },
	};
	u32 now, asked;

	for (now = GLASS_PORT_DOWN; now <= GLASS_PORT_ACTIVE; now++) {
		for (asked = 0; asked < 16; asked++) {
			struct glass_port *p = &ca_ports[1];
			bool good = asked < 5 && ok[now][asked];

			setup(state);
			if (now != GLASS_PORT_DOWN)
				link_up(&ca, 1);
			p->state = now;
			start_portinfo(&ca, 1);
			pi()[GLASS_PI_SPEED_STATE] |= asked;
			assert_int_equal(ask(&ca, 1), good ? 0 : GLASS_MS_BAD_FIELD);
			if (!good || !asked)
				assert_int_equal(p->state, now);
			else
				assert_int_equal(p->state, asked);
			assert_int_equal(!!(chg & GLASS_CHG_LINK),
					 asked == GLASS_PORT_DOWN && now != GLASS_PORT_DOWN);
		}
	}
}

static void test_disable_and_link(void **state)
{
	struct glass_port *a = &ca_ports[1], *b = &sw_ports[3];
	u32 ca_chg, sw_chg;

	(void)state;
	glass_link_update(&ca, a, &sw, b, &ca_chg, &sw_chg);
	assert_int_equal(ca_chg, GLASS_CHG_STATE | 1u << 24);
	assert_int_equal(sw_chg, GLASS_CHG_STATE | 3u << 24);
	assert_int_equal(a->state, GLASS_PORT_INIT);
	assert_int_equal(b->state, GLASS_PORT_INIT);
	assert_true(fdb.port_state_change);
	glass_link_update(&ca, a, &sw, b, &ca_chg, &sw_chg);
	assert_int_equal(ca_chg | sw_chg, 0);
	a->state = GLASS_PORT_ACTIVE;
	b->state = GLASS_PORT_ACTIVE;
	fdb.port_state_change = false;

	start_portinfo(&sw, 3);
	pi()[GLASS_PI_PHYS] = GLASS_PHYS_DISABLED << 4;
	assert_int_equal(ask(&sw, 1), 0);
	assert_int_equal(chg, GLASS_CHG_LINK | GLASS_CHG_STATE | GLASS_CHG_DOWN | 3u << 24);
	assert_int_equal(b->state, GLASS_PORT_DOWN);
	assert_int_equal(b->phys_state, GLASS_PHYS_DISABLED);
	assert_int_equal(b->ctr[GLASS_CTR_LINK_DOWNED], 1);
	assert_true(fdb.port_state_change);
	glass_link_update(&ca, a, &sw, b, &ca_chg, &sw_chg);
	assert_int_equal(a->state, GLASS_PORT_DOWN);
	assert_int_equal(a->phys_state, GLASS_PHYS_POLLING);
	assert_int_equal(ca_chg, GLASS_CHG_STATE | GLASS_CHG_DOWN | 1u << 24);
	assert_int_equal(sw_chg, 0);

	/* "down" does not wake what was shut; polling does */
	start_portinfo(&sw, 3);
	pi()[GLASS_PI_SPEED_STATE] |= GLASS_PORT_DOWN;
	assert_int_equal(ask(&sw, 1), 0);
	assert_int_equal(b->phys_state, GLASS_PHYS_DISABLED);
	start_portinfo(&sw, 3);
	pi()[GLASS_PI_PHYS] = GLASS_PHYS_POLLING << 4;
	assert_int_equal(ask(&sw, 1), 0);
	assert_true(chg & GLASS_CHG_LINK);
	glass_link_update(&ca, a, &sw, b, &ca_chg, &sw_chg);
	assert_int_equal(a->state, GLASS_PORT_INIT);
	assert_int_equal(b->state, GLASS_PORT_INIT);

	/* a reset at one end is seen at the other before the link is back */
	a->state = GLASS_PORT_ACTIVE;
	b->state = GLASS_PORT_ACTIVE;
	start_portinfo(&ca, 1);
	pi()[GLASS_PI_SPEED_STATE] |= GLASS_PORT_DOWN;
	assert_int_equal(ask(&ca, 1), 0);
	glass_link_update(&ca, a, &sw, b, &ca_chg, &sw_chg);
	assert_int_equal(a->state, GLASS_PORT_INIT);
	assert_int_equal(b->state, GLASS_PORT_INIT);
	assert_true(sw_chg & GLASS_CHG_DOWN);
	assert_int_equal(b->ctr[GLASS_CTR_LINK_DOWNED], 2);
}

/* A cable that is out: neither end comes up, whatever a manager wants, until it is in again. */
static void test_pulled(void **state)
{
	struct glass_port *a = &ca_ports[1], *b = &sw_ports[3];
	u32 x, y;

	(void)state;
	glass_link_update(&ca, a, &sw, b, &x, &y);
	a->state = GLASS_PORT_ACTIVE;
	b->state = GLASS_PORT_ACTIVE;
	a->pulled = 2;
	glass_link_update(&ca, a, &sw, b, &x, &y);
	assert_int_equal(a->state, GLASS_PORT_DOWN);
	assert_int_equal(b->state, GLASS_PORT_DOWN);
	assert_true(x & GLASS_CHG_DOWN);
	assert_true(y & GLASS_CHG_DOWN);
	start_portinfo(&ca, 1);
	pi()[GLASS_PI_PHYS] = GLASS_PHYS_POLLING << 4;
	assert_int_equal(ask(&ca, 1), 0);
	a->pulled = 1;
	glass_link_update(&ca, a, &sw, b, &x, &y);
	assert_int_equal(a->state, GLASS_PORT_DOWN);
	a->pulled = 0;
	glass_link_update(&ca, a, &sw, b, &x, &y);
	assert_int_equal(a->state, GLASS_PORT_INIT);
	assert_int_equal(b->state, GLASS_PORT_INIT);
}

/* The last change of a port's state: by a Set, or by what the owner of the node names. */
static void test_changed_by(void **state)
{
	struct glass_port *p = &ca_ports[1];

	(void)state;
	assert_int_equal(p->changed, 0);
	link_up(&ca, 1);
	ca.now = 7000000000ULL;
	start_portinfo(&ca, 1);
	pi()[GLASS_PI_SPEED_STATE] = GLASS_PORT_ARMED;
	assert_int_equal(ask(&ca, 1), 0);
	assert_int_equal(p->state, GLASS_PORT_ARMED);
	assert_true(p->changed == ca.now);
	assert_int_equal(p->changed_by, GLASS_PORT_BY_SM);
	/* a Set that leaves the state alone */
	ca.now += 1;
	start_portinfo(&ca, 1);
	assert_int_equal(ask(&ca, 1), 0);
	assert_true(p->changed == ca.now - 1);
	glass_port_link(p, false);
	glass_port_changed_by(p, 8000000000ULL, GLASS_PORT_BY_CABLE_PULLED);
	assert_true(p->changed == 8000000000ULL);
	assert_int_equal(p->changed_by, GLASS_PORT_BY_CABLE_PULLED);
	/* what was undone brought it up */
	glass_port_link(p, true);
	glass_port_changed_by(p, 9000000000ULL, GLASS_PORT_BY_RULE);
	assert_int_equal(p->changed_by, GLASS_PORT_BY_UP);
}

static void test_link_speed(void **state)
{
	struct glass_port *a = &ca_ports[1], *b = &sw_ports[3];
	u32 x, y;

	(void)state;
	b->speed_ext_enabled = GLASS_SPEED_EXT_FDR;
	b->width_enabled = GLASS_WIDTH_1X;
	glass_link_update(&ca, a, &sw, b, &x, &y);
	assert_int_equal(a->speed_ext_active, GLASS_SPEED_EXT_FDR);
	assert_int_equal(a->width_active, GLASS_WIDTH_1X);
	assert_int_equal(b->width_active, GLASS_WIDTH_1X);
	glass_port_link(a, false);
	b->speed_ext_enabled = GLASS_SPEED_EXT_OFF;
	b->speed_enabled = GLASS_SPEED_SDR;
	glass_link_update(&ca, a, &sw, b, &x, &y);
	assert_int_equal(a->speed_ext_active, 0);
	assert_int_equal(a->speed_active, GLASS_SPEED_SDR);
	/* nothing in common: no link */
	glass_port_link(a, false);
	a->width_enabled = GLASS_WIDTH_4X;
	glass_link_update(&ca, a, &sw, b, &x, &y);
	assert_int_equal(a->state, GLASS_PORT_DOWN);
	assert_int_equal(b->state, GLASS_PORT_DOWN);
}

/* One bad component at a time: refused, and nothing of the Set is done. */
static void test_portinfo_refuses(void **state)
{
	static const struct {
		u8 off, and, or;
	} bad[] = {
		{ GLASS_PI_LID, 0, 0xc0 },
		{ GLASS_PI_LID, 0, 0xff },
		{ GLASS_PI_SM_LID, 0, 0xd0 },
		{ GLASS_PI_WIDTH_ENABLED, 0, 0x04 },
		{ GLASS_PI_SPEED, 0xf0, 0x08 },
		{ GLASS_PI_SPEED_EXT_EN, 0, 0x04 },
		{ GLASS_PI_MTU_SMSL, 0x0f, 0x60 },
		{ GLASS_PI_MTU_SMSL, 0x0f, 0x00 },
		{ GLASS_PI_OPVL_ENFORCE, 0x0f, 0x20 },
		{ GLASS_PI_PHYS, 0, 0x03 },
		{ GLASS_PI_PHYS, 0, 0x40 },
		{ GLASS_PI_PHYS, 0, 0x50 },
	};
	struct glass_port before;
	u32 i;

	(void)state;
	link_up(&ca, 1);
	ca_ports[1].lid = 7;
	ca_ports[1].sm_lid = 1;
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		start_portinfo(&ca, 1);
		put_unaligned_be16(8, pi() + GLASS_PI_LID);
		pi()[GLASS_PI_SPEED_STATE] |= GLASS_PORT_ARMED;
		pi()[bad[i].off] = (pi()[bad[i].off] & bad[i].and) | bad[i].or;
		before = ca_ports[1];
		assert_int_equal(ask(&ca, 1), GLASS_MS_BAD_FIELD);
		assert_int_equal(chg, 0);
		assert_memory_equal(&before, &ca_ports[1], sizeof(before));
	}
	/* LID 0 once there is one */
	start_portinfo(&ca, 1);
	put_unaligned_be16(0, pi() + GLASS_PI_LID);
	assert_int_equal(ask(&ca, 1), GLASS_MS_BAD_FIELD);
	assert_int_equal(get(&ca, 1, GLASS_SA_PORT_INFO, 3), GLASS_MS_BAD_FIELD);
	assert_int_equal(get(&ca, 1, GLASS_SA_PORT_INFO, 0x100), GLASS_MS_BAD_FIELD);
	assert_int_equal(get(&sw, 1, GLASS_SA_PORT_INFO, SW_PORTS + 1), GLASS_MS_BAD_FIELD);
	/* managers that know the extended speeds say so in the modifier */
	assert_int_equal(get(&sw, 1, GLASS_SA_PORT_INFO, 0x80000003), 0);
	/* 0 is the port that it came in by at an adapter, port 0 at a switch */
	assert_int_equal(get(&ca, 2, GLASS_SA_PORT_INFO, 0), 0);
	assert_int_equal(out[64 + GLASS_PI_LOCAL_PORT], 2);
	assert_int_equal(get(&sw, 2, GLASS_SA_PORT_INFO, 0), 0);
	assert_int_equal(out[64 + GLASS_PI_SPEED_STATE] & 0xf, GLASS_PORT_ACTIVE);
}

static void test_mkey(void **state)
{
	struct glass_port *p = &ca_ports[1];
	u32 prot;

	(void)state;
	p->mkey = MKEY;
	for (prot = 0; prot < 4; prot++) {
		p->mkey_protect = prot;
		p->mkey_viol = 0;
		/* with the key */
		mad_init(in, GLASS_MC_SM_LID, GLASS_MM_GET, GLASS_SA_PORT_INFO, 1);
		put_unaligned_be64(MKEY, in + GLASS_SMP_MKEY);
		assert_int_equal(ask(&ca, 1), 0);
		assert_true(data64(out, GLASS_PI_MKEY) == MKEY);
		assert_true(!get_unaligned_be64(out + GLASS_SMP_MKEY));
		assert_int_equal(p->mkey_viol, 0);
		/* without: reading depends on the protection, and so does the key itself */
		if (prot < 2) {
			assert_int_equal(get(&ca, 1, GLASS_SA_PORT_INFO, 1), 0);
			assert_true(data64(out, GLASS_PI_MKEY) == (prot ? 0 : MKEY));
			assert_int_equal(p->mkey_viol, 0);
		} else {
			assert_int_equal(get(&ca, 1, GLASS_SA_PORT_INFO, 1),
					 -1 - GLASS_MAD_BAD_MKEY);
			assert_int_equal(p->mkey_viol, 1);
		}
		/* writing never */
		p->mkey_viol = 0xffff;
		mad_init(in, GLASS_MC_SM_LID, GLASS_MM_SET, GLASS_SA_PKEY_TABLE, 0);
		assert_int_equal(ask(&ca, 1), -1 - GLASS_MAD_BAD_MKEY);
		assert_int_equal(p->mkey_viol, 0xffff);
		assert_int_equal(p->pkeys[0], 0xffff);
		assert_int_equal(glass_sma_process(&ca, 1, in, out, GLASS_SMA_NO_MKEY, &chg),
				 GLASS_MAD_REPLY);
		p->pkeys[0] = 0xffff;
	}
	/* the other port has its own key */
	assert_int_equal(get(&ca, 2, GLASS_SA_NODE_INFO, 0), 0);
	/* at a switch, port 0 guards all */
	sw_ports[0].mkey = MKEY;
	sw_ports[0].mkey_protect = 2;
	assert_int_equal(get(&sw, 5, GLASS_SA_NODE_INFO, 0), -1 - GLASS_MAD_BAD_MKEY);
	assert_int_equal(sw_ports[0].mkey_viol, 1);
}

static void test_mkey_lease(void **state)
{
	struct glass_port *p = &ca_ports[1];

	(void)state;
	p->mkey = MKEY;
	p->mkey_protect = 3;
	p->mkey_lease = 10;
	ca.now = 5000000000ULL;
	assert_int_equal(get(&ca, 1, GLASS_SA_NODE_INFO, 0), -1 - GLASS_MAD_BAD_MKEY);
	/* the manager shows up in time: the lease stops */
	ca.now += 9000000000ULL;
	mad_init(in, GLASS_MC_SM_LID, GLASS_MM_GET, GLASS_SA_NODE_INFO, 0);
	put_unaligned_be64(MKEY, in + GLASS_SMP_MKEY);
	assert_int_equal(ask(&ca, 1), 0);
	ca.now += 9000000000ULL;
	assert_int_equal(get(&ca, 1, GLASS_SA_NODE_INFO, 0), -1 - GLASS_MAD_BAD_MKEY);
	/* a second violation does not start it again */
	ca.now += 9999999999ULL;
	assert_int_equal(get(&ca, 1, GLASS_SA_NODE_INFO, 0), -1 - GLASS_MAD_BAD_MKEY);
	ca.now += 1;
	assert_int_equal(get(&ca, 1, GLASS_SA_NODE_INFO, 0), 0);
	assert_int_equal(p->mkey_protect, 0);
	assert_true(p->mkey == MKEY);
}

static void test_pkeys(void **state)
{
	struct glass_port *p = &ca_ports[2];

	(void)state;
	assert_int_equal(get(&ca, 2, GLASS_SA_PKEY_TABLE, 1), 0);
	make_set();
	put_unaligned_be16(0x8001, in + 64 + 2 * 31);
	put_unaligned_be16(0x0002, in + 64);
	assert_int_equal(ask(&ca, 2), 0);
	assert_int_equal(chg, GLASS_CHG_PKEY | 2u << 24);
	assert_int_equal(p->pkeys[63], 0x8001);
	assert_int_equal(p->pkeys[0], 0xffff);
	assert_int_equal(ca_ports[1].pkeys[63], 0);
	assert_int_equal(ask(&ca, 2), 0);
	assert_int_equal(chg, 0);
	assert_int_equal(get(&ca, 2, GLASS_SA_PKEY_TABLE, 2), GLASS_MS_BAD_FIELD);
	/* each port of a switch has a table: port 0 for MADs, the others to enforce partitions */
	assert_int_equal(get(&sw, 2, GLASS_SA_PKEY_TABLE, 0), 0);
	assert_int_equal(get(&sw, 2, GLASS_SA_PKEY_TABLE, 3 << 16), 0);
	assert_int_equal(get(&sw, 2, GLASS_SA_PKEY_TABLE, 3 << 16 | 1), GLASS_MS_BAD_FIELD);
	assert_int_equal(get(&sw, 2, GLASS_SA_PKEY_TABLE, 0xff << 16), GLASS_MS_BAD_FIELD);

	/* membership: one of the two must be full */
	assert_int_equal(glass_port_pkey_index(p, 0x8001), 63);
	assert_int_equal(glass_port_pkey_index(p, 0x0001), 63);
	assert_int_equal(glass_port_pkey_index(p, 0x8002), 32);
	assert_int_equal(glass_port_pkey_index(p, 0x0002), -ENOENT);
	assert_int_equal(glass_port_pkey_index(p, 0x7fff), 0);
	assert_int_equal(glass_port_pkey_index(p, 0x8000), -ENOENT);
	assert_int_equal(glass_port_pkey_index(p, 0), -ENOENT);
	/* a full entry goes before a limited one */
	p->pkeys[33] = 0x8002;
	assert_int_equal(glass_port_pkey_index(p, 0x8002), 33);
}

static void test_guids(void **state)
{
	struct glass_port *p = &ca_ports[1];
	u8 gid[16];

	(void)state;
	assert_int_equal(get(&ca, 1, GLASS_SA_GUID_INFO, 0), 0);
	assert_true(data64(out, 0) == CA_GUID + 1);
	make_set();
	put_unaligned_be64(0x1111, in + 64);
	put_unaligned_be64(0x2222, in + 64 + 8);
	assert_int_equal(ask(&ca, 1), 0);
	assert_int_equal(chg, GLASS_CHG_GID | 1u << 24);
	assert_true(p->guids[0] == CA_GUID + 1);
	assert_true(p->guids[1] == 0x2222);
	assert_int_equal(get(&ca, 1, GLASS_SA_GUID_INFO, 1), GLASS_MS_BAD_FIELD);
	assert_int_equal(glass_port_gid(p, 1, gid), 0);
	assert_int_equal(glass_port_gid_index(p, gid), 1);
	assert_int_equal(glass_port_gid(p, 2, gid), -EINVAL);
	assert_int_equal(glass_port_gid(p, 8, gid), -EINVAL);
	/* the default prefix stays valid beside another one */
	p->gid_prefix = 0x1234ULL << 48;
	assert_int_equal(glass_port_gid_index(p, gid), 1);
	gid[0] = 0xff;
	assert_int_equal(glass_port_gid_index(p, gid), -ENOENT);
	memset(gid, 0, 16);
	gid[0] = 0xfe;
	gid[1] = 0x80;
	assert_int_equal(glass_port_gid_index(p, gid), -ENOENT);
}

static void test_switch_tables(void **state)
{
	u32 i, pos, blk;

	(void)state;
	assert_int_equal(get(&sw, 1, GLASS_SA_SWITCH_INFO, 0), 0);
	assert_int_equal(data16(out, 0), GLASS_LFT_LIDS);
	assert_int_equal(data16(out, 4), GLASS_MFT_LIDS);
	make_set();
	put_unaligned_be16(0x123, in + 64 + 6);
	in[64 + 11] = 18 << 3;
	fdb.port_state_change = true;
	assert_int_equal(ask(&sw, 1), 0);
	assert_int_equal(fdb.lft_top, 0x123);
	assert_int_equal(fdb.life_time, 18);
	assert_true(fdb.port_state_change);
	assert_int_equal(out[64 + 11], 18 << 3 | 4);
	in[64 + 11] |= 4;
	assert_int_equal(ask(&sw, 1), 0);
	assert_false(fdb.port_state_change);
	put_unaligned_be16(0xc000, in + 64 + 6);
	assert_int_equal(ask(&sw, 1), GLASS_MS_BAD_FIELD);
	assert_int_equal(fdb.lft_top, 0x123);

	mad_init(in, GLASS_MC_SM_LID, GLASS_MM_SET, GLASS_SA_LFT, 767);
	for (i = 0; i < 64; i++)
		in[64 + i] = i;
	assert_int_equal(ask(&sw, 1), 0);
	assert_int_equal(glass_fdb_port(&fdb, 0xbfff), 63);
	assert_int_equal(glass_fdb_port(&fdb, 0xbfc0), 0);
	assert_int_equal(glass_fdb_port(&fdb, 0xbfbf), GLASS_LFT_NONE);
	assert_int_equal(get(&sw, 1, GLASS_SA_LFT, 768), GLASS_MS_BAD_FIELD);
	assert_int_equal(get(&sw, 1, GLASS_SA_LFT, 0xffffffff), GLASS_MS_BAD_FIELD);

	/* position 1: ports 16 to 31, of which 16 to 20 exist */
	mad_init(in, GLASS_MC_SM_LID, GLASS_MM_SET, GLASS_SA_MFT, 1u << 28 | 31);
	put_unaligned_be16(0xffff, in + 64 + 62);
	assert_int_equal(ask(&sw, 1), 0);
	assert_int_equal(data16(out, 62), 0x1f);
	assert_true(glass_fdb_mcast(&fdb, 1023)[0] == 0x1f0000);
	mad_init(in, GLASS_MC_SM_LID, GLASS_MM_SET, GLASS_SA_MFT, 31);
	put_unaligned_be16(0x8001, in + 64 + 62);
	assert_int_equal(ask(&sw, 1), 0);
	assert_true(glass_fdb_mcast(&fdb, 1023)[0] == 0x1f8001);
	assert_int_equal(get(&sw, 1, GLASS_SA_MFT, 32), GLASS_MS_BAD_FIELD);
	assert_int_equal(get(&sw, 1, GLASS_SA_MFT, 2u << 28), GLASS_MS_BAD_FIELD);
	assert_int_equal(get(&sw, 1, GLASS_SA_MFT, 0x200), GLASS_MS_BAD_FIELD);
	for (pos = 0; pos < 16; pos++)
		for (blk = 0; blk < 512; blk++)
			get(&sw, 1, GLASS_SA_MFT, pos << 28 | blk);
}

static void test_fixed_tables(void **state)
{
	(void)state;
	assert_int_equal(get(&sw, 1, GLASS_SA_SL2VL, 0x0203), 0);
	assert_true(data64(out, 0) == 0);
	assert_int_equal(get(&sw, 1, GLASS_SA_SL2VL, 0xff03), GLASS_MS_BAD_FIELD);
	assert_int_equal(get(&ca, 1, GLASS_SA_SL2VL, 0), 0);
	assert_int_equal(get(&ca, 1, GLASS_SA_VL_ARB, 1 << 16), 0);
	assert_int_equal(get(&ca, 1, GLASS_SA_VL_ARB, 5 << 16), GLASS_MS_BAD_FIELD);
	mad_init(in, GLASS_MC_SM_LID, GLASS_MM_SET, GLASS_SA_LED_INFO, 0);
	in[64] = 0x80;
	assert_int_equal(ask(&ca, 2), 0);
	assert_true(ca_ports[2].led);
	assert_int_equal(out[64], 0x80);
}

/* Only a node that says that it is of Mellanox has the attribute of that vendor. */
static void test_mellanox_port_info(void **state)
{
	(void)state;
	assert_int_equal(get(&sw, 1, 0xff90, 1), GLASS_MS_BAD_METHOD_ATTR);
	sw.vendor_id = 0x2c9;
	assert_int_equal(get(&sw, 1, 0xff90, 1), 0);
	assert_true(data64(out, 0) == 0 && data64(out, 56) == 0);
	assert_int_equal(get(&sw, 1, 0xff90, sw.num_ports + 1), GLASS_MS_BAD_FIELD);
	mad_init(in, GLASS_MC_SM_LID, GLASS_MM_SET, 0xff90, 1);
	assert_int_equal(ask(&sw, 1), GLASS_MS_BAD_METHOD_ATTR);
}

static void test_trap(void **state)
{
	u8 mad[256];
	u32 port;

	(void)state;
	assert_false(glass_trap_build(&sw, mad, &port));
	glass_trap_request(&sw, 3, GLASS_TRAP_LINK_STATE);
	/* nobody to tell yet */
	assert_false(glass_trap_build(&sw, mad, &port));
	sw_ports[0].lid = 4;
	sw_ports[0].sm_lid = 1;
	assert_true(glass_trap_build(&sw, mad, &port));
	assert_int_equal(port, 0);
	assert_int_equal(mad[GLASS_MAD_METHOD], GLASS_MM_TRAP);
	assert_int_equal(data16(mad, GLASS_NT_NUMBER), 128);
	assert_int_equal(data32(mad, GLASS_NT_TYPE), 0x81000002);
	assert_int_equal(data16(mad, GLASS_NT_DETAILS), 4);
	/* an answer to an older trap does not stop this one */
	mad[GLASS_MAD_METHOD] = GLASS_MM_TRAP_REPRESS;
	memcpy(in, mad, 256);
	in[GLASS_MAD_TID + 7]++;
	assert_int_equal(ask(&sw, 1), -1 - GLASS_MAD_CONSUMED);
	assert_true(glass_trap_build(&sw, mad, &port));
	mad[GLASS_MAD_METHOD] = GLASS_MM_TRAP_REPRESS;
	memcpy(in, mad, 256);
	assert_int_equal(ask(&sw, 1), -1 - GLASS_MAD_CONSUMED);
	assert_false(glass_trap_build(&sw, mad, &port));
}

/* Any bytes from any port: the state must stay within its ranges. */
static void test_hostile(void **state)
{
	static const u16 attrs[] = { 0x10, 0x11, 0x12, 0x14, 0x15, 0x16, 0x17, 0x18,
				     0x19, 0x1b, 0x20, 0x31, 0x02 };
	u32 i, k;

	(void)state;
	for (i = 0; i < 60000; i++) {
		struct glass_node *n = rnd_below(2) ? &ca : &sw;

		mad_init(in, rnd_below(2) ? GLASS_MC_SM_LID : GLASS_MC_SM_DR, 1 + rnd_below(2),
			 attrs[rnd_below(ARRAY_SIZE(attrs))], rnd_below(n->num_ports + 2));
		rnd_fill(in + 64, 192);
		if (!rnd_below(8))
			put_unaligned_be32(rnd(), in + GLASS_MAD_ATTR_MOD);
		if (!rnd_below(8))
			rnd_fill(in, 24);
		ca_ports[1].mkey = 0;
		ca_ports[2].mkey = 0;
		sw_ports[0].mkey = 0;
		ask(n, rnd_below(n->num_ports + 3));
		for (k = n->type == GLASS_NODE_CA; k <= n->num_ports; k++) {
			struct glass_port *p = &n->ports[k];

			assert_in_range(p->state, GLASS_PORT_DOWN, GLASS_PORT_ACTIVE);
			assert_true(p->lid < 0xc000 && p->lmc < 8);
			assert_int_not_equal(glass_mtu_bytes(p->mtu_active), 0);
			if (p->num && p->phys_state == GLASS_PHYS_POLLING && !rnd_below(4))
				glass_port_link(p, true);
		}
		assert_true(fdb.lft_top < GLASS_LFT_LIDS);
		assert_int_equal(sw_ports[0].state, GLASS_PORT_ACTIVE);
		assert_true(ca_ports[1].guids[0] == CA_GUID + 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_node_info, setup),
		cmocka_unit_test_setup(test_status_codes, setup),
		cmocka_unit_test_setup(test_not_ours, setup),
		cmocka_unit_test_setup(test_bring_up, setup),
		cmocka_unit_test_setup(test_transitions, setup),
		cmocka_unit_test_setup(test_disable_and_link, setup),
		cmocka_unit_test_setup(test_pulled, setup),
		cmocka_unit_test_setup(test_changed_by, setup),
		cmocka_unit_test_setup(test_link_speed, setup),
		cmocka_unit_test_setup(test_portinfo_refuses, setup),
		cmocka_unit_test_setup(test_mkey, setup),
		cmocka_unit_test_setup(test_mkey_lease, setup),
		cmocka_unit_test_setup(test_pkeys, setup),
		cmocka_unit_test_setup(test_guids, setup),
		cmocka_unit_test_setup(test_switch_tables, setup),
		cmocka_unit_test_setup(test_fixed_tables, setup),
		cmocka_unit_test_setup(test_mellanox_port_info, setup),
		cmocka_unit_test_setup(test_trap, setup),
		cmocka_unit_test_setup(test_hostile, setup),
	};

	return cmocka_run_group_tests_name("sma", tests, rnd_group, NULL);
}
