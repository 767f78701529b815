// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#include <rdma/uverbs_ioctl.h>

#include "engine/engine.h"
#include "engine/ring.h"
#include "verbs/api.h"
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
	if (init->srq_type != IB_SRQT_BASIC) {
		err = -EOPNOTSUPP;
		goto out;
	}
	if (!a->max_wr || a->max_wr > GLASS_MAX_SRQ_WR || a->max_sge > GLASS_MAX_SGE)
		goto out;
	spin_lock_init(&srq->lock);
	glass_ref_init(&srq->ref);
	INIT_WORK(&srq->fail_work, glass_srq_fail_work);
	glass_owner_fill(&srq->owner, udata);
	srq->dev = dev;
	srq->is_user = udata;
	srq->pdn = to_gpd(ib->pd)->pdn;
	srq->max_wr = a->max_wr;
	srq->max_sge = max(a->max_sge, 1U);
	a->max_sge = srq->max_sge;
	err = glass_ring_create(&srq->ring, uctx, srq->max_wr,
				GLASS_RECV_WQE_HDR_BYTES +
					srq->max_sge * sizeof(struct glass_abi_sge),
				&resp.rq);
	if (err)
		goto out;
	WRITE_ONCE(srq->ring.hdr->awake, 1);
	err = glass_number(&dev->srqs, &srq->srqn, srq, 1, GLASS_MAX_SRQ, &dev->srq_next);
	if (err)
		goto err_ring;
	if (udata) {
		resp.srqn = srq->srqn;
		err = glass_respond(udata, &resp, sizeof(resp));
		if (err)
			goto err_number;
		atomic_inc(&uctx->nsrq);
	}
	atomic_inc(&to_gpd(ib->pd)->nsrq);
	goto out;

err_number:
	xa_erase_irq(&dev->srqs, srq->srqn);
	glass_ref_kill(&srq->ref);
err_ring:
	glass_ring_destroy(&srq->ring);
out:
	glass_leave(dev, CREATE_SRQ, SRQ, srq->srqn, err);
	return err;
}

int glass_modify_srq(struct ib_srq *ib, struct ib_srq_attr *attr, enum ib_srq_attr_mask mask,
		     struct ib_udata *udata)
{
	struct glass_srq *srq = to_gsrq(ib);
	unsigned long flags;
	int err;

	glass_enter(srq->dev, MODIFY_SRQ, SRQ, srq->srqn, "mask=0x%x limit=%u", mask,
		    attr->srq_limit);
	err = glass_verb_fault(srq->dev, MODIFY_SRQ, udata);
	if (err)
		goto out;
	if (mask & IB_SRQ_MAX_WR)
		err = -EOPNOTSUPP;
	else if ((mask & IB_SRQ_LIMIT) && attr->srq_limit > srq->max_wr)
		err = -EINVAL;
	if (!err && (mask & IB_SRQ_LIMIT)) {
		spin_lock_irqsave(&srq->lock, flags);
		srq->limit = attr->srq_limit;
		spin_unlock_irqrestore(&srq->lock, flags);
	}
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
	struct glass_srq *srq = to_gsrq(ib);
	int err;

	glass_enter(srq->dev, DESTROY_SRQ, SRQ, srq->srqn, "taken=%llu", srq->total);
	err = glass_verb_fault(srq->dev, DESTROY_SRQ, glass_program_asks(udata));
	if (err) {
		glass_leave(srq->dev, DESTROY_SRQ, SRQ, srq->srqn, err);
		return err;
	}
	glass_note_left(srq->dev, udata);
	xa_erase_irq(&srq->dev->srqs, srq->srqn);
	glass_ref_kill(&srq->ref);
	cancel_work_sync(&srq->fail_work);
	glass_ring_destroy(&srq->ring);
	if (uctx)
		atomic_dec(&uctx->nsrq);
	atomic_dec(&to_gpd(ib->pd)->nsrq);
	glass_leave(srq->dev, DESTROY_SRQ, SRQ, srq->srqn, 0);
	return 0;
}

int glass_post_srq_recv(struct ib_srq *ib, const struct ib_recv_wr *wr,
			const struct ib_recv_wr **bad_wr)
{
	struct glass_srq *srq = to_gsrq(ib);
	unsigned long flags;
	int err = 0;

	/* programs write their ring themselves and have nothing to tell */
	if (srq->is_user)
		return wr ? -EINVAL : 0;
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
