/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Deferred copies of a multicast datagram. A QP sends a multicast datagram in one of its turns
 * (engine.h). Copies that do not fit into this turn are deferred. The QP makes them in its next
 * turns, in order, before it sends anything else. A deferred copy holds no reference to a member,
 * group or adapter. A member that leaves before its copy is due gets no copy.
 */
#ifndef GLASS_ENGINE_COPIES_H
#define GLASS_ENGINE_COPIES_H

#include "engine/engine.h"

/* A private copy of a datagram and its payload, for one or more struct glass_copies. */
struct glass_datagram {
	u32 users; /* number of struct glass_copies that refer to it */
	u32 bytes; /* size of this structure and `data`, charged to the sending QP's user */
	/* the packet that was copied; this pointer is compared, never followed */
	const struct glass_pkt *of;
	struct glass_pkt pkt;
	struct glass_seg seg; /* pkt's payload: all of `data` */
	u8 data[];
};

/* The copies that are still due for one arrival: a datagram at one port of one adapter. */
struct glass_copies {
	struct list_head node; /* in glass_qp.copies */
	struct glass_datagram *datagram;
	u32 hca; /* index of the receiving adapter */
	u32 port; /* the receiving port of this adapter */
	/* `joined` (struct glass_membership) of the first and last member still to get a copy */
	u64 next, last;
	struct glass_fate fate; /* the fate of this arrival so far */
	/* for observers (watch.c), which finish their records after the last copy */
	struct glass_capture_slots slots;
	u64 when; /* the time for the flight record (glass_tx.when); 0: write no flight record */
	struct glass_flight_end tx, rx;
	struct glass_flight_snap snap;
};

/*
 * Makes deferred copies of qp's last datagram while run->tx.left is positive. Subtracts the cost of
 * each copy from run->tx.left. If `run` is NULL, drops all copies instead. When no copy is left,
 * qp's next turn has its normal budget (GLASS_TURN). Called by the context that runs qp, without
 * qp->lock. May sleep.
 */
void glass_copies_go_on(struct glass_qp *qp, struct glass_run *run);

/* Drops the deferred copies of a dead QP. Called by the context that runs the QP. May sleep. */
void glass_copies_drop(struct glass_qp *qp);

/*
 * watch.c: called when the last copy of an arrival is made or dropped. Adds the fate of the arrival
 * to the records of captures, and writes the flight record.
 */
void glass_watch_copied(struct glass_copies *c);

#endif
