// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The tables of completion queues and of shared receive queues. */
#include "debugfs/dump.h"
#include "engine/complete.h"

struct glass_span glass_cq_row(struct glass_row *r, struct glass_cq *cq)
{
	static const char *const notify[] = { "no", "solicited", "next" };
	struct ib_ucontext *ucontext;
	unsigned long flags;
	u32 used, end;

	glass_row_num(r, GLASS_COL_CQ_cqn, cq->cqn);
	glass_row_num(r, GLASS_COL_CQ_vector, cq->vector);
	glass_row_owner(r, GLASS_COL_CQ_pid, &cq->owner);
	glass_row_stacks(r, GLASS_COL_CQ_stack, &cq->owner);
	spin_lock_irqsave(&cq->lock, flags);
	glass_row_word(r, GLASS_COL_CQ_state, cq->failed ? "err" : "ok");
	glass_row_num(r, GLASS_COL_CQ_max, cq->cqe);
	/*
	 * glass_cq_used() exceeds cq->cqe if a program wrote a bad consumer index, or if unpolled
	 * completions were overwritten. Show such a CQ as full.
	 */
	used = min(glass_cq_used(cq), cq->cqe);
	end = cq->producer;
	glass_row_num(r, GLASS_COL_CQ_used, used);
	glass_row_num(r, GLASS_COL_CQ_max_used, cq->max_fill);
	glass_row_word(r, GLASS_COL_CQ_notify, notify[min_t(u32, cq->notify, 2)]);
	glass_row_num(r, GLASS_COL_CQ_total, cq->total);
	glass_row_num(r, GLASS_COL_CQ_errors, cq->errors);
	glass_row_num(r, GLASS_COL_CQ_armed, cq->armed);
	glass_row_num(r, GLASS_COL_CQ_events, cq->events);
	glass_row_num(r, GLASS_COL_CQ_resized, cq->resized);
	glass_row_num(r, GLASS_COL_CQ_ignores_overrun, cq->overwrites);
	glass_row_num(r, GLASS_COL_CQ_lost, cq->lost);
	glass_row_memory(r, GLASS_COL_CQ_memory, glass_cq_memory(cq));
	ucontext = glass_ring_ucontext(&cq->ring);
	spin_unlock_irqrestore(&cq->lock, flags);
	glass_row_ctxn(r, GLASS_COL_CQ_ctxn, ucontext);
	return (struct glass_span){ end - used, end };
}

static bool cq_next(struct glass_dev *dev, loff_t *pos, struct glass_row *r)
{
	struct glass_cq *cq;
	unsigned long flags;

	for (;; ++*pos) {
		bool alive;

		xa_lock_irqsave(&dev->cqs, flags);
		cq = glass_table_find(&dev->cqs, pos);
		alive = cq && glass_ref_get(&cq->ref);
		xa_unlock_irqrestore(&dev->cqs, flags);
		if (!cq)
			return false;
		if (!alive)
			continue;
		glass_cq_row(r, cq);
		glass_ref_put(&cq->ref);
		return true;
	}
}

struct glass_span glass_srq_row(struct glass_row *r, struct glass_srq *srq)
{
	struct ib_ucontext *ucontext;
	struct glass_span span;
	unsigned long flags;

	glass_row_num(r, GLASS_COL_SRQ_srqn, srq->srqn);
	glass_row_num(r, GLASS_COL_SRQ_pdn, srq->pdn);
	glass_row_owner(r, GLASS_COL_SRQ_pid, &srq->owner);
	glass_row_stacks(r, GLASS_COL_SRQ_stack, &srq->owner);
	spin_lock_irqsave(&srq->lock, flags);
	span = glass_ring_span(&srq->ring, srq->consumer);
	glass_row_word(r, GLASS_COL_SRQ_state, srq->failed ? "err" : "ok");
	glass_row_num(r, GLASS_COL_SRQ_max, srq->max_wr);
	glass_row_num(r, GLASS_COL_SRQ_used, span.producer - span.consumer);
	glass_row_num(r, GLASS_COL_SRQ_max_sge, srq->max_sge);
	glass_row_num(r, GLASS_COL_SRQ_limit, srq->limit);
	glass_row_num(r, GLASS_COL_SRQ_total, srq->total);
	if (srq->xrcd) {
		glass_row_num(r, GLASS_COL_SRQ_xrcdn, srq->xrcd->num);
		glass_row_num(r, GLASS_COL_SRQ_cqn, srq->cq->cqn);
	}
	glass_row_num(r, GLASS_COL_SRQ_limit_events, srq->limit_events);
	glass_row_num(r, GLASS_COL_SRQ_resized, srq->resized);
	glass_row_memory(r, GLASS_COL_SRQ_memory, glass_srq_memory(srq));
	ucontext = glass_ring_ucontext(&srq->ring);
	spin_unlock_irqrestore(&srq->lock, flags);
	glass_row_ctxn(r, GLASS_COL_SRQ_ctxn, ucontext);
	return span;
}

static bool srq_next(struct glass_dev *dev, loff_t *pos, struct glass_row *r)
{
	struct glass_srq *srq;
	unsigned long flags;

	for (;; ++*pos) {
		bool alive;

		xa_lock_irqsave(&dev->srqs, flags);
		srq = glass_table_find(&dev->srqs, pos);
		alive = srq && glass_ref_get(&srq->ref);
		xa_unlock_irqrestore(&dev->srqs, flags);
		if (!srq)
			return false;
		if (!alive)
			continue;
		glass_srq_row(r, srq);
		glass_ref_put(&srq->ref);
		return true;
	}
}

DEFINE_GLASS_TABLE(cq, CQ, cq_next);
DEFINE_GLASS_TABLE(srq, SRQ, srq_next);
