/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Links carry packets from one port to another: through the switch, or back to the same port. This
 * layer knows packets, ports and switches, but no queue pairs. It passes arrived packets and
 * changes of ports to the engine by link/env.h.
 */
#ifndef GLASS_LINK_LINK_H
#define GLASS_LINK_LINK_H

#include "model/links.h"

struct glass_run;

/*
 * Returns a fabric of one switch with enough ports for num_hcas HCAs of num_ports ports each, or an
 * ERR_PTR. No cable is plugged in yet.
 */
struct glass_fabric *glass_fabric_create(u32 num_hcas, u32 num_ports);
void glass_fabric_destroy(struct glass_fabric *f);

/* Plug in and pull out the cable between an HCA's port and its port of the switch. May sleep. */
void glass_link_attach(struct glass_link_port *lp);
void glass_link_detach(struct glass_link_port *lp);

/*
 * Carries a packet from lp to its destination. On return the packet is delivered or dropped. run:
 * for glass_port_receive(). Process context, no spinlock held.
 */
void glass_link_send(struct glass_link_port *lp, const struct glass_pkt *pkt, struct glass_run *run);

/*
 * Receives a packet that comes from outside (`raw`, or an injection rule) over the cable of lp.
 * False: the port is down, and the packet is dropped. run: for glass_port_receive(). Process
 * context.
 */
bool glass_link_arrived(struct glass_link_port *lp, const struct glass_pkt *pkt,
			struct glass_run *run);

/*
 * Queues a report of changes of lp's port (GLASS_CHG_*). The caller holds fabric->lock since it
 * made the change, so that reports have the order of the changes. Afterwards, without the lock, it
 * calls glass_link_changed() or glass_link_changed_after().
 */
void glass_link_note(struct glass_link_port *lp, u32 changes);

/*
 * Reports the queued changes of lp. With GLASS_CHG_LINK in `changes`, first brings both ends of the
 * cable to a common link state. If another context is reporting changes of lp, it also reports the
 * queued ones, perhaps after this function has returned. Called without locks, in any context.
 */
void glass_link_changed(struct glass_link_port *lp, u32 changes);

/*
 * As glass_link_changed(), for a Set of the subnet manager whose answer must still leave by this
 * port, which the Set may have taken down. Updates the cable after the answer, with transaction ID
 * answer_tid, was sent, or after 100 ms. Any context.
 */
void glass_link_changed_after(struct glass_link_port *lp, u32 changes, u64 answer_tid);

#endif
