// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The module: its parameters, its load and unload, and the default fabric. */
#include <linux/module.h>
#include <linux/slab.h>
#include <rdma/rdma_netlink.h>

#include "configfs/configfs.h"
#include "debugfs/debugfs.h"
#include "engine/engine.h"
#include "hca/hca.h"
#include "link/ether.h"
#include "link/fabric.h"
#include "model/shared.h"
#include "netdev/crc32.h"
#include "netdev/netdev.h"
#include "netdev/udp.h"
#include "observe/blackbox.h"
#include "observe/flight.h"
#include "observe/gone.h"
#include "observe/where.h"
#include "uapi/glass-version.h"
#include "verbs/verbs.h"
#include "wire/crc.h"
#include "wire/roce.h"

/* a program maps the control page as one page */
static_assert(sizeof(struct glass_control_page) == 4096);

MODULE_DESCRIPTION("Glass: a software InfiniBand adapter to watch and to break");
MODULE_LICENSE("Dual BSD/GPL");
MODULE_VERSION(GLASS_VERSION);
MODULE_ALIAS_RDMA_LINK("glass");

static unsigned int num_hcas = 2;
module_param(num_hcas, uint, 0444);
MODULE_PARM_DESC(num_hcas, "HCAs on one switch, 1 to 32 (default 2); at most 254 ports in all");

static unsigned int num_ports = 2;
module_param(num_ports, uint, 0444);
MODULE_PARM_DESC(num_ports, "ports of each HCA, 1 to 8 (default 2)");

static ushort host;
module_param(host, ushort, 0444);
MODULE_PARM_DESC(host, "number of this host in its subnet, 0 to 65535 (default 0): a part of default GUIDs");

static struct glass_fabric *fabric;

/*
 * Adds a node to the default fabric, under the name `name` followed by `number`. *spec is scratch
 * memory. Returns 0 or -ENOMEM.
 */
static int add_node(enum glass_fabric_verb kind, const char *name, u32 number, u32 ports,
		    struct glass_node_spec *spec)
{
	struct glass_fabric_node *n;

	memset(spec, 0, sizeof(*spec));
	snprintf(spec->name, sizeof(spec->name), "%s%u", name, number);
	spec->ports = ports;
	/*
	 * switches do not enforce P_Keys: a packet with a wrong P_Key reaches the receiver, which
	 * drops and counts it
	 */
	spec->no_enforcement = true;
	if (kind == GLASS_FABRIC_SWITCH) {
		spec->has_desc = true;
		snprintf(spec->desc, sizeof(spec->desc), "Glass switch %u", number);
	}
	return glass_fabric_add(fabric, kind, spec, &n) ? -ENOMEM : 0;
}

/* Plugs in the cables of a star, between the HCAs and the only switch. */
static int plug_cables(const struct glass_topology *t)
{
	struct glass_fabric_node *sw = xa_load(&fabric->nodes, GLASS_FABRIC_FIRST_ID);
	u32 i;

	for (i = 0; i < t->num_links; i++)
		if (glass_fabric_cable(fabric,
				       glass_net_end(&fabric->hcas[t->links[i].a.index]->net,
						     t->links[i].a.port),
				       glass_net_end(&sw->net, t->links[i].b.port)))
			return -EINVAL;
	return 0;
}

/* Makes the default fabric: HCAs on one switch. Returns 0 or a negative errno. */
static int make_star(void)
{
	struct glass_topology *t = kzalloc(sizeof(*t), GFP_KERNEL);
	struct glass_node_spec *spec = kzalloc(sizeof(*spec), GFP_KERNEL);
	u32 i;
	int err = -ENOMEM;

	if (!t || !spec)
		goto out;
	err = glass_topology_star(t, num_hcas, num_ports);
	mutex_lock(&fabric->making);
	if (!err)
		err = add_node(GLASS_FABRIC_SWITCH, "switch", 0, t->switch_ports, spec);
	for (i = 0; i < num_hcas && !err; i++)
		err = add_node(GLASS_FABRIC_HCA, "glass", i, num_ports, spec);
	if (!err)
		err = plug_cables(t);
	for (i = 0; i < num_hcas && !err; i++)
		err = glass_hca_plug(fabric->hcas[i]);
	mutex_unlock(&fabric->making);
out:
	kfree(spec);
	kfree(t);
	return err;
}

static int __init glass_init(void)
{
	int err;

	if (num_hcas < 1 || num_hcas > GLASS_MAX_HCAS) {
		pr_err("glass: num_hcas=%u is out of range, 1 to %u\n", num_hcas, GLASS_MAX_HCAS);
		return -EINVAL;
	}
	if (num_ports < 1 || num_ports > GLASS_MAX_PORTS) {
		pr_err("glass: num_ports=%u is out of range, 1 to %u\n", num_ports,
		       GLASS_MAX_PORTS);
		return -EINVAL;
	}
	if (num_hcas * num_ports > GLASS_TOPO_MAX_LINKS) {
		pr_err("glass: num_hcas=%u with num_ports=%u: the switch has only %u ports\n",
		       num_hcas, num_ports, GLASS_TOPO_MAX_LINKS);
		return -EINVAL;
	}
	if (glass_crc32_kernel_init())
		glass_crc32_long = glass_crc32_kernel;
	fabric = glass_fabric_create(glass_guid_base(host));
	if (IS_ERR(fabric)) {
		glass_crc32_kernel_exit();
		return PTR_ERR(fabric);
	}
	err = glass_engine_init();
	if (err)
		goto err_fabric;
	err = glass_qps_init();
	if (err)
		goto err_engine;
	err = glass_flight_init();
	if (err)
		goto err_qps;
	err = glass_gone_init();
	if (err)
		goto err_flight;
	err = glass_box_init();
	if (err)
		goto err_gone;
	err = glass_control_init(fabric);
	if (err)
		goto err_box;
	err = glass_hcas_init(fabric);
	if (err)
		goto err_control;
	err = make_star();
	if (err)
		goto err_hcas;
	err = glass_netdev_init();
	if (err)
		goto err_hcas;
	err = glass_udp_init(GLASS_ROCE_UDP_PORT, glass_ether_receive);
	if (err)
		goto err_netdev;
	err = glass_configfs_init(fabric);
	if (err)
		goto err_udp;
	glass_links_init(fabric);
	return 0;

err_udp:
	glass_udp_exit();
err_netdev:
	glass_netdev_exit();
err_hcas:
	glass_hcas_exit();
err_control:
	glass_control_exit();
err_box:
	glass_box_exit();
err_gone:
	glass_gone_exit();
err_flight:
	glass_flight_exit();
err_qps:
	glass_qps_exit();
err_engine:
	glass_where_exit();
	glass_shared_exit();
	glass_engine_exit();
err_fabric:
	glass_fabric_destroy(fabric);
	glass_crc32_kernel_exit();
	return err;
}

static void __exit glass_exit(void)
{
	glass_links_exit();
	glass_configfs_exit();
	glass_fabric_remove_netdevs(fabric);
	glass_udp_exit();
	glass_netdev_exit();
	glass_hcas_exit();
	glass_control_exit();
	glass_box_exit();
	glass_gone_exit();
	glass_flight_exit();
	glass_where_exit();
	glass_shared_exit();
	glass_engine_exit();
	/*
	 * Wait for callbacks of call_rcu(), because none may run when the module's code is gone.
	 * kfree_rcu() needs no such wait: it calls no function of the module.
	 */
	rcu_barrier();
	glass_qps_exit();
	glass_fabric_destroy(fabric);
	glass_crc32_kernel_exit();
}

module_init(glass_init);
module_exit(glass_exit);
