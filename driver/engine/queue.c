// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * From shared rings to private work requests. Every entry is copied once; what
 * is checked and used is the copy.
 */
#include "engine/engine.h"
#include "engine/lint.h"
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

/* The same of all before data and SGEs: up to 64 bytes are moves, a call takes longer than twice that. */
static __always_inline void copy_head(struct glass_abi_send_wqe *to, const u8 *shared)
{
	memcpy(to, shared, 64);
	memcpy((u8 *)to + 64, shared + 64, sizeof(*to) - 64);
	barrier();
}

/* zero: what length 0 means */
static void add_sges(struct glass_sge *to, const struct glass_abi_sge *shared, u32 n, u32 zero,
		     u64 *total)
{
	u32 i;

	*total = 0;
	for (i = 0; i < n; i++) {
		struct glass_abi_sge sge;

		copy_once(&sge, &shared[i], sizeof(sge));
		to[i].addr = sge.addr;
		to[i].len = sge.length ?: zero;
		to[i].lkey = sge.lkey;
		*total += to[i].len;
	}
}

#define ZERO_IS_MAX (1U << 31)

/* Strict mode: some adapters read length 0 as 2^31. */
static u32 zero_sge(const struct glass_dev *dev)
{
	return glass_strict(&dev->strict, GLASS_BEHAVIOR_ZERO_SGE_MAX) ? ZERO_IS_MAX : 0;
}

static bool op_fits(enum glass_qp_type type, bool user, u32 op)
{
	switch (type) {
	case GLASS_QPT_RC:
	case GLASS_QPT_XRC_INI:
		/* page lists are the kernel's; what is no operation at all the core refuses */
		return op < GLASS_OP_COUNT && (op != GLASS_OP_REG_MR || !user);
	case GLASS_QPT_UC:
		return op <= GLASS_OP_SEND_IMM || op == GLASS_OP_BIND_MW ||
		       op == GLASS_OP_LOCAL_INV || (op == GLASS_OP_REG_MR && !user);
	case GLASS_QPT_XRC_TGT:
		return false;
	default:
		return op == GLASS_OP_SEND || op == GLASS_OP_SEND_IMM;
	}
}

static bool is_datagram(const struct glass_qp *qp)
{
	return !glass_type_is_connected(qp->core.type);
}

/* The AV of an AH of the QP's own PD. */
static bool take_av(struct glass_qp *qp, u32 num, struct glass_av *av)
{
	struct glass_ah *ah;
	unsigned long flags;
	u32 pdn;
	bool ok;

	xa_lock_irqsave(&qp->dev->ahs, flags);
	ah = xa_load(&qp->dev->ahs, num);
	pdn = ah ? ah->pdn : qp->pdn;
	ok = ah && pdn == qp->pdn;
	if (ok)
		*av = ah->av;
	xa_unlock_irqrestore(&qp->dev->ahs, flags);
	if (unlikely(pdn != qp->pdn) && glass_linting())
		glass_lint_ah_pd(qp, num, pdn);
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

/* Operations that name memory, if any, and bring none along */
static bool no_data(u32 op)
{
	return op == GLASS_OP_LOCAL_INV || op == GLASS_OP_BIND_MW || op == GLASS_OP_REG_MR ||
	       op == GLASS_OP_FLUSH;
}

static enum glass_wc_status take_swqe(struct glass_qp *qp, struct glass_swqe *w, const u8 *shared)
{
	const struct glass_pqp *q = &qp->core;
	struct glass_abi_send_wqe a;
	bool rdma_single;
	u64 total;

	copy_head(&a, shared);
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
	w->blen = a.length;
	w->mw_rkey = a.mw_rkey;
	w->mr_lkey = a.mr_lkey;
	w->access = a.access;
	w->xrc_srq = a.xrc_srqn & GLASS_QPN_MASK;
	w->tries = 0;
	if (a.opcode == GLASS_OP_SEND_INV || a.opcode == GLASS_OP_LOCAL_INV)
		w->rkey = a.imm;

	if (!op_fits(q->type, q->is_user, a.opcode))
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
	if (no_data(a.opcode))
		return GLASS_WC_SUCCESS;
	shared += sizeof(a);
	if (w->flags & GLASS_SWQE_INLINE) {
		if (a.inline_len > qp->cap.max_inline_data)
			return GLASS_WC_LOC_QP_OP_ERR;
		if (a.opcode == GLASS_OP_READ || a.opcode == GLASS_OP_CMP_SWAP ||
		    a.opcode == GLASS_OP_FETCH_ADD)
			return GLASS_WC_LOC_QP_OP_ERR;
		copy_once(w->data, shared, a.inline_len);
		w->len = a.inline_len;
		return GLASS_WC_SUCCESS;
	}
	if (a.num_sge > q->max_sge)
		return GLASS_WC_LOC_QP_OP_ERR;
	add_sges(w->sge, (const struct glass_abi_sge *)shared, a.num_sge,
		 q->is_user ? zero_sge(qp->dev) : 0, &total);
	w->num_sge = a.num_sge;
	rdma_single = a.opcode == GLASS_OP_CMP_SWAP || a.opcode == GLASS_OP_FETCH_ADD;
	if (total > GLASS_MAX_MSG || (rdma_single && total != 8))
		return GLASS_WC_LOC_LEN_ERR;
	w->len = total;
	return GLASS_WC_SUCCESS;
}

bool glass_sq_fetch(struct glass_qp *qp, u64 now)
{
	struct glass_pqp *q = &qp->core;
	u32 producer, before = q->req.head;

	lockdep_assert_held(&qp->lock);
	if (q->state < GLASS_QPS_RTS)
		return false;
	/* pairs with the store of who posts: what is counted is written */
	producer = smp_load_acquire(&qp->sq.hdr->producer);
	if (producer == q->req.head)
		return false;
	/* the time of a QP whose packets wait for a step stands still, that of its program does not */
	if (glass_injecting() && unlikely(qp->frozen))
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
	/* the copies were made before the program may write there again */
	smp_store_release(&qp->sq.hdr->consumer, q->req.head);
	if (glass_linting())
		glass_lint_posted(qp, q->req.head - before);
	return true;
}

static int take_recv(const struct glass_ring *ring, u32 *consumer, u32 max_sge, u32 zero,
		     struct glass_rwqe *out)
{
	/* as in glass_sq_fetch() */
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
			 zero, &total);
		out->num_sge = a.num_sge;
		out->len = total;
	}
	(*consumer)++;
	/*
	 * Pairs with the acquire of whoever posts (glass_post_recv(), the provider's
	 * glass_rq_post()): the slot was read before it is written again.
	 */
	smp_store_release(&ring->hdr->consumer, *consumer);
	return a.num_sge > max_sge || a.num_sge > GLASS_RWQE_SGE_MAX ? -EINVAL : 1;
}

/*
 * Strict mode: any receive that is posted comes first. It changes places with the
 * first; neither is the program's while they are between the indices.
 */
static void shuffle(struct glass_srq *srq)
{
	u32 first = srq->consumer;
	/* as in glass_sq_fetch() */
	u32 n = smp_load_acquire(&srq->ring.hdr->producer) - first;
	u8 *a, *b;
	u32 i, k;

	lockdep_assert_held(&srq->lock);
	if (n < 2 || n > srq->ring.num)
		return;
	k = glass_strict_hash(&srq->dev->strict, GLASS_BEHAVIOR_SRQ_SHUFFLE, srq->srqn, srq->total) % n;
	a = glass_ring_at(&srq->ring, first);
	b = glass_ring_at(&srq->ring, first + k);
	if (a == b)
		return;
	for (i = 0; i < srq->ring.stride; i++)
		swap(a[i], b[i]);
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
		if (glass_strict(&srq->dev->strict, GLASS_BEHAVIOR_SRQ_SHUFFLE))
			shuffle(srq);
		ret = take_recv(&srq->ring, &srq->consumer, srq->max_sge,
				srq->is_user ? zero_sge(srq->dev) : 0, out);
		left = READ_ONCE(srq->ring.hdr->producer) - srq->consumer;
		if (ret == 1)
			srq->total++;
		if (ret == 1 && srq->limit && left < srq->limit) {
			/* one-shot (IBA 10.2.9.3) */
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
		queue_work(glass_event_wq, &srq->fail_work);
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

/* The SRQ of that number in the QP's XRC domain with a reference, or NULL. */
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
	qp->recv_pdn = srq ? srq->pdn : 0; /* no domain has number 0 */
	if (!srq)
		return false;
	glass_ref_put(&srq->ref);
	return true;
}

/*
 * Nothing stays taken of the SRQ: it may go while a message is received, and then the
 * message's completion goes with it.
 */
static int take_xrc(struct glass_qp *qp, struct glass_rwqe *out)
{
	struct glass_srq *srq = xrc_srq_get(qp, qp->core.resp.rwqe_srq);
	int ret;

	if (!srq)
		return -EIO;
	ret = take_srq(srq, out);
	glass_ref_put(&srq->ref);
	return ret;
}

int glass_env_take_rwqe(struct glass_pqp *q, struct glass_rwqe *out)
{
	struct glass_qp *qp = core_to_qp(q);

	if (qp->srq)
		return take_srq(qp->srq, out);
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
