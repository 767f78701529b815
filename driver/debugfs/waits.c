// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Finds the event that a QP waits for (GLASS_WAITS, uapi/glass-inspect.h). The protocol core
 * (proto/) reports the events that the QP's requester and responder wait for. This file also checks
 * the rings, the CQs and the port.
 */
#include "debugfs/dump.h"
#include "engine/complete.h"

/*
 * Is the last completion of a QP in the CQ, and not polled yet? If so, and if the CQ is full, sets
 * *full to true. `last` is the value of glass_cq.total just after the CQ got this completion.
 * `last` is 0 if the QP had no completion in this CQ.
 */
static bool cqe_is_unpolled(struct glass_cq *cq, u64 last, bool *full)
{
	unsigned long flags;
	bool found = false;
	u32 used;

	if (!cq || !last)
		return false;
	spin_lock_irqsave(&cq->lock, flags);
	used = min(glass_cq_used(cq), cq->cqe);
	found = cq->total - last < used;
	*full |= found && used == cq->cqe;
	spin_unlock_irqrestore(&cq->lock, flags);
	return found;
}

/*
 * Does the state of the QP's port keep the QP from sending? QP0 can send when its port is in INIT,
 * ARMED or ACTIVE. Any other QP can send only when its port is ACTIVE.
 */
static bool port_down(const struct glass_qp *qp)
{
	u32 port = qp->special_port ?: qp->core.attr.port;
	u32 need = qp->core.type == GLASS_QPT_SMI ? GLASS_PORT_INIT : GLASS_PORT_ACTIVE;

	if (!port || port > qp->dev->num_ports)
		return false;
	return READ_ONCE(qp->dev->node_ports[port].state) < need;
}

/*
 * Is the program's send queue full, although all requests in it are done? This happens if none of
 * them is signaled: an unsignaled request keeps its slot until the program polls the completion of
 * a later request. `posted` is the number of requests that the engine has not fetched. In ERR and
 * SQE, requests complete whether they are signaled or not: a full queue has another reason there,
 * such as a CQ that failed and takes no completions.
 */
static bool no_signaled(const struct glass_qp *qp, u32 posted)
{
	const struct glass_req_state *r = &qp->core.req;

	return qp->core.is_user && !qp->xrcd && (qp->core.state == GLASS_QPS_RTS || qp->core.state == GLASS_QPS_SQD) &&
	       r->tail == r->head && !posted && r->head - qp->sq_told >= qp->cap.max_send_wr;
}

/*
 * Does the QP or its SRQ have a receive for the next message? Returns false for an XRC target,
 * which has neither receives nor an SRQ of its own: each message names its SRQ.
 */
static bool has_receive(const struct glass_qp *qp)
{
	struct glass_srq *srq = qp->srq;
	unsigned long flags;
	bool has;

	if (!srq)
		return qp->rq.hdr && glass_ring_used(&qp->rq, qp->rq_consumer);
	spin_lock_irqsave(&srq->lock, flags);
	has = glass_ring_used(&srq->ring, srq->consumer);
	spin_unlock_irqrestore(&srq->lock, flags);
	return has;
}

enum glass_wait glass_qp_waits(const struct glass_qp *qp, u64 now)
{
	const struct glass_pqp *q = &qp->core;
	enum glass_wait req = glass_req_waits(q, now);
	enum glass_wait resp = glass_resp_waits(q);
	struct glass_span posts = glass_ring_span(&qp->sq, q->req.head);
	u32 posted = posts.producer - posts.consumer;
	bool send_full = false, recv_full = false;
	bool send, recv;

	lockdep_assert_held(&qp->lock);
	if ((req != GLASS_WAIT_NOTHING || posted) && q->state >= GLASS_QPS_RTS && port_down(qp))
		return GLASS_WAIT_PORT;
	if (req != GLASS_WAIT_NOTHING)
		return req;
	if (posted)
		return q->state < GLASS_QPS_RTS ? GLASS_WAIT_STATE : GLASS_WAIT_ENGINE;
	if (resp == GLASS_WAIT_RECV && !has_receive(qp))
		return resp;
	send = cqe_is_unpolled(qp->send_cq, qp->scq_total, &send_full);
	recv = cqe_is_unpolled(qp->recv_cq, qp->rcq_total, &recv_full);
	if (send_full || recv_full)
		return GLASS_WAIT_CQ_FULL;
	if (!send && no_signaled(qp, posted))
		return GLASS_WAIT_NO_SIGNALED;
	if (send || recv)
		return GLASS_WAIT_POLL;
	/* the responder found no receive, but one was posted since: the QP waits for the message */
	return resp == GLASS_WAIT_RECV ? GLASS_WAIT_MESSAGE : resp;
}
