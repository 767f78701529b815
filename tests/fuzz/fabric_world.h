/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A fabric whose nodes and cables an input makes and removes, as link/fabric.c does, and what subnet
 * managers write to its nodes. For fuzz_fabric.c.
 */
#ifndef GLASS_TESTS_FUZZ_FABRIC_WORLD_H
#define GLASS_TESTS_FUZZ_FABRIC_WORLD_H

#include <stdlib.h>
#include <string.h>

#include "fabric/ca.h"
#include "fabric/command.h"
#include "fuzz.h"
#include "mgmt/sma.h"

#define NODES 80
#define HCAS 8
#define LIDS 48 /* LIDs up to this one are used most */

/* The owner's view of a node, as link/ has it */
struct thing {
	struct glass_net_node net;
	struct glass_node node; /* HCA and passive CA */
	struct glass_switch *sw;
	struct glass_port *ports; /* [0 .. num_ports] */
	void *owners[9];
	u32 num_ports;
	/* the state before a packet */
	struct glass_port *was;
	struct glass_node node_was;
};

static struct thing *thing[NODES];
static bool no_memory; /* for chunks of forwarding tables */

/* -Wl,--wrap=malloc: the core allocates by malloc() only */
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);

void *__wrap_malloc(size_t size)
{
	return no_memory ? NULL : __real_malloc(size);
}

static struct glass_node *node_of(const struct thing *t)
{
	return t->sw ? &t->sw->node : (struct glass_node *)&t->node;
}

static struct thing *thing_of(const struct glass_net_node *n)
{
	return (struct thing *)((char *)n - offsetof(struct thing, net));
}

static bool is_hca(const struct glass_net_node *n)
{
	return n->owners;
}

/* A node that is there, or NULL. */
static struct thing *pick(void)
{
	u32 at = fuzz_below(NODES), i;

	for (i = 0; i < NODES; i++)
		if (thing[(at + i) % NODES])
			return thing[(at + i) % NODES];
	return NULL;
}

static struct thing *pick_hca(void)
{
	u32 at = fuzz_below(HCAS), i;

	for (i = 0; i < HCAS; i++) {
		struct thing *t = thing[(at + i) % HCAS];

		if (t && t->net.node)
			return t;
	}
	return NULL;
}

/* A LID, mostly one that a node has */
static u16 pick_lid(void)
{
	u8 how = fuzz_u8();
	struct thing *t;

	if (how & 1)
		return how & 2 ? fuzz_u16() : 1 + (how >> 2) % LIDS;
	t = pick();
	return t ? t->ports[t->sw ? 0 : 1 + (how >> 2) % t->num_ports].lid : 1;
}

static struct glass_net_end pick_end(struct thing *t)
{
	return glass_net_end(&t->net, 1 + fuzz_below(t->num_ports));
}

/* ---- making and removing ---- */

static void hca_plug_in(struct thing *t)
{
	u32 port, a, b;

	FUZZ_CHECK(!glass_node_init(&t->node, GLASS_NODE_CA, t->num_ports, t->ports, NULL,
				    glass_guid_hca(GLASS_GUID_BASE, t->net.index), 1, "hca"), "hca");
	t->net.node = &t->node;
	for (port = 1; port <= t->num_ports; port++)
		glass_net_link_update(glass_net_end(&t->net, port), &a, &b);
}

static void hca_unplug(struct thing *t)
{
	u32 port, a, b;

	t->net.node = NULL;
	for (port = 1; port <= t->num_ports; port++)
		glass_net_link_update(glass_net_end(&t->net, port), &a, &b);
}

static struct thing *add(enum glass_fabric_verb kind, u32 num_ports)
{
	u32 i = kind == GLASS_FABRIC_HCA ? 0 : HCAS, end = kind == GLASS_FABRIC_HCA ? HCAS : NODES;
	struct glass_net_end *ends;
	struct thing *t;

	while (i < end && thing[i])
		i++;
	if (i == end)
		return NULL;
	t = calloc(1, sizeof(*t));
	ends = malloc((num_ports + 1) * sizeof(*ends));
	FUZZ_CHECK(t && ends, "no memory");
	t->num_ports = num_ports;
	t->ports = malloc((num_ports + 1) * sizeof(*t->ports));
	t->was = malloc((num_ports + 1) * sizeof(*t->was));
	FUZZ_CHECK(t->ports && t->was, "no memory");
	memset(t->ports, 0xa5, (num_ports + 1) * sizeof(*t->ports));
	if (kind == GLASS_FABRIC_SWITCH) {
		t->sw = malloc(sizeof(*t->sw));
		FUZZ_CHECK(t->sw && !glass_switch_init(t->sw, num_ports, t->ports,
						       glass_guid_switch(GLASS_GUID_BASE, i), 1, "sw"),
			   "a switch");
	} else if (kind == GLASS_FABRIC_CA) {
		u64 guid = glass_guid_switch(GLASS_GUID_BASE, i);

		FUZZ_CHECK(!glass_node_init(&t->node, GLASS_NODE_CA, num_ports, t->ports, NULL, guid,
					    glass_guid_system_passive(guid), "ca"), "a CA");
	}
	glass_net_add(&t->net, i, node_of(t), t->sw, num_ports, ends);
	if (kind == GLASS_FABRIC_HCA) {
		t->net.owners = t->owners;
		hca_plug_in(t);
	}
	thing[i] = t;
	return t;
}

static void drop(u32 i)
{
	struct thing *t = thing[i];
	u32 port, a, b;

	for (port = 1; port <= t->num_ports; port++)
		if (t->net.ends[port].node)
			glass_net_unplug(glass_net_end(&t->net, port), &a, &b);
	thing[i] = NULL;
	if (t->sw)
		glass_fdb_free(&t->sw->fdb);
	free(t->sw);
	free(t->ports);
	free(t->was);
	free(t->net.ends);
	free(t);
}

/* With the limits of a random byte; 0: none */
static void plug(struct glass_net_end a, struct glass_net_end b, u8 limits)
{
	bool fits = !a.node->ends[a.port].node && !b.node->ends[b.port].node &&
		    (a.node != b.node || a.port != b.port);
	u32 u, v;

	if (limits & 1) {
		a.width = limits & 2 ? GLASS_WIDTH_1X : GLASS_WIDTH_12X;
		a.speed = limits & 4 ? 1 : 7;
		a.speed_ext = limits & 8 ? 0 : 3;
		a.mtu = GLASS_MTU_256 + (limits >> 4 & 3);
		a.pulled = limits & 0x80;
	}
	FUZZ_CHECK(!glass_net_plug(a, b) == fits, "a cable");
	if (fits)
		glass_net_link_update(a, &u, &v);
}

/* ---- what a subnet manager does ---- */

static bool get(struct glass_node *n, u32 in, u16 attr, u32 mod, u8 mad[256])
{
	u8 out[256];
	u32 chg;

	memset(mad, 0, 256);
	mad[GLASS_MAD_BASE_VERSION] = mad[GLASS_MAD_CLASS_VERSION] = 1;
	mad[GLASS_MAD_CLASS] = GLASS_MC_SM_LID;
	mad[GLASS_MAD_METHOD] = GLASS_MM_GET;
	put_unaligned_be16(attr, mad + GLASS_MAD_ATTR);
	put_unaligned_be32(mod, mad + GLASS_MAD_ATTR_MOD);
	if (glass_sma_process(n, in, mad, out, GLASS_SMA_NO_MKEY, &chg) != GLASS_MAD_REPLY)
		return false;
	FUZZ_CHECK(!chg, "a Get changed 0x%x", chg);
	memcpy(mad + GLASS_SMP_DATA, out + GLASS_SMP_DATA, GLASS_SMP_DATA_BYTES);
	mad[GLASS_MAD_METHOD] = GLASS_MM_SET;
	if (attr == GLASS_SA_PORT_INFO) {
		mad[GLASS_SMP_DATA + GLASS_PI_SPEED_STATE] &= 0xf0;
		mad[GLASS_SMP_DATA + GLASS_PI_PHYS] &= 0x0f;
	}
	return true;
}

/* As the manager's MAD arrives and its answer leaves: links are worked out again after that. */
static void set(struct thing *t, u32 in, const u8 mad[256])
{
	u8 out[256];
	u32 chg, a, b;

	glass_sma_process(node_of(t), in, mad, out, GLASS_SMA_NO_MKEY, &chg);
	if (chg & GLASS_CHG_LINK)
		glass_net_link_update(glass_net_end(&t->net, GLASS_CHG_PORT(chg)), &a, &b);
}

/* Takes a port to a state, and gives it a LID, unless lid is 0. */
static void raise_port(struct thing *t, u32 port, u8 state, u16 lid)
{
	u8 mad[256], *d = mad + GLASS_SMP_DATA;
	u32 in = port ?: 1;

	if (!t->net.node || !get(node_of(t), in, GLASS_SA_PORT_INFO, port, mad))
		return;
	if (lid) {
		put_unaligned_be16(lid, d + GLASS_PI_LID);
		put_unaligned_be16(1, d + GLASS_PI_SM_LID);
	}
	d[GLASS_PI_SPEED_STATE] |= state;
	set(t, in, mad);
}

/* All links that are up carry data. how: bits 0, 1: switches, others get LIDs; 2: ARMED is enough */
static void raise_all(u8 how)
{
	u32 i, port;

	for (i = 0; i < NODES; i++) {
		struct thing *t = thing[i];

		if (!t || !t->net.node)
			continue;
		if (t->sw && how & 1)
			raise_port(t, 0, 0, 20 + i % 20);
		for (port = 1; port <= t->num_ports; port++) {
			raise_port(t, port, GLASS_PORT_ARMED,
			      !t->sw && how & 2 ? 1 + i * 2 + port - 1 : 0);
			if (!(how & 4))
				raise_port(t, port, GLASS_PORT_ACTIVE, 0);
		}
	}
}

/* A switch sends packets for a LID by this port. */
static void route(struct thing *t, u16 lid, u8 port)
{
	u8 mad[256];

	if (!t || !t->sw || !get(&t->sw->node, 1, GLASS_SA_LFT, lid / 64, mad))
		return;
	mad[GLASS_SMP_DATA + lid % 64] = port;
	set(t, 1, mad);
}

/* LinearFDBTop */
static void top(struct thing *t, u16 lid)
{
	u8 mad[256];

	if (!t || !t->sw || !get(&t->sw->node, 1, GLASS_SA_SWITCH_INFO, 0, mad))
		return;
	put_unaligned_be16(lid, mad + GLASS_SMP_DATA + 6);
	set(t, 1, mad);
}

/* A switch enforces partitions at a port, where it has this P_Key alone. */
static void enforce(struct thing *t, u32 port, u8 bits, u16 pkey)
{
	u8 mad[256];

	if (!get(&t->sw->node, 1, GLASS_SA_PORT_INFO, port, mad))
		return;
	mad[GLASS_SMP_DATA + GLASS_PI_OPVL_ENFORCE] |= bits;
	set(t, 1, mad);
	if (!get(&t->sw->node, 1, GLASS_SA_PKEY_TABLE, port << 16, mad))
		return;
	put_unaligned_be16(pkey, mad + GLASS_SMP_DATA);
	set(t, 1, mad);
}

/* Any Set: what the agent would answer itself, changed a little */
static void make_set(struct glass_node *n, u8 mad[256])
{
	static const u16 attrs[] = { GLASS_SA_PORT_INFO, GLASS_SA_PORT_INFO, GLASS_SA_LFT,
				     GLASS_SA_LFT, GLASS_SA_MFT, GLASS_SA_SWITCH_INFO,
				     GLASS_SA_PKEY_TABLE, GLASS_SA_PKEY_TABLE,
				     GLASS_SA_PORT_INFO, GLASS_SA_PORT_INFO, GLASS_SA_LFT,
				     GLASS_SA_NODE_INFO, GLASS_SA_GUID_INFO, GLASS_SA_VL_ARB,
				     GLASS_SA_LED_INFO, 0xff90 };
	u8 pick_attr = fuzz_u8(), what;
	u16 attr = pick_attr & 0x40 ? fuzz_u16() : attrs[pick_attr & 15];
	u32 port = fuzz_below(n->num_ports + 2), mod = port, i;

	if (attr == GLASS_SA_LFT || attr == GLASS_SA_SWITCH_INFO)
		mod = pick_attr >> 3 & 1;
	else if (attr == GLASS_SA_PKEY_TABLE)
		mod <<= 16;
	else if (attr == GLASS_SA_MFT)
		mod = (mod & 3) << 28;
	if (!get(n, 1, attr, mod, mad))
		return;
	what = fuzz_u8();
	for (i = what & 3; i; i--) {
		u8 at = fuzz_u8() & 63;

		mad[GLASS_SMP_DATA + at] = fuzz_u8();
	}
	/* more often than by chance */
	if (attr == GLASS_SA_PORT_INFO) {
		if (what & 4)
			mad[GLASS_SMP_DATA + GLASS_PI_SPEED_STATE] |= 1 + (pick_attr >> 4 & 3);
		if (what & 8)
			mad[GLASS_SMP_DATA + GLASS_PI_OPVL_ENFORCE] |= what >> 4 & 0xc;
		if (what & 0x10)
			put_unaligned_be16(pick_lid(), mad + GLASS_SMP_DATA + GLASS_PI_LID);
		if (what & 0x20)
			put_unaligned_be16(pick_lid(), mad + GLASS_SMP_DATA + GLASS_PI_SM_LID);
		if (what & 0x40)
			mad[GLASS_SMP_DATA + GLASS_PI_REREG_TIMEOUT] |= 0x20;
		if (pick_attr & 0x80)
			mad[GLASS_SMP_DATA + GLASS_PI_PHYS] |= (what >> 6) << 4;
	} else if (attr == GLASS_SA_PKEY_TABLE && what & 4) {
		mad[GLASS_SMP_DATA] ^= 0x80; /* the default P_Key, full or limited */
	}
}

/* The ports of a group at a switch */
static void set_group(struct thing *t, u32 group, u8 ports)
{
	u8 mad[256];

	if (!t->sw || !get(&t->sw->node, 1, GLASS_SA_MFT, 0, mad))
		return;
	mad[GLASS_SMP_DATA + 2 * group + 1] = ports;
	set(t, 1, mad);
}

static void manage(void)
{
	struct thing *t = pick();
	u8 mad[256], how;

	if (!t || !t->net.node)
		return;
	how = fuzz_u8();
	switch (how & 7) {
	case 0:
		raise_all(how >> 3);
		break;
	case 1:
	case 2:
		no_memory = how & 0x40;
		route(t, pick_lid() % 64, how >> 3);
		no_memory = false;
		if (how & 0x80)
			top(t, fuzz_below(2 * LIDS));
		break;
	case 3:
		no_memory = how & 0x80;
		set_group(t, how >> 3 & 3, fuzz_u8());
		no_memory = false;
		break;
	default:
		memset(mad, 0, sizeof(mad));
		make_set(node_of(t), mad);
		no_memory = how & 0x80;
		set(t, 1 + (how >> 3 & 7) % t->num_ports, mad);
		no_memory = false;
	}
}

/* ---- changes of nodes and cables ---- */

static void change_node(void)
{
	static const u8 sizes[] = { 2, 3, 4, 5, 6, 6, 20, 36 };
	struct thing *t = NULL;
	u8 how = fuzz_u8();

	switch (how & 7) {
	case 0:
		t = add(GLASS_FABRIC_HCA, 1 + (how >> 3 & 1));
		break;
	case 1:
		t = add(GLASS_FABRIC_CA, 1 + (how >> 3 & 3));
		break;
	case 2:
	case 3:
		t = add(GLASS_FABRIC_SWITCH, sizes[how >> 3 & 7]);
		break;
	case 4:
		t = pick();
		if (t)
			drop(t->net.index);
		return;
	default:
		t = thing[how >> 3 & (HCAS - 1)];
		if (t && t->net.node)
			hca_unplug(t);
		else if (t)
			hca_plug_in(t);
		return;
	}
	if (t && how & 0x80) {
		if (t->sw)
			t->sw->fdb.enhanced = true;
		node_of(t)->vendor_id = 0x2c9;
		glass_port_set_guid(&t->ports[!t->sw], 0x700 + how);
	}
	if (t && how & 0x40)
		glass_node_set_rates(node_of(t), GLASS_WIDTH_1X | GLASS_WIDTH_12X, 1, how & 0x20 ? 1 : 0);
}

static void change_cable(void)
{
	struct thing *t = pick(), *u;
	struct glass_net_end a, b;
	u8 how = fuzz_u8();
	u32 x, y;

	if (!t)
		return;
	a = pick_end(t);
	switch (how & 3) {
	case 0:
	case 1:
		u = pick();
		b = pick_end(u);
		plug(a, b, how & 4 ? fuzz_u8() : 0);
		break;
	case 2:
		glass_net_pull(a, how & 4);
		glass_net_link_update(a, &x, &y);
		b = a.node->ends[a.port];
		if (how & 8 && b.node) {
			raise_port(t, a.port, GLASS_PORT_ARMED, 0);
			if (!(how & 32))
				raise_port(thing_of(b.node), b.port, GLASS_PORT_ARMED, 0);
		}
		if (how & 16)
			raise_port(t, a.port, GLASS_PORT_ACTIVE, 0);
		break;
	default:
		if (a.node->ends[a.port].node)
			glass_net_unplug(a, &x, &y);
	}
}

/* ---- the fabric at first ---- */

/* HCA 0 and 1 at the ends of n switches in a row; LIDs 1 and 3, by ports 1 and 2 */
static void make_chain(u32 n)
{
	struct thing *a = add(GLASS_FABRIC_HCA, 2), *b = add(GLASS_FABRIC_HCA, 2), *s, *last = NULL;
	u32 i;

	for (i = 0; i < n; i++) {
		s = add(GLASS_FABRIC_SWITCH, 3);
		plug(last ? glass_net_end(&last->net, 2) : glass_net_end(&a->net, 1),
		     glass_net_end(&s->net, 1), 0);
		top(s, LIDS);
		route(s, 1, 1);
		route(s, 3, 2);
		last = s;
	}
	plug(glass_net_end(&last->net, 2), glass_net_end(&b->net, 1), 0);
	raise_all(2);
}

/*
 * n HCAs, the fourth of them a passive CA, around a switch; LIDs 1, 3, 5 ... With limits the second
 * has a small MTU, and the third another partition. All are in group 0.
 */
static void make_star(u32 n, bool limits)
{
	struct thing *s = add(GLASS_FABRIC_SWITCH, 6), *t;
	u32 i;

	top(s, LIDS);
	for (i = 0; i < n; i++) {
		t = add(i == 3 ? GLASS_FABRIC_CA : GLASS_FABRIC_HCA, 2);
		plug(glass_net_end(&t->net, 1), glass_net_end(&s->net, i + 1), limits && i == 1 ? 3 : 0);
		route(s, 1 + 2 * t->net.index, i + 1);
	}
	if (limits)
		enforce(s, 3, GLASS_ENFORCE_OUT, 0x9234);
	set_group(s, 0, 0x7e);
	raise_all(3);
}

/* A circle of three switches with an HCA at each */
static void make_circle(u8 how)
{
	struct thing *s[3], *t;
	u32 i;

	for (i = 0; i < 3; i++)
		s[i] = add(GLASS_FABRIC_SWITCH, 4);
	for (i = 0; i < 3; i++) {
		t = add(GLASS_FABRIC_HCA, 1);
		plug(glass_net_end(&s[i]->net, 2), glass_net_end(&s[(i + 1) % 3]->net, 1), 0);
		plug(glass_net_end(&t->net, 1), glass_net_end(&s[i]->net, 3), 0);
		top(s[i], LIDS);
		route(s[i], 1, i || how & 8 ? 2 : 3);
		route(s[i], 5, 2);
	}
	raise_all(3);
}

#endif
