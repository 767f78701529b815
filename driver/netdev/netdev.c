// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Network interfaces (netdev.h). */
#include <linux/if_arp.h>
#include <linux/mutex.h>
#include <linux/net.h>
#include <linux/rtnetlink.h>
#include <net/net_namespace.h>

#include "netdev/netdev.h"

/*
 * The open interfaces. The mutex also orders opening, closing and the notifier. Order of locks:
 * RTNL, then this mutex, then the locks of the owners' functions.
 */
static LIST_HEAD(open_netdevs);
static DEFINE_MUTEX(netdevs_lock);

static struct net_device *own_dev(const struct glass_netdev *nd)
{
	return rcu_dereference_protected(nd->dev, lockdep_is_held(&netdevs_lock));
}

static int netdev_receive(struct sk_buff *skb, struct net_device *dev, struct packet_type *pt,
			  struct net_device *orig_dev)
{
	struct glass_netdev *nd = pt->af_packet_priv;

	if (skb->pkt_type == PACKET_OTHERHOST || skb->pkt_type == PACKET_LOOPBACK) {
		kfree_skb(skb);
		return NET_RX_DROP;
	}
	skb = skb_share_check(skb, GFP_ATOMIC);
	if (skb)
		nd->ops->receive(nd, skb);
	return NET_RX_SUCCESS;
}

/* Stops using the interface, and drops the reference to it. */
static void let_go(struct glass_netdev *nd)
{
	struct net_device *dev = own_dev(nd);

	lockdep_assert_held(&netdevs_lock);
	if (!dev)
		return;
	RCU_INIT_POINTER(nd->dev, NULL);
	list_del_init(&nd->node);
	/* waits for receivers, and for glass_netdev_send(), which uses `dev` under RCU */
	if (nd->pt.type)
		dev_remove_pack(&nd->pt);
	else
		synchronize_net();
	netdev_put(dev, &nd->tracker);
}

static bool is_taken(const struct net_device *dev, __be16 proto)
{
	struct glass_netdev *nd;

	list_for_each_entry(nd, &open_netdevs, node)
		if (own_dev(nd) == dev && nd->pt.type == proto)
			return true;
	return false;
}

enum glass_netdev_error glass_netdev_open(struct glass_netdev *nd, struct net *net,
					  const char *name, u16 proto,
					  const struct glass_netdev_ops *ops)
{
	enum glass_netdev_error why = GLASS_NETDEV_OK;
	struct net_device *dev;

	nd->ops = ops;
	INIT_LIST_HEAD(&nd->node);
	if (sock_create_kern(&init_net, PF_INET, SOCK_DGRAM, IPPROTO_UDP, &nd->sock))
		return GLASS_NETDEV_NO_MEMORY;
	mutex_lock(&netdevs_lock);
	dev = dev_get_by_name(net, name);
	if (!dev)
		why = GLASS_NETDEV_NONE;
	else if (dev->type != ARPHRD_ETHER || dev->addr_len != ETH_ALEN)
		why = GLASS_NETDEV_NOT_ETHERNET;
	else if (is_taken(dev, htons(proto)))
		why = GLASS_NETDEV_TAKEN;
	else if (data_race(dev->reg_state) != NETREG_REGISTERED)
		/* its notification may have passed already, and would be missed */
		why = GLASS_NETDEV_NONE;
	if (why) {
		dev_put(dev);
		mutex_unlock(&netdevs_lock);
		sock_release(nd->sock);
		nd->sock = NULL;
		return why;
	}
	netdev_hold(dev, &nd->tracker, GFP_KERNEL);
	dev_put(dev);
	nd->pt = (struct packet_type){
		.type = htons(proto),
		.dev = dev,
		.func = netdev_receive,
		.af_packet_priv = nd,
	};
	rcu_assign_pointer(nd->dev, dev);
	list_add(&nd->node, &open_netdevs);
	if (proto)
		dev_add_pack(&nd->pt);
	mutex_unlock(&netdevs_lock);
	return GLASS_NETDEV_OK;
}

void glass_netdev_close(struct glass_netdev *nd)
{
	mutex_lock(&netdevs_lock);
	let_go(nd);
	mutex_unlock(&netdevs_lock);
	/* frames that are still on their way keep the memory of the socket, not the struct */
	sock_release(nd->sock);
	nd->sock = NULL;
}

static bool has_carrier(const struct net_device *dev)
{
	return netif_running(dev) && netif_carrier_ok(dev);
}

bool glass_netdev_info(struct glass_netdev *nd, struct glass_netdev_info *info)
{
	struct net_device *dev;

	rcu_read_lock();
	dev = rcu_dereference(nd->dev);
	if (dev) {
		/* a rename may change the name meanwhile: it is for people only */
		strscpy(info->name, dev->name, sizeof(info->name));
		info->ifindex = dev->ifindex;
		info->netns = dev_net(dev)->ns.inum;
		info->mtu = READ_ONCE(dev->mtu);
		memcpy(info->mac, dev->dev_addr, ETH_ALEN);
		info->carrier = has_carrier(dev);
	}
	rcu_read_unlock();
	return dev;
}

/* Frames of more bytes are page fragments. */
#define GLASS_FRAGMENT_BYTES 1024

struct sk_buff *glass_netdev_frame(u32 bytes, gfp_t gfp)
{
	u32 size = SKB_DATA_ALIGN(bytes) + SKB_DATA_ALIGN(sizeof(struct skb_shared_info));
	struct sk_buff *skb;
	void *data;

	/*
	 * kmalloc() would round the size up to a power of two, and the kernel may clear all of that. But
	 * a fragment keeps the page that it shares: frames that are counted by their own size must not
	 * be much smaller than it.
	 */
	if (size > GLASS_FRAGMENT_BYTES) {
		data = netdev_alloc_frag(size);
		skb = data ? build_skb(data, size) : NULL;
		if (skb)
			return skb;
		if (data)
			skb_free_frag(data);
	}
	return alloc_skb(bytes, gfp | __GFP_NOWARN);
}

struct sk_buff *glass_netdev_alloc(struct glass_netdev *nd, u32 len, gfp_t gfp)
{
	u32 head = 0, tail = 0;
	struct net_device *dev;
	struct sk_buff *skb;

	rcu_read_lock();
	dev = rcu_dereference(nd->dev);
	if (dev) {
		head = LL_RESERVED_SPACE(dev);
		tail = dev->needed_tailroom;
	}
	rcu_read_unlock();
	if (!dev)
		return NULL;
	skb = glass_netdev_frame(head + len + tail, gfp);
	if (!skb)
		return NULL;
	skb_reserve(skb, head);
	return skb;
}

void glass_netdev_own(struct glass_netdev *nd, struct sk_buff *skb)
{
#ifdef CONFIG_XPS
	/*
	 * The context that sends changes its CPU at will. XPS would choose another queue each time,
	 * and so change the order of frames: give it a CPU that depends only on the flow.
	 */
	if (skb->l4_hash)
		skb->sender_cpu = 1 + reciprocal_scale(skb->hash, nr_cpu_ids);
#endif
	skb_set_owner_w(skb, nd->sock->sk);
}

int glass_netdev_send(struct glass_netdev *nd, struct sk_buff *skb, const u8 to[ETH_ALEN])
{
	struct net_device *dev;
	int err = -ENODEV;

	rcu_read_lock();
	dev = rcu_dereference(nd->dev);
	if (!dev)
		goto out;
	skb->dev = dev;
	skb->protocol = nd->pt.type;
	skb_reset_network_header(skb);
	/* the headroom may be that of another interface, if a bond has changed its own since */
	if (skb_cow_head(skb, LL_RESERVED_SPACE(dev)) ||
	    dev_hard_header(skb, dev, ntohs(nd->pt.type), to, dev->dev_addr, skb->len) < 0) {
		err = -ENOBUFS;
		goto out;
	}
	glass_netdev_own(nd, skb);
	err = dev_queue_xmit(skb);
	err = net_xmit_eval(err);
	/* the notifiers hear of a lost carrier up to a second later */
	if (unlikely(err) && !has_carrier(dev))
		nd->ops->changed(nd);
	rcu_read_unlock();
	return err ? -ENOBUFS : 0;

out:
	rcu_read_unlock();
	kfree_skb(skb);
	return err;
}

static struct glass_netdev *find_open(const struct net_device *dev, struct glass_netdev *after)
{
	struct glass_netdev *nd = list_prepare_entry(after, &open_netdevs, node);

	list_for_each_entry_continue(nd, &open_netdevs, node)
		if (own_dev(nd) == dev)
			return nd;
	return NULL;
}

static int netdev_event(struct notifier_block *nb, unsigned long event, void *ptr)
{
	struct net_device *dev = netdev_notifier_info_to_dev(ptr);
	bool leaves = event == NETDEV_UNREGISTER;
	struct glass_netdev *nd, *next;

	/* of a move to another namespace, too, notifiers hear UNREGISTER and then REGISTER */
	bool gone = leaves && data_race(dev->reg_state) != NETREG_REGISTERED;

	mutex_lock(&netdevs_lock);
	for (nd = find_open(dev, NULL); nd; nd = next) {
		next = find_open(dev, nd);
		if (gone || (leaves && nd->ops->stays)) {
			let_go(nd);
			nd->ops->gone(nd);
		} else {
			nd->ops->changed(nd);
		}
	}
	mutex_unlock(&netdevs_lock);
	return NOTIFY_DONE;
}

static struct notifier_block netdev_notifier = {
	.notifier_call = netdev_event,
};

int glass_netdev_init(void)
{
	return register_netdevice_notifier(&netdev_notifier);
}

void glass_netdev_exit(void)
{
	unregister_netdevice_notifier(&netdev_notifier);
}
