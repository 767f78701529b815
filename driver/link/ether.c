// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Ethernet ports (ether.h): how they come and go, their GIDs and their links. */
#include <linux/jhash.h>
#include <linux/rculist.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <net/netns/hash.h>

#include "compat/workqueue.h"
#include "link/env.h"
#include "link/ether.h"
#include "link/internal.h"
#include "link/link.h"
#include "netdev/udp.h"
#include "wire/packet.h"
#include "wire/roce.h"

/*
 * All GIDs of all Ethernet ports, by GID and by interface. Namespaces may have the same addresses
 * and the same numbers of interfaces, so both hashes count the namespace. Writers hold gids_all;
 * readers are under RCU.
 *
 * A port has the GIDs of interfaces upon its own, too, such as VLANs. If one of them has a port of its
 * own, both ports have these GIDs. In each bucket, GIDs of a port's own interface come first, so they
 * are found first.
 */
static DEFINE_HASHTABLE(gids, 8);
static DEFINE_HASHTABLE(gids_of_if, 8);
static DEFINE_SPINLOCK(gids_all);

static u32 gid_hash(const struct net *net, const u8 gid[16])
{
	return hash_64(glass_gid_fold(gid) + net_hash_mix(net), 32);
}

static u32 if_hash(const struct net *net, int ifindex)
{
	return jhash_1word(ifindex, net_hash_mix(net));
}

struct glass_ether_gid *glass_ether_find(const struct net *net, const u8 gid[16])
{
	struct glass_ether_gid *g;

	hash_for_each_possible_rcu(gids, g, by_gid, gid_hash(net, gid))
		if (!memcmp(g->gid, gid, sizeof(g->gid)) && READ_ONCE(g->ether->net) == net)
			return g;
	return NULL;
}

struct glass_ether_gid *glass_ether_own(const struct glass_ether *e, const struct net *net,
					const u8 gid[16])
{
	struct glass_ether_gid *g;

	hash_for_each_possible_rcu(gids, g, by_gid, gid_hash(net, gid))
		if (g->ether == e && !memcmp(g->gid, gid, sizeof(g->gid)))
			return g;
	return NULL;
}

struct glass_ether *glass_ether_of(const struct net *net, int ifindex)
{
	struct glass_ether_gid *g;

	hash_for_each_possible_rcu(gids_of_if, g, by_if, if_hash(net, ifindex))
		if (g->ifindex == ifindex && READ_ONCE(g->ether->net) == net)
			return g->ether;
	return NULL;
}

bool glass_ether_has_gid(const struct glass_ether *e, const u8 gid[16])
{
	const struct net *net;
	bool has;

	rcu_read_lock();
	net = READ_ONCE(e->net);
	has = net && glass_ether_own(e, net, gid);
	rcu_read_unlock();
	return has;
}

static void forget_routes(struct glass_ether *e)
{
	struct dst_entry *dst;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(e->route); i++) {
		spin_lock(&e->route[i].lock);
		dst = e->route[i].dst;
		e->route[i].dst = NULL;
		spin_unlock(&e->route[i].lock);
		dst_release(dst);
	}
}

/* Is this the port's own interface? */
static bool is_own_interface(struct glass_ether *e, int ifindex)
{
	struct net_device *dev;
	bool own;

	rcu_read_lock();
	dev = rcu_dereference(e->nd.dev);
	own = dev && dev->ifindex == ifindex;
	rcu_read_unlock();
	return own;
}

/* Makes a GID known to readers of the hashes. The caller holds gids_all. */
static void publish_gid(struct glass_ether_gid *g, const struct net *net)
{
	u32 by_gid = gid_hash(net, g->gid), by_if = if_hash(net, g->ifindex);

	lockdep_assert_held(&gids_all);
	if (is_own_interface(g->ether, g->ifindex)) {
		hash_add_rcu(gids, &g->by_gid, by_gid);
		hash_add_rcu(gids_of_if, &g->by_if, by_if);
		return;
	}
	hlist_add_tail_rcu(&g->by_gid, &gids[hash_min(by_gid, HASH_BITS(gids))]);
	hlist_add_tail_rcu(&g->by_if, &gids_of_if[hash_min(by_if, HASH_BITS(gids_of_if))]);
}

int glass_ether_set_gid(struct glass_ether *e, u32 index, const u8 *gid, int ifindex)
{
	struct glass_ether_gid *g = NULL, *old;
	const struct net *net;

	if (index >= GLASS_ETHER_GIDS)
		return -EINVAL;
	if (gid) {
		g = kzalloc(sizeof(*g), GFP_KERNEL);
		if (!g)
			return -ENOMEM;
		g->ether = e;
		g->ifindex = ifindex;
		memcpy(g->gid, gid, sizeof(g->gid));
	}
	mutex_lock(&e->gids_lock);
	old = rcu_replace_pointer(e->gid[index], g, lockdep_is_held(&e->gids_lock));
	spin_lock(&gids_all);
	if (old) {
		hash_del_rcu(&old->by_gid);
		hash_del_rcu(&old->by_if);
	}
	/* the namespace is there: leave_net() waits for gids_all */
	net = e->net;
	if (g && net)
		publish_gid(g, net);
	spin_unlock(&gids_all);
	mutex_unlock(&e->gids_lock);
	if (old)
		kfree_rcu(old, rcu);
	/* a route may be that of an address which is gone */
	forget_routes(e);
	return 0;
}

bool glass_ether_look(struct glass_ether *e, const u8 from[16], const u8 to[16],
		      struct glass_ether_way *way)
{
	const struct glass_ether_gid *g;
	struct net_device *dev, *has;
	struct dst_entry *dst;

	memset(way, 0, sizeof(*way));
	rcu_read_lock();
	dev = rcu_dereference(e->nd.dev);
	if (!dev) {
		rcu_read_unlock();
		return false;
	}
	g = glass_ether_own(e, dev_net(dev), from);
	way->own = g;
	if (way->own) {
		has = dev_get_by_index_rcu(dev_net(dev), g->ifindex);
		if (has)
			strscpy(way->netdev, has->name, sizeof(way->netdev));
		dst = glass_udp_route(dev_net(dev), g->ifindex, from, to);
		if (IS_ERR(dst)) {
			way->error = -PTR_ERR(dst);
		} else {
			glass_udp_neighbour(dst, to, way->hop, &way->neighbour);
			dst_release(dst);
		}
	}
	rcu_read_unlock();
	return true;
}

u8 glass_ether_mtu_code(u32 netdev_mtu)
{
	/* the longest headers: IPv6, UDP, BTH, AtomicETH and XRCETH; and the ICRC */
	u32 most = GLASS_IP6_BYTES + GLASS_UDP_BYTES + GLASS_BTH_BYTES + GLASS_ATOMICETH_BYTES +
		   GLASS_XRCETH_BYTES + GLASS_ICRC_BYTES;
	u8 code = 5;

	while (code > 1 && netdev_mtu < most + (128u << code))
		code--;
	return code;
}

/* Brings the link to the state of the interface. */
static void ether_work(struct work_struct *work)
{
	struct glass_ether *e = container_of(work, struct glass_ether, work);
	struct glass_fabric *f = e->fabric;
	struct glass_link_port *lp = NULL;
	struct glass_netdev_info info;
	bool up = glass_netdev_info(&e->nd, &info);
	struct glass_noticed nt;
	/* keeps the port valid whose change is reported */
	int walk = srcu_read_lock(&f->walks);
	struct glass_port *p;

	nt.n = 0;
	if (up)
		WRITE_ONCE(e->netdev_mtu, info.mtu);
	up = up && info.carrier;
	spin_lock_irq(&f->lock);
	lp = e->lp;
	if (lp) {
		p = lp->port;
		if (up)
			p->mtu_active = glass_ether_mtu_code(info.mtu);
		up = up && !p->pulled;
		if (up != (p->state == GLASS_PORT_ACTIVE)) {
			p->state = up ? GLASS_PORT_ACTIVE : GLASS_PORT_DOWN;
			p->phys_state = up ? GLASS_PHYS_LINKUP : GLASS_PHYS_POLLING;
			if (!up)
				p->ctr[GLASS_CTR_LINK_DOWNED]++;
			glass_port_changed_by(p, ktime_get_ns(), GLASS_PORT_BY_INTERFACE);
			glass_link_notice(&nt, lp, GLASS_CHG_STATE |
					  (up ? GLASS_CHG_ACTIVE : GLASS_CHG_DOWN));
		}
	}
	spin_unlock_irq(&f->lock);
	glass_link_tell_noticed(&nt);
	srcu_read_unlock(&f->walks, walk);
}

void glass_ether_attach(struct glass_ether *e, struct glass_link_port *lp)
{
	struct glass_port *p = lp->port;

	spin_lock_irq(&e->fabric->lock);
	p->ethernet = true;
	p->lid = 0;
	p->pkey_len = 1;
	p->guid_len = 0;
	e->lp = lp;
	spin_unlock_irq(&e->fabric->lock);
	queue_work(system_dfl_wq, &e->work);
	flush_work(&e->work);
}

void glass_ether_detach(struct glass_ether *e)
{
	spin_lock_irq(&e->fabric->lock);
	e->lp = NULL;
	spin_unlock_irq(&e->fabric->lock);
	cancel_work_sync(&e->work);
	forget_routes(e);
}

void glass_ether_group(u8 gid[16])
{
	if (glass_gid_is_v4(gid))
		glass_gid_of_v4(gid + 12, gid);
}

int glass_ether_join(struct glass_ether *e, const u8 group[16])
{
	struct net_device *dev;
	int err = -ENODEV;

	rtnl_lock();
	dev = rcu_dereference_protected(e->nd.dev, lockdep_rtnl_is_held());
	if (dev)
		err = glass_udp_join(dev, group);
	rtnl_unlock();
	return err;
}

void glass_ether_leave(struct glass_ether *e, const u8 group[16])
{
	struct net_device *dev;

	rtnl_lock();
	/* an interface that goes leaves all its groups itself */
	dev = rcu_dereference_protected(e->nd.dev, lockdep_rtnl_is_held());
	if (dev)
		glass_udp_leave(dev, group);
	rtnl_unlock();
}

static void ether_changed(struct glass_netdev *nd)
{
	struct glass_ether *e = container_of(nd, struct glass_ether, nd);

	queue_work(system_dfl_wq, &e->work);
}

/*
 * Stops using the namespace, which may end as soon as this function has returned and the interface is
 * gone. Both callers have the interface still: ether_gone() is called before its end goes on, and
 * glass_ether_close() has a reference to it. The second caller waits for the first one.
 */
static void leave_net(struct glass_ether *e)
{
	struct net *net;

	mutex_lock(&e->leaving);
	spin_lock(&gids_all);
	net = e->net;
	WRITE_ONCE(e->net, NULL);
	spin_unlock(&gids_all);
	if (net)
		glass_udp_put(net);
	mutex_unlock(&e->leaving);
}

static void ether_gone(struct glass_netdev *nd)
{
	struct glass_ether *e = container_of(nd, struct glass_ether, nd);

	queue_work(system_dfl_wq, &e->work);
	/* a route holds the interface, which cannot go before */
	forget_routes(e);
	leave_net(e);
	WRITE_ONCE(e->gone, true);
	e->leave(e);
}

static const struct glass_netdev_ops ether_ops = {
	.changed = ether_changed,
	.gone = ether_gone,
	.stays = true,
};

static int ether_error(enum glass_netdev_error why)
{
	switch (why) {
	case GLASS_NETDEV_NONE:
		return -ENODEV;
	case GLASS_NETDEV_NOT_ETHERNET:
		return -EINVAL;
	case GLASS_NETDEV_TAKEN:
		return -EBUSY;
	default:
		return -ENOMEM;
	}
}

struct glass_ether *glass_ether_open(struct glass_fabric *f, struct net *net, const char *netdev,
				     void (*leave)(struct glass_ether *e))
{
	u32 i, n = num_possible_cpus();
	enum glass_netdev_error why;
	struct glass_ether *e;
	int err;

	lockdep_assert_held(&f->making);
	e = kvzalloc(struct_size(e, frames, n), GFP_KERNEL);
	if (!e)
		return ERR_PTR(-ENOMEM);
	e->fabric = f;
	e->net = net;
	e->leave = leave;
	strscpy(e->netdev, netdev, sizeof(e->netdev));
	mutex_init(&e->gids_lock);
	mutex_init(&e->leaving);
	INIT_WORK(&e->work, ether_work);
	glass_congestion_init(&e->congestion);
	for (i = 0; i < ARRAY_SIZE(e->route); i++)
		spin_lock_init(&e->route[i].lock);
	e->nlanes = n;
	for (i = 0; i < n; i++) {
		skb_queue_head_init(&e->frames[i].skbs);
		INIT_LIST_HEAD(&e->frames[i].node);
		e->frames[i].lane = i;
		e->frames[i].ether = e;
	}
	err = glass_udp_get(net);
	if (err)
		goto free;
	why = glass_netdev_open(&e->nd, net, netdev, 0, &ether_ops);
	if (why) {
		err = ether_error(why);
		goto put;
	}
	spin_lock_irq(&e->congestion.lock);
	e->congestion.nd = &e->nd;
	e->congestion.mtu = &e->netdev_mtu;
	spin_unlock_irq(&e->congestion.lock);
	return e;
put:
	glass_udp_put(net);
free:
	kvfree(e);
	return ERR_PTR(err);
}

void glass_ether_close(struct glass_ether *e)
{
	u32 i;

	lockdep_assert_held(&e->fabric->making);
	for (i = 0; i < GLASS_ETHER_GIDS; i++)
		glass_ether_set_gid(e, i, NULL, 0);
	/* no receiver finds the port any more */
	synchronize_rcu();
	spin_lock_irq(&e->congestion.lock);
	e->congestion.nd = NULL;
	spin_unlock_irq(&e->congestion.lock);
	leave_net(e);
	/* from now on, ether_gone() is not called */
	glass_netdev_close(&e->nd);
	cancel_work_sync(&e->work);
	forget_routes(e);
	/* purge first: then a lane that still has the queue finds nothing to go on with */
	for (i = 0; i < e->nlanes; i++) {
		skb_queue_purge(&e->frames[i].skbs);
		glass_lane_forget(&e->frames[i]);
	}
	hrtimer_cancel(&e->congestion.timer);
	kvfree(e);
}
