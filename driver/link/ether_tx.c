// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Sends packets of Ethernet ports (ether.h) as UDP datagrams. Those of a train go in frames of several
 * (GSO), if the interface takes such: then the kernel's IP and the interface see one frame for up to
 * GLASS_UDP_GSO_MOST of them.
 */
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
#include "wire/train.h"

/*
 * If this many bytes are on their way, packets are dropped. (A QP waits at GLASS_NETDEV_FLIGHT or
 * GLASS_NETDEV_FLIGHT_LONG, but the copies of a multicast, for example, cannot wait.)
 */
#define FLIGHT_MOST (GLASS_NETDEV_FLIGHT_LONG + 3 * GLASS_NETDEV_FLIGHT)

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
 * Writes the payload of the datagram: the packet from the BTH to the padding. The packet is `pkt`, whose
 * payload begins at offset `off` in that of `train`. Returns the number of bytes, or a negative errno. An
 * injection rule may have corrupted or truncated a packet that is in no train.
 */
static __always_inline int put_transport(const struct glass_pkt *train, const struct glass_pkt *pkt,
					 u32 off, struct sk_buff *skb, u32 room)
{
	int len;
	u32 n;

	if (likely(!pkt->wire)) {
		len = glass_roce_build_part(train, pkt, off, skb_tail_pointer(skb), room);
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

/* Writes the headers of IP and UDP of a packet or train; `more` bytes will be appended to the frame. */
static __always_inline void put_headers(const struct glass_pkt *pkt, struct sk_buff *skb, u32 more)
{
	struct glass_udp_flow flow = {
		.tclass = pkt->grh.tclass,
		.hops = pkt->grh.hop_limit ?: 64,
		.flow_label = pkt->grh.flow_label,
		.sport = glass_roce_sport(pkt),
	};

	memcpy(flow.from, pkt->grh.sgid, sizeof(flow.from));
	memcpy(flow.to, pkt->grh.dgid, sizeof(flow.to));
	glass_udp_headers(skb, &flow, more);
}

/* Returns the ICRC of the `len` bytes at `bth`, behind the headers `hdr`. */
static __always_inline u32 icrc_of(struct glass_ether_route *r, const u8 *hdr, const u8 *bth,
				   u32 len)
{
	u32 crc;

	spin_lock(&r->lock);
	crc = glass_roce_icrc_begin(&r->icrc, hdr);
	spin_unlock(&r->lock);
	return glass_roce_icrc_end(crc, bth, len);
}

/*
 * Sends a frame that is complete, and frees it: n packets for the same QP, with `bytes` without ICRCs. If
 * `run` is not NULL, it processes the frame at once where it arrives on this host (glass_frames_hold()).
 */
static __always_inline bool send_ether_frame(struct glass_ether *e, const struct glass_pkt *pkt,
					     struct dst_entry *dst, struct sk_buff *skb, u32 n,
					     u32 bytes, struct glass_run *run)
{
	struct net_device *dev;
	bool holding;
	int err;

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
	holding = glass_frames_hold(run, pkt);
	err = glass_udp_send(dev_net(dev), skb, dst);
	rcu_read_unlock();
	if (holding)
		glass_frames_release(run);
	if (err)
		return false;
	atomic64_add(n, &e->stats.tx_packets);
	atomic64_add(bytes, &e->stats.tx_bytes);
	return true;
}

/* Sends one packet: see put_transport(). */
static bool send_datagram(struct glass_ether *e, const struct glass_pkt *train,
			  const struct glass_pkt *pkt, u32 off, struct dst_entry *dst,
			  struct glass_ether_route *r, struct glass_run *run)
{
	u32 room = GLASS_PKT_HDR_MAX + pkt->len + 4, icrc;
	struct sk_buff *skb;
	int len;

	skb = glass_udp_alloc(dst, room + GLASS_ICRC_BYTES, GFP_NOIO);
	if (!skb)
		return false;
	len = put_transport(train, pkt, off, skb, room);
	if (len < 0) {
		kfree_skb(skb);
		return false;
	}
	put_headers(pkt, skb, GLASS_ICRC_BYTES);
	icrc = icrc_of(r, skb->data, skb_transport_header(skb) + GLASS_UDP_BYTES, len);
	/* the damage shall be seen, as it would be in the packet of an InfiniBand port */
	if (unlikely(pkt->spoilt))
		icrc = ~icrc;
	glass_crc_put32(icrc, skb_put(skb, GLASS_ICRC_BYTES));
	return send_ether_frame(e, pkt, dst, skb, 1, len, run);
}

/* ---- trains */

/* Some consecutive packets of a train that go in one frame. */
struct part {
	u32 first, n; /* packets of the train */
	u32 off, payload; /* bytes of the train's payload: where theirs begins, and how many they have */
	u32 size, last; /* bytes of a datagram, and of the last one, from the BTH to the ICRC */
};

/*
 * Sets the fields of a part, but for `first` and `off`: as many packets as a frame with `room` bytes of
 * payload takes, at least one. All datagrams have one length; only the last one may be shorter. Returns
 * false if the train has no such packets.
 */
static bool measure_part(const struct glass_pkt *train, u32 room, struct part *p)
{
	struct glass_pkt one;
	u32 bytes;

	p->n = 0;
	p->payload = 0;
	do {
		if (glass_train_part(train, p->first + p->n, &one))
			return false;
		bytes = one.grh.pay_len;
		if (!p->n)
			p->size = bytes;
		else if (bytes > p->size || p->n * p->size + bytes > room)
			break;
		p->last = bytes;
		p->payload += one.len;
		p->n++;
	} while (bytes == p->size && p->n < GLASS_UDP_GSO_MOST && p->first + p->n <= train->more);
	return true;
}

/*
 * Appends the datagrams of a part to a frame, one behind the other, without their ICRCs. at[] gets where
 * each begins. Returns false if there is no memory.
 */
static bool build_part(const struct glass_pkt *train, const struct part *p, struct sk_buff *skb,
		       u8 *at[GLASS_UDP_GSO_MOST])
{
	u32 off = p->off, piece = 0, i, len;
	struct glass_pkt one;
	u8 *to = NULL;

	for (i = 0; i < p->n; i++) {
		if (!piece) {
			piece = min(GLASS_UDP_PIECE / p->size, p->n - i);
			to = glass_udp_append(skb, (piece - 1) * p->size +
						   (i + piece == p->n ? p->last : p->size));
			if (!to)
				return false;
		}
		len = i + 1 == p->n ? p->last : p->size;
		if (glass_train_part(train, p->first + i, &one) ||
		    glass_roce_build_part(train, &one, off, to, len) != len - GLASS_ICRC_BYTES)
			return false;
		at[i] = to;
		to += len;
		off += one.len;
		piece--;
	}
	return true;
}

/*
 * Sends a part of several packets in one frame. *no_memory: there is none for a frame, and nothing was
 * sent.
 */
static bool send_part(struct glass_ether *e, const struct glass_pkt *train, const struct part *p,
		      struct dst_entry *dst, struct glass_ether_route *r, bool *no_memory)
{
	struct sk_buff *skb = glass_udp_alloc(dst, 0, GFP_NOIO);
	u8 hdr[GLASS_IP6_BYTES + GLASS_UDP_BYTES];
	u8 *at[GLASS_UDP_GSO_MOST];
	u32 i, len;

	*no_memory = !skb || !build_part(train, p, skb, at);
	if (unlikely(*no_memory)) {
		kfree_skb(skb);
		return false;
	}
	len = skb->len;
	put_headers(train, skb, 0);
	for (i = 0; i < p->n; i++) {
		u32 bytes = (i + 1 == p->n ? p->last : p->size) - GLASS_ICRC_BYTES;

		glass_roce_split(skb->data, i, bytes + GLASS_ICRC_BYTES, hdr);
		glass_crc_put32(icrc_of(r, hdr, at[i], bytes), at[i] + bytes);
	}
	glass_udp_set_gso(skb, p->size, p->n);
	return send_ether_frame(e, train, dst, skb, p->n, len - p->n * GLASS_ICRC_BYTES, NULL);
}

/* Sends the packets of a train. Returns how many could not be sent. */
static u32 send_ether_train(struct glass_ether *e, const struct glass_pkt *train, struct dst_entry *dst,
		      struct glass_ether_route *r)
{
	u32 room = glass_udp_gso_room(dst), lost = 0;
	struct part p = { .n = 0 };
	struct glass_pkt one;
	bool sent, no_memory;

	while (p.first <= train->more) {
		if (!measure_part(train, room, &p))
			return lost + 1 + train->more - p.first;
		if (p.n > 1) {
			sent = send_part(e, train, &p, dst, r, &no_memory);
			if (unlikely(no_memory)) {
				/* small frames may still find some: go on with those */
				room = 0;
				continue;
			}
		} else {
			sent = !glass_train_part(train, p.first, &one) &&
			       send_datagram(e, train, &one, p.off, dst, r, NULL);
		}
		if (!sent)
			lost += p.n;
		p.first += p.n;
		p.off += p.payload;
	}
	return lost;
}

/* Sends a packet or train. Returns whether all of it is on its way; if not, *why is the reason. */
static bool send_away(struct glass_ether *e, const struct glass_pkt *pkt, struct glass_run *run,
		      enum glass_drop *why)
{
	struct glass_ether_route *r;
	struct dst_entry *dst;
	u32 lost;

	*why = GLASS_DROP_CABLE_FULL;
	if (unlikely(glass_netdev_flight(&e->nd) >= FLIGHT_MOST)) {
		atomic64_add(1 + pkt->more, &e->stats.tx_dropped);
		return false;
	}
	dst = find_route(e, &pkt->grh, &r);
	if (!dst) {
		*why = GLASS_DROP_NO_ROUTE;
		atomic64_add(1 + pkt->more, &e->stats.tx_no_route);
		return false;
	}
	if (pkt->more)
		lost = send_ether_train(e, pkt, dst, r);
	else
		lost = !send_datagram(e, pkt, pkt, 0, dst, r, run);
	dst_release(dst);
	if (lost)
		atomic64_add(lost, &e->stats.tx_dropped);
	return !lost;
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

bool glass_ether_full(const struct glass_link_port *lp)
{
	return glass_netdev_flight(&lp->ether->nd) >= GLASS_NETDEV_FLIGHT_LONG;
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
		lp->port->ctr[GLASS_CTR_XMIT_DISCARDS] += 1 + pkt->more;
		spin_unlock_irq(&f->lock);
		glass_link_note_drop(lp, GLASS_AT_TX, nowhere, pkt, GLASS_DROP_PORT_DOWN);
		return;
	}
	glass_port_count_tx(lp->port, pkt->vl, pkt->dlid, words, 1 + pkt->more);
	if (own)
		glass_port_count_rx(lp->port, pkt->vl, pkt->dlid, words, 1 + pkt->more);
	spin_unlock_irq(&f->lock);
	if (own) {
		glass_port_receive(lp, pkt, run);
		return;
	}
	/* a packet without GIDs has no addresses */
	if (pkt->lnh != GLASS_LNH_GLOBAL) {
		atomic64_add(1 + pkt->more, &e->stats.tx_no_route);
		glass_link_note_drop(lp, GLASS_AT_TX, nowhere, pkt, GLASS_DROP_BAD_GRH);
		return;
	}
	if (!send_away(e, pkt, mcast || pkt->len > GLASS_AT_ONCE ? NULL : run, &why))
		glass_link_note_drop(lp, GLASS_AT_LINK, nowhere, pkt, why);
	if (mcast)
		glass_port_loopback(lp, pkt, run);
	if (run)
		glass_run_pace(run, pkt, 4 * words);
	if (run && glass_netdev_flight(&e->nd) >= glass_netcable_limit(READ_ONCE(e->netdev_mtu), pkt->len))
		glass_run_slow(run, &e->congestion);
}
