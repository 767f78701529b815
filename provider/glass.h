/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The objects of the provider. Each wraps what libibverbs knows and adds the
 * rings that it shares with the driver.
 *
 * Locks, outermost first: two CQs by rising CQ number, then a queue's lock.
 */
#ifndef GLASS_PROVIDER_GLASS_H
#define GLASS_PROVIDER_GLASS_H

#include <pthread.h>
#include <stdatomic.h>

#include <ccan/minmax.h>
#include <infiniband/driver.h>

#include "abi.h"
#include "queue.h"

struct glass_qp;

/* QPs by number, in two levels: a 24-bit number is page << 8 | slot. */
#define GLASS_QPT_SLOT_BITS 8
#define GLASS_QPT_SLOTS (1u << GLASS_QPT_SLOT_BITS)
#define GLASS_QPT_PAGES (1u << (24 - GLASS_QPT_SLOT_BITS))

struct glass_qp_page {
	_Atomic(struct glass_qp *) slot[GLASS_QPT_SLOTS];
};

struct glass_device {
	struct verbs_device ibv;
};

struct glass_context {
	struct verbs_context ibv;
	const struct glass_control_page *control;
	size_t control_bytes;
	int doorbell_fd; /* -1: none was to be had */
	uint32_t max_inline;
	uint32_t max_sge;
	/* pages are made when first needed and stay until the context goes */
	_Atomic(struct glass_qp_page *) *qp_pages;
	/* since the last report to the driver */
	atomic_uint posts_refused;
	atomic_uint posts_invalid;
};

struct glass_pd {
	struct ibv_pd ibv;
	uint32_t pdn;
};

struct glass_ah {
	struct ibv_ah ibv;
	uint32_t num;
};

struct glass_cq {
	struct verbs_cq ibv;
	pthread_spinlock_t lock; /* consumer, entries */
	struct glass_ring ring;
	uint32_t cqn;
	uint32_t consumer;
};

/* Posting side of a receive queue, of a QP or an SRQ. */
struct glass_rq {
	pthread_spinlock_t lock; /* all of it */
	struct glass_ring ring;
	uint32_t producer;
	uint32_t max_wr;
	uint32_t max_sge;
};

struct glass_srq {
	struct ibv_srq ibv;
	struct glass_rq rq;
	uint32_t srqn;
};

struct glass_sq {
	pthread_spinlock_t lock; /* ring entries, producer */
	struct glass_ring ring;
	uint32_t producer;
	/* first WQE without completion; moved on by polling */
	_Atomic(uint32_t) tail;
	uint32_t max_wr;
	uint32_t max_sge;
	uint32_t max_inline;
};

struct glass_qp {
	struct verbs_qp ibv;
	struct glass_sq sq;
	struct glass_rq rq;
	bool sig_all;
	uint32_t flow_high; /* upper half of its sends' flow */
	uint32_t all_ops; /* operations of this QP's transport, 1 << enum glass_wr_op */
};

#define GLASS_TO(name, ibv_type, member)                                                           \
	static inline struct glass_##name *to_g##name(struct ibv_type *ib)                         \
	{                                                                                          \
		return container_of(ib, struct glass_##name, member);                              \
	}
GLASS_TO(context, ibv_context, ibv.context)
GLASS_TO(pd, ibv_pd, ibv)
GLASS_TO(ah, ibv_ah, ibv)
GLASS_TO(cq, ibv_cq, ibv.cq)
GLASS_TO(srq, ibv_srq, ibv)
GLASS_TO(qp, ibv_qp, ibv.qp)

/* What the driver asks of its providers just now: GLASS_CTL_*. One cached load. */
static inline uint32_t glass_ctl_flags(const struct glass_context *ctx)
{
	return glass_load_relaxed(&ctx->control->flags);
}

/*
 * Does an injection rule want that this verb, which the driver does not see, fails? Its
 * errno value, or 0. Off, it costs the load.
 */
int glass_ask_verb(struct glass_context *ctx, enum glass_verb verb);

static inline int glass_verb_fault(struct ibv_context *context, enum glass_verb verb)
{
	struct glass_context *ctx = to_gcontext(context);

	return unlikely(glass_ctl_flags(ctx) & GLASS_CTL_VERB_FAULTS) ? glass_ask_verb(ctx, verb) :
									0;
}

/* A post that failed is counted by why, and told to the driver later. */
static inline int glass_refused(struct ibv_context *context, int err)
{
	struct glass_context *ctx = to_gcontext(context);

	atomic_fetch_add_explicit(err == ENOMEM ? &ctx->posts_refused : &ctx->posts_invalid, 1,
				  memory_order_relaxed);
	return err;
}

/* glass.c */
void glass_report_counts(struct glass_context *ctx);

/* objects.c */
int glass_query_device_ex(struct ibv_context *context,
			  const struct ibv_query_device_ex_input *input,
			  struct ibv_device_attr_ex *attr, size_t attr_size);
int glass_query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr);
struct ibv_pd *glass_alloc_pd(struct ibv_context *context);
int glass_dealloc_pd(struct ibv_pd *pd);
struct ibv_mr *glass_reg_mr(struct ibv_pd *pd, void *addr, size_t length, uint64_t hca_va,
			    int access);
int glass_dereg_mr(struct verbs_mr *vmr);
struct ibv_ah *glass_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr);
int glass_destroy_ah(struct ibv_ah *ah);

/* cq.c */
struct ibv_cq *glass_create_cq(struct ibv_context *context, int cqe,
			       struct ibv_comp_channel *channel, int comp_vector);
int glass_poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc);
int glass_destroy_cq(struct ibv_cq *cq);
/*
 * Takes all completions of a QP out of its CQs, and the QP out of the table if
 * `forget`. The driver makes no more of them. Both in one step, so that nobody
 * who polls finds a completion whose QP is gone.
 */
void glass_cq_purge(struct glass_qp *qp, bool forget);

/* srq.c */
struct ibv_srq *glass_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attr);
int glass_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr, int mask);
int glass_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr);
int glass_destroy_srq(struct ibv_srq *srq);
int glass_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr);
/*
 * Posts a list into a receive ring. 0 or an errno value with *bad_wr. num: QPN or
 * SRQ number, for the probe.
 */
int glass_rq_post(struct glass_rq *rq, uint32_t num, bool is_srq, struct ibv_recv_wr *wr,
		  struct ibv_recv_wr **bad_wr);

/* qp.c */
int glass_qp_table_add(struct glass_context *ctx, struct glass_qp *qp);
void glass_qp_table_del(struct glass_context *ctx, struct glass_qp *qp);
struct ibv_qp *glass_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr);
int glass_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask,
		   struct ibv_qp_init_attr *init_attr);
int glass_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask);
int glass_destroy_qp(struct ibv_qp *qp);
int glass_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr);
int glass_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr);

static inline struct glass_qp *glass_qp_find(struct glass_context *ctx, uint32_t qpn)
{
	struct glass_qp_page *page;

	page = atomic_load_explicit(
		&ctx->qp_pages[(qpn >> GLASS_QPT_SLOT_BITS) & (GLASS_QPT_PAGES - 1)],
		memory_order_acquire);
	if (!page)
		return NULL;
	return atomic_load_explicit(&page->slot[qpn & (GLASS_QPT_SLOTS - 1)],
				    memory_order_acquire);
}

#endif
