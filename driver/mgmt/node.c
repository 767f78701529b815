// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Nodes and ports: initial state, links, tables of P_Keys and GIDs. */
#include "mgmt/node.h"
#include "mgmt/notice.h"

void glass_node_set_desc(struct glass_node *n, const char *desc, size_t len)
{
	memset(n->desc, 0, sizeof(n->desc));
	memcpy(n->desc, desc, min(len, sizeof(n->desc)));
}

/* The widths of a link, the widest first. */
static const struct {
	u8 bit, lanes;
} widths[] = {
	{ GLASS_WIDTH_12X, 12 }, { GLASS_WIDTH_8X, 8 }, { GLASS_WIDTH_4X, 4 },
	{ GLASS_WIDTH_2X, 2 },	 { GLASS_WIDTH_1X, 1 },
};

/* Returns the widest width in a set, or 0 if the set is empty. */
static u8 widest_of(u8 set)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(widths); i++)
		if (set & widths[i].bit)
			return widths[i].bit;
	return 0;
}

/*
 * Returns the fastest speed in a set of speeds or of extended speeds: its highest bit. Returns 0 if
 * the set is empty.
 */
static u8 fastest_of(u8 set)
{
	u8 best = 0, bit;

	for (bit = 0; bit < 8; bit++)
		if (set >> bit & 1)
			best = 1 << bit;
	return best;
}

u32 glass_width_lanes(u8 width)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(widths); i++)
		if (width & widths[i].bit)
			return widths[i].lanes;
	return 1;
}

enum glass_lane_speed glass_top_speed(u8 speed, u8 speed_ext)
{
	static const enum glass_lane_speed ext[] = { GLASS_LANE_NDR, GLASS_LANE_HDR, GLASS_LANE_EDR,
						     GLASS_LANE_FDR };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(ext); i++)
		if (speed_ext & (GLASS_SPEED_EXT_NDR >> i))
			return ext[i];
	if (speed & GLASS_SPEED_QDR)
		return GLASS_LANE_QDR;
	return speed & GLASS_SPEED_DDR ? GLASS_LANE_DDR : GLASS_LANE_SDR;
}

void glass_node_set_rates(struct glass_node *n, u8 width, u8 speed, u8 ext)
{
	struct glass_port *p;
	u32 i;

	for (i = n->type == GLASS_NODE_CA; i <= n->num_ports; i++) {
		p = &n->ports[i];
		p->width_supported = width;
		p->width_enabled = width;
		p->width_active = widest_of(width);
		p->speed_supported = speed;
		p->speed_enabled = speed;
		p->speed_active = fastest_of(speed);
		p->speed_ext_supported = ext;
		p->speed_ext_enabled = ext;
		p->speed_ext_active = fastest_of(ext);
		if (ext)
			p->cap_mask |= GLASS_CAP_EXT_SPEEDS;
		else
			p->cap_mask &= ~GLASS_CAP_EXT_SPEEDS;
	}
}

static void port_init(struct glass_node *n, u32 num)
{
	struct glass_port *p = &n->ports[num];
	bool managed = n->type == GLASS_NODE_CA || !num;

	memset(p, 0, sizeof(*p));
	p->num = num;
	p->state = GLASS_PORT_DOWN;
	p->phys_state = GLASS_PHYS_POLLING;
	p->link_down_default = GLASS_PHYS_POLLING;
	p->mtu_cap = GLASS_MTU_4096;
	p->mtu_active = GLASS_MTU_4096;
	p->width_supported = GLASS_WIDTH_1X | GLASS_WIDTH_4X;
	p->width_enabled = p->width_supported;
	p->width_active = GLASS_WIDTH_4X;
	p->cable = (struct glass_cable_caps){ 0xff, 0xff, 0xff, GLASS_MTU_4096, false };
	p->speed_supported = GLASS_SPEED_SDR | GLASS_SPEED_DDR | GLASS_SPEED_QDR;
	p->speed_enabled = p->speed_supported;
	p->speed_active = GLASS_SPEED_QDR;
	p->speed_ext_supported = GLASS_SPEED_EXT_FDR | GLASS_SPEED_EXT_EDR;
	p->speed_ext_enabled = p->speed_ext_supported;
	p->speed_ext_active = GLASS_SPEED_EXT_EDR;
	p->vl_cap = 1;
	p->op_vls = 1;
	p->resp_time = 16;
	p->cap_mask = GLASS_CAP_EXT_SPEEDS | GLASS_CAP_LED_INFO;
	if (!managed) {
		p->pkey_len = GLASS_PKEY_SWITCH_LEN;
		p->pkeys[0] = GLASS_PKEY_DEFAULT;
		return;
	}

	p->guid = n->guid + num;
	p->guids[0] = p->guid;
	p->guid_len = n->type == GLASS_NODE_CA ? GLASS_GUID_TABLE_LEN : 1;
	p->gid_prefix = GLASS_GID_PREFIX_DEFAULT;
	p->pkey_len = n->type == GLASS_NODE_CA ? GLASS_PKEY_TABLE_LEN : 32;
	p->pkeys[0] = GLASS_PKEY_DEFAULT;
	p->subnet_timeout = 18;
	p->cap_mask |= GLASS_CAP_TRAP | GLASS_CAP_SYS_GUID;
	if (n->type == GLASS_NODE_CA) {
		p->cap_mask |= GLASS_CAP_CM | GLASS_CAP_CLIENT_REREG;
	} else {
		/* port 0 of a switch has no link that could be down */
		p->state = GLASS_PORT_ACTIVE;
		p->phys_state = GLASS_PHYS_LINKUP;
	}
}

int glass_node_init(struct glass_node *n, u8 type, u32 num_ports, struct glass_port *ports,
		    struct glass_fdb *fdb, u64 guid, u64 sys_guid, const char *desc)
{
	u32 i;

	if (!num_ports || num_ports > GLASS_SWITCH_MAX_PORTS || !ports)
		return -EINVAL;
	if (type != GLASS_NODE_CA && (type != GLASS_NODE_SWITCH || !fdb))
		return -EINVAL;

	memset(n, 0, sizeof(*n));
	n->type = type;
	n->num_ports = num_ports;
	n->guid = guid;
	n->sys_guid = sys_guid;
	n->ports = ports;
	n->revision = 1;
	glass_node_set_desc(n, desc, strlen(desc));
	if (type == GLASS_NODE_SWITCH) {
		n->fdb = fdb;
		glass_fdb_init(fdb);
	}
	for (i = type == GLASS_NODE_CA; i <= num_ports; i++)
		port_init(n, i);
	return 0;
}

void glass_port_set_guid(struct glass_port *p, u64 guid)
{
	p->guid = guid;
	p->guids[0] = guid;
}

u32 glass_port_link(struct glass_port *p, bool up)
{
	u32 chg = 0;

	if (up) {
		if (p->phys_state != GLASS_PHYS_POLLING)
			return 0;
		p->phys_state = GLASS_PHYS_LINKUP;
		WRITE_ONCE(p->state, GLASS_PORT_INIT);
		return GLASS_CHG_STATE;
	}
	if (p->phys_state != GLASS_PHYS_LINKUP)
		return 0;
	if (p->state == GLASS_PORT_ACTIVE)
		chg = GLASS_CHG_DOWN;
	WRITE_ONCE(p->state, GLASS_PORT_DOWN);
	p->phys_state = p->link_down_default;
	p->ctr[GLASS_CTR_LINK_DOWNED]++;
	return chg | GLASS_CHG_STATE;
}

static bool wants_link(const struct glass_port *p)
{
	return !p->pulled && !p->cable.cut &&
	       (p->phys_state == GLASS_PHYS_POLLING || p->phys_state == GLASS_PHYS_LINKUP);
}

static u8 ext_enabled(const struct glass_port *p)
{
	return p->speed_ext_enabled == GLASS_SPEED_EXT_OFF ? 0 : p->speed_ext_enabled;
}

/*
 * Called when the link of the port comes up: if the active MTU exceeds MTUCap, lowers it. Returns
 * GLASS_CHG_MTU or 0.
 */
static u32 lower_mtu(struct glass_port *p)
{
	u8 cap = glass_port_mtu_cap(p);

	if (p->mtu_active <= cap)
		return 0;
	WRITE_ONCE(p->mtu_active, cap);
	return GLASS_CHG_MTU;
}

/*
 * Sets the active width and speeds of both ends to the best that both ends have enabled and the
 * cable supports. Returns false if there is no such width or no such speed.
 */
static bool link_negotiate(struct glass_port *a, struct glass_port *b)
{
	const struct glass_cable_caps *ca = &a->cable, *cb = &b->cable;
	u8 width, speed, ext;

	width = widest_of(a->width_enabled & b->width_enabled & ca->width & cb->width);
	speed = fastest_of(a->speed_enabled & b->speed_enabled & ca->speed & cb->speed);
	ext = fastest_of(ext_enabled(a) & ext_enabled(b) & ca->ext & cb->ext);
	if (!width || (!speed && !ext))
		return false;
	a->width_active = width;
	b->width_active = width;
	a->speed_active = speed;
	b->speed_active = speed;
	a->speed_ext_active = ext;
	b->speed_ext_active = ext;
	return true;
}

/*
 * Sets one end of a link up or down. If this changes the state of a switch port, sets
 * PortStateChange and requests a trap.
 */
static u32 link_end(struct glass_node *n, struct glass_port *p, bool up)
{
	u32 chg = glass_port_link(p, up);

	if (chg && n->fdb) {
		n->fdb->port_state_change = true;
		glass_trap_request(n, 0, GLASS_TRAP_LINK_STATE);
	}
	return chg;
}

u32 glass_link_alone(struct glass_node *n, struct glass_port *p)
{
	u32 chg = link_end(n, p, false);

	return chg ? chg | p->num << 24 : 0;
}

void glass_link_update(struct glass_node *na, struct glass_port *a, struct glass_node *nb,
		       struct glass_port *b, u32 *chg_a, u32 *chg_b)
{
	bool up = wants_link(a) && wants_link(b);

	*chg_a = 0;
	*chg_b = 0;
	if (up && a->phys_state == GLASS_PHYS_LINKUP && b->phys_state == GLASS_PHYS_LINKUP)
		return;
	*chg_a = link_end(na, a, false);
	*chg_b = link_end(nb, b, false);
	/* test again: an end whose LinkDownDefaultState is Sleep is not polling any more */
	if (up && wants_link(a) && wants_link(b) && link_negotiate(a, b)) {
		*chg_a |= link_end(na, a, true) | lower_mtu(a);
		*chg_b |= link_end(nb, b, true) | lower_mtu(b);
	}
	if (*chg_a)
		*chg_a |= (u32)a->num << 24;
	if (*chg_b)
		*chg_b |= (u32)b->num << 24;
}

u32 glass_port_data_seen(struct glass_port *p)
{
	if (likely(p->state != GLASS_PORT_ARMED))
		return 0;
	WRITE_ONCE(p->state, GLASS_PORT_ACTIVE);
	return GLASS_CHG_ACTIVE | GLASS_CHG_STATE | (u32)p->num << 24;
}

int glass_port_pkey_index(const struct glass_port *p, u16 pkey)
{
	int limited = -ENOENT;
	u32 i;

	for (i = 0; i < p->pkey_len; i++) {
		u16 have = READ_ONCE(p->pkeys[i]);

		if (!glass_pkey_match(have, pkey))
			continue;
		if (have & GLASS_PKEY_FULL)
			return i;
		if (limited < 0)
			limited = i;
	}
	return limited;
}

bool glass_port_pkey_in(const struct glass_port *p, u16 pkey)
{
	u32 i;

	if (!(p->enforce & GLASS_ENFORCE_IN))
		return true;
	for (i = 0; i < p->pkey_len; i++)
		if (glass_pkey_match(READ_ONCE(p->pkeys[i]) | GLASS_PKEY_FULL, pkey))
			return true;
	return false;
}

bool glass_port_pkey_out(const struct glass_port *p, u16 pkey)
{
	return !(p->enforce & GLASS_ENFORCE_OUT) || glass_port_pkey_index(p, pkey) >= 0;
}

int glass_port_gid(const struct glass_port *p, u32 index, u8 gid[16])
{
	u64 guid = index < p->guid_len ? READ_ONCE(p->guids[index]) : 0;

	if (!guid)
		return -EINVAL;
	put_unaligned_be64(READ_ONCE(p->gid_prefix), gid);
	put_unaligned_be64(guid, gid + 8);
	return 0;
}

int glass_port_gid_index(const struct glass_port *p, const u8 gid[16])
{
	u64 prefix = get_unaligned_be64(gid);
	u64 guid = get_unaligned_be64(gid + 8);
	u32 i;

	if (!guid || (prefix != READ_ONCE(p->gid_prefix) && prefix != GLASS_GID_PREFIX_DEFAULT))
		return -ENOENT;
	for (i = 0; i < p->guid_len; i++)
		if (READ_ONCE(p->guids[i]) == guid)
			return i;
	return -ENOENT;
}
