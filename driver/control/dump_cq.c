// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Completion queues and shared receive queues. */
#include "control/row.h"
#include "engine/complete.h"
#include "engine/ring.h"

static void cq_row(struct glass_row *r, struct glass_cq *cq)
{
	static const char *const notify[] = { "no", "solicited", "next" };
	unsigned long flags;

	glass_row_num(r, GLASS_COL_CQ_cqn, cq->cqn);
	if (cq->ring.map)
		glass_row_ctxn(r, GLASS_COL_CQ_ctxn, cq->ring.map->rdma.ucontext);
	glass_row_owner(r, GLASS_COL_CQ_pid, &cq->owner);
	spin_lock_irqsave(&cq->lock, flags);
	glass_row_word(r, GLASS_COL_CQ_state, cq->failed ? "err" : "ok");
	glass_row_num(r, GLASS_COL_CQ_max, cq->cqe);
	/* a program may have written any consumer index: such a one counts as full */
	glass_row_num(r, GLASS_COL_CQ_used, min(glass_cq_used(cq), cq->cqe));
	glass_row_num(r, GLASS_COL_CQ_max_used, cq->max_fill);
	glass_row_word(r, GLASS_COL_CQ_notify, notify[min_t(u32, cq->notify, 2)]);
	glass_row_num(r, GLASS_COL_CQ_total, cq->total);
	glass_row_num(r, GLASS_COL_CQ_errors, cq->errors);
	glass_row_num(r, GLASS_COL_CQ_armed, cq->armed);
	glass_row_num(r, GLASS_COL_CQ_events, cq->events);
	spin_unlock_irqrestore(&cq->lock, flags);
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
		cq_row(r, cq);
		glass_ref_put(&cq->ref);
		return true;
	}
}

static void srq_row(struct glass_row *r, struct glass_srq *srq)
{
	unsigned long flags;

	glass_row_num(r, GLASS_COL_SRQ_srqn, srq->srqn);
	glass_row_num(r, GLASS_COL_SRQ_pdn, srq->pdn);
	if (srq->ring.map)
		glass_row_ctxn(r, GLASS_COL_SRQ_ctxn, srq->ring.map->rdma.ucontext);
	glass_row_owner(r, GLASS_COL_SRQ_pid, &srq->owner);
	spin_lock_irqsave(&srq->lock, flags);
	glass_row_word(r, GLASS_COL_SRQ_state, srq->failed ? "err" : "ok");
	glass_row_num(r, GLASS_COL_SRQ_max, srq->max_wr);
	glass_row_num(r, GLASS_COL_SRQ_used, glass_ring_used(&srq->ring, srq->consumer));
	glass_row_num(r, GLASS_COL_SRQ_max_sge, srq->max_sge);
	glass_row_num(r, GLASS_COL_SRQ_limit, srq->limit);
	glass_row_num(r, GLASS_COL_SRQ_total, srq->total);
	glass_row_num(r, GLASS_COL_SRQ_limit_events, srq->limit_events);
	spin_unlock_irqrestore(&srq->lock, flags);
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
		srq_row(r, srq);
		glass_ref_put(&srq->ref);
		return true;
	}
}

DEFINE_GLASS_TABLE(cq, CQ, cq_next);
DEFINE_GLASS_TABLE(srq, SRQ, srq_next);
