// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Posts of work requests to QPs, by lists (ibv_post_send(), ibv_post_recv()). wr.c has the others. */
#include <config.h>

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "compat.h"
#include "glass.h"
#include "lint.h"
#include "probes.h"
#include "uapi/glass-ioctl.h"

/* Operations that ibv_post_send() has no fields for */
#define EXTENDED_OPS GLASS_WRS_WITH(GLASS_WRF_EXTENDED)

static inline __attribute__((always_inline)) int ring_doorbell(struct ibv_qp *ibqp, uint32_t count)
{
	int fd = to_gcontext(ibqp->context)->doorbell_fd;
	struct ibv_send_wr *bad_wr;

	glass_probe_doorbell(ibqp->qp_num, count);
	if (likely(fd >= 0))
		return unlikely(lseek(fd, ibqp->qp_num, GLASS_DOORBELL_WHENCE) < 0) ? errno : 0;
	/* an empty list means "look at the rings" */
	return ibv_cmd_post_send(ibqp, NULL, &bad_wr);
}

int glass_ring_doorbell(struct ibv_qp *ibqp, uint32_t count)
{
	return ring_doorbell(ibqp, count);
}

/* Total length of an SGE list to be sent inline; on overflow, larger than any limit. */
static uint64_t inline_bytes(const struct ibv_send_wr *wr)
{
	uint64_t bytes = 0;
	int i;

	for (i = 0; i < wr->num_sge; i++)
		bytes += wr->sg_list[i].length;
	return bytes;
}

static inline __attribute__((always_inline)) int check_send(const struct glass_qp *qp, const struct ibv_send_wr *wr)
{
	if ((unsigned int)wr->opcode >= GLASS_OP_COUNT ||
	    !(qp->all_ops & ~EXTENDED_OPS & (1u << wr->opcode)))
		return EINVAL;
	if (wr->num_sge < 0 || (uint32_t)wr->num_sge > qp->sq.max_sge)
		return EINVAL;
	if (wr->send_flags & ~(IBV_SEND_FENCE | IBV_SEND_SIGNALED | IBV_SEND_SOLICITED |
			       IBV_SEND_INLINE))
		return EINVAL;
	if (wr->send_flags & IBV_SEND_INLINE) {
		if (!(GLASS_INLINE_OPS & (1u << wr->opcode)))
			return EINVAL;
		if (inline_bytes(wr) > qp->sq.max_inline)
			return ENOMEM;
	}
	if (qp->ibv.qp.qp_type == IBV_QPT_UD) {
		if (!wr->wr.ud.ah)
			return EINVAL;
		if (glass_ah_refused(qp->ibv.qp.pd, wr->wr.ud.ah)) {
			glass_lint_other_pd(qp, to_gpd(wr->wr.ud.ah->pd)->pdn);
			return EINVAL;
		}
	}
	if (wr->opcode == IBV_WR_BIND_MW)
		return glass_check_bind_mw(wr);
	return 0;
}

static inline __attribute__((always_inline)) void fill_remote(struct glass_abi_send_wqe *wqe, const struct glass_qp *qp,
			const struct ibv_send_wr *wr)
{
	if (qp->ibv.qp.qp_type == IBV_QPT_UD) {
		wqe->ah_num = to_gah(wr->wr.ud.ah)->num;
		wqe->remote_qpn = wr->wr.ud.remote_qpn;
		wqe->remote_qkey = wr->wr.ud.remote_qkey;
		return;
	}
	switch (wr->opcode) {
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_WRITE_WITH_IMM:
	case IBV_WR_RDMA_READ:
		wqe->remote_addr = wr->wr.rdma.remote_addr;
		wqe->rkey = wr->wr.rdma.rkey;
		break;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		wqe->remote_addr = wr->wr.atomic.remote_addr;
		wqe->rkey = wr->wr.atomic.rkey;
		wqe->compare_add = wr->wr.atomic.compare_add;
		wqe->swap = wr->wr.atomic.swap;
		break;
	case IBV_WR_BIND_MW:
		glass_fill_bind_mw(wqe, wr);
		break;
	default:
		break;
	}
}

static inline __attribute__((always_inline)) void fill_data(struct glass_abi_send_wqe *wqe, const struct ibv_send_wr *wr)
{
	uint8_t *to = (uint8_t *)(wqe + 1);
	int i;

	if (!(wr->send_flags & IBV_SEND_INLINE)) {
		wqe->num_sge = wr->num_sge;
		if (wr->num_sge)
			memcpy(to, wr->sg_list, wr->num_sge * sizeof(*wr->sg_list));
		return;
	}
	for (i = 0; i < wr->num_sge; i++) {
		memcpy(to, (const void *)(uintptr_t)wr->sg_list[i].addr, wr->sg_list[i].length);
		to += wr->sg_list[i].length;
	}
	wqe->inline_len = to - (uint8_t *)(wqe + 1);
}

/*
 * stack: where the post comes from (where.h); `records` is false, and both are constants, if nobody
 * looks, which costs nothing: the function is compiled for both.
 */
static inline __attribute__((always_inline)) int post_send(struct ibv_qp *ibqp, struct ibv_send_wr *wr,
			   struct ibv_send_wr **bad_wr, bool records, uint32_t stack)
{
	struct glass_qp *qp = to_gqp(ibqp);
	struct ibv_send_wr *first = wr;
	struct glass_sq *sq = &qp->sq;
	bool asleep = false, lint = glass_linting(ibqp->context);
	uint32_t start, count;
	int ret = 0;
	int err;

	ret = records ? glass_verb_fault(ibqp->context, GLASS_VERB_POST_SEND)
		      : glass_post_fault(ibqp->context, GLASS_VERB_POST_SEND);
	if (ret) {
		*bad_wr = wr;
		return ret;
	}
	if (!glass_can_post_send(ibqp)) {
		*bad_wr = wr;
		glass_lint(ibqp->context, GLASS_LINT_POST_WRONG_STATE, GLASS_KIND_QP, ibqp->qp_num,
			   ibqp->state, IBV_QPS_RTS);
		return glass_refused(ibqp->context, EINVAL);
	}

	glass_lock(&sq->lock);
	if (unlikely(lint) && sq->refused && sq->refused == wr && sq->refused_id == wr->wr_id)
		glass_lint_again(ibqp->context, ibqp->qp_num, GLASS_KIND_QP, wr->wr_id);
	start = sq->producer;
	for (; wr; wr = wr->next) {
		struct glass_abi_send_wqe *wqe;

		if (sq->producer - atomic_load_explicit(&sq->tail, memory_order_acquire) >=
		    sq->max_wr) {
			ret = ENOMEM;
			break;
		}
		ret = check_send(qp, wr);
		if (!ret && unlikely(lint))
			ret = glass_lint_usual_send(qp, wr);
		if (ret)
			break;

		wqe = glass_ring_at(&sq->ring, sq->producer);
		glass_clear_wqe(wqe);
		wqe->wr_id = wr->wr_id;
		wqe->opcode = wr->opcode;
		wqe->flags = glass_wqe_flags(qp, wr->send_flags);
		wqe->imm = (__force uint32_t)wr->imm_data; /* or the key to invalidate */
		if (ibqp->qp_type == IBV_QPT_XRC_SEND)
			wqe->xrc_srqn = wr->qp_type.xrc.remote_srqn;
		if (stack)
			wqe->stack = stack;
		fill_remote(wqe, qp, wr);
		fill_data(wqe, wr);
		glass_probe_post_send(ibqp->qp_num, wr->wr_id, wr->opcode,
				      qp->flow_base | sq->producer, wr->num_sge);
		if (wqe->flags & GLASS_WQE_SIGNALED) {
			sq->signaled = sq->producer;
			sq->any_signaled = true;
		}
		if (unlikely(lint))
			glass_lint_usual_sent(qp, ibqp->qp_type == IBV_QPT_UD ? to_gah(wr->wr.ud.ah) : NULL,
					      sq->producer);
		sq->producer++;
	}

	count = sq->producer - start;
	if (unlikely(lint))
		glass_lint_sends_ended(qp, first, wr, count, ret);
	if (count) {
		glass_store_release(&sq->ring.hdr->producer, sq->producer);
		glass_full_barrier();
		asleep = !glass_load_relaxed(&sq->ring.hdr->awake);
	}
	glass_unlock(&sq->lock);

	if (ret) {
		*bad_wr = wr;
		glass_refused(ibqp->context, ret);
	}
	if (asleep) {
		err = glass_ring_doorbell(ibqp, count);
		if (err && !ret) {
			*bad_wr = first;
			ret = err;
		}
	}
	return ret;
}

/* Writes the WQE of a request that post_one() posts. Returns its flags. */
static inline __attribute__((always_inline)) uint32_t fill_one(const struct glass_qp *qp, struct glass_abi_send_wqe *wqe,
							       const struct ibv_send_wr *wr, uint32_t stack)
{
	uint32_t op = wr->opcode, flags = glass_wqe_flags(qp, wr->send_flags & ~IBV_SEND_INLINE);

	wqe->wr_id = wr->wr_id;
	wqe->opcode = op;
	wqe->flags = flags;
	wqe->num_sge = 1;
	wqe->inline_len = 0;
	wqe->imm = (__force uint32_t)wr->imm_data;
	/* the driver reads nothing of the header behind `stack` */
	memset(&wqe->compare_add, 0, offsetof(struct glass_abi_send_wqe, stack) - offsetof(struct glass_abi_send_wqe, compare_add));
	wqe->stack = stack;
	if (op == GLASS_OP_SEND || op == GLASS_OP_SEND_IMM) {
		wqe->remote_addr = 0;
		wqe->rkey = 0;
		if (qp->ibv.qp.qp_type == IBV_QPT_UD) {
			wqe->ah_num = to_gah(wr->wr.ud.ah)->num;
			wqe->remote_qpn = wr->wr.ud.remote_qpn;
			wqe->remote_qkey = wr->wr.ud.remote_qkey;
		}
	} else if (op == GLASS_OP_CMP_SWAP || op == GLASS_OP_FETCH_ADD) {
		wqe->remote_addr = wr->wr.atomic.remote_addr;
		wqe->rkey = wr->wr.atomic.rkey;
		wqe->compare_add = wr->wr.atomic.compare_add;
		wqe->swap = wr->wr.atomic.swap;
	} else {
		wqe->remote_addr = wr->wr.rdma.remote_addr;
		wqe->rkey = wr->wr.rdma.rkey;
	}
	memcpy(wqe + 1, wr->sg_list, sizeof(struct glass_abi_sge));
	return flags;
}

/*
 * As post_send(), for the usual list: one request with one SGE. Returns false, and does nothing, if the list or the state
 * is another one, if the queue is full, or if lint has to look at the request. Then post_send() posts it, or finds
 * out why not. `lint`: was lint on just now? No verb fails now (GLASS_CTL_VERB_FAULTS).
 */
static inline __attribute__((always_inline)) bool post_one(struct ibv_qp *ibqp, struct ibv_send_wr *wr,
							   struct ibv_send_wr **bad_wr, bool lint, uint32_t stack,
							   int *ret)
{
	struct glass_qp *qp = to_gqp(ibqp);
	struct glass_sq *sq = &qp->sq;
	struct glass_ring_hdr *hdr = sq->ring.hdr;
	bool ud = ibqp->qp_type == IBV_QPT_UD, awake;
	uint32_t at, flags;

	if (unlikely(!wr || wr->next || wr->num_sge != 1 ||
		     wr->send_flags & ~(IBV_SEND_FENCE | IBV_SEND_SIGNALED | IBV_SEND_SOLICITED) ||
		     (unsigned int)wr->opcode >= GLASS_OP_COUNT || !(qp->usual_ops >> wr->opcode & 1) ||
		     ibqp->state < IBV_QPS_RTS))
		return false;
	if (ud && unlikely(!wr->wr.ud.ah || wr->wr.ud.ah->pd != ibqp->pd))
		return false;
	glass_lock(&sq->lock);
	at = sq->producer;
	if (unlikely(at - atomic_load_explicit(&sq->tail, memory_order_acquire) >= sq->max_wr ||
		     (lint && glass_lint_looks_at_send(qp, wr, ud)))) {
		glass_unlock(&sq->lock);
		return false;
	}
	if (lint)
		glass_lint_count_send(ibqp->context);
	flags = fill_one(qp, glass_ring_at(&sq->ring, at), wr, stack);
	glass_probe_post_send(ibqp->qp_num, wr->wr_id, wr->opcode, qp->flow_base | at, 1);
	if (flags & GLASS_WQE_SIGNALED) {
		sq->signaled = at;
		sq->any_signaled = true;
	}
	sq->producer = at + 1;
	glass_store_release(&hdr->producer, at + 1);
	glass_full_barrier();
	awake = glass_load_relaxed(&hdr->awake);
	glass_unlock(&sq->lock);
	*ret = awake ? 0 : ring_doorbell(ibqp, 1);
	if (unlikely(*ret))
		*bad_wr = wr;
	return true;
}

static __attribute__((noinline)) int post_any(struct ibv_qp *ibqp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr)
{
	return post_send(ibqp, wr, bad_wr, false, 0);
}

/* A post while somebody looks (GLASS_CTL_*) */
static __attribute__((noinline)) int post_seen(struct ibv_qp *ibqp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr)
{
	int ret;

	if (!(glass_ctl_flags(to_gcontext(ibqp->context)) & GLASS_CTL_RARE) && post_one(ibqp, wr, bad_wr, true, 0, &ret))
		return ret;
	return post_any(ibqp, wr, bad_wr);
}

static __attribute__((noinline)) int post_unseen(struct ibv_qp *ibqp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr)
{
	int ret;

	if (likely(post_one(ibqp, wr, bad_wr, false, 0, &ret)))
		return ret;
	return post_any(ibqp, wr, bad_wr);
}

int glass_post_send(struct ibv_qp *ibqp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr)
{
	/* both are the last call, so that no registers are saved for this test */
	if (unlikely(glass_ctl_flags(to_gcontext(ibqp->context)) & (GLASS_CTL_RARE | GLASS_CTL_LINT)))
		return post_seen(ibqp, wr, bad_wr);
	return post_unseen(ibqp, wr, bad_wr);
}

static __attribute__((noinline)) int post_any_from(struct ibv_qp *ibqp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr,
						   uint32_t stack)
{
	return post_send(ibqp, wr, bad_wr, true, stack);
}

int glass_post_send_from(struct ibv_qp *ibqp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr,
			 uint32_t stack)
{
	int ret;

	if (likely(!(glass_ctl_flags(to_gcontext(ibqp->context)) & GLASS_CTL_VERB_FAULTS) &&
		   post_one(ibqp, wr, bad_wr, glass_linting(ibqp->context), stack, &ret)))
		return ret;
	return post_any_from(ibqp, wr, bad_wr, stack);
}

/* records, stack: as in post_send() */
static inline __attribute__((always_inline)) int post_recv(struct ibv_qp *ibqp, struct ibv_recv_wr *wr,
			   struct ibv_recv_wr **bad_wr, bool records, uint32_t stack)
{
	struct glass_qp *qp = to_gqp(ibqp);
	int ret;

	ret = records ? glass_verb_fault(ibqp->context, GLASS_VERB_POST_RECV)
		      : glass_post_fault(ibqp->context, GLASS_VERB_POST_RECV);
	if (ret) {
		*bad_wr = wr;
		return ret;
	}
	if (ibqp->state == IBV_QPS_RESET || ibqp->srq || ibqp->qp_type == IBV_QPT_XRC_SEND ||
	    ibqp->qp_type == IBV_QPT_XRC_RECV) {
		*bad_wr = wr;
		if (ibqp->srq)
			glass_lint(ibqp->context, GLASS_LINT_RECV_WITH_SRQ, GLASS_KIND_QP,
				   ibqp->qp_num, 0, 0);
		else
			glass_lint(ibqp->context, GLASS_LINT_POST_WRONG_STATE, GLASS_KIND_QP,
				   ibqp->qp_num, ibqp->state, IBV_QPS_INIT);
		return glass_refused(ibqp->context, EINVAL);
	}
	ret = stack ? glass_rq_post_from(ibqp->context, &qp->rq, qp, ibqp->qp_num, wr, bad_wr, stack) :
		      glass_rq_post(ibqp->context, &qp->rq, qp, ibqp->qp_num, wr, bad_wr);
	if (ret)
		glass_refused(ibqp->context, ret);

	/*
	 * Receives wait in the ring until a message needs them. A QP in error flushes them, so the
	 * driver needs a doorbell. Pairs with the driver's glass_env_note_state().
	 */
	if (qp->rq.ring.hdr) {
		glass_full_barrier();
		if (!glass_load_relaxed(&qp->rq.ring.hdr->awake))
			glass_ring_doorbell(ibqp, 0);
	}
	return ret;
}

/* As post_one(), for a receive: then post_recv() posts it, or finds out why not. */
static inline __attribute__((always_inline)) bool receive_one(struct ibv_qp *ibqp, const struct ibv_recv_wr *wr, bool lint,
							      uint32_t stack)
{
	struct glass_qp *qp = to_gqp(ibqp);
	struct glass_rq *rq = &qp->rq;
	struct glass_ring_hdr *hdr = rq->ring.hdr;
	struct glass_abi_recv_wqe *wqe;
	uint32_t at;

	if (unlikely(!wr || wr->next || wr->num_sge != 1 || !qp->usual_recvs || ibqp->state == IBV_QPS_RESET))
		return false;
	glass_lock(&rq->lock);
	at = rq->producer;
	if (unlikely(at - glass_load_acquire(&hdr->consumer) >= rq->max_wr ||
		     (lint && glass_lint_looks_at_recv(rq, wr)))) {
		glass_unlock(&rq->lock);
		return false;
	}
	wqe = glass_ring_at(&rq->ring, at);
	wqe->wr_id = wr->wr_id;
	wqe->num_sge = 1;
	/* the driver reads nothing of the header behind `stack` */
	wqe->stack = stack;
	memcpy(wqe + 1, wr->sg_list, sizeof(struct glass_abi_sge));
	glass_probe_post_recv(ibqp->qp_num, wr->wr_id, 1, 0);
	rq->producer = at + 1;
	glass_store_release(&hdr->producer, at + 1);
	glass_unlock(&rq->lock);
	/* as in post_recv() */
	glass_full_barrier();
	if (unlikely(!glass_load_relaxed(&hdr->awake)))
		glass_ring_doorbell(ibqp, 0);
	return true;
}

static __attribute__((noinline)) int receive_any(struct ibv_qp *ibqp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	return post_recv(ibqp, wr, bad_wr, false, 0);
}

/* A post while somebody looks (GLASS_CTL_*) */
static __attribute__((noinline)) int receive_seen(struct ibv_qp *ibqp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	if (!(glass_ctl_flags(to_gcontext(ibqp->context)) & GLASS_CTL_RARE) && receive_one(ibqp, wr, true, 0))
		return 0;
	return receive_any(ibqp, wr, bad_wr);
}

static __attribute__((noinline)) int receive_unseen(struct ibv_qp *ibqp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	if (likely(receive_one(ibqp, wr, false, 0)))
		return 0;
	return receive_any(ibqp, wr, bad_wr);
}

int glass_post_recv(struct ibv_qp *ibqp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	/* as in glass_post_send() */
	if (unlikely(glass_ctl_flags(to_gcontext(ibqp->context)) & (GLASS_CTL_RARE | GLASS_CTL_LINT)))
		return receive_seen(ibqp, wr, bad_wr);
	return receive_unseen(ibqp, wr, bad_wr);
}

static __attribute__((noinline)) int receive_any_from(struct ibv_qp *ibqp, struct ibv_recv_wr *wr,
						      struct ibv_recv_wr **bad_wr, uint32_t stack)
{
	return post_recv(ibqp, wr, bad_wr, true, stack);
}

int glass_post_recv_from(struct ibv_qp *ibqp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr,
			 uint32_t stack)
{
	if (likely(!(glass_ctl_flags(to_gcontext(ibqp->context)) & GLASS_CTL_VERB_FAULTS) &&
		   receive_one(ibqp, wr, glass_linting(ibqp->context), stack)))
		return 0;
	return receive_any_from(ibqp, wr, bad_wr, stack);
}
