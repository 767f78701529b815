// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Receive rings, and the shared receive queues made of one. */
#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "glass.h"
#include "probes.h"

int glass_rq_post(struct glass_rq *rq, uint32_t num, bool is_srq, struct ibv_recv_wr *wr,
		  struct ibv_recv_wr **bad_wr)
{
	uint32_t start, consumer;
	int ret = 0;

	if (!rq->ring.hdr) {
		*bad_wr = wr;
		return wr ? ENOMEM : 0;
	}

	pthread_spin_lock(&rq->lock);
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

		wqe = glass_ring_at(&rq->ring, rq->producer);
		memset(wqe, 0, sizeof(*wqe));
		wqe->wr_id = wr->wr_id;
		wqe->num_sge = wr->num_sge;
		if (wr->num_sge)
			memcpy(wqe + 1, wr->sg_list, wr->num_sge * sizeof(*wr->sg_list));
		glass_probe_post_recv(num, wr->wr_id, wr->num_sge, (int)is_srq);
		rq->producer++;
	}
	if (ret)
		*bad_wr = wr;

	if (rq->producer != start)
		glass_store_release(&rq->ring.hdr->producer, rq->producer);
	pthread_spin_unlock(&rq->lock);
	return ret;
}

struct ibv_srq *glass_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attr)
{
	struct glass_resp_create_srq resp = {};
	struct ibv_create_srq cmd = {};
	struct glass_srq *srq;
	uint32_t room;
	int ret;

	srq = calloc(1, sizeof(*srq));
	if (!srq)
		return NULL;
	ret = ibv_cmd_create_srq(pd, &srq->ibv, attr, &cmd, sizeof(cmd), &resp.core, sizeof(resp));
	if (ret)
		goto err_free;

	ret = glass_ring_map(&srq->rq.ring, pd->context->cmd_fd, &resp.drv.rq,
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
	pthread_spin_init(&srq->rq.lock, PTHREAD_PROCESS_PRIVATE);
	return &srq->ibv;

err_destroy:
	pthread_mutex_init(&srq->ibv.mutex, NULL);
	pthread_cond_init(&srq->ibv.cond, NULL);
	srq->ibv.context = pd->context;
	ibv_cmd_destroy_srq(&srq->ibv);
err_free:
	free(srq);
	errno = ret;
	return NULL;
}

int glass_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr, int mask)
{
	struct ibv_modify_srq cmd = {};

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
	int ret;

	ret = ibv_cmd_destroy_srq(ibsrq);
	if (ret)
		return ret;
	glass_report_counts(to_gcontext(ibsrq->context));
	glass_ring_unmap(&srq->rq.ring);
	pthread_spin_destroy(&srq->rq.lock);
	free(srq);
	return 0;
}

int glass_post_srq_recv(struct ibv_srq *ibsrq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	struct glass_srq *srq = to_gsrq(ibsrq);
	int ret = glass_verb_fault(ibsrq->context, GLASS_VERB_POST_SRQ_RECV);

	if (ret) {
		*bad_wr = wr;
		return ret;
	}
	ret = glass_rq_post(&srq->rq, srq->srqn, true, wr, bad_wr);
	return ret ? glass_refused(ibsrq->context, ret) : 0;
}
