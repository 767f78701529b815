/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Deferred copies of a multicast datagram: those that do not fit into the sending QP's turn (the
 * work that it does at a time, engine.h). The QP makes them in its next turns, in order, before it
 * sends anything else. They hold no reference to members, groups or adapters: a member that is gone
 * when its copy is due gets none.
 */
#ifndef GLASS_ENGINE_COPIES_H
#define GLASS_ENGINE_COPIES_H

#include "engine/engine.h"

/*
 * A private copy of a datagram and its payload, shared by all ports that still have to make copies.
 */
struct glass_datagram {
	u32 users; /* struct glass_copies that refer to it */
	u32 bytes; /* size of this structure, charged to the sender's user */
	const struct glass_pkt *of; /* the packet that it is a copy of; only compared */
	struct glass_pkt pkt;
	struct glass_seg seg; /* pkt's payload: all of data */
	u8 data[];
};

/* The outstanding copies of one arrival of a datagram at one port. */
struct glass_copies {
	struct list_head node; /* in glass_qp.copies */
	struct glass_datagram *datagram;
	u32 hca; /* index of the receiving adapter */
	u32 port; /* its port */
	/* the first and the last member that still get a copy (struct member.joined, mcast.c) */
	u64 next, last;
	struct glass_fate fate; /* of the arrival, from all copies made so far */
	/* for observers (watch.c), which write their records when the last copy is made */
	struct glass_capture_slots slots;
	u64 when; /* 0: the flight recorder gets no record */
	struct glass_flight_end tx, rx;
	struct glass_flight_snap snap;
};

/*
 * Makes copies of qp's last datagram while run->tx.left is positive, and subtracts their cost from
 * it. Called by the context that runs qp, without qp->lock.
 */
void glass_copies_go_on(struct glass_qp *qp, struct glass_run *run);

/* Drops the copies of a dead QP. Called by the context that runs the QP. May sleep. */
void glass_copies_drop(struct glass_qp *qp);

/*
 * watch.c: called when the last copy of an arrival is made or dropped. Gives captures and the
 * flight recorder the arrival's record, with its fate.
 */
void glass_watch_copied(struct glass_copies *c);

#endif
