// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Links (link.h): sending by loopback or over cables, link states, reports of changes, traps. */

#include "compat/workqueue.h"
#include "link/env.h"
#include "link/ether.h"
#include "link/internal.h"
#include "link/link.h"
#include "link/netcable.h"
#include "mgmt/notice.h"
#include "observe/hops.h"
#include "observe/observe.h"
#include "wire/mad.h"
#include "wire/opcode.h"

static void update_ends(struct glass_fabric *f, struct glass_net_end a,
			enum glass_port_change_by by, struct glass_noticed *nt)
{
	struct glass_net_end b = a.node->ends[a.port];
	u32 chg_a, chg_b;

	glass_net_link_update(a, &chg_a, &chg_b);
	glass_link_end_changed(f, a, chg_a, by, nt);
	glass_link_end_changed(f, b, chg_b, by, nt);
}

void glass_link_update_cable(struct glass_fabric *f, struct glass_net_end a,
			     enum glass_port_change_by by, struct glass_noticed *nt)
{
	struct glass_netcable *c = glass_netcable_of(a.node);

	lockdep_assert_held(&f->lock);
	update_ends(f, a, by, nt);
	if (!c)
		c = glass_netcable_of(a.node->ends[a.port].node);
	if (unlikely(c) && glass_netcable_updated(c))
		update_ends(f, a, by, nt);
}

static struct glass_net_end own_end(const struct glass_link_port *lp)
{
	return glass_net_end(lp->self, lp->num);
}

/*
 * A packet arrives at the HCA port `at`: counts it there, and returns the port. Returns NULL, and
 * counts nothing, if the HCA is not plugged in or the port does not receive packets of this VL.
 */
static struct glass_link_port *link_arrive(struct glass_fabric *f, struct glass_net_end at,
					   const struct glass_pkt *pkt, u32 words,
					   struct glass_noticed *nt)
{
	struct glass_link_port *lp = glass_link_port_at(at);

	lockdep_assert_held(&f->lock);
	if (!lp || !glass_port_receives(lp->port, pkt->vl))
		return NULL;
	glass_port_count_rx(lp->port, pkt->vl, pkt->dlid, words, 1 + pkt->more);
	if (pkt->vl != GLASS_VL_SMP && unlikely(lp->port->state == GLASS_PORT_ARMED))
		glass_link_notice(nt, lp, glass_port_data_seen(lp->port));
	return lp;
}

/*
 * Delivers a copy of a multicast packet to port i of the set glass_way.to. Returns false if the copy
 * was dropped, which is then recorded.
 */
static bool deliver_copy(struct glass_fabric *f, struct glass_link_port *from, u32 i,
			 const struct glass_pkt *pkt, struct glass_run *run,
			 struct glass_congestion **slow)
{
	u32 index = i / GLASS_TOPO_MAX_HCA_PORTS, words = glass_pkt_words(pkt);
	enum glass_drop why = GLASS_DROP_PORT_DOWN;
	struct glass_netcable_hop hop;
	struct glass_link_port *lp = NULL;
	struct glass_netcable *c = NULL;
	struct glass_fabric_node *hca;
	struct glass_net_end at;
	struct glass_noticed nt;
	bool taken = false;

	nt.n = 0;
	at = glass_net_end(NULL, i % GLASS_TOPO_MAX_HCA_PORTS + 1);
	spin_lock_irq(&f->lock);
	if (index >= GLASS_TOPO_MAX_HCAS) {
		c = f->netcables[index - GLASS_TOPO_MAX_HCAS];
		at.node = c ? &c->far.net : NULL;
		taken = glass_netcable_take(at.node, &hop);
	} else {
		hca = f->hcas[index];
		at.node = hca ? &hca->net : NULL;
		if (hca && at.port <= hca->net.num_ports)
			lp = link_arrive(f, at, pkt, words, &nt);
	}
	spin_unlock_irq(&f->lock);
	glass_link_tell_noticed(&nt);
	if (lp) {
		glass_port_receive(lp, pkt, run);
		return true;
	}
	if (taken) {
		if (glass_netcable_send(&hop, from, pkt, NULL, slow))
			return true;
		why = GLASS_DROP_CABLE_FULL;
	}
	glass_link_note_drop(from, GLASS_AT_LINK, at, pkt, why);
	return false;
}

/*
 * Delivers the copies of a multicast packet whose way is f->way, one after the other. Also records
 * the copies that were dropped on the way. Returns false if there are such. Called with the
 * fabric's lock; drops it.
 */
static noinline_for_stack bool deliver_copies(struct glass_fabric *f, struct glass_link_port *from,
					      const struct glass_pkt *pkt, struct glass_run *run,
					      struct glass_congestion **slow)
	__releases(&f->lock)
{
	u32 i, nlost = min(f->way.nlost, GLASS_SWITCH_MAX_PORTS);
	struct glass_way_lost lost[GLASS_WAY_LOST];
	u64 to[GLASS_NET_PORT_WORDS];
	bool all = !nlost;

	memcpy(lost, f->way.lost, sizeof(lost));
	memcpy(to, f->way.to, sizeof(to));
	spin_unlock_irq(&f->lock);
	/* lost[] has only the first drops: record each further drop like its last entry */
	for (i = 0; i < nlost; i++)
		glass_link_note_drop(from, GLASS_AT_SWITCH, lost[min(i, GLASS_WAY_LOST - 1)].at, pkt,
			       lost[min(i, GLASS_WAY_LOST - 1)].why);
	for (i = 0; i < GLASS_NET_END_PORTS; i++) {
		if (!to[i / 64])
			i |= 63; /* on to the next word */
		else if (glass_port_set_has(to, i))
			all &= deliver_copy(f, from, i, pkt, run, slow);
	}
	return all;
}

/*
 * Delivers a packet whose way is f->way, or records its drop. Not for copies of a multicast
 * (deliver_copies()). `from` is the port that sent the packet. It is NULL for a trap of a node, and
 * for a packet that has come over a netdev cable. Returns false if the packet was dropped. Called
 * with the fabric's lock; drops it.
 */
static bool deliver_one(struct glass_fabric *f, struct glass_link_port *from,
			const struct glass_pkt *pkt, struct glass_run *run,
			struct glass_congestion **slow) __releases(&f->lock)
{
	enum glass_drop_place place = GLASS_AT_LINK;
	enum glass_drop why = GLASS_DROP_PORT_DOWN;
	enum glass_way_kind kind = f->way.kind;
	struct glass_net_end at = f->way.at;
	struct glass_link_port *to = NULL;
	struct glass_netcable_hop hop;
	struct glass_noticed nt;
	bool taken = false;

	nt.n = 0;
	lockdep_assert_held(&f->lock);
	if (kind == GLASS_WAY_ARRIVED) {
		taken = glass_netcable_take(at.node, &hop);
		if (!taken)
			to = link_arrive(f, at, pkt, glass_pkt_words(pkt), &nt);
	} else if (!f->way.cut) {
		place = GLASS_AT_SWITCH;
		why = f->way.why;
	}
	spin_unlock_irq(&f->lock);
	glass_link_tell_noticed(&nt);
	if (to) {
		glass_port_receive(to, pkt, run);
		return true;
	}
	if (taken) {
		if (!from)
			hop.gfp = GFP_ATOMIC; /* see glass_link_frame() */
		if (glass_netcable_send(&hop, from, pkt, from ? run : NULL, slow))
			return true;
		why = GLASS_DROP_CABLE_FULL;
	}
	if (kind == GLASS_WAY_CONSUMED)
		return true;
	glass_link_note_drop(from, place, at, pkt, why);
	return false;
}

/*
 * As deliver_one(), for a packet that a node made. Delivers a copy, because the packet lies in
 * f->net, which another context may overwrite as soon as the lock is dropped.
 */
static noinline_for_stack bool deliver_own(struct glass_fabric *f, struct glass_link_port *from,
					   struct glass_run *run, struct glass_congestion **slow)
	__releases(&f->lock)
{
	u8 mad[GLASS_MAD_BYTES];
	struct glass_seg seg = { .addr = mad, .len = sizeof(mad) };
	struct glass_pkt pkt = *f->way.pkt;

	memcpy(mad, pkt.seg[0].addr, sizeof(mad));
	pkt.seg = &seg;
	return deliver_one(f, from, &pkt, run, slow);
}

/*
 * Returns a node whose trap is due. Returns NULL if no trap is due: *wait is then lowered to the
 * time (jiffies) until the next trap is due, or stays as it is if no trap is pending. Removes from
 * f->trapping the nodes that have no trap to send.
 */
static struct glass_fabric_node *node_with_trap(struct glass_fabric *f, unsigned long *wait)
{
	struct glass_fabric_node *n, *next;
	unsigned long now = jiffies;

	lockdep_assert_held(&f->lock);
	list_for_each_entry_safe(n, next, &f->trapping, trapping) {
		if (!n->net.node || !glass_trap_sendable(n->net.node)) {
			list_del_init(&n->trapping);
			continue;
		}
		if (time_after_eq(now, n->next_trap))
			return n;
		*wait = min(*wait, n->next_trap - now);
	}
	return NULL;
}

/*
 * Returns the time (jiffies) after which a node sends its next trap (IBA 13.4.9): the subnet
 * timeout of port 0 of a switch, or of port 1 of an HCA or passive CA.
 */
static unsigned long trap_interval(const struct glass_node *n)
{
	u8 timeout = n->ports[n->type == GLASS_NODE_SWITCH ? 0 : 1].subnet_timeout;

	return max(nsecs_to_jiffies(4096ULL << timeout), 1UL);
}

/*
 * Sends a pending trap of each node, but at most one in each trap_interval() of the node. Queues
 * itself again while a trap is pending. So traps are repeated until the subnet manager represses
 * them.
 */
void glass_link_traps_work(struct work_struct *work)
{
	struct glass_fabric *f = container_of(to_delayed_work(work), struct glass_fabric, traps);
	int walk = srcu_read_lock(&f->walks);
	unsigned long wait = MAX_JIFFY_OFFSET;
	struct glass_congestion *slow; /* a trap waits for no cable */
	struct glass_fabric_node *n;

	spin_lock_irq(&f->lock);
	while ((n = node_with_trap(f, &wait))) {
		n->next_trap = jiffies + trap_interval(n->net.node);
		/* to the end of the list, so that other nodes get their turn first */
		list_move_tail(&n->trapping, &f->trapping);
		f->net.taps = glass_link_taps();
		f->sent = NULL;
		if (glass_net_trap(&f->net, &n->net, &f->way))
			deliver_own(f, NULL, NULL, &slow);
		else
			spin_unlock_irq(&f->lock);
		cond_resched();
		wait = MAX_JIFFY_OFFSET;
		spin_lock_irq(&f->lock);
	}
	if (wait < MAX_JIFFY_OFFSET)
		queue_delayed_work(system_dfl_wq, &f->traps, wait);
	spin_unlock_irq(&f->lock);
	srcu_read_unlock(&f->walks, walk);
}

/*
 * The slow path of glass_link_send(), for packets that the fast path cannot bring to an ACTIVE port
 * of an HCA. The packet arrives at `at`, and has passed `hops` switches. lp is the port that sent
 * it, or NULL if it has come over a netdev cable. Returns false if it was dropped. Called with the
 * fabric's lock; drops it.
 */
static bool send_slow(struct glass_fabric *f, struct glass_link_port *lp, struct glass_net_end at,
		      u32 hops, const struct glass_pkt *pkt, struct glass_run *run)
	__releases(&f->lock)
{
	int walk = srcu_read_lock(&f->walks);
	struct glass_congestion *slow = NULL;
	struct glass_net_end changed;
	struct glass_noticed nt;
	struct glass_net_node *trap;
	bool arrived;

	nt.n = 0;
	lockdep_assert_held(&f->lock);
	if (pkt->vl == GLASS_VL_SMP)
		f->net.now = ktime_get_ns();
	f->net.taps = glass_link_taps();
	f->sent = pkt;
	glass_net_walk(&f->net, at, hops, pkt, &f->way);
	trap = f->way.trap;
	changed = f->way.changed;
	if (f->way.kind == GLASS_WAY_COPIES)
		arrived = deliver_copies(f, lp, pkt, run, &slow);
	else if (f->way.own)
		arrived = deliver_own(f, lp, run, &slow);
	else
		arrived = deliver_one(f, lp, pkt, run, &slow);
	/* not before the delivery: the answer must still pass a link that its request takes down */
	if (unlikely(changed.node || trap)) {
		spin_lock_irq(&f->lock);
		if (changed.node)
			glass_link_update_cable(f, changed, GLASS_PORT_BY_SM, &nt);
		glass_fabric_want_trap(f, trap);
		spin_unlock_irq(&f->lock);
		glass_link_tell_noticed(&nt);
	}
	srcu_read_unlock(&f->walks, walk);
	/* no switch sends a multicast back to its source: deliver it to members at lp itself */
	if (lp && glass_lid_is_mcast(pkt->dlid))
		glass_port_loopback(lp, pkt, run);
	/* after all copies: a run that is slow would defer them */
	if (slow && lp && run)
		glass_run_slow(run, slow);
	return arrived;
}

/*
 * Called if the port cannot send. Is pkt the answer to the Set that took the port down? While
 * lp->parting is set, such an answer has not left yet.
 */
static bool is_parting(const struct glass_link_port *lp, const struct glass_pkt *pkt)
{
	const u8 *mad;

	lockdep_assert_held(&lp->fabric->lock);
	if (!lp->parting || pkt->vl != GLASS_VL_SMP || !pkt->nseg ||
	    pkt->seg[0].len < GLASS_MAD_HDR_BYTES)
		return false;
	mad = pkt->seg[0].addr;
	return (mad[GLASS_MAD_METHOD] & GLASS_MM_RESPONSE) && glass_mad_tid(mad) == lp->parting_tid;
}

/*
 * Called when an answer has left by lp, or will not come any more. If the update of the cable was
 * postponed for this answer, updates the cable.
 */
static void link_finish_parting(struct glass_link_port *lp)
{
	struct glass_fabric *f = lp->fabric;
	unsigned long flags;
	bool parting;

	spin_lock_irqsave(&f->lock, flags);
	parting = lp->parting;
	lp->parting = false;
	spin_unlock_irqrestore(&f->lock, flags);
	if (parting)
		glass_link_changed(lp, GLASS_CHG_LINK, GLASS_PORT_BY_SM);
}

/* Runs PARTING_JIFFIES after glass_link_changed_after(): the answer has left, or will not come. */
static void parted_work(struct work_struct *work)
{
	link_finish_parting(container_of(to_delayed_work(work), struct glass_link_port, parted));
}

/*
 * Sends the answer to the Set that took lp down, and then updates the cable. Called with the
 * fabric's lock; drops it.
 */
static noinline_for_stack void send_parting(struct glass_link_port *lp,
					    const struct glass_pkt *pkt, struct glass_run *run)
	__releases(&lp->fabric->lock)
{
	lockdep_assert_held(&lp->fabric->lock);
	if (glass_port_has_lid(lp->port, pkt->dlid)) {
		spin_unlock_irq(&lp->fabric->lock);
		glass_port_receive(lp, pkt, run);
	} else {
		send_slow(lp->fabric, lp, *lp->far, 0, pkt, run);
	}
	link_finish_parting(lp);
}

/*
 * The rest of glass_link_send() for packets that are not unicast data from an ACTIVE port. While
 * anything wants hops, it is the rest for all packets. Called with the fabric's lock; drops it.
 */
static noinline void send_other(struct glass_link_port *lp, const struct glass_pkt *pkt,
				struct glass_run *run) __releases(&lp->fabric->lock)
{
	u32 words = glass_pkt_words(pkt);

	lockdep_assert_held(&lp->fabric->lock);
	if (lp->ether) {
		spin_unlock_irq(&lp->fabric->lock);
		glass_ether_send(lp, pkt, run);
		return;
	}
	if (!glass_port_sends(lp->port, pkt->vl)) {
		if (is_parting(lp, pkt)) {
			send_parting(lp, pkt, run);
			return;
		}
		lp->port->ctr[GLASS_CTR_XMIT_DISCARDS] += 1 + pkt->more;
		spin_unlock_irq(&lp->fabric->lock);
		glass_link_note_drop(lp, GLASS_AT_TX, glass_net_end(NULL, 0), pkt, GLASS_DROP_PORT_DOWN);
		return;
	}
	glass_port_count_tx(lp->port, pkt->vl, pkt->dlid, words, 1 + pkt->more);
	if (glass_port_has_lid(lp->port, pkt->dlid)) {
		/* loopback inside the HCA: the packet does not use the cable */
		glass_port_count_rx(lp->port, pkt->vl, pkt->dlid, words, 1 + pkt->more);
		spin_unlock_irq(&lp->fabric->lock);
		glass_port_receive(lp, pkt, run);
		return;
	}
	send_slow(lp->fabric, lp, *lp->far, 0, pkt, run);
}

void glass_link_send(struct glass_link_port *lp, const struct glass_pkt *pkt, struct glass_run *run)
{
	u32 words = glass_pkt_words(pkt), pkts = 1 + pkt->more;
	struct glass_congestion *slow = NULL;
	struct glass_fabric *f = lp->fabric;
	struct glass_netcable_hop hop;
	struct glass_link_port *to;
	struct glass_net_end at;
	u32 hops;

	spin_lock_irq(&f->lock);
	/* a multicast LID, or LID 0, which packets of an Ethernet port have */
	if (unlikely(lp->port->state != GLASS_PORT_ACTIVE || pkt->vl == GLASS_VL_SMP ||
		     (u16)(pkt->dlid - 1) >= GLASS_LID_MCAST_BASE - 1) || glass_hops_wanted()) {
		send_other(lp, pkt, run);
		return;
	}
	glass_port_count_data_tx(lp->port, words, pkts);
	if (glass_port_has_lid(lp->port, pkt->dlid)) {
		to = lp; /* loopback inside the HCA: the packet does not use the cable */
	} else {
		at.node = lp->far->node;
		at.port = lp->far->port;
		to = glass_net_fast(&at, pkt, words, &hops) ? at.node->owners[at.port] : NULL;
		/* the fast path has ended early, the HCA is unplugged, or its port is not ACTIVE */
		if (unlikely(!to || to->port->state != GLASS_PORT_ACTIVE)) {
			if (glass_netcable_take(at.node, &hop)) {
				spin_unlock_irq(&f->lock);
				if (!glass_netcable_send(&hop, lp, pkt, run, &slow))
					glass_link_note_drop(lp, GLASS_AT_LINK, at, pkt,
						       GLASS_DROP_CABLE_FULL);
				if (slow && run)
					glass_run_slow(run, slow);
				return;
			}
			send_slow(f, lp, at, hops, pkt, run);
			return;
		}
	}
	glass_port_count_data_rx(to->port, words, pkts);
	spin_unlock_irq(&f->lock);
	glass_port_receive(to, pkt, run);
}

bool glass_link_from_cable(struct glass_netcable *c, const struct glass_pkt *pkt,
			   struct glass_run *run)
{
	struct glass_fabric *f = c->fabric;
	struct glass_congestion *slow; /* no QP of ours sends the packet */
	struct glass_link_port *to = NULL;
	struct glass_netcable_hop hop;
	struct glass_net_end at;
	u32 hops = 0;

	/* a run must not defer copies of a multicast: they would be charged to a QP of ours */
	if (pkt->dlid >= GLASS_LID_MCAST_BASE)
		run = NULL;
	spin_lock_irq(&f->lock);
	at = c->far_ends[1];
	if (likely(pkt->vl != GLASS_VL_SMP && pkt->dlid < GLASS_LID_MCAST_BASE &&
		   !glass_hops_wanted())) {
		u32 words = glass_pkt_words(pkt);

		if (glass_net_fast(&at, pkt, words, &hops))
			to = at.node->owners[at.port];
		if (likely(to && to->port->state == GLASS_PORT_ACTIVE)) {
			glass_port_count_data_rx(to->port, words, 1);
			spin_unlock_irq(&f->lock);
			glass_port_receive(to, pkt, run);
			return true;
		}
		if (glass_netcable_take(at.node, &hop)) {
			spin_unlock_irq(&f->lock);
			hop.gfp = GFP_ATOMIC; /* see glass_link_frame() */
			return glass_netcable_send(&hop, NULL, pkt, NULL, &slow);
		}
	}
	return send_slow(f, NULL, at, hops, pkt, run);
}

bool glass_link_arrived(struct glass_link_port *lp, const struct glass_pkt *pkt,
			struct glass_run *run)
{
	struct glass_fabric *f = lp->fabric;
	struct glass_noticed nt;
	bool in;

	nt.n = 0;
	spin_lock_irq(&f->lock);
	in = link_arrive(f, own_end(lp), pkt, glass_pkt_words(pkt), &nt);
	spin_unlock_irq(&f->lock);
	glass_link_tell_noticed(&nt);
	if (in)
		glass_port_receive(lp, pkt, run);
	else
		glass_link_note_drop(lp, GLASS_AT_LINK, glass_net_end(NULL, 0), pkt,
			       GLASS_DROP_PORT_DOWN);
	return in;
}

void glass_link_changed(struct glass_link_port *lp, u32 changes, enum glass_port_change_by by)
{
	struct glass_fabric *f = lp->fabric;
	struct glass_noticed nt;
	unsigned long flags;
	int walk;

	nt.n = 0;
	/* keeps the far end valid: it may be a port of another HCA */
	walk = srcu_read_lock(&f->walks);
	spin_lock_irqsave(&f->lock, flags);
	glass_link_notice(&nt, lp, 0);
	if ((changes & GLASS_CHG_LINK) && lp->ether)
		queue_work(system_dfl_wq, &lp->ether->work);
	else if ((changes & GLASS_CHG_LINK) && glass_link_port_at(own_end(lp)) == lp)
		glass_link_update_cable(f, own_end(lp), by, &nt);
	glass_fabric_want_trap(f, lp->self);
	spin_unlock_irqrestore(&f->lock, flags);
	glass_link_tell_noticed(&nt);
	srcu_read_unlock(&f->walks, walk);
}

/* ib_mad sends the answer to a Set at once. The driver waits for it no longer than this. */
#define PARTING_JIFFIES (HZ / 10)

void glass_link_changed_after(struct glass_link_port *lp, u32 changes, u64 answer_tid)
{
	unsigned long flags;

	glass_link_changed(lp, changes & ~GLASS_CHG_LINK, GLASS_PORT_BY_SM);
	spin_lock_irqsave(&lp->fabric->lock, flags);
	lp->parting = true;
	lp->parting_tid = answer_tid;
	spin_unlock_irqrestore(&lp->fabric->lock, flags);
	/* the work may still be pending for an earlier answer */
	mod_delayed_work(system_dfl_wq, &lp->parted, PARTING_JIFFIES);
}

void glass_link_attach(struct glass_link_port *lp)
{
	struct glass_fabric *f = lp->fabric;
	struct glass_noticed nt;

	nt.n = 0;
	INIT_DELAYED_WORK(&lp->parted, parted_work);
	spin_lock_irq(&f->lock);
	lp->self->node = lp->node;
	lp->self->owners[lp->num] = lp;
	glass_link_update_cable(f, own_end(lp), GLASS_PORT_BY_UP, &nt);
	spin_unlock_irq(&f->lock);
	glass_link_tell_noticed(&nt);
	if (lp->ether)
		glass_ether_attach(lp->ether, lp);
}

void glass_link_detach(struct glass_link_port *lp)
{
	struct glass_fabric *f = lp->fabric;
	struct glass_net_end far;
	struct glass_noticed nt;

	nt.n = 0;
	if (lp->ether)
		glass_ether_detach(lp->ether);
	cancel_delayed_work_sync(&lp->parted);
	spin_lock_irq(&f->lock);
	glass_fabric_reshaped(f);
	lp->self->owners[lp->num] = NULL;
	glass_port_link(lp->port, false);
	lp->self->node = NULL;
	far = *lp->far;
	if (glass_net_port(far))
		glass_link_update_cable(f, far, GLASS_PORT_BY_UNPLUG, &nt);
	spin_unlock_irq(&f->lock);
	/* the work may deliver to this port: wait for it, then queue it again for other nodes */
	cancel_delayed_work_sync(&f->traps);
	mod_delayed_work(system_dfl_wq, &f->traps, 0);
	glass_link_tell_noticed(&nt);
}
