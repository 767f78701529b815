/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Links carry packets from one port to another: through switches, or back to the same port. This
 * layer knows packets, ports and switches, but no queue pairs. It calls the functions of link/env.h
 * to pass arrived packets and changes of ports to the engine.
 */
#ifndef GLASS_LINK_LINK_H
#define GLASS_LINK_LINK_H

#include "model/links.h"

struct glass_run;

/*
 * glass_link_attach() connects an HCA's port to the fabric. If the port has a cable, its link may
 * come up. glass_link_detach() disconnects the port, and takes the link down. Both may sleep.
 */
void glass_link_attach(struct glass_link_port *lp);
void glass_link_detach(struct glass_link_port *lp);

/*
 * Carries a packet from lp to its destination. On return the packet is dropped or received. Its
 * receiver is a switch or a passive CA, or one or more ports of HCAs (glass_port_receive()). run is
 * passed to glass_port_receive(). Process context, no spinlock held.
 */
void glass_link_send(struct glass_link_port *lp, const struct glass_pkt *pkt, struct glass_run *run);

struct glass_link_way;

/*
 * For packets that the engine carries from QP to QP itself (engine/direct.c). Process context, no
 * lock of a link held.
 *
 * glass_link_look() returns the port where a packet of unicast data from lp would arrive. Returns
 * NULL if the packet needs glass_link_send(), or an answer to it would. *reshapes gets glass_fabric.reshapes: while it has
 * this value, the port exists for contexts that glass_engine_quiesce() waits for.
 *
 * glass_link_pass() takes a packet from lp to the port `to`: counts it at all ports on its way, as
 * glass_link_send() does. The caller receives it. Returns false, and counts nothing, if the packet
 * needs glass_link_send(). *way remembers what it found, for the next packet of the same QP.
 */
struct glass_link_port *glass_link_look(struct glass_link_port *lp, const struct glass_pkt *pkt,
					u32 *reshapes);
bool glass_link_pass(struct glass_link_port *lp, struct glass_link_port *to, const struct glass_pkt *pkt,
		     struct glass_link_way *way);

/*
 * Receives a packet at lp as if it came over the cable of lp. The packet is a frame that a program
 * wrote to `raw`, or an answer that an injection rule forged. Returns false if the port does not
 * receive packets of this VL in its present state: the packet is dropped. run is passed to
 * glass_port_receive(). Process context, no spinlock held.
 */
bool glass_link_arrived(struct glass_link_port *lp, const struct glass_pkt *pkt,
			struct glass_run *run);

/*
 * Processes some of the frames in a queue that glass_lane_frames() has passed to a lane: passes
 * their packets into the fabric. Process context, no lock held.
 */
struct glass_frames;
void glass_link_frames(struct glass_frames *q, struct glass_run *run);
/*
 * Processes one frame of such a queue without sleeping. Returns how many datagrams it held,
 * 1 for a frame of a cable. Returns 0, and leaves the frame in the queue, if that is not possible: the lane
 * must process it. Also returns 0 if there is none.
 * Process context, preemption off, irqs on, no lock held.
 */
u32 glass_link_frame(struct glass_frames *q, struct glass_run *run);

/*
 * Sends the frame that a run has begun for a cable (glass_run_batch()). Called at the end of a QP's
 * turn if there is one. Process context, no spinlock held.
 */
void glass_link_flush(struct glass_run *run);

/*
 * Queues a report of changes (GLASS_CHG_*) of lp's port. The caller has held fabric->lock since it
 * made the changes, so that reports have the order of the changes. It must call
 * glass_link_changed() or glass_link_changed_after() after it has dropped the lock.
 */
void glass_link_note(struct glass_link_port *lp, u32 changes);

/*
 * Reports the queued changes of lp. If `changes` has GLASS_CHG_LINK, first brings both ends of the
 * cable to a common link state. If another context is reporting changes of lp, that context reports
 * these, too, perhaps after this function has returned. `by`: what made the changes. Called without
 * locks, in any context.
 */
void glass_link_changed(struct glass_link_port *lp, u32 changes, enum glass_port_change_by by);

/*
 * As glass_link_changed(), for a Set of the subnet manager that may have taken the port down. The
 * answer to the Set must still leave by this port. So this function reports the queued changes at
 * once, but the cable is updated later: after the answer has left, or after 100 ms if no answer is
 * sent. answer_tid is the transaction ID of the answer. Called without locks, in any context.
 */
void glass_link_changed_after(struct glass_link_port *lp, u32 changes, u64 answer_tid);

#endif
