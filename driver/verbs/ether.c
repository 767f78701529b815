// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Verbs of a device with an Ethernet port (RoCEv2), where they differ from those of other devices. */
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_mad.h>

#include "link/ether.h"
#include "verbs/verbs.h"

static enum rdma_link_layer ether_link_layer(struct ib_device *ib, u32 port)
{
	return IB_LINK_LAYER_ETHERNET;
}

static int ether_query_port(struct ib_device *ib, u32 port, struct ib_port_attr *attr)
{
	struct glass_dev *dev = to_gdev(ib);
	int err = glass_query_port(ib, port, attr);
	struct net_device *nd;

	if (err)
		return err;
	attr->gid_tbl_len = GLASS_ETHER_GIDS;
	attr->pkey_tbl_len = 1;
	attr->port_cap_flags = IB_PORT_CM_SUP;
	attr->subnet_prefix = 0;
	rcu_read_lock();
	nd = rcu_dereference(dev->ports[port].link.ether->nd.dev);
	if (nd) {
		attr->max_mtu = IB_MTU_4096;
		attr->active_mtu = glass_ether_mtu_code(READ_ONCE(nd->mtu));
	}
	rcu_read_unlock();
	/* takes RTNL, and asks the interface; without one, the values of the port remain */
	if (nd)
		ib_get_eth_speed(ib, port, &attr->active_speed, &attr->active_width);
	return 0;
}

static int ether_port_immutable(struct ib_device *ib, u32 port, struct ib_port_immutable *immutable)
{
	immutable->pkey_tbl_len = 1;
	immutable->gid_tbl_len = GLASS_ETHER_GIDS;
	immutable->core_cap_flags = RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP;
	immutable->max_mad_size = IB_MGMT_MAD_SIZE;
	return 0;
}

static struct glass_ether *ether_of(const struct ib_gid_attr *attr)
{
	return to_gdev(attr->device)->ports[attr->port_num].link.ether;
}

static int ether_add_gid(const struct ib_gid_attr *attr, void **context)
{
	struct net_device *nd;
	int ifindex = 0;

	rcu_read_lock();
	nd = rcu_dereference(attr->ndev);
	if (nd)
		ifindex = nd->ifindex;
	rcu_read_unlock();
	return glass_ether_set_gid(ether_of(attr), attr->index, attr->gid.raw, ifindex);
}

static int ether_del_gid(const struct ib_gid_attr *attr, void **context)
{
	return glass_ether_set_gid(ether_of(attr), attr->index, NULL, 0);
}

/*
 * An Ethernet port has a performance agent for the counters in sysfs, but no subnet management
 * agent, and answers no MAD of another port: those go to the agents of ib_mad.
 */
static int ether_process_mad(struct ib_device *ib, int flags, u32 port, const struct ib_wc *in_wc,
			     const struct ib_grh *in_grh, const struct ib_mad *in_mad,
			     struct ib_mad *out_mad, size_t *out_mad_size, u16 *out_pkey_index)
{
	if (in_wc || in_mad->mad_hdr.mgmt_class != IB_MGMT_CLASS_PERF_MGMT)
		return IB_MAD_RESULT_SUCCESS;
	return glass_process_mad(ib, flags, port, in_wc, in_grh, in_mad, out_mad, out_mad_size,
				 out_pkey_index);
}

/*
 * ib_core has unregistered the device, perhaps because a user has deleted the link, and would free
 * it now. The driver still needs it: see glass_dev.core_frees.
 */
static void ether_dealloc(struct ib_device *ib)
{
	struct glass_dev *dev = to_gdev(ib);
	struct glass_ether *e = dev->ports[1].link.ether;

	if (!dev->core_frees)
		return;
	get_device(&ib->dev);
	if (READ_ONCE(dev->leaving))
		return;
	WRITE_ONCE(e->gone, true);
	e->leave(e);
}

const struct ib_device_ops glass_ether_ops = {
	.add_gid = ether_add_gid,
	.dealloc_driver = ether_dealloc,
	.del_gid = ether_del_gid,
	.get_link_layer = ether_link_layer,
	.get_port_immutable = ether_port_immutable,
	.process_mad = ether_process_mad,
	.query_port = ether_query_port,
};
