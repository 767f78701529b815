/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * From shared rings to private work requests.
 *
 * A program can write to its rings at any time, also while they are read. Each word of an entry and
 * each index is therefore read once; what is checked and used is the copy. tests/fuzz/fuzz_wqe.c
 * changes the memory between any two reads and counts them.
 *
 * The caller serialises all calls on one ring.
 */
#ifndef GLASS_PROTO_WQE_H
#define GLASS_PROTO_WQE_H

#include "proto/qp.h"
#include "uapi/glass-abi.h"

/* A ring of receive WQEs as its reader sees it */
struct glass_wqe_ring {
	struct glass_ring_hdr *hdr;
	const u8 *entries;
	u32 num; /* a power of two */
	u32 stride; /* bytes of an entry: header and max_sge SGEs fit */
};

/*
 * Looks for send WQEs that were posted and have no snapshot yet. Returns 1: *producer is the index
 * behind the last of them, and there is a snapshot for each; 0: there are none; -EIO: the index in
 * the ring is impossible.
 */
static inline int glass_sq_posted(const struct glass_pqp *q, const struct glass_ring_hdr *hdr,
				  u32 *producer)
{
	/* pairs with the store of whoever posts: what is counted is written */
	u32 seen = smp_load_acquire(&hdr->producer);

	if (seen == q->req.head)
		return 0;
	*producer = seen;
	return seen - q->req.tail > q->sq_entries ? -EIO : 1;
}

/*
 * Takes a send WQE from its slot into its snapshot, which has room for q->max_sge SGEs and
 * q->max_inline bytes, as the slot has behind the header. zero: bytes that an SGE of length 0
 * stands for. Fills all of *w that the core does not, but status, flow and post_ns. Returns the
 * status for w->status.
 */
enum glass_wc_status glass_swqe_take(struct glass_pqp *q, struct glass_swqe *w, const u8 *slot,
				     u32 zero);

/*
 * Takes the receive WQE at *consumer, and gives its slot back. zero: as above. Returns as
 * glass_env_take_rwqe() does; only 0 and -EIO leave the index where it was.
 */
int glass_rwqe_take(const struct glass_wqe_ring *ring, u32 *consumer, u32 max_sge, u32 zero,
		    struct glass_rwqe *out);

#endif
