// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Links (link.h): sending by loopback or the switch, link states, reports of changes, traps. */
#include <linux/mm.h>
#include <linux/slab.h>

#include "compat/workqueue.h"
#include "link/env.h"
#include "link/link.h"
#include "observe/observe.h"
#include "wire/mad.h"
#include "wire/opcode.h"

/* Ports whose queued changes the caller reports after it has dropped the fabric's lock. */
struct noticed {
	u32 n; /* valid entries of lp[] */
	struct glass_link_port *lp[4];
};

void glass_link_note(struct glass_link_port *lp, u32 changes)
{
	struct glass_port_change *c;

	lockdep_assert_held(&lp->fabric->lock);
	if (!(changes & ~GLASS_CHG_LINK & 0xffffff))
		return;
	if (lp->nuntold < GLASS_LINK_UNTOLD) {
		c = &lp->untold[lp->nuntold++];
		c->changes = 0;
	} else {
		/* too many: merge the change into the last entry, and give that the new state */
		c = &lp->untold[GLASS_LINK_UNTOLD - 1];
		if (changes & (GLASS_CHG_ACTIVE | GLASS_CHG_DOWN))
			c->changes &= ~(GLASS_CHG_ACTIVE | GLASS_CHG_DOWN);
	}
	c->changes |= changes;
	c->state = lp->port->state;
	c->lid = lp->port->lid;
	c->sm_lid = lp->port->sm_lid;
}

/*
 * Queues changes of a port. If the port has queued changes now, adds it to nt, so that the caller
 * reports them. lp NULL: does nothing.
 */
static void link_notice(struct noticed *nt, struct glass_link_port *lp, u32 changes)
{
	if (!lp)
		return;
	glass_link_note(lp, changes);
	if (lp->nuntold && !WARN_ON_ONCE(nt->n == ARRAY_SIZE(nt->lp)))
		nt->lp[nt->n++] = lp;
}

/*
 * Reports the queued changes of a port in order. Only one context at a time does so (`telling`); if
 * another one does, this function leaves the queued changes to it.
 */
static void tell_port(struct glass_link_port *lp)
{
	struct glass_fabric *f = lp->fabric;
	struct glass_port_change c;
	unsigned long flags;

	spin_lock_irqsave(&f->lock, flags);
	if (lp->telling)
		goto out;
	lp->telling = true;
	while (lp->nuntold) {
		c = lp->untold[0];
		memmove(lp->untold, lp->untold + 1, --lp->nuntold * sizeof(c));
		spin_unlock_irqrestore(&f->lock, flags);
		glass_port_changed(lp, &c);
		spin_lock_irqsave(&f->lock, flags);
	}
	lp->telling = false;
out:
	spin_unlock_irqrestore(&f->lock, flags);
}

static void link_tell_noticed(const struct noticed *nt)
{
	u32 i;

	for (i = 0; i < nt->n; i++)
		tell_port(nt->lp[i]);
}

/*
 * If a trap of the switch is pending, queues traps_work() to send it: at once, or, if that is
 * later, one subnet timeout after the last trap. The work repeats the trap after each subnet
 * timeout until the subnet manager represses the trap (IBA 13.4.9). If the switch has no LID or no
 * SM LID, the work ends without a trap, and the next call of this function queues it again. Calls
 * come after each update of a cable, each packet that changed the switch, and each
 * glass_link_detach().
 */
static void send_traps(struct glass_fabric *f)
{
	lockdep_assert_held(&f->lock);
	if (f->sw.node.trap_pending)
		queue_delayed_work(system_dfl_wq, &f->traps,
				   time_before(jiffies, f->next_trap) ? f->next_trap - jiffies : 0);
}

/*
 * Brings both ends of the cable at `a` to a common link state, and queues the reports for HCA
 * ports. If that makes the switch request a trap, queues the work that sends it.
 */
static void update_cable(struct glass_fabric *f, struct glass_net_end a, struct noticed *nt)
{
	struct glass_net_end b = a.node->ends[a.port];
	u32 chg_a, chg_b;

	lockdep_assert_held(&f->lock);
	glass_net_link_update(a, &chg_a, &chg_b);
	link_notice(nt, glass_link_port_at(a), chg_a);
	link_notice(nt, glass_link_port_at(b), chg_b);
	send_traps(f);
}

static struct glass_net_end own_end(const struct glass_link_port *lp)
{
	return (struct glass_net_end){ lp->self, lp->num };
}

/* Records the drop of a packet that lp sent. lp NULL: does nothing (the switch sent a trap). */
static void link_note_drop(struct glass_link_port *lp, enum glass_drop_place place,
			   const struct glass_pkt *pkt, enum glass_drop why)
{
	if (lp)
		glass_drop_note(lp->drops, lp->name, lp->num, place, pkt, why);
}

/*
 * A packet arrives at an end of a cable: counts it there, and returns the HCA's port. NULL: the HCA
 * is not plugged in, or the port does not receive packets of this VL.
 */
static struct glass_link_port *link_arrive(struct glass_fabric *f, struct glass_net_end at,
					   const struct glass_pkt *pkt, u32 words,
					   struct noticed *nt)
{
	struct glass_link_port *lp = glass_link_port_at(at);

	lockdep_assert_held(&f->lock);
	if (!lp || !glass_port_receives(lp->port, pkt->vl))
		return NULL;
	glass_port_count_rx(lp->port, pkt->vl, pkt->dlid, words, 1 + pkt->more);
	if (pkt->vl != GLASS_VL_SMP && unlikely(lp->port->state == GLASS_PORT_ARMED))
		link_notice(nt, lp, glass_port_data_seen(lp->port));
	return lp;
}

/*
 * Delivers the copies of a multicast packet whose way is f->way, one after the other, and records
 * those that switches dropped. Called with the fabric's lock; drops it.
 */
static noinline_for_stack void deliver_copies(struct glass_link_port *from,
					      const struct glass_pkt *pkt, struct glass_run *run)
	__releases(&from->fabric->lock)
{
	struct glass_fabric *f = from->fabric;
	u32 i, nlost = min(f->way.nlost, GLASS_SWITCH_MAX_PORTS), words = glass_pkt_words(pkt);
	struct glass_way_lost lost[GLASS_WAY_LOST];
	u64 to[GLASS_NET_PORT_WORDS];
	struct glass_link_port *lp;
	struct glass_net_end at;
	struct noticed nt;

	memcpy(lost, f->way.lost, sizeof(lost));
	memcpy(to, f->way.to, sizeof(to));
	spin_unlock_irq(&f->lock);
	/* all beyond the last entry count as that one does */
	for (i = 0; i < nlost; i++)
		link_note_drop(from, GLASS_AT_SWITCH, pkt, lost[min(i, GLASS_WAY_LOST - 1)].why);
	for (i = 0; i < GLASS_NET_HCA_PORTS; i++) {
		if (!glass_port_set_has(to, i))
			continue;
		nt.n = 0;
		spin_lock_irq(&f->lock);
		at.node = &f->hca_nodes[i / GLASS_TOPO_MAX_HCA_PORTS];
		at.port = i % GLASS_TOPO_MAX_HCA_PORTS + 1;
		lp = link_arrive(f, at, pkt, words, &nt);
		spin_unlock_irq(&f->lock);
		link_tell_noticed(&nt);
		if (lp)
			glass_port_receive(lp, pkt, run);
		else
			link_note_drop(from, GLASS_AT_LINK, pkt, GLASS_DROP_PORT_DOWN);
	}
}

/*
 * Delivers a packet whose way is f->way, unless it is a multicast, or records its drop. from: the
 * port that sent it; NULL: a trap of the switch. Called with the fabric's lock; drops it.
 */
static void deliver_one(struct glass_fabric *f, struct glass_link_port *from,
			const struct glass_pkt *pkt, struct glass_run *run) __releases(&f->lock)
{
	enum glass_drop_place place = GLASS_AT_LINK;
	enum glass_drop why = GLASS_DROP_PORT_DOWN;
	enum glass_way_kind kind = f->way.kind;
	struct glass_link_port *to = NULL;
	struct noticed nt;

	nt.n = 0;
	lockdep_assert_held(&f->lock);
	if (kind == GLASS_WAY_ARRIVED) {
		to = link_arrive(f, f->way.at, pkt, glass_pkt_words(pkt), &nt);
	} else if (!f->way.cut) {
		place = GLASS_AT_SWITCH;
		why = f->way.why;
	}
	spin_unlock_irq(&f->lock);
	link_tell_noticed(&nt);
	if (to)
		glass_port_receive(to, pkt, run);
	else if (kind != GLASS_WAY_CONSUMED)
		link_note_drop(from, place, pkt, why);
}

/* As deliver_one(), for a packet that a switch made: a copy of it, because it lies in f->net. */
static noinline_for_stack void deliver_own(struct glass_fabric *f, struct glass_link_port *from,
					   struct glass_run *run) __releases(&f->lock)
{
	u8 mad[GLASS_MAD_BYTES];
	struct glass_seg seg = { .addr = mad, .len = sizeof(mad) };
	struct glass_pkt pkt = *f->way.pkt;

	memcpy(mad, pkt.seg[0].addr, sizeof(mad));
	pkt.seg = &seg;
	deliver_one(f, from, &pkt, run);
}

/* Sends the switch's pending trap, and queues itself to repeat the trap after a subnet timeout. */
static void traps_work(struct work_struct *work)
{
	struct glass_fabric *f = container_of(to_delayed_work(work), struct glass_fabric, traps);
	unsigned long wait;

	spin_lock_irq(&f->lock);
	if (!glass_net_trap(&f->net, &f->sw_node, &f->way)) {
		spin_unlock_irq(&f->lock);
		return;
	}
	wait = max(nsecs_to_jiffies(4096ULL << f->sw_ports[0].subnet_timeout), 1UL);
	f->next_trap = jiffies + wait;
	queue_delayed_work(system_dfl_wq, &f->traps, wait);
	deliver_own(f, NULL, NULL);
}

/*
 * The slow path of glass_link_send(), from `at` on, where the packet arrives: for all packets but
 * unicast data between ACTIVE ports. Called with the fabric's lock; drops it.
 */
static void send_slow(struct glass_link_port *lp, struct glass_net_end at,
		      const struct glass_pkt *pkt, struct glass_run *run)
	__releases(&lp->fabric->lock)
{
	struct glass_fabric *f = lp->fabric;
	struct glass_net_end changed;
	struct noticed nt;
	bool touched;

	nt.n = 0;
	lockdep_assert_held(&f->lock);
	if (pkt->vl == GLASS_VL_SMP)
		f->net.now = ktime_get_ns();
	glass_net_walk(&f->net, at, pkt, &f->way);
	touched = f->way.touched;
	changed = f->way.changed;
	if (f->way.kind == GLASS_WAY_COPIES)
		deliver_copies(lp, pkt, run);
	else if (f->way.own)
		deliver_own(f, lp, run);
	else
		deliver_one(f, lp, pkt, run);
	/* after the delivery: an answer must leave before a link that its request took down */
	if (unlikely(touched)) {
		spin_lock_irq(&f->lock);
		if (changed.node)
			update_cable(f, changed, &nt);
		send_traps(f);
		spin_unlock_irq(&f->lock);
		link_tell_noticed(&nt);
	}
	/* no switch sends a multicast back to its source: deliver to the HCA's own members */
	if (glass_lid_is_mcast(pkt->dlid))
		glass_port_loopback(lp, pkt, run);
}

/*
 * Called if the port is down. Is pkt the answer to the Set that took the port down? lp->parting:
 * such an answer has not left yet.
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
		glass_link_changed(lp, GLASS_CHG_LINK);
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
		send_slow(lp, *lp->far, pkt, run);
	}
	link_finish_parting(lp);
}

void glass_link_send(struct glass_link_port *lp, const struct glass_pkt *pkt, struct glass_run *run)
{
	u32 words = glass_pkt_words(pkt);
	struct glass_fabric *f = lp->fabric;
	struct glass_link_port *to = NULL;
	struct noticed nt;
	enum glass_drop_place place = GLASS_AT_LINK;
	struct glass_net_end at;

	nt.n = 0;
	spin_lock_irq(&f->lock);
	if (unlikely(!glass_port_sends(lp->port, pkt->vl))) {
		if (is_parting(lp, pkt)) {
			send_parting(lp, pkt, run);
			return;
		}
		lp->port->ctr[GLASS_CTR_XMIT_DISCARDS] += 1 + pkt->more;
		place = GLASS_AT_TX;
		goto out;
	}
	glass_port_count_tx(lp->port, pkt->vl, pkt->dlid, words, 1 + pkt->more);
	if (glass_port_has_lid(lp->port, pkt->dlid)) {
		/* loopback inside the HCA: the packet does not use the cable */
		glass_port_count_rx(lp->port, pkt->vl, pkt->dlid, words, 1 + pkt->more);
		to = lp;
		goto out;
	}
	at = *lp->far;
	if (unlikely(!glass_net_fast(&at, pkt, words))) {
		send_slow(lp, at, pkt, run);
		return;
	}
	to = link_arrive(f, at, pkt, words, &nt);
out:
	spin_unlock_irq(&f->lock);
	if (unlikely(nt.n))
		link_tell_noticed(&nt);
	if (likely(to))
		glass_port_receive(to, pkt, run);
	else
		link_note_drop(lp, place, pkt, GLASS_DROP_PORT_DOWN);
}

bool glass_link_arrived(struct glass_link_port *lp, const struct glass_pkt *pkt,
			struct glass_run *run)
{
	struct glass_fabric *f = lp->fabric;
	struct noticed nt;
	bool in;

	nt.n = 0;
	spin_lock_irq(&f->lock);
	in = link_arrive(f, own_end(lp), pkt, glass_pkt_words(pkt), &nt);
	spin_unlock_irq(&f->lock);
	link_tell_noticed(&nt);
	if (in)
		glass_port_receive(lp, pkt, run);
	else
		link_note_drop(lp, GLASS_AT_LINK, pkt, GLASS_DROP_PORT_DOWN);
	return in;
}

void glass_link_changed(struct glass_link_port *lp, u32 changes)
{
	struct glass_fabric *f = lp->fabric;
	struct noticed nt;
	unsigned long flags;

	nt.n = 0;
	spin_lock_irqsave(&f->lock, flags);
	link_notice(&nt, lp, 0);
	if ((changes & GLASS_CHG_LINK) && glass_link_port_at(own_end(lp)) == lp)
		update_cable(f, own_end(lp), &nt);
	spin_unlock_irqrestore(&f->lock, flags);
	link_tell_noticed(&nt);
}

/* ib_mad sends the answer to a Set at once. The driver waits for it no longer than this. */
#define PARTING_JIFFIES (HZ / 10)

void glass_link_changed_after(struct glass_link_port *lp, u32 changes, u64 answer_tid)
{
	unsigned long flags;

	glass_link_changed(lp, changes & ~GLASS_CHG_LINK);
	spin_lock_irqsave(&lp->fabric->lock, flags);
	lp->parting = true;
	lp->parting_tid = answer_tid;
	spin_unlock_irqrestore(&lp->fabric->lock, flags);
	/* the work may be pending from an answer before this one */
	mod_delayed_work(system_dfl_wq, &lp->parted, PARTING_JIFFIES);
}

void glass_link_attach(struct glass_link_port *lp)
{
	struct glass_fabric *f = lp->fabric;
	struct noticed nt;

	nt.n = 0;
	INIT_DELAYED_WORK(&lp->parted, parted_work);
	spin_lock_irq(&f->lock);
	lp->self->node = lp->node;
	f->ports[lp->self->index][lp->num] = lp;
	update_cable(f, own_end(lp), &nt);
	spin_unlock_irq(&f->lock);
	link_tell_noticed(&nt);
}

void glass_link_detach(struct glass_link_port *lp)
{
	struct glass_fabric *f = lp->fabric;
	struct glass_port *far;

	cancel_delayed_work_sync(&lp->parted);
	spin_lock_irq(&f->lock);
	f->ports[lp->self->index][lp->num] = NULL;
	glass_port_link(lp->port, false);
	far = glass_net_port(*lp->far);
	if (far)
		glass_port_link(far, false);
	lp->self->node = NULL;
	spin_unlock_irq(&f->lock);
	/* wait for traps_work(), which may deliver to this port; then queue it again if needed */
	cancel_delayed_work_sync(&f->traps);
	spin_lock_irq(&f->lock);
	send_traps(f);
	spin_unlock_irq(&f->lock);
}

/* An end of a cable of the topology, in the net. */
static struct glass_net_end end_in_net(struct glass_fabric *f, struct glass_link_end e)
{
	return (struct glass_net_end){
		.node = e.kind == GLASS_END_HCA ? &f->hca_nodes[e.index] : &f->sw_node,
		.port = e.port,
	};
}

/* Makes the switch, adds all nodes to the net, and plugs in the cables. 0 or a negative errno. */
static int make_net(struct glass_fabric *f, const struct glass_topology *t, u32 num_ports)
{
	u32 i;
	int err;

	f->sw_ports = kvcalloc(t->switch_ports + 1, sizeof(*f->sw_ports), GFP_KERNEL);
	f->sw_ends = kvcalloc(t->switch_ports + 1, sizeof(*f->sw_ends), GFP_KERNEL);
	if (!f->sw_ports || !f->sw_ends)
		return -ENOMEM;
	err = glass_switch_init(&f->sw, t->switch_ports, f->sw_ports,
				glass_guid_switch(GLASS_GUID_BASE, 0),
				glass_guid_system(GLASS_GUID_BASE, GLASS_END_SWITCH, 0),
				"Glass switch 0");
	if (err)
		return err;
	f->sw.node.vendor_id = GLASS_VENDOR_ID;
	f->sw.node.device_id = GLASS_DEVICE_SWITCH;
	glass_net_add(&f->sw_node, 0, &f->sw.node, &f->sw, t->switch_ports,
		      f->sw_ends);
	for (i = 0; i < f->num_hcas; i++) {
		glass_net_add(&f->hca_nodes[i], i, NULL, NULL, num_ports,
			      f->hca_ends[i]);
		f->hca_nodes[i].owners = f->ports[i];
	}
	for (i = 0; !err && i < t->num_links; i++)
		err = glass_net_plug(end_in_net(f, t->links[i].a), end_in_net(f, t->links[i].b));
	return err;
}

struct glass_fabric *glass_fabric_create(u32 num_hcas, u32 num_ports)
{
	struct glass_fabric *f = kvzalloc(sizeof(*f), GFP_KERNEL);
	struct glass_topology *t = kvzalloc(sizeof(*t), GFP_KERNEL);
	int err = -ENOMEM;

	if (!f || !t)
		goto out;
	spin_lock_init(&f->lock);
	INIT_DELAYED_WORK(&f->traps, traps_work);
	f->next_trap = jiffies;
	f->num_hcas = num_hcas;
	err = glass_topology_star(t, num_hcas, num_ports);
	if (!err)
		err = make_net(f, t, num_ports);
	if (!err) {
		kvfree(t);
		return f;
	}
	glass_fabric_destroy(f);
	f = NULL;
out:
	kvfree(f);
	kvfree(t);
	return ERR_PTR(err);
}

void glass_fabric_destroy(struct glass_fabric *f)
{
	cancel_delayed_work_sync(&f->traps);
	glass_fdb_free(&f->sw.fdb);
	kvfree(f->sw_ends);
	kvfree(f->sw_ports);
	kvfree(f);
}
