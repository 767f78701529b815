/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What only this side sees programs do wrong. All of it happens while the control
 * page says GLASS_CTL_LINT, and otherwise costs a load and a branch.
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

/* Is any program looked at for that code? */
static inline bool glass_lint_wants(struct ibv_context *context, unsigned int code)
{
	return glass_linting(context) &&
	       __atomic_load_n(&to_gcontext(context)->control->lint_codes, __ATOMIC_RELAXED) >> code & 1;
}

static inline bool glass_strict(struct ibv_context *context, enum glass_behavior b)
{
	struct glass_context *ctx = to_gcontext(context);

	return unlikely(glass_ctl_flags(ctx) & GLASS_CTL_STRICT) &&
	       glass_load_relaxed(&ctx->control->strict) >> b & 1;
}

/* Strict mode: is that address handle refused when it is posted to a queue pair of that PD? */
static inline bool glass_ah_refused(const struct ibv_pd *pd, const struct ibv_ah *ah)
{
	return ah->pd != pd &&
	       to_gpd((struct ibv_pd *)ah->pd)->pdn != to_gpd((struct ibv_pd *)pd)->pdn &&
	       glass_strict(pd->context, GLASS_BEHAVIOR_AH_PD_ERRNO);
}

/* Reports a finding. 0, or the errno value that the verb is to fail with. */
int glass_lint(struct ibv_context *context, unsigned int code, enum glass_kind kind, uint32_t num,
	       uint64_t seen, uint64_t expected);

/* Before a list is posted: what is wrong with a request. 0 or an errno value. Under the queue's lock. */
int glass_lint_send_wr(struct glass_qp *qp, const struct ibv_send_wr *wr);
int glass_lint_recv_wr(struct ibv_context *context, struct glass_qp *qp, uint32_t num,
		       const struct ibv_recv_wr *wr);
/* A send was put into the ring. ah: a UD QP's. Under the queue's lock. */
void glass_lint_sent(struct glass_qp *qp, struct glass_ah *ah, uint32_t index);
/* A list was refused at wr, or taken whole (wr NULL). first: its head; n: how many were taken. */
void glass_lint_send_refused(struct glass_qp *qp, const struct ibv_send_wr *first,
			     const struct ibv_send_wr *wr, uint32_t n, int err);
void glass_lint_recv_refused(struct ibv_context *context, struct glass_rq *rq, bool is_srq,
			     uint32_t num, const struct ibv_recv_wr *first,
			     const struct ibv_recv_wr *wr, uint32_t n, int err);
/*
 * The same for requests between wr_start and wr_complete, under the queue's lock: the one in the
 * making gets its address handle; all of them are to be posted, where qp->wr.err may become an
 * errno value; none of them is.
 */
void glass_lint_wr_ah(struct glass_qp *qp, struct glass_ah *ah);
void glass_lint_wr_complete(struct glass_qp *qp);
void glass_lint_wr_aborted(struct glass_qp *qp);
/* A send that strict mode refuses, for the PD of its address handle. */
void glass_lint_other_pd(const struct glass_qp *qp, uint32_t pdn);
/* A list begins where the last one that was refused began, although its head was taken. */
void glass_lint_again(struct ibv_context *context, uint32_t num, enum glass_kind kind, uint64_t wr_id);
/* Sends up to that index are polled. Under the CQ's lock. */
void glass_lint_polled(struct glass_qp *qp, uint32_t to);

/* Verbs: before destroy 0 or an errno value; a verb that failed: why that may be. */
int glass_lint_destroy_qp(struct glass_qp *qp);
int glass_lint_destroy_ah(struct glass_ah *ah);
/* Before modify: PSNs, of which the kernel's core passes on 24 bits only. 0 or an errno value. */
int glass_lint_psns(struct ibv_qp *qp, const struct ibv_qp_attr *attr, int mask);
void glass_lint_modify_failed(struct ibv_qp *qp, const struct ibv_qp_attr *attr, int mask, int err);
void glass_lint_ah_failed(struct ibv_pd *pd, const struct ibv_ah_attr *attr, int err);
void glass_lint_reg_failed(struct ibv_pd *pd, int access, int err);
void glass_lint_registered(struct glass_context *ctx, struct glass_mr *mr);
void glass_lint_deregistered(struct glass_context *ctx, struct glass_mr *mr);
void glass_lint_still_mapped(struct glass_context *ctx, const struct glass_mr *mr);
void glass_lint_closes(struct glass_context *ctx);

/* The context opened: forks are looked at from now on. And it goes. */
void glass_lint_watch_forks(struct glass_context *ctx);
void glass_lint_forget(struct glass_context *ctx);

/* Events of an object: how many the program got, and how many it acknowledged */
struct glass_lint_events {
	const uint32_t *got, *acked;
};

#define GLASS_LINT_EVENTS 2 /* kinds of events of one object, at most */

/* Called by libibverbs for each event that the program got: counted, whether lint looks or not. */
void glass_lint_got_cq_event(struct ibv_cq *cq);
void glass_lint_got_async_event(struct ibv_context *context, struct ibv_async_event *event);

/* A destroy verb that may wait without end for events that nobody acknowledges. */
struct glass_lint_wait {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t cond;
	struct ibv_context *context;
	enum glass_kind kind;
	uint32_t num;
	struct glass_lint_events events[GLASS_LINT_EVENTS];
	bool running, done;
};

/* events: GLASS_LINT_EVENTS of them; got is NULL where there are no more. The counters live until glass_lint_wait_end(). */
void glass_lint_wait_begin(struct glass_lint_wait *w, struct ibv_context *context,
			   enum glass_kind kind, uint32_t num,
			   const struct glass_lint_events *events);
void glass_lint_wait_end(struct glass_lint_wait *w);

#endif
