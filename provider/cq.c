// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Completion queues: the driver produces, polling consumes, no system call between. */
#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "glass.h"
#include "probes.h"

/* The driver's numbers are those of libibverbs: no translation when polling. */
static_assert(GLASS_WC_GENERAL_ERR == (int)IBV_WC_GENERAL_ERR, "statuses");
static_assert(GLASS_WC_RNR_RETRY_EXC_ERR == (int)IBV_WC_RNR_RETRY_EXC_ERR, "statuses");
static_assert(GLASS_WCOP_SEND == (int)IBV_WC_SEND, "send");
static_assert(GLASS_WCOP_WRITE == (int)IBV_WC_RDMA_WRITE, "write");
static_assert(GLASS_WCOP_READ == (int)IBV_WC_RDMA_READ, "read");
static_assert(GLASS_WCOP_CMP_SWAP == (int)IBV_WC_COMP_SWAP, "cmp_swap");
static_assert(GLASS_WCOP_FETCH_ADD == (int)IBV_WC_FETCH_ADD, "fetch_add");
static_assert(GLASS_WCOP_RECV == (int)IBV_WC_RECV, "recv");
static_assert(GLASS_WCOP_RECV_WRITE_IMM == (int)IBV_WC_RECV_RDMA_WITH_IMM, "recv_write_imm");

struct ibv_cq *glass_create_cq(struct ibv_context *context, int cqe,
			       struct ibv_comp_channel *channel, int comp_vector)
{
	struct glass_resp_create_cq resp = {};
	struct ibv_create_cq cmd = {};
	struct glass_cq *cq;
	int ret;

	if (cqe <= 0) {
		errno = EINVAL;
		return NULL;
	}
	cq = calloc(1, sizeof(*cq));
	if (!cq)
		return NULL;
	ret = ibv_cmd_create_cq(context, cqe, channel, comp_vector, &cq->ibv.cq, &cmd, sizeof(cmd),
				&resp.core, sizeof(resp));
	if (ret)
		goto err_free;

	ret = glass_ring_map(&cq->ring, context->cmd_fd, &resp.drv.ring,
			     sizeof(struct glass_abi_cqe));
	if (!ret && !cq->ring.hdr)
		ret = EPROTO;
	if (ret)
		goto err_destroy;

	cq->cqn = resp.drv.cqn;
	cq->consumer = glass_load_relaxed(&cq->ring.hdr->consumer);
	pthread_spin_init(&cq->lock, PTHREAD_PROCESS_PRIVATE);
	return &cq->ibv.cq;

err_destroy:
	/* destroy waits on these for events that libibverbs has not set up yet */
	pthread_mutex_init(&cq->ibv.cq.mutex, NULL);
	pthread_cond_init(&cq->ibv.cq.cond, NULL);
	ibv_cmd_destroy_cq(&cq->ibv.cq);
err_free:
	free(cq);
	errno = ret;
	return NULL;
}

int glass_destroy_cq(struct ibv_cq *ibcq)
{
	struct glass_cq *cq = to_gcq(ibcq);
	int ret;

	ret = ibv_cmd_destroy_cq(ibcq);
	if (ret)
		return ret;
	glass_ring_unmap(&cq->ring);
	pthread_spin_destroy(&cq->lock);
	free(cq);
	return 0;
}

static void fill_wc(struct ibv_wc *wc, const struct glass_abi_cqe *cqe)
{
	wc->wr_id = cqe->wr_id;
	wc->status = cqe->status;
	wc->opcode = cqe->opcode;
	wc->vendor_err = cqe->vendor_err;
	wc->byte_len = cqe->byte_len;
	wc->imm_data = (__force __be32)cqe->imm;
	wc->qp_num = cqe->qp_num;
	wc->src_qp = cqe->src_qp;
	wc->wc_flags = (cqe->flags & GLASS_CQE_GRH ? IBV_WC_GRH : 0) |
		       (cqe->flags & GLASS_CQE_IMM ? IBV_WC_WITH_IMM : 0);
	wc->pkey_index = cqe->pkey_index;
	wc->slid = cqe->slid;
	wc->sl = cqe->sl;
	wc->dlid_path_bits = cqe->dlid_path_bits;
}

int glass_poll_cq(struct ibv_cq *ibcq, int num_entries, struct ibv_wc *wc)
{
	struct glass_context *ctx = to_gcontext(ibcq->context);
	struct glass_cq *cq = to_gcq(ibcq);
	struct glass_qp *qp = NULL;
	uint32_t consumer, producer;
	int n = 0;

	/* most looks find nothing: those need no lock */
	if (glass_load_acquire(&cq->ring.hdr->producer) == glass_load_relaxed(&cq->consumer))
		return 0;

	pthread_spin_lock(&cq->lock);
	consumer = cq->consumer;
	producer = glass_load_acquire(&cq->ring.hdr->producer);

	while (n < num_entries && consumer != producer) {
		const struct glass_abi_cqe *cqe = glass_ring_at(&cq->ring, consumer);

		fill_wc(&wc[n++], cqe);
		glass_probe_poll(cq->cqn, cqe->qp_num, cqe->wr_id, cqe->status, cqe->opcode,
				 cqe->flow);
		if (cqe->flags & GLASS_CQE_SEND) {
			if (!qp || qp->ibv.qp.qp_num != cqe->qp_num)
				qp = glass_qp_find(ctx, cqe->qp_num);
			/* the slots may be written again once their reader is done: release */
			if (qp)
				atomic_store_explicit(&qp->sq.tail, cqe->wqe_index + 1,
						      memory_order_release);
		}
		consumer++;
	}

	if (n) {
		glass_store_release(&cq->consumer, consumer);
		glass_store_release(&cq->ring.hdr->consumer, consumer);
	}
	pthread_spin_unlock(&cq->lock);
	glass_probe_poll_cq(cq->cqn, num_entries, n);
	return n;
}

/*
 * [consumer, producer) is the program's: what stays is moved to the end of that
 * range, and the consumer index over what was taken out. The driver may append
 * meanwhile.
 */
static void drop_cqes(struct glass_cq *cq, uint32_t qpn)
{
	uint32_t producer = glass_load_acquire(&cq->ring.hdr->producer);
	uint32_t from = producer, to = producer;

	/* no driver writes this: the program overwrote its ring, and there is nothing to save */
	if (producer - cq->consumer > cq->ring.num)
		return;
	while (from != cq->consumer) {
		const struct glass_abi_cqe *cqe = glass_ring_at(&cq->ring, --from);

		if (cqe->qp_num == qpn)
			continue;
		if (--to != from)
			memcpy(glass_ring_at(&cq->ring, to), cqe, sizeof(*cqe));
	}
	if (to != cq->consumer) {
		glass_store_release(&cq->consumer, to);
		glass_store_release(&cq->ring.hdr->consumer, to);
	}
}

void glass_cq_purge(struct glass_qp *qp, bool forget)
{
	struct glass_cq *first = qp->ibv.qp.send_cq ? to_gcq(qp->ibv.qp.send_cq) : NULL;
	struct glass_cq *second = qp->ibv.qp.recv_cq ? to_gcq(qp->ibv.qp.recv_cq) : NULL;

	if (first == second)
		second = NULL;
	if (!first || (second && second->cqn < first->cqn)) {
		struct glass_cq *tmp = first;

		first = second;
		second = tmp;
	}

	if (first)
		pthread_spin_lock(&first->lock);
	if (second)
		pthread_spin_lock(&second->lock);

	if (first)
		drop_cqes(first, qp->ibv.qp.qp_num);
	if (second)
		drop_cqes(second, qp->ibv.qp.qp_num);
	if (forget)
		glass_qp_table_del(to_gcontext(qp->ibv.qp.context), qp);

	if (second)
		pthread_spin_unlock(&second->lock);
	if (first)
		pthread_spin_unlock(&first->lock);
}
