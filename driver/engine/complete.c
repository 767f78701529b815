// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Puts completions into CQs, raises asynchronous events, and handles the failure of QPs, CQs, SRQs
 * and devices. Also passes the reports of the core (proto/env.h) to trace events, to lint (lint.h)
 * and to the black box (failure.h).
 */
#include <linux/bottom_half.h>

#include "engine/complete.h"
#include "engine/cqe.h"
#include "engine/engine.h"
#include "engine/failure.h"
#include "engine/lint.h"
#include "engine/patience.h"
#include "inject/env.h"
#include "observe/observe.h"
#include "engine/packet.h"

void glass_cqe_poison(const struct glass_cq *cq, struct glass_abi_cqe *to)
{
	const struct glass_strict *s = &cq->dev->strict;
	u64 a = glass_strict_hash(s, GLASS_BEHAVIOR_POISON_ERRORS, cq->cqn, cq->total);
	u64 b = glass_strict_hash(s, GLASS_BEHAVIOR_POISON_ERRORS, a, to->qp_num);

	/* a hash could give the true opcode, so choose a wrong one */
	to->opcode = to->opcode == GLASS_WCOP_RECV ? GLASS_WCOP_WRITE : GLASS_WCOP_RECV;
	to->byte_len = a | 1U << 31;
	to->imm = a >> 32;
	to->src_qp = b & GLASS_QPN_MASK;
	to->slid = b >> 24;
	to->pkey_index = b >> 40;
	to->sl = b >> 56 & 15;
	to->dlid_path_bits = b >> 60;
	to->flags ^= GLASS_CQE_GRH | GLASS_CQE_IMM;
}

/*
 * Drops the oldest CQE of a full CQ that ignores overruns. The caller then writes the new CQE into
 * a slot whose CQE was dropped earlier: the ring has more slots (ring.num) than the CQ holds CQEs
 * (cq->cqe).
 *
 * A program may be copying that slot now. After copying, the provider reads the producer index
 * again, and accepts only the newest cq->cqe CQEs. So it discards the copy of an overwritten CQE,
 * whose index is ring.num less than the producer index.
 */
static void lose_oldest(struct glass_cq *cq)
{
	lockdep_assert_held(&cq->lock);
	cq->lost++;
	if (glass_linting())
		glass_lint_cq_lost(cq);
	if (!cq->is_user)
		cq->consumer++;
	/*
	 * Orders the previous store of the producer index before the stores of the next CQE. Pairs
	 * with the acquire fence in the provider's take_from_ring(), which copies a CQE and then
	 * reads the index again.
	 */
	smp_wmb();
}

/*
 * Adds a CQE to the ring. Sets *notify if a completion event is due. Returns false if the CQ is
 * full and does not ignore overruns. In that case the CQE is lost.
 */
static bool cq_add(struct glass_cq *cq, struct ib_qp *ib, u32 qpn, const struct glass_cqe *c,
		   bool *notify)
{
	u32 used = glass_cq_used(cq);

	lockdep_assert_held(&cq->lock);
	/* if a program writes a consumer index out of range, its CQ counts as full */
	if (unlikely(used >= cq->cqe)) {
		if (!cq->overwrites)
			return false;
		lose_oldest(cq);
		used = cq->cqe - 1;
	}
	if (glass_cq_append(cq, ib, qpn, c, used))
		*notify = true;
	return true;
}

/*
 * Calls the CQ's completion handler. The handler of a kernel consumer expects interrupt context, so
 * bottom halves are off while it runs. If the handler raises a softirq, local_bh_enable() runs the
 * softirq.
 */
static void tell_here(struct glass_cq *cq)
{
	if (!cq->ib.comp_handler)
		return;
	if (cq->is_user) {
		cq->ib.comp_handler(&cq->ib, cq->ib.cq_context);
	} else {
		local_bh_disable();
		cq->ib.comp_handler(&cq->ib, cq->ib.cq_context);
		local_bh_enable();
	}
}

void glass_cq_tell_work(struct work_struct *work)
{
	tell_here(container_of(work, struct glass_cq, tell_work));
}

/*
 * Raises a completion event. Completion vector n stands for CPU n, as if the adapter had one
 * interrupt for each CPU: the work item cq->tell_work calls the handler on CPU n. In three cases
 * this function calls the handler itself: n is 0 (the default), CPU n is the current one, or CPU n
 * is offline.
 */
static void tell_consumer(struct glass_cq *cq)
{
	u32 cpu = cq->vector;

	if (!cpu || cpu == raw_smp_processor_id() || !cpu_online(cpu))
		tell_here(cq);
	else
		queue_work_on(cpu, glass_event_wq, &cq->tell_work);
}

bool glass_cq_put(struct glass_cq *cq, struct ib_qp *ib, u32 qpn, const struct glass_cqe *c,
		  struct glass_cq_told *told)
{
	lockdep_assert_held(&cq->lock);
	trace_glass_cqe(glass_dev_name(cq->dev), cq->cqn, qpn, c);
	/*
	 * A failed CQ of a program takes no more CQEs. A failed CQ of a kernel consumer takes CQEs
	 * while it has room. Otherwise the consumer would wait for ever for its requests to be
	 * flushed, in a task that cannot be killed.
	 */
	if (cq->failed && cq->is_user)
		return false;
	if (cq_add(cq, ib, qpn, c, &told->notify))
		return true;
	told->overrun |= !cq->failed;
	cq->failed = true;
	return false;
}

/*
 * Puts a completion into the CQ, or queues it behind delayed completions of this CQ. Then raises a
 * completion event if one is due. If the CQ overran, queues glass_cq_fail_work() for the CQ.
 */
static void complete_into(struct glass_qp *qp, struct glass_cq *cq, const struct glass_cqe *c)
{
	struct glass_cq_told told = {};
	unsigned long flags;

	lockdep_assert_held(&qp->lock);
	spin_lock_irqsave(&cq->lock, flags);
	/*
	 * nlate counts the completions of this CQ that are still delayed, and changes under this
	 * lock. A test of glass_injecting() would miss completions that strict mode delays, and
	 * those that are still delayed after the last rule is deleted.
	 */
	if (unlikely(cq->nlate) && glass_late_behind(qp, cq, c, &told))
		; /* later */
	else if (glass_cq_put(cq, qp->ib, qp->core.qpn, c, &told))
		glass_qp_note_cqe(qp, cq, c);
	spin_unlock_irqrestore(&cq->lock, flags);
	glass_cq_tell(cq, &told);
}

void glass_cq_tell(struct glass_cq *cq, const struct glass_cq_told *told)
{
	if (told->notify)
		tell_consumer(cq);
	if (told->overrun)
		queue_work(glass_lane_wq, &cq->fail_work);
}

/* As complete_into(), but an injection rule may change, drop, delay or repeat the completion. */
static noinline_for_stack void complete_faulty(struct glass_qp *qp, struct glass_cq *cq,
					       const struct glass_cqe *c)
{
	struct glass_cqe copy = *c;
	u32 n;

	n = glass_inject_complete(qp, cq, &copy);
	if (copy.status != c->status)
		glass_failure_cqe(qp, &copy);
	for (; n; n--)
		complete_into(qp, cq, &copy);
}

#define LATE_MOST (5 * NSEC_PER_MSEC) /* ns */

/*
 * Called in strict mode: delays the completion of a program's send by a random time below
 * LATE_MOST. Returns false if the completion is not delayed: the caller must then put it into the
 * CQ.
 */
static bool complete_strictly(struct glass_qp *qp, struct glass_cq *cq, const struct glass_cqe *c)
{
	u64 ns;

	if (!cq->is_user || !c->is_send ||
	    !glass_strict(&qp->dev->strict, GLASS_BEHAVIOR_LATE_COMPLETIONS))
		return false;
	ns = glass_strict_hash(&qp->dev->strict, GLASS_BEHAVIOR_LATE_COMPLETIONS, qp->born, c->wqe_index) % LATE_MOST;
	return glass_late_add(qp, cq, c, GLASS_LATE_STRICT, ns);
}

void glass_env_complete(struct glass_pqp *q, const struct glass_cqe *c)
{
	struct glass_qp *qp = core_to_qp(q);
	struct glass_cq *cq = c->is_send ? qp->send_cq : qp->recv_cq;
	struct glass_srq *srq = NULL;

	if (unlikely(c->status != GLASS_WC_SUCCESS && c->status != GLASS_WC_WR_FLUSH_ERR))
		glass_failure_cqe(qp, c);
	if (unlikely(qp->xrcd) && !c->is_send) {
		/* the reference to the SRQ keeps its CQ alive */
		srq = glass_srq_find(qp->dev, c->xrc_srq);
		cq = srq && srq->xrcd == qp->xrcd ? srq->cq : NULL;
	}
	if (cq && glass_strict_any() && complete_strictly(qp, cq, c))
		; /* later */
	else if (cq && glass_injecting() && glass_qp_concerned(qp, GLASS_INJECT_COMPLETIONS))
		complete_faulty(qp, cq, c);
	else if (cq)
		complete_into(qp, cq, c);
	if (unlikely(srq))
		glass_ref_put(&srq->ref);
}

/* by_rule: an injection rule raises the event, and nothing else happened to the QP. */
static void qp_event(struct glass_qp *qp, enum glass_event ev, bool by_rule)
{
	struct ib_event event = {
		.device = &qp->dev->ib,
		.element.qp = qp->ib,
		.event = (enum ib_event_type)ev,
	};

	trace_glass_async(glass_dev_name(qp->dev), ev, GLASS_KIND_QP, qp->core.qpn);
	if (ev == GLASS_EV_QP_FATAL || ev == GLASS_EV_QP_REQ_ERR || ev == GLASS_EV_QP_ACCESS_ERR)
		glass_failure_event(qp, ev, by_rule);
	/*
	 * Lint does not count the events of an XRC target. They go to all programs that have the
	 * target open, and the driver does not know these programs.
	 */
	if (!qp->target_lint)
		glass_lint_event(qp->owner.lint, ev);
	if (qp->ib->event_handler)
		qp->ib->event_handler(&event, qp->ib->qp_context);
}

static_assert((int)GLASS_EV_QP_FATAL == (int)IB_EVENT_QP_FATAL);
static_assert((int)GLASS_EV_GID_CHANGE == (int)IB_EVENT_GID_CHANGE);

void glass_env_event(struct glass_pqp *q, enum glass_event ev)
{
	struct glass_qp *qp = core_to_qp(q);

	lockdep_assert_held(&qp->lock);
	if (ev == GLASS_EV_PATH_MIG)
		glass_stats_move(qp, q->attr.port);
	qp_event(qp, ev, false);
}

void glass_env_note_state(struct glass_pqp *q, enum glass_qp_state from, enum glass_qp_state to,
			  enum glass_cause cause)
{
	struct glass_qp *qp = core_to_qp(q);

	lockdep_assert_held(&qp->lock);
	qp->history[qp->nchanges++ % GLASS_HISTORY] = (struct glass_state_change){
		.when = ktime_get_ns(),
		.from = from,
		.to = to,
		.cause = cause,
	};
	trace_glass_qp_state(glass_dev_name(qp->dev), q->qpn, from, to, cause);
	glass_failure_state(qp, from, to, cause);
	if (to != GLASS_QPS_RTS && to != GLASS_QPS_SQD)
		glass_patience_leave(qp);
	if (to == GLASS_QPS_ERR && glass_linting())
		glass_lint_qp_failed(qp);
	if (to != GLASS_QPS_ERR || !qp->rq.hdr)
		return;
	/* from here on, each post of receives kicks the QP, so that the engine flushes them */
	WRITE_ONCE(qp->rq.hdr->awake, 0);
	/*
	 * Pairs with glass_full_barrier() in glass_post_recv() of the provider, and with smp_mb()
	 * in glass_post_recv() of the driver. Both stand between the store of `producer` and the
	 * load of `awake`. So either the post reads 0 and kicks the QP, or the flush that
	 * glass_to_err() runs next finds the posted receive.
	 */
	smp_mb();
}

void glass_env_note_told(struct glass_pqp *q)
{
	if (glass_linting())
		glass_lint_qp_failed(core_to_qp(q));
}

void glass_env_note_drop(struct glass_pqp *q, const struct glass_pkt *pkt, enum glass_drop reason)
{
	struct glass_qp *qp = core_to_qp(q);

	lockdep_assert_held(&qp->lock);
	if (glass_linting())
		glass_lint_drop(qp, pkt, reason);
	glass_port_drop(qp->dev, q->attr.port, GLASS_AT_QP, pkt, reason);
}

void glass_env_note_retry(struct glass_pqp *q, enum glass_retry why, u32 psn, u32 left)
{
	struct glass_qp *qp = core_to_qp(q);

	const struct glass_swqe *w = glass_swqe_at(q, q->req.tail);

	trace_glass_qp_retry(glass_dev_name(qp->dev), q->qpn, why, psn, q->req.round, left,
			     w->wr_id, w->flow);
}

void glass_env_recovered(struct glass_pqp *q, u32 tries)
{
	glass_patience_rewarded(core_to_qp(q), tries);
}

void glass_env_note_rnr(struct glass_pqp *q, enum glass_dir dir, u32 psn, u64 wait, u32 left)
{
	struct glass_qp *qp = core_to_qp(q);

	bool rx = dir == GLASS_DIR_RX;

	if (rx && unlikely(q->req.round > GLASS_PATIENT_ROUNDS))
		glass_patience_wait(qp);
	if (rx && glass_linting())
		glass_lint_rnr(qp, psn, wait);
	trace_glass_rnr(glass_dev_name(qp->dev), q->qpn, dir, psn, wait, rx ? q->req.round : 0,
			left, rx ? glass_swqe_at(q, q->req.tail)->flow : q->resp.nak_flow);
}

/* Out of line, so that glass_env_note_start() saves no registers while the trace event is off. */
static noinline void trace_start(const struct glass_qp *qp, const struct glass_swqe *w)
{
	trace_glass_wr_start(glass_dev_name(qp->dev), qp->core.qpn, w->wr_id, w->op, w->len, w->psn,
			     w->npsn, w->tries, w->flow);
}

void glass_env_note_start(struct glass_pqp *q, const struct glass_swqe *w)
{
	if (trace_glass_wr_start_enabled())
		trace_start(core_to_qp(q), w);
}

static noinline void observe_done(struct glass_qp *qp, const struct glass_swqe *w,
				  enum glass_wc_status status)
{
	trace_glass_wr_complete(glass_dev_name(qp->dev), qp->core.qpn, w->wr_id, w->op, w->len,
				w->psn, status, w->flow);
	if (unlikely(status) && glass_linting())
		glass_lint_failed(qp, w, status);
}

void glass_env_note_done(struct glass_pqp *q, const struct glass_swqe *w,
			 enum glass_wc_status status)
{
	if (trace_glass_wr_complete_enabled() || (unlikely(status) && glass_linting()))
		observe_done(core_to_qp(q), w, status);
}

void glass_port_event(struct glass_dev *dev, u32 port, enum ib_event_type type)
{
	struct ib_event event = {
		.device = &dev->ib,
		.element.port_num = port,
		.event = type,
	};

	trace_glass_async(glass_dev_name(dev), (enum glass_event)type,
			  port ? GLASS_KIND_PORT : GLASS_KIND_DEVICE, port);
	/*
	 * ib_dispatch_event() queues work that uses the device. ib_unregister_device() waits for
	 * queued work, but not for work that is queued later. So before it unregisters the device,
	 * hca_take_down() clears `registered` and waits for an RCU grace period.
	 */
	rcu_read_lock();
	if (READ_ONCE(dev->registered))
		ib_dispatch_event(&event);
	rcu_read_unlock();
}

/*
 * Moves a QP to ERR, except from RESET, and drops the caller's reference to it. Raises no QP event:
 * the caller raises one event for the object that failed. May sleep.
 */
static void fail_user(struct glass_qp *qp, enum glass_cause cause)
{
	spin_lock(&qp->lock);
	if (!qp->dead) {
		glass_pqp_fail(&qp->core, cause, GLASS_EV_COUNT, ktime_get_ns());
		glass_qp_kick(qp, NULL);
	}
	spin_unlock(&qp->lock);
	glass_ref_put(&qp->ref);
	cond_resched();
}

/*
 * As fail_user(), for each QP of the list. One caller at a time, because those who come later return
 * only when all QPs are in ERR.
 */
static void fail_users(struct glass_users *users, enum glass_cause cause)
{
	struct glass_user *u;
	LIST_HEAD(left);

	mutex_lock(&users->failing);
	spin_lock(&users->lock);
	list_splice_init(&users->list, &left);
	while (!list_empty(&left)) {
		u = list_first_entry(&left, struct glass_user, node);
		list_move_tail(&u->node, &users->list);
		if (!glass_ref_get(&u->qp->ref))
			continue;
		spin_unlock(&users->lock);
		fail_user(u->qp, cause);
		spin_lock(&users->lock);
	}
	spin_unlock(&users->lock);
	mutex_unlock(&users->failing);
}

void glass_inject_env_fail_device(struct glass_dev *dev)
{
	unsigned long index = 0;
	struct glass_qp *qp;

	/* fail the QPs first, so that a consumer that gets the event finds them in ERR */
	for (;; index++) {
		rcu_read_lock();
		qp = xa_find(&dev->qps, &index, ULONG_MAX, XA_PRESENT);
		while (qp && !glass_ref_get(&qp->ref))
			qp = xa_find_after(&dev->qps, &index, ULONG_MAX, XA_PRESENT);
		rcu_read_unlock();
		if (!qp)
			break;
		fail_user(qp, GLASS_CAUSE_INJECTED);
	}
	glass_port_event(dev, 0, IB_EVENT_DEVICE_FATAL);
}

/*
 * Fails an SRQ: moves its QPs to ERR, and raises SRQ_ERR. Does nothing if the SRQ has failed
 * before, unless the failure is injected. An injected failure (GLASS_CAUSE_INJECTED) takes effect
 * each time. May sleep.
 */
static void srq_failed(struct glass_srq *srq, enum glass_cause cause)
{
	struct ib_event event = {
		.device = &srq->dev->ib,
		.element.srq = &srq->ib,
		.event = IB_EVENT_SRQ_ERR,
	};
	unsigned long flags;

	spin_lock_irqsave(&srq->lock, flags);
	if (srq->failed && cause != GLASS_CAUSE_INJECTED) {
		spin_unlock_irqrestore(&srq->lock, flags);
		return;
	}
	srq->by_rule |= !srq->failed && cause == GLASS_CAUSE_INJECTED;
	srq->failed = true;
	spin_unlock_irqrestore(&srq->lock, flags);
	trace_glass_async(glass_dev_name(srq->dev), GLASS_EV_SRQ_ERR, GLASS_KIND_SRQ, srq->srqn);
	glass_lint_event(srq->owner.lint, GLASS_EV_SRQ_ERR);
	glass_failure_srq(srq, cause);
	fail_users(&srq->qps_of, GLASS_CAUSE_SRQ_ERROR);
	if (srq->ib.event_handler)
		srq->ib.event_handler(&event, srq->ib.srq_context);
}

/*
 * Fails the XRC SRQs whose receives complete into a failed CQ. Otherwise XRC target QPs would
 * acknowledge messages that never complete. An XRC target is not in srq->qps_of: it fails later,
 * when a message needs a receive of a failed SRQ.
 */
static void fail_xrc_srqs(struct glass_cq *cq)
{
	struct glass_srq *srq;
	unsigned long index = 0;

	for (;;) {
		xa_lock(&cq->xrc_srqs);
		srq = xa_find(&cq->xrc_srqs, &index, ULONG_MAX, XA_PRESENT);
		while (srq && !glass_ref_get(&srq->ref))
			srq = xa_find_after(&cq->xrc_srqs, &index, ULONG_MAX, XA_PRESENT);
		xa_unlock(&cq->xrc_srqs);
		if (!srq)
			return;
		srq_failed(srq, GLASS_CAUSE_CQ_OVERRUN);
		glass_ref_put(&srq->ref);
		index++;
		cond_resched();
	}
}

/*
 * Called when a CQ has failed: moves its QPs to ERR, fails its XRC SRQs, and raises CQ_ERR. May
 * sleep.
 */
static void cq_failed(struct glass_cq *cq)
{
	struct ib_event event = {
		.device = &cq->dev->ib,
		.element.cq = &cq->ib,
		.event = IB_EVENT_CQ_ERR,
	};

	trace_glass_async(glass_dev_name(cq->dev), GLASS_EV_CQ_ERR, GLASS_KIND_CQ, cq->cqn);
	glass_lint_event(cq->owner.lint, GLASS_EV_CQ_ERR);
	if (glass_linting())
		glass_lint_cq_overrun(cq);
	glass_failure_cq(cq);
	/* fail the QPs first, so that a consumer that gets the event finds them in ERR */
	fail_users(&cq->qps_of, GLASS_CAUSE_CQ_OVERRUN);
	fail_xrc_srqs(cq);
	if (cq->ib.event_handler)
		cq->ib.event_handler(&event, cq->ib.cq_context);
}

void glass_cq_fail_work(struct work_struct *work)
{
	cq_failed(container_of(work, struct glass_cq, fail_work));
}

void glass_srq_fail_work(struct work_struct *work)
{
	srq_failed(container_of(work, struct glass_srq, fail_work), GLASS_CAUSE_SRQ_ERROR);
}

void glass_inject_env_fail_qp(struct glass_qp *qp)
{
	spin_lock(&qp->lock);
	if (!qp->dead) {
		glass_pqp_fail(&qp->core, GLASS_CAUSE_INJECTED, GLASS_EV_QP_FATAL, ktime_get_ns());
		glass_qp_kick(qp, NULL);
	}
	spin_unlock(&qp->lock);
}

void glass_inject_env_fail_cq(struct glass_cq *cq)
{
	unsigned long flags;

	spin_lock_irqsave(&cq->lock, flags);
	cq->by_rule |= !cq->failed;
	cq->failed = true;
	spin_unlock_irqrestore(&cq->lock, flags);
	cq_failed(cq);
}

void glass_inject_env_fail_srq(struct glass_srq *srq)
{
	srq_failed(srq, GLASS_CAUSE_INJECTED);
}

void glass_inject_env_qp_event(struct glass_qp *qp, enum glass_event ev)
{
	spin_lock(&qp->lock);
	if (!qp->dead)
		qp_event(qp, ev, true);
	spin_unlock(&qp->lock);
}

void glass_inject_env_cq_event(struct glass_cq *cq)
{
	struct ib_event event = {
		.device = &cq->dev->ib,
		.element.cq = &cq->ib,
		.event = IB_EVENT_CQ_ERR,
	};

	trace_glass_async(glass_dev_name(cq->dev), GLASS_EV_CQ_ERR, GLASS_KIND_CQ, cq->cqn);
	glass_lint_event(cq->owner.lint, GLASS_EV_CQ_ERR);
	if (cq->ib.event_handler)
		cq->ib.event_handler(&event, cq->ib.cq_context);
}

void glass_inject_env_srq_event(struct glass_srq *srq, enum glass_event ev)
{
	struct ib_event event = {
		.device = &srq->dev->ib,
		.element.srq = &srq->ib,
		.event = (enum ib_event_type)ev,
	};

	trace_glass_async(glass_dev_name(srq->dev), ev, GLASS_KIND_SRQ, srq->srqn);
	glass_lint_event(srq->owner.lint, ev);
	if (srq->ib.event_handler)
		srq->ib.event_handler(&event, srq->ib.srq_context);
}

void glass_inject_env_srq_limit(struct glass_srq *srq)
{
	unsigned long flags;

	spin_lock_irqsave(&srq->lock, flags);
	srq->limit = 0;
	srq->limit_events++;
	spin_unlock_irqrestore(&srq->lock, flags);
	glass_inject_env_srq_event(srq, GLASS_EV_SRQ_LIMIT_REACHED);
}
