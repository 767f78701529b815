/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Links: how packets get from one port to another. This layer knows packets,
 * ports and switches; it does not know queue pairs. What it delivers and what it notices it tells by link/env.h.
 */
#ifndef GLASS_LINK_LINK_H
#define GLASS_LINK_LINK_H

#include "model/links.h"

struct glass_run;

/* Returns a fabric of one switch with all ports of all HCAs on it, or an ERR_PTR. */
struct glass_fabric *glass_fabric_create(u32 num_hcas, u32 num_ports);
void glass_fabric_destroy(struct glass_fabric *f);

/* Plugs the cable of an HCA port in, or pulls it out. */
void glass_link_attach(struct glass_link_port *lp);
void glass_link_detach(struct glass_link_port *lp);

/*
 * Carries a packet from lp to wherever it leads; delivers before it returns.
 * Process context. run is handed on to glass_port_receive().
 */
void glass_link_send(struct glass_link_port *lp, const struct glass_pkt *pkt, struct glass_run *run);

/*
 * A packet came over the cable of lp from outside: arrives there as others do, or
 * dies because the port is down, which is told to the caller: false. Process context.
 */
bool glass_link_arrived(struct glass_link_port *lp, const struct glass_pkt *pkt,
			struct glass_run *run);

/*
 * Something of lp's port is changed (GLASS_CHG_*): noted under the same hold of fabric->lock
 * under which it is changed, so that changes are told in their order. Then, without the
 * lock, glass_link_changed() or glass_link_changed_after().
 */
void glass_link_note(struct glass_link_port *lp, u32 changes);

/*
 * Tells what was noted of lp; with GLASS_CHG_LINK among the changes, brings the peer in
 * line before. Whoever is just telling something of lp tells this, too: it may be told
 * after this returns. Called without locks, in any context.
 */
void glass_link_changed(struct glass_link_port *lp, u32 changes);

/*
 * The same for changes that an answer tells of that has yet to leave by this
 * port: the link goes down after the packet with that answer went out. Any context.
 */
void glass_link_changed_after(struct glass_link_port *lp, u32 changes, u64 answer_tid);

#endif
