/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Links carry packets from one port to another: through switches, or back to the same port. This
 * layer knows packets, ports and switches, but no queue pairs. It passes arrived packets and
 * changes of ports to the engine by the functions of link/env.h.
 */
#ifndef GLASS_LINK_LINK_H
#define GLASS_LINK_LINK_H

#include "model/links.h"

struct glass_run;

/*
 * Connect an HCA's port (lp) to the fabric and disconnect it: its cable gets a link, if it has one.
 * May sleep.
 */
void glass_link_attach(struct glass_link_port *lp);
void glass_link_detach(struct glass_link_port *lp);

/*
 * Carries a packet from lp to its destination. On return the packet is dropped, or its destination
 * has received it: a switch or passive CA itself, or ports (glass_port_receive()). run: passed to
 * glass_port_receive(). Process context, no spinlock held.
 */
void glass_link_send(struct glass_link_port *lp, const struct glass_pkt *pkt, struct glass_run *run);

/*
 * Receives a packet at lp as if it came over the cable of lp: a frame that a program wrote to `raw`,
 * or an answer that an injection rule forged. False: the port does not receive packets of this VL
 * in its present state, and the packet is dropped. run: passed to glass_port_receive(). Process
 * context, no spinlock held.
 */
bool glass_link_arrived(struct glass_link_port *lp, const struct glass_pkt *pkt,
			struct glass_run *run);

/*
 * Queues a report of changes (GLASS_CHG_*) of lp's port. The caller has held fabric->lock since it
 * made the changes, so that reports have the order of the changes. After the caller has dropped the
 * lock, it calls glass_link_changed() or glass_link_changed_after().
 */
void glass_link_note(struct glass_link_port *lp, u32 changes);

/*
 * Reports the queued changes of lp. If `changes` has GLASS_CHG_LINK, first brings both ends of the
 * cable to a common link state. If another context is reporting changes of lp, that context also
 * reports the queued ones, perhaps after this function has returned. Called without locks, in any
 * context.
 */
void glass_link_changed(struct glass_link_port *lp, u32 changes);

/*
 * As glass_link_changed(), for a Set of the subnet manager that may have taken the port down, while
 * the answer to the Set must still leave by this port. Reports the queued changes at once, but
 * updates the cable later: when the port, though down, has sent the answer, or else after 100 ms.
 * answer_tid: the answer's transaction ID. Called without locks, in any context.
 */
void glass_link_changed_after(struct glass_link_port *lp, u32 changes, u64 answer_tid);

#endif
