// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Carries out the commands of the fabric, by calling functions of link/ and hca/. */
#include <linux/nsproxy.h>
#include <linux/sched.h>

#include "configfs/configfs.h"
#include "hca/hca.h"
#include "link/fabric.h"
#include "link/netcable.h"

/*
 * Finds a port by the name of its node and its number. If the port exists, returns GLASS_FE_NONE,
 * and *end becomes this port, as the end of a cable without limits. Otherwise returns the error. In
 * both cases, *e gets the place of the port in the line.
 */
static enum glass_fabric_error_kind find_end(struct glass_fabric *f,
					     const struct glass_port_name *name,
					     struct glass_net_end *end,
					     struct glass_fabric_error *e)
{
	struct glass_fabric_node *n = glass_fabric_find(f, name->node);

	e->at = name->at;
	e->len = name->len;
	if (!n)
		return GLASS_FE_NO_NODE;
	if (name->port > n->net.num_ports) {
		e->low = 1;
		e->high = n->net.num_ports;
		return GLASS_FE_NO_PORT;
	}
	if (n->ether)
		return GLASS_FE_ETHERNET;
	*end = glass_net_end(&n->net, name->port);
	return GLASS_FE_NONE;
}

/*
 * Adds an HCA with an Ethernet port. The interface is that of this name in the network namespace of
 * the process that writes.
 */
static enum glass_fabric_error_kind add_ether(const struct glass_fabric_command *c,
					      struct glass_fabric_error *e)
{
	enum glass_fabric_error_kind why =
		glass_link_add(&c->node, current->nsproxy->net_ns, c->cable.netdev, e);

	switch (why) {
	case GLASS_FE_NO_NETDEV:
	case GLASS_FE_NOT_ETHERNET:
	case GLASS_FE_ETHER_TAKEN:
	case GLASS_FE_VLAN:
	case GLASS_FE_UDP_PORT_TAKEN:
		e->at = c->cable.netdev_at;
		e->len = c->cable.netdev_len;
		break;
	default:
		break;
	}
	return why;
}

static enum glass_fabric_error_kind do_add_node(struct glass_fabric *f,
					     const struct glass_fabric_command *c,
					     struct glass_fabric_error *e)
{
	bool is_ether = c->verb == GLASS_FABRIC_HCA && *c->cable.netdev;
	enum glass_fabric_error_kind why;
	struct glass_fabric_node *n = NULL;
	int err;

	why = is_ether ? add_ether(c, e) : glass_fabric_add(f, c->verb, &c->node, &n);
	if (why == GLASS_FE_GUID_TAKEN && c->guid_len) {
		e->at = c->guid_at;
		e->len = c->guid_len;
	}
	if (why == GLASS_FE_TOO_MANY_HCAS)
		e->high = GLASS_TOPO_MAX_HCAS;
	else if (why == GLASS_FE_TOO_MANY_NODES)
		e->high = GLASS_FABRIC_MAX_NODES;
	if (why || is_ether || c->verb != GLASS_FABRIC_HCA)
		return why;
	err = glass_hca_plug(n);
	if (!err)
		return GLASS_FE_NONE;
	glass_fabric_remove(f, n);
	glass_fabric_error_device(e, err);
	return e->kind;
}

static void remove_node(struct glass_fabric *f, struct glass_fabric_node *n)
{
	if (n->kind == GLASS_FABRIC_HCA)
		glass_hca_unplug(n);
	glass_fabric_remove(f, n);
}

static enum glass_fabric_error_kind remove_named(struct glass_fabric *f, const char *name)
{
	struct glass_fabric_node *n = glass_fabric_find(f, name);

	if (!n)
		return GLASS_FE_NO_NODE;
	remove_node(f, n);
	return GLASS_FE_NONE;
}

static void clear_fabric(struct glass_fabric *f)
{
	struct glass_fabric_node *n;
	unsigned long id;

	glass_fabric_for_each(f, id, n)
		if (n->kind == GLASS_FABRIC_HCA)
			glass_hca_unplug(n);
	glass_fabric_remove_all(f);
}

/* The interface is that of this name in the network namespace of the process that writes. */
static enum glass_fabric_error_kind add_netdev_cable(struct glass_fabric *f, struct glass_net_end a,
						     const struct glass_cable_spec *c,
						     struct glass_fabric_error *e)
{
	const struct glass_netcable_spec spec = {
		.netdev = c->netdev,
		.net = current->nsproxy->net_ns,
		.silence_ms = c->silence_ms,
		.vcrc = c->vcrc,
	};
	enum glass_fabric_error_kind why = glass_netcable_add(f, a, &spec);

	if (why != GLASS_FE_HAS_CABLE) {
		e->at = c->netdev_at;
		e->len = c->netdev_len;
	}
	e->high = GLASS_NETCABLES_MAX;
	return why;
}

static enum glass_fabric_error_kind add_cable(struct glass_fabric *f,
					      const struct glass_fabric_command *c,
					      struct glass_fabric_error *e)
{
	enum glass_fabric_error_kind why;
	struct glass_net_end a, b;

	why = find_end(f, &c->a, &a, e);
	if (why)
		return why;
	if (a.node->ends[a.port].node)
		return GLASS_FE_HAS_CABLE;
	a.width = c->cable.width;
	a.speed = c->cable.speed;
	a.speed_ext = c->cable.speed_ext;
	a.mtu = c->cable.mtu;
	a.pulled = c->cable.pulled;
	if (*c->cable.netdev)
		return add_netdev_cable(f, a, &c->cable, e);
	why = find_end(f, &c->b, &b, e);
	if (why)
		return why;
	return glass_fabric_cable(f, a, b);
}

static enum glass_fabric_error_kind change_cable(struct glass_fabric *f,
						 const struct glass_fabric_command *c,
						 struct glass_fabric_error *e)
{
	enum glass_fabric_error_kind why;
	struct glass_net_end a;

	why = find_end(f, &c->a, &a, e);
	if (why)
		return why;
	if (c->verb == GLASS_FABRIC_UNCABLE)
		return glass_fabric_uncable(f, a, GLASS_PORT_BY_CABLE_CUT);
	return glass_fabric_pull(f, a, c->verb == GLASS_FABRIC_PULL);
}

int glass_fabric_do(struct glass_fabric *f, const struct glass_fabric_command *c,
		    struct glass_fabric_error *e)
{
	enum glass_fabric_error_kind why = GLASS_FE_NONE;

	glass_fabric_error_set(e, GLASS_FE_NONE, c->name_at, c->name_len);
	mutex_lock(&f->making);
	switch (c->verb) {
	case GLASS_FABRIC_HCA:
	case GLASS_FABRIC_CA:
	case GLASS_FABRIC_SWITCH:
		why = do_add_node(f, c, e);
		break;
	case GLASS_FABRIC_CABLE:
		why = add_cable(f, c, e);
		break;
	case GLASS_FABRIC_UNCABLE:
	case GLASS_FABRIC_PULL:
	case GLASS_FABRIC_PLUG:
		why = change_cable(f, c, e);
		break;
	case GLASS_FABRIC_REMOVE:
		why = remove_named(f, c->node.name);
		break;
	case GLASS_FABRIC_CLEAR:
		clear_fabric(f);
		break;
	}
	mutex_unlock(&f->making);
	e->kind = why;
	return why ? glass_fabric_error_errno(e) : 0;
}
