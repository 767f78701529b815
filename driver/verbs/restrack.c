// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Data that Glass adds to `rdma -dd resource show`: pairs of a name and a value. The names are
 * those of the columns in debugfs (uapi/glass-columns.h).
 *
 * While glass_fill_res_qp(), glass_fill_res_cq() or glass_fill_res_srq() runs, ib_core keeps the
 * struct ib_qp, ib_cq or ib_srq alive, but the driver may be destroying the object. Therefore each
 * of these three functions takes a reference to the driver's object. If the object is being
 * destroyed, the function adds no pairs. glass_fill_res_mr() needs no reference: ib_core calls
 * dereg_mr only after this function has returned.
 */
#include <net/netlink.h>
#include <rdma/ib_verbs.h>
#include <rdma/restrack.h>
#include <uapi/rdma/rdma_netlink.h>

#include "engine/complete.h"
#include "model/ring.h"
#include "uapi/glass-columns.h"
#include "uapi/glass-fields.h"
#include "verbs/verbs.h"

static const char *const restrack_causes[] = GLASS_WORDS(GLASS_CAUSES);
static const char *const restrack_statuses[] = GLASS_WORDS(GLASS_WC_STATUSES);

/* The pairs of one object. After a first error (`err`), pairs_put_*() add nothing. */
struct pairs {
	struct sk_buff *msg;
	struct nlattr *nest;
	int err;
};

static void pairs_begin(struct pairs *p, struct sk_buff *msg)
{
	p->msg = msg;
	p->nest = nla_nest_start(msg, RDMA_NLDEV_ATTR_DRIVER);
	p->err = p->nest ? 0 : -EMSGSIZE;
}

static void pairs_put_num(struct pairs *p, const char *name, u64 value)
{
	if (!p->err)
		p->err = rdma_nl_put_driver_u64(p->msg, name, value);
}

static void pairs_put_hex(struct pairs *p, const char *name, u32 value)
{
	if (!p->err)
		p->err = rdma_nl_put_driver_u32_hex(p->msg, name, value);
}

static void pairs_put_word(struct pairs *p, const char *name, const char *value)
{
	if (!p->err)
		p->err = rdma_nl_put_driver_string(p->msg, name, value);
}

static int pairs_end(struct pairs *p)
{
	if (!p->nest)
		return -EMSGSIZE;
	if (p->err) {
		nla_nest_cancel(p->msg, p->nest);
		return -EMSGSIZE;
	}
	if (nla_data(p->nest) == skb_tail_pointer(p->msg))
		nla_nest_cancel(p->msg, p->nest);
	else
		nla_nest_end(p->msg, p->nest);
	return 0;
}

static const char *const restrack_mr_kinds[] = GLASS_WORDS(GLASS_MR_KINDS);

int glass_fill_res_mr(struct sk_buff *msg, struct ib_mr *ib)
{
	struct glass_mr *mr = to_gmr(ib);
	/*
	 * Read each value once, because rereg_mr or a REG_MR of a fast region may change it
	 * concurrently, by WRITE_ONCE(). Some of the values may be from before such a change, and
	 * some from after it.
	 */
	enum glass_mr_kind kind = READ_ONCE(mr->kind);
	struct pairs p;

	pairs_begin(&p, msg);
	pairs_put_word(&p, "mrkind", restrack_mr_kinds[kind]);
	pairs_put_hex(&p, "access", READ_ONCE(mr->access));
	pairs_put_num(&p, "pages", READ_ONCE(mr->npages));
	pairs_put_num(&p, "remote_reads", atomic64_read(&mr->remote_reads));
	pairs_put_num(&p, "remote_writes", atomic64_read(&mr->remote_writes));
	pairs_put_num(&p, "atomics", atomic64_read(&mr->atomics));
	if (kind == GLASS_MR_USER || kind == GLASS_MR_FAST)
		pairs_put_num(&p, "page_size", 1ULL << READ_ONCE(mr->page_shift));
	pairs_put_num(&p, "memory", glass_mr_memory(mr));
	return pairs_end(&p);
}

/* Takes a reference to an object. Returns false if the object is being destroyed. */
static bool restrack_hold(struct xarray *table, u32 number, const void *object,
			  struct glass_ref *ref)
{
	unsigned long flags;
	bool ok;

	xa_lock_irqsave(table, flags);
	ok = xa_load(table, number) == object && glass_ref_get(ref);
	xa_unlock_irqrestore(table, flags);
	return ok;
}

int glass_fill_res_cq(struct sk_buff *msg, struct ib_cq *ib)
{
	static const char *const notify[] = { "no", "solicited", "next" };
	struct glass_cq *cq = to_gcq(ib);
	unsigned long flags;
	struct pairs p;

	if (!restrack_hold(&to_gdev(ib->device)->cqs, cq->cqn, cq, &cq->ref))
		return 0;
	pairs_begin(&p, msg);
	spin_lock_irqsave(&cq->lock, flags);
	pairs_put_num(&p, "cqn", cq->cqn);
	pairs_put_word(&p, "state", cq->failed ? "err" : "ok");
	pairs_put_num(&p, "used", min(glass_cq_used(cq), cq->cqe));
	pairs_put_num(&p, "max_used", cq->max_fill);
	pairs_put_word(&p, "notify", notify[min_t(u32, cq->notify, 2)]);
	pairs_put_num(&p, "total", cq->total);
	pairs_put_num(&p, "errors", cq->errors);
	pairs_put_num(&p, "armed", cq->armed);
	pairs_put_num(&p, "events", cq->events);
	pairs_put_num(&p, "memory", glass_cq_memory(cq));
	spin_unlock_irqrestore(&cq->lock, flags);
	glass_ref_put(&cq->ref);
	return pairs_end(&p);
}

int glass_fill_res_srq(struct sk_buff *msg, struct ib_srq *ib)
{
	struct glass_srq *srq = to_gsrq(ib);
	unsigned long flags;
	struct pairs p;

	if (!restrack_hold(&to_gdev(ib->device)->srqs, srq->srqn, srq, &srq->ref))
		return 0;
	pairs_begin(&p, msg);
	spin_lock_irqsave(&srq->lock, flags);
	pairs_put_num(&p, "srqn", srq->srqn);
	pairs_put_word(&p, "state", srq->failed ? "err" : "ok");
	pairs_put_num(&p, "max", srq->max_wr);
	pairs_put_num(&p, "used", glass_ring_used(&srq->ring, srq->consumer));
	pairs_put_num(&p, "max_sge", srq->max_sge);
	pairs_put_num(&p, "limit", srq->limit);
	pairs_put_num(&p, "total", srq->total);
	pairs_put_num(&p, "limit_events", srq->limit_events);
	pairs_put_num(&p, "memory", glass_srq_memory(srq));
	spin_unlock_irqrestore(&srq->lock, flags);
	glass_ref_put(&srq->ref);
	return pairs_end(&p);
}

/*
 * Adds a pair unless its value is 0. There may be many thousands of QPs, and ib_core begins again
 * at the first QP for each buffer of a netlink dump. Without zeros, more QPs fit into a buffer, and
 * ib_core needs fewer buffers. So a QP also lacks what every QP would have: its CQs and its memory,
 * which the table `qp` in debugfs has.
 */
static void pairs_put_nonzero(struct pairs *p, const char *name, u32 value)
{
	if (!p->err && value)
		p->err = rdma_nl_put_driver_u32(p->msg, name, value);
}

static void qp_pairs(struct pairs *p, struct glass_qp *qp)
{
	const struct glass_pqp *q = &qp->core;

	lockdep_assert_held(&qp->lock);
	pairs_put_nonzero(p, "srqn", qp->srq ? qp->srq->srqn : 0);
	pairs_put_nonzero(p, "sq_used", glass_ring_used(&qp->sq, q->req.tail));
	pairs_put_nonzero(p, "rq_used", qp->srq ? 0 : glass_ring_used(&qp->rq, qp->rq_consumer));
	if (q->stats.tx_msgs)
		pairs_put_num(p, "tx_msgs", q->stats.tx_msgs);
	if (q->stats.rx_msgs)
		pairs_put_num(p, "rx_msgs", q->stats.rx_msgs);
	pairs_put_nonzero(p, "retries", min_t(u64, q->stats.retries, U32_MAX));
	pairs_put_nonzero(p, "drops", min_t(u64, q->stats.drops, U32_MAX));
	if (!q->last_error.cause)
		return;
	pairs_put_word(p, "first_cause", restrack_causes[q->first_error.cause]);
	pairs_put_word(p, "last_cause", restrack_causes[q->last_error.cause]);
	if (q->last_error.status)
		pairs_put_word(p, "last_status", restrack_statuses[q->last_error.status]);
}

int glass_fill_res_qp(struct sk_buff *msg, struct ib_qp *ib)
{
	struct glass_qp *qp = glass_ibqp_get(ib);
	struct pairs p;

	if (!qp)
		return 0;
	pairs_begin(&p, msg);
	spin_lock(&qp->lock);
	if (!qp->dead)
		qp_pairs(&p, qp);
	spin_unlock(&qp->lock);
	glass_ref_put(&qp->ref);
	return pairs_end(&p);
}
