// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Tells the black box and the flight recorder of failures (failure.h). */
#include "engine/failure.h"
#include "engine/lint.h"
#include "model/ring.h"
#include "observe/blackbox.h"
#include "observe/flight.h"

/* Fills the fields of a failure that all objects have. */
static void fill_object(struct glass_failure *f, const struct glass_dev *dev, enum glass_kind object,
			u32 num, const struct glass_owner *owner)
{
	memset(f, 0, sizeof(*f));
	strscpy(f->dev, glass_dev_name(dev), sizeof(f->dev));
	f->hca = dev->index;
	f->object = object;
	f->num = num;
	f->qptype = GLASS_BOX_NO_WORD;
	f->event = GLASS_BOX_NO_WORD;
	f->op = GLASS_BOX_NO_WORD;
	f->queue = GLASS_BOX_NO_WORD;
	f->pid = owner->pid;
	memcpy(f->comm, owner->comm, sizeof(f->comm));
	f->uid = owner->uid;
	f->created = owner->created_ns;
}

static void fill_qp(struct glass_failure *f, const struct glass_qp *qp)
{
	const struct glass_pqp *q = &qp->core;

	fill_object(f, qp->dev, GLASS_KIND_QP, q->qpn, &qp->owner);
	f->qptype = q->type;
	f->port = qp->special_port ?: q->attr.port;
	f->state = q->state;
}

/* Takes PSN and syndrome from the error that the core has noted just before, if it noted one. */
static void fill_error(struct glass_failure *f, const struct glass_pqp *q)
{
	const struct glass_error *e = &q->last_error;

	if (!e->cause)
		return;
	f->cause = e->cause;
	f->syndrome = e->syndrome;
	f->psn = e->psn;
	/* the opcode of RC SEND First is 0 */
	f->has_psn = e->status || e->opcode || e->syndrome;
}

/* Takes the oldest send request that is not complete. Returns its index. */
static u32 fill_oldest(struct glass_failure *f, const struct glass_pqp *q)
{
	const struct glass_swqe *w;

	if (q->req.tail == q->req.head)
		return q->req.tail;
	w = glass_swqe_at(q, q->req.tail);
	f->op = w->op;
	f->wr_id = w->wr_id;
	f->has_wr = true;
	f->flow = w->flow;
	return q->req.tail;
}

/* Returns the call stack of the post of the work request that completes; 0: unknown. */
static u32 stack_of_cqe(const struct glass_qp *qp, const struct glass_cqe *c)
{
	const struct glass_lint_client *who = qp->srq ? qp->srq->owner.lint : qp->owner.lint;
	const struct glass_rwqe *w = &qp->core.resp.rwqe;

	if (c->is_send)
		return glass_lint_posted_from(qp, c->wqe_index);
	/* the receive that is being filled; others are only flushed */
	return w->wr_id == c->wr_id ? glass_where_stack(glass_lint_where(who), w->stack) : 0;
}

void glass_failure_cqe(struct glass_qp *qp, const struct glass_cqe *c)
{
	const struct glass_pqp *q = &qp->core;
	struct glass_failure f;

	lockdep_assert_held(&qp->lock);
	glass_flight_error(glass_dev_name(qp->dev), qp->dev->index, q->qpn, c->wr_id, c->status, 0);
	fill_qp(&f, qp);
	if (c->cause != GLASS_CAUSE_INJECTED)
		fill_error(&f, q);
	f.kind = GLASS_FAILURE_COMPLETION;
	f.status = c->status;
	f.cause = c->cause ?: f.cause;
	f.op = c->is_send ? glass_swqe_at(q, c->wqe_index)->op : GLASS_BOX_OP_RECV;
	f.wr_id = c->wr_id;
	f.has_wr = true;
	f.flow = c->flow;
	f.stack = stack_of_cqe(qp, c);
	if (qp->failure)
		glass_box_add(qp->failure, &f);
	else
		qp->failure = glass_box_note(&f, qp, c->is_send ? c->wqe_index : q->req.tail);
}

void glass_failure_event(struct glass_qp *qp, enum glass_event ev, bool by_rule)
{
	struct glass_failure f;
	u32 first;

	lockdep_assert_held(&qp->lock);
	glass_flight_error(glass_dev_name(qp->dev), qp->dev->index, qp->core.qpn, 0, GLASS_WC_SUCCESS, ev);
	fill_qp(&f, qp);
	if (by_rule)
		f.cause = GLASS_CAUSE_INJECTED;
	else
		fill_error(&f, &qp->core);
	f.kind = GLASS_FAILURE_EVENT;
	f.event = ev;
	if (qp->failure) {
		glass_box_add(qp->failure, &f);
		return;
	}
	first = fill_oldest(&f, &qp->core);
	qp->failure = glass_box_note(&f, qp, first);
}

/* Is a send posted that is not complete? */
static bool has_sends(const struct glass_qp *qp)
{
	const struct glass_req_state *r = &qp->core.req;

	return r->tail != r->head || (qp->sq.hdr && glass_ring_used(&qp->sq, r->head));
}

/* The event of the CQ or SRQ that takes the QP to ERR with it, or GLASS_BOX_NO_WORD. */
static u8 event_of_cause(enum glass_cause cause)
{
	return cause == GLASS_CAUSE_CQ_OVERRUN ? GLASS_EV_CQ_ERR :
	       cause == GLASS_CAUSE_SRQ_ERROR  ? GLASS_EV_SRQ_ERR :
						 GLASS_BOX_NO_WORD;
}

static enum glass_cause cause_of_cq(const struct glass_cq *cq)
{
	return READ_ONCE(cq->by_rule) ? GLASS_CAUSE_INJECTED : GLASS_CAUSE_CQ_OVERRUN;
}

static void fill_cq(struct glass_failure *f, const struct glass_cq *cq)
{
	f->queue = GLASS_KIND_CQ;
	f->queue_num = cq->cqn;
	f->queue_cause = cause_of_cq(cq);
}

/* srq: NULL for an XRC target, whose messages name their SRQs. */
static void fill_srq(struct glass_failure *f, const struct glass_srq *srq)
{
	f->queue = GLASS_KIND_SRQ;
	f->queue_num = srq ? srq->srqn : 0;
	f->queue_cause = srq && READ_ONCE(srq->by_rule) ? GLASS_CAUSE_INJECTED : GLASS_CAUSE_SRQ_ERROR;
}

/* Takes the CQ or SRQ that failed, and took the QP to ERR with it. */
static void fill_queue(struct glass_failure *f, const struct glass_qp *qp, enum glass_cause cause)
{
	if (cause == GLASS_CAUSE_SRQ_ERROR)
		fill_srq(f, qp->srq);
	else if (cause != GLASS_CAUSE_CQ_OVERRUN)
		return;
	else if (qp->send_cq && READ_ONCE(qp->send_cq->failed))
		fill_cq(f, qp->send_cq);
	else if (qp->recv_cq && READ_ONCE(qp->recv_cq->failed))
		fill_cq(f, qp->recv_cq);
}

/* The QP went to ERR or SQE. Not inlined: other changes of the state must not zero struct glass_failure. */
static noinline void state_failed(struct glass_qp *qp, enum glass_qp_state from,
				  enum glass_qp_state to, enum glass_cause cause)
{
	bool verb = cause == GLASS_CAUSE_VERB;
	struct glass_failure f;
	u32 first;

	if (qp->failure) {
		glass_box_state(qp->failure, to);
		return;
	}
	if (verb && (from < GLASS_QPS_RTS || from == GLASS_QPS_ERR || !has_sends(qp)))
		return;
	fill_qp(&f, qp);
	if (!verb)
		fill_error(&f, &qp->core);
	f.kind = verb ? GLASS_FAILURE_VERB : GLASS_FAILURE_EVENT;
	f.event = event_of_cause(cause);
	f.cause = cause;
	fill_queue(&f, qp, cause);
	first = fill_oldest(&f, &qp->core);
	qp->failure = glass_box_note(&f, qp, first);
}

void glass_failure_state(struct glass_qp *qp, enum glass_qp_state from, enum glass_qp_state to,
			 enum glass_cause cause)
{
	lockdep_assert_held(&qp->lock);
	if (to == GLASS_QPS_RESET)
		qp->failure = 0;
	else if (to == GLASS_QPS_ERR || to == GLASS_QPS_SQE)
		state_failed(qp, from, to, cause);
}

void glass_failure_cq(struct glass_cq *cq)
{
	struct glass_failure f;

	if (READ_ONCE(cq->failure))
		return;
	fill_object(&f, cq->dev, GLASS_KIND_CQ, cq->cqn, &cq->owner);
	f.kind = GLASS_FAILURE_EVENT;
	f.event = GLASS_EV_CQ_ERR;
	f.cause = cause_of_cq(cq);
	WRITE_ONCE(cq->failure, glass_box_note(&f, cq, 0));
}

void glass_failure_srq(struct glass_srq *srq, enum glass_cause cause)
{
	struct glass_failure f;

	if (READ_ONCE(srq->failure))
		return;
	fill_object(&f, srq->dev, GLASS_KIND_SRQ, srq->srqn, &srq->owner);
	f.kind = GLASS_FAILURE_EVENT;
	f.event = GLASS_EV_SRQ_ERR;
	f.cause = cause;
	if (cause == GLASS_CAUSE_CQ_OVERRUN)
		fill_cq(&f, srq->cq);
	WRITE_ONCE(srq->failure, glass_box_note(&f, srq, 0));
}
