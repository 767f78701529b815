// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Changes of ports that are to be reported, and drops of packets (internal.h). */
#include "link/env.h"
#include "link/internal.h"
#include "link/link.h"
#include "observe/observe.h"

void glass_link_note(struct glass_link_port *lp, u32 changes)
{
	struct glass_port_change *c;

	lockdep_assert_held(&lp->fabric->lock);
	if (changes & (GLASS_CHG_LID | GLASS_CHG_PKEY))
		glass_fabric_reshaped(lp->fabric);
	if (!(changes & ~GLASS_CHG_LINK & 0xffffff))
		return;
	if (lp->nuntold < GLASS_LINK_UNTOLD) {
		c = &lp->untold[lp->nuntold++];
		c->changes = 0;
	} else {
		/* too many: merge the changes into the last entry, which then gets the new state */
		c = &lp->untold[GLASS_LINK_UNTOLD - 1];
		if (changes & (GLASS_CHG_ACTIVE | GLASS_CHG_DOWN))
			c->changes &= ~(GLASS_CHG_ACTIVE | GLASS_CHG_DOWN);
	}
	c->changes |= changes;
	c->state = lp->port->state;
	c->lid = lp->port->lid;
	c->sm_lid = lp->port->sm_lid;
}

void glass_link_notice(struct glass_noticed *nt, struct glass_link_port *lp, u32 changes)
{
	u32 i;

	if (!lp)
		return;
	glass_link_note(lp, changes);
	for (i = 0; i < nt->n; i++)
		if (nt->lp[i] == lp)
			return;
	if (lp->nuntold && !WARN_ON_ONCE(nt->n == ARRAY_SIZE(nt->lp)))
		nt->lp[nt->n++] = lp;
}

/*
 * Reports the queued changes of a port in order. Only one context at a time may do so. If another
 * context is doing so already (`telling`), that context also reports the caller's changes.
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

void glass_link_tell_noticed(const struct glass_noticed *nt)
{
	u32 i;

	for (i = 0; i < nt->n; i++)
		tell_port(nt->lp[i]);
}

void glass_link_end_changed(struct glass_fabric *f, struct glass_net_end e, u32 changes,
			    enum glass_port_change_by by, struct glass_noticed *nt)
{
	struct glass_port *p = glass_net_port(e);

	lockdep_assert_held(&f->lock);
	if (p && changes & GLASS_CHG_STATE)
		glass_port_changed_by(p, ktime_get_ns(), by);
	glass_link_notice(nt, glass_link_port_at(e), changes);
	glass_fabric_want_trap(f, e.node);
}

void glass_link_note_drop(struct glass_link_port *lp, enum glass_drop_place place,
			  struct glass_net_end at, const struct glass_pkt *pkt, enum glass_drop why)
{
	if (!lp)
		return;
	if (place == GLASS_AT_SWITCH && at.node)
		glass_drop_note_at(lp->drops, lp->name, lp->num, place,
				   glass_fabric_node(at.node)->name, at.port, pkt, why);
	else
		glass_drop_note(lp->drops, lp->name, lp->num, place, pkt, why);
}
