// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Queue pairs: creation and state. post.c and wr.c post to their rings. */
#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compat.h"
#include "glass.h"
#include "lint.h"
#include "uapi/glass-ioctl.h"

#define USER_OPS(on) (GLASS_WRS_ON(on) & GLASS_WRS_WITH(GLASS_WRF_USER))

static uint32_t ops_of_type(enum ibv_qp_type type)
{
	switch (type) {
	case IBV_QPT_RC:
	case IBV_QPT_XRC_SEND:
		return USER_OPS(GLASS_ON_RC);
	case IBV_QPT_UC:
		return USER_OPS(GLASS_ON_UC);
	case IBV_QPT_UD:
		return USER_OPS(GLASS_ON_UD);
	default:
		return 0;
	}
}

/* Operations that post_one() of post.c posts with one SGE */
#define USUAL_OPS                                                                                  \
	(1u << GLASS_OP_SEND | 1u << GLASS_OP_SEND_IMM | 1u << GLASS_OP_WRITE | 1u << GLASS_OP_WRITE_IMM | \
	 1u << GLASS_OP_READ | 1u << GLASS_OP_CMP_SWAP | 1u << GLASS_OP_FETCH_ADD)

/* Finds out what post_one() and receive_one() may post. */
static void set_usual(struct glass_qp *qp, const struct ibv_qp_init_attr_ex *attr)
{
	if (attr->qp_type != IBV_QPT_RC && attr->qp_type != IBV_QPT_UC && attr->qp_type != IBV_QPT_UD)
		return;
	if (qp->sq.ring.hdr && qp->sq.max_sge)
		qp->usual_ops = qp->all_ops & USUAL_OPS;
	qp->usual_recvs = !attr->srq && qp->rq.ring.hdr && qp->rq.max_sge;
}

/* An XRC target does not post, so it needs no operations. */
static bool type_ok(enum ibv_qp_type type)
{
	return type == IBV_QPT_XRC_RECV || ops_of_type(type);
}

static int map_queues(struct glass_qp *qp, struct glass_areas *areas, const struct glass_create_qp_resp *resp,
		      const struct ibv_qp_cap *cap)
{
	struct glass_sq *sq = &qp->sq;
	struct glass_rq *rq = &qp->rq;
	uint32_t room;
	int ret;

	ret = glass_ring_map(&sq->ring, areas, &resp->sq, sizeof(struct glass_abi_send_wqe));
	if (ret)
		return ret;
	ret = glass_ring_map(&rq->ring, areas, &resp->rq, sizeof(struct glass_abi_recv_wqe));
	if (ret) {
		glass_ring_unmap(&sq->ring, areas);
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

void glass_init_queues(struct glass_qp *qp, bool single)
{
	glass_lock_init(&qp->sq.lock, single);
	glass_lock_init(&qp->rq.lock, single);
}

#define CREATE_MASK                                                                                \
	(IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_XRCD | IBV_QP_INIT_ATTR_CREATE_FLAGS |             \
	 IBV_QP_INIT_ATTR_SEND_OPS_FLAGS)

/* Undoes create(), also for a QP whose queues are not mapped. */
static void undo_create(struct ibv_context *context, struct glass_qp *qp)
{
	struct glass_context *ctx = to_gcontext(context);

	glass_ring_unmap(&qp->sq.ring, &ctx->areas);
	glass_ring_unmap(&qp->rq.ring, &ctx->areas);
	/*
	 * destroy waits with these for events; libibverbs initialises them only after create_qp
	 * returns
	 */
	pthread_mutex_init(&qp->ibv.qp.mutex, NULL);
	pthread_cond_init(&qp->ibv.qp.cond, NULL);
	qp->ibv.qp.context = context;
	ibv_cmd_destroy_qp(&qp->ibv.qp);
	free(qp);
}

/* Creates a QP that is not in the table yet. Returns 0 or an errno value. */
static int create(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr,
		  struct glass_qp **made)
{
	struct glass_context *ctx = to_gcontext(context);
	struct glass_resp_ex_create_qp resp = {};
	struct ibv_create_qp_ex cmd = {};
	struct glass_qp *qp;
	int ret;

	qp = calloc(1, sizeof(*qp));
	if (!qp)
		return ENOMEM;
	qp->sq.asked_inline = attr->cap.max_inline_data;
	ret = glass_cmd_create_qp(context, &qp->ibv, attr, &cmd, sizeof(cmd), &resp.core,
				  sizeof(resp));
	if (ret) {
		free(qp);
		return ret;
	}
	qp->all_flags = attr->sq_sig_all ? GLASS_WQE_SIGNALED : 0;
	qp->flow_base = (uint64_t)resp.drv.flow_high << 32;
	qp->all_ops = ops_of_type(attr->qp_type);
	if (attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS)
		ret = glass_qp_ex_set_ops(qp, attr->send_ops_flags);
	if (atomic_load(&ctx->where.on) && qp->ibv.comp_mask & VERBS_QP_EX)
		qp->ibv.qp_ex.wr_complete = glass_where_wr_complete;
	if (!ret)
		ret = map_queues(qp, &ctx->areas, &resp.drv, &attr->cap);
	if (ret) {
		undo_create(context, qp);
		return ret;
	}
	set_usual(qp, attr);
	glass_init_queues(qp, attr->comp_mask & IBV_QP_INIT_ATTR_PD && glass_pd_single(attr->pd));
	*made = qp;
	return 0;
}

struct ibv_qp *glass_create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr)
{
	const struct ibv_qp_cap asked = attr->cap;
	struct ibv_qp *other = NULL;
	struct glass_qp *qp;
	int ret;

	if (!type_ok(attr->qp_type) || attr->comp_mask & ~CREATE_MASK ||
	    (attr->comp_mask & IBV_QP_INIT_ATTR_CREATE_FLAGS && attr->create_flags)) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	ret = create(context, attr, &qp);
	if (ret) {
		errno = ret;
		return NULL;
	}
	ret = glass_qp_table_add(to_gcontext(context), qp);
	if (!ret)
		return &qp->ibv.qp;
	/*
	 * The driver reused the number of a QP that another thread is still destroying. The
	 * provider has yet to drop the completions of that QP by number, which would drop those of
	 * the new QP, too. So create another QP while this one occupies the number.
	 */
	if (ret == EEXIST) {
		attr->cap = asked;
		other = glass_create_qp_ex(context, attr);
		ret = errno;
	}
	undo_create(context, qp);
	if (!other)
		errno = ret;
	return other;
}

struct ibv_qp *glass_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	struct ibv_qp_init_attr_ex ex = {
		.qp_context = attr->qp_context,
		.send_cq = attr->send_cq,
		.recv_cq = attr->recv_cq,
		.srq = attr->srq,
		.cap = attr->cap,
		.qp_type = attr->qp_type,
		.sq_sig_all = attr->sq_sig_all,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = pd,
	};
	struct ibv_qp *qp = glass_create_qp_ex(pd->context, &ex);

	if (qp)
		attr->cap = ex.cap;
	return qp;
}

int glass_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask,
		   struct ibv_qp_init_attr *init_attr)
{
	struct ibv_query_qp cmd = {};

	return ibv_cmd_query_qp(qp, attr, mask, init_attr, &cmd, sizeof(cmd));
}

/*
 * A RESET empties the queues. The driver set its consumer index to the position of the next entry;
 * the provider's indices follow it.
 */
static void empty_queues(struct glass_qp *qp)
{
	uint32_t next;

	if (qp->sq.ring.hdr) {
		glass_lock(&qp->sq.lock);
		next = glass_load_acquire(&qp->sq.ring.hdr->consumer);
		qp->sq.producer = next;
		qp->sq.any_signaled = false;
		atomic_store_explicit(&qp->sq.tail, next, memory_order_release);
		glass_store_release(&qp->sq.ring.hdr->producer, next);
		glass_unlock(&qp->sq.lock);
	}
	if (qp->rq.ring.hdr) {
		glass_lock(&qp->rq.lock);
		next = glass_load_acquire(&qp->rq.ring.hdr->consumer);
		qp->rq.producer = next;
		glass_store_release(&qp->rq.ring.hdr->producer, next);
		glass_unlock(&qp->rq.lock);
	}
}

int glass_modify_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr, int mask)
{
	struct ibv_modify_qp cmd = {};
	int ret;

	ret = glass_lint_psns(ibqp, attr, mask);
	if (!ret && (mask & IBV_QP_AV))
		ret = glass_lint_gids(ibqp->context, &attr->ah_attr, GLASS_KIND_QP, ibqp->qp_num);
	if (ret)
		return ret;
	ret = ibv_cmd_modify_qp(ibqp, attr, mask, &cmd, sizeof(cmd));
	if (ret)
		glass_lint_modify_failed(ibqp, attr, mask, ret);
	if (!ret && (mask & IBV_QP_STATE) && attr->qp_state == IBV_QPS_RESET) {
		glass_cq_purge(to_gqp(ibqp), false);
		empty_queues(to_gqp(ibqp));
	}
	return ret;
}

int glass_destroy_qp(struct ibv_qp *ibqp)
{
	struct glass_context *ctx = to_gcontext(ibqp->context);
	struct glass_qp *qp = to_gqp(ibqp);
	const struct glass_lint_events events[GLASS_LINT_EVENTS] = {
		{ &qp->async_events, &ibqp->events_completed },
	};
	struct glass_lint_wait wait;
	int ret;

	ret = glass_lint_destroy_qp(qp);
	if (ret)
		return ret;
	glass_lint_wait_begin(&wait, ibqp->context, GLASS_KIND_QP, ibqp->qp_num, events);
	ret = ibv_cmd_destroy_qp(ibqp);
	glass_lint_wait_end(&wait);
	if (ret)
		return ret;
	glass_cq_purge(qp, true);
	glass_report_counts(ctx);
	glass_ring_unmap(&qp->sq.ring, &ctx->areas);
	glass_ring_unmap(&qp->rq.ring, &ctx->areas);
	free(qp->sq.sums);
	free(qp->sq.ahs);
	free(qp);
	return 0;
}
