// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Receives datagrams of Ethernet ports (ether.h): first in soft interrupt context, then in a lane. */
#include <linux/hash.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/netfilter.h>
#include <net/dsfield.h>
#include <net/ipv6.h>

#include "link/env.h"
#include "link/ether.h"
#include "link/netcable.h"
#include "wire/opcode.h"
#include "wire/roce.h"

static void count_rule(struct glass_ether *e, enum glass_roce_rule rule)
{
	atomic64_inc(&e->stats.rule[rule]);
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

void glass_ether_receive(struct net *net, struct sk_buff *skb)
{
	enum glass_roce_rule rule;
	struct glass_ether *e = port_of(net, skb, &rule);
	const u8 *bth;
	u32 dqpn;

	if (!e) {
		kfree_skb(skb);
		return;
	}
	if (unlikely(rule)) {
		count_rule(e, rule);
		kfree_skb(skb);
		return;
	}
	if (!pskb_may_pull(skb, GLASS_UDP_BYTES + GLASS_BTH_BYTES + GLASS_ICRC_BYTES)) {
		count_rule(e, GLASS_ROCE_bad_short);
		kfree_skb(skb);
		return;
	}
	bth = skb->data + GLASS_UDP_BYTES;
	dqpn = get_unaligned_be32(bth + 4) & GLASS_QPN_MASK;
	/* the datagram waits: it must hold no interface, and no memory of its sender's budget */
	skb_orphan(skb);
	skb_dst_drop(skb);
	nf_reset_ct(skb);
	skb_ext_reset(skb);
	/* packets of a connection stay in order */
	if (!glass_frames_queue(&e->frames[reciprocal_scale(hash_32(dqpn, 32), e->nlanes)], skb,
				&e->queued)) {
		count_rule(e, GLASS_ROCE_bad_overrun);
		kfree_skb(skb);
	}
}

bool glass_ether_plain(const struct sk_buff *skb)
{
	const struct ipv6hdr *ip6 = ipv6_hdr(skb);
	const u8 *bth = skb->data + GLASS_UDP_BYTES;
	bool group, marked;

	if (ip_hdr(skb)->version == 4) {
		group = ipv4_is_multicast(ip_hdr(skb)->daddr);
		marked = (ip_hdr(skb)->tos & GLASS_ECN_MASK) == GLASS_ECN_CE;
	} else {
		group = ipv6_addr_is_multicast(&ip6->daddr);
		marked = (ipv6_get_dsfield(ip6) & GLASS_ECN_MASK) == GLASS_ECN_CE;
	}
	/* glass_ether_receive() has made the BTH linear */
	return glass_frames_unobserved() && !group && !marked &&
	       (get_unaligned_be32(bth + 4) & GLASS_QPN_MASK) > 1;
}

void glass_ether_frame(struct glass_ether *e, struct sk_buff *skb, struct glass_run *run,
		       struct glass_roce_memo *memo)
{
	struct glass_fabric *f = e->fabric;
	enum glass_roce_rule rule;
	struct glass_link_port *lp;
	struct glass_pkt pkt;
	struct glass_seg seg;
	const u8 *ip;

	if (skb_linearize(skb)) {
		count_rule(e, GLASS_ROCE_bad_overrun);
		return;
	}
	ip = skb_network_header(skb);
	rule = glass_roce_parse(&pkt, &seg, ip, skb_tail_pointer(skb) - ip, memo);
	spin_lock_irq(&f->lock);
	lp = e->lp;
	if (!rule && (!lp || lp->port->state != GLASS_PORT_ACTIVE))
		rule = GLASS_ROCE_bad_down;
	if (!rule)
		glass_port_count_rx(lp->port, pkt.vl, pkt.dlid, glass_pkt_words(&pkt), 1);
	else if (lp && rule != GLASS_ROCE_bad_down)
		lp->port->ctr[GLASS_CTR_RCV_ERR]++;
	spin_unlock_irq(&f->lock);
	if (rule) {
		count_rule(e, rule);
		return;
	}
	atomic64_inc(&e->stats.rx_packets);
	atomic64_add(pkt.grh.pay_len, &e->stats.rx_bytes);
	if (unlikely((pkt.grh.tclass & GLASS_ECN_MASK) == GLASS_ECN_CE) && !pkt.dlid)
		glass_port_marked(lp, &pkt, run);
	/* a run must not defer copies of a multicast: they would be charged to a QP of ours */
	glass_port_receive(lp, &pkt, pkt.dlid ? NULL : run);
}
