// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Queue pairs: creation, state, and posting into their rings. */
#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "glass.h"
#include "probes.h"
#include "uapi/glass-ioctl.h"

/* ---- table of QPs by number */

int glass_qp_table_add(struct glass_context *ctx, struct glass_qp *qp)
{
	uint32_t qpn = qp->ibv.qp.qp_num;
	_Atomic(struct glass_qp_page *) *where;
	struct glass_qp_page *page, *fresh;

	if (qpn >> 24)
		return EPROTO;
	where = &ctx->qp_pages[qpn >> GLASS_QPT_SLOT_BITS];
	page = atomic_load_explicit(where, memory_order_acquire);
	if (!page) {
		fresh = calloc(1, sizeof(*fresh));
		if (!fresh)
			return ENOMEM;
		/* another thread may have been quicker: then `page` becomes its page */
		if (atomic_compare_exchange_strong(where, &page, fresh))
			page = fresh;
		else
			free(fresh);
	}
	atomic_store_explicit(&page->slot[qpn & (GLASS_QPT_SLOTS - 1)], qp, memory_order_release);
	return 0;
}

/* Leaves the slot alone if a younger QP has the number by now. */
void glass_qp_table_del(struct glass_context *ctx, struct glass_qp *qp)
{
	uint32_t qpn = qp->ibv.qp.qp_num;
	struct glass_qp_page *page;
	struct glass_qp *self = qp;

	page = atomic_load_explicit(&ctx->qp_pages[qpn >> GLASS_QPT_SLOT_BITS],
				    memory_order_acquire);
	if (page)
		atomic_compare_exchange_strong(&page->slot[qpn & (GLASS_QPT_SLOTS - 1)], &self,
					       NULL);
}

/* ---- create, query, modify, destroy */

#define OP(name) (1u << GLASS_OP_##name)

static uint32_t ops_of_type(enum ibv_qp_type type)
{
	switch (type) {
	case IBV_QPT_RC:
		return OP(WRITE) | OP(WRITE_IMM) | OP(SEND) | OP(SEND_IMM) | OP(READ) |
		       OP(CMP_SWAP) | OP(FETCH_ADD);
	case IBV_QPT_UC:
		return OP(WRITE) | OP(WRITE_IMM) | OP(SEND) | OP(SEND_IMM);
	case IBV_QPT_UD:
		return OP(SEND) | OP(SEND_IMM);
	default:
		return 0;
	}
}

static int map_queues(struct glass_qp *qp, int cmd_fd, const struct glass_create_qp_resp *resp,
		      const struct ibv_qp_cap *cap)
{
	struct glass_sq *sq = &qp->sq;
	struct glass_rq *rq = &qp->rq;
	uint32_t room;
	int ret;

	ret = glass_ring_map(&sq->ring, cmd_fd, &resp->sq, sizeof(struct glass_abi_send_wqe));
	if (ret)
		return ret;
	ret = glass_ring_map(&rq->ring, cmd_fd, &resp->rq, sizeof(struct glass_abi_recv_wqe));
	if (ret) {
		glass_ring_unmap(&sq->ring);
		return ret;
	}

	if (sq->ring.hdr) {
		room = sq->ring.stride - GLASS_SEND_WQE_HDR_BYTES;
		sq->max_wr = min_t(uint32_t, cap->max_send_wr, sq->ring.num);
		sq->max_sge = min_t(uint32_t, cap->max_send_sge,
				    room / sizeof(struct glass_abi_sge));
		sq->max_inline = min_t(uint32_t, cap->max_inline_data, room);
		sq->producer = glass_load_relaxed(&sq->ring.hdr->producer);
		atomic_init(&sq->tail, sq->producer);
	}
	if (rq->ring.hdr) {
		room = rq->ring.stride - GLASS_RECV_WQE_HDR_BYTES;
		rq->max_wr = min_t(uint32_t, cap->max_recv_wr, rq->ring.num);
		rq->max_sge = min_t(uint32_t, cap->max_recv_sge,
				    room / sizeof(struct glass_abi_sge));
		rq->producer = glass_load_relaxed(&rq->ring.hdr->producer);
	}
	return 0;
}

struct ibv_qp *glass_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	struct glass_context *ctx = to_gcontext(pd->context);
	struct glass_resp_create_qp resp = {};
	struct ibv_create_qp cmd = {};
	struct glass_qp *qp;
	int ret;

	if (!ops_of_type(attr->qp_type)) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	qp = calloc(1, sizeof(*qp));
	if (!qp)
		return NULL;
	ret = ibv_cmd_create_qp(pd, &qp->ibv.qp, attr, &cmd, sizeof(cmd), &resp.core,
				sizeof(resp));
	if (ret)
		goto err_free;

	qp->sig_all = attr->sq_sig_all;
	qp->flow_high = resp.drv.flow_high;
	qp->all_ops = ops_of_type(attr->qp_type);
	ret = map_queues(qp, pd->context->cmd_fd, &resp.drv, &attr->cap);
	if (ret)
		goto err_destroy;
	pthread_spin_init(&qp->sq.lock, PTHREAD_PROCESS_PRIVATE);
	pthread_spin_init(&qp->rq.lock, PTHREAD_PROCESS_PRIVATE);

	ret = glass_qp_table_add(ctx, qp);
	if (ret)
		goto err_unmap;
	return &qp->ibv.qp;

err_unmap:
	glass_ring_unmap(&qp->sq.ring);
	glass_ring_unmap(&qp->rq.ring);
err_destroy:
	/* destroy waits on these for events that libibverbs has not set up yet */
	pthread_mutex_init(&qp->ibv.qp.mutex, NULL);
	pthread_cond_init(&qp->ibv.qp.cond, NULL);
	qp->ibv.qp.context = pd->context;
	ibv_cmd_destroy_qp(&qp->ibv.qp);
err_free:
	free(qp);
	errno = ret;
	return NULL;
}

int glass_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask,
		   struct ibv_qp_init_attr *init_attr)
{
	struct ibv_query_qp cmd = {};

	return ibv_cmd_query_qp(qp, attr, mask, init_attr, &cmd, sizeof(cmd));
}

/*
 * After a RESET the queues are empty. The driver has put its consumer index
 * where the next entry will be; ours follow it.
 */
static void empty_queues(struct glass_qp *qp)
{
	uint32_t next;

	if (qp->sq.ring.hdr) {
		pthread_spin_lock(&qp->sq.lock);
		next = glass_load_acquire(&qp->sq.ring.hdr->consumer);
		qp->sq.producer = next;
		atomic_store_explicit(&qp->sq.tail, next, memory_order_release);
		glass_store_release(&qp->sq.ring.hdr->producer, next);
		pthread_spin_unlock(&qp->sq.lock);
	}
	if (qp->rq.ring.hdr) {
		pthread_spin_lock(&qp->rq.lock);
		next = glass_load_acquire(&qp->rq.ring.hdr->consumer);
		qp->rq.producer = next;
		glass_store_release(&qp->rq.ring.hdr->producer, next);
		pthread_spin_unlock(&qp->rq.lock);
	}
}

int glass_modify_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr, int mask)
{
	struct ibv_modify_qp cmd = {};
	int ret;

	ret = ibv_cmd_modify_qp(ibqp, attr, mask, &cmd, sizeof(cmd));
	if (!ret && (mask & IBV_QP_STATE) && attr->qp_state == IBV_QPS_RESET) {
		glass_cq_purge(to_gqp(ibqp), false);
		empty_queues(to_gqp(ibqp));
	}
	return ret;
}

int glass_destroy_qp(struct ibv_qp *ibqp)
{
	struct glass_qp *qp = to_gqp(ibqp);
	int ret;

	ret = ibv_cmd_destroy_qp(ibqp);
	if (ret)
		return ret;
	glass_cq_purge(qp, true);
	glass_report_counts(to_gcontext(ibqp->context));
	glass_ring_unmap(&qp->sq.ring);
	glass_ring_unmap(&qp->rq.ring);
	pthread_spin_destroy(&qp->sq.lock);
	pthread_spin_destroy(&qp->rq.lock);
	free(qp);
	return 0;
}

/* ---- posting */

/* The only way a post enters the kernel. */
static int ring_doorbell(struct ibv_qp *ibqp, uint32_t count)
{
	int fd = to_gcontext(ibqp->context)->doorbell_fd;
	struct ibv_send_wr *bad_wr;

	glass_probe_doorbell(ibqp->qp_num, count);
	if (fd >= 0)
		return ioctl(fd, GLASS_IOCTL_DOORBELL, (unsigned long)ibqp->qp_num) ? errno : 0;
	/* an empty list says "look at the rings" */
	return ibv_cmd_post_send(ibqp, NULL, &bad_wr);
}

/* Total length of an SGE list that goes inline; more than any limit on overflow. */
static uint64_t inline_bytes(const struct ibv_send_wr *wr)
{
	uint64_t bytes = 0;
	int i;

	for (i = 0; i < wr->num_sge; i++)
		bytes += wr->sg_list[i].length;
	return bytes;
}

static int check_send(const struct glass_qp *qp, const struct ibv_send_wr *wr)
{
	if ((unsigned int)wr->opcode >= GLASS_OP_COUNT || !(qp->all_ops & (1u << wr->opcode)))
		return EINVAL;
	if (wr->num_sge < 0 || (uint32_t)wr->num_sge > qp->sq.max_sge)
		return EINVAL;
	if (wr->send_flags & ~(IBV_SEND_FENCE | IBV_SEND_SIGNALED | IBV_SEND_SOLICITED |
			       IBV_SEND_INLINE))
		return EINVAL;
	if (wr->send_flags & IBV_SEND_INLINE) {
		if ((1u << wr->opcode) & (OP(READ) | OP(CMP_SWAP) | OP(FETCH_ADD)))
			return EINVAL;
		if (inline_bytes(wr) > qp->sq.max_inline)
			return ENOMEM;
	}
	if (qp->ibv.qp.qp_type == IBV_QPT_UD && !wr->wr.ud.ah)
		return EINVAL;
	return 0;
}

static void fill_remote(struct glass_abi_send_wqe *wqe, const struct glass_qp *qp,
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
	default:
		break;
	}
}

static void fill_data(struct glass_abi_send_wqe *wqe, const struct ibv_send_wr *wr)
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

static uint32_t wqe_flags(const struct glass_qp *qp, const struct ibv_send_wr *wr)
{
	return (wr->send_flags & IBV_SEND_FENCE ? GLASS_WQE_FENCE : 0) |
	       (wr->send_flags & IBV_SEND_SIGNALED || qp->sig_all ? GLASS_WQE_SIGNALED : 0) |
	       (wr->send_flags & IBV_SEND_SOLICITED ? GLASS_WQE_SOLICITED : 0) |
	       (wr->send_flags & IBV_SEND_INLINE ? GLASS_WQE_INLINE : 0);
}

static bool can_post_send(const struct ibv_qp *ibqp)
{
	return ibqp->state != IBV_QPS_RESET && ibqp->state != IBV_QPS_INIT &&
	       ibqp->state != IBV_QPS_RTR;
}

int glass_post_send(struct ibv_qp *ibqp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr)
{
	struct glass_qp *qp = to_gqp(ibqp);
	struct ibv_send_wr *first = wr;
	struct glass_sq *sq = &qp->sq;
	bool asleep = false;
	uint32_t start, count;
	int ret = 0;
	int err;

	ret = glass_verb_fault(ibqp->context, GLASS_VERB_POST_SEND);
	if (ret) {
		*bad_wr = wr;
		return ret;
	}
	if (!can_post_send(ibqp)) {
		*bad_wr = wr;
		return glass_refused(ibqp->context, EINVAL);
	}

	pthread_spin_lock(&sq->lock);
	start = sq->producer;
	for (; wr; wr = wr->next) {
		struct glass_abi_send_wqe *wqe;

		if (sq->producer - atomic_load_explicit(&sq->tail, memory_order_acquire) >=
		    sq->max_wr) {
			ret = ENOMEM;
			break;
		}
		ret = check_send(qp, wr);
		if (ret)
			break;

		wqe = glass_ring_at(&sq->ring, sq->producer);
		memset(wqe, 0, sizeof(*wqe));
		wqe->wr_id = wr->wr_id;
		wqe->opcode = wr->opcode;
		wqe->flags = wqe_flags(qp, wr);
		wqe->imm = (__force uint32_t)wr->imm_data;
		fill_remote(wqe, qp, wr);
		fill_data(wqe, wr);
		glass_probe_post_send(ibqp->qp_num, wr->wr_id, wr->opcode,
				      (uint64_t)qp->flow_high << 32 | sq->producer, wr->num_sge);
		sq->producer++;
	}

	count = sq->producer - start;
	if (count) {
		glass_store_release(&sq->ring.hdr->producer, sq->producer);
		glass_full_barrier();
		asleep = !glass_load_relaxed(&sq->ring.hdr->awake);
	}
	pthread_spin_unlock(&sq->lock);

	if (ret) {
		*bad_wr = wr;
		glass_refused(ibqp->context, ret);
	}
	if (asleep) {
		err = ring_doorbell(ibqp, count);
		if (err && !ret) {
			*bad_wr = first;
			ret = err;
		}
	}
	return ret;
}

int glass_post_recv(struct ibv_qp *ibqp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	struct glass_qp *qp = to_gqp(ibqp);
	int ret;

	ret = glass_verb_fault(ibqp->context, GLASS_VERB_POST_RECV);
	if (ret) {
		*bad_wr = wr;
		return ret;
	}
	if (ibqp->state == IBV_QPS_RESET || ibqp->srq) {
		*bad_wr = wr;
		return glass_refused(ibqp->context, EINVAL);
	}
	ret = glass_rq_post(&qp->rq, ibqp->qp_num, false, wr, bad_wr);
	if (ret)
		glass_refused(ibqp->context, ret);

	/*
	 * Receives wait in the ring until a message needs them; but a QP in error
	 * flushes each of them, and the driver must hear of it.
	 */
	if (qp->rq.ring.hdr) {
		glass_full_barrier();
		if (!glass_load_relaxed(&qp->rq.ring.hdr->awake))
			ring_doorbell(ibqp, 0);
	}
	return ret;
}
