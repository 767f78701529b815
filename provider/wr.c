// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Extended posting (ibv_wr_*): each call adds to a work request in its slot of the send ring. An
 * error is kept until wr_complete, which then posts nothing.
 */
#include <config.h>

#include <errno.h>
#include <string.h>

#include "glass.h"
#include "lint.h"
#include "probes.h"

static struct glass_qp *to_qp(struct ibv_qp_ex *ex)
{
	return container_of(ex, struct glass_qp, ibv.qp_ex);
}

/*
 * why, seen: lint's code for the error and the value that lint reports; see
 * glass_lint_wr_complete()
 */
static void fail_for(struct glass_qp *qp, int err, enum glass_lint_number why, uint64_t seen)
{
	if (!qp->wr.err) {
		qp->wr.err = err;
		qp->wr.why = why;
		qp->wr.seen = seen;
	}
	qp->wr.wqe = NULL;
}

static void fail(struct glass_qp *qp, int err)
{
	fail_for(qp, err, GLASS_LINT_NONE, 0);
}

/* Finishes the current work request. */
static void finish(struct glass_qp *qp)
{
	const struct glass_abi_send_wqe *wqe = qp->wr.wqe;

	if (!wqe)
		return;
	glass_probe_post_send(qp->ibv.qp.qp_num, wqe->wr_id, wqe->opcode,
			      qp->flow_base | qp->sq.producer, wqe->num_sge);
	if (wqe->flags & GLASS_WQE_SIGNALED) {
		qp->wr.signaled = qp->sq.producer;
		qp->wr.any_signaled = true;
	}
	qp->sq.producer++;
	qp->wr.wqe = NULL;
}

/* Begins a work request. Returns its slot, or NULL after an error. */
static struct glass_abi_send_wqe *begin(struct ibv_qp_ex *ex, enum glass_wr_op op)
{
	struct glass_qp *qp = to_qp(ex);
	struct glass_abi_send_wqe *wqe;
	struct glass_sq *sq = &qp->sq;
	uint32_t tail;

	finish(qp);
	if (qp->wr.err)
		return NULL;
	tail = atomic_load_explicit(&sq->tail, memory_order_acquire);
	if (sq->producer - tail >= sq->max_wr) {
		fail_for(qp, ENOMEM, GLASS_LINT_NEVER_SIGNALED, tail);
		return NULL;
	}
	wqe = glass_ring_at(&sq->ring, sq->producer);
	glass_clear_wqe(wqe);
	wqe->wr_id = ex->wr_id;
	wqe->opcode = op;
	wqe->flags = glass_wqe_flags(qp, ex->wr_flags & ~IBV_SEND_INLINE);
	qp->wr.wqe = wqe;
	return wqe;
}

static void wr_start(struct ibv_qp_ex *ex)
{
	struct glass_qp *qp = to_qp(ex);

	glass_lock(&qp->sq.lock);
	qp->wr.start = qp->sq.producer;
	qp->wr.wqe = NULL;
	qp->wr.any_signaled = false;
	qp->wr.lint = glass_linting(ex->qp_base.context);
	qp->wr.why = GLASS_LINT_NONE;
	qp->wr.err = glass_post_fault(ex->qp_base.context, GLASS_VERB_POST_SEND);
	if (!qp->wr.err && !glass_can_post_send(&ex->qp_base))
		fail_for(qp, EINVAL, GLASS_LINT_POST_WRONG_STATE, ex->qp_base.state);
}

static void wr_abort(struct ibv_qp_ex *ex)
{
	struct glass_qp *qp = to_qp(ex);

	if (unlikely(qp->wr.lint))
		glass_lint_wr_aborted(qp);
	qp->wr.wqe = NULL;
	qp->sq.producer = qp->wr.start;
	glass_unlock(&qp->sq.lock);
}

/* stack: where the requests come from (where.h), or the constant 0, which costs nothing */
static inline __attribute__((always_inline)) int complete(struct ibv_qp_ex *ex, uint32_t stack)
{
	struct glass_qp *qp = to_qp(ex);
	struct glass_sq *sq = &qp->sq;
	bool asleep = false;
	uint32_t count, i;
	int err;

	finish(qp);
	for (i = qp->wr.start; stack && i != sq->producer; i++)
		((struct glass_abi_send_wqe *)glass_ring_at(&sq->ring, i))->stack = stack;
	if (unlikely(qp->wr.lint))
		glass_lint_wr_complete(qp);
	err = qp->wr.err;
	if (err) {
		wr_abort(ex);
		return glass_refused(ex->qp_base.context, err);
	}
	count = sq->producer - qp->wr.start;
	if (qp->wr.any_signaled) {
		sq->signaled = qp->wr.signaled;
		sq->any_signaled = true;
	}
	if (count) {
		glass_store_release(&sq->ring.hdr->producer, sq->producer);
		glass_full_barrier();
		asleep = !glass_load_relaxed(&sq->ring.hdr->awake);
	}
	glass_unlock(&sq->lock);
	return asleep ? glass_ring_doorbell(&ex->qp_base, count) : 0;
}

static int wr_complete(struct ibv_qp_ex *ex)
{
	return complete(ex, 0);
}

int glass_wr_complete_from(struct ibv_qp_ex *ex, uint32_t stack)
{
	return complete(ex, stack);
}

/* ---- operations */

static void wr_send(struct ibv_qp_ex *ex)
{
	begin(ex, GLASS_OP_SEND);
}

static void wr_send_imm(struct ibv_qp_ex *ex, __be32 imm)
{
	struct glass_abi_send_wqe *wqe = begin(ex, GLASS_OP_SEND_IMM);

	if (wqe)
		wqe->imm = (__force uint32_t)imm;
}

static void begin_rdma(struct ibv_qp_ex *ex, enum glass_wr_op op, uint32_t rkey, uint64_t addr,
		       __be32 imm)
{
	struct glass_abi_send_wqe *wqe = begin(ex, op);

	if (!wqe)
		return;
	wqe->rkey = rkey;
	wqe->remote_addr = addr;
	wqe->imm = (__force uint32_t)imm;
}

static void wr_rdma_write(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr)
{
	begin_rdma(ex, GLASS_OP_WRITE, rkey, addr, 0);
}

static void wr_rdma_write_imm(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr, __be32 imm)
{
	begin_rdma(ex, GLASS_OP_WRITE_IMM, rkey, addr, imm);
}

static void wr_rdma_read(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr)
{
	begin_rdma(ex, GLASS_OP_READ, rkey, addr, 0);
}

static void begin_atomic(struct ibv_qp_ex *ex, enum glass_wr_op op, uint32_t rkey, uint64_t addr,
			 uint64_t compare_add, uint64_t swap)
{
	struct glass_abi_send_wqe *wqe = begin(ex, op);

	if (!wqe)
		return;
	wqe->rkey = rkey;
	wqe->remote_addr = addr;
	wqe->compare_add = compare_add;
	wqe->swap = swap;
}

static void wr_atomic_cmp_swp(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr, uint64_t compare,
			      uint64_t swap)
{
	begin_atomic(ex, GLASS_OP_CMP_SWAP, rkey, addr, compare, swap);
}

static void wr_atomic_fetch_add(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr, uint64_t add)
{
	begin_atomic(ex, GLASS_OP_FETCH_ADD, rkey, addr, add, 0);
}

static void wr_send_inv(struct ibv_qp_ex *ex, uint32_t rkey)
{
	struct glass_abi_send_wqe *wqe = begin(ex, GLASS_OP_SEND_INV);

	if (wqe)
		wqe->imm = rkey;
}

static void wr_local_inv(struct ibv_qp_ex *ex, uint32_t rkey)
{
	struct glass_abi_send_wqe *wqe = begin(ex, GLASS_OP_LOCAL_INV);

	if (wqe)
		wqe->imm = rkey;
}

static void wr_bind_mw(struct ibv_qp_ex *ex, struct ibv_mw *mw, uint32_t rkey,
		       const struct ibv_mw_bind_info *info)
{
	struct ibv_send_wr wr = { .bind_mw = { .mw = mw, .rkey = rkey, .bind_info = *info } };
	struct glass_abi_send_wqe *wqe = begin(ex, GLASS_OP_BIND_MW);
	int err;

	if (!wqe)
		return;
	err = glass_check_bind_mw(&wr);
	if (err)
		fail(to_qp(ex), err);
	else
		glass_fill_bind_mw(wqe, &wr);
}

static void wr_atomic_write(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr, const void *word)
{
	struct glass_abi_send_wqe *wqe = begin(ex, GLASS_OP_ATOMIC_WRITE);

	if (!wqe)
		return;
	wqe->rkey = rkey;
	wqe->remote_addr = addr;
	wqe->flags |= GLASS_WQE_INLINE;
	wqe->inline_len = sizeof(uint64_t);
	memcpy(wqe + 1, word, sizeof(uint64_t));
}

static_assert(GLASS_FLUSH_GLOBAL == IBV_FLUSH_GLOBAL && GLASS_FLUSH_PERSISTENT == IBV_FLUSH_PERSISTENT,
	      "types of FLUSH");

static void wr_flush(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr, size_t length, uint8_t type,
		     uint8_t level)
{
	struct glass_abi_send_wqe *wqe = begin(ex, GLASS_OP_FLUSH);

	if (!wqe)
		return;
	if (type & ~(IBV_FLUSH_GLOBAL | IBV_FLUSH_PERSISTENT) || level > IBV_FLUSH_MR) {
		fail(to_qp(ex), EINVAL);
		return;
	}
	wqe->rkey = rkey;
	wqe->remote_addr = addr;
	wqe->length = length;
	wqe->access = type | (level == IBV_FLUSH_MR ? GLASS_FLUSH_MR : GLASS_FLUSH_RANGE);
}

/* ---- destination and data */

static void wr_set_xrc_srqn(struct ibv_qp_ex *ex, uint32_t srqn)
{
	struct glass_qp *qp = to_qp(ex);

	if (qp->wr.wqe)
		qp->wr.wqe->xrc_srqn = srqn;
}


static void wr_set_ud_addr(struct ibv_qp_ex *ex, struct ibv_ah *ah, uint32_t qpn, uint32_t qkey)
{
	struct glass_qp *qp = to_qp(ex);

	if (!qp->wr.wqe)
		return;
	if (!ah) {
		fail(qp, EINVAL);
		return;
	}
	if (glass_ah_refused(ex->qp_base.pd, ah)) {
		fail_for(qp, EINVAL, GLASS_LINT_AH_OTHER_PD, to_gpd(ah->pd)->pdn);
		return;
	}
	if (unlikely(qp->wr.lint))
		glass_lint_wr_ah(qp, to_gah(ah));
	qp->wr.wqe->ah_num = to_gah(ah)->num;
	qp->wr.wqe->remote_qpn = qpn;
	qp->wr.wqe->remote_qkey = qkey;
}

static void wr_set_sge_list(struct ibv_qp_ex *ex, size_t n, const struct ibv_sge *sge)
{
	struct glass_qp *qp = to_qp(ex);

	if (!qp->wr.wqe)
		return;
	if (n > qp->sq.max_sge) {
		fail_for(qp, EINVAL, GLASS_LINT_POST_NO_ROOM, n);
		return;
	}
	qp->wr.wqe->num_sge = n;
	memcpy(qp->wr.wqe + 1, sge, n * sizeof(*sge));
}

static void wr_set_sge(struct ibv_qp_ex *ex, uint32_t lkey, uint64_t addr, uint32_t length)
{
	struct ibv_sge sge = { .addr = addr, .length = length, .lkey = lkey };

	wr_set_sge_list(ex, 1, &sge);
}

static void wr_set_inline_data_list(struct ibv_qp_ex *ex, size_t n, const struct ibv_data_buf *buf)
{
	struct glass_qp *qp = to_qp(ex);
	struct glass_abi_send_wqe *wqe = qp->wr.wqe;
	uint64_t bytes = 0;
	size_t i;

	if (!wqe)
		return;
	if (!(GLASS_INLINE_OPS & (1u << wqe->opcode))) {
		fail(qp, EINVAL);
		return;
	}
	wqe->flags |= GLASS_WQE_INLINE;
	for (i = 0; i < n; i++) {
		bytes += buf[i].length;
		if (buf[i].length > qp->sq.max_inline - wqe->inline_len) {
			while (++i < n)
				bytes += buf[i].length;
			fail_for(qp, ENOMEM, GLASS_LINT_INLINE_TOO_LONG, bytes);
			return;
		}
		memcpy((uint8_t *)(wqe + 1) + wqe->inline_len, buf[i].addr, buf[i].length);
		wqe->inline_len += buf[i].length;
	}
}

static void wr_set_inline_data(struct ibv_qp_ex *ex, void *addr, size_t length)
{
	struct ibv_data_buf buf = { .addr = addr, .length = length };

	wr_set_inline_data_list(ex, 1, &buf);
}

/* For each operation: its flag, its opcode, and the function that begins it */
#define OPERATIONS(X)                                                                              \
	X(RDMA_WRITE, WRITE, rdma_write)                                                           \
	X(RDMA_WRITE_WITH_IMM, WRITE_IMM, rdma_write_imm)                                          \
	X(SEND, SEND, send)                                                                        \
	X(SEND_WITH_IMM, SEND_IMM, send_imm)                                                       \
	X(RDMA_READ, READ, rdma_read)                                                              \
	X(ATOMIC_CMP_AND_SWP, CMP_SWAP, atomic_cmp_swp)                                            \
	X(ATOMIC_FETCH_AND_ADD, FETCH_ADD, atomic_fetch_add)                                       \
	X(SEND_WITH_INV, SEND_INV, send_inv)                                                       \
	X(LOCAL_INV, LOCAL_INV, local_inv)                                                         \
	X(BIND_MW, BIND_MW, bind_mw)                                                               \
	X(FLUSH, FLUSH, flush)                                                                     \
	X(ATOMIC_WRITE, ATOMIC_WRITE, atomic_write)

int glass_qp_ex_set_ops(struct glass_qp *qp, uint64_t send_ops)
{
	struct ibv_qp_ex *ex = &qp->ibv.qp_ex;

#define SET_OPERATION(flag, op, name)                                                              \
	if (send_ops & IBV_QP_EX_WITH_##flag && qp->all_ops & 1u << GLASS_OP_##op) {               \
		ex->wr_##name = wr_##name;                                                         \
		send_ops &= ~(uint64_t)IBV_QP_EX_WITH_##flag;                                      \
	}
	OPERATIONS(SET_OPERATION)
#undef SET_OPERATION
	if (send_ops)
		return EOPNOTSUPP;
	ex->wr_start = wr_start;
	ex->wr_complete = wr_complete;
	ex->wr_abort = wr_abort;
	ex->wr_set_sge = wr_set_sge;
	ex->wr_set_sge_list = wr_set_sge_list;
	ex->wr_set_inline_data = wr_set_inline_data;
	ex->wr_set_inline_data_list = wr_set_inline_data_list;
	if (qp->ibv.qp.qp_type == IBV_QPT_UD)
		ex->wr_set_ud_addr = wr_set_ud_addr;
	if (qp->ibv.qp.qp_type == IBV_QPT_XRC_SEND)
		ex->wr_set_xrc_srqn = wr_set_xrc_srqn;
	qp->ibv.comp_mask |= VERBS_QP_EX;
	return 0;
}
