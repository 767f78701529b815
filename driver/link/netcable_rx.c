// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Receives frames of netdev cables (netcable.h): first in soft interrupt context, then in a lane. */
#include <linux/hash.h>

#include "compat/workqueue.h"
#include "link/env.h"
#include "link/link.h"
#include "link/netcable.h"
#include "model/may_sleep.h"
#include "observe/hops.h"
#include "observe/lint.h"
#include "observe/observe.h"
#include "wire/opcode.h"
#include "wire/serial.h"

void glass_netcable_count(struct glass_netcable *c, enum glass_cable_rule rule)
{
	atomic64_inc(&c->stats.rule[rule]);
}

static void drop_frame(struct glass_netcable *c, struct sk_buff *skb, enum glass_cable_rule rule)
{
	glass_netcable_count(c, rule);
	kfree_skb(skb);
}

static void queue_hello(struct glass_netcable *c, struct sk_buff *skb)
{
	if (skb_queue_len_lockless(&c->hellos) >= GLASS_HELLOS_MAX) {
		drop_frame(c, skb, GLASS_RULE_bad_overrun);
		return;
	}
	/* the memory belongs to the sender, which must not wait for our work */
	skb_orphan(skb);
	skb->dev = NULL;
	skb_queue_tail(&c->hellos, skb);
	mod_delayed_work(system_dfl_wq, &c->work, 0);
}

/* Tests what needs no look at the packets. */
static enum glass_cable_rule check_sender(struct glass_netcable *c, const struct glass_frame *f,
					  const u8 *mac)
{
	u64 peer = READ_ONCE(c->peer), from = ether_addr_to_u64(mac);
	bool session = f->session == READ_ONCE(c->session);

	if (session && from == peer >> 16) {
		atomic64_inc(&c->session_rx);
		if (!READ_ONCE(c->heard))
			WRITE_ONCE(c->heard, true);
	}
	if (!(peer & 1))
		return GLASS_RULE_bad_untrained;
	if (from != peer >> 16)
		return GLASS_RULE_bad_stranger;
	return session ? GLASS_RULE_NONE : GLASS_RULE_bad_session;
}

/*
 * Chooses the lane by the destination LID and queue pair of the first packet. So packets of a
 * connection stay in order.
 */
static struct glass_frames *choose_lane(struct glass_netcable *c, const struct sk_buff *skb)
{
	const u8 *lrh = skb->data + GLASS_FRAME_HDR_BYTES;
	u32 bth = GLASS_LRH_BYTES, key = get_unaligned_be16(lrh + 2);

	if ((lrh[1] & 3) == GLASS_LNH_GLOBAL)
		bth += GLASS_GRH_BYTES;
	if (GLASS_FRAME_HDR_BYTES + bth + 8 <= skb_headlen(skb))
		key ^= get_unaligned_be32(lrh + bth + 4) << 8;
	return &c->frames[reciprocal_scale(hash_32(key, 32), c->nlanes)];
}

void glass_netcable_receive(struct glass_netdev *nd, struct sk_buff *skb)
{
	struct glass_netcable *c = container_of(nd, struct glass_netcable, nd);
	enum glass_cable_rule rule;
	struct glass_frame f;

	if (!pskb_may_pull(skb, min_t(u32, skb->len, GLASS_FRAME_HDR_BYTES + GLASS_LRH_BYTES +
						     GLASS_GRH_BYTES + GLASS_BTH_BYTES))) {
		drop_frame(c, skb, GLASS_RULE_bad_short);
		return;
	}
	rule = glass_frame_get(&f, skb->data, skb_headlen(skb));
	if ((!rule || rule == GLASS_RULE_bad_version) && f.kind == GLASS_FRAME_HELLO) {
		if (skb_linearize(skb))
			drop_frame(c, skb, GLASS_RULE_bad_hello);
		else
			queue_hello(c, skb);
		return;
	}
	/* our hellos have not agreed to it */
	if (!rule && (f.flags & GLASS_FRAME_NO_VCRC) && c->vcrc)
		rule = GLASS_RULE_bad_header;
	if (!rule && skb->len < GLASS_FRAME_HDR_BYTES + GLASS_LRH_BYTES)
		rule = GLASS_RULE_bad_length;
	if (!rule)
		rule = check_sender(c, &f, eth_hdr(skb)->h_source);
	if (rule) {
		drop_frame(c, skb, rule);
		return;
	}
	if (!glass_frames_queue(choose_lane(c, skb), skb, &c->queued))
		drop_frame(c, skb, GLASS_RULE_bad_overrun);
}

/* Counts a packet that breaks a rule, also as an error of the port. */
static void bad_packet(struct glass_netcable *c, enum glass_cable_rule rule)
{
	struct glass_fabric *f = c->fabric;
	struct glass_port *p;

	glass_netcable_count(c, rule);
	spin_lock_irq(&f->lock);
	p = glass_net_port(c->far_ends[1]);
	if (p)
		p->ctr[GLASS_CTR_RCV_ERR]++;
	spin_unlock_irq(&f->lock);
}

/* Passes the packets of a frame into the fabric. */
void glass_netcable_frame(struct glass_netcable *c, struct sk_buff *skb, struct glass_run *run)
{
	u32 at = GLASS_FRAME_HDR_BYTES, mtu = READ_ONCE(c->link_mtu), i, start, len, dqpn = 0, good = 0;
	enum glass_cable_rule rule;
	struct glass_frame f;
	struct glass_pkt pkt;
	struct glass_seg seg;
	u16 dlid = 0;

	if (skb_linearize(skb) || glass_frame_get(&f, skb->data, skb->len)) {
		glass_netcable_count(c, GLASS_RULE_bad_short);
		return;
	}
	/* the session may have ended while the frame waited */
	if (f.session != READ_ONCE(c->session) || !(READ_ONCE(c->peer) & 1)) {
		glass_netcable_count(c, GLASS_RULE_bad_session);
		return;
	}
	atomic64_inc(&c->stats.rx_frames);
	atomic64_add(skb->len, &c->stats.rx_bytes);
	for (i = 0; i < f.count; i++) {
		start = at;
		len = glass_frame_next(&f, skb->data, skb->len, &at);
		/* the next packet begins nowhere if this one has no end */
		if (!len) {
			bad_packet(c, GLASS_RULE_bad_length);
			return;
		}
		rule = glass_frame_packet(&f, skb->data + start, len, mtu, &pkt, &seg);
		if (!rule && good++ && (pkt.dlid != dlid || pkt.dqpn != dqpn))
			rule = GLASS_RULE_bad_mixed;
		if (rule) {
			bad_packet(c, rule);
			continue;
		}
		dlid = pkt.dlid;
		dqpn = pkt.dqpn;
		atomic64_inc(&c->stats.rx_packets);
		if (!glass_link_from_cable(c, &pkt, run))
			atomic64_inc(&c->stats.rx_undelivered);
	}
}

bool glass_frames_unobserved(void)
{
	return !glass_may_sleep() && !glass_capturing() && !glass_linting() && !glass_hops_wanted();
}

/*
 * Can the packets of this frame be delivered without sleeping? Observers, injection and strict mode
 * may sleep, and MADs and multicasts take the long way. A frame whose later packets differ from its
 * first one in this breaks a rule, or its packets go to no HCA.
 */
bool glass_netcable_plain(const struct sk_buff *skb)
{
	const u8 *lrh = skb->data + GLASS_FRAME_HDR_BYTES;
	u32 bth = GLASS_LRH_BYTES;

	if (!glass_frames_unobserved())
		return false;
	if ((lrh[1] & 3) == GLASS_LNH_GLOBAL)
		bth += GLASS_GRH_BYTES;
	return GLASS_FRAME_HDR_BYTES + bth + 8 <= skb_headlen(skb) && !(lrh[0] >> 4) &&
	       get_unaligned_be16(lrh + 2) < GLASS_LID_MCAST_BASE &&
	       (get_unaligned_be32(lrh + bth + 4) & GLASS_QPN_MASK) > 1;
}
