/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Copies entries of shared rings into private snapshots. A program can write to its rings at any
 * time, even while the driver reads them. So each function of this file reads each word of an entry,
 * and each index, only once. They check and use only the copy. tests/fuzz/fuzz_wqe.c changes the
 * memory between any two reads, and counts the reads. The caller serialises all calls on one ring.
 */
#ifndef GLASS_PROTO_WQE_H
#define GLASS_PROTO_WQE_H

#include "proto/env.h"
#include "wire/opcode.h"
#include "uapi/glass-abi.h"

/* A ring of receive WQEs, as glass_rwqe_take() reads it. */
struct glass_wqe_ring {
	struct glass_ring_hdr *hdr;
	const u8 *entries;
	u32 num; /* a power of two */
	u32 stride; /* bytes of an entry: at least the header and max_sge SGEs */
};

/*
 * Looks for posted send WQEs that were not copied into snapshots yet. Returns one of these values:
 * - 1: there are some, and a free snapshot for each. *producer is the index behind the last posted
 *   WQE.
 * - 0: there are none.
 * - -EIO: the producer index in the ring is impossible, because more WQEs would be outstanding than
 *   the ring has entries.
 */
static inline int glass_sq_posted(const struct glass_pqp *q, const struct glass_ring_hdr *hdr,
				  u32 *producer)
{
	/* pairs with the poster's release: all entries before `producer` are written */
	u32 seen = smp_load_acquire(&hdr->producer);

	if (seen == q->req.head)
		return 0;
	*producer = seen;
	return seen - q->req.tail > q->sq_entries ? -EIO : 1;
}

/*
 * Copies a send WQE from its slot in the ring into the snapshot *w, and checks the snapshot. Slot
 * and snapshot have room for q->max_sge SGEs, or q->max_inline bytes, behind the header. `zero` is
 * the number of bytes that an SGE stands for if its length field is 0. Returns the value for
 * w->status. If that is GLASS_WC_SUCCESS, all fields of *w that the WQE's operation needs are set,
 * except status, flow, post_ns, and those that the core fills.
 */
enum glass_wc_status glass_swqe_take(struct glass_pqp *q, struct glass_swqe *w, const u8 *slot,
				     u32 zero);

/* Copies what a request of a connected QP says of the peer's memory. w->op is set. */
static __always_inline void glass_swqe_operands(struct glass_swqe *w, const struct glass_abi_send_wqe *a)
{
	w->raddr = READ_ONCE(a->remote_addr);
	w->xrc_srq = READ_ONCE(a->xrc_srqn) & GLASS_QPN_MASK;
	if (w->op == GLASS_OP_CMP_SWAP || w->op == GLASS_OP_FETCH_ADD) {
		w->cmp_add = READ_ONCE(a->compare_add);
		w->swap = READ_ONCE(a->swap);
		return;
	}
	w->blen = READ_ONCE(a->length);
	w->mw_rkey = READ_ONCE(a->mw_rkey);
	w->mr_lkey = READ_ONCE(a->mr_lkey);
	w->access = READ_ONCE(a->access);
}

/* The work requests that glass_swqe_take_one() takes */
#define GLASS_WRS_USUAL                                                                            \
	(BIT(GLASS_OP_SEND) | BIT(GLASS_OP_SEND_IMM) | BIT(GLASS_OP_WRITE) |                       \
	 BIT(GLASS_OP_WRITE_IMM) | BIT(GLASS_OP_READ) | BIT(GLASS_OP_CMP_SWAP) | BIT(GLASS_OP_FETCH_ADD))

/*
 * As glass_swqe_take(), for the usual work request of an RC or UD QP, whose data are one SGE; `zero` is 0. Returns
 * GLASS_WC_COUNT if it is another one, or too long: then glass_swqe_take() takes it, and reads it anew. Fields of *w
 * that only other operations need keep their values.
 */
static __always_inline enum glass_wc_status glass_swqe_take_one(struct glass_pqp *q, struct glass_swqe *w,
								const u8 *slot)
{
	/* a program may write to it: each field is read once */
	const struct glass_abi_send_wqe *a = (const void *)slot;
	const struct glass_abi_sge *sge = (const void *)(a + 1);
	u32 op = READ_ONCE(a->opcode), flags = READ_ONCE(a->flags), len;

	if (unlikely(op >= GLASS_OP_COUNT || !(GLASS_WRS_USUAL >> op & 1) || flags & GLASS_SWQE_INLINE ||
		     READ_ONCE(a->num_sge) != 1 || !q->max_sge))
		return GLASS_WC_COUNT;
	len = READ_ONCE(sge->length);
	if (unlikely(len > GLASS_MSG_MAX))
		return GLASS_WC_COUNT;
	if (q->type == GLASS_QPT_UD) {
		if (unlikely(!(GLASS_WRS_ON(GLASS_ON_UD) >> op & 1)))
			return GLASS_WC_COUNT;
		w->dqpn = READ_ONCE(a->remote_qpn) & GLASS_QPN_MASK;
		w->qkey = READ_ONCE(a->remote_qkey);
		w->pkey_index = q->attr.pkey_index;
	} else if (unlikely(q->type != GLASS_QPT_RC)) {
		return GLASS_WC_COUNT;
	} else {
		if (op == GLASS_OP_CMP_SWAP || op == GLASS_OP_FETCH_ADD) {
			if (unlikely(len != sizeof(u64)))
				return GLASS_WC_COUNT;
			w->cmp_add = READ_ONCE(a->compare_add);
			w->swap = READ_ONCE(a->swap);
		}
		w->raddr = READ_ONCE(a->remote_addr);
		w->xrc_srq = READ_ONCE(a->xrc_srqn) & GLASS_QPN_MASK;
	}
	w->wr_id = READ_ONCE(a->wr_id);
	w->op = op;
	w->flags = flags & (GLASS_SWQE_FENCE | GLASS_SWQE_SIGNALED | GLASS_SWQE_SOLICITED);
	w->imm = (__force __be32)READ_ONCE(a->imm);
	w->rkey = READ_ONCE(a->rkey);
	w->tries = 0;
	if (q->type == GLASS_QPT_UD && unlikely(!glass_env_ah(q, READ_ONCE(a->ah_num), &w->av))) {
		w->num_sge = 0;
		w->len = 0;
		return GLASS_WC_LOC_QP_OP_ERR;
	}
	w->num_sge = 1;
	w->len = len;
	w->sge[0].addr = READ_ONCE(sge->addr);
	w->sge[0].len = len;
	w->sge[0].lkey = READ_ONCE(sge->lkey);
	return GLASS_WC_SUCCESS;
}

/*
 * Copies the receive WQE at index *consumer into *out, advances *consumer, and publishes it in the
 * ring, so that the poster may fill the slot again. `zero` means the same as for glass_swqe_take().
 * The return values are those of glass_env_take_rwqe(). If the function returns 0 or -EIO,
 * *consumer is unchanged.
 */
int glass_rwqe_take(const struct glass_wqe_ring *ring, u32 *consumer, u32 max_sge, u32 zero,
		    struct glass_rwqe *out);

/*
 * As glass_rwqe_take(), for a receive WQE with one SGE; `zero` is 0, and max_sge is not. Returns false, and takes nothing,
 * if there is no receive WQE, or if it has another number of SGEs.
 */
static __always_inline bool glass_rwqe_take_one(const struct glass_wqe_ring *ring, u32 *consumer,
						struct glass_rwqe *out)
{
	/* pairs with the poster's release: all entries before `producer` are written */
	u32 producer = smp_load_acquire(&ring->hdr->producer), first = *consumer;
	const struct glass_abi_recv_wqe *a;
	const struct glass_abi_sge *sge;

	if (unlikely(producer == first || producer - first > ring->num))
		return false;
	a = (const void *)(ring->entries + (size_t)(first & (ring->num - 1)) * ring->stride);
	if (unlikely(READ_ONCE(a->num_sge) != 1))
		return false;
	sge = (const void *)(a + 1);
	out->stack = READ_ONCE(a->stack);
	out->wr_id = READ_ONCE(a->wr_id);
	out->num_sge = 1;
	out->sge[0].addr = READ_ONCE(sge->addr);
	out->sge[0].len = READ_ONCE(sge->length);
	out->sge[0].lkey = READ_ONCE(sge->lkey);
	out->len = out->sge[0].len;
	*consumer = first + 1;
	/* pairs as in glass_rwqe_take() */
	smp_store_release(&ring->hdr->consumer, first + 1);
	return true;
}

#endif
