// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Shared receive queues; engine/queue.c takes receives from them. */
#include <rdma/uverbs_ioctl.h>

#include "engine/engine.h"
#include "model/ring.h"
#include "verbs/api.h"
#include "verbs/lint.h"
#include "verbs/verbs.h"

int glass_create_srq(struct ib_srq *ib, struct ib_srq_init_attr *init, struct ib_udata *udata)
{
	struct glass_ucontext *uctx =
		udata ? rdma_udata_to_drv_context(udata, struct glass_ucontext, ib) : NULL;
	struct glass_dev *dev = to_gdev(ib->device);
	struct glass_srq *srq = to_gsrq(ib);
	struct glass_create_srq_resp resp = {};
	struct ib_srq_attr *a = &init->attr;
	int err;

	glass_enter(dev, CREATE_SRQ, PD, to_gpd(ib->pd)->pdn, "max_wr=%u max_sge=%u", a->max_wr,
		    a->max_sge);
	err = glass_verb_fault(dev, CREATE_SRQ, udata);
	if (err)
		goto out;
	err = -EINVAL;
	if (init->srq_type != IB_SRQT_BASIC && init->srq_type != IB_SRQT_XRC) {
		err = -EOPNOTSUPP;
		goto out;
	}
	if (!a->max_wr || a->max_wr > GLASS_MAX_SRQ_WR || a->max_sge > GLASS_MAX_SGE)
		goto out;
	spin_lock_init(&srq->lock);
	mutex_init(&srq->resize_lock);
	glass_ref_init(&srq->ref);
	INIT_WORK(&srq->fail_work, glass_srq_fail_work);
	glass_users_init(&srq->qps_of);
	glass_owner_fill(&srq->owner, udata);
	glass_owner_lint(&srq->owner, glass_lint_of(udata));
	srq->dev = dev;
	srq->is_user = udata;
	srq->pdn = to_gpd(ib->pd)->pdn;
	if (init->srq_type == IB_SRQT_XRC) {
		srq->xrcd = to_gxrcd(init->ext.xrc.xrcd);
		srq->cq = to_gcq(init->ext.cq);
	}
	srq->max_wr = a->max_wr;
	srq->max_sge = max(a->max_sge, 1U);
	a->max_sge = srq->max_sge;
	err = glass_bill_object(&srq->bill, dev, udata, GLASS_SHARE_SRQ, sizeof(*srq));
	if (err)
		goto out;
	err = glass_ring_create_resizable(&srq->ring, uctx, srq->max_wr,
					  GLASS_RECV_WQE_HDR_BYTES +
						  srq->max_sge * sizeof(struct glass_abi_sge));
	if (err)
		goto err_bill;
	WRITE_ONCE(srq->ring.hdr->awake, 1);
	err = glass_users_join_xrc(srq);
	if (err)
		goto err_ring;
	err = glass_number(&dev->srqs, &srq->srqn, srq, 1, GLASS_MAX_SRQ, &dev->srq_next);
	if (err)
		goto err_cq;
	if (udata) {
		resp.srqn = srq->srqn;
		glass_ring_tell(&srq->ring, &resp.rq);
		err = glass_respond(udata, &resp, sizeof(resp));
		if (err)
			goto err_number;
		atomic_inc(&uctx->nsrq);
	}
	atomic_inc(&to_gpd(ib->pd)->nsrq);
	if (srq->xrcd) {
		ib->ext.xrc.srq_num = srq->srqn;
		atomic_inc(&srq->xrcd->nsrq);
	}
	goto out;

err_number:
	xa_erase_irq(&dev->srqs, srq->srqn);
	glass_ref_kill(&srq->ref);
	/* a QP may have found the SRQ by its number, seen a bad ring, and queued this work */
	cancel_work_sync(&srq->fail_work);
err_cq:
	glass_users_leave_xrc(srq);
err_ring:
	glass_ring_destroy(&srq->ring);
err_bill:
	glass_bill_close(&srq->bill);
out:
	glass_leave(dev, CREATE_SRQ, SRQ, srq->srqn, err);
	return err;
}

/* A resize copies at most this many receives under the SRQ's lock. */
#define AT_ONCE 64

/*
 * A resize copies receives without the SRQ's lock in at most this many rounds. If more than AT_ONCE
 * receives are left after the last round, the resize fails: the program posts faster than the
 * resize copies.
 */
#define ROUNDS 16

/* Copies n receives of the SRQ, from index `from` on, to the same indices of *ring. */
static void srq_copy_recvs(struct glass_ring *ring, const struct glass_srq *srq, u32 from, u32 n)
{
	for (; n; n--, from++)
		memcpy(glass_ring_at(ring, from), glass_ring_at(&srq->ring, from), ring->stride);
}

/*
 * Returns the number of posted receives that a resize has not copied yet. *from is the index of the
 * first of these receives. If the engine has taken that receive in the meantime, first advances
 * *from to the next receive that the engine has not taken. Returns -EINVAL if more than max_wr
 * receives are posted, if the SRQ's limit exceeds max_wr, or if the program's producer index is out
 * of range.
 */
static int left_to_copy(const struct glass_srq *srq, u32 max_wr, u32 *from)
{
	/* pairs with the release of a post: receives before this index are completely written */
	u32 to = smp_load_acquire(&srq->ring.hdr->producer);
	u32 used = to - srq->consumer;

	lockdep_assert_held(&srq->lock);
	if (used > min(max_wr, srq->ring.num) || srq->limit > max_wr)
		return -EINVAL;
	if ((s32)(srq->consumer - *from) > 0)
		*from = srq->consumer;
	/* if the program has moved its producer index back below *from, nothing is left to copy */
	return to - *from > used ? 0 : to - *from;
}

/*
 * Copies the posted receives to the new entries of *ring, and installs these entries in the SRQ.
 * *ring gets the old entries. Copies most receives without the SRQ's lock. The receives do not
 * change during the copy: the program must not write to a posted receive, and strict mode does not
 * reorder receives while `resizing` is set. Returns 0 or an error, after which the SRQ keeps its
 * old entries. -EINVAL: as left_to_copy(). -EBUSY: the program posts too fast (ROUNDS).
 */
static int srq_swap_rings(struct glass_srq *srq, struct glass_ring *ring, u32 max_wr)
{
	unsigned long flags;
	u32 round, from;
	int left;

	lockdep_assert_held(&srq->resize_lock);
	spin_lock_irqsave(&srq->lock, flags);
	srq->resizing = true;
	from = srq->consumer;
	for (round = 0; (left = left_to_copy(srq, max_wr, &from)) > AT_ONCE; round++) {
		if (round == ROUNDS) {
			left = -EBUSY;
			break;
		}
		spin_unlock_irqrestore(&srq->lock, flags);
		srq_copy_recvs(ring, srq, from, left);
		from += left;
		spin_lock_irqsave(&srq->lock, flags);
	}
	if (left >= 0) {
		srq_copy_recvs(ring, srq, from, left);
		glass_ring_swap(&srq->ring, ring);
		srq->max_wr = max_wr;
		srq->resized++;
	}
	srq->resizing = false;
	spin_unlock_irqrestore(&srq->lock, flags);
	return min(left, 0);
}

static int srq_resize_ring(struct glass_srq *srq, u32 max_wr, struct ib_udata *udata)
{
	struct glass_ucontext *uctx =
		udata ? rdma_udata_to_drv_context(udata, struct glass_ucontext, ib) : NULL;
	struct glass_modify_srq_req req = {};
	struct glass_ring_info info = {};
	struct glass_ring ring = {};
	int err = 0;

	if (!max_wr || max_wr > GLASS_MAX_SRQ_WR)
		return -EINVAL;
	if (srq->is_user) {
		if (udata->inlen < sizeof(req))
			return -EOPNOTSUPP;
		err = ib_copy_from_udata(&req, udata, sizeof(req));
	}
	if (!err)
		err = glass_ring_other(&ring, &srq->ring, uctx, max_wr, &info);
	if (err)
		return err;
	if (srq->is_user && copy_to_user(u64_to_user_ptr(req.ring_info), &info, sizeof(info)))
		err = -EFAULT;
	if (!err)
		err = srq_swap_rings(srq, &ring, max_wr);
	/* after success, these are the old entries; after an error, the new ones */
	glass_ring_destroy(&ring);
	return err;
}

int glass_modify_srq(struct ib_srq *ib, struct ib_srq_attr *attr, enum ib_srq_attr_mask mask,
		     struct ib_udata *udata)
{
	struct glass_srq *srq = to_gsrq(ib);
	unsigned long flags;
	int err;

	glass_enter(srq->dev, MODIFY_SRQ, SRQ, srq->srqn, "mask=0x%x max_wr=%u limit=%u", mask,
		    attr->max_wr, attr->srq_limit);
	err = glass_verb_fault(srq->dev, MODIFY_SRQ, udata);
	if (err)
		goto out;
	glass_owner_changes(&srq->owner);
	mutex_lock(&srq->resize_lock);
	if ((mask & IB_SRQ_LIMIT) &&
	    attr->srq_limit > (mask & IB_SRQ_MAX_WR ? attr->max_wr : srq->max_wr))
		err = -EINVAL;
	if (!err && (mask & IB_SRQ_MAX_WR))
		err = srq_resize_ring(srq, attr->max_wr, udata);
	if (!err && (mask & IB_SRQ_LIMIT)) {
		spin_lock_irqsave(&srq->lock, flags);
		srq->limit = attr->srq_limit;
		spin_unlock_irqrestore(&srq->lock, flags);
	}
	mutex_unlock(&srq->resize_lock);
out:
	glass_leave(srq->dev, MODIFY_SRQ, SRQ, srq->srqn, err);
	return err;
}

int glass_query_srq(struct ib_srq *ib, struct ib_srq_attr *attr)
{
	struct glass_srq *srq = to_gsrq(ib);
	int err;

	glass_enter_bare(srq->dev, QUERY_SRQ, SRQ, srq->srqn);
	err = glass_verb_fault(srq->dev, QUERY_SRQ, ib->uobject);
	if (!err) {
		attr->max_wr = srq->max_wr;
		attr->max_sge = srq->max_sge;
		attr->srq_limit = READ_ONCE(srq->limit);
	}
	glass_leave(srq->dev, QUERY_SRQ, SRQ, srq->srqn, err);
	return err;
}

int glass_destroy_srq(struct ib_srq *ib, struct ib_udata *udata)
{
	struct glass_ucontext *uctx =
		udata ? rdma_udata_to_drv_context(udata, struct glass_ucontext, ib) : NULL;
	enum glass_destroyer by = glass_destroyer(udata, glass_uobject(ib));
	struct glass_srq *srq = to_gsrq(ib);
	int err;

	glass_enter(srq->dev, DESTROY_SRQ, SRQ, srq->srqn, "taken=%llu", srq->total);
	err = glass_verb_fault(srq->dev, DESTROY_SRQ, by == GLASS_BY_PROGRAM);
	if (err) {
		glass_leave(srq->dev, DESTROY_SRQ, SRQ, srq->srqn, err);
		return err;
	}
	glass_note_left(srq->dev, by, udata, SRQ, &srq->owner);
	xa_erase_irq(&srq->dev->srqs, srq->srqn);
	glass_ref_kill(&srq->ref);
	if (srq->cq) {
		/* no completion or event may follow: the consumer may destroy the CQ next */
		glass_late_forget_srq(srq->cq, srq->srqn);
		glass_cq_settle(srq->cq);
		glass_users_leave_xrc(srq);
	}
	cancel_work_sync(&srq->fail_work);
	glass_ring_destroy(&srq->ring);
	glass_bill_close(&srq->bill);
	if (uctx)
		atomic_dec(&uctx->nsrq);
	atomic_dec(&to_gpd(ib->pd)->nsrq);
	if (srq->xrcd)
		atomic_dec(&srq->xrcd->nsrq);
	glass_leave(srq->dev, DESTROY_SRQ, SRQ, srq->srqn, 0);
	return 0;
}

int glass_post_srq_recv(struct ib_srq *ib, const struct ib_recv_wr *wr,
			const struct ib_recv_wr **bad_wr)
{
	struct glass_srq *srq = to_gsrq(ib);
	unsigned long flags;
	int err = 0;

	/* a program writes to its ring itself, and must not pass work requests to this verb */
	if (srq->is_user) {
		*bad_wr = wr;
		return wr ? -EINVAL : 0;
	}
	glass_enter(srq->dev, POST_SRQ_RECV, SRQ, srq->srqn, "wr_id=0x%llx", wr ? wr->wr_id : 0);
	spin_lock_irqsave(&srq->lock, flags);
	for (; wr; wr = wr->next) {
		err = glass_ring_put_recv(&srq->ring, srq->ring.hdr->producer - srq->consumer,
					  srq->max_wr, srq->max_sge, wr);
		if (err) {
			*bad_wr = wr;
			break;
		}
	}
	spin_unlock_irqrestore(&srq->lock, flags);
	glass_leave(srq->dev, POST_SRQ_RECV, SRQ, srq->srqn, err);
	return err;
}
