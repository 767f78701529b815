// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Verbs of a port. */
#include <rdma/ib_mad.h>

#include "engine/engine.h"
#include "link/link.h"
#include "mgmt/notice.h"
#include "observe/observe.h"
#include "verbs/api.h"
#include "verbs/verbs.h"

static_assert((int)GLASS_PORT_ACTIVE == (int)IB_PORT_ACTIVE);
static_assert((int)GLASS_PORT_DOWN == (int)IB_PORT_DOWN);

static bool bad_port(const struct glass_dev *dev, u32 port)
{
	return !port || port > dev->num_ports;
}

/*
 * The port's speed as enum ib_port_speed. From FDR on, the values of this enum differ from those in
 * PortInfo.
 */
static u16 active_speed(const struct glass_port *p)
{
	static const u16 speeds[] = {
		[GLASS_LANE_SDR] = IB_SPEED_SDR, [GLASS_LANE_DDR] = IB_SPEED_DDR,
		[GLASS_LANE_QDR] = IB_SPEED_QDR, [GLASS_LANE_FDR] = IB_SPEED_FDR,
		[GLASS_LANE_EDR] = IB_SPEED_EDR, [GLASS_LANE_HDR] = IB_SPEED_HDR,
		[GLASS_LANE_NDR] = IB_SPEED_NDR,
	};

	return speeds[glass_port_lane_speed(p)];
}

int glass_query_port(struct ib_device *ib, u32 port, struct ib_port_attr *attr)
{
	struct glass_dev *dev = to_gdev(ib);
	struct glass_port *p;
	unsigned long flags;

	glass_enter_bare(dev, QUERY_PORT, PORT, port);
	if (bad_port(dev, port)) {
		glass_leave(dev, QUERY_PORT, PORT, port, -EINVAL);
		return -EINVAL;
	}
	p = &dev->node_ports[port];
	spin_lock_irqsave(&dev->fabric->lock, flags);
	attr->state = p->state;
	attr->phys_state = p->phys_state;
	attr->max_mtu = glass_port_mtu_cap(p);
	attr->active_mtu = p->mtu_active;
	attr->gid_tbl_len = p->guid_len;
	attr->pkey_tbl_len = p->pkey_len;
	attr->port_cap_flags = p->cap_mask;
	attr->max_msg_sz = GLASS_MAX_MSG;
	attr->bad_pkey_cntr = p->pkey_viol;
	attr->qkey_viol_cntr = p->qkey_viol;
	attr->lid = p->lid;
	attr->lmc = p->lmc;
	attr->sm_lid = p->sm_lid;
	attr->sm_sl = p->sm_sl;
	attr->subnet_timeout = p->subnet_timeout;
	/*
	 * if this field were 0, ib_core would take the prefix from the last entry of its GID cache,
	 * which is usually empty
	 */
	attr->subnet_prefix = p->gid_prefix;
	attr->init_type_reply = p->init_type_reply;
	attr->max_vl_num = p->vl_cap;
	attr->active_width = p->width_active;
	attr->active_speed = active_speed(p);
	spin_unlock_irqrestore(&dev->fabric->lock, flags);
	glass_leave(dev, QUERY_PORT, PORT, port, 0);
	return 0;
}

int glass_modify_port(struct ib_device *ib, u32 port, int mask, struct ib_port_modify *modify)
{
	struct glass_dev *dev = to_gdev(ib);
	struct glass_port *p;
	unsigned long flags;
	u32 before, changes;
	int err = 0;

	glass_enter(dev, MODIFY_PORT, PORT, port, "mask=0x%x set_cap=0x%x clr_cap=0x%x", mask,
		    modify->set_port_cap_mask, modify->clr_port_cap_mask);
	if (bad_port(dev, port))
		err = -EINVAL;
	else if (mask & ~(IB_PORT_SHUTDOWN | IB_PORT_INIT_TYPE | IB_PORT_RESET_QKEY_CNTR))
		err = -EOPNOTSUPP;
	if (err)
		goto out;
	p = &dev->node_ports[port];
	spin_lock_irqsave(&dev->fabric->lock, flags);
	before = p->cap_mask;
	p->cap_mask |= modify->set_port_cap_mask;
	p->cap_mask &= ~modify->clr_port_cap_mask;
	changes = before != p->cap_mask ? GLASS_CHG_CAP : 0;
	if (changes)
		glass_trap_local_change(&dev->node, port, 0);
	if (mask & IB_PORT_INIT_TYPE)
		p->init_type = modify->init_type & 0xf;
	if (mask & IB_PORT_RESET_QKEY_CNTR)
		p->qkey_viol = 0;
	if (mask & IB_PORT_SHUTDOWN)
		changes |= glass_port_link(p, false) | GLASS_CHG_LINK;
	if (changes & GLASS_CHG_STATE)
		glass_port_changed_by(p, ktime_get_ns(), GLASS_PORT_BY_VERB);
	glass_link_note(&dev->ports[port].link, changes);
	spin_unlock_irqrestore(&dev->fabric->lock, flags);
	if (changes)
		glass_link_changed(&dev->ports[port].link, changes, GLASS_PORT_BY_VERB);
out:
	glass_leave(dev, MODIFY_PORT, PORT, port, err);
	return err;
}

int glass_get_port_immutable(struct ib_device *ib, u32 port, struct ib_port_immutable *immutable)
{
	struct ib_port_attr attr = {};
	int err;

	err = ib_query_port(ib, port, &attr);
	if (err)
		return err;
	immutable->pkey_tbl_len = attr.pkey_tbl_len;
	immutable->gid_tbl_len = attr.gid_tbl_len;
	immutable->core_cap_flags = RDMA_CORE_PORT_IBA_IB;
	immutable->max_mad_size = IB_MGMT_MAD_SIZE;
	return 0;
}

enum rdma_link_layer glass_get_link_layer(struct ib_device *ib, u32 port)
{
	return IB_LINK_LAYER_INFINIBAND;
}

int glass_query_gid(struct ib_device *ib, u32 port, int index, union ib_gid *gid)
{
	struct glass_dev *dev = to_gdev(ib);
	unsigned long flags;

	glass_enter(dev, QUERY_GID, PORT, port, "index=%d", index);
	if (bad_port(dev, port) || index < 0 || index >= dev->node_ports[port].guid_len) {
		glass_leave(dev, QUERY_GID, PORT, port, -EINVAL);
		return -EINVAL;
	}
	spin_lock_irqsave(&dev->fabric->lock, flags);
	/* an entry without GUID gives the zero GID: then ib_core's cached entry stays empty */
	if (glass_port_gid(&dev->node_ports[port], index, gid->raw))
		memset(gid, 0, sizeof(*gid));
	spin_unlock_irqrestore(&dev->fabric->lock, flags);
	glass_leave(dev, QUERY_GID, PORT, port, 0);
	return 0;
}

int glass_query_pkey(struct ib_device *ib, u32 port, u16 index, u16 *pkey)
{
	struct glass_dev *dev = to_gdev(ib);
	int err = -EINVAL;

	glass_enter(dev, QUERY_PKEY, PORT, port, "index=%u", index);
	if (!bad_port(dev, port) && index < dev->node_ports[port].pkey_len) {
		*pkey = READ_ONCE(dev->node_ports[port].pkeys[index]);
		err = 0;
	}
	glass_leave(dev, QUERY_PKEY, PORT, port, err);
	return err;
}
