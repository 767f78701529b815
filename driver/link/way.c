// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The ways of packets that the engine carries from QP to QP itself (engine/direct.h): through switches whose ports are
 * ACTIVE, to a port of this host.
 */
#include "link/link.h"
#include "model/link_way.h"
#include "model/links.h"

/* Takes back what glass_switch_hop() has counted at the first n switches behind lp. */
static noinline void take_back_counts(struct glass_link_port *lp, u32 n, u32 words, u32 pkts)
{
	struct glass_net_end at = *lp->far;
	struct glass_port *in, *out;

	lockdep_assert_held(&lp->fabric->lock);
	while (n--) {
		in = &at.node->sw->node.ports[at.port];
		out = &at.node->sw->node.ports[in->route.out];
		in->ctr[GLASS_CTR_RCV_DATA] -= words;
		in->ctr[GLASS_CTR_RCV_PKTS] -= pkts;
		in->ctr[GLASS_CTR_UC_RCV_PKTS] -= pkts;
		out->ctr[GLASS_CTR_XMIT_DATA] -= words;
		out->ctr[GLASS_CTR_XMIT_PKTS] -= pkts;
		out->ctr[GLASS_CTR_UC_XMIT_PKTS] -= pkts;
		at = at.node->ends[in->route.out];
	}
}

/*
 * Carries a packet or train of unicast data from lp through switches whose ports are ACTIVE and let it pass, and
 * counts it there. Returns the port where it arrives, if that is `to`, or if `to` is NULL. Otherwise
 * returns NULL. Then, and if `to` is NULL, nothing is counted in the end.
 */
static struct glass_link_port *link_pass(struct glass_link_port *lp, struct glass_link_port *to,
					 const struct glass_pkt *pkt, u32 words)
{
	struct glass_link_port *end = lp;
	u32 way = glass_switch_way(pkt), len = pkt->len, pkts = 1 + pkt->more, n = 0, in, out;
	struct glass_net_node *node;

	lockdep_assert_held(&lp->fabric->lock);
	if (unlikely(lp->port->state != GLASS_PORT_ACTIVE || lp->ether ||
		     (u16)(pkt->dlid - 1) >= GLASS_LID_MCAST_BASE - 1))
		return NULL;
	if (!glass_port_has_lid(lp->port, pkt->dlid)) {
		node = lp->far->node;
		in = lp->far->port;
		while (node && node->sw) {
			out = n < GLASS_WAY_SWITCHES ? glass_switch_hop(node->sw, in, pkt, way, len, pkts, words) : 0;
			if (unlikely(!out)) {
				node = NULL;
				break;
			}
			n++;
			in = node->ends[out].port;
			node = node->ends[out].node;
		}
		end = node && node->owners ? node->owners[in] : NULL;
	}
	if (end && unlikely(end->port->state != GLASS_PORT_ACTIVE))
		end = NULL;
	if (likely(end && end == to))
		return end;
	if (n)
		take_back_counts(lp, n, words, pkts);
	return to ? NULL : end;
}

struct glass_link_port *glass_link_look(struct glass_link_port *lp, const struct glass_pkt *pkt,
					u32 *reshapes)
{
	struct glass_pkt back = *pkt;
	struct glass_link_port *to;

	back.dlid = pkt->slid;
	back.len = 0;
	spin_lock_irq(&lp->fabric->lock);
	to = link_pass(lp, NULL, pkt, glass_pkt_words(pkt));
	if (to && link_pass(to, NULL, &back, glass_pkt_words(&back)) != lp)
		to = NULL;
	*reshapes = lp->fabric->reshapes;
	spin_unlock_irq(&lp->fabric->lock);
	return to;
}

/* Does the way that link_pass() has found for the same packets lead there still, and are all its ports ACTIVE? */
static __always_inline bool same_way(const struct glass_link_way *way, const struct glass_link_port *lp,
				     const struct glass_link_port *to, const struct glass_pkt *pkt, u32 pkts)
{
	/* the longest packet of a train; a single packet, the usual one, is not divided */
	u32 size = unlikely(pkt->more) ? DIV_ROUND_UP(pkt->len, pkts) : pkt->len;
	u32 key = glass_switch_way(pkt), i;

	lockdep_assert_held(&lp->fabric->lock);
	/* with equal `reshapes`, the DLID of the hops below is still none of lp */
	if (unlikely(way->from != lp || way->to != to || way->reshapes != lp->fabric->reshapes ||
		     lp->port->state != GLASS_PORT_ACTIVE || to->port->state != GLASS_PORT_ACTIVE))
		return false;
	i = way->num_hops;
	do {
		const struct glass_port *in = way->hop[--i].in, *out = way->hop[i].out;

		if (unlikely(in->route.key != ((u64)*way->hop[i].generation << 32 | key) || in->route.out != out->num ||
			     in->state != GLASS_PORT_ACTIVE || out->state != GLASS_PORT_ACTIVE ||
			     size > glass_mtu_bytes(out->mtu_active)))
			return false;
	} while (i);
	return true;
}

/* link_pass(), which remembers the way if it goes through switches */
static noinline bool pass_new_way(struct glass_link_port *lp, struct glass_link_port *to, const struct glass_pkt *pkt,
				  u32 words, struct glass_link_way *way)
{
	struct glass_net_end at = *lp->far;
	u32 n;

	way->from = NULL;
	if (!link_pass(lp, to, pkt, words))
		return false;
	if (glass_port_has_lid(lp->port, pkt->dlid))
		return true;
	for (n = 0; n < GLASS_WAY_SWITCHES && at.node->sw; n++) {
		way->hop[n].in = &at.node->sw->node.ports[at.port];
		way->hop[n].out = &at.node->sw->node.ports[way->hop[n].in->route.out];
		way->hop[n].generation = &at.node->sw->fdb.generation;
		at = at.node->ends[way->hop[n].out->num];
	}
	if (!n || at.node->sw)
		return true;
	way->num_hops = n;
	way->reshapes = lp->fabric->reshapes;
	way->to = to;
	way->from = lp;
	return true;
}

bool glass_link_pass(struct glass_link_port *lp, struct glass_link_port *to, const struct glass_pkt *pkt,
		     struct glass_link_way *way)
{
	u32 words = glass_pkt_words(pkt), pkts = 1 + pkt->more;
	bool passed = true;
	u32 i;

	spin_lock_irq(&lp->fabric->lock);
	if (likely(same_way(way, lp, to, pkt, pkts))) {
		i = way->num_hops;
		do {
			glass_port_count_data_rx(way->hop[--i].in, words, pkts);
			glass_port_count_data_tx(way->hop[i].out, words, pkts);
		} while (i);
	} else {
		passed = pass_new_way(lp, to, pkt, words, way);
	}
	if (likely(passed)) {
		glass_port_count_data_tx(lp->port, words, pkts);
		glass_port_count_data_rx(to->port, words, pkts);
	}
	spin_unlock_irq(&lp->fabric->lock);
	return passed;
}
