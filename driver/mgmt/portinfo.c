// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* PortInfo: the attribute by which a subnet manager configures a port. */
#include "mgmt/notice.h"
#include "mgmt/portinfo.h"
#include "mgmt/sma.h"

/* Does the port have its own LIDs, M_Key and SM LID? External ports of a switch have none. */
static bool is_managed(const struct glass_node *n, const struct glass_port *p)
{
	return n->type == GLASS_NODE_CA || !p->num;
}

/* Does the port have a link? Port 0 of a switch has none. */
static bool has_link(const struct glass_port *p)
{
	return p->num;
}

void glass_sma_port_info(const struct glass_node *n, const struct glass_port *p, u32 in_port,
			 u8 data[64])
{
	memset(data, 0, 64);
	put_unaligned_be64(p->mkey, data + GLASS_PI_MKEY);
	put_unaligned_be64(p->gid_prefix, data + GLASS_PI_GID_PREFIX);
	put_unaligned_be16(p->lid, data + GLASS_PI_LID);
	put_unaligned_be16(p->sm_lid, data + GLASS_PI_SM_LID);
	put_unaligned_be32(p->cap_mask, data + GLASS_PI_CAP_MASK);
	put_unaligned_be16(p->mkey_lease, data + GLASS_PI_MKEY_LEASE);
	data[GLASS_PI_LOCAL_PORT] = in_port;
	data[GLASS_PI_WIDTH_ENABLED] = p->width_enabled;
	data[GLASS_PI_WIDTH_SUPPORTED] = p->width_supported;
	data[GLASS_PI_WIDTH_ACTIVE] = p->width_active;
	data[GLASS_PI_SPEED_STATE] = p->speed_supported << 4 | p->state;
	data[GLASS_PI_PHYS] = p->phys_state << 4 | p->link_down_default;
	data[GLASS_PI_MKEY_LMC] = p->mkey_protect << 6 | p->lmc;
	data[GLASS_PI_SPEED] = p->speed_active << 4 | p->speed_enabled;
	data[GLASS_PI_MTU_SMSL] = p->mtu_active << 4 | p->sm_sl;
	data[GLASS_PI_VLCAP_INIT] = p->vl_cap << 4 | p->init_type;
	data[GLASS_PI_VL_HIGH_LIMIT] = p->vl_high_limit;
	data[GLASS_PI_INIT_MTUCAP] = p->init_type_reply << 4 | glass_port_mtu_cap(p);
	data[GLASS_PI_VLSTALL_HOQ] = p->vl_stall;
	data[GLASS_PI_OPVL_ENFORCE] = p->op_vls << 4 | p->enforce;
	put_unaligned_be16(p->mkey_viol, data + GLASS_PI_MKEY_VIOL);
	put_unaligned_be16(p->pkey_viol, data + GLASS_PI_PKEY_VIOL);
	put_unaligned_be16(p->qkey_viol, data + GLASS_PI_QKEY_VIOL);
	data[GLASS_PI_GUID_CAP] = p->guid_len;
	data[GLASS_PI_REREG_TIMEOUT] = p->mcast_pkey_trap_suppr << 5 | p->subnet_timeout;
	data[GLASS_PI_RESP_TIME] = is_managed(n, p) ? p->resp_time : 0;
	data[GLASS_PI_ERR_THRESH] = p->local_phy_errs << 4 | p->overrun_errs;
	data[GLASS_PI_SPEED_EXT] = p->speed_ext_active << 4 | p->speed_ext_supported;
	data[GLASS_PI_SPEED_EXT_EN] = p->speed_ext_enabled;
}

static bool lid_ok(u16 lid, u16 now)
{
	return lid == now || (lid && lid < GLASS_LID_MCAST_BASE);
}

/*
 * May a Set write v to an "enabled" component, whose value is `now`? If v is 0, the component keeps
 * its value. If v is `all`, the component becomes `supported`. Any other v must be a subset of the
 * bits of `supported`, or equal to `now`.
 */
static bool enabled_ok(u8 v, u8 now, u8 supported, u8 all)
{
	return !v || v == all || v == now || !(v & ~supported);
}

/* Returns the value of an "enabled" component after a Set with v, which enabled_ok() allowed. */
static u8 enabled_value(u8 v, u8 now, u8 supported, u8 all)
{
	if (!v)
		return now;
	return v == all ? supported : v;
}

/*
 * May a subnet manager set this port state and this physical state (IBA 14.2.5.6, table of
 * PortState)? 0: the Set does not change this state.
 */
static bool state_ok(const struct glass_port *p, u8 state, u8 phys)
{
	switch (state) {
	case GLASS_PORT_NOP:
	case GLASS_PORT_DOWN:
		break;
	case GLASS_PORT_ARMED:
		if (p->state != GLASS_PORT_INIT && p->state != GLASS_PORT_ARMED)
			return false;
		break;
	case GLASS_PORT_ACTIVE:
		if (p->state != GLASS_PORT_ARMED && p->state != GLASS_PORT_ACTIVE)
			return false;
		break;
	default:
		return false;
	}
	if (phys > GLASS_PHYS_DISABLED)
		return false;
	/* a new physical state takes the link down, so ARMED and ACTIVE contradict it */
	return !phys || state <= GLASS_PORT_DOWN;
}

static bool managed_ok(const struct glass_port *p, const u8 *data)
{
	return lid_ok(get_unaligned_be16(data + GLASS_PI_LID), p->lid) &&
	       lid_ok(get_unaligned_be16(data + GLASS_PI_SM_LID), p->sm_lid);
}

static bool link_ok(const struct glass_port *p, const u8 *data)
{
	u8 mtu = data[GLASS_PI_MTU_SMSL] >> 4;
	u8 ext = data[GLASS_PI_SPEED_EXT_EN] & 0x1f;

	if (!enabled_ok(data[GLASS_PI_WIDTH_ENABLED], p->width_enabled, p->width_supported, 0xff))
		return false;
	if (!enabled_ok(data[GLASS_PI_SPEED] & 0xf, p->speed_enabled, p->speed_supported, 0xf))
		return false;
	if (ext != GLASS_SPEED_EXT_OFF &&
	    !enabled_ok(ext, p->speed_ext_enabled, p->speed_ext_supported, 0x1f))
		return false;
	if (mtu != p->mtu_active && (!glass_mtu_bytes(mtu) || mtu > glass_port_mtu_cap(p)))
		return false;
	if (data[GLASS_PI_OPVL_ENFORCE] >> 4 > p->vl_cap)
		return false;
	if ((data[GLASS_PI_PHYS] & 0xf) > GLASS_PHYS_POLLING)
		return false;
	return state_ok(p, data[GLASS_PI_SPEED_STATE] & 0xf, data[GLASS_PI_PHYS] >> 4);
}

static void set_managed(struct glass_port *p, const u8 *data, u32 *chg)
{
	u64 prefix = get_unaligned_be64(data + GLASS_PI_GID_PREFIX);
	u16 lid = get_unaligned_be16(data + GLASS_PI_LID);
	u16 sm_lid = get_unaligned_be16(data + GLASS_PI_SM_LID);
	u8 lmc = data[GLASS_PI_MKEY_LMC] & 7;
	u8 sm_sl = data[GLASS_PI_MTU_SMSL] & 0xf;

	if (prefix != p->gid_prefix)
		*chg |= GLASS_CHG_GID;
	if (lid != p->lid || lmc != p->lmc)
		*chg |= GLASS_CHG_LID;
	if (sm_lid != p->sm_lid || sm_sl != p->sm_sl)
		*chg |= GLASS_CHG_SM;
	if (data[GLASS_PI_REREG_TIMEOUT] & 0x80)
		*chg |= GLASS_CHG_REREG;
	/* the packet path and queries read these four fields without a lock */
	WRITE_ONCE(p->gid_prefix, prefix);
	WRITE_ONCE(p->lid, lid);
	WRITE_ONCE(p->lmc, lmc);
	WRITE_ONCE(p->sm_lid, sm_lid);
	p->sm_sl = sm_sl;

	p->mkey = get_unaligned_be64(data + GLASS_PI_MKEY);
	p->mkey_protect = data[GLASS_PI_MKEY_LMC] >> 6;
	p->mkey_lease = get_unaligned_be16(data + GLASS_PI_MKEY_LEASE);
	p->lease_running = false;
	p->mkey_viol = get_unaligned_be16(data + GLASS_PI_MKEY_VIOL);
	p->pkey_viol = get_unaligned_be16(data + GLASS_PI_PKEY_VIOL);
	p->qkey_viol = get_unaligned_be16(data + GLASS_PI_QKEY_VIOL);
	p->init_type_reply = data[GLASS_PI_INIT_MTUCAP] >> 4;
	p->mcast_pkey_trap_suppr = data[GLASS_PI_REREG_TIMEOUT] >> 5 & 3;
	p->subnet_timeout = data[GLASS_PI_REREG_TIMEOUT] & 0x1f;
}

/*
 * Takes the link down, with `phys` as the new physical state. GLASS_CHG_LINK in *chg asks for a
 * glass_link_update(), which decides whether the link comes up again.
 */
static void reset_link(struct glass_node *n, struct glass_port *p, u8 phys, u32 *chg)
{
	u32 bits = glass_port_link(p, false);

	if (bits && n->fdb) {
		n->fdb->port_state_change = true;
		glass_trap_request(n, 0, GLASS_TRAP_LINK_STATE);
	}
	if (p->phys_state != phys)
		bits |= GLASS_CHG_STATE;
	p->phys_state = phys;
	*chg |= bits | GLASS_CHG_LINK;
}

static void set_state(struct glass_node *n, struct glass_port *p, u8 state, u8 phys, u32 *chg)
{
	if (phys) {
		reset_link(n, p, phys, chg);
	} else if (state == GLASS_PORT_DOWN) {
		/* a disabled port stays disabled: only a Set of the physical state enables it */
		if (p->phys_state == GLASS_PHYS_LINKUP)
			reset_link(n, p, p->link_down_default, chg);
	} else if (state && state != p->state) {
		WRITE_ONCE(p->state, state);
		*chg |= GLASS_CHG_STATE;
		if (state == GLASS_PORT_ACTIVE)
			*chg |= GLASS_CHG_ACTIVE;
	}
}

static void set_link(struct glass_node *n, struct glass_port *p, const u8 *data, u32 *chg)
{
	u8 mtu = data[GLASS_PI_MTU_SMSL] >> 4;
	u8 ext = data[GLASS_PI_SPEED_EXT_EN] & 0x1f;
	u8 op_vls = data[GLASS_PI_OPVL_ENFORCE] >> 4;
	u8 down = data[GLASS_PI_PHYS] & 0xf;
	u32 state = 0;

	if (mtu != p->mtu_active)
		*chg |= GLASS_CHG_MTU;
	p->mtu_active = mtu;
	p->width_enabled = enabled_value(data[GLASS_PI_WIDTH_ENABLED], p->width_enabled,
					 p->width_supported, 0xff);
	p->speed_enabled = enabled_value(data[GLASS_PI_SPEED] & 0xf, p->speed_enabled,
					 p->speed_supported, 0xf);
	p->speed_ext_enabled = enabled_value(ext, p->speed_ext_enabled, p->speed_ext_supported,
					     0x1f);
	if (op_vls)
		p->op_vls = op_vls;
	if (!is_managed(n, p)) {
		p->enforce = data[GLASS_PI_OPVL_ENFORCE] & (GLASS_ENFORCE_IN | GLASS_ENFORCE_OUT);
		p->pkey_viol = get_unaligned_be16(data + GLASS_PI_PKEY_VIOL);
	}
	if (down)
		p->link_down_default = down;
	p->vl_high_limit = data[GLASS_PI_VL_HIGH_LIMIT];
	p->vl_stall = data[GLASS_PI_VLSTALL_HOQ];
	p->local_phy_errs = data[GLASS_PI_ERR_THRESH] >> 4;
	p->overrun_errs = data[GLASS_PI_ERR_THRESH] & 0xf;
	set_state(n, p, data[GLASS_PI_SPEED_STATE] & 0xf, data[GLASS_PI_PHYS] >> 4, &state);
	if (state & GLASS_CHG_STATE)
		glass_port_changed_by(p, n->now, GLASS_PORT_BY_SM);
	*chg |= state;
}

u16 glass_portinfo_set(struct glass_node *n, struct glass_port *p, const u8 data[64], u32 *chg)
{
	if (is_managed(n, p) && !managed_ok(p, data))
		return GLASS_MS_BAD_FIELD;
	if (has_link(p) && !link_ok(p, data))
		return GLASS_MS_BAD_FIELD;

	if (is_managed(n, p))
		set_managed(p, data, chg);
	if (has_link(p))
		set_link(n, p, data, chg);
	return GLASS_MS_OK;
}
