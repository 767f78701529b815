// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Objects: their look-up by number, their owners, the QPs that use a CQ or SRQ, and the memory that
 * objects take.
 */
#include <linux/ktime.h>
#include <linux/sched.h>

#include "model/device.h"
#include "model/ring.h"

void glass_owner_fill(struct glass_owner *o, bool user)
{
	o->created_ns = ktime_get_ns();
	if (user) {
		o->pid = task_tgid_nr(current);
		o->uid = glass_share_uid();
		get_task_comm(o->comm, current);
	} else {
		o->pid = 0;
		o->uid = 0;
		strscpy(o->comm, "kernel", sizeof(o->comm));
	}
}

/*
 * An object gets its place while it is in its table: when it is published, before the verb that
 * destroys it can begin, and from recall_*(), under the lock of the table. So after it is erased
 * from the table no place gets it, and after glass_forget_*(), which follows, no place has it.
 */
void glass_remember_qp(struct glass_qp *qp)
{
	rcu_assign_pointer(qp->dev->recent_qps[qp->core.qpn % GLASS_RECENT], qp);
}

void glass_forget_qp(struct glass_qp *qp)
{
	struct glass_qp __rcu **place = &qp->dev->recent_qps[qp->core.qpn % GLASS_RECENT];

	unrcu_pointer(cmpxchg(place, RCU_INITIALIZER(qp), NULL));
}

void glass_remember_mr(struct glass_mr *mr, u32 index)
{
	rcu_assign_pointer(mr->dev->recent_mrs[index % GLASS_RECENT], mr);
}

void glass_forget_mr(struct glass_mr *mr, u32 index)
{
	struct glass_mr __rcu **place = &mr->dev->recent_mrs[index % GLASS_RECENT];

	unrcu_pointer(cmpxchg(place, RCU_INITIALIZER(mr), NULL));
}

/* Counts a search for an object. Is it one in GLASS_RECALL? Two CPUs may count as one. */
static bool recall_due(u8 *searches)
{
	u8 n = READ_ONCE(*searches) + 1;

	WRITE_ONCE(*searches, n);
	return !(n % GLASS_RECALL);
}

/*
 * The caller has found the object in its table, which may have erased it since. The lock is only
 * tried, because a packet waits for no verb; a later search recalls the object then.
 */
static void recall_qp(struct glass_qp *qp)
{
	struct xarray *qps = &qp->dev->qps;
	unsigned long flags;

	if (!spin_trylock_irqsave(&qps->xa_lock, flags))
		return;
	if (xa_load(qps, qp->core.qpn) == qp)
		glass_remember_qp(qp);
	xa_unlock_irqrestore(qps, flags);
}

/* As recall_qp(). */
static void recall_mr(struct glass_mr *mr, u32 index)
{
	struct xarray *mrs = &mr->dev->mrs;
	unsigned long flags;

	if (!spin_trylock_irqsave(&mrs->xa_lock, flags))
		return;
	if (xa_load(mrs, index) == mr)
		glass_remember_mr(mr, index);
	xa_unlock_irqrestore(mrs, flags);
}

struct glass_qp *glass_qp_search(struct glass_dev *dev, u32 port, u32 qpn)
{
	struct glass_qp *qp;

	/* the xarray expects such a section; that of the caller is longer */
	rcu_read_lock();
	if (qpn > 1)
		qp = glass_xa_find(&dev->qps, qpn);
	else
		qp = rcu_dereference(dev->ports[port].special[qpn]);
	if (qp && qpn > 1 && recall_due(&qp->searches))
		recall_qp(qp);
	rcu_read_unlock();
	return qp;
}

struct glass_mr *glass_mr_search(struct glass_dev *dev, u32 index)
{
	struct glass_mr *mr;

	/* as in glass_qp_search() */
	rcu_read_lock();
	mr = glass_xa_find(&dev->mrs, index);
	if (mr && recall_due(&mr->searches))
		recall_mr(mr, index);
	rcu_read_unlock();
	return mr;
}

struct glass_srq *glass_srq_find(struct glass_dev *dev, u32 srqn)
{
	struct glass_srq *srq;
	unsigned long flags;

	xa_lock_irqsave(&dev->srqs, flags);
	srq = xa_load(&dev->srqs, srqn);
	if (srq && !glass_ref_get(&srq->ref))
		srq = NULL;
	xa_unlock_irqrestore(&dev->srqs, flags);
	return srq;
}

struct glass_cq *glass_cq_find(struct glass_dev *dev, u32 cqn)
{
	struct glass_cq *cq;
	unsigned long flags;

	xa_lock_irqsave(&dev->cqs, flags);
	cq = xa_load(&dev->cqs, cqn);
	if (cq && !glass_ref_get(&cq->ref))
		cq = NULL;
	xa_unlock_irqrestore(&dev->cqs, flags);
	return cq;
}

struct glass_cq *glass_cq_next(struct glass_dev *dev, unsigned long *index)
{
	struct glass_cq *cq;
	unsigned long flags;

	xa_lock_irqsave(&dev->cqs, flags);
	cq = xa_find(&dev->cqs, index, ULONG_MAX, XA_PRESENT);
	while (cq && !glass_ref_get(&cq->ref))
		cq = xa_find_after(&dev->cqs, index, ULONG_MAX, XA_PRESENT);
	xa_unlock_irqrestore(&dev->cqs, flags);
	return cq;
}

void glass_users_init(struct glass_users *users)
{
	spin_lock_init(&users->lock);
	mutex_init(&users->failing);
	INIT_LIST_HEAD(&users->list);
}

static void users_add(struct glass_users *users, struct glass_user *u, struct glass_qp *qp)
{
	u->qp = qp;
	spin_lock(&users->lock);
	list_add_tail(&u->node, &users->list);
	spin_unlock(&users->lock);
}

static void users_remove(struct glass_users *users, struct glass_user *u)
{
	spin_lock(&users->lock);
	list_del(&u->node);
	spin_unlock(&users->lock);
}

static bool has_own_recv_cq(const struct glass_qp *qp)
{
	return qp->recv_cq && qp->recv_cq != qp->send_cq;
}

void glass_users_join(struct glass_qp *qp)
{
	if (qp->send_cq)
		users_add(&qp->send_cq->qps_of, &qp->in_send_cq, qp);
	if (has_own_recv_cq(qp))
		users_add(&qp->recv_cq->qps_of, &qp->in_recv_cq, qp);
	if (qp->srq)
		users_add(&qp->srq->qps_of, &qp->in_srq, qp);
}

void glass_users_leave(struct glass_qp *qp)
{
	if (qp->send_cq)
		users_remove(&qp->send_cq->qps_of, &qp->in_send_cq);
	if (has_own_recv_cq(qp))
		users_remove(&qp->recv_cq->qps_of, &qp->in_recv_cq);
	if (qp->srq)
		users_remove(&qp->srq->qps_of, &qp->in_srq);
}

int glass_users_join_xrc(struct glass_srq *srq)
{
	if (!srq->cq)
		return 0;
	return xa_alloc(&srq->cq->xrc_srqs, &srq->in_cq, srq, xa_limit_31b, GFP_KERNEL_ACCOUNT);
}

void glass_users_leave_xrc(struct glass_srq *srq)
{
	if (srq->cq)
		xa_erase(&srq->cq->xrc_srqs, srq->in_cq);
}

static u64 with_rings(const struct glass_bill *b, size_t rings)
{
	return b->share ? b->bytes + rings : 0;
}

u64 glass_qp_memory(const struct glass_qp *qp)
{
	lockdep_assert_held(&qp->lock);
	/* qp->bill includes rings in memory of the driver alone: add only the rings in areas */
	return with_rings(&qp->bill, glass_ring_bytes(&qp->sq) - glass_ring_own_bytes(&qp->sq) +
				     glass_ring_bytes(&qp->rq) - glass_ring_own_bytes(&qp->rq)) +
	       qp->res_bill.bytes + data_race(qp->mcast_bill.bytes);
}

u64 glass_cq_memory(const struct glass_cq *cq)
{
	lockdep_assert_held(&cq->lock);
	return with_rings(&cq->bill, glass_ring_bytes(&cq->ring));
}

u64 glass_srq_memory(const struct glass_srq *srq)
{
	lockdep_assert_held(&srq->lock);
	return with_rings(&srq->bill, glass_ring_bytes(&srq->ring));
}

u64 glass_mr_memory(const struct glass_mr *mr)
{
	/* rereg_mr may replace pages_bill concurrently */
	return mr->bill.bytes + data_race(mr->pages_bill.bytes);
}
