// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Late completions (hooks.h): completions that an injection rule or strict mode delays, and later
 * completions of the same CQ, which wait behind them.
 */
#include <linux/ktime.h>
#include <linux/slab.h>

#include "model/work.h"
#include "inject/env.h"
#include "inject/hooks.h"

struct late {
	struct list_head node; /* glass_cq.late */
	/*
	 * the completion stays out of the CQ until this time (ktime_get_ns()); 0: it waits only for
	 * earlier completions
	 */
	u64 due;
	u32 rule; /* rule id or GLASS_LATE_STRICT; 0: it waits only for earlier ones */
	u32 qpn;
	u32 resets; /* glass_qp.resets when the completion was queued */
	struct ib_qp *ib; /* its QP; late_drop() drops the completion before the QP is freed */
	struct glass_cqe cqe;
};

/* put_in_due() puts at most this many completions into a CQ in one call, under the CQ's lock. */
#define AT_ONCE 64

/* If there is a late completion, schedules late_work() for the time when the first one is due. */
static void wait_for_first(struct glass_cq *cq)
{
	const struct late *l = list_first_entry_or_null(&cq->late, struct late, node);
	u64 now = ktime_get_ns();

	lockdep_assert_held(&cq->lock);
	if (l)
		mod_delayed_work(glass_event_wq, &cq->late_work,
				 l->due > now ? nsecs_to_jiffies(l->due - now) + 1 : 0);
}

/*
 * Puts the first late completion into the CQ, even if it is not due. Returns the struct late of
 * this completion, which the caller frees or uses again.
 */
static struct late *put_in_first(struct glass_cq *cq, struct glass_cq_told *told)
{
	struct late *l = list_first_entry(&cq->late, struct late, node);

	lockdep_assert_held(&cq->lock);
	glass_inject_env_put(cq, l->ib, l->qpn, &l->cqe, told);
	list_del(&l->node);
	WRITE_ONCE(cq->nlate, cq->nlate - 1);
	return l;
}

/*
 * Puts late completions into the CQ, up to the first one that is not due, but at most AT_ONCE
 * completions. Returns how many it put there.
 */
static u32 put_in_due(struct glass_cq *cq, struct glass_cq_told *told)
{
	u64 now = ktime_get_ns();
	const struct late *l;
	u32 n;

	for (n = 0; n < AT_ONCE; n++) {
		l = list_first_entry_or_null(&cq->late, struct late, node);
		if (!l || l->due > now)
			break;
		kfree(put_in_first(cq, told));
	}
	return n;
}

static void late_work(struct work_struct *work)
{
	struct glass_cq *cq = container_of(to_delayed_work(work), struct glass_cq, late_work);
	struct glass_cq_told told = {};
	unsigned long flags;

	spin_lock_irqsave(&cq->lock, flags);
	put_in_due(cq, &told);
	wait_for_first(cq);
	spin_unlock_irqrestore(&cq->lock, flags);
	glass_inject_env_tell(cq, &told);
}

void glass_late_init(struct glass_cq *cq)
{
	INIT_LIST_HEAD(&cq->late);
	INIT_DELAYED_WORK(&cq->late_work, late_work);
}

/*
 * Notes in the QP the position that a late completion will have in the CQ. The position is known
 * when the completion is queued, because late completions keep their order.
 */
static void qp_note_late_cqe(struct glass_qp *qp, const struct glass_cq *cq,
			     const struct glass_cqe *c)
{
	lockdep_assert_held(&qp->lock);
	if (c->is_send) {
		qp->scq_total = cq->total + cq->nlate;
		qp->sq_told = c->wqe_index + 1;
	} else {
		qp->rcq_total = cq->total + cq->nlate;
	}
}

/*
 * Queues a completion behind the late completions of the CQ. If there is no memory, or if
 * GLASS_INJECT_WAITING completions are late already, puts the first late completion into the CQ
 * early, and uses its struct late for the new one. So no completion overtakes another. Returns
 * false if there is no memory and no completion is late.
 */
static bool late_append(struct glass_qp *qp, struct glass_cq *cq, const struct glass_cqe *c,
			u32 rule, u64 ns, struct glass_cq_told *told)
{
	bool new_first = list_empty(&cq->late);
	struct late *l = NULL;

	lockdep_assert_held(&cq->lock);
	if (cq->nlate < GLASS_INJECT_WAITING)
		l = kmalloc(sizeof(*l), GFP_NOWAIT | __GFP_NOWARN);
	if (!l) {
		glass_inject_no_room(qp->dev->inject);
		if (new_first)
			return false;
		l = put_in_first(cq, told);
		new_first = true;
	}
	l->due = rule ? ktime_get_ns() + ns : 0;
	l->rule = rule;
	l->qpn = qp->core.qpn;
	l->resets = qp->resets;
	l->ib = qp->ib;
	l->cqe = *c;
	list_add_tail(&l->node, &cq->late);
	WRITE_ONCE(cq->nlate, cq->nlate + 1);
	qp_note_late_cqe(qp, cq, c);
	if (new_first)
		wait_for_first(cq);
	return true;
}

bool glass_late_add(struct glass_qp *qp, struct glass_cq *cq, const struct glass_cqe *c, u32 rule, u64 ns)
{
	struct glass_cq_told told = {};
	unsigned long flags;
	bool waits;

	lockdep_assert_held(&qp->lock);
	spin_lock_irqsave(&cq->lock, flags);
	waits = late_append(qp, cq, c, rule, ns, &told);
	spin_unlock_irqrestore(&cq->lock, flags);
	glass_inject_env_tell(cq, &told);
	return waits;
}

bool glass_late_behind(struct glass_qp *qp, struct glass_cq *cq, const struct glass_cqe *c,
		       struct glass_cq_told *told)
{
	lockdep_assert_held(&cq->lock);
	/* the list drains, because up to AT_ONCE completions leave it before one is added */
	if (put_in_due(cq, told))
		wait_for_first(cq);
	return cq->nlate && late_append(qp, cq, c, 0, 0, told);
}

/*
 * Ends the delays that the rule with this id has ordered for completions of this CQ: these
 * completions become due. With the id 0, all late completions of the CQ become due. Returns the
 * number of late completions of the CQ, due or not.
 */
static u32 set_due(struct glass_cq *cq, u32 id)
{
	unsigned long flags;
	struct late *l;
	u32 n;

	spin_lock_irqsave(&cq->lock, flags);
	list_for_each_entry(l, &cq->late, node)
		if (!id || l->rule == id)
			l->due = 0;
	n = cq->nlate;
	spin_unlock_irqrestore(&cq->lock, flags);
	return n;
}

/*
 * If the first late completion is due, lets late_work() run once, and waits for it. Returns false
 * if there is no late completion, or if the first one is not due.
 */
static bool put_in_some(struct glass_cq *cq)
{
	const struct late *l;
	unsigned long flags;
	bool due;

	spin_lock_irqsave(&cq->lock, flags);
	l = list_first_entry_or_null(&cq->late, struct late, node);
	due = l && l->due <= ktime_get_ns();
	if (due)
		wait_for_first(cq);
	spin_unlock_irqrestore(&cq->lock, flags);
	if (due)
		flush_delayed_work(&cq->late_work);
	return due;
}

void glass_late_release(struct glass_dev *dev, u32 id)
{
	unsigned long index = 0;
	struct glass_cq *cq;
	u32 rounds;

	for (; (cq = glass_cq_next(dev, &index)); index++) {
		/* bounded rounds, because QPs may queue completions all the time */
		rounds = DIV_ROUND_UP(set_due(cq, id), AT_ONCE);
		while (rounds-- && put_in_some(cq))
			;
		glass_ref_put(&cq->ref);
	}
}

/*
 * Is this a stale completion of this QP? It is stale if it is from before a reset of the QP, or if
 * the QP is dead.
 */
static bool is_old(const struct late *l, const struct glass_qp *qp)
{
	return l->ib == qp->ib && (READ_ONCE(qp->dead) || l->resets != READ_ONCE(qp->resets));
}

/*
 * Drops late completions of one CQ. If qp is not NULL, drops only stale completions of this QP. If
 * srqn is not 0, drops only completions of receives of this XRC SRQ.
 */
static void late_drop(struct glass_cq *cq, const struct glass_qp *qp, u32 srqn)
{
	struct late *l, *next;
	unsigned long flags;

	spin_lock_irqsave(&cq->lock, flags);
	list_for_each_entry_safe(l, next, &cq->late, node) {
		if ((qp && !is_old(l, qp)) || (srqn && l->cqe.xrc_srq != srqn))
			continue;
		list_del(&l->node);
		WRITE_ONCE(cq->nlate, cq->nlate - 1);
		kfree(l);
	}
	/* the list may have a new first completion, which is due at another time */
	wait_for_first(cq);
	spin_unlock_irqrestore(&cq->lock, flags);
}

void glass_late_forget(struct glass_cq *cq, const struct glass_qp *qp)
{
	if (!cq)
		return;
	if (!qp)
		cancel_delayed_work_sync(&cq->late_work);
	late_drop(cq, qp, 0);
}

void glass_late_forget_srq(struct glass_cq *cq, u32 srqn)
{
	late_drop(cq, NULL, srqn);
}

void glass_late_forget_everywhere(struct glass_dev *dev, const struct glass_qp *qp)
{
	unsigned long index = 0;
	struct glass_cq *cq;

	for (; (cq = glass_cq_next(dev, &index)); index++) {
		/*
		 * The QP adds no stale completion after this test, because the caller has reset the
		 * QP, or marked it as dead, under the QP's lock.
		 */
		if (READ_ONCE(cq->nlate))
			late_drop(cq, qp, 0);
		glass_ref_put(&cq->ref);
		cond_resched();
	}
}
