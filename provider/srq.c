// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Receive rings, and shared receive queues, which consist of one. */
#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "glass.h"
#include "lint.h"
#include "probes.h"

/* Maps the entries of a resize. Returns 0 or an errno value; the caller may retry. */
static int follow(struct ibv_context *context, struct glass_rq *rq)
{
	int ret = glass_ring_follow(&rq->ring, &to_gcontext(context)->areas, &rq->moved);

	if (!ret)
		rq->moved.num = 0;
	return ret;
}

/*
 * stack: where the post comes from (where.h), or the constant 0, which costs nothing: the function is
 * compiled for both.
 */
static inline __attribute__((always_inline)) int rq_post(struct ibv_context *context, struct glass_rq *rq,
			 struct glass_qp *qp, uint32_t num, struct ibv_recv_wr *wr,
			 struct ibv_recv_wr **bad_wr, uint32_t stack)
{
	struct ibv_recv_wr *first = wr;
	bool lint = glass_linting(context);
	uint32_t start, consumer;
	int ret = 0;

	glass_lock(&rq->lock);
	if (unlikely(rq->moved.num) && follow(context, rq)) {
		glass_unlock(&rq->lock);
		*bad_wr = wr;
		return wr ? ENOMEM : 0;
	}
	if (lint && rq->refused && rq->refused == wr && rq->refused_id == wr->wr_id)
		glass_lint_again(context, num, qp ? GLASS_KIND_QP : GLASS_KIND_SRQ, wr->wr_id);
	start = rq->producer;
	consumer = glass_load_acquire(&rq->ring.hdr->consumer);

	for (; wr; wr = wr->next) {
		struct glass_abi_recv_wqe *wqe;

		if (rq->producer - consumer >= rq->max_wr) {
			consumer = glass_load_acquire(&rq->ring.hdr->consumer);
			if (rq->producer - consumer >= rq->max_wr) {
				ret = ENOMEM;
				break;
			}
		}
		if (wr->num_sge < 0 || (uint32_t)wr->num_sge > rq->max_sge) {
			ret = EINVAL;
			break;
		}
		if (lint) {
			ret = glass_lint_usual_recv(context, qp, num, wr);
			if (ret)
				break;
		}

		wqe = glass_ring_at(&rq->ring, rq->producer);
		memset(wqe, 0, sizeof(*wqe));
		wqe->wr_id = wr->wr_id;
		wqe->num_sge = wr->num_sge;
		if (stack)
			wqe->stack = stack;
		if (wr->num_sge)
			memcpy(wqe + 1, wr->sg_list, wr->num_sge * sizeof(*wr->sg_list));
		glass_probe_post_recv(num, wr->wr_id, wr->num_sge, (int)!qp);
		rq->producer++;
	}
	if (ret)
		*bad_wr = wr;
	if (lint)
		glass_lint_recvs_ended(context, rq, !qp, num, first, wr, rq->producer - start, ret);

	if (rq->producer != start)
		glass_store_release(&rq->ring.hdr->producer, rq->producer);
	glass_unlock(&rq->lock);
	return ret;
}

int glass_rq_post(struct ibv_context *context, struct glass_rq *rq, struct glass_qp *qp, uint32_t num,
		  struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	return rq_post(context, rq, qp, num, wr, bad_wr, 0);
}

int glass_rq_post_from(struct ibv_context *context, struct glass_rq *rq, struct glass_qp *qp,
		       uint32_t num, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr,
		       uint32_t stack)
{
	return rq_post(context, rq, qp, num, wr, bad_wr, stack);
}

struct ibv_srq *glass_create_srq_ex(struct ibv_context *context,
				    struct ibv_srq_init_attr_ex *attr)
{
	struct glass_resp_create_srq resp = {};
	struct ibv_create_xsrq cmd = {};
	struct glass_srq *srq;
	uint32_t room;
	int ret;

	if ((attr->comp_mask & IBV_SRQ_INIT_ATTR_TYPE) && attr->srq_type != IBV_SRQT_BASIC &&
	    attr->srq_type != IBV_SRQT_XRC) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	srq = calloc(1, sizeof(*srq));
	if (!srq)
		return NULL;
	ret = ibv_cmd_create_srq_ex(context, &srq->ibv, attr, &cmd, sizeof(cmd), &resp.core,
				    sizeof(resp));
	if (ret)
		goto err_free;

	ret = glass_ring_map(&srq->rq.ring, &to_gcontext(context)->areas, &resp.drv.rq,
			     sizeof(struct glass_abi_recv_wqe));
	if (!ret && !srq->rq.ring.hdr)
		ret = EPROTO;
	if (ret)
		goto err_destroy;

	srq->srqn = resp.drv.srqn;
	room = (srq->rq.ring.stride - GLASS_RECV_WQE_HDR_BYTES) / sizeof(struct glass_abi_sge);
	srq->rq.max_wr = min_t(uint32_t, attr->attr.max_wr, srq->rq.ring.num);
	srq->rq.max_sge = min_t(uint32_t, attr->attr.max_sge, room);
	srq->rq.producer = glass_load_relaxed(&srq->rq.ring.hdr->producer);
	glass_lock_init(&srq->rq.lock, glass_pd_single(attr->pd));
	return &srq->ibv.srq;

err_destroy:
	pthread_mutex_init(&srq->ibv.srq.mutex, NULL);
	pthread_cond_init(&srq->ibv.srq.cond, NULL);
	srq->ibv.srq.context = context;
	ibv_cmd_destroy_srq(&srq->ibv.srq);
err_free:
	free(srq);
	errno = ret;
	return NULL;
}

struct ibv_srq *glass_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attr)
{
	struct ibv_srq_init_attr_ex ex = {
		.srq_context = attr->srq_context,
		.attr = attr->attr,
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD,
		.srq_type = IBV_SRQT_BASIC,
		.pd = pd,
	};
	struct ibv_srq *srq = glass_create_srq_ex(pd->context, &ex);

	if (srq)
		attr->attr = ex.attr;
	return srq;
}

/* The driver answers a resize with new entries, to which it has copied the posted receives. */
static int resize_srq(struct glass_srq *srq, struct ibv_srq_attr *attr, int mask)
{
	struct glass_ring_info info = {};
	struct glass_cmd_modify_srq cmd = { .drv.ring_info = (uintptr_t)&info };
	struct glass_rq *rq = &srq->rq;
	int ret;

	glass_lock(&rq->lock);
	ret = ibv_cmd_modify_srq(&srq->ibv.srq, attr, mask, &cmd.core, sizeof(cmd));
	if (!ret) {
		rq->max_wr = min_t(uint32_t, attr->max_wr, info.num);
		rq->moved = info;
		ret = follow(srq->ibv.srq.context, rq);
	}
	glass_unlock(&rq->lock);
	return ret;
}

int glass_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr, int mask)
{
	struct ibv_modify_srq cmd = {};

	if (mask & IBV_SRQ_MAX_WR)
		return resize_srq(to_gsrq(srq), attr, mask);
	return ibv_cmd_modify_srq(srq, attr, mask, &cmd, sizeof(cmd));
}

int glass_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr)
{
	struct ibv_query_srq cmd = {};

	return ibv_cmd_query_srq(srq, attr, &cmd, sizeof(cmd));
}

int glass_destroy_srq(struct ibv_srq *ibsrq)
{
	struct glass_srq *srq = to_gsrq(ibsrq);
	const struct glass_lint_events events[GLASS_LINT_EVENTS] = {
		{ &srq->async_events, &ibsrq->events_completed },
	};
	struct glass_lint_wait wait;
	int ret;

	glass_lint_wait_begin(&wait, ibsrq->context, GLASS_KIND_SRQ, srq->srqn, events);
	ret = ibv_cmd_destroy_srq(ibsrq);
	glass_lint_wait_end(&wait);
	if (ret)
		return ret;
	glass_report_counts(to_gcontext(ibsrq->context));
	glass_ring_unmap(&srq->rq.ring, &to_gcontext(ibsrq->context)->areas);
	free(srq);
	return 0;
}

int glass_post_srq_recv_from(struct ibv_srq *ibsrq, struct ibv_recv_wr *wr,
			     struct ibv_recv_wr **bad_wr, uint32_t stack)
{
	struct glass_srq *srq = to_gsrq(ibsrq);
	int ret = glass_verb_fault(ibsrq->context, GLASS_VERB_POST_SRQ_RECV);

	if (ret) {
		*bad_wr = wr;
		return ret;
	}
	ret = glass_rq_post_from(ibsrq->context, &srq->rq, NULL, srq->srqn, wr, bad_wr, stack);
	return ret ? glass_refused(ibsrq->context, ret) : 0;
}

int glass_post_srq_recv(struct ibv_srq *ibsrq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	struct glass_srq *srq = to_gsrq(ibsrq);
	int ret = glass_post_fault(ibsrq->context, GLASS_VERB_POST_SRQ_RECV);

	if (ret) {
		*bad_wr = wr;
		return ret;
	}
	ret = glass_rq_post(ibsrq->context, &srq->rq, NULL, srq->srqn, wr, bad_wr);
	return ret ? glass_refused(ibsrq->context, ret) : 0;
}
