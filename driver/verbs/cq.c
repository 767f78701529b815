// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Completion queues; engine/complete.c adds the completions. */
#include <linux/slab.h>
#include <rdma/uverbs_ioctl.h>

#include "engine/complete.h"
#include "engine/engine.h"
#include "model/ring.h"
#include "verbs/api.h"
#include "verbs/lint.h"
#include "verbs/verbs.h"

/*
 * Number of ring slots that the CQ needs for a capacity of `cqe`. A CQ that ignores overruns needs
 * one more slot. The driver writes the next CQE into the additional slot, because the program may
 * be polling any of the newest `cqe` CQEs.
 */
static u32 ring_entries(const struct glass_cq *cq, u32 cqe)
{
	return cqe + cq->overwrites;
}

int glass_create_cq(struct ib_cq *ib, const struct ib_cq_init_attr *attr,
		    glass_create_cq_extra *extra)
{
	struct ib_udata *udata = glass_create_cq_udata(extra);
	struct glass_dev *dev = to_gdev(ib->device);
	struct glass_cq *cq = to_gcq(ib);
	struct glass_ucontext *uctx =
		udata ? rdma_udata_to_drv_context(udata, struct glass_ucontext, ib) : NULL;
	struct glass_create_cq_resp resp = {};
	int err;

	glass_enter(dev, CREATE_CQ, CQ, 0, "cqe=%u comp_vector=%u", attr->cqe, attr->comp_vector);
	err = glass_verb_fault(dev, CREATE_CQ, udata);
	if (err)
		goto out;
	err = -EINVAL;
	/* TIMESTAMP_COMPLETION changes nothing: every completion has a timestamp */
	if (attr->flags & ~(IB_UVERBS_CQ_FLAGS_TIMESTAMP_COMPLETION |
			    IB_UVERBS_CQ_FLAGS_IGNORE_OVERRUN)) {
		err = -EOPNOTSUPP;
		goto out;
	}
	if (!attr->cqe || attr->cqe > GLASS_MAX_CQE ||
	    attr->comp_vector >= ib->device->num_comp_vectors)
		goto out;
	spin_lock_init(&cq->lock);
	mutex_init(&cq->resize_lock);
	glass_ref_init(&cq->ref);
	INIT_WORK(&cq->fail_work, glass_cq_fail_work);
	glass_users_init(&cq->qps_of);
	xa_init_flags(&cq->xrc_srqs, XA_FLAGS_ALLOC);
	INIT_WORK(&cq->tell_work, glass_cq_tell_work);
	cq->vector = attr->comp_vector;
	glass_late_init(cq);
	glass_owner_fill(&cq->owner, udata);
	glass_owner_lint(&cq->owner, glass_lint_of(udata));
	INIT_DELAYED_WORK(&cq->lint.work, glass_lint_armed_work);
	cq->dev = dev;
	cq->is_user = udata;
	cq->cqe = attr->cqe;
	cq->overwrites = attr->flags & IB_UVERBS_CQ_FLAGS_IGNORE_OVERRUN;
	ib->cqe = attr->cqe;
	/* glass_bill_object() charges nothing for a CQ of a kernel consumer */
	err = glass_bill_object(&cq->bill, dev, udata, GLASS_SHARE_CQ, sizeof(*cq));
	if (err)
		goto out;
	err = glass_ring_create_resizable(&cq->ring, uctx, ring_entries(cq, attr->cqe),
					  sizeof(struct glass_abi_cqe));
	if (err)
		goto err_bill;
	if (!udata) {
		cq->qps = kvcalloc(cq->ring.num, sizeof(*cq->qps), GLASS_GFP_ASKED);
		if (!cq->qps) {
			err = -ENOMEM;
			goto err_ring;
		}
	}
	err = glass_number(&dev->cqs, &cq->cqn, cq, 1, GLASS_CQN_MAX, &dev->cq_next);
	if (err)
		goto err_qps;
	if (udata) {
		resp.cqn = cq->cqn;
		glass_ring_tell(&cq->ring, &resp.ring);
		err = glass_respond(udata, &resp, sizeof(resp));
		if (err)
			goto err_number;
		atomic_inc(&uctx->ncq);
	}
	goto out;

err_number:
	xa_erase_irq(&dev->cqs, cq->cqn);
	glass_ref_kill(&cq->ref);
err_qps:
	kvfree(cq->qps);
err_ring:
	glass_ring_destroy(&cq->ring);
err_bill:
	glass_bill_close(&cq->bill);
out:
	glass_leave(dev, CREATE_CQ, CQ, cq->cqn, err);
	return err;
}

int glass_destroy_cq(struct ib_cq *ib, struct ib_udata *udata)
{
	struct glass_ucontext *uctx =
		udata ? rdma_udata_to_drv_context(udata, struct glass_ucontext, ib) : NULL;
	enum glass_destroyer by = glass_destroyer(udata, glass_uobject(ib));
	struct glass_cq *cq = to_gcq(ib);
	int err;

	glass_enter(cq->dev, DESTROY_CQ, CQ, cq->cqn, "used=%u", glass_cq_used(cq));
	err = glass_verb_fault(cq->dev, DESTROY_CQ, by == GLASS_BY_PROGRAM);
	if (err) {
		glass_leave(cq->dev, DESTROY_CQ, CQ, cq->cqn, err);
		return err;
	}
	glass_note_left(cq->dev, by, udata, CQ, &cq->owner);
	xa_erase_irq(&cq->dev->cqs, cq->cqn);
	glass_ref_kill(&cq->ref);
	glass_late_forget(cq, NULL);
	cancel_work_sync(&cq->fail_work);
	cancel_delayed_work_sync(&cq->lint.work);
	cancel_work_sync(&cq->tell_work);
	glass_ring_destroy(&cq->ring);
	kvfree(cq->qps);
	glass_bill_close(&cq->bill);
	if (uctx) {
		WRITE_ONCE(uctx->gone_events, cq->events);
		/*
		 * pairs with the acquire in glass_lint_reported(), which reads gone_cqn before
		 * gone_events
		 */
		smp_store_release(&uctx->gone_cqn, cq->cqn);
		atomic_dec(&uctx->ncq);
	}
	glass_leave(cq->dev, DESTROY_CQ, CQ, cq->cqn, 0);
	return 0;
}

/* Copies the CQ's completions with the indices [from, to) to the same indices of *other. */
static void cq_copy_cqes(const struct glass_cq *cq, struct glass_ring *other, u32 from, u32 to)
{
	for (; from != to; from++)
		memcpy(glass_ring_at(other, from), glass_ring_at(&cq->ring, from),
		       sizeof(struct glass_abi_cqe));
}

/*
 * Copies the QP pointers (glass_cq.qps) of all unpolled completions to the array `qps`, which has
 * other->num entries. The CQ must be a kernel consumer's.
 */
static void copy_qps(const struct glass_cq *cq, struct ib_qp **qps, const struct glass_ring *other)
{
	u32 i;

	for (i = cq->consumer; i != cq->producer; i++)
		qps[i & (other->num - 1)] = cq->qps[i & (cq->ring.num - 1)];
}

/*
 * Number of completions that a resize must copy: all unpolled ones. In a CQ that ignores overruns,
 * only the newest `cqe` completions can still be polled, whatever the program's consumer index is.
 */
static u32 to_copy(const struct glass_cq *cq)
{
	u32 used = glass_cq_used(cq);

	return cq->overwrites ? min(used, cq->cqe) : used;
}

/*
 * Copies the unpolled completions to the new entries of *other, and installs these entries in the
 * CQ. For a kernel consumer's CQ, also fills and installs the new array *qps; for a program's CQ,
 * *qps is NULL. *other and *qps get the old entries and the old array. Returns 0. If more than cqe
 * completions are unpolled, returns -EINVAL and installs nothing.
 *
 * The function copies most completions of a program's CQ without the CQ's lock. Meanwhile the
 * driver does not reuse their slots, because the provider blocks polls until the verb returns. A
 * program that polls in spite of this corrupts only its own ring. In a CQ that ignores overruns,
 * the driver may overwrite a completion during the copy. The program then loses this completion, as
 * in any overrun. The function takes the lock to copy the completions that arrived in the meantime,
 * and to copy all completions of a kernel consumer's CQ.
 */
static int cq_swap_rings(struct glass_cq *cq, struct glass_ring *other, struct ib_qp ***qps,
			 u32 cqe)
{
	unsigned long flags;
	int err = -EINVAL;
	u32 used, copied;

	lockdep_assert_held(&cq->resize_lock);
	spin_lock_irqsave(&cq->lock, flags);
	used = to_copy(cq);
	copied = cq->producer;
	spin_unlock_irqrestore(&cq->lock, flags);
	if (used > cqe)
		return err;
	if (*qps)
		copied -= used;
	else
		cq_copy_cqes(cq, other, copied - used, copied);

	spin_lock_irqsave(&cq->lock, flags);
	used = to_copy(cq);
	if (used <= cqe) {
		/* skip completions that were polled or overwritten while the lock was not held */
		if ((s32)(cq->producer - used - copied) > 0)
			copied = cq->producer - used;
		cq_copy_cqes(cq, other, copied, cq->producer);
		if (*qps)
			copy_qps(cq, *qps, other);
		glass_ring_swap(&cq->ring, other);
		swap(cq->qps, *qps);
		cq->cqe = cqe;
		cq->ib.cqe = cqe;
		cq->resized++;
		err = 0;
	}
	spin_unlock_irqrestore(&cq->lock, flags);
	return err;
}

int glass_resize_cq(struct ib_cq *ib, glass_cqe_count entries, struct ib_udata *udata)
{
	int cqe = min_t(unsigned int, entries, INT_MAX);
	struct glass_ucontext *uctx =
		udata ? rdma_udata_to_drv_context(udata, struct glass_ucontext, ib) : NULL;
	struct glass_cq *cq = to_gcq(ib);
	struct glass_resize_cq_resp resp = {};
	struct glass_ring ring = {};
	struct ib_qp **qps = NULL;
	int err;

	glass_enter(cq->dev, RESIZE_CQ, CQ, cq->cqn, "cqe=%d", cqe);
	glass_owner_changes(&cq->owner);
	err = glass_verb_fault(cq->dev, RESIZE_CQ, udata);
	if (!err && (cqe < 1 || cqe > GLASS_MAX_CQE))
		err = -EINVAL;
	if (!err)
		err = glass_ring_other(&ring, &cq->ring, uctx, ring_entries(cq, cqe), &resp.ring);
	if (err)
		goto out;
	mutex_lock(&cq->resize_lock);
	if (cq->is_user) {
		err = udata->outlen < sizeof(resp) ? -EINVAL :
						     glass_respond(udata, &resp, sizeof(resp));
	} else {
		qps = kvcalloc(ring.num, sizeof(*qps), GLASS_GFP_ASKED);
		err = qps ? 0 : -ENOMEM;
	}
	if (!err)
		err = cq_swap_rings(cq, &ring, &qps, cqe);
	mutex_unlock(&cq->resize_lock);
	/* after success, these are the old array and entries; after an error, the new ones */
	kvfree(qps);
	glass_ring_destroy(&ring);
out:
	glass_leave(cq->dev, RESIZE_CQ, CQ, cq->cqn, err);
	return err;
}

static void to_wc(struct ib_wc *wc, const struct glass_abi_cqe *c, struct ib_qp *qp)
{
	wc->wr_id = c->wr_id;
	wc->status = c->status;
	wc->opcode = c->opcode == GLASS_WCOP_REG_MR ? IB_WC_REG_MR : c->opcode;
	wc->vendor_err = c->vendor_err;
	wc->byte_len = c->byte_len;
	wc->qp = qp;
	wc->ex.imm_data = (__force __be32)c->imm; /* or the invalidated key: wc->ex is a union */
	wc->src_qp = c->src_qp;
	wc->slid = c->slid;
	wc->pkey_index = c->pkey_index;
	wc->sl = c->sl;
	wc->dlid_path_bits = c->dlid_path_bits;
	wc->port_num = READ_ONCE(to_gqp(qp)->core.attr.port); /* races with modify_qp */
	wc->wc_flags = (c->flags & GLASS_CQE_GRH ? IB_WC_GRH : 0) |
		       (c->flags & GLASS_CQE_IMM ? IB_WC_WITH_IMM : 0) |
		       (c->flags & GLASS_CQE_INV ? IB_WC_WITH_INVALIDATE : 0);
}

static_assert((int)GLASS_WC_GENERAL_ERR == (int)IB_WC_GENERAL_ERR);
static_assert((int)GLASS_WCOP_RECV == (int)IB_WC_RECV);
static_assert((int)GLASS_WCOP_RECV_WRITE_IMM == (int)IB_WC_RECV_RDMA_WITH_IMM);
static_assert((int)GLASS_WCOP_FETCH_ADD == (int)IB_WC_FETCH_ADD);
static_assert((int)GLASS_WCOP_BIND_MW == (int)IB_WC_BIND_MW);
static_assert((int)GLASS_WCOP_LOCAL_INV == (int)IB_WC_LOCAL_INV);

void glass_cq_forget_qp(struct glass_cq *cq, const struct ib_qp *qp)
{
	unsigned long flags;
	u32 i;

	if (!cq || !cq->qps)
		return;
	spin_lock_irqsave(&cq->lock, flags);
	for (i = cq->consumer; i != cq->producer; i++)
		if (cq->qps[i & (cq->ring.num - 1)] == qp)
			cq->qps[i & (cq->ring.num - 1)] = NULL;
	spin_unlock_irqrestore(&cq->lock, flags);
}

void glass_cq_forget_qp_everywhere(struct glass_dev *dev, const struct ib_qp *qp)
{
	unsigned long index = 0;
	struct glass_cq *cq;

	for (; (cq = glass_cq_next(dev, &index)); index++) {
		glass_cq_forget_qp(cq, qp);
		glass_ref_put(&cq->ref);
	}
}

void glass_cq_settle(struct glass_cq *cq)
{
	if (!cq)
		return;
	/*
	 * Three contexts raise completion events. One of them completes a request: it holds the
	 * QP's lock, and for a receive of an XRC SRQ also a reference to the SRQ. The callers of
	 * glass_cq_settle() have already waited for this context: destroy_qp for the lock,
	 * destroy_srq for the reference.
	 *
	 * The other two contexts are late_work (delayed completions, inject/late.c) and tell_work
	 * (vectors other than 0). They hold neither the lock nor a reference, so wait for them
	 * here. Flush late_work first, because it may queue tell_work.
	 */
	flush_delayed_work(&cq->late_work);
	if (cq->vector)
		flush_work(&cq->tell_work);
}

/* Only kernel consumers call this: programs poll the shared ring themselves. */
int glass_poll_cq(struct ib_cq *ib, int num, struct ib_wc *wc)
{
	struct glass_cq *cq = to_gcq(ib);
	unsigned long flags;
	int n = 0;

	glass_enter(cq->dev, POLL_CQ, CQ, cq->cqn, "num_entries=%d", num);
	spin_lock_irqsave(&cq->lock, flags);
	while (n < num && cq->consumer != cq->producer) {
		u32 slot = cq->consumer & (cq->ring.num - 1);
		const struct glass_abi_cqe *c = glass_ring_at(&cq->ring, slot);

		if (cq->qps[slot]) {
			to_wc(&wc[n++], c, cq->qps[slot]);
			trace_glass_poll(glass_dev_name(cq->dev), cq->cqn, c->qp_num, c->wr_id,
					 c->status, c->opcode, c->flow);
		}
		cq->consumer++;
	}
	spin_unlock_irqrestore(&cq->lock, flags);
	glass_leave(cq->dev, POLL_CQ, CQ, cq->cqn, n);
	return n;
}

int glass_req_notify_cq(struct ib_cq *ib, enum ib_cq_notify_flags flags)
{
	struct glass_cq *cq = to_gcq(ib);
	u8 kind = (flags & IB_CQ_SOLICITED_MASK) == IB_CQ_SOLICITED ? 1 : 2;
	unsigned long irq;
	int ret = 0;

	glass_enter(cq->dev, REQ_NOTIFY_CQ, CQ, cq->cqn, "solicited_only=%d", kind == 1);
	spin_lock_irqsave(&cq->lock, irq);
	/* a request for solicited completions does not replace one for all (IBA 11.4.2.2) */
	cq->notify = max(cq->notify, kind);
	cq->armed++;
	glass_owner_changes(&cq->owner);
	if (glass_linting())
		glass_lint_armed(cq);
	if ((flags & IB_CQ_REPORT_MISSED_EVENTS) && glass_cq_used(cq))
		ret = 1;
	spin_unlock_irqrestore(&cq->lock, irq);
	glass_leave(cq->dev, REQ_NOTIFY_CQ, CQ, cq->cqn, ret);
	return ret;
}
