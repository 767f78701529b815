// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The table of queue pairs. First come QP0 and QP1 of each port, then the other QPs by number. All
 * columns except owner and peer are filled under the QP's lock, so that their values are
 * consistent.
 */
#include "debugfs/dump.h"
#include "model/ring.h"
#include "observe/words.h"

static const char *const qp_types[] = GLASS_WORDS(GLASS_QP_TYPES);
static const char *const dump_qp_states[] = GLASS_WORDS(GLASS_QP_STATES);
static const char *const dump_qp_causes[] = GLASS_WORDS(GLASS_CAUSES);
static const char *const dump_qp_statuses[] = GLASS_WORDS(GLASS_WC_STATUSES);

/*
 * The trace event glass_qp_retry prints the words of GLASS_RETRY_WHYS. The numbers of these words
 * must be those of enum glass_retry (proto/env.h). The check is here, because observe/ does not
 * include proto/env.h.
 */
#define RETRY_CHECK(n, w, v) static_assert(GLASS_RETRY_##n == (v));
GLASS_RETRY_WHYS(RETRY_CHECK)

/*
 * QP0 and QP1 of port 1 have the positions 1 and 2, those of port 2 have 3 and 4, and so on up to
 * SPECIAL. Any other QP has the position SPECIAL + 1 + QPN.
 */
#define SPECIAL (2 * GLASS_MAX_PORTS)

#define WAIT_WORD(n, w, v, meaning) [v] = #w,
static const char *const dump_qp_waits[] = { GLASS_WAITS(WAIT_WORD) };

static void queues_row(struct glass_row *r, const struct glass_qp *qp)
{
	if (qp->send_cq)
		glass_row_num(r, GLASS_COL_QP_scqn, qp->send_cq->cqn);
	if (qp->recv_cq)
		glass_row_num(r, GLASS_COL_QP_rcqn, qp->recv_cq->cqn);
	if (qp->xrcd) {
		glass_row_num(r, GLASS_COL_QP_xrcdn, qp->xrcd->num);
		return;
	}
	glass_row_num(r, GLASS_COL_QP_sq_max, qp->cap.max_send_wr);
	if (qp->sq.hdr)
		glass_row_num(r, GLASS_COL_QP_sq_used, glass_ring_used(&qp->sq, qp->core.req.tail));
	if (qp->srq) {
		glass_row_num(r, GLASS_COL_QP_srqn, qp->srq->srqn);
		return;
	}
	if (qp->core.type == GLASS_QPT_XRC_INI)
		return;
	glass_row_num(r, GLASS_COL_QP_rq_max, qp->cap.max_recv_wr);
	if (qp->rq.hdr)
		glass_row_num(r, GLASS_COL_QP_rq_used, glass_ring_used(&qp->rq, qp->rq_consumer));
}

/*
 * Fills the columns that are valid from RTR on, and the columns that are valid from RTS on. A QP of
 * a connected type may have gone to ERR without having been in RTR. Then its MTU is 0, and it has
 * none of these columns.
 */
static void connection_row(struct glass_row *r, const struct glass_pqp *q)
{
	const struct glass_qp_attr *a = &q->attr;
	bool rc = glass_type_is_rc(q->type);
	bool connected = glass_type_is_connected(q->type);
	bool rtr = connected && q->state >= GLASS_QPS_RTR && a->mtu;
	bool rts = q->state >= GLASS_QPS_RTS && (rtr || !connected);

	if (rtr) {
		glass_row_num(r, GLASS_COL_QP_dest_qpn, a->dest_qpn);
		glass_row_num(r, GLASS_COL_QP_dlid, a->av.dlid);
		glass_row_num(r, GLASS_COL_QP_sl, a->av.sl);
		glass_row_num(r, GLASS_COL_QP_mtu, a->mtu);
		glass_row_num(r, GLASS_COL_QP_epsn, q->resp.epsn);
	}
	if (rtr && rc)
		glass_row_num(r, GLASS_COL_QP_msn, q->resp.msn);
	if (rts)
		glass_row_num(r, GLASS_COL_QP_sq_psn, q->req.psn);
	if (rts && rc) {
		glass_row_num(r, GLASS_COL_QP_una_psn, q->req.una);
		glass_row_num(r, GLASS_COL_QP_timeout, a->timeout);
		glass_row_num(r, GLASS_COL_QP_retry_cnt, a->retry_cnt);
		glass_row_num(r, GLASS_COL_QP_retry_left, q->req.retry_left);
		glass_row_num(r, GLASS_COL_QP_rnr_retry, a->rnr_retry);
		glass_row_num(r, GLASS_COL_QP_rnr_left, q->req.rnr_left);
		glass_row_num(r, GLASS_COL_QP_rd_atomic, q->req.rd_atomic);
		glass_row_num(r, GLASS_COL_QP_max_rd_atomic, a->max_rd_atomic);
	}
}

static void counters_row(struct glass_row *r, const struct glass_pqp *q)
{
	const struct glass_pqp_stats *s = &q->stats;
	const struct glass_error *e = &q->last_error;

#define COUNTER_ROW(name, unit, meaning) glass_row_num(r, GLASS_COL_QP_##name, s->name);
	GLASS_COUNTERS_QP(COUNTER_ROW)
#undef COUNTER_ROW
	if (q->first_error.cause)
		glass_row_enum(r, GLASS_COL_QP_first_cause, dump_qp_causes, q->first_error.cause);
	if (e->cause) {
		glass_row_enum(r, GLASS_COL_QP_last_cause, dump_qp_causes, e->cause);
		if (e->status)
			glass_row_enum(r, GLASS_COL_QP_last_status, dump_qp_statuses, e->status);
		glass_row_num(r, GLASS_COL_QP_last_syndrome, e->syndrome);
		glass_row_num(r, GLASS_COL_QP_last_psn, e->psn);
	}
}

static void waits_row(struct glass_row *r, const struct glass_qp *qp, u64 now)
{
	const struct glass_pqp *q = &qp->core;
	const struct glass_req_state *req = &q->req;

	glass_row_enum(r, GLASS_COL_QP_waits_for, dump_qp_waits, glass_qp_waits(qp, now));
	if (req->tail != req->head) {
		u64 posted = glass_swqe_at(q, req->tail)->post_ns;

		glass_row_num(r, GLASS_COL_QP_oldest_age, now > posted ? now - posted : 0);
	}
	glass_row_num(r, GLASS_COL_QP_sq_sent, req->begun - req->tail);
	glass_row_num(r, GLASS_COL_QP_sq_unsignaled, req->tail - qp->sq_told);
	if (!glass_type_is_rc(q->type))
		return;
	if (req->credit_valid)
		glass_row_num(r, GLASS_COL_QP_credits,
			      max(glass_psn_cmp(req->credit_lsn, req->ssn), 0));
	if (req->rnr_wait)
		glass_row_until(r, GLASS_COL_QP_rnr_in, now, req->rnr_until);
	else if (req->ack_deadline)
		glass_row_until(r, GLASS_COL_QP_ack_in, now, req->ack_deadline);
	glass_row_num(r, GLASS_COL_QP_answers, q->resp.res_todo);
}

void glass_qp_row(struct glass_row *r, const struct glass_qp *qp, u32 port, u64 now)
{
	const struct glass_pqp *q = &qp->core;
	u64 since = q->state_since ?: qp->owner.created_ns;

	lockdep_assert_held(&qp->lock);
	glass_row_num(r, GLASS_COL_QP_qpn, q->qpn);
	glass_row_enum(r, GLASS_COL_QP_qptype, qp_types, q->type);
	glass_row_enum(r, GLASS_COL_QP_state, dump_qp_states, q->state);
	glass_row_num(r, GLASS_COL_QP_state_age, now > since ? now - since : 0);
	if (qp->pd) {
		glass_row_num(r, GLASS_COL_QP_pdn, qp->pdn);
		if (qp->pd->uobject)
			glass_row_ctxn(r, GLASS_COL_QP_ctxn, qp->pd->uobject->context);
	}
	queues_row(r, qp);
	glass_row_memory(r, GLASS_COL_QP_memory, glass_qp_memory(qp));
	if (!port && q->state != GLASS_QPS_RESET)
		port = q->attr.port;
	if (port)
		glass_row_num(r, GLASS_COL_QP_port, port);
	if (q->state != GLASS_QPS_RESET) {
		glass_row_num(r, GLASS_COL_QP_pkey_index, q->attr.pkey_index);
		if (q->type == GLASS_QPT_UD || q->type == GLASS_QPT_GSI)
			glass_row_num(r, GLASS_COL_QP_qkey, q->attr.qkey);
	}
	connection_row(r, q);
	glass_row_num(r, GLASS_COL_QP_rate, 1000ull * q->rate.now);
	counters_row(r, q);
	waits_row(r, qp, now);
}

void glass_qp_row_rest(struct glass_row *r, const struct glass_qp *qp)
{
	char name[IB_DEVICE_NAME_MAX];

	glass_row_owner(r, GLASS_COL_QP_pid, &qp->owner);
	glass_row_stacks(r, GLASS_COL_QP_stack, &qp->owner);
	if (test_bit(GLASS_COL_QP_dlid, r->has) &&
	    glass_peer_name(qp->dev, r->num[GLASS_COL_QP_dlid], name, sizeof(name)))
		glass_row_text(r, GLASS_COL_QP_peer, "%s:0x%llx", name,
			       r->num[GLASS_COL_QP_dest_qpn]);
}

static bool qp_row(struct glass_row *r, struct glass_qp *qp, u32 port)
{
	bool dead;

	spin_lock(&qp->lock);
	dead = qp->dead;
	if (!dead)
		glass_qp_row(r, qp, port, ktime_get_ns());
	spin_unlock(&qp->lock);
	if (!dead)
		glass_qp_row_rest(r, qp);
	return !dead;
}

/*
 * Returns the first QP at or after *pos, with a reference, and sets *pos to its position. Sets
 * *port to the port of a QP0 or QP1, and to 0 for any other QP. NULL: there is no such QP.
 */
static struct glass_qp *qp_at(struct glass_dev *dev, loff_t *pos, u32 *port)
{
	struct glass_qp *qp;
	unsigned long flags;

	for (; *pos <= SPECIAL; ++*pos) {
		*port = (*pos - 1) / 2 + 1;
		if (*port > dev->num_ports) {
			*pos = SPECIAL + 1;
			break;
		}
		qp = glass_qp_find(dev, *port, (*pos - 1) % 2);
		if (qp)
			return qp;
	}
	*port = 0;
	for (;; ++*pos) {
		loff_t at = *pos - SPECIAL;
		bool alive;

		xa_lock_irqsave(&dev->qps, flags);
		qp = glass_table_find(&dev->qps, &at);
		alive = qp && glass_ref_get(&qp->ref);
		xa_unlock_irqrestore(&dev->qps, flags);
		if (!qp)
			return NULL;
		*pos = at + SPECIAL;
		if (alive)
			return qp;
	}
}

static bool qp_next(struct glass_dev *dev, loff_t *pos, struct glass_row *r)
{
	struct glass_qp *qp;
	u32 port;

	while ((qp = qp_at(dev, pos, &port))) {
		bool shown = qp_row(r, qp, port);

		glass_ref_put(&qp->ref);
		if (shown)
			return true;
		++*pos;
	}
	return false;
}

DEFINE_GLASS_TABLE(qp, QP, qp_next);
