/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Shared by the files of link/: link.c, which sends packets, and fabric.c, which makes nodes. */
#ifndef GLASS_LINK_INTERNAL_H
#define GLASS_LINK_INTERNAL_H

#include "model/links.h"

/* Ports whose queued changes the caller must report after it has dropped the fabric's lock */
struct glass_noticed {
	u32 n; /* valid entries of lp[] */
	struct glass_link_port *lp[4];
};

/*
 * Queues changes (GLASS_CHG_*) of a port. If the port then has queued changes, adds it to nt, so
 * that the caller reports them. Does nothing if lp is NULL. Called with the fabric's lock.
 */
void glass_link_notice(struct glass_noticed *nt, struct glass_link_port *lp, u32 changes);

/*
 * Reports the queued changes of the ports in nt. Called without the fabric's lock. Meanwhile, HCAs
 * other than the caller's own must not be freed, because ports in nt may belong to them. One of
 * these conditions makes sure of that:
 * - The caller entered a section of fabric->walks before it found the port, and is still in it.
 * - The caller keeps all HCAs plugged in.
 * - The caller carries packets: an unplug waits for it (glass_engine_quiesce()).
 */
void glass_link_tell_noticed(const struct glass_noticed *nt);

/*
 * Brings both ends of the cable at `a` to a common link state, and queues reports for HCA ports. If
 * a node then has a trap to send, queues the work that sends it. `by`: what made the update
 * necessary. Called with the fabric's lock.
 */
void glass_link_update_cable(struct glass_fabric *f, struct glass_net_end a,
			     enum glass_port_change_by by, struct glass_noticed *nt);

/*
 * Changes (GLASS_CHG_*) of the port at this end, if there is one: notes what made them (`by`),
 * queues a report (glass_link_notice()), and wants the trap of its node. Called with the fabric's
 * lock.
 */
void glass_link_end_changed(struct glass_fabric *f, struct glass_net_end e, u32 changes,
			    enum glass_port_change_by by, struct glass_noticed *nt);

/*
 * Records the drop of a packet that lp sent. Does nothing if lp is NULL: then the packet is a trap
 * of a node. If `place` is GLASS_AT_SWITCH, `at` is the port that dropped the packet, and the
 * caller is in a section of `walks`. For other places, `at` does not matter.
 */
void glass_link_note_drop(struct glass_link_port *lp, enum glass_drop_place place,
			  struct glass_net_end at, const struct glass_pkt *pkt, enum glass_drop why);

/*
 * hops.c: returns the functions that a walk of the net calls at ports of switches and passive CAs.
 * Returns NULL while nothing wants hops (glass_hops_wanted()).
 */
const struct glass_net_taps *glass_link_taps(void);

/* The function of the work glass_fabric.traps */
void glass_link_traps_work(struct work_struct *work);

#endif
