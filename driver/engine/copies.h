/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Copies of a multicast datagram that do not fit into its sender's turn. The sender's QP makes them
 * in its next turns, in order, before it sends anything else. They hold no reference to members,
 * groups or adapters: a member that is gone when its copy is due gets none.
 */
#ifndef GLASS_ENGINE_COPIES_H
#define GLASS_ENGINE_COPIES_H

#include "engine/engine.h"

/* A datagram with its payload, shared by all ports that still owe copies. */
struct glass_datagram {
	u32 users;
	u32 bytes; /* charged to the sender's user */
	const struct glass_pkt *of; /* its original: the address is only compared */
	struct glass_pkt pkt;
	struct glass_seg seg;
	u8 data[];
};

/* The outstanding copies of one arrival of a datagram at one port. */
struct glass_copies {
	struct list_head node; /* in glass_qp.copies */
	struct glass_datagram *datagram;
	u32 hca; /* index */
	u32 port;
	u64 next, last; /* the first and last member that get one, by struct member.joined (mcast.c) */
	struct glass_fate fate; /* of the arrival, with the copies that were made already */
	/* observers (watch.c): their records are written when the last copy is made */
	struct glass_capture_slots slots;
	u64 when; /* 0: the flight recorder gets no record */
	struct glass_flight_end tx, rx;
	struct glass_flight_snap snap;
};

/*
 * Makes copies while run->tx.left is positive, and subtracts their cost from it. Called by the
 * context that runs the QP, without the QP's lock.
 */
void glass_copies_go_on(struct glass_qp *qp, struct glass_run *run);

/* Drops the copies of a dead QP. Called by the context that runs the QP. May sleep. */
void glass_copies_drop(struct glass_qp *qp);

/*
 * watch.c: the last copy is made; captures and the flight recorder get the record of the arrival
 * with its fate.
 */
void glass_watch_copied(struct glass_copies *c);

#endif
