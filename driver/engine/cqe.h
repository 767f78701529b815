/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Completions in the rings of CQs: what complete.c and the direct way (direct_parts.h) have in common. Inline: each message needs it. */
#ifndef GLASS_ENGINE_CQE_H
#define GLASS_ENGINE_CQE_H

#include "engine/complete.h"
#include "engine/lint.h"
#include "inject/hooks.h"
#include "model/device.h"
#include "model/strict.h"
#include "observe/observe.h"

/*
 * Fills an entry of a CQ's ring. CQs of kernel consumers have the layout of the ABI
 * (uapi/glass-abi.h), too.
 */
static __always_inline void glass_cqe_fill(struct glass_abi_cqe *to, u32 qpn,
					   const struct glass_cqe *c)
{
	to->wr_id = c->wr_id;
	to->status = c->status;
	to->opcode = c->op;
	to->vendor_err = c->vendor ? c->vendor : c->syndrome << 8 | c->cause;
	to->byte_len = c->byte_len;
	to->imm = c->has_inv ? c->inv_key : (__force __u32)c->imm;
	to->qp_num = qpn;
	to->src_qp = c->src_qp;
	to->slid = c->slid;
	to->pkey_index = c->pkey_index;
	to->sl = c->sl;
	to->dlid_path_bits = c->dlid_path_bits;
	to->flags = (c->has_grh ? GLASS_CQE_GRH : 0) | (c->has_imm ? GLASS_CQE_IMM : 0) |
		    (c->solicited ? GLASS_CQE_SOLICITED : 0) | (c->is_send ? GLASS_CQE_SEND : 0) |
		    (c->from_srq ? GLASS_CQE_SRQ : 0) | (c->has_inv ? GLASS_CQE_INV : 0);
	to->wqe_index = c->wqe_index;
	to->timestamp_ns = ktime_get_raw_ns();
	to->flow = c->flow;
}

/*
 * Called in strict mode (model/strict.h). An error CQE defines only wr_id, status, qp_num and
 * vendor_err (ibv_poll_cq(3)). This function writes wrong values to the other fields, except
 * timestamp_ns, flow and wqe_index, and inverts the flags GRH and IMM. The provider uses wqe_index
 * and the flag SEND, so they remain right.
 */
void glass_cqe_poison(const struct glass_cq *cq, struct glass_abi_cqe *to);

/*
 * Adds a CQE to the ring, which has `used` CQEs and room for one more. Returns whether a completion event is due. The
 * caller holds cq->lock.
 */
static __always_inline bool glass_cq_append(struct glass_cq *cq, struct ib_qp *ib, u32 qpn, const struct glass_cqe *c,
					    u32 used)
{
	struct glass_abi_cqe *to = glass_ring_at(&cq->ring, cq->producer);

	lockdep_assert_held(&cq->lock);
	glass_cqe_fill(to, qpn, c);
	if (unlikely(c->status) && cq->is_user &&
	    glass_strict(&cq->dev->strict, GLASS_BEHAVIOR_POISON_ERRORS))
		glass_cqe_poison(cq, to);
	if (cq->qps)
		cq->qps[cq->producer & (cq->ring.num - 1)] = ib;
	cq->producer++;
	/* pairs with the provider's acquire: a program that sees this index sees the CQE, too */
	smp_store_release(&cq->ring.hdr->producer, cq->producer);
	cq->total++;
	if (c->status)
		cq->errors++;
	cq->max_fill = max(cq->max_fill, used + 1);
	if (glass_linting())
		glass_lint_cq_fill(cq, used + 1);
	if (likely(!(cq->notify == 2 || (cq->notify == 1 && (c->solicited || c->status)))))
		return false;
	cq->notify = 0;
	cq->events++;
	return true;
}

/*
 * Records in the QP the position of its last completion in the CQ (cq->total). For a send, also
 * records the index of the WQE behind the completed one.
 */
static __always_inline void glass_qp_note_cqe(struct glass_qp *qp, const struct glass_cq *cq,
					      const struct glass_cqe *c)
{
	if (c->is_send) {
		qp->scq_total = cq->total;
		qp->sq_told = c->wqe_index + 1;
	} else {
		qp->rcq_total = cq->total;
	}
}

#endif
