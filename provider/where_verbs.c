// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The verbs as programs call them: each notes its caller's stack, if somebody looks, and does its
 * work. Verbs that enter the kernel are always these; posts only while somebody looks.
 */
#include <config.h>

#include "lint.h"
#include "where.h"

/* Begins a verb. Returns false if nobody looks. */
static bool begin(struct glass_context *ctx, void *caller, void *frame)
{
	uint32_t stack;

	if (unlikely(glass_ctl_flags(ctx) & GLASS_CTL_WHERE))
		glass_where_refresh(ctx);
	if (likely(!atomic_load_explicit(&ctx->where.on, memory_order_relaxed)))
		return false;
	stack = glass_where_stack(&ctx->where, glass_where_here(), caller, frame);
	if (!stack)
		return false;
	glass_where_set_current(stack);
	glass_where_show(ctx);
	return true;
}

static void end(struct glass_context *ctx)
{
	glass_where_hide(ctx, 0);
	glass_where_set_current(0);
}

/* X(returned type, verb, function, parameters, arguments, context) */
#define VERBS(X)                                                                                 \
	X(struct ibv_dm *, alloc_dm, glass_alloc_dm,                                             \
	  (struct ibv_context * c, struct ibv_alloc_dm_attr * a), (c, a), c)                     \
	X(struct ibv_mw *, alloc_mw, glass_alloc_mw, (struct ibv_pd * pd, enum ibv_mw_type t),   \
	  (pd, t), pd->context)                                                                  \
	X(struct ibv_pd *, alloc_pd, glass_alloc_pd, (struct ibv_context * c), (c), c)           \
	X(int, attach_mcast, ibv_cmd_attach_mcast,                                               \
	  (struct ibv_qp * qp, const union ibv_gid *g, uint16_t l), (qp, g, l), qp->context)     \
	X(int, bind_mw, glass_bind_mw,                                                           \
	  (struct ibv_qp * qp, struct ibv_mw * mw, struct ibv_mw_bind * b), (qp, mw, b),         \
	  qp->context)                                                                           \
	X(struct ibv_ah *, create_ah, glass_create_ah,                                           \
	  (struct ibv_pd * pd, struct ibv_ah_attr * a), (pd, a), pd->context)                    \
	X(struct ibv_cq *, create_cq, glass_create_cq,                                           \
	  (struct ibv_context * c, int n, struct ibv_comp_channel *ch, int v), (c, n, ch, v), c) \
	X(struct ibv_cq_ex *, create_cq_ex, glass_create_cq_ex,                                  \
	  (struct ibv_context * c, struct ibv_cq_init_attr_ex * a), (c, a), c)                   \
	X(struct ibv_qp *, create_qp, glass_create_qp,                                           \
	  (struct ibv_pd * pd, struct ibv_qp_init_attr * a), (pd, a), pd->context)               \
	X(struct ibv_qp *, create_qp_ex, glass_create_qp_ex,                                     \
	  (struct ibv_context * c, struct ibv_qp_init_attr_ex * a), (c, a), c)                   \
	X(struct ibv_srq *, create_srq, glass_create_srq,                                        \
	  (struct ibv_pd * pd, struct ibv_srq_init_attr * a), (pd, a), pd->context)              \
	X(struct ibv_srq *, create_srq_ex, glass_create_srq_ex,                                  \
	  (struct ibv_context * c, struct ibv_srq_init_attr_ex * a), (c, a), c)                  \
	X(int, dereg_mr, glass_dereg_mr, (struct verbs_mr * mr), (mr), mr->ibv_mr.context)       \
	X(int, destroy_ah, glass_destroy_ah, (struct ibv_ah * ah), (ah), ah->context)            \
	X(int, destroy_cq, glass_destroy_cq, (struct ibv_cq * cq), (cq), cq->context)            \
	X(int, destroy_qp, glass_destroy_qp, (struct ibv_qp * qp), (qp), qp->context)            \
	X(int, destroy_srq, glass_destroy_srq, (struct ibv_srq * srq), (srq), srq->context)      \
	X(int, modify_qp, glass_modify_qp, (struct ibv_qp * qp, struct ibv_qp_attr * a, int m),  \
	  (qp, a, m), qp->context)                                                               \
	X(int, modify_srq, glass_modify_srq,                                                     \
	  (struct ibv_srq * srq, struct ibv_srq_attr * a, int m), (srq, a, m), srq->context)     \
	X(struct ibv_mr *, reg_dm_mr, glass_reg_dm_mr,                                           \
	  (struct ibv_pd * pd, struct ibv_dm * dm, uint64_t o, size_t l, unsigned int a),        \
	  (pd, dm, o, l, a), pd->context)                                                        \
	X(struct ibv_mr *, reg_dmabuf_mr, glass_reg_dmabuf_mr,                                   \
	  (struct ibv_pd * pd, uint64_t o, size_t l, uint64_t v, int fd, int a),                 \
	  (pd, o, l, v, fd, a), pd->context)                                                     \
	X(struct ibv_mr *, reg_mr, glass_reg_mr,                                                 \
	  (struct ibv_pd * pd, void *p, size_t l, uint64_t v, int a), (pd, p, l, v, a),          \
	  pd->context)                                                                           \
	X(int, req_notify_cq, ibv_cmd_req_notify_cq, (struct ibv_cq * cq, int s), (cq, s),       \
	  cq->context)                                                                           \
	X(int, rereg_mr, glass_rereg_mr,                                                         \
	  (struct verbs_mr * mr, int f, struct ibv_pd *pd, void *p, size_t l, int a),            \
	  (mr, f, pd, p, l, a), mr->ibv_mr.context)                                              \
	X(int, resize_cq, glass_resize_cq, (struct ibv_cq * cq, int n), (cq, n), cq->context)

#define DEFINE_VERB(type, verb, function, parameters, arguments, context)                      \
	static type where_##verb parameters                                                    \
	{                                                                                      \
		struct glass_context *ctx = to_gcontext(context);                              \
		bool on = begin(ctx, __builtin_return_address(0), __builtin_frame_address(0)); \
		type result = function arguments;                                              \
                                                                                               \
		if (unlikely(on))                                                              \
			end(ctx);                                                              \
		return result;                                                                 \
	}
VERBS(DEFINE_VERB)

#define VERB_OP(type, verb, function, parameters, arguments, context) .verb = where_##verb,

void glass_where_set_ops(struct glass_context *ctx)
{
	static const struct verbs_context_ops ops = { VERBS(VERB_OP) };

	verbs_set_ops(&ctx->ibv, &ops);
}

/* ---- posts */

/*
 * Returns the stack of a post, which is also that of findings about the post while it lasts. Asks
 * the driver whether somebody looks when that may have changed.
 */
static inline __attribute__((always_inline)) uint32_t
post_from(struct glass_where_thread *t, struct ibv_context *context, void *caller, void *frame)
{
	struct glass_context *ctx = to_gcontext(context);

	if (unlikely(atomic_load_explicit(&ctx->where.generation, memory_order_relaxed) !=
		     glass_load_relaxed(&ctx->control->generation)))
		glass_where_refresh(ctx);
	t->current = glass_where_stack(&ctx->where, t, caller, frame);
	return t->current;
}

#define POST_FROM(thread, context) \
	post_from(thread, context, __builtin_return_address(0), __builtin_frame_address(0))

static int where_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	struct glass_where_thread *t = glass_where_here();
	int ret = glass_post_send_from(qp, wr, bad, POST_FROM(t, qp->context));

	t->current = 0;
	return ret;
}

static int where_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	struct glass_where_thread *t = glass_where_here();
	int ret = glass_post_recv_from(qp, wr, bad, POST_FROM(t, qp->context));

	t->current = 0;
	return ret;
}

static int where_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr,
			       struct ibv_recv_wr **bad)
{
	struct glass_where_thread *t = glass_where_here();
	int ret = glass_post_srq_recv_from(srq, wr, bad, POST_FROM(t, srq->context));

	t->current = 0;
	return ret;
}

int glass_where_wr_complete(struct ibv_qp_ex *ex)
{
	struct glass_where_thread *t = glass_where_here();
	int ret = glass_wr_complete_from(ex, POST_FROM(t, ex->qp_base.context));

	t->current = 0;
	return ret;
}

static void set_wr_complete(struct glass_qp *qp)
{
	if (qp->ibv.comp_mask & VERBS_QP_EX)
		qp->ibv.qp_ex.wr_complete = glass_where_wr_complete;
}

void glass_where_set_posts(struct glass_context *ctx, bool on)
{
	static const struct verbs_context_ops posts = {
		.post_send = where_post_send,
		.post_recv = where_post_recv,
		.post_srq_recv = where_post_srq_recv,
	}, plain = {
		.post_send = glass_post_send,
		.post_recv = glass_post_recv,
		.post_srq_recv = glass_post_srq_recv,
	};

	verbs_set_ops(&ctx->ibv, on ? &posts : &plain);
	/* wr_complete stays: it asks whether somebody looks */
	if (on)
		glass_qp_table_each(ctx, set_wr_complete);
}
