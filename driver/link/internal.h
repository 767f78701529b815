/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Shared by the files of link/: link.c, which sends packets, and fabric.c, which makes nodes. */
#ifndef GLASS_LINK_INTERNAL_H
#define GLASS_LINK_INTERNAL_H

#include "model/links.h"

/* Ports whose queued changes the caller reports after it has dropped the fabric's lock. */
struct glass_noticed {
	u32 n; /* valid entries of lp[] */
	struct glass_link_port *lp[4];
};

/*
 * Queues changes (GLASS_CHG_*) of a port. If the port has queued changes now, adds it to nt, so
 * that the caller reports them. lp NULL: does nothing. Under the fabric's lock.
 */
void glass_link_notice(struct glass_noticed *nt, struct glass_link_port *lp, u32 changes);

/*
 * Reports the queued changes of the ports in nt. Called without the fabric's lock. A port of an HCA
 * other than the caller's can be unplugged: the caller is in a section of `walks` since before it
 * found the port, keeps HCAs plugged in, or carries packets (glass_engine_quiesce()).
 */
void glass_link_tell_noticed(const struct glass_noticed *nt);

/*
 * Brings both ends of the cable at `a` to a common link state, and queues the reports for HCA
 * ports. Under the fabric's lock.
 */
void glass_link_update_cable(struct glass_fabric *f, struct glass_net_end a,
			     struct glass_noticed *nt);

/* hops.c: what a walk of the net calls at ports of switches and passive CAs now; NULL: nothing. */
const struct glass_net_taps *glass_link_taps(void);

/* The work `traps` of a fabric. */
void glass_link_traps_work(struct work_struct *work);

#endif
