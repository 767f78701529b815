// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Makes and removes nodes and cables (fabric.h). */
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/stringhash.h>

#include "fabric/topology.h"
#include "inject/hooks.h"
#include "link/env.h"
#include "link/ether.h"
#include "link/fabric.h"
#include "link/internal.h"
#include "link/netcable.h"
#include "observe/capture.h"

static struct hlist_head *name_head(struct glass_fabric *f, const char *name)
{
	u32 hash = full_name_hash(NULL, name, strlen(name));

	return &f->by_name[hash_32(hash, GLASS_FABRIC_HASH_BITS)];
}

struct glass_fabric_node *glass_fabric_find(struct glass_fabric *f, const char *name)
{
	struct glass_fabric_node *n;

	hlist_for_each_entry(n, name_head(f, name), by_name)
		if (!strcmp(n->name, name))
			return n;
	return NULL;
}

/* Frees a node that is in no table any more. */
static void node_free(struct glass_fabric_node *n)
{
	if (n->kind == GLASS_FABRIC_SWITCH) {
		if (n->sw)
			glass_fdb_free(&n->sw->fdb);
		kvfree(n->sw);
	} else if (n->kind == GLASS_FABRIC_CA) {
		kfree(n->ca);
	} else {
		if (n->ether)
			glass_ether_close(n->ether);
		kfree(n->spec);
		kfree(n->net.owners);
	}
	kvfree(n->port_memory);
	kvfree(n->net.ends);
	kfree(n);
}

static u64 default_guid(const struct glass_fabric *f, const struct glass_fabric_node *n,
			u32 number)
{
	return n->kind == GLASS_FABRIC_HCA ? glass_guid_hca(f->guid_base, number) :
					     glass_guid_switch(f->guid_base, number);
}

/*
 * Returns the number from which the default GUIDs of a node are computed. Usually this is the
 * node's own number. But a command may have given the GUID of this number to another node. (Saved
 * commands do this: each node gets back its GUID, but perhaps not its number.) If so, the result is
 * another number, whose GUID no node has. If the search finds no such number, the result is a
 * number whose GUID another node has.
 */
static u32 guid_number(struct glass_fabric *f, const struct glass_fabric_node *n)
{
	bool hca = n->kind == GLASS_FABRIC_HCA;
	u32 number = hca ? n->id : glass_fabric_number(n), tries;

	/* give up after this many numbers: commands may have given all their GUIDs to nodes */
	for (tries = 0; tries < GLASS_FABRIC_MAX_NODES; tries++) {
		if (!glass_fabric_has_guid(f, default_guid(f, n, number)))
			break;
		number += hca ? GLASS_TOPO_MAX_HCAS : GLASS_FABRIC_MAX_NODES;
	}
	return number;
}

static u64 default_sys_guid(const struct glass_fabric *f, const struct glass_fabric_node *n,
			    u32 number)
{
	switch (n->kind) {
	case GLASS_FABRIC_HCA:
		return glass_guid_system(f->guid_base, GLASS_END_HCA, number);
	case GLASS_FABRIC_SWITCH:
		return glass_guid_system(f->guid_base, GLASS_END_SWITCH, number);
	default:
		return glass_guid_system_passive(n->guid);
	}
}

/* Applies the fields of the spec that glass_node_init() does not take. */
static void node_configure(struct glass_node *node, const struct glass_fabric_node *n,
			   const struct glass_node_spec *spec)
{
	u32 i;

	node->vendor_id = spec->vendor_id ?: GLASS_VENDOR_ID;
	node->device_id = spec->device_id;
	if (!node->device_id)
		node->device_id = n->kind == GLASS_FABRIC_SWITCH ? GLASS_DEVICE_SWITCH :
								   GLASS_DEVICE_HCA;
	if (spec->width || spec->speed) {
		const struct glass_port *p = &node->ports[1];

		glass_node_set_rates(node, spec->width ?: p->width_supported,
				     spec->speed ?: p->speed_supported,
				     spec->speed ? spec->speed_ext : p->speed_ext_supported);
	}
	for (i = 0; i < spec->num_port_guids; i++)
		glass_port_set_guid(&node->ports[n->kind == GLASS_FABRIC_SWITCH ? 0 : i + 1],
				    spec->port_guid[i]);
}

static int switch_alloc(struct glass_fabric_node *n, const struct glass_node_spec *spec,
			const char *desc, u64 sys_guid)
{
	int err;

	n->sw = kvzalloc(sizeof(*n->sw), GFP_KERNEL);
	n->port_memory = kvcalloc(spec->ports + 1, sizeof(*n->ports), GFP_KERNEL);
	if (!n->sw || !n->port_memory)
		return -ENOMEM;
	n->ports = n->port_memory;
	err = glass_switch_init(n->sw, spec->ports, n->ports, n->guid, sys_guid, desc);
	if (err)
		return err;
	node_configure(&n->sw->node, n, spec);
	n->sw->fdb.enhanced = spec->enhanced;
	n->sw->fdb.no_enforcement = spec->no_enforcement;
	n->net.node = &n->sw->node;
	n->net.sw = n->sw;
	return 0;
}

static int ca_alloc(struct glass_fabric_node *n, const struct glass_node_spec *spec,
		    const char *desc, u64 sys_guid)
{
	int err;

	n->ca = kzalloc(sizeof(*n->ca), GFP_KERNEL);
	n->port_memory = kvcalloc(spec->ports, sizeof(*n->ports), GFP_KERNEL);
	if (!n->ca || !n->port_memory)
		return -ENOMEM;
	n->ports = (struct glass_port *)n->port_memory - 1;
	err = glass_node_init(n->ca, GLASS_NODE_CA, spec->ports, n->ports, NULL, n->guid, sys_guid,
			      desc);
	if (err)
		return err;
	node_configure(n->ca, n, spec);
	n->net.node = n->ca;
	return 0;
}

static int hca_alloc(struct glass_fabric_node *n, const struct glass_node_spec *spec,
		     const char *desc, u64 sys_guid)
{
	n->spec = kmemdup(spec, sizeof(*spec), GFP_KERNEL);
	n->net.owners = kcalloc(spec->ports + 1, sizeof(*n->net.owners), GFP_KERNEL);
	if (!n->spec || !n->net.owners)
		return -ENOMEM;
	n->spec->guid = n->guid;
	n->spec->sys_guid = sys_guid;
	strscpy(n->spec->desc, desc, sizeof(n->spec->desc));
	return 0;
}

void glass_fabric_configure_hca(struct glass_node *node, const struct glass_fabric_node *n)
{
	node_configure(node, n, n->spec);
}

static int node_alloc(struct glass_fabric *f, struct glass_fabric_node *n,
		      const struct glass_node_spec *spec, u32 number)
{
	u64 sys_guid = spec->has_sys_guid ? spec->sys_guid : default_sys_guid(f, n, number);
	char desc[GLASS_NODE_DESC_BYTES + 1];
	struct glass_net_end *ends;
	int err;

	if (spec->has_desc)
		strscpy(desc, spec->desc, sizeof(desc));
	else
		strscpy(desc, n->name, sizeof(desc));
	ends = kvcalloc(spec->ports + 1, sizeof(*ends), GFP_KERNEL);
	if (!ends)
		return -ENOMEM;
	glass_net_add(&n->net, n->id, NULL, NULL, spec->ports, ends);
	switch (n->kind) {
	case GLASS_FABRIC_SWITCH:
		err = switch_alloc(n, spec, desc, sys_guid);
		break;
	case GLASS_FABRIC_CA:
		err = ca_alloc(n, spec, desc, sys_guid);
		break;
	default:
		err = hca_alloc(n, spec, desc, sys_guid);
		break;
	}
	return err;
}

/* Gives the node a free number. Returns GLASS_FE_NONE, or the reason why it gets none. */
static enum glass_fabric_error_kind node_number(struct glass_fabric *f, struct glass_fabric_node *n)
{
	u32 limit = GLASS_FABRIC_FIRST_ID + GLASS_FABRIC_MAX_NODES - 1, low = GLASS_FABRIC_FIRST_ID;
	int err;

	if (n->kind == GLASS_FABRIC_HCA) {
		low = 0;
		limit = GLASS_TOPO_MAX_HCAS - 1;
	}
	/* this reserves the entry: readers do not find it until set_entry() fills it */
	err = xa_alloc_irq(&f->nodes, &n->id, NULL, XA_LIMIT(low, limit), GFP_KERNEL);
	if (err == -EBUSY)
		return n->kind == GLASS_FABRIC_HCA ? GLASS_FE_TOO_MANY_HCAS :
						     GLASS_FE_TOO_MANY_NODES;
	return err ? GLASS_FE_NO_MEMORY : GLASS_FE_NONE;
}

/*
 * Fills the reserved entry of number `id`. Allocates nothing. If `entry` is NULL, the number stays
 * reserved, but readers find no node.
 */
static void set_entry(struct glass_fabric *f, u32 id, struct glass_fabric_node *entry)
{
	lockdep_assert_held(&f->lock);
	xa_lock(&f->nodes);
	__xa_store(&f->nodes, id, entry ? (void *)entry : XA_ZERO_ENTRY, GFP_ATOMIC);
	xa_unlock(&f->nodes);
}

enum glass_fabric_error_kind glass_fabric_add(struct glass_fabric *f, enum glass_fabric_verb kind,
					      const struct glass_node_spec *spec,
					      struct glass_fabric_node **made)
{
	enum glass_fabric_error_kind why;
	struct glass_fabric_node *n;
	u32 number;

	lockdep_assert_held(&f->making);
	if (glass_fabric_find(f, spec->name))
		return GLASS_FE_NAME_TAKEN;
	n = kzalloc(sizeof(*n), GFP_KERNEL);
	if (!n)
		return GLASS_FE_NO_MEMORY;
	n->kind = kind;
	n->next_trap = jiffies;
	INIT_LIST_HEAD(&n->trapping);
	strscpy(n->name, spec->name, sizeof(n->name));
	why = node_number(f, n);
	if (why) {
		kfree(n);
		return why;
	}
	number = guid_number(f, n);
	n->guid = spec->guid ?: default_guid(f, n, number);
	why = GLASS_FE_GUID_TAKEN;
	if (glass_fabric_has_guid(f, n->guid))
		goto refused;
	why = GLASS_FE_NO_MEMORY;
	if (node_alloc(f, n, spec, number))
		goto refused;

	spin_lock_irq(&f->lock);
	hlist_add_head(&n->by_name, name_head(f, n->name));
	hlist_add_head(&n->by_guid, glass_fabric_guid_head(f, n->guid));
	set_entry(f, n->id, n);
	if (kind == GLASS_FABRIC_HCA)
		f->hcas[n->id] = n;
	spin_unlock_irq(&f->lock);
	*made = n;
	return GLASS_FE_NONE;

refused:
	xa_erase_irq(&f->nodes, n->id);
	node_free(n);
	return why;
}

/* Takes a node out of the fabric: readers do not find it any more. Its number stays reserved. */
static void fabric_take_out(struct glass_fabric *f, struct glass_fabric_node *n)
{
	u32 port;

	lockdep_assert_held(&f->making);
	if (n->kind != GLASS_FABRIC_HCA)
		glass_capture_gone(n->id);
	for (port = 1; port <= n->net.num_ports; port++)
		glass_fabric_uncable(f, glass_net_end(&n->net, port), GLASS_PORT_BY_CABLE_CUT);
	spin_lock_irq(&f->lock);
	hlist_del(&n->by_name);
	hlist_del(&n->by_guid);
	n->gone = true;
	list_del_init(&n->trapping);
	/* free_taken_out() frees the number when no reader uses the node any more */
	set_entry(f, n->id, NULL);
	if (n->kind == GLASS_FABRIC_HCA)
		f->hcas[n->id] = NULL;
	spin_unlock_irq(&f->lock);
}

/* Frees the nodes that fabric_take_out() took out. `out` is their list, linked by `by_name`. */
static void free_taken_out(struct glass_fabric *f, struct hlist_head *out)
{
	struct glass_fabric_node *n;
	struct hlist_node *next;

	/* pairs with the sections of `walks` in send_slow(), glass_link_traps_work() and readers */
	synchronize_srcu(&f->walks);
	hlist_for_each_entry_safe(n, next, out, by_name) {
		xa_erase_irq(&f->nodes, n->id);
		node_free(n);
		cond_resched();
	}
}

void glass_fabric_remove(struct glass_fabric *f, struct glass_fabric_node *n)
{
	HLIST_HEAD(out);

	fabric_take_out(f, n);
	hlist_add_head(&n->by_name, &out);
	free_taken_out(f, &out);
}

void glass_fabric_remove_all(struct glass_fabric *f)
{
	struct glass_fabric_node *n;
	unsigned long id;
	HLIST_HEAD(out);

	glass_fabric_for_each(f, id, n) {
		fabric_take_out(f, n);
		hlist_add_head(&n->by_name, &out);
		cond_resched();
	}
	/* one grace period for all nodes, of which there may be thousands */
	free_taken_out(f, &out);
}

static bool has_port(struct glass_net_end e)
{
	return e.port && e.port <= e.node->num_ports;
}

enum glass_fabric_error_kind glass_fabric_cable(struct glass_fabric *f, struct glass_net_end a,
						struct glass_net_end b)
{
	struct glass_noticed nt;
	int walk, err;

	lockdep_assert_held(&f->making);
	if (!has_port(a) || !has_port(b))
		return GLASS_FE_NO_PORT;
	if (a.node == b.node && a.port == b.port)
		return GLASS_FE_SAME_PORT;
	nt.n = 0;
	walk = srcu_read_lock(&f->walks);
	spin_lock_irq(&f->lock);
	err = glass_net_plug(a, b);
	glass_fabric_reshaped(f);
	if (!err)
		glass_link_update_cable(f, a, GLASS_PORT_BY_UP, &nt);
	spin_unlock_irq(&f->lock);
	glass_link_tell_noticed(&nt);
	srcu_read_unlock(&f->walks, walk);
	return err ? GLASS_FE_HAS_CABLE : GLASS_FE_NONE;
}

enum glass_fabric_error_kind glass_fabric_uncable(struct glass_fabric *f, struct glass_net_end a,
						  enum glass_port_change_by by)
{
	struct glass_netcable *c = NULL;
	struct glass_net_end b;
	struct glass_noticed nt;
	u32 chg_a, chg_b;
	int walk;

	lockdep_assert_held(&f->making);
	if (!has_port(a))
		return GLASS_FE_NO_PORT;
	nt.n = 0;
	walk = srcu_read_lock(&f->walks);
	spin_lock_irq(&f->lock);
	b = a.node->ends[a.port];
	if (b.node) {
		c = glass_netcable_of(b.node);
		if (c)
			c->open = false;
		glass_net_unplug(a, &chg_a, &chg_b);
		glass_fabric_reshaped(f);
		glass_link_end_changed(f, a, chg_a, by, &nt);
		glass_link_end_changed(f, b, chg_b, by, &nt);
	}
	spin_unlock_irq(&f->lock);
	glass_link_tell_noticed(&nt);
	srcu_read_unlock(&f->walks, walk);
	if (c)
		glass_netcable_free(c);
	return b.node ? GLASS_FE_NONE : GLASS_FE_NO_CABLE;
}

enum glass_fabric_error_kind glass_fabric_pull(struct glass_fabric *f, struct glass_net_end a,
					       bool pulled)
{
	struct glass_noticed nt;
	bool cable;
	int walk;

	lockdep_assert_held(&f->making);
	if (!has_port(a))
		return GLASS_FE_NO_PORT;
	nt.n = 0;
	walk = srcu_read_lock(&f->walks);
	spin_lock_irq(&f->lock);
	cable = a.node->ends[a.port].node;
	if (cable) {
		glass_net_pull(a, pulled);
		glass_link_update_cable(f, a, GLASS_PORT_BY_CABLE_PULLED, &nt);
	}
	spin_unlock_irq(&f->lock);
	glass_link_tell_noticed(&nt);
	srcu_read_unlock(&f->walks, walk);
	return cable ? GLASS_FE_NONE : GLASS_FE_NO_CABLE;
}

/* Removes netdev cables whose interface is gone. */
static void netdevs_gone_work(struct work_struct *work)
{
	struct glass_fabric *f = container_of(work, struct glass_fabric, netdevs_gone);
	struct glass_netdev_info info;
	struct glass_net_end e;
	u32 i;

	mutex_lock(&f->making);
	for (i = 0; i < GLASS_NETCABLES_MAX; i++) {
		struct glass_netcable *c = f->netcables[i];

		if (!c || glass_netdev_info(&c->nd, &info))
			continue;
		e = c->far_ends[1];
		pr_info("glass: %s:%u: the network interface %s is gone, and the cable with it\n",
			glass_fabric_node(e.node)->name, e.port, c->netdev);
		glass_fabric_uncable(f, e, GLASS_PORT_BY_NETDEV_GONE);
	}
	mutex_unlock(&f->making);
}

void glass_fabric_remove_netdevs(struct glass_fabric *f)
{
	struct glass_netcable *c;
	u32 i;

	mutex_lock(&f->making);
	for (i = 0; i < GLASS_NETCABLES_MAX; i++) {
		c = f->netcables[i];
		if (c)
			glass_fabric_uncable(f, c->far_ends[1], GLASS_PORT_BY_CABLE_CUT);
	}
	mutex_unlock(&f->making);
	cancel_work_sync(&f->netdevs_gone);
}

struct glass_fabric *glass_fabric_create(u64 guid_base)
{
	struct glass_fabric *f = kvzalloc(sizeof(*f), GFP_KERNEL);
	int err = -ENOMEM;
	u32 i;

	if (!f)
		return ERR_PTR(-ENOMEM);
	f->congestion = kcalloc(GLASS_NETCABLES_MAX, sizeof(*f->congestion), GFP_KERNEL);
	f->inject = glass_inject_new_nodes();
	if (!f->congestion || !f->inject)
		goto failed;
	err = init_srcu_struct(&f->walks);
	if (err)
		goto failed;
	for (i = 0; i < GLASS_NETCABLES_MAX; i++)
		glass_congestion_init(&f->congestion[i]);
	INIT_WORK(&f->netdevs_gone, netdevs_gone_work);
	f->guid_base = guid_base;
	spin_lock_init(&f->lock);
	mutex_init(&f->making);
	xa_init_flags(&f->nodes, XA_FLAGS_ALLOC | XA_FLAGS_LOCK_IRQ);
	INIT_LIST_HEAD(&f->trapping);
	INIT_DELAYED_WORK(&f->traps, glass_link_traps_work);
	return f;

failed:
	if (f->inject)
		glass_inject_free_nodes(f->inject);
	kfree(f->congestion);
	kvfree(f);
	return ERR_PTR(err);
}

void glass_fabric_destroy(struct glass_fabric *f)
{
	u32 i;

	mutex_lock(&f->making);
	glass_fabric_remove_all(f);
	mutex_unlock(&f->making);
	cancel_delayed_work_sync(&f->traps);
	xa_destroy(&f->nodes);
	cleanup_srcu_struct(&f->walks);
	glass_inject_free_nodes(f->inject);
	for (i = 0; i < GLASS_NETCABLES_MAX; i++)
		hrtimer_cancel(&f->congestion[i].timer);
	kfree(f->congestion);
	kvfree(f);
}
