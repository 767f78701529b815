/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Findings that only the provider can see. The checks run while the control page has GLASS_CTL_LINT
 * set; otherwise they cost a load and a branch.
 */
#ifndef GLASS_PROVIDER_LINT_H
#define GLASS_PROVIDER_LINT_H

#include "glass.h"
#include "uapi/glass-columns.h"
#include "uapi/glass-lint.h"

static inline bool glass_linting(struct ibv_context *context)
{
	return unlikely(glass_ctl_flags(to_gcontext(context)) & GLASS_CTL_LINT);
}

/* Does lint observe any program for this code? */
static inline bool glass_lint_wants(struct ibv_context *context, unsigned int code)
{
	const struct glass_lint_set *set = &to_gcontext(context)->control->lint_codes;

	return glass_linting(context) &&
	       (__atomic_load_n(&set->w[GLASS_LINT_WORD(code)], __ATOMIC_RELAXED) &
		GLASS_LINT_BIT(code));
}

/* Does lint observe any program for one of two codes? Both are constants. */
static inline __attribute__((always_inline)) bool glass_lint_wants_either(struct ibv_context *context, unsigned int a,
									 unsigned int b)
{
	const struct glass_lint_set *set = &to_gcontext(context)->control->lint_codes;

	if (GLASS_LINT_WORD(a) != GLASS_LINT_WORD(b))
		return glass_lint_wants(context, a) || glass_lint_wants(context, b);
	return glass_linting(context) && (__atomic_load_n(&set->w[GLASS_LINT_WORD(a)], __ATOMIC_RELAXED) &
					  (GLASS_LINT_BIT(a) | GLASS_LINT_BIT(b)));
}

static inline bool glass_strict(struct ibv_context *context, enum glass_behavior b)
{
	struct glass_context *ctx = to_gcontext(context);

	return unlikely(glass_ctl_flags(ctx) & GLASS_CTL_STRICT) &&
	       glass_load_relaxed(&ctx->control->strict) >> b & 1;
}

/* May a send be posted, in the state that the provider knows? */
static inline bool glass_can_post_send(const struct ibv_qp *ibqp)
{
	if (!to_gqp((struct ibv_qp *)ibqp)->sq.ring.hdr || ibqp->state == IBV_QPS_RESET)
		return false;
	if (glass_strict(ibqp->context, GLASS_BEHAVIOR_POST_ANY_STATE))
		return true;
	return ibqp->state != IBV_QPS_INIT &&
	       ibqp->state != IBV_QPS_RTR;
}

/* Does strict mode refuse to post this address handle to a QP of this PD? */
static inline bool glass_ah_refused(const struct ibv_pd *pd, const struct ibv_ah *ah)
{
	return ah->pd != pd &&
	       to_gpd((struct ibv_pd *)ah->pd)->pdn != to_gpd((struct ibv_pd *)pd)->pdn &&
	       glass_strict(pd->context, GLASS_BEHAVIOR_AH_PD_ERRNO);
}

/* Reports a finding. Returns 0, or the errno value with which the verb must fail. */
int glass_lint(struct ibv_context *context, unsigned int code, enum glass_kind kind, uint32_t num,
	       uint64_t seen, uint64_t expected);

/*
 * Checks a request before its list is posted. Returns 0 or an errno value. Call under the queue's
 * lock.
 */
int glass_lint_send_wr(struct glass_qp *qp, const struct ibv_send_wr *wr);
int glass_lint_recv_wr(struct ibv_context *context, struct glass_qp *qp, uint32_t num,
		       const struct ibv_recv_wr *wr);
/* Call after a send was put into the ring, under the queue's lock. ah: only of a UD QP. */
void glass_lint_sent(struct glass_qp *qp, struct glass_ah *ah, uint32_t index);
/*
 * Call after a list was refused at wr, or accepted (wr NULL). first: its head; n: requests
 * accepted.
 */
void glass_lint_send_refused(struct glass_qp *qp, const struct ibv_send_wr *first,
			     const struct ibv_send_wr *wr, uint32_t n, int err);
void glass_lint_recv_refused(struct ibv_context *context, struct glass_rq *rq, bool is_srq,
			     uint32_t num, const struct ibv_recv_wr *first,
			     const struct ibv_recv_wr *wr, uint32_t n, int err);
static inline void glass_lint_count_send(struct ibv_context *context)
{
	atomic_fetch_add_explicit(&to_gcontext(context)->lint_posts, 1, memory_order_relaxed);
}

/*
 * The five above, inline where they find nothing to do: for posts, whose every instruction counts while lint is on for
 * something else.
 */
static inline int glass_lint_usual_send(struct glass_qp *qp, const struct ibv_send_wr *wr)
{
	if (unlikely(wr->num_sge != 1 || wr->send_flags & IBV_SEND_INLINE || !wr->sg_list->length))
		return glass_lint_send_wr(qp, wr);
	glass_lint_count_send(qp->ibv.qp.context);
	return 0;
}

static inline int glass_lint_usual_recv(struct ibv_context *context, struct glass_qp *qp, uint32_t num,
					const struct ibv_recv_wr *wr)
{
	if (likely(wr->num_sge == 1 && wr->sg_list->length >= sizeof(struct ibv_grh)))
		return 0;
	return glass_lint_recv_wr(context, qp, num, wr);
}

static inline void glass_lint_usual_sent(struct glass_qp *qp, struct glass_ah *ah, uint32_t index)
{
	struct ibv_context *context = qp->ibv.qp.context;

	if (ah && !glass_lint_wants_either(context, GLASS_LINT_AH_FOR_EACH_SEND, GLASS_LINT_AH_DESTROYED_IN_USE))
		ah = NULL;
	if (unlikely(ah || qp->sq.sums ||
		     glass_lint_wants_either(context, GLASS_LINT_BUFFER_CHANGED, GLASS_LINT_MEMORY_UNMAPPED)))
		glass_lint_sent(qp, ah, index);
}

/*
 * Has one of the five functions above to be called for this request? If not, glass_lint_count_send() suffices for a send, and a receive
 * needs nothing. The list has no other request, and its request has one SGE and no inline data.
 */
static inline __attribute__((always_inline)) bool glass_lint_looks_at_send(const struct glass_qp *qp, const struct ibv_send_wr *wr, bool ud)
{
	struct ibv_context *context = qp->ibv.qp.context;

	return !wr->sg_list->length || qp->sq.refused || qp->sq.sums ||
	       glass_lint_wants_either(context, GLASS_LINT_BUFFER_CHANGED, GLASS_LINT_MEMORY_UNMAPPED) ||
	       (ud && glass_lint_wants_either(context, GLASS_LINT_AH_FOR_EACH_SEND, GLASS_LINT_AH_DESTROYED_IN_USE));
}

static inline bool glass_lint_looks_at_recv(const struct glass_rq *rq, const struct ibv_recv_wr *wr)
{
	return wr->sg_list->length < sizeof(struct ibv_grh) || rq->refused;
}

static inline void glass_lint_sends_ended(struct glass_qp *qp, const struct ibv_send_wr *first,
					    const struct ibv_send_wr *wr, uint32_t n, int err)
{
	if (unlikely(wr || qp->sq.refused))
		glass_lint_send_refused(qp, first, wr, n, err);
}

static inline void glass_lint_recvs_ended(struct ibv_context *context, struct glass_rq *rq, bool is_srq,
					    uint32_t num, const struct ibv_recv_wr *first,
					    const struct ibv_recv_wr *wr, uint32_t n, int err)
{
	if (unlikely(wr || rq->refused))
		glass_lint_recv_refused(context, rq, is_srq, num, first, wr, n, err);
}

/*
 * The same checks for requests between wr_start and wr_complete; call them under the queue's lock.
 * _ah: the current request gets its address handle. _complete: all requests are about to be posted;
 * may set qp->wr.err to an errno value. _aborted: none of them is posted.
 */
void glass_lint_wr_ah(struct glass_qp *qp, struct glass_ah *ah);
void glass_lint_wr_complete(struct glass_qp *qp);
void glass_lint_wr_aborted(struct glass_qp *qp);
/* Reports a send that strict mode refuses because of the PD of its address handle. */
void glass_lint_other_pd(const struct glass_qp *qp, uint32_t pdn);
/*
 * Reports a list that begins with the head of the last refused list, although that head was
 * accepted.
 */
void glass_lint_again(struct ibv_context *context, uint32_t num, enum glass_kind kind, uint64_t wr_id);
/* Call when sends up to that index are polled, under the CQ's lock. */
void glass_lint_polled(struct glass_qp *qp, uint32_t to);

/* Verbs. Before destroy: 0 or an errno value. After a failed verb: reports the likely reason. */
int glass_lint_destroy_qp(struct glass_qp *qp);
int glass_lint_destroy_ah(struct glass_ah *ah);
/* Checks PSNs before modify: the kernel's core passes only 24 bits. Returns 0 or an errno value. */
int glass_lint_psns(struct ibv_qp *qp, const struct ibv_qp_attr *attr, int mask);
/*
 * lint_gid.c: checks the GIDs of an address before the kernel gets it. kind and num: the object that the
 * finding is about. Returns 0 or an errno value.
 */
int glass_lint_gids(struct ibv_context *context, const struct ibv_ah_attr *attr, enum glass_kind kind,
		    uint32_t num);
/* lint_gid.c: returns the mistake in the GIDs of an address that a verb has refused. */
enum glass_lint_bad_gid glass_lint_refused_gid(struct ibv_context *context,
					       const struct ibv_ah_attr *attr);
void glass_lint_modify_failed(struct ibv_qp *qp, const struct ibv_qp_attr *attr, int mask, int err);
void glass_lint_ah_failed(struct ibv_pd *pd, const struct ibv_ah_attr *attr, int err);
void glass_lint_reg_failed(struct ibv_pd *pd, int access, int err);
void glass_lint_registered(struct glass_context *ctx, struct glass_mr *mr);
void glass_lint_deregistered(struct glass_context *ctx, struct glass_mr *mr);
void glass_lint_still_mapped(struct glass_context *ctx, const struct glass_mr *mr);
void glass_lint_closes(struct glass_context *ctx);

/* Call when the context is opened, to watch forks from then on; and when it is closed. */
void glass_lint_watch_forks(struct glass_context *ctx);
void glass_lint_forget(struct glass_context *ctx);

/* Events of an object: counts of those that the program got and acknowledged */
struct glass_lint_events {
	const uint32_t *got, *acked;
};

#define GLASS_LINT_EVENTS 2 /* maximum number of kinds of events per object */

/*
 * libibverbs calls these for each event that the program gets. They count even while lint is off.
 */
void glass_lint_got_cq_event(struct ibv_cq *cq);
void glass_lint_got_async_event(struct ibv_context *context, struct ibv_async_event *event);

/* A destroy verb that may wait forever for events that the program does not acknowledge */
struct glass_lint_wait {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t cond;
	struct ibv_context *context;
	enum glass_kind kind;
	uint32_t num;
	struct glass_lint_events events[GLASS_LINT_EVENTS];
	uint32_t stack; /* of the destroy verb (where.h) */
	bool running, done;
};

/*
 * events: array of GLASS_LINT_EVENTS; got is NULL in unused ones. Counters must live until
 * glass_lint_wait_end().
 */
void glass_lint_wait_begin(struct glass_lint_wait *w, struct ibv_context *context,
			   enum glass_kind kind, uint32_t num,
			   const struct glass_lint_events *events);
void glass_lint_wait_end(struct glass_lint_wait *w);

#endif
