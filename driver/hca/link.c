// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* HCAs with an Ethernet port, as `rdma link add` makes them (hca.h). */
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

	mutex_lock(&link_fabric->making);
	for (i = 0; i < GLASS_TOPO_MAX_HCAS; i++) {
		n = link_fabric->hcas[i];
		if (n && n->ether && (all || READ_ONCE(n->ether->gone)))
			remove_hca(n);
	}
	mutex_unlock(&link_fabric->making);
}

static void leave_work(struct work_struct *work)
{
	remove_links(false);
}

static DECLARE_WORK(leaves, leave_work);

static void link_leave(struct glass_ether *e)
{
	queue_work(system_dfl_wq, &leaves);
}

static int link_error(enum glass_fabric_error_kind why)
{
	struct glass_fabric_error e;

	glass_fabric_error_set(&e, why, 0, 0);
	return glass_fabric_error_errno(e.kind);
}

static int add_hca(const char *name, struct net_device *nd, struct glass_node_spec *spec)
{
	struct net *net = dev_net(nd);
	enum glass_fabric_error_kind why;
	struct glass_fabric_node *n;
	struct glass_ether *e;
	int err;

	/* its port would have no GID of an address */
	if (is_vlan_dev(nd)) {
		pr_notice("glass: %.*s: %s is a VLAN, and the RDMA core gives the GIDs of its addresses to the port of the interface below, %s\n",
			  GLASS_FABRIC_NAME_MAX, name, nd->name, vlan_dev_real_dev(nd)->name);
		return -EOPNOTSUPP;
	}
	if (!glass_fabric_name_ok(name)) {
		pr_notice("glass: %.*s: a name has letters, digits, '.', '_' and '-', and at most %u of them\n",
			  GLASS_FABRIC_NAME_MAX, name, GLASS_FABRIC_NAME_MAX);
		return -EINVAL;
	}
	strscpy(spec->name, name, sizeof(spec->name));
	spec->ports = 1;
	e = glass_ether_open(link_fabric, net, nd->name, link_leave);
	if (IS_ERR(e)) {
		err = PTR_ERR(e);
		if (err == -EADDRINUSE)
			pr_notice("glass: %s: UDP port %u is taken in the network namespace of %s, perhaps by rdma_rxe, which takes it in the first namespace\n",
				  name, GLASS_ROCE_UDP_PORT, nd->name);
		return err;
	}
	why = glass_fabric_add(link_fabric, GLASS_FABRIC_HCA, spec, &n);
	if (why) {
		glass_ether_close(e);
		return link_error(why);
	}
	/* freed with the node */
	n->ether = e;
	err = glass_hca_plug(n);
	if (err)
		glass_fabric_remove(link_fabric, n);
	return err;
}

static int link_new(const char *name, struct net_device *nd)
{
	struct glass_node_spec *spec = kzalloc(sizeof(*spec), GFP_KERNEL);
	int err;

	if (!spec)
		return -ENOMEM;
	mutex_lock(&link_fabric->making);
	err = add_hca(name, nd, spec);
	mutex_unlock(&link_fabric->making);
	kfree(spec);
	return err;
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
	remove_links(true);
	/* no HCA is left that could queue it again */
	cancel_work_sync(&leaves);
}
