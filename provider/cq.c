// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Completion queues: the driver produces and the program polls, without a system call. */
#include <config.h>

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "compat.h"
#include "glass.h"
#include "lint.h"
#include "probes.h"

/* The driver and libibverbs number statuses alike, so polling translates nothing. */
static_assert(GLASS_WC_GENERAL_ERR == (int)IBV_WC_GENERAL_ERR, "statuses");
static_assert(GLASS_WC_RNR_RETRY_EXC_ERR == (int)IBV_WC_RNR_RETRY_EXC_ERR, "statuses");
static_assert(GLASS_WCOP_SEND == (int)IBV_WC_SEND, "send");
static_assert(GLASS_WCOP_WRITE == (int)IBV_WC_RDMA_WRITE, "write");
static_assert(GLASS_WCOP_READ == (int)IBV_WC_RDMA_READ, "read");
static_assert(GLASS_WCOP_CMP_SWAP == (int)IBV_WC_COMP_SWAP, "cmp_swap");
static_assert(GLASS_WCOP_FETCH_ADD == (int)IBV_WC_FETCH_ADD, "fetch_add");
static_assert(GLASS_WCOP_BIND_MW == (int)IBV_WC_BIND_MW, "bind_mw");
static_assert(GLASS_WCOP_LOCAL_INV == (int)IBV_WC_LOCAL_INV, "local_inv");
static_assert(GLASS_WCOP_FLUSH == (int)IBV_WC_FLUSH, "flush");
static_assert(GLASS_WCOP_ATOMIC_WRITE == (int)IBV_WC_ATOMIC_WRITE, "atomic_write");
static_assert(GLASS_WCOP_RECV == (int)IBV_WC_RECV, "recv");
static_assert(GLASS_WCOP_RECV_WRITE_IMM == (int)IBV_WC_RECV_RDMA_WITH_IMM, "recv_write_imm");

static struct glass_cq *create(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr,
			       bool single)
{
	struct glass_resp_ex_create_cq resp = {};
	struct ibv_create_cq_ex cmd = {};
	struct glass_cq *cq;
	int ret;

	if (!attr->cqe || attr->cqe > INT_MAX) {
		errno = EINVAL;
		return NULL;
	}
	cq = calloc(1, sizeof(*cq));
	if (!cq)
		return NULL;
	if (attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS &&
	    attr->flags & IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN) {
		ret = glass_cq_kept_alloc(&cq->kept, attr->cqe);
		if (ret)
			goto err_free;
	}
	ret = glass_cmd_create_cq(context, attr, &cq->ibv, &cmd, sizeof(cmd), &resp.core,
				  sizeof(resp));
	if (ret)
		goto err_free;

	ret = glass_ring_map(&cq->ring, &to_gcontext(context)->areas, &resp.drv.ring,
			     sizeof(struct glass_abi_cqe));
	if (!ret && !cq->ring.hdr)
		ret = EPROTO;
	if (ret)
		goto err_destroy;

	cq->cqn = resp.drv.cqn;
	cq->consumer = glass_load_relaxed(&cq->ring.hdr->consumer);
	glass_lock_init(&cq->lock, single);
	return cq;

err_destroy:
	/*
	 * destroy waits with these for events; libibverbs initialises them only after create_cq
	 * returns
	 */
	pthread_mutex_init(&cq->ibv.cq.mutex, NULL);
	pthread_cond_init(&cq->ibv.cq.cond, NULL);
	ibv_cmd_destroy_cq(&cq->ibv.cq);
err_free:
	free(cq->kept.cqe);
	free(cq);
	errno = ret;
	return NULL;
}

struct ibv_cq *glass_create_cq(struct ibv_context *context, int cqe,
			       struct ibv_comp_channel *channel, int comp_vector)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = cqe > 0 ? cqe : 0,
		.channel = channel,
		.comp_vector = comp_vector,
	};
	struct glass_cq *cq = create(context, &attr, false);

	return cq ? &cq->ibv.cq : NULL;
}

struct ibv_cq_ex *glass_create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr)
{
	struct ibv_pd *pd = attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_PD ? attr->parent_domain : NULL;
	bool single = attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS &&
		      attr->flags & IBV_CREATE_CQ_ATTR_SINGLE_THREADED;
	struct glass_cq *cq;

	if (attr->wc_flags & ~(uint64_t)GLASS_WC_FLAGS) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	if (attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_PD && (!pd || !to_gpd(pd)->protection)) {
		errno = EINVAL;
		return NULL;
	}
	cq = create(context, attr, single || glass_pd_single(pd));
	if (!cq)
		return NULL;
	glass_cq_ex_set_ops(cq, attr->wc_flags);
	return &cq->ibv.cq_ex;
}

int glass_cq_follow(struct glass_cq *cq)
{
	int ret;

	ret = glass_ring_follow(&cq->ring, &to_gcontext(cq->ibv.cq.context)->areas, &cq->moved);
	if (!ret)
		cq->moved.num = 0;
	return ret;
}

/*
 * The driver copies the unpolled completions. The ring header and its indices stay. A poller can
 * therefore test without a lock for a completion; if there is one, it takes the lock, which also
 * waits for the resize.
 */
int glass_resize_cq(struct ibv_cq *ibcq, int cqe)
{
	struct glass_resp_resize_cq resp = {};
	struct glass_cq *cq = to_gcq(ibcq);
	struct ibv_resize_cq cmd = {};
	struct glass_cq_kept kept = {};
	int ret;

	if (cqe <= 0)
		return EINVAL;
	if (cq->kept.cqe && glass_cq_kept_alloc(&kept, cqe))
		return ENOMEM;
	glass_lock(&cq->lock);
	ret = ibv_cmd_resize_cq(ibcq, cqe, &cmd, sizeof(cmd), &resp.core, sizeof(resp));
	if (!ret) {
		cq->moved = resp.drv.ring;
		if (kept.cqe)
			glass_cq_kept_resize(cq, &kept);
		ret = glass_cq_follow(cq);
	}
	glass_unlock(&cq->lock);
	free(kept.cqe);
	return ret;
}

int glass_destroy_cq(struct ibv_cq *ibcq)
{
	struct glass_cq *cq = to_gcq(ibcq);
	const struct glass_lint_events events[GLASS_LINT_EVENTS] = {
		{ &cq->comp_events, &ibcq->comp_events_completed },
		{ &cq->async_events, &ibcq->async_events_completed },
	};
	struct glass_lint_wait wait;
	int ret;

	glass_lint_wait_begin(&wait, ibcq->context, GLASS_KIND_CQ, cq->cqn, events);
	ret = ibv_cmd_destroy_cq(ibcq);
	glass_lint_wait_end(&wait);
	if (ret)
		return ret;
	glass_ring_unmap(&cq->ring, &to_gcontext(ibcq->context)->areas);
	free(cq->kept.cqe);
	free(cq);
	return 0;
}

/* The first fields of both are alike: fill_wc() copies them together. */
#define SAME_PLACE(wc_field, cqe_field)                                                          \
	static_assert(offsetof(struct ibv_wc, wc_field) == offsetof(struct glass_abi_cqe, cqe_field), #cqe_field)
SAME_PLACE(wr_id, wr_id);
SAME_PLACE(status, status);
SAME_PLACE(opcode, opcode);
SAME_PLACE(vendor_err, vendor_err);
SAME_PLACE(byte_len, byte_len);
SAME_PLACE(imm_data, imm); /* or the invalidated key: they share a field */
SAME_PLACE(qp_num, qp_num);
SAME_PLACE(src_qp, src_qp);
#define SAME_BYTES offsetof(struct ibv_wc, wc_flags)
static_assert(SAME_BYTES == offsetof(struct glass_abi_cqe, slid), "slid");

static inline __attribute__((always_inline)) void fill_wc(struct ibv_wc *wc, const struct glass_abi_cqe *cqe)
{
	memcpy(wc, cqe, SAME_BYTES);
	wc->wc_flags = glass_wc_flags(cqe);
	wc->pkey_index = cqe->pkey_index;
	wc->slid = cqe->slid;
	wc->sl = cqe->sl;
	wc->dlid_path_bits = cqe->dlid_path_bits;
}

static inline __attribute__((always_inline)) void cqe_taken(struct glass_context *ctx, const struct glass_abi_cqe *cqe,
							    struct glass_qp **qp)
{
	if (!(cqe->flags & GLASS_CQE_SEND))
		return;
	if (!*qp || (*qp)->ibv.qp.qp_num != cqe->qp_num)
		*qp = glass_qp_find(ctx, cqe->qp_num);
	if (unlikely(!*qp))
		return;
	if (unlikely((*qp)->sq.sums))
		glass_lint_polled(*qp, cqe->wqe_index + 1);
	/* release: the program posts into these slots only after the poller's reads */
	atomic_store_explicit(&(*qp)->sq.tail, cqe->wqe_index + 1, memory_order_release);
}

void glass_cqe_taken(struct glass_context *ctx, const struct glass_abi_cqe *cqe, struct glass_qp **qp)
{
	cqe_taken(ctx, cqe, qp);
}

/* Polls a CQ that ignores overruns. */
static __attribute__((noinline)) int poll_copies(struct glass_cq *cq, int num_entries, struct ibv_wc *wc)
{
	struct glass_context *ctx = to_gcontext(cq->ibv.cq.context);
	struct glass_qp *qp = NULL;
	struct glass_abi_cqe cqe;
	int n = 0;

	glass_lock(&cq->lock);
	if (unlikely(cq->moved.num) && glass_cq_follow(cq)) {
		glass_unlock(&cq->lock);
		return -ENOMEM;
	}
	while (n < num_entries && glass_cq_take_copy(cq, &cqe)) {
		fill_wc(&wc[n++], &cqe);
		glass_probe_poll(cq->cqn, cqe.qp_num, cqe.wr_id, cqe.status, cqe.opcode, cqe.flow);
		glass_cqe_taken(ctx, &cqe, &qp);
	}
	glass_unlock(&cq->lock);
	glass_probe_poll_cq(cq->cqn, num_entries, n);
	return n;
}

/* glass_poll_cq() of a CQ that seems to have completions, or that ignores overruns */
static __attribute__((noinline)) int poll_some(struct glass_cq *cq, int num_entries, struct ibv_wc *wc)
{
	struct glass_context *ctx = to_gcontext(cq->ibv.cq.context);
	struct glass_qp *qp = NULL;
	uint32_t consumer, producer;
	int n = 0;

	if (unlikely(cq->kept.cqe))
		return poll_copies(cq, num_entries, wc);

	glass_lock(&cq->lock);
	if (unlikely(cq->moved.num) && glass_cq_follow(cq)) {
		glass_unlock(&cq->lock);
		return -ENOMEM;
	}
	consumer = cq->consumer;
	producer = glass_load_acquire(&cq->ring.hdr->producer);

	while (n < num_entries && consumer != producer) {
		const struct glass_abi_cqe *cqe = glass_ring_at(&cq->ring, consumer);

		fill_wc(&wc[n++], cqe);
		glass_probe_poll(cq->cqn, cqe->qp_num, cqe->wr_id, cqe->status, cqe->opcode,
				 cqe->flow);
		cqe_taken(ctx, cqe, &qp);
		consumer++;
	}

	if (n) {
		glass_store_release(&cq->consumer, consumer);
		glass_store_release(&cq->ring.hdr->consumer, consumer);
	}
	glass_unlock(&cq->lock);
	glass_probe_poll_cq(cq->cqn, num_entries, n);
	return n;
}

int glass_poll_cq(struct ibv_cq *ibcq, int num_entries, struct ibv_wc *wc)
{
	struct glass_cq *cq = to_gcq(ibcq);

	/* most polls find nothing: test without the lock (the ring header never moves), and save no registers */
	if (glass_load_acquire(&cq->ring.hdr->producer) == glass_load_relaxed(&cq->consumer) && likely(!cq->kept.cqe))
		return 0;
	return poll_some(cq, num_entries, wc);
}

/*
 * The program owns the entries [consumer, producer). Remaining entries move to the end of this
 * range, and the consumer index advances by the number of dropped ones. The driver may append
 * meanwhile.
 */
static uint32_t drop_cqes(struct glass_cq *cq, uint32_t qpn)
{
	uint32_t producer = glass_load_acquire(&cq->ring.hdr->producer);
	uint32_t from = producer, to = producer;

	if (cq->moved.num && glass_cq_follow(cq))
		return 0;
	if (cq->kept.cqe)
		return glass_cq_drop_kept(cq, qpn);
	/* only a program that overwrote its ring gets here: nothing is left to save */
	if (producer - cq->consumer > cq->ring.num)
		return 0;
	while (from != cq->consumer) {
		const struct glass_abi_cqe *cqe = glass_ring_at(&cq->ring, --from);

		if (cqe->qp_num == qpn)
			continue;
		if (--to != from)
			memcpy(glass_ring_at(&cq->ring, to), cqe, sizeof(*cqe));
	}
	from = cq->consumer;
	if (to != from) {
		glass_store_release(&cq->consumer, to);
		glass_store_release(&cq->ring.hdr->consumer, to);
	}
	return to - from;
}

void glass_cq_purge(struct glass_qp *qp, bool forget)
{
	uint32_t lost = 0;
	struct glass_cq *first = qp->ibv.qp.send_cq ? to_gcq(qp->ibv.qp.send_cq) : NULL;
	struct glass_cq *second = qp->ibv.qp.recv_cq ? to_gcq(qp->ibv.qp.recv_cq) : NULL;

	/*
	 * ibv_cmd_destroy_qp() ignores the receive CQ of an XRC initiator: it may be freed already
	 */
	if (first == second || qp->ibv.qp.qp_type == IBV_QPT_XRC_SEND)
		second = NULL;
	if (!first || (second && second->cqn < first->cqn)) {
		struct glass_cq *tmp = first;

		first = second;
		second = tmp;
	}

	if (first)
		glass_lock(&first->lock);
	if (second)
		glass_lock(&second->lock);

	if (first)
		lost += drop_cqes(first, qp->ibv.qp.qp_num);
	if (second)
		lost += drop_cqes(second, qp->ibv.qp.qp_num);
	if (forget)
		glass_qp_table_del(to_gcontext(qp->ibv.qp.context), qp);

	if (second)
		glass_unlock(&second->lock);
	if (first)
		glass_unlock(&first->lock);
	if (lost && !forget)
		glass_lint(qp->ibv.qp.context, GLASS_LINT_RESET_LOSES_CQES, GLASS_KIND_QP,
			   qp->ibv.qp.qp_num, lost, 0);
}
