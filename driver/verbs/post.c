// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Posting to QPs. Kernel consumers call post_send and post_recv, in any context. These two
 * functions write to rings that have the format of programs' rings. A program writes to its rings
 * itself, and then rings a doorbell. It calls post_send without work requests, or uses the faster
 * doorbell of engine/doorbell.h.
 */
#include "engine/engine.h"
#include "verbs/api.h"
#include "verbs/verbs.h"

#define TO_OP(X, E, n, w, v, verb, wc, on, naks, packets, how)                                     \
	case IB_WR_##verb:                                                                         \
		return (how) & GLASS_WRF_KERNEL ? (v) : -EOPNOTSUPP;

static int to_op(enum ib_wr_opcode opcode)
{
	/* cast to a number: enum ib_wr_opcode of older kernels lacks FLUSH and ATOMIC_WRITE */
	switch ((u32)opcode) {
	GLASS_WR_TABLE(TO_OP, , )
	default:
		return -EOPNOTSUPP;
	}
}

static int put_inline(struct glass_qp *qp, u8 *to, const struct ib_send_wr *wr, u32 *len)
{
	int i;

	*len = 0;
	for (i = 0; i < wr->num_sge; i++) {
		const struct ib_sge *sge = &wr->sg_list[i];

		if (sge->length > qp->cap.max_inline_data - *len)
			return -EINVAL;
		memcpy(to + *len, (void *)(uintptr_t)sge->addr, sge->length);
		*len += sge->length;
	}
	return 0;
}

static void put_sges(void *to, const struct ib_sge *sge, int n)
{
	struct glass_abi_sge *a = to;

	for (; n; n--, sge++, a++) {
		a->addr = sge->addr;
		a->length = sge->length;
		a->lkey = sge->lkey;
	}
}

static int put_send(struct glass_qp *qp, const struct ib_send_wr *wr)
{
	u32 producer = qp->sq.hdr->producer;
	struct glass_abi_send_wqe *a = glass_ring_at(&qp->sq, producer);
	int op = to_op(wr->opcode);

	lockdep_assert_held(&qp->sq_lock);
	if (op < 0)
		return op;
	/* pairs with the release in glass_complete_wqe(): the old WQE of a free slot has been read */
	if (producer - smp_load_acquire(&qp->core.req.tail) >= qp->cap.max_send_wr)
		return -ENOMEM;
	if (wr->num_sge > qp->cap.max_send_sge)
		return -EINVAL;
	memset(a, 0, sizeof(*a));
	a->wr_id = wr->wr_id;
	a->opcode = op;
	a->flags = (wr->send_flags & IB_SEND_FENCE ? GLASS_WQE_FENCE : 0) |
		   (wr->send_flags & IB_SEND_SIGNALED ? GLASS_WQE_SIGNALED : 0) |
		   (wr->send_flags & IB_SEND_SOLICITED ? GLASS_WQE_SOLICITED : 0) |
		   (wr->send_flags & IB_SEND_INLINE ? GLASS_WQE_INLINE : 0);
	a->imm = (__force u32)wr->ex.imm_data; /* or the key to invalidate: wr->ex is a union */
	if (!glass_type_is_connected(qp->core.type)) {
		const struct ib_ud_wr *ud = ud_wr(wr);

		if (!ud->ah)
			return -EINVAL;
		a->ah_num = to_gah(ud->ah)->num;
		a->remote_qpn = ud->remote_qpn;
		a->remote_qkey = ud->remote_qkey;
		a->pkey_index = ud->pkey_index;
	} else if (glass_wr_is(op, GLASS_WRF_WORD)) {
		const struct ib_atomic_wr *at = atomic_wr(wr);

		a->remote_addr = at->remote_addr;
		a->rkey = at->rkey;
		a->compare_add = at->compare_add;
		a->swap = at->swap;
	} else if (op == GLASS_OP_REG_MR) {
		const struct ib_reg_wr *reg = reg_wr(wr);

		a->rkey = reg->key;
		a->access = reg->access;
		a->remote_addr = reg->mr->iova;
		a->length = reg->mr->length;
	} else if (glass_wr_is(op, GLASS_WRF_REMOTE)) {
		a->remote_addr = rdma_wr(wr)->remote_addr;
		a->rkey = rdma_wr(wr)->rkey;
	}
	if (a->flags & GLASS_WQE_INLINE) {
		int err = put_inline(qp, (u8 *)(a + 1), wr, &a->inline_len);

		if (err)
			return err;
	} else {
		a->num_sge = wr->num_sge;
		put_sges(a + 1, wr->sg_list, wr->num_sge);
	}
	/* pairs with the acquire in glass_sq_posted(): a reader of this index sees the whole WQE */
	smp_store_release(&qp->sq.hdr->producer, producer + 1);
	return 0;
}

int glass_post_send(struct ib_qp *ib, const struct ib_send_wr *wr, const struct ib_send_wr **bad_wr)
{
	struct glass_qp *qp = to_gqp(ib);
	unsigned long flags;
	int err = 0;

	/*
	 * Refuse all posts to an XRC target QP: such a QP only answers requests, and has no send
	 * queue (IBA annex A14).
	 */
	if (unlikely(qp->core.type == GLASS_QPT_XRC_TGT)) {
		glass_enter_text(qp->dev, POST_SEND, QP, qp->core.qpn,
				 "refused: an XRC target has no send queue");
		glass_leave(qp->dev, POST_SEND, QP, qp->core.qpn, -EINVAL);
		*bad_wr = wr;
		return -EINVAL;
	}
	if (qp->core.is_user) {
		if (wr) {
			*bad_wr = wr;
			return -EINVAL;
		}
		glass_enter_text(qp->dev, POST_SEND, QP, qp->core.qpn, "doorbell");
		glass_qp_kick_inline(qp);
		glass_leave(qp->dev, POST_SEND, QP, qp->core.qpn, 0);
		return 0;
	}
	if (READ_ONCE(qp->core.state) < GLASS_QPS_RTS) {
		*bad_wr = wr;
		return -EINVAL;
	}
	glass_enter(qp->dev, POST_SEND, QP, qp->core.qpn, "wr_id=0x%llx", wr ? wr->wr_id : 0);
	spin_lock_irqsave(&qp->sq_lock, flags);
	for (; wr; wr = wr->next) {
		err = put_send(qp, wr);
		if (err) {
			*bad_wr = wr;
			break;
		}
	}
	spin_unlock_irqrestore(&qp->sq_lock, flags);
	glass_leave(qp->dev, POST_SEND, QP, qp->core.qpn, err);
	glass_qp_kick(qp, NULL);
	return err;
}

int glass_ring_put_recv(struct glass_ring *ring, u32 outstanding, u32 max_wr, u32 max_sge,
			const struct ib_recv_wr *wr)
{
	u32 producer = ring->hdr->producer;
	struct glass_abi_recv_wqe *a = glass_ring_at(ring, producer);

	if (outstanding >= max_wr)
		return -ENOMEM;
	if (wr->num_sge > max_sge)
		return -EINVAL;
	a->wr_id = wr->wr_id;
	a->num_sge = wr->num_sge;
	put_sges(a + 1, wr->sg_list, wr->num_sge);
	/* pairs with the acquire in glass_rwqe_take(): a reader of this index sees the whole WQE */
	smp_store_release(&ring->hdr->producer, producer + 1);
	return 0;
}

int glass_post_recv(struct ib_qp *ib, const struct ib_recv_wr *wr, const struct ib_recv_wr **bad_wr)
{
	struct glass_qp *qp = to_gqp(ib);
	unsigned long flags;
	int err = 0;

	if (qp->core.is_user || qp->srq || qp->core.type == GLASS_QPT_XRC_TGT ||
	    READ_ONCE(qp->core.state) == GLASS_QPS_RESET) {
		*bad_wr = wr;
		return -EINVAL;
	}
	glass_enter(qp->dev, POST_RECV, QP, qp->core.qpn, "wr_id=0x%llx", wr ? wr->wr_id : 0);
	spin_lock_irqsave(&qp->rq_lock, flags);
	for (; wr; wr = wr->next) {
		/*
		 * pairs with the release in glass_rwqe_take(): the old WQE of a free slot has been
		 * read
		 */
		u32 consumer = smp_load_acquire(&qp->rq.hdr->consumer);

		err = glass_ring_put_recv(&qp->rq, qp->rq.hdr->producer - consumer,
					  qp->cap.max_recv_wr, qp->cap.max_recv_sge, wr);
		if (err) {
			*bad_wr = wr;
			break;
		}
	}
	spin_unlock_irqrestore(&qp->rq_lock, flags);
	glass_leave(qp->dev, POST_RECV, QP, qp->core.qpn, err);
	/*
	 * If the QP goes to ERR now, either the flush finds the receive, or this function reads
	 * `awake` (glass-abi.h) as 0 and kicks the QP. Pairs with smp_mb() in
	 * glass_env_note_state().
	 */
	smp_mb();
	if (!READ_ONCE(qp->rq.hdr->awake))
		glass_qp_kick(qp, NULL);
	return err;
}
