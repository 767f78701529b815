/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Links carry packets from one port to another. This layer knows packets, ports and switches, but
 * no queue pairs. It delivers packets and reports changes through link/env.h.
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
 * Carries a packet from lp to its destination, and delivers it before it returns. Process context.
 * run is passed to glass_port_receive().
 */
void glass_link_send(struct glass_link_port *lp, const struct glass_pkt *pkt, struct glass_run *run);

/*
 * Receives a packet from outside over the cable of lp. False: the port is down, and the packet is
 * dropped. Process context.
 */
bool glass_link_arrived(struct glass_link_port *lp, const struct glass_pkt *pkt,
			struct glass_run *run);

/*
 * Queues a report of changes to lp's port (GLASS_CHG_*). Call it under the same hold of
 * fabric->lock that made the change, so that reports keep the order of changes. Then, without the
 * lock, call glass_link_changed() or glass_link_changed_after().
 */
void glass_link_note(struct glass_link_port *lp, u32 changes);

/*
 * Reports the queued changes of lp; with GLASS_CHG_LINK among `changes`, updates the peer first. If
 * another context is reporting for lp, that one reports these, too, perhaps after this returns.
 * Called without locks, in any context.
 */
void glass_link_changed(struct glass_link_port *lp, u32 changes);

/*
 * The same for changes whose answer must still leave by this port: the link goes down after that
 * answer was sent. Any context.
 */
void glass_link_changed_after(struct glass_link_port *lp, u32 changes, u64 answer_tid);

#endif
