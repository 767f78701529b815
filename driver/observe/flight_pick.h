/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Picks the last packets of one QP and its peer out of the flight recorder (flight.h), for the
 * black box (blackbox.h).
 */
#ifndef GLASS_OBSERVE_FLIGHT_PICK_H
#define GLASS_OBSERVE_FLIGHT_PICK_H

#include "observe/flight.h"
#include "uapi/glass-failure.h"

/* A picked packet, or a train. */
struct glass_picked {
	u64 when; /* ktime_get_ns() */
	u64 seq; /* number of the record on its CPU */
	struct glass_flight_end end[2]; /* by enum glass_dir */
	u8 dir; /* GLASS_DIR_TX: the QP sent it */
	struct glass_pkt pkt; /* without payload, GRH and fate */
};

/* A QP of this host. */
struct glass_pick_qp {
	u8 hca;
	bool known; /* false: there is none */
	u32 qpn;
};

struct glass_pick {
	struct glass_pick_qp local, peer; /* set by the caller */
	u64 from, to; /* set by the caller: only packets sent at from < when <= to */
	/*
	 * Set by the caller: the PSN that failed, if it is known. Of packets that arrive at the peer through a
	 * network, only those with this PSN are picked: the other arrivals would leave no room for the records
	 * of the packets that the QP sent.
	 */
	bool has_psn;
	u32 psn;
	/*
	 * By direction (enum glass_dir): the newest packets, or if `oldest` the oldest ones, newest
	 * first. glass_flight_pick() adds to them, at most `most` in each direction.
	 */
	u32 most; /* set by the caller; at most GLASS_STORY_PACKETS */
	bool oldest; /* set by the caller */
	const struct glass_pick *skip; /* set by the caller: leave out what it has; or NULL */
	u32 n[2];
	struct glass_picked at[2][GLASS_STORY_PACKETS];
	/*
	 * The recorder has all packets that were sent after this time. It has lost older ones,
	 * because a CPU has overwritten them. 0: it has lost none.
	 */
	u64 complete_from;
};

/*
 * Fills p->n and p->at. Scans the rings of all CPUs once, each from its newest record back to one
 * that is older than p->from. False: the recorder is off, or was frozen at or before p->to, so
 * packets may be missing. May sleep.
 */
bool glass_flight_pick(struct glass_pick *p);

#endif
