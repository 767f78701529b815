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
 * Brings both ends of a cable to a common link state, and queues the report for the HCA's port. If
 * that makes the switch request a trap, queues the work that sends it.
 */
static void update_cable(struct glass_fabric *f, struct glass_link_port *lp, struct noticed *nt)
{
	u32 chg_hca = 0, chg_sw = 0;

	lockdep_assert_held(&f->lock);
	glass_link_update(lp->node, lp->port, &f->sw.node, &f->sw_ports[lp->switch_port], &chg_hca,
			  &chg_sw);
	link_notice(nt, lp, chg_hca);
	send_traps(f);
}

/*
 * A packet changed the switch (`changes` of its struct glass_fwd). If a MAD changed the link state
 * of a switch port, updates the cable at this port.
 */
static void switch_changed(struct glass_fabric *f, u32 changes, struct noticed *nt)
{
	u32 port = GLASS_CHG_PORT(changes);

	lockdep_assert_held(&f->lock);
	if ((changes & GLASS_CHG_LINK) && port <= f->sw.node.num_ports && f->by_switch_port[port])
		update_cable(f, f->by_switch_port[port], nt);
}

/* Records the drop of a packet that lp sent. lp NULL: does nothing (the switch sent a trap). */
static void link_note_drop(struct glass_link_port *lp, enum glass_drop_place place,
			   const struct glass_pkt *pkt, enum glass_drop why)
{
	if (lp)
		glass_drop_note(lp->drops, lp->name, lp->num, place, pkt, why);
}

/*
 * A packet comes over the cable at switch_port: counts it at the HCA's port, and returns this port.
 * NULL: there is no cable, or the HCA's port does not receive packets of this VL in its present
 * state. words: glass_pkt_words(pkt). nt: gets the port if the packet made it ACTIVE.
 */
static struct glass_link_port *link_arrive(struct glass_fabric *f, u32 switch_port,
					   const struct glass_pkt *pkt, u32 words,
					   struct noticed *nt)
{
	struct glass_link_port *lp = f->by_switch_port[switch_port];

	lockdep_assert_held(&f->lock);
	if (!lp || !glass_port_receives(lp->port, pkt->vl))
		return NULL;
	glass_port_count_rx(lp->port, pkt->vl, pkt->dlid, words, 1 + pkt->more);
	if (pkt->vl != GLASS_VL_SMP && unlikely(lp->port->state == GLASS_PORT_ARMED))
		link_notice(nt, lp, glass_port_data_seen(lp->port));
	return lp;
}

/* The ports of the switch by which copies of a multicast packet leave, and those that drop them. */
struct copies {
	u64 ports[GLASS_PORT_WORDS], down[GLASS_PORT_WORDS], too_long[GLASS_PORT_WORDS];
};

static bool port_set_has(const u64 *ports, u32 port)
{
	return ports[port / 64] >> (port % 64) & 1;
}

/* Delivers the copies of a multicast packet, one after the other, without the fabric's lock. */
static void deliver_set(struct glass_link_port *from, const struct copies *c,
			const struct glass_pkt *pkt, u32 words, struct glass_run *run)
{
	struct glass_fabric *f = from->fabric;
	u32 port;

	for (port = 1; port <= f->sw.node.num_ports; port++) {
		struct noticed nt;
		struct glass_link_port *lp;

		nt.n = 0;
		if (unlikely(port_set_has(c->down, port)))
			link_note_drop(from, GLASS_AT_SWITCH, pkt, GLASS_DROP_PORT_DOWN);
		if (unlikely(port_set_has(c->too_long, port)))
			link_note_drop(from, GLASS_AT_SWITCH, pkt, GLASS_DROP_BAD_LEN);
		if (!port_set_has(c->ports, port))
			continue;
		spin_lock_irq(&f->lock);
		lp = link_arrive(f, port, pkt, words, &nt);
		spin_unlock_irq(&f->lock);
		link_tell_noticed(&nt);
		if (lp)
			glass_port_receive(lp, pkt, run);
		else
			link_note_drop(from, GLASS_AT_LINK, pkt, GLASS_DROP_PORT_DOWN);
	}
}

/*
 * Delivers a packet that the switch made (an answer, a forwarded SMP or a trap), or records that
 * the switch dropped it. cause: the packet that the switch answers or forwards; from: the port that
 * sent `cause`. Both are NULL for a trap.
 */
static noinline_for_stack void deliver_mad(struct glass_fabric *f, struct glass_link_port *from,
					   const struct glass_pkt *cause, struct glass_fwd *fwd,
					   struct glass_run *run)
{
	struct noticed nt;
	struct glass_link_port *lp;
	struct glass_seg seg;
	struct glass_pkt pkt;

	nt.n = 0;
	memset(&pkt, 0, sizeof(pkt));
	glass_fwd_pkt(fwd, &pkt, &seg);
	if (cause)
		pkt.fate = cause->fate;
	if (fwd->kind == GLASS_FWD_DROP) {
		link_note_drop(from, GLASS_AT_SWITCH, &pkt, fwd->why);
		return;
	}
	spin_lock_irq(&f->lock);
	lp = link_arrive(f, fwd->port, &pkt, glass_pkt_words(&pkt), &nt);
	spin_unlock_irq(&f->lock);
	link_tell_noticed(&nt);
	if (lp)
		glass_port_receive(lp, &pkt, run);
	else
		link_note_drop(from, GLASS_AT_LINK, &pkt, GLASS_DROP_PORT_DOWN);
}

/* Calls deliver_mad() for a copy of fabric->fwd. Called with the fabric's lock; drops it. */
static noinline_for_stack void deliver_mad_locked(struct glass_link_port *from,
						  const struct glass_pkt *cause,
						  struct glass_run *run)
	__releases(&from->fabric->lock)
{
	struct glass_fwd fwd = from->fabric->fwd;

	spin_unlock_irq(&from->fabric->lock);
	deliver_mad(from->fabric, from, cause, &fwd, run);
}

/* Sends the switch's pending trap, and queues itself again, to repeat it after a subnet timeout. */
static void traps_work(struct work_struct *work)
{
	struct glass_fabric *f = container_of(to_delayed_work(work), struct glass_fabric, traps);
	struct glass_fwd fwd;
	unsigned long wait;

	spin_lock_irq(&f->lock);
	if (!glass_switch_trap(&f->sw, &f->fwd)) {
		spin_unlock_irq(&f->lock);
		return;
	}
	wait = max(nsecs_to_jiffies(4096ULL << f->sw_ports[0].subnet_timeout), 1UL);
	f->next_trap = jiffies + wait;
	queue_delayed_work(system_dfl_wq, &f->traps, wait);
	fwd = f->fwd;
	spin_unlock_irq(&f->lock);
	deliver_mad(f, NULL, NULL, &fwd, NULL);
}

/*
 * The slow path of glass_link_send(), for packets that glass_switch_fast() refuses: all but unicast
 * data between two ACTIVE ports. Called with the fabric's lock; drops it.
 */
static void send_slow(struct glass_link_port *lp, const struct glass_pkt *pkt, u32 words,
		      struct glass_run *run) __releases(&lp->fabric->lock)
{
	struct glass_fabric *f = lp->fabric;
	struct glass_link_port *to = NULL;
	struct noticed nt;
	enum glass_drop why = GLASS_DROP_PORT_DOWN;
	struct copies copies;
	u32 changes;

	nt.n = 0;
	lockdep_assert_held(&f->lock);
	glass_switch_rx(&f->sw, lp->switch_port, pkt, &f->fwd);
	changes = f->fwd.changes;
	why = f->fwd.why;
	switch (f->fwd.kind) {
	case GLASS_FWD_PORT:
		to = link_arrive(f, f->fwd.port, pkt, words, &nt);
		spin_unlock_irq(&f->lock);
		link_tell_noticed(&nt);
		if (to)
			glass_port_receive(to, pkt, run);
		else
			link_note_drop(lp, GLASS_AT_LINK, pkt, GLASS_DROP_PORT_DOWN);
		break;
	case GLASS_FWD_SET:
		memcpy(copies.ports, f->fwd.ports, sizeof(copies.ports));
		memcpy(copies.down, f->fwd.down, sizeof(copies.down));
		memcpy(copies.too_long, f->fwd.too_long, sizeof(copies.too_long));
		spin_unlock_irq(&f->lock);
		deliver_set(lp, &copies, pkt, words, run);
		break;
	case GLASS_FWD_MAD:
		deliver_mad_locked(lp, pkt, run);
		break;
	case GLASS_FWD_CONSUMED:
		spin_unlock_irq(&f->lock);
		break;
	case GLASS_FWD_DROP:
	default:
		if (f->fwd.own) {
			deliver_mad_locked(lp, pkt, run);
			break;
		}
		spin_unlock_irq(&f->lock);
		link_note_drop(lp, GLASS_AT_SWITCH, pkt, why);
		break;
	}
	/* after the delivery: if a request takes down a link, its answer must leave first */
	if (unlikely(changes)) {
		nt.n = 0;
		spin_lock_irq(&f->lock);
		switch_changed(f, changes, &nt);
		send_traps(f);
		spin_unlock_irq(&f->lock);
		link_tell_noticed(&nt);
	}
	/* the switch sends no multicast back to its source: deliver to the members at that port */
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
		send_slow(lp, pkt, glass_pkt_words(pkt), run);
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
	u32 port;

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
	port = glass_switch_fast(&f->sw, lp->switch_port, pkt);
	if (unlikely(!port)) {
		send_slow(lp, pkt, words, run);
		return;
	}
	to = link_arrive(f, port, pkt, words, &nt);
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
	in = link_arrive(f, lp->switch_port, pkt, glass_pkt_words(pkt), &nt);
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
	if ((changes & GLASS_CHG_LINK) && f->by_switch_port[lp->switch_port] == lp)
		update_cable(f, lp, &nt);
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
	f->by_switch_port[lp->switch_port] = lp;
	update_cable(f, lp, &nt);
	spin_unlock_irq(&f->lock);
	link_tell_noticed(&nt);
}

void glass_link_detach(struct glass_link_port *lp)
{
	struct glass_fabric *f = lp->fabric;

	cancel_delayed_work_sync(&lp->parted);
	spin_lock_irq(&f->lock);
	f->by_switch_port[lp->switch_port] = NULL;
	glass_port_link(lp->port, false);
	glass_port_link(&f->sw_ports[lp->switch_port], false);
	spin_unlock_irq(&f->lock);
	/* wait for traps_work(), which may deliver to this port; then queue it again if needed */
	cancel_delayed_work_sync(&f->traps);
	spin_lock_irq(&f->lock);
	send_traps(f);
	spin_unlock_irq(&f->lock);
}

struct glass_fabric *glass_fabric_create(u32 num_hcas, u32 num_ports)
{
	struct glass_fabric *f = kvzalloc(sizeof(*f), GFP_KERNEL);
	int err = -ENOMEM;

	if (!f)
		return ERR_PTR(-ENOMEM);
	spin_lock_init(&f->lock);
	INIT_DELAYED_WORK(&f->traps, traps_work);
	f->next_trap = jiffies;
	f->num_hcas = num_hcas;
	err = glass_topology_star(&f->topo, num_hcas, num_ports);
	if (err)
		goto out;
	f->sw_ports = kvcalloc(f->topo.switch_ports + 1, sizeof(*f->sw_ports), GFP_KERNEL);
	if (!f->sw_ports) {
		err = -ENOMEM;
		goto out;
	}
	err = glass_switch_init(&f->sw, f->topo.switch_ports, f->sw_ports,
				glass_guid_switch(GLASS_GUID_BASE, 0),
				glass_guid_system(GLASS_GUID_BASE, GLASS_END_SWITCH, 0),
				"Glass switch 0");
	f->sw.node.vendor_id = GLASS_VENDOR_ID;
	f->sw.node.device_id = GLASS_DEVICE_SWITCH;
out:
	if (err) {
		glass_fabric_destroy(f);
		return ERR_PTR(err);
	}
	return f;
}

void glass_fabric_destroy(struct glass_fabric *f)
{
	cancel_delayed_work_sync(&f->traps);
	kvfree(f->sw_ports);
	kvfree(f);
}
