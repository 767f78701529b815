// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Sends packets of Ethernet ports (ether.h) as UDP datagrams. */
#include <linux/hash.h>

#include "link/env.h"
#include "link/ether.h"
#include "link/internal.h"
#include "netdev/udp.h"
#include "observe/observe.h"
#include "wire/crc.h"
#include "wire/opcode.h"
#include "wire/roce.h"
#include "wire/serial.h"

/*
 * If this many bytes are on their way, packets are dropped. (A QP waits at GLASS_NETDEV_FLIGHT, but
 * the copies of a multicast, for example, cannot wait.)
 */
#define FLIGHT_MOST (4 * GLASS_NETDEV_FLIGHT)

/* Returns the index of the interface that has this address of the port; 0: the port has it not. */
static int ifindex_of(const struct glass_ether *e, const struct net *net, const u8 gid[16])
{
	const struct glass_ether_gid *g = glass_ether_own(e, net, gid);

	return g ? g->ifindex : 0;
}

/* Returns the packet's route with a reference, or NULL. *entry gets its place in e->route. */
static struct dst_entry *find_route(struct glass_ether *e, const struct glass_grh *grh,
				    struct glass_ether_route **entry)
{
	struct glass_ether_route *r;
	struct dst_entry *dst = NULL, *old;
	struct net_device *dev;
	int ifindex;

	r = &e->route[hash_64(glass_gid_fold(grh->dgid) + 3 * glass_gid_fold(grh->sgid),
			      GLASS_ETHER_ROUTES_BITS)];
	*entry = r;
	spin_lock(&r->lock);
	if (r->dst && !memcmp(r->to, grh->dgid, sizeof(r->to)) &&
	    !memcmp(r->from, grh->sgid, sizeof(r->from)) && glass_udp_valid(r->dst, r->cookie)) {
		dst = r->dst;
		dst_hold(dst);
	}
	spin_unlock(&r->lock);
	if (dst)
		return dst;
	rcu_read_lock();
	dev = rcu_dereference(e->nd.dev);
	ifindex = dev ? ifindex_of(e, dev_net(dev), grh->sgid) : 0;
	if (ifindex)
		dst = glass_udp_route(dev_net(dev), ifindex, grh->sgid, grh->dgid);
	if (IS_ERR_OR_NULL(dst)) {
		rcu_read_unlock();
		return NULL;
	}
	spin_lock(&r->lock);
	old = r->dst;
	/* the interface may have gone meanwhile, and forget_routes() has passed already */
	r->dst = rcu_access_pointer(e->nd.dev) ? dst_clone(dst) : NULL;
	r->cookie = glass_udp_cookie(dst);
	memcpy(r->from, grh->sgid, sizeof(r->from));
	memcpy(r->to, grh->dgid, sizeof(r->to));
	spin_unlock(&r->lock);
	rcu_read_unlock();
	dst_release(old);
	return dst;
}

/*
 * Writes the payload of the datagram: the packet from the BTH to the padding. Returns the number of
 * bytes, or a negative errno. An injection rule may have corrupted or truncated the packet.
 */
static int put_transport(const struct glass_pkt *pkt, struct sk_buff *skb, u32 room)
{
	int len;
	u32 n;

	if (likely(!pkt->wire)) {
		len = glass_roce_build(pkt, skb_tail_pointer(skb), room);
		if (len > 0)
			skb_put(skb, len);
		return len;
	}
	n = glass_roce_wire_bytes(pkt);
	if (!n || n > room)
		return -EINVAL;
	skb_put_data(skb, pkt->wire + GLASS_LRH_BYTES + GLASS_GRH_BYTES, n);
	return n;
}

static bool send_datagram(struct glass_ether *e, const struct glass_pkt *pkt, struct dst_entry *dst,
			  struct glass_ether_route *r)
{
	u32 room = GLASS_PKT_HDR_MAX + pkt->len + 4;
	struct glass_udp_flow flow = {
		.tclass = pkt->grh.tclass,
		.hops = pkt->grh.hop_limit ?: 64,
		.flow_label = pkt->grh.flow_label,
		.sport = glass_roce_sport(pkt),
	};
	struct net_device *dev;
	struct sk_buff *skb;
	int len, err;
	u32 icrc;

	skb = glass_udp_alloc(dst, room + GLASS_ICRC_BYTES, GFP_NOIO);
	if (!skb)
		return false;
	len = put_transport(pkt, skb, room);
	if (len < 0) {
		kfree_skb(skb);
		return false;
	}
	memcpy(flow.from, pkt->grh.sgid, sizeof(flow.from));
	memcpy(flow.to, pkt->grh.dgid, sizeof(flow.to));
	glass_udp_headers(skb, &flow, GLASS_ICRC_BYTES);
	spin_lock(&r->lock);
	icrc = glass_roce_icrc_begin(&r->icrc, skb->data);
	spin_unlock(&r->lock);
	icrc = glass_roce_icrc_end(icrc, skb_transport_header(skb) + GLASS_UDP_BYTES, len);
	/* the damage shall be seen, as it would be in the packet of an InfiniBand port */
	if (unlikely(pkt->spoilt))
		icrc = ~icrc;
	glass_crc_put32(icrc, skb_put(skb, GLASS_ICRC_BYTES));
	skb_set_hash(skb, hash_32(pkt->dqpn, 32), PKT_HASH_TYPE_L4);
	rcu_read_lock();
	/* while this pointer is seen, the namespace is there */
	dev = rcu_dereference(e->nd.dev);
	if (!dev) {
		rcu_read_unlock();
		kfree_skb(skb);
		return false;
	}
	glass_netdev_own(&e->nd, skb);
	err = glass_udp_send(dev_net(dev), skb, dst);
	rcu_read_unlock();
	if (err)
		return false;
	atomic64_inc(&e->stats.tx_packets);
	atomic64_add(len, &e->stats.tx_bytes);
	return true;
}

static bool send_away(struct glass_ether *e, const struct glass_pkt *pkt, enum glass_drop *why)
{
	struct glass_ether_route *r;
	struct dst_entry *dst;
	bool sent;

	*why = GLASS_DROP_CABLE_FULL;
	if (unlikely(glass_netdev_flight(&e->nd) >= FLIGHT_MOST)) {
		atomic64_inc(&e->stats.tx_dropped);
		return false;
	}
	dst = find_route(e, &pkt->grh, &r);
	if (!dst) {
		*why = GLASS_DROP_NO_ROUTE;
		atomic64_inc(&e->stats.tx_no_route);
		return false;
	}
	sent = send_datagram(e, pkt, dst, r);
	dst_release(dst);
	if (!sent)
		atomic64_inc(&e->stats.tx_dropped);
	return sent;
}

/* Is the packet for the port that sends it? */
static bool is_own(const struct glass_ether *e, const struct glass_pkt *pkt)
{
	const struct glass_ether_gid *g;
	const struct net *net;
	bool own;

	rcu_read_lock();
	net = READ_ONCE(e->net);
	g = net ? glass_ether_find(net, pkt->grh.dgid) : NULL;
	own = g && g->ether == e;
	rcu_read_unlock();
	return own;
}

void glass_ether_send(struct glass_link_port *lp, const struct glass_pkt *pkt, struct glass_run *run)
{
	struct glass_net_end nowhere = glass_net_end(NULL, 0);
	bool mcast = pkt->dlid >= GLASS_LID_MCAST_BASE, own;
	u32 words = glass_pkt_words(pkt);
	struct glass_fabric *f = lp->fabric;
	struct glass_ether *e = lp->ether;
	enum glass_drop why;

	own = !mcast && pkt->lnh == GLASS_LNH_GLOBAL && is_own(e, pkt);
	spin_lock_irq(&f->lock);
	if (lp->port->state != GLASS_PORT_ACTIVE) {
		lp->port->ctr[GLASS_CTR_XMIT_DISCARDS]++;
		spin_unlock_irq(&f->lock);
		glass_link_note_drop(lp, GLASS_AT_TX, nowhere, pkt, GLASS_DROP_PORT_DOWN);
		return;
	}
	glass_port_count_tx(lp->port, pkt->vl, pkt->dlid, words, 1);
	if (own)
		glass_port_count_rx(lp->port, pkt->vl, pkt->dlid, words, 1);
	spin_unlock_irq(&f->lock);
	if (own) {
		glass_port_receive(lp, pkt, run);
		return;
	}
	/* a packet without GIDs has no addresses */
	if (pkt->lnh != GLASS_LNH_GLOBAL) {
		atomic64_inc(&e->stats.tx_no_route);
		glass_link_note_drop(lp, GLASS_AT_TX, nowhere, pkt, GLASS_DROP_BAD_GRH);
		return;
	}
	if (!send_away(e, pkt, &why))
		glass_link_note_drop(lp, GLASS_AT_LINK, nowhere, pkt, why);
	if (mcast)
		glass_port_loopback(lp, pkt, run);
	if (run)
		glass_run_pace(run, pkt, 4 * words);
	if (run && glass_netdev_flight(&e->nd) >= glass_netcable_limit(READ_ONCE(e->netdev_mtu), pkt->len))
		glass_run_slow(run, &e->congestion);
}
