// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The verbs that modify and query QPs. */
#include <linux/slab.h>
#include <rdma/uverbs_ioctl.h>

#include "engine/engine.h"
#include "verbs/api.h"
#include "verbs/lint.h"
#include "verbs/verbs.h"

static_assert((int)GLASS_QPS_ERR == (int)IB_QPS_ERR && (int)GLASS_QPS_SQD == (int)IB_QPS_SQD);
static_assert(GLASS_QPA_DEST_QPN == IB_QP_DEST_QPN && GLASS_QPA_SQ_PSN == IB_QP_SQ_PSN &&
	      GLASS_QPA_RNR_RETRY == IB_QP_RNR_RETRY && GLASS_QPA_PORT == IB_QP_PORT);
static_assert((int)GLASS_MIG_MIGRATED == (int)IB_MIG_MIGRATED &&
	      (int)GLASS_MIG_REARM == (int)IB_MIG_REARM && (int)GLASS_MIG_ARMED == (int)IB_MIG_ARMED);
static_assert((int)GLASS_ACC_REMOTE_ATOMIC == (int)IB_ACCESS_REMOTE_ATOMIC &&
	      (int)GLASS_ACC_REMOTE_READ == (int)IB_ACCESS_REMOTE_READ);

#define GLASS_QP_ACCESS                                                                            \
	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ |                  \
	 IB_ACCESS_REMOTE_ATOMIC | IB_ACCESS_MW_BIND | IB_ACCESS_FLUSH_GLOBAL |                     \
	 IB_ACCESS_FLUSH_PERSISTENT)

/* Access flags of regions. Programs also pass them to modify_qp, where they have no effect. */
#define GLASS_QP_NO_ACCESS (IB_ZERO_BASED | IB_ACCESS_ON_DEMAND | IB_ACCESS_HUGETLB)

static int attr_from_ib(struct glass_qp *qp, const struct ib_qp_attr *a, int mask,
			struct glass_qp_attr *to)
{
	*to = qp->core.attr;
	to->state = (enum glass_qp_state)a->qp_state;
	to->cur_state = (enum glass_qp_state)a->cur_qp_state;
	to->sqd_async = a->en_sqd_async_notify;
	to->pkey_index = a->pkey_index;
	to->port = a->port_num;
	to->timeout = a->timeout;
	to->retry_cnt = a->retry_cnt;
	to->rnr_retry = a->rnr_retry;
	to->min_rnr_timer = a->min_rnr_timer;
	to->max_rd_atomic = a->max_rd_atomic;
	to->max_dest_rd_atomic = a->max_dest_rd_atomic;
	to->access = a->qp_access_flags & GLASS_QP_ACCESS;
	to->mig_state = a->path_mig_state;
	to->qkey = a->qkey;
	to->sq_psn = a->sq_psn;
	to->rq_psn = a->rq_psn;
	to->dest_qpn = a->dest_qp_num;
	/* optional access flags that the adapter lacks are ignored */
	if ((mask & IB_QP_ACCESS_FLAGS) &&
	    (a->qp_access_flags & ~(GLASS_QP_ACCESS | GLASS_QP_NO_ACCESS | IB_ACCESS_OPTIONAL)))
		return -EINVAL;
	if (mask & IB_QP_PATH_MTU) {
		if (a->path_mtu < IB_MTU_256 || a->path_mtu > IB_MTU_4096)
			return -EINVAL;
		to->mtu = ib_mtu_enum_to_int(a->path_mtu);
	}
	if ((mask & IB_QP_PKEY_INDEX) && a->pkey_index >= GLASS_PKEYS)
		return -EINVAL;
	if ((mask & IB_QP_PORT) && (!a->port_num || a->port_num > qp->dev->num_ports))
		return -EINVAL;
	/* glass_pqp_check_modify() checks the LIDs of both paths */
	if (mask & IB_QP_ALT_PATH) {
		int err;

		/* IBA annex A17: there is no path migration */
		if (qp->dev->ports[1].link.ether)
			return -EINVAL;
		if (!a->alt_port_num || a->alt_port_num > qp->dev->num_ports ||
		    a->alt_pkey_index >= GLASS_PKEYS)
			return -EINVAL;
		err = glass_av_from_attr(qp->dev, &a->alt_ah_attr, &to->alt);
		if (err)
			return err;
		to->alt_port = a->alt_port_num;
		to->alt_pkey_index = a->alt_pkey_index;
		to->alt_timeout = a->alt_timeout;
	}
	if (mask & IB_QP_AV)
		return glass_av_from_attr(qp->dev, &a->ah_attr, &to->av);
	return 0;
}

/*
 * Empties the rings of a QP that went to RESET: sets the indices in the ring headers, and the
 * driver's own copies of them, to 0. Also forgets the invalidations that the QP was repeating
 * (struct glass_retiring).
 */
static void reset_rings(struct glass_qp *qp)
{
	unsigned long flags;

	lockdep_assert_held(&qp->lock);
	spin_lock_irqsave(&qp->sq_lock, flags);
	WRITE_ONCE(qp->sq.hdr->producer, 0);
	WRITE_ONCE(qp->sq.hdr->consumer, 0);
	glass_pqp_sq_rewind(&qp->core, 0);
	qp->sq_told = 0;
	spin_unlock_irqrestore(&qp->sq_lock, flags);
	spin_lock_irqsave(&qp->rq_lock, flags);
	WRITE_ONCE(qp->rq.hdr->producer, 0);
	WRITE_ONCE(qp->rq.hdr->consumer, 0);
	WRITE_ONCE(qp->rq.hdr->awake, 1);
	qp->rq_consumer = 0;
	spin_unlock_irqrestore(&qp->rq_lock, flags);
	memset(qp->retiring, 0, sizeof(qp->retiring));
}

/*
 * Takes the QP's lock for modify_qp. If the QP is in SQE and modify_qp asks for RTS, first flushes
 * the sends that were posted before the call, because the QP must not execute them. Sends that the
 * program posts during the call count as posted after it. May sleep.
 */
static void lock_to_modify(struct glass_qp *qp, const struct ib_qp_attr *attr, int mask)
{
	spin_lock(&qp->lock);
	if (likely(qp->core.state != GLASS_QPS_SQE) || !(mask & IB_QP_STATE) || attr->qp_state != IB_QPS_RTS)
		return;
	spin_unlock(&qp->lock);
	glass_qp_flush_all(qp);
	spin_lock(&qp->lock);
}

/*
 * Allocates a larger core.res (the array of answers to the peer's READs and atomics), if modify_qp
 * sets max_dest_rd_atomic to more than the array has room for. Returns the new array, sets *slots
 * to its number of entries, and charges it to *bill, which must be empty before. Call without the
 * QP's lock. May sleep.
 *
 * NULL and *slots 0: modify_qp needs no larger array, or will fail because the attribute exceeds
 * its limit. NULL and *slots not 0: there is no memory, or the user's share is too small.
 */
static struct glass_rd_res *res_alloc(const struct glass_qp *qp, const struct ib_qp_attr *attr,
				      int mask, u32 *slots, struct glass_bill *bill)
{
	struct glass_payer payer = {
		.dev = qp->dev,
		.share = qp->bill.share,
		.lint = qp->owner.lint,
	};
	u32 n = attr->max_dest_rd_atomic;
	struct glass_rd_res *res;

	*slots = 0;
	if (!(mask & IB_QP_MAX_DEST_RD_ATOMIC) || n <= READ_ONCE(qp->core.res_slots) ||
	    n > GLASS_MAX_RD_ATOMIC)
		return NULL;
	*slots = roundup_pow_of_two(n);
	if (glass_bill_open(bill, &payer, GLASS_SHARE_MEMORY, 0, (u64)*slots * sizeof(*res)))
		return NULL;
	res = kcalloc(*slots, sizeof(*res), GFP_KERNEL_ACCOUNT);
	if (!res)
		glass_bill_close(bill);
	return res;
}

static const char *state_word(u32 state)
{
	static const char *const words[] = GLASS_WORDS(GLASS_QP_STATES);

	return state < ARRAY_SIZE(words) ? words[state] : "?";
}

int glass_modify_qp(struct ib_qp *ib, struct ib_qp_attr *attr, int mask, struct ib_udata *udata)
{
	struct glass_qp *qp = to_gqp(ib);
	struct glass_rd_res *res = NULL;
	struct glass_bill bill = {};
	struct glass_qp_attr a;
	bool checked = false, await = false, reset = false, turn = false;
	u32 bad = 0, slots;
	int err;

	glass_enter(qp->dev, MODIFY_QP, QP, qp->core.qpn,
		    "mask=0x%x state=%s port=%u pkey_index=%u dest_qpn=0x%x dlid=%u sq_psn=%u rq_psn=%u",
		    mask, mask & IB_QP_STATE ? state_word(attr->qp_state) : "-", attr->port_num,
		    attr->pkey_index, attr->dest_qp_num,
		    mask & IB_QP_AV ? rdma_ah_get_dlid(&attr->ah_attr) : 0, attr->sq_psn,
		    attr->rq_psn);
	err = glass_verb_fault(qp->dev, MODIFY_QP, udata);
	if (err)
		goto out;
	glass_owner_changes(&qp->owner);
	if (mask & ~IB_QP_ATTR_STANDARD_BITS) {
		err = -EOPNOTSUPP;
		goto out;
	}
	res = res_alloc(qp, attr, mask, &slots, &bill);
	if (slots && !res) {
		err = -ENOMEM;
		goto out;
	}
	/*
	 * RESET forgets the answers that the QP owes its peer. Send them first: the program may
	 * already have polled the completions of the messages that these answers acknowledge.
	 */
	if ((mask & IB_QP_STATE) && attr->qp_state == IB_QPS_RESET)
		glass_qp_settle(qp, NULL);
	lock_to_modify(qp, attr, mask);
	err = attr_from_ib(qp, attr, mask, &a);
	if (!err) {
		err = glass_pqp_check_modify(&qp->core, &a, mask, &bad);
		checked = true;
	}
	if (!err && (mask & IB_QP_STATE) && glass_linting() &&
	    (attr->qp_state == IB_QPS_RTR || attr->qp_state == IB_QPS_RTS)) {
		err = glass_lint_connected(qp, &a, mask);
		checked = !err;
	}
	if (!err) {
		enum glass_qp_state from = qp->core.state;
		u32 port = qp->core.attr.port;
		u64 now = glass_qp_now(qp);

		if (slots > qp->core.res_slots) {
			res = glass_pqp_res_room(&qp->core, res, slots);
			swap(bill, qp->res_bill);
		}
		err = glass_pqp_modify_checked(&qp->core, &a, mask, now);
		glass_qp_set_fixed(qp);
		if (!err)
			glass_lint_modified(qp, mask);
		if (qp->core.attr.port != port)
			glass_stats_move(qp, qp->core.attr.port);
		reset = !err && qp->core.state == GLASS_QPS_RESET && from != GLASS_QPS_RESET;
		if (reset) {
			reset_rings(qp);
			WRITE_ONCE(qp->resets, qp->resets + 1);
		}
		if (!err && from == GLASS_QPS_SQE)
			memset(qp->retiring, 0, sizeof(qp->retiring));
		if (!err && (qp->core.state == GLASS_QPS_ERR || qp->core.state == GLASS_QPS_RESET))
			await = glass_qp_await_packet(qp);
		turn = glass_qp_needs_turn(qp, now);
		glass_qp_arm(qp);
	}
	spin_unlock(&qp->lock);
	/* delayed completions from before the reset belong to discarded work requests */
	if (reset)
		glass_qp_forget_late(qp);
	if (await)
		glass_qp_packet_out(qp, udata);
	if (!err && (mask & IB_QP_STATE) && attr->qp_state == IB_QPS_ERR)
		glass_qp_flush_all(qp);
	kfree(res);
	glass_bill_close(&bill);
	if (err == -EINVAL && checked && glass_linting())
		glass_lint_modify_qp(qp, attr, mask, bad);
	if (err)
		ibdev_dbg(ib->device, "modify_qp 0x%x: mask 0x%x refused at bit 0x%x\n", ib->qp_num,
			  mask, bad);
	else if (turn)
		glass_qp_kick(qp, NULL);
out:
	glass_leave(qp->dev, MODIFY_QP, QP, qp->core.qpn, err);
	return err;
}

struct glass_qp *glass_ibqp_get(struct ib_qp *ib)
{
	struct glass_qp *qp;

	rcu_read_lock();
	qp = READ_ONCE(container_of(ib, struct glass_ibqp, ib)->qp);
	if (qp && !glass_ref_get(&qp->ref))
		qp = NULL;
	rcu_read_unlock();
	return qp;
}

/*
 * ib_core's netlink code may query a QP that is being destroyed. The verb then returns -EAGAIN, and
 * the netlink dump skips the QP.
 */
int glass_query_qp(struct ib_qp *ib, struct ib_qp_attr *attr, int mask,
		   struct ib_qp_init_attr *init)
{
	struct glass_qp *qp = glass_ibqp_get(ib);
	const struct glass_pqp *q = &qp->core;
	const struct glass_qp_attr *a = &q->attr;
	int err;

	if (!qp)
		return -EAGAIN;
	glass_enter(qp->dev, QUERY_QP, QP, q->qpn, "mask=0x%x", mask);
	err = glass_verb_fault(qp->dev, QUERY_QP, qp->core.is_user);
	if (err)
		goto out;
	memset(attr, 0, sizeof(*attr));
	memset(init, 0, sizeof(*init));
	spin_lock(&qp->lock);
	attr->qp_state = (enum ib_qp_state)q->state;
	attr->cur_qp_state = attr->qp_state;
	attr->path_mtu = a->mtu ? ib_mtu_int_to_enum(a->mtu) : 0;
	attr->path_mig_state = (enum ib_mig_state)a->mig_state;
	if (a->alt.dlid) {
		glass_av_to_attr(&a->alt, &attr->alt_ah_attr);
		attr->alt_pkey_index = a->alt_pkey_index;
		attr->alt_port_num = a->alt_port;
		attr->alt_timeout = a->alt_timeout;
	}
	attr->qkey = a->qkey;
	attr->rq_psn = q->resp.epsn & GLASS_PSN_MASK;
	attr->sq_psn = q->req.psn & GLASS_PSN_MASK;
	attr->dest_qp_num = a->dest_qpn;
	attr->qp_access_flags = a->access;
	attr->cap = qp->cap;
	if (a->av.port)
		glass_av_to_attr(&a->av, &attr->ah_attr);
	attr->pkey_index = a->pkey_index;
	attr->en_sqd_async_notify = a->sqd_async;
	attr->max_rd_atomic = a->max_rd_atomic;
	attr->max_dest_rd_atomic = a->max_dest_rd_atomic;
	attr->min_rnr_timer = a->min_rnr_timer;
	attr->port_num = a->port;
	attr->timeout = a->timeout;
	attr->retry_cnt = a->retry_cnt;
	attr->rnr_retry = a->rnr_retry;
	attr->sq_draining = q->state == GLASS_QPS_SQD && q->req.tail != q->req.begun;
	spin_unlock(&qp->lock);

	init->event_handler = ib->event_handler;
	init->qp_context = ib->qp_context;
	init->send_cq = ib->send_cq;
	init->recv_cq = ib->recv_cq;
	init->srq = ib->srq;
	init->cap = qp->cap;
	init->sq_sig_type = qp->sig;
	init->qp_type = ib->qp_type;
	init->port_num = attr->port_num;
out:
	glass_leave(qp->dev, QUERY_QP, QP, q->qpn, err);
	glass_ref_put(&qp->ref);
	return err;
}
