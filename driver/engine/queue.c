// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * From shared rings to private work requests. Every entry is copied once; what
 * is checked and used is the copy.
 */
#include "engine/engine.h"
#include "observe/observe.h"

static_assert(sizeof(struct glass_ring_hdr) == GLASS_RING_HDR_BYTES);
static_assert(sizeof(struct glass_abi_send_wqe) == GLASS_SEND_WQE_HDR_BYTES);
static_assert(sizeof(struct glass_abi_recv_wqe) == GLASS_RECV_WQE_HDR_BYTES);
static_assert(sizeof(struct glass_abi_cqe) == 64);
static_assert(sizeof(struct glass_control_page) == 4096);
static_assert(GLASS_SWQE_FENCE == GLASS_WQE_FENCE && GLASS_SWQE_SIGNALED == GLASS_WQE_SIGNALED);
static_assert(GLASS_SWQE_SOLICITED == GLASS_WQE_SOLICITED &&
	      GLASS_SWQE_INLINE == GLASS_WQE_INLINE);

/* Copies from memory that a program may be writing; the compiler may not read it again. */
static void copy_once(void *to, const void *shared, size_t len)
{
	memcpy(to, shared, len);
	barrier();
}

static void add_sges(struct glass_sge *to, const struct glass_abi_sge *shared, u32 n, u64 *total)
{
	u32 i;

	*total = 0;
	for (i = 0; i < n; i++) {
		struct glass_abi_sge sge;

		copy_once(&sge, &shared[i], sizeof(sge));
		to[i].addr = sge.addr;
		to[i].len = sge.length;
		to[i].lkey = sge.lkey;
		*total += sge.length;
	}
}

static bool op_fits(enum glass_qp_type type, u32 op)
{
	switch (type) {
	case GLASS_QPT_RC:
		return op < GLASS_OP_COUNT;
	case GLASS_QPT_UC:
		return op <= GLASS_OP_SEND_IMM;
	default:
		return op == GLASS_OP_SEND || op == GLASS_OP_SEND_IMM;
	}
}

static bool is_datagram(const struct glass_qp *qp)
{
	return qp->core.type != GLASS_QPT_RC && qp->core.type != GLASS_QPT_UC;
}

/* The AV of an AH of the QP's own PD. */
static bool take_av(struct glass_qp *qp, u32 num, struct glass_av *av)
{
	struct glass_ah *ah;
	unsigned long flags;
	bool ok;

	xa_lock_irqsave(&qp->dev->ahs, flags);
	ah = xa_load(&qp->dev->ahs, num);
	ok = ah && ah->pdn == qp->pdn;
	if (ok)
		*av = ah->av;
	xa_unlock_irqrestore(&qp->dev->ahs, flags);
	return ok;
}

u32 glass_flow_high(const struct glass_qp *qp)
{
	return (qp->dev->index + 1) << 24 | qp->core.qpn;
}

static u64 flow_id(const struct glass_qp *qp, u32 index)
{
	return (u64)glass_flow_high(qp) << 32 | index;
}

static enum glass_wc_status take_swqe(struct glass_qp *qp, struct glass_swqe *w, const u8 *shared)
{
	const struct glass_pqp *q = &qp->core;
	struct glass_abi_send_wqe a;
	bool rdma_single;
	u64 total;

	copy_once(&a, shared, sizeof(a));
	w->wr_id = a.wr_id;
	w->op = min_t(u32, a.opcode, GLASS_OP_COUNT);
	w->flags = a.flags & (GLASS_SWQE_FENCE | GLASS_SWQE_SIGNALED | GLASS_SWQE_SOLICITED |
			      GLASS_SWQE_INLINE);
	w->num_sge = 0;
	w->len = 0;
	w->imm = (__force __be32)a.imm;
	w->rkey = a.rkey;
	w->raddr = a.remote_addr;
	w->cmp_add = a.compare_add;
	w->swap = a.swap;
	w->tries = 0;

	if (!op_fits(q->type, a.opcode))
		return GLASS_WC_LOC_QP_OP_ERR;
	if (is_datagram(qp)) {
		w->dqpn = a.remote_qpn & GLASS_QPN_MASK;
		w->qkey = a.remote_qkey;
		/* only the kernel's own consumers choose a P_Key by work request */
		w->pkey_index = q->is_user || q->type != GLASS_QPT_GSI ? q->attr.pkey_index :
									 a.pkey_index;
		if (!take_av(qp, a.ah_num, &w->av))
			return GLASS_WC_LOC_QP_OP_ERR;
	}
	shared += sizeof(a);
	if (w->flags & GLASS_SWQE_INLINE) {
		if (a.inline_len > qp->cap.max_inline_data)
			return GLASS_WC_LOC_QP_OP_ERR;
		if (a.opcode == GLASS_OP_READ || a.opcode >= GLASS_OP_CMP_SWAP)
			return GLASS_WC_LOC_QP_OP_ERR;
		copy_once(w->data, shared, a.inline_len);
		w->len = a.inline_len;
		return GLASS_WC_SUCCESS;
	}
	if (a.num_sge > q->max_sge)
		return GLASS_WC_LOC_QP_OP_ERR;
	add_sges(w->sge, (const struct glass_abi_sge *)shared, a.num_sge, &total);
	w->num_sge = a.num_sge;
	rdma_single = a.opcode == GLASS_OP_CMP_SWAP || a.opcode == GLASS_OP_FETCH_ADD;
	if (total > GLASS_MAX_MSG || (rdma_single && total != 8))
		return GLASS_WC_LOC_LEN_ERR;
	w->len = total;
	return GLASS_WC_SUCCESS;
}

bool glass_sq_fetch(struct glass_qp *qp)
{
	struct glass_pqp *q = &qp->core;
	u32 producer;
	u64 now;

	lockdep_assert_held(&qp->lock);
	if (q->state < GLASS_QPS_RTS)
		return false;
	producer = smp_load_acquire(&qp->sq.hdr->producer);
	if (producer == q->req.head)
		return false;
	now = ktime_get_ns();
	if (producer - q->req.tail > q->sq_entries) {
		/* make the ring empty, so that this is said once */
		WRITE_ONCE(qp->sq.hdr->producer, q->req.head);
		glass_pqp_fail(q, GLASS_CAUSE_BAD_RING, GLASS_EV_QP_FATAL, now);
		return false;
	}
	while (q->req.head != producer) {
		struct glass_swqe *w = glass_swqe_at(q, q->req.head);

		w->flow = flow_id(qp, q->req.head);
		w->status = take_swqe(qp, w, glass_ring_at(&qp->sq, q->req.head));
		w->post_ns = now;
		trace_glass_wr_post(glass_dev_name(qp->dev), q->qpn, w->wr_id, w->op, w->len,
				    w->num_sge, w->flags, w->flow);
		q->req.head++;
	}
	smp_store_release(&qp->sq.hdr->consumer, q->req.head);
	return true;
}

static int take_recv(const struct glass_ring *ring, u32 *consumer, u32 max_wr, u32 max_sge,
		     struct glass_rwqe *out)
{
	u32 producer = smp_load_acquire(&ring->hdr->producer);
	struct glass_abi_recv_wqe a;
	const u8 *shared;
	u64 total;

	if (producer == *consumer)
		return 0;
	if (producer - *consumer > ring->num)
		return -EIO;
	shared = glass_ring_at(ring, *consumer);
	copy_once(&a, shared, sizeof(a));
	out->wr_id = a.wr_id;
	out->num_sge = 0;
	out->len = 0;
	if (a.num_sge <= max_sge && a.num_sge <= GLASS_RWQE_SGE_MAX) {
		add_sges(out->sge, (const struct glass_abi_sge *)(shared + sizeof(a)), a.num_sge,
			 &total);
		out->num_sge = a.num_sge;
		out->len = total;
	}
	(*consumer)++;
	smp_store_release(&ring->hdr->consumer, *consumer);
	return a.num_sge > max_sge || a.num_sge > GLASS_RWQE_SGE_MAX ? -EINVAL : 1;
}

static int take_srq(struct glass_srq *srq, struct glass_rwqe *out)
{
	bool limit = false;
	unsigned long flags;
	u32 left;
	int ret;

	spin_lock_irqsave(&srq->lock, flags);
	if (srq->failed) {
		ret = -EIO;
	} else {
		ret = take_recv(&srq->ring, &srq->consumer, srq->max_wr, srq->max_sge, out);
		left = READ_ONCE(srq->ring.hdr->producer) - srq->consumer;
		if (ret == 1)
			srq->total++;
		if (ret == 1 && srq->limit && left < srq->limit) {
			/* one-shot (IBA 10.2.9.3) */
			srq->limit = 0;
			srq->limit_events++;
			limit = true;
		}
	}
	spin_unlock_irqrestore(&srq->lock, flags);
	if (ret == -EIO)
		queue_work(system_unbound_wq, &srq->fail_work);
	if (limit) {
		struct ib_event ev = {
			.device = &srq->dev->ib,
			.element.srq = &srq->ib,
			.event = IB_EVENT_SRQ_LIMIT_REACHED,
		};

		trace_glass_async(glass_dev_name(srq->dev), GLASS_EV_SRQ_LIMIT_REACHED, GLASS_KIND_SRQ,
				  srq->srqn);
		if (srq->ib.event_handler)
			srq->ib.event_handler(&ev, srq->ib.srq_context);
	}
	return ret;
}

int glass_env_take_rwqe(struct glass_pqp *q, struct glass_rwqe *out)
{
	struct glass_qp *qp = core_to_qp(q);

	if (qp->srq)
		return take_srq(qp->srq, out);
	return take_recv(&qp->rq, &qp->rq_consumer, qp->cap.max_recv_wr, qp->cap.max_recv_sge, out);
}

u32 glass_env_rq_count(struct glass_pqp *q)
{
	struct glass_qp *qp = core_to_qp(q);
	u32 n;

	if (qp->srq)
		return 0;
	n = READ_ONCE(qp->rq.hdr->producer) - qp->rq_consumer;
	return min(n, qp->rq.num);
}
