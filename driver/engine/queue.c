// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Takes posted WQEs from the rings of QPs and SRQs, and finds the AHs that send WQEs refer to.
 * proto/wqe.c decodes WQEs.
 */
#include "engine/engine.h"
#include "engine/lint.h"
#include "observe/observe.h"
#include "proto/wqe.h"

static_assert(sizeof(struct glass_abi_cqe) == 64);
static_assert(sizeof(struct glass_control_page) == 4096);

#define ZERO_IS_MAX (1U << 31)

/*
 * Returns how many bytes an SGE of length 0 stands for: 0, but 2^31 (as on some adapters) while
 * behaviour zero_sge_max of strict mode (model/strict.h) is on.
 */
static u32 zero_sge(const struct glass_dev *dev)
{
	return glass_strict(&dev->strict, GLASS_BEHAVIOR_ZERO_SGE_MAX) ? ZERO_IS_MAX : 0;
}

bool glass_env_ah(struct glass_pqp *q, u32 num, struct glass_av *av)
{
	struct glass_qp *qp = core_to_qp(q);
	struct glass_ah *ah;
	unsigned long flags;
	u32 pdn;
	bool ok;

	lockdep_assert_held(&qp->lock);
	if (likely(num == qp->last_ah && num && qp->last_ah_changes == READ_ONCE(qp->dev->ah_changes))) {
		/* GIDs are for a GRH only */
		memcpy(av, &qp->last_av, offsetof(struct glass_av, sgid));
		if (unlikely(av->has_grh))
			*av = qp->last_av;
		return true;
	}
	xa_lock_irqsave(&qp->dev->ahs, flags);
	ah = xa_load(&qp->dev->ahs, num);
	pdn = ah ? ah->pdn : qp->pdn;
	ok = ah && pdn == qp->pdn;
	if (ok) {
		*av = ah->av;
		qp->last_ah = num;
		qp->last_ah_changes = qp->dev->ah_changes;
		qp->last_av = ah->av;
	}
	xa_unlock_irqrestore(&qp->dev->ahs, flags);
	if (unlikely(pdn != qp->pdn) && glass_linting())
		glass_lint_ah_pd(qp, num, pdn);
	return ok;
}

u32 glass_sq_fetch(struct glass_qp *qp, u32 max, u64 now)
{
	struct glass_pqp *q = &qp->core;
	u32 producer, zero, before = q->req.head;
	enum glass_wc_status status;
	const u8 *slot;
	int posted;

	lockdep_assert_held(&qp->lock);
	if (q->state < GLASS_QPS_RTS)
		return 0;
	posted = glass_sq_posted(q, qp->sq.hdr, &producer);
	if (!posted)
		return 0;
	/* while injection freezes the QP's timers, `now` is in the past: record the true time */
	if (glass_injecting() && unlikely(qp->frozen))
		now = ktime_get_ns();
	if (posted < 0) {
		/* make the ring look empty, so that the engine finds the error only once */
		WRITE_ONCE(qp->sq.hdr->producer, q->req.head);
		glass_pqp_fail(q, GLASS_CAUSE_BAD_RING, GLASS_EV_QP_FATAL, now);
		return 0;
	}
	zero = q->is_user ? zero_sge(qp->dev) : 0;
	if (producer - before > max)
		producer = before + max;
	while (q->req.head != producer) {
		struct glass_swqe *w = glass_swqe_at(q, q->req.head);

		w->flow = qp->flow_base | q->req.head;
		slot = glass_ring_at(&qp->sq, q->req.head);
		status = likely(!zero) ? glass_swqe_take_one(q, w, slot) : GLASS_WC_COUNT;
		if (unlikely(status == GLASS_WC_COUNT))
			status = glass_swqe_take(q, w, slot, zero);
		w->status = status;
		w->post_ns = now;
		trace_glass_wr_post(glass_dev_name(qp->dev), q->qpn, w->wr_id, w->op, w->len,
				    w->num_sge, w->flags, w->flow);
		WRITE_ONCE(q->req.head, q->req.head + 1);
	}
	/*
	 * After this store, the engine no longer reads the WQEs before `consumer`, or their AHs.
	 * Pairs with the acquire in the provider's in_flight(), which tells whether an AH may be
	 * destroyed. Posters do not use this index: they reuse a slot only after its WQE has
	 * completed.
	 */
	smp_store_release(&qp->sq.hdr->consumer, q->req.head);
	if (unlikely(q->state == GLASS_QPS_ERR) && glass_linting())
		glass_lint_posted(qp, q->req.head - before);
	return q->req.head - before;
}

static int take_recv(const struct glass_ring *ring, u32 *consumer, u32 max_sge, u32 zero,
		     struct glass_rwqe *out)
{
	const struct glass_wqe_ring r = {
		.hdr = ring->hdr,
		.entries = ring->entries,
		.num = ring->num,
		.stride = ring->stride,
	};

	return glass_rwqe_take(&r, consumer, max_sge, zero, out);
}

/*
 * Behaviour srq_shuffle of strict mode: swaps the first posted receive of an SRQ with a random
 * posted one, so that the caller takes the random one first. This does not race with the program,
 * which must not write to the slots of posted receives.
 */
static void srq_shuffle_first(struct glass_srq *srq)
{
	u32 first = srq->consumer;
	/* pairs with the poster's release, like the acquire in glass_rwqe_take() (proto/wqe.c) */
	u32 n = smp_load_acquire(&srq->ring.hdr->producer) - first;
	u8 *a, *b;
	u32 i, k;

	lockdep_assert_held(&srq->lock);
	if (n < 2 || n > srq->ring.num || srq->resizing)
		return;
	k = glass_strict_hash(&srq->dev->strict, GLASS_BEHAVIOR_SRQ_SHUFFLE, srq->srqn, srq->total) % n;
	a = glass_ring_at(&srq->ring, first);
	b = glass_ring_at(&srq->ring, first + k);
	if (a == b)
		return;
	for (i = 0; i < srq->ring.stride; i++)
		swap(a[i], b[i]);
}

static int srq_take_recv(struct glass_srq *srq, struct glass_rwqe *out)
{
	bool limit = false;
	unsigned long flags;
	u32 left;
	int ret;

	spin_lock_irqsave(&srq->lock, flags);
	if (srq->failed) {
		ret = -EIO;
	} else {
		if (glass_strict(&srq->dev->strict, GLASS_BEHAVIOR_SRQ_SHUFFLE))
			srq_shuffle_first(srq);
		ret = take_recv(&srq->ring, &srq->consumer, srq->max_sge,
				srq->is_user ? zero_sge(srq->dev) : 0, out);
		left = READ_ONCE(srq->ring.hdr->producer) - srq->consumer;
		if (ret == 1)
			srq->total++;
		/*
		 * The event comes once for each arming of the limit (IBA 10.2.9.3). Test the limit
		 * even if the SRQ had no receive (ret 0), because the limit may have been armed
		 * while the SRQ was empty. The next message then raises the event.
		 */
		if (ret >= 0 && srq->limit && left < srq->limit) {
			srq->limit = 0;
			srq->limit_events++;
			srq->lint_limit_ns = ktime_get_ns();
			srq->lint_producer = READ_ONCE(srq->ring.hdr->producer);
			limit = true;
		}
		if (!ret && glass_linting())
			glass_lint_srq_dry(srq);
	}
	spin_unlock_irqrestore(&srq->lock, flags);
	if (ret == -EIO)
		queue_work(glass_lane_wq, &srq->fail_work);
	if (limit) {
		struct ib_event ev = {
			.device = &srq->dev->ib,
			.element.srq = &srq->ib,
			.event = IB_EVENT_SRQ_LIMIT_REACHED,
		};

		trace_glass_async(glass_dev_name(srq->dev), GLASS_EV_SRQ_LIMIT_REACHED, GLASS_KIND_SRQ,
				  srq->srqn);
		glass_lint_event(srq->owner.lint, GLASS_EV_SRQ_LIMIT_REACHED);
		if (srq->ib.event_handler)
			srq->ib.event_handler(&ev, srq->ib.srq_context);
	}
	return ret;
}

/*
 * Finds the SRQ with this number, and takes a reference. Returns NULL if no SRQ of the QP's XRC
 * domain has this number.
 */
static struct glass_srq *xrc_srq_get(struct glass_qp *qp, u32 srqn)
{
	struct glass_srq *srq = glass_srq_find(qp->dev, srqn);

	if (!srq || (srq->xrcd && srq->xrcd == qp->xrcd))
		return srq;
	glass_ref_put(&srq->ref);
	return NULL;
}

bool glass_env_xrc_srq(struct glass_pqp *q, u32 srqn)
{
	struct glass_qp *qp = core_to_qp(q);
	struct glass_srq *srq = xrc_srq_get(qp, srqn);

	lockdep_assert_held(&qp->lock);
	qp->recv_pdn = srq ? srq->pdn : 0; /* no protection domain has number 0 */
	if (!srq)
		return false;
	glass_ref_put(&srq->ref);
	return true;
}

/*
 * Takes a receive from the SRQ that the peer's request names (resp.rwqe_srq). The QP keeps no
 * reference to the SRQ: if the SRQ is destroyed before the message is complete, the completion of
 * the message is lost.
 */
static int take_xrc(struct glass_qp *qp, struct glass_rwqe *out)
{
	struct glass_srq *srq = xrc_srq_get(qp, qp->core.resp.rwqe_srq);
	int ret;

	if (!srq)
		return -EIO;
	ret = srq_take_recv(srq, out);
	glass_ref_put(&srq->ref);
	return ret;
}

int glass_env_take_rwqe(struct glass_pqp *q, struct glass_rwqe *out)
{
	struct glass_qp *qp = core_to_qp(q);

	if (qp->srq)
		return srq_take_recv(qp->srq, out);
	if (qp->xrcd)
		return take_xrc(qp, out);
	return take_recv(&qp->rq, &qp->rq_consumer, qp->cap.max_recv_sge,
			 q->is_user ? zero_sge(qp->dev) : 0, out);
}

bool glass_env_imm_event(const struct glass_pqp *q)
{
	const struct glass_qp *qp = container_of(q, struct glass_qp, core);

	return q->is_user && glass_strict(&qp->dev->strict, GLASS_BEHAVIOR_IMM_ACCESS_EVENT);
}

u32 glass_env_rq_count(struct glass_pqp *q)
{
	struct glass_qp *qp = core_to_qp(q);
	u32 n;

	if (qp->srq || qp->xrcd)
		return 0;
	n = READ_ONCE(qp->rq.hdr->producer) - qp->rq_consumer;
	return min(n, qp->rq.num);
}
