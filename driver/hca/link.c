// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* HCAs with an Ethernet port, as `rdma link add` and commands of the fabric make them (hca.h). */
#include <linux/if_vlan.h>
#include <linux/slab.h>
#include <rdma/rdma_netlink.h>

#include "compat/workqueue.h"
#include "hca/hca.h"
#include "link/ether.h"
#include "link/fabric.h"
#include "wire/roce.h"

static struct glass_fabric *link_fabric;

static void remove_hca(struct glass_fabric_node *n)
{
	lockdep_assert_held(&link_fabric->making);
	glass_hca_unplug(n);
	glass_fabric_remove(link_fabric, n);
}

/* Removes the HCAs with an Ethernet port; if `all` is false, only those that shall go. */
static void remove_links(bool all)
{
	struct glass_fabric_node *n;
	u32 i;

	lockdep_assert_held(&link_fabric->making);
	for (i = 0; i < GLASS_TOPO_MAX_HCAS; i++) {
		n = link_fabric->hcas[i];
		if (n && n->ether && (all || READ_ONCE(n->ether->gone)))
			remove_hca(n);
	}
}

static void leave_work(struct work_struct *work)
{
	mutex_lock(&link_fabric->making);
	remove_links(false);
	mutex_unlock(&link_fabric->making);
}

static DECLARE_WORK(leaves, leave_work);

static void link_leave(struct glass_ether *e)
{
	queue_work(system_dfl_wq, &leaves);
}

/* Why glass_ether_open() failed. Other errors than those that it states go to the kernel log, too. */
static enum glass_fabric_error_kind open_error(const char *name, int err, struct glass_fabric_error *e)
{
	switch (err) {
	case -ENODEV:
		return GLASS_FE_NO_NETDEV;
	case -EINVAL:
		return GLASS_FE_NOT_ETHERNET;
	case -EBUSY:
		return GLASS_FE_ETHER_TAKEN;
	case -EADDRINUSE:
		return GLASS_FE_UDP_PORT_TAKEN;
	default:
		glass_fabric_error_device(e, err);
		if (err == -ENOMEM)
			return GLASS_FE_NO_MEMORY;
		pr_err("glass: %s: the sockets of UDP port %u cannot be made: error %d\n", name,
		       GLASS_ROCE_UDP_PORT, -err);
		return GLASS_FE_NO_DEVICE;
	}
}

/* Is this interface a VLAN? Says so to the kernel log, with the interface below it. */
static bool is_vlan(const char *name, struct net *net, const char *netdev)
{
	struct net_device *nd = dev_get_by_name(net, netdev);
	bool is = nd && is_vlan_dev(nd);

	if (is)
		pr_notice("glass: %s: %s is a VLAN, and the RDMA core gives the GIDs of its addresses to the port of the interface below, %s\n",
			  name, netdev, vlan_dev_real_dev(nd)->name);
	dev_put(nd);
	return is;
}

enum glass_fabric_error_kind glass_link_add(const struct glass_node_spec *spec, struct net *net,
					    const char *netdev, struct glass_fabric_error *error)
{
	enum glass_fabric_error_kind why;
	struct glass_fabric_node *n;
	struct glass_ether *e;
	int err;

	/* one that a user has just deleted has its name, interface and UDP port until leave_work() */
	remove_links(false);
	/* its port would have no GID of an address */
	if (is_vlan(spec->name, net, netdev))
		return GLASS_FE_VLAN;
	e = glass_ether_open(link_fabric, net, netdev, link_leave);
	if (IS_ERR(e))
		return open_error(spec->name, PTR_ERR(e), error);
	why = glass_fabric_add(link_fabric, GLASS_FABRIC_HCA, spec, &n);
	if (why) {
		glass_ether_close(e);
		return why;
	}
	/* freed with the node */
	n->ether = e;
	err = glass_hca_plug(n);
	if (!err)
		return GLASS_FE_NONE;
	glass_fabric_remove(link_fabric, n);
	glass_fabric_error_device(error, err);
	return error->kind;
}

/*
 * `rdma link add` prints the errno only; the kernel log has the rest. The RDMA core gives no extended error (extack) of
 * netlink to fill in.
 */
static int link_new(const char *name, struct net_device *nd)
{
	struct glass_fabric_error error = {};
	struct glass_node_spec *spec;

	if (!glass_fabric_name_ok(name)) {
		pr_notice("glass: %.*s: a name has letters, digits, '.', '_' and '-', and at most %u of them\n",
			  GLASS_FABRIC_NAME_MAX, name, GLASS_FABRIC_NAME_MAX);
		return -EINVAL;
	}
	spec = kzalloc(sizeof(*spec), GFP_KERNEL);
	if (!spec)
		return -ENOMEM;
	strscpy(spec->name, name, sizeof(spec->name));
	spec->ports = 1;
	mutex_lock(&link_fabric->making);
	error.kind = glass_link_add(spec, dev_net(nd), nd->name, &error);
	mutex_unlock(&link_fabric->making);
	if (error.kind == GLASS_FE_UDP_PORT_TAKEN)
		pr_notice("glass: %s: UDP port %u is taken in the network namespace of %s, perhaps by rdma_rxe, which takes it in the first namespace\n",
			  name, GLASS_ROCE_UDP_PORT, nd->name);
	kfree(spec);
	return error.kind ? glass_fabric_error_errno(&error) : 0;
}

static struct rdma_link_ops link_ops = {
	.type = "glass",
	.newlink = link_new,
};

void glass_links_init(struct glass_fabric *f)
{
	link_fabric = f;
	rdma_link_register(&link_ops);
}

void glass_links_exit(void)
{
	rdma_link_unregister(&link_ops);
	mutex_lock(&link_fabric->making);
	remove_links(true);
	mutex_unlock(&link_fabric->making);
	/* no HCA is left that could queue it again */
	cancel_work_sync(&leaves);
}
