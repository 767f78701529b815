// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The QP state machine (IBA 10.3.1): the table of transitions and masks, the ranges of attributes,
 * and modify.
 */
#include "proto/internal.h"

#define A(n) GLASS_QPA_##n
#define T(n) BIT(GLASS_QPT_##n)
#define MADS (T(SMI) | T(GSI))
#define INI T(XRC_INI)
#define TGT T(XRC_TGT)
#define CONN (T(RC) | T(UC) | INI | TGT)
#define ALL (MADS | CONN | T(UD))

struct rule {
	u8 from, to;
	u16 types;
	u32 req, opt; /* mask bits: required, optional. GLASS_QPA_STATE is allowed in every rule */
};

#define R(from, to, types, req, opt) { GLASS_QPS_##from, GLASS_QPS_##to, types, req, opt }

static const struct rule rules[] = {
	R(RESET, RESET, ALL, 0, 0),
	R(RESET, INIT, MADS, A(PKEY_INDEX) | A(QKEY), 0),
	R(RESET, INIT, T(UD), A(PKEY_INDEX) | A(PORT) | A(QKEY), 0),
	R(RESET, INIT, CONN, A(PKEY_INDEX) | A(PORT) | A(ACCESS_FLAGS), 0),

	R(INIT, RESET, ALL, 0, 0),
	R(INIT, ERR, ALL, 0, 0),
	R(INIT, INIT, MADS, 0, A(PKEY_INDEX) | A(QKEY)),
	R(INIT, INIT, T(UD), 0, A(PKEY_INDEX) | A(PORT) | A(QKEY)),
	R(INIT, INIT, CONN, 0, A(PKEY_INDEX) | A(PORT) | A(ACCESS_FLAGS)),
	R(INIT, RTR, MADS | T(UD), 0, A(PKEY_INDEX) | A(QKEY)),
	R(INIT, RTR, T(UC) | INI, A(AV) | A(PATH_MTU) | A(DEST_QPN) | A(RQ_PSN),
	  A(ACCESS_FLAGS) | A(PKEY_INDEX) | A(ALT_PATH)),
	R(INIT, RTR, T(RC) | TGT, A(AV) | A(PATH_MTU) | A(DEST_QPN) | A(RQ_PSN) |
	  A(MAX_DEST_RD_ATOMIC) | A(MIN_RNR_TIMER),
	  A(ACCESS_FLAGS) | A(PKEY_INDEX) | A(ALT_PATH)),

	R(RTR, RESET, ALL, 0, 0),
	R(RTR, ERR, ALL, 0, 0),
	R(RTR, RTS, MADS | T(UD), A(SQ_PSN), A(CUR_STATE) | A(QKEY)),
	R(RTR, RTS, T(UC), A(SQ_PSN),
	  A(CUR_STATE) | A(ACCESS_FLAGS) | A(PATH_MIG_STATE) | A(ALT_PATH)),
	R(RTR, RTS, T(RC), A(TIMEOUT) | A(RETRY_CNT) | A(RNR_RETRY) | A(SQ_PSN) |
	  A(MAX_QP_RD_ATOMIC),
	  A(CUR_STATE) | A(ACCESS_FLAGS) | A(MIN_RNR_TIMER) | A(PATH_MIG_STATE) | A(ALT_PATH)),
	R(RTR, RTS, INI, A(TIMEOUT) | A(RETRY_CNT) | A(RNR_RETRY) | A(SQ_PSN) |
	  A(MAX_QP_RD_ATOMIC),
	  A(CUR_STATE) | A(ACCESS_FLAGS) | A(PATH_MIG_STATE) | A(ALT_PATH)),
	R(RTR, RTS, TGT, A(TIMEOUT) | A(SQ_PSN),
	  A(CUR_STATE) | A(ACCESS_FLAGS) | A(MIN_RNR_TIMER) | A(PATH_MIG_STATE) | A(ALT_PATH)),

	R(RTS, RESET, ALL, 0, 0),
	R(RTS, ERR, ALL, 0, 0),
	R(RTS, RTS, MADS | T(UD), 0, A(CUR_STATE) | A(QKEY)),
	R(RTS, RTS, T(UC) | INI, 0,
	  A(CUR_STATE) | A(ACCESS_FLAGS) | A(PATH_MIG_STATE) | A(ALT_PATH)),
	R(RTS, RTS, T(RC) | TGT, 0,
	  A(CUR_STATE) | A(ACCESS_FLAGS) | A(PATH_MIG_STATE) | A(ALT_PATH) | A(MIN_RNR_TIMER)),
	R(RTS, SQD, ALL, 0, A(EN_SQD_ASYNC_NOTIFY)),

	R(SQD, RESET, ALL, 0, 0),
	R(SQD, ERR, ALL, 0, 0),
	R(SQD, RTS, MADS | T(UD), 0, A(CUR_STATE) | A(QKEY)),
	R(SQD, RTS, T(UC) | INI, 0,
	  A(CUR_STATE) | A(ACCESS_FLAGS) | A(PATH_MIG_STATE) | A(ALT_PATH)),
	R(SQD, RTS, T(RC) | TGT, 0,
	  A(CUR_STATE) | A(ACCESS_FLAGS) | A(MIN_RNR_TIMER) | A(PATH_MIG_STATE) | A(ALT_PATH)),
	R(SQD, SQD, MADS | T(UD), 0, A(PKEY_INDEX) | A(QKEY)),
	/* allow PORT, which ib_uverbs adds to the mask when a program changes the AV in SQD */
	R(SQD, SQD, T(UC), 0,
	  A(PORT) | A(AV) | A(ACCESS_FLAGS) | A(PKEY_INDEX) | A(PATH_MIG_STATE) | A(ALT_PATH)),
	R(SQD, SQD, T(RC), 0,
	  A(PORT) | A(AV) | A(TIMEOUT) | A(RETRY_CNT) | A(RNR_RETRY) | A(MAX_QP_RD_ATOMIC) |
	  A(MAX_DEST_RD_ATOMIC) | A(ACCESS_FLAGS) | A(PKEY_INDEX) |
	  A(MIN_RNR_TIMER) | A(PATH_MIG_STATE) | A(ALT_PATH)),

	R(SQD, SQD, INI, 0,
	  A(PORT) | A(AV) | A(TIMEOUT) | A(RETRY_CNT) | A(RNR_RETRY) | A(MAX_QP_RD_ATOMIC) |
	  A(ACCESS_FLAGS) | A(PKEY_INDEX) | A(PATH_MIG_STATE) | A(ALT_PATH)),
	R(SQD, SQD, TGT, 0,
	  A(PORT) | A(AV) | A(TIMEOUT) | A(MAX_DEST_RD_ATOMIC) | A(ACCESS_FLAGS) |
	  A(PKEY_INDEX) | A(MIN_RNR_TIMER) | A(PATH_MIG_STATE) | A(ALT_PATH)),

	R(SQE, RESET, ALL, 0, 0),
	R(SQE, ERR, ALL, 0, 0),
	R(SQE, RTS, MADS | T(UD), 0, A(CUR_STATE) | A(QKEY)),
	R(SQE, RTS, T(UC), 0, A(CUR_STATE) | A(ACCESS_FLAGS)),

	R(ERR, RESET, ALL, 0, 0),
	R(ERR, ERR, ALL, 0, 0),
};

static bool mtu_ok(u16 mtu)
{
	return mtu >= 256 && mtu <= GLASS_MTU_MAX && !(mtu & (mtu - 1));
}

/* modify cannot set ARMED: only a packet of the peer makes the QP ARMED. REARM needs an alternate path. */
static bool mig_ok(const struct glass_qp_attr *a)
{
	return a->mig_state == GLASS_MIG_MIGRATED || (a->mig_state == GLASS_MIG_REARM && a->alt.dlid);
}

/* Returns the bits of the attributes with bad values, among those in the mask. */
static u32 bad_values(const struct glass_pqp *q, const struct glass_qp_attr *a, u32 mask)
{
	const u16 access = GLASS_ACC_LOCAL_WRITE | GLASS_ACC_REMOTE_WRITE | GLASS_ACC_REMOTE_READ |
			   GLASS_ACC_REMOTE_ATOMIC | GLASS_ACC_MW_BIND | GLASS_ACC_FLUSH_GLOBAL |
			   GLASS_ACC_FLUSH_PERSISTENT;
	u32 bad = 0;

	/* no switch over the bits: without jump tables, it costs ten instructions for each bit */
#define CHECK(bit, ok)                                                                             \
	do {                                                                                       \
		if ((mask & A(bit)) && !(ok))                                                      \
			bad |= A(bit);                                                             \
	} while (0)
	CHECK(CUR_STATE, a->cur_state == q->state);
	CHECK(ACCESS_FLAGS, !(a->access & ~access));
	CHECK(AV, (a->av.dlid || a->av.ethernet) && a->av.dlid < GLASS_LID_MCAST_BASE && a->av.sl < 16);
	CHECK(PATH_MTU, mtu_ok(a->mtu));
	CHECK(TIMEOUT, a->timeout < 32);
	CHECK(RETRY_CNT, a->retry_cnt < 8);
	CHECK(RNR_RETRY, a->rnr_retry < 8);
	CHECK(RQ_PSN, a->rq_psn <= GLASS_PSN_MASK);
	CHECK(MAX_QP_RD_ATOMIC, a->max_rd_atomic <= GLASS_MAX_RD_ATOMIC);
	CHECK(ALT_PATH, a->alt.dlid && a->alt.dlid < GLASS_LID_MCAST_BASE && a->alt.sl < 16 &&
	      a->alt_timeout < 32);
	CHECK(MIN_RNR_TIMER, a->min_rnr_timer < 32);
	CHECK(SQ_PSN, a->sq_psn <= GLASS_PSN_MASK);
	CHECK(MAX_DEST_RD_ATOMIC, a->max_dest_rd_atomic <= GLASS_MAX_RD_ATOMIC);
	CHECK(PATH_MIG_STATE, mig_ok(a));
	CHECK(DEST_QPN, a->dest_qpn <= GLASS_QPN_MASK);
#undef CHECK
	return bad;
}

int glass_pqp_check_modify(const struct glass_pqp *q, const struct glass_qp_attr *attr, u32 mask,
			   u32 *bad_bit)
{
	enum glass_qp_state to = mask & GLASS_QPA_STATE ? attr->state : q->state;
	const struct rule *r;
	u32 bad;

	*bad_bit = 0;
	if ((u32)q->type >= GLASS_QPT_COUNT)
		return -EINVAL;
	for (r = rules; r < rules + ARRAY_SIZE(rules); r++)
		if (r->from == q->state && r->to == to && (r->types & BIT(q->type)))
			break;
	if (r == rules + ARRAY_SIZE(rules))
		return -EINVAL;

	bad = r->req & ~mask;
	if (!bad)
		bad = mask & ~(r->req | r->opt | GLASS_QPA_STATE);
	if (!bad)
		bad = bad_values(q, attr, mask);
	if (!bad)
		return 0;
	*bad_bit = bad & -bad;
	return -EINVAL;
}

static void attr_apply(struct glass_pqp *q, const struct glass_qp_attr *a, u32 mask)
{
	struct glass_qp_attr *d = &q->attr;

	if (mask & A(EN_SQD_ASYNC_NOTIFY))
		d->sqd_async = a->sqd_async;
	if (mask & A(ACCESS_FLAGS))
		d->access = a->access;
	if (mask & A(PKEY_INDEX))
		d->pkey_index = a->pkey_index;
	if (mask & A(PORT))
		d->port = a->port;
	if (mask & A(QKEY))
		d->qkey = a->qkey;
	if (mask & A(AV))
		d->av = a->av;
	if (mask & A(ALT_PATH)) {
		d->alt = a->alt;
		d->alt_pkey_index = a->alt_pkey_index;
		d->alt_port = a->alt_port;
		d->alt_timeout = a->alt_timeout;
	}
	if (mask & A(PATH_MIG_STATE)) {
		/* setting MIGRATED on an ARMED QP migrates the QP now */
		if (a->mig_state != GLASS_MIG_MIGRATED)
			d->mig_state = a->mig_state;
		else if (!glass_migrate(q))
			d->mig_state = GLASS_MIG_MIGRATED;
	}
	if (mask & A(PATH_MTU))
		d->mtu = a->mtu;
	if (mask & A(TIMEOUT))
		d->timeout = a->timeout;
	if (mask & A(RETRY_CNT))
		d->retry_cnt = a->retry_cnt;
	if (mask & A(RNR_RETRY))
		d->rnr_retry = a->rnr_retry;
	if (mask & A(RQ_PSN))
		d->rq_psn = a->rq_psn;
	if (mask & A(MAX_QP_RD_ATOMIC))
		d->max_rd_atomic = a->max_rd_atomic;
	if (mask & A(MIN_RNR_TIMER))
		d->min_rnr_timer = a->min_rnr_timer;
	if (mask & A(SQ_PSN))
		d->sq_psn = a->sq_psn;
	if (mask & A(MAX_DEST_RD_ATOMIC))
		d->max_dest_rd_atomic = a->max_dest_rd_atomic;
	if (mask & A(DEST_QPN))
		d->dest_qpn = a->dest_qpn;
	if (mask & A(RETRY_CNT))
		q->req.retry_left = a->retry_cnt;
	if (mask & A(RNR_RETRY))
		q->req.rnr_left = a->rnr_retry;
}

static void pqp_reset(struct glass_pqp *q)
{
	u16 mtu = glass_is_datagram(q) && q->attr.mtu ? q->attr.mtu : GLASS_MTU_MAX;
	u8 port = q->type == GLASS_QPT_GSI || q->type == GLASS_QPT_SMI ? q->attr.port : 0;

	memset(&q->attr, 0, sizeof(q->attr));
	memset(&q->req, 0, sizeof(q->req));
	memset(&q->resp, 0, sizeof(q->resp));
	memset(&q->first_error, 0, sizeof(q->first_error));
	memset(&q->last_error, 0, sizeof(q->last_error));
	q->attr.mtu = mtu;
	q->attr.port = port;
	q->resp.last_op = GLASS_LAST_NONE;
	q->sqd_drained_told = false;
	q->mig_refused = false;
	q->pages = 0;
	q->deadline = 0;
}

void glass_pqp_sq_rewind(struct glass_pqp *q, u32 index)
{
	WRITE_ONCE(q->req.head, index);
	q->req.begun = index;
	q->req.cur = index;
	WRITE_ONCE(q->req.tail, index);
}

void glass_pqp_init(struct glass_pqp *q)
{
	memset(&q->stats, 0, sizeof(q->stats));
	memset(&q->attr, 0, sizeof(q->attr));
	pqp_reset(q);
	q->lent = 0;
	q->port_mtu = GLASS_MTU_MAX;
	WRITE_ONCE(q->state, GLASS_QPS_RESET);
	q->state_since = 0;
}

struct glass_rd_res *glass_pqp_res_room(struct glass_pqp *q, struct glass_rd_res *mem, u32 slots)
{
	struct glass_rd_res *old = q->res;
	u32 i;

	for (i = q->resp.res_tail; i != q->resp.res_head; i++)
		mem[i & (slots - 1)] = *glass_res_at(q, i);
	q->res = mem;
	q->res_slots = slots;
	return old;
}

/* Starts the ACK timer for packets that were sent while the timeout was 0. */
static void wait_for_ack(struct glass_pqp *q, u64 now)
{
	struct glass_req_state *r = &q->req;

	if (glass_type_is_rc(q->type) && (q->state == GLASS_QPS_RTS || q->state == GLASS_QPS_SQD) &&
	    q->attr.timeout && !r->ack_deadline && !r->rnr_wait && r->una != r->psn)
		r->ack_deadline = now + glass_ack_timeout_ns(q->attr.timeout);
}

int glass_pqp_modify(struct glass_pqp *q, const struct glass_qp_attr *attr, u32 mask, u64 now)
{
	u32 bad;

	return glass_pqp_check_modify(q, attr, mask, &bad) ?: glass_pqp_modify_checked(q, attr, mask, now);
}

int glass_pqp_modify_checked(struct glass_pqp *q, const struct glass_qp_attr *attr, u32 mask, u64 now)
{
	enum glass_qp_state from = q->state;
	enum glass_qp_state to = mask & GLASS_QPA_STATE ? attr->state : from;
	u32 head = q->req.head;

	if ((mask & A(MAX_DEST_RD_ATOMIC)) && attr->max_dest_rd_atomic > q->res_slots)
		return -ENOMEM;
	glass_pqp_changed(q);
	if (to == GLASS_QPS_RESET) {
		if (from != to)
			glass_set_state(q, to, GLASS_CAUSE_VERB, now);
		pqp_reset(q);
		glass_pqp_sq_rewind(q, head);
		return 0;
	}
	attr_apply(q, attr, mask);
	if (to == GLASS_QPS_ERR) {
		if (from != to)
			glass_to_err(q, GLASS_CAUSE_VERB, false, now);
		return 0;
	}
	if (from != to)
		glass_set_state(q, to, GLASS_CAUSE_VERB, now);
	wait_for_ack(q, now);

	switch (to) {
	case GLASS_QPS_RTR:
		q->resp.epsn = q->attr.rq_psn;
		break;
	case GLASS_QPS_RTS:
		if (from == GLASS_QPS_RTR) {
			q->req.psn = q->attr.sq_psn;
			q->req.max_psn = q->attr.sq_psn;
			q->req.una = q->attr.sq_psn;
			q->req.window = GLASS_REQ_WINDOW;
		}
		break;
	case GLASS_QPS_SQD:
		if (from != to) {
			/*
			 * en_sqd_async_notify asks for the event of one drain. If the mask lacks
			 * it, do not keep the value that was set for an earlier drain.
			 */
			if (!(mask & A(EN_SQD_ASYNC_NOTIFY)))
				q->attr.sqd_async = false;
			q->sqd_drained_told = false;
		}
		glass_req_drained(q);
		break;
	default:
		break;
	}
	glass_update_deadline(q);
	return 0;
}
