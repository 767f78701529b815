// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The HCAs of this host (hca.h): plugging in and unplugging. Each HCA has a platform device and,
 * while it is plugged in, an InfiniBand device.
 */
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "compat/platform.h"
#include "debugfs/debugfs.h"
#include "engine/engine.h"
#include "engine/lint.h"
#include "engine/packet.h"
#include "engine/strict.h"
#include "hca/hca.h"
#include "inject/env.h"
#include "inject/hold.h"
#include "inject/later.h"
#include "link/ether.h"
#include "link/fabric.h"
#include "link/link.h"
#include "verbs/verbs.h"

static struct glass_fabric *hca_fabric;

/* State of an HCA. It also exists while an injection rule keeps the HCA unplugged. */
struct slot {
	struct platform_device *pdev; /* NULL: there is no such HCA */
	struct glass_fabric_node *node;
	struct glass_dev *dev; /* NULL: the HCA is not plugged in. Protected by slots_lock. */
	/* slot_remove() has begun: plug and unplug nothing. Protected by slots_lock. */
	bool leaving;
	int err; /* result of the last glass_probe(): 0 or a negative errno */
	struct glass_control *control;
	struct glass_inject inject;
	struct glass_lint lint;
};

static struct slot slots[GLASS_MAX_HCAS];
/* Serializes plugging and unplugging of HCAs. Taken after fabric->making, before any other lock. */
static DEFINE_MUTEX(slots_lock);

/*
 * Address handles are created and destroyed in any context, and objects of some other tables are
 * looked up in any context. So a table's lock is taken with interrupts off. Programs choose how
 * many entries a table has. So the memory of an entry is charged to the memory cgroup of the
 * caller.
 */
#define TABLE_FLAGS (XA_FLAGS_ALLOC | XA_FLAGS_LOCK_IRQ | XA_FLAGS_ACCOUNT)

static void tables_init(struct glass_dev *dev)
{
	xa_init_flags(&dev->qps, TABLE_FLAGS);
	xa_init_flags(&dev->mrs, TABLE_FLAGS);
	xa_init_flags(&dev->cqs, TABLE_FLAGS);
	xa_init_flags(&dev->srqs, TABLE_FLAGS);
	xa_init_flags(&dev->pds, TABLE_FLAGS);
	xa_init_flags(&dev->ahs, TABLE_FLAGS);
	xa_init_flags(&dev->ucontexts, TABLE_FLAGS);
	xa_init_flags(&dev->dms, TABLE_FLAGS);
	xa_init_flags(&dev->xrcds, TABLE_FLAGS);
	dev->qp_next = GLASS_FIRST_QPN;
	mutex_init(&dev->stats_walk_lock);
	spin_lock_init(&dev->stats_lock);
	glass_drops_init(&dev->drops);
}

static void tables_destroy(struct glass_dev *dev)
{
	kvfree(dev->graveyard);
	dev->graveyard = NULL;
	glass_mcast_cleanup(dev);
	xa_destroy(&dev->qps);
	xa_destroy(&dev->mrs);
	xa_destroy(&dev->cqs);
	xa_destroy(&dev->srqs);
	xa_destroy(&dev->pds);
	xa_destroy(&dev->ahs);
	xa_destroy(&dev->ucontexts);
	xa_destroy(&dev->dms);
	xa_destroy(&dev->xrcds);
}

static int node_init(struct glass_dev *dev, struct glass_fabric_node *n)
{
	const struct glass_node_spec *spec = n->spec;
	u32 port;
	int err;

	err = glass_node_init(&dev->node, GLASS_NODE_CA, dev->num_ports, dev->node_ports, NULL,
			      spec->guid, spec->sys_guid, spec->desc);
	if (err)
		return err;
	glass_fabric_configure_hca(&dev->node, n);
	for (port = 1; port <= dev->num_ports; port++) {
		struct glass_hca_port *hp = &dev->ports[port];

		hp->dev = dev;
		hp->link.fabric = dev->fabric;
		hp->link.name = dev->ib.name;
		hp->link.netns = &dev->netns;
		hp->link.node = &dev->node;
		hp->link.port = &dev->node_ports[port];
		hp->link.num = port;
		hp->link.drops = &dev->drops;
		hp->link.told_state = dev->node_ports[port].state;
		hp->link.self = &n->net;
		hp->link.ether = n->ether;
		hp->link.far = &hp->link.self->ends[port];
	}
	memcpy(dev->ib.node_desc, dev->node.desc, sizeof(dev->ib.node_desc));
	dev->ib.node_guid = cpu_to_be64(dev->node.guid);
	return 0;
}

/* Tells ib_core the interface of an Ethernet port, whose addresses then become GIDs. */
static int set_netdev(struct glass_dev *dev, struct glass_ether *e)
{
	struct net_device *nd;
	int err = -ENODEV;

	rcu_read_lock();
	nd = rcu_dereference(e->nd.dev);
	dev_hold(nd);
	rcu_read_unlock();
	if (nd)
		err = ib_device_set_netdev(&dev->ib, nd, 1);
	dev_put(nd);
	return err;
}

/*
 * Registers the device with ib_core. The device gets the name of its node, or, if it is plugged in
 * again, the name that it had last. If another device has this name, ib_core chooses a free one.
 * Returns 0 or a negative errno.
 */
static int register_device(struct slot *s, struct glass_dev *dev)
{
	struct glass_ether *e = s->node->ether;
	int err;

	if (e) {
		err = set_netdev(dev, e);
		if (err)
			return err;
		dev->core_frees = true;
	}
	err = ib_register_device(&dev->ib, s->control ? s->inject.name : s->node->name, NULL);
	if (err == -EEXIST || err == -ENFILE)
		err = ib_register_device(&dev->ib, "glass%d", NULL);
	if (err)
		dev->core_frees = false;
	return err;
}

static void free_device(struct glass_dev *dev)
{
	if (dev->core_frees)
		put_device(&dev->ib.dev);
	else
		ib_dealloc_device(&dev->ib);
}

/*
 * Called after the links of an HCA were cut. Waits until each packet that was in flight at the time
 * of the call is delivered, dropped, deferred (engine/copies.h), or kept by an injection rule. Any
 * HCA may have sent these packets, so this function waits for the packets of all HCAs.
 */
static void settle_hcas(void)
{
	u32 i;

	lockdep_assert_held(&slots_lock);
	/* engine/direct_parts.h uses ports of HCAs that a QP remembers, under the QP's lock */
	synchronize_rcu();
	/* link/link.c and link/fabric.c use ports of HCAs in SRCU sections of `walks` */
	synchronize_srcu(&hca_fabric->walks);
	glass_raw_flush();
	for (i = 0; i < GLASS_MAX_HCAS; i++) {
		if (!slots[i].dev)
			continue;
		glass_later_flush(slots[i].dev);
		glass_hold_flush(slots[i].dev);
	}
	glass_engine_quiesce();
}

/*
 * Plugs an HCA in: creates its device, attaches the device's links, and registers the device.
 * Returns 0 or a negative errno.
 */
static int hca_bring_up(struct slot *s)
{
	struct glass_dev *dev;
	u32 port;
	int err;

	lockdep_assert_held(&slots_lock);
	dev = ib_alloc_device(glass_dev, ib);
	if (!dev)
		return -ENOMEM;
	dev->index = s->pdev->id;
	dev->fabric = hca_fabric;
	dev->inject = &s->inject;
	dev->lint = &s->lint;
	dev->num_ports = s->node->net.num_ports;
	err = glass_mcast_init(dev);
	if (err) {
		ib_dealloc_device(&dev->ib);
		return err;
	}
	tables_init(dev);
	dev->graveyard = kvzalloc(sizeof(*dev->graveyard), GFP_KERNEL);
	if (dev->graveyard)
		spin_lock_init(&dev->graveyard->lock);
	err = node_init(dev, s->node);
	if (err)
		goto err_dealloc;
	err = -ENOMEM;
	dev->control = vmalloc_user(PAGE_SIZE);
	if (!dev->control)
		goto err_dealloc;
	dev->control->version = GLASS_ABI_VERSION;
	glass_lint_page(dev->lint, dev->control);
	err = glass_later_init(dev);
	if (err)
		goto err_control;
	err = glass_hold_init(dev);
	if (err)
		goto err_later;

	dev->ib.node_type = RDMA_NODE_IB_CA;
	dev->ib.phys_port_cnt = dev->num_ports;
	dev->ib.num_comp_vectors = num_possible_cpus();
	dev->ib.dev.parent = &s->pdev->dev;
	dev->ib.uverbs_cmd_mask |= BIT_ULL(IB_USER_VERBS_CMD_POST_SEND) |
				   BIT_ULL(IB_USER_VERBS_CMD_REQ_NOTIFY_CQ);
	dev->ib.driver_def = glass_uapi_defs;
	if (s->node->ether)
		ib_set_device_ops(&dev->ib, &glass_ether_ops);
	ib_set_device_ops(&dev->ib, &glass_dev_ops);

	spin_lock_irq(&hca_fabric->lock);
	hca_fabric->hca[dev->index] = dev;
	spin_unlock_irq(&hca_fabric->lock);
	glass_inject_came(&s->inject, dev);
	for (port = 1; port <= dev->num_ports; port++)
		glass_link_attach(&dev->ports[port].link);

	err = register_device(s, dev);
	if (err)
		goto err_detach;
	/*
	 * While `registered` is false, all QPs that are destroyed share the deadline dev->settle.
	 * The first of these QPs that waits sets the deadline. This may have happened during the
	 * registration, if a client of ib_core destroyed a QP. Clear the deadline, because the
	 * unregistration needs a new one.
	 */
	WRITE_ONCE(dev->settle.at, 0);
	WRITE_ONCE(dev->registered, true);
	if (!s->control) {
		struct glass_control *c = glass_control_new(&s->inject, &s->lint,
							     dev->ib.name);

		if (IS_ERR(c)) {
			err = PTR_ERR(c);
			goto err_unregister;
		}
		s->control = c;
	}
	glass_control_add(s->control, dev);
	s->dev = dev;
	return 0;

err_unregister:
	WRITE_ONCE(dev->leaving, true);
	/* hca_take_down() says why delayed completions are released first */
	WRITE_ONCE(dev->registered, false);
	synchronize_rcu();
	glass_late_release(dev, 0);
	ib_unregister_device(&dev->ib);
err_detach:
	glass_inject_goes(&s->inject);
	for (port = 1; port <= dev->num_ports; port++)
		glass_link_detach(&dev->ports[port].link);
	spin_lock_irq(&hca_fabric->lock);
	hca_fabric->hca[dev->index] = NULL;
	spin_unlock_irq(&hca_fabric->lock);
	settle_hcas();
	glass_hold_exit(dev);
err_later:
	glass_later_exit(dev);
err_control:
	glass_lint_page(dev->lint, NULL);
	vfree(dev->control);
err_dealloc:
	tables_destroy(dev);
	free_device(dev);
	return err;
}

/* Unplugs an HCA: unregisters and frees its device. */
static void hca_take_down(struct slot *s)
{
	struct glass_dev *dev = s->dev;
	u32 port;

	lockdep_assert_held(&slots_lock);
	glass_control_remove(dev);
	glass_inject_goes(&s->inject);
	WRITE_ONCE(dev->leaving, true);
	WRITE_ONCE(dev->registered, false);
	/*
	 * Release the delayed completions first: a consumer may wait for a completion before it
	 * destroys its QP, and the unregistration waits for the consumer. After the grace period no
	 * rule delays a completion, because glass_inject_complete() reads `registered` under RCU.
	 */
	synchronize_rcu();
	glass_late_release(dev, 0);
	ib_unregister_device(&dev->ib);
	for (port = 1; port <= dev->num_ports; port++)
		glass_link_detach(&dev->ports[port].link);
	spin_lock_irq(&hca_fabric->lock);
	hca_fabric->hca[dev->index] = NULL;
	spin_unlock_irq(&hca_fabric->lock);
	settle_hcas();
	s->dev = NULL;
	glass_hold_exit(dev);
	glass_later_exit(dev);
	glass_strict_clear(dev);
	tables_destroy(dev);
	glass_lint_page(dev->lint, NULL);
	vfree(dev->control);
	free_device(dev);
}

void glass_inject_env_plug(struct glass_inject *in)
{
	struct slot *s = container_of(in, struct slot, inject);
	bool away;
	int err;

	mutex_lock(&slots_lock);
	away = READ_ONCE(s->inject.away);
	if (away && s->dev && !s->leaving) {
		hca_take_down(s);
	} else if (!away && !s->dev && !s->leaving) {
		err = hca_bring_up(s);
		if (err)
			pr_err("glass: HCA %d cannot be plugged in: error %d\n", s->pdev->id, err);
	}
	mutex_unlock(&slots_lock);
}

static int glass_probe(struct platform_device *pdev)
{
	struct slot *s = &slots[pdev->id];
	int err;

	s->pdev = pdev;
	s->leaving = false;
	glass_inject_init(&s->inject);
	glass_lint_init(&s->lint);
	mutex_lock(&slots_lock);
	err = hca_bring_up(s);
	mutex_unlock(&slots_lock);
	s->err = err;
	if (!err)
		platform_set_drvdata(pdev, s);
	return err;
}

static void slot_remove(struct platform_device *pdev)
{
	struct slot *s = platform_get_drvdata(pdev);

	mutex_lock(&slots_lock);
	s->leaving = true;
	if (s->dev)
		hca_take_down(s);
	mutex_unlock(&slots_lock);
	/*
	 * glass_control_free() waits for commands (writes to the HCA's files) in progress.
	 * Afterwards no command begins. The work inject.plug may still run until it is cancelled
	 * below, but does nothing, because `leaving` is set.
	 */
	glass_control_free(s->control);
	s->control = NULL;
	glass_inject_exit(&s->inject);
	glass_lint_exit(&s->lint);
	cancel_work_sync(&s->inject.plug);
}

GLASS_PLATFORM_REMOVE(glass_remove, slot_remove)

static struct platform_driver glass_driver = {
	.probe = glass_probe,
	.remove = glass_remove,
	.driver = {
		.name = "glass",
		/* only the module adds and removes devices: sysfs must not bind or unbind them */
		.suppress_bind_attrs = true,
	},
};

int glass_hca_plug(struct glass_fabric_node *n)
{
	struct slot *s = &slots[n->id];
	struct platform_device *pdev;
	int err;

	lockdep_assert_held(&hca_fabric->making);
	s->node = n;
	pdev = platform_device_register_simple("glass", n->id, NULL, 0);
	/*
	 * The kernel's driver core returns -EINVAL for bad arguments, but also if it has no memory
	 * for the name. Here the arguments are valid, so -EINVAL means that memory is short.
	 */
	if (IS_ERR(pdev))
		return PTR_ERR(pdev) == -EINVAL ? -ENOMEM : PTR_ERR(pdev);
	/* the probe failed: the platform device exists, but has no driver data */
	if (!platform_get_drvdata(pdev)) {
		err = s->err ?: -ENODEV;
		platform_device_unregister(pdev);
		s->pdev = NULL;
		return err;
	}
	s->pdev = pdev;
	return 0;
}

void glass_hca_unplug(struct glass_fabric_node *n)
{
	struct slot *s = &slots[n->id];

	lockdep_assert_held(&hca_fabric->making);
	if (!s->pdev)
		return;
	platform_device_unregister(s->pdev);
	s->pdev = NULL;
}

int glass_hcas_init(struct glass_fabric *f)
{
	hca_fabric = f;
	return platform_driver_register(&glass_driver);
}

void glass_hcas_exit(void)
{
	int i;

	mutex_lock(&hca_fabric->making);
	for (i = GLASS_MAX_HCAS - 1; i >= 0; i--)
		if (hca_fabric->hcas[i])
			glass_hca_unplug(hca_fabric->hcas[i]);
	mutex_unlock(&hca_fabric->making);
	platform_driver_unregister(&glass_driver);
}
