// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Receives datagrams of Ethernet ports (ether.h): first in soft interrupt context, then in a lane. A frame
 * may hold several datagrams (netdev/udp.h), as those that ether_tx.c sends; they are received where they
 * lie, without a copy.
 */
#include <linux/hash.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/netfilter.h>
#include <net/dsfield.h>
#include <net/ipv6.h>

#include "link/env.h"
#include "link/ether.h"
#include "link/netcable.h"
#include "netdev/udp.h"
#include "wire/opcode.h"
#include "wire/roce.h"

/* skb->cb of a frame that waits for a lane: glass_ether_receive() has found it. */
struct ether_cb {
	u32 dqpn; /* of all its datagrams */
};

static struct ether_cb *cb_of(const struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct ether_cb) > sizeof(skb->cb));
	return (struct ether_cb *)skb->cb;
}

static void count_rule(struct glass_ether *e, enum glass_roce_rule rule, u32 n)
{
	atomic64_add(n, &e->stats.rule[rule]);
}

/* Does the frame hold several datagrams? Others that the kernel calls GSO are one datagram of IP. */
static bool is_of_several(const struct sk_buff *skb)
{
	return unlikely(skb_is_gso(skb)) && (skb_shinfo(skb)->gso_type & SKB_GSO_UDP_L4) &&
	       !skb->encapsulation;
}

/*
 * Returns the Ethernet port that a datagram is for, or NULL. *rule: GLASS_ROCE_OK, or GLASS_ROCE_bad_gid
 * if the port's interface has received it, but no port has the address.
 */
static struct glass_ether *port_of(struct net *net, const struct sk_buff *skb, enum glass_roce_rule *rule)
{
	const struct ipv6hdr *ip6 = ipv6_hdr(skb);
	struct glass_ether_gid *g;
	u8 gid[16];

	if (ip_hdr(skb)->version == 4)
		glass_gid_of_v4((const u8 *)&ip_hdr(skb)->daddr, gid);
	else
		memcpy(gid, &ip6->daddr, sizeof(gid));
	*rule = GLASS_ROCE_OK;
	if (gid[0] == 0xff)
		return glass_ether_of(net, skb->dev->ifindex);
	g = glass_ether_find(net, gid);
	if (likely(g))
		return g->ether;
	*rule = GLASS_ROCE_bad_gid;
	return glass_ether_of(net, skb->dev->ifindex);
}

static bool is_group(const struct sk_buff *skb)
{
	return ip_hdr(skb)->version == 4 ? ipv4_is_multicast(ip_hdr(skb)->daddr) :
					   ipv6_addr_is_multicast(&ipv6_hdr(skb)->daddr);
}

u32 glass_ether_datagrams(const struct sk_buff *skb)
{
	return is_of_several(skb) ? DIV_ROUND_UP(skb->len - GLASS_UDP_BYTES, skb_shinfo(skb)->gso_size) : 1;
}

/* Returns where the n bytes at offset `at` of the frame are, or NULL: they are not in one piece. */
static const u8 *piece_of(const struct sk_buff *skb, u32 at, u32 n)
{
	const skb_frag_t *frag = skb_shinfo(skb)->frags;
	const u8 *data;
	u32 i;

	if (at < skb_headlen(skb))
		return at + n <= skb_headlen(skb) ? skb->data + at : NULL;
	at -= skb_headlen(skb);
	for (i = 0; i < skb_shinfo(skb)->nr_frags; i++, frag++) {
		if (at < skb_frag_size(frag)) {
			data = at + n <= skb_frag_size(frag) ? skb_frag_address_safe(frag) : NULL;
			return data ? data + at : NULL;
		}
		at -= skb_frag_size(frag);
	}
	return NULL;
}

/*
 * Can the datagrams of this frame be received where they lie? There are not many, each is in one piece and
 * has a BTH, and all are for one QP, which is none of the MADs'. *dqpn becomes its number.
 */
static bool is_whole(const struct sk_buff *skb, u32 *dqpn)
{
	u32 size = skb_shinfo(skb)->gso_size, at, n, qpn;
	const u8 *bth;

	if (is_group(skb) || skb->len <= GLASS_UDP_BYTES ||
	    glass_ether_datagrams(skb) > GLASS_UDP_GSO_MOST)
		return false;
	for (at = GLASS_UDP_BYTES; at < skb->len; at += size) {
		n = min(size, skb->len - at);
		bth = n < GLASS_BTH_BYTES + GLASS_ICRC_BYTES ? NULL : piece_of(skb, at, n);
		if (!bth)
			return false;
		qpn = get_unaligned_be32(bth + 4) & GLASS_QPN_MASK;
		if (at > GLASS_UDP_BYTES && qpn != *dqpn)
			return false;
		*dqpn = qpn;
	}
	return *dqpn > 1;
}

void glass_ether_receive(struct net *net, struct sk_buff *skb)
{
	enum glass_roce_rule rule;
	struct glass_ether *e = port_of(net, skb, &rule);
	u32 dqpn = 0;

	if (!e) {
		kfree_skb(skb);
		return;
	}
	if (unlikely(rule)) {
		count_rule(e, rule, glass_ether_datagrams(skb));
		kfree_skb(skb);
		return;
	}
	if (is_of_several(skb)) {
		if (!is_whole(skb, &dqpn)) {
			/* calls this function again for each datagram */
			glass_udp_split(net, skb, glass_ether_receive);
			return;
		}
	} else if (pskb_may_pull(skb, GLASS_UDP_BYTES + GLASS_BTH_BYTES + GLASS_ICRC_BYTES)) {
		dqpn = get_unaligned_be32(skb->data + GLASS_UDP_BYTES + 4) & GLASS_QPN_MASK;
	} else {
		count_rule(e, GLASS_ROCE_bad_short, 1);
		kfree_skb(skb);
		return;
	}
	/* the datagram waits: it must hold no interface, and no memory of its sender's budget */
	skb_orphan(skb);
	skb_dst_drop(skb);
	nf_reset_ct(skb);
	skb_ext_reset(skb);
	cb_of(skb)->dqpn = dqpn;
	/* packets of a connection stay in order */
	if (!glass_frames_queue(&e->frames[reciprocal_scale(hash_32(dqpn, 32), e->nlanes)], skb,
				&e->queued)) {
		count_rule(e, GLASS_ROCE_bad_overrun, glass_ether_datagrams(skb));
		kfree_skb(skb);
	}
}

bool glass_ether_plain(const struct sk_buff *skb)
{
	u8 ds = ip_hdr(skb)->version == 4 ? ip_hdr(skb)->tos : ipv6_get_dsfield(ipv6_hdr(skb));

	return glass_frames_unobserved() && !is_group(skb) && (ds & GLASS_ECN_MASK) != GLASS_ECN_CE &&
	       cb_of(skb)->dqpn > 1;
}

/* Passes a packet, which breaks no rule so far if `rule` is GLASS_ROCE_OK, to the HCA. */
static __always_inline void deliver_one_datagram(struct glass_ether *e, const struct glass_pkt *pkt,
						 enum glass_roce_rule rule, struct glass_run *run)
{
	struct glass_fabric *f = e->fabric;
	struct glass_link_port *lp;

	spin_lock_irq(&f->lock);
	lp = e->lp;
	if (!rule && (!lp || lp->port->state != GLASS_PORT_ACTIVE))
		rule = GLASS_ROCE_bad_down;
	if (!rule)
		glass_port_count_rx(lp->port, pkt->vl, pkt->dlid, glass_pkt_words(pkt), 1);
	else if (lp && rule != GLASS_ROCE_bad_down)
		lp->port->ctr[GLASS_CTR_RCV_ERR]++;
	spin_unlock_irq(&f->lock);
	if (rule) {
		count_rule(e, rule, 1);
		return;
	}
	atomic64_inc(&e->stats.rx_packets);
	atomic64_add(pkt->grh.pay_len, &e->stats.rx_bytes);
	if (unlikely((pkt->grh.tclass & GLASS_ECN_MASK) == GLASS_ECN_CE) && !pkt->dlid)
		glass_port_marked(lp, pkt, run);
	/* a run must not defer copies of a multicast: they would be charged to a QP of ours */
	glass_port_receive(lp, pkt, pkt->dlid ? NULL : run);
}

/*
 * Delivers the datagrams of a frame that is_whole(). The sender may be able to change their bytes still, as
 * those of a file that it maps: each byte counts as it was read, and what the frame's context depends on is
 * compared again.
 */
static noinline_for_stack void deliver_datagrams(struct glass_ether *e, struct sk_buff *skb,
						 struct glass_run *run, struct glass_roce_memo *memo)
{
	u32 size = skb_shinfo(skb)->gso_size, at = GLASS_UDP_BYTES, n, i;
	u8 hdr[GLASS_IP6_BYTES + GLASS_UDP_BYTES];
	enum glass_roce_rule rule;
	struct glass_pkt pkt;
	struct glass_seg seg;

	for (i = 0; at < skb->len; i++, at += size) {
		n = min(size, skb->len - at);
		glass_roce_split(skb_network_header(skb), i, n, hdr);
		rule = glass_roce_parse_split(&pkt, &seg, hdr, piece_of(skb, at, n), n, memo);
		if (!rule && unlikely(pkt.dqpn != cb_of(skb)->dqpn))
			rule = GLASS_ROCE_bad_icrc;
		deliver_one_datagram(e, &pkt, rule, run);
	}
}

void glass_ether_frame(struct glass_ether *e, struct sk_buff *skb, struct glass_run *run,
		       struct glass_roce_memo *memo)
{
	struct glass_pkt pkt;
	struct glass_seg seg;
	const u8 *ip;

	if (is_of_several(skb)) {
		deliver_datagrams(e, skb, run, memo);
		return;
	}
	if (skb_linearize(skb)) {
		count_rule(e, GLASS_ROCE_bad_overrun, 1);
		return;
	}
	ip = skb_network_header(skb);
	deliver_one_datagram(e, &pkt, glass_roce_parse(&pkt, &seg, ip, skb_tail_pointer(skb) - ip, memo), run);
}
