/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Objects of the provider. Each wraps the object of libibverbs and adds the rings that it shares
 * with the driver.
 *
 * Lock order, outermost first: two CQs by rising CQ number, then a queue's lock, then glass_where.lock,
 * then the table of QPs.
 */
#ifndef GLASS_PROVIDER_GLASS_H
#define GLASS_PROVIDER_GLASS_H

#include <pthread.h>
#include <stdatomic.h>

#include <ccan/minmax.h>
#include <infiniband/driver.h>

#include "abi.h"
#include "queue.h"
#include "where.h"

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
	struct glass_areas areas; /* memory of its rings */
	int doorbell_fd; /* -1: not available */
	/*
	 * A page is allocated on first use and lives as long as the context. Slots change under
	 * qp_lock. A QP is removed from its slot before it is freed. So a QP that was found stays
	 * valid while the caller holds qp_lock, or the lock of one of its CQs.
	 */
	pthread_mutex_t qp_lock;
	_Atomic(struct glass_qp_page *) *qp_pages;
	/* counts since the last report to the driver */
	atomic_uint posts_refused;
	atomic_uint posts_invalid;
	/* state of lint_post.c and lint_verbs.c */
	_Atomic(uint64_t) lint_unwanted[GLASS_LINT_WORDS]; /* codes that nobody observes, as of ... */
	_Atomic(uint32_t) lint_generation; /* ... this generation of the control page */
	atomic_uint lint_ahs, lint_mrs; /* consecutive ones that were used for a single message */
	atomic_uint lint_nmr; /* registered regions */
	_Atomic(uint64_t) lint_posts; /* sends of all QPs that were posted while lint was on */
	struct glass_context *lint_next;
	struct glass_where where; /* call stacks of the program */
};

/* A protection domain, or a parent domain, which adds a thread domain to a protection domain */
struct glass_pd {
	struct ibv_pd ibv; /* a parent domain has the handle of its protection domain */
	uint32_t pdn;
	struct glass_pd *protection; /* of a parent domain, else NULL */
	struct glass_td *td; /* of a parent domain, or NULL */
	atomic_uint users; /* number of parent domains of this protection domain */
};

/* The program promises to use objects of a thread domain from one thread at a time. */
struct glass_td {
	struct ibv_td ibv;
	atomic_uint users;
};

struct glass_dm {
	struct verbs_dm ibv;
	uint8_t *mem;
	size_t bytes; /* mapped */
	uint64_t length; /* requested by the program */
};

struct glass_mr {
	struct verbs_mr ibv;
	uint64_t posts; /* sends posted before its registration; all ones: unknown */
};

struct glass_ah {
	struct ibv_ah ibv;
	uint32_t num;
	/*
	 * the last send that used it, recorded while lint is on; written under
	 * glass_context.qp_lock
	 */
	uint32_t uses, used_qpn, used_index;
	const struct glass_qp *used_by;
	bool used_signaled;
};

/* Unpolled completions that are no longer in the ring, oldest first */
struct glass_cq_kept {
	struct glass_abi_cqe *cqe; /* array of max entries; NULL: the CQ does not ignore overruns */
	uint32_t max, first, n;
};

struct glass_cq {
	struct verbs_cq ibv;
	struct glass_lock lock; /* protects consumer and entries; held from start_poll to end_poll */
	struct glass_ring ring;
	uint32_t cqn;
	uint32_t consumer;
	struct glass_ring_info moved; /* num not 0: entries of a resize that could not be mapped yet */
	uint32_t comp_events, async_events; /* events that the program got; atomic */
	const struct glass_abi_cqe *now; /* current completion between start_poll and end_poll */
	/* only for a CQ that ignores overruns (cq_overwrite.c) */
	struct glass_cq_kept kept;
	struct glass_abi_cqe copy; /* `now` points here */
};

/* The posting side of a receive queue, of a QP or an SRQ */
struct glass_rq {
	struct glass_lock lock; /* protects all of it */
	struct glass_ring ring;
	uint32_t producer;
	uint32_t max_wr;
	uint32_t max_sge;
	struct glass_ring_info moved; /* as in glass_cq */
	/* a list that was refused after its head was posted, while lint is on */
	const struct ibv_recv_wr *refused;
	uint64_t refused_id;
};

struct glass_srq {
	struct verbs_srq ibv;
	struct glass_rq rq;
	uint32_t srqn;
	uint32_t async_events; /* events that the program got; atomic */
};

struct glass_sq {
	struct glass_lock lock; /* protects entries and producer; held from wr_start to wr_complete */
	struct glass_ring ring;
	uint32_t producer;
	/* first WQE without a completion; advanced by polling */
	_Atomic(uint32_t) tail;
	uint32_t max_wr;
	uint32_t max_sge;
	uint32_t max_inline;
	uint32_t asked_inline; /* as requested in create_qp */
	uint32_t signaled; /* the last signaled WQE; valid if any_signaled */
	bool any_signaled;
	/* as in glass_rq */
	const struct ibv_send_wr *refused;
	uint64_t refused_id;
	uint64_t *sums; /* checksums of posted buffers; NULL: not computed */
	struct glass_ah **ahs; /* by slot, between wr_start and wr_complete, while lint is on */
};

struct glass_qp {
	struct verbs_qp ibv;
	struct glass_sq sq;
	struct glass_rq rq;
	uint32_t all_flags; /* GLASS_WQE_* of each send */
	uint32_t usual_ops; /* as all_ops: those that post_one() of post.c posts */
	bool usual_recvs; /* can the program post receives with one SGE to its queue? */
	uint64_t flow_base; /* the flow number of a send is this | its free-running index */
	uint32_t async_events; /* events that the program got; atomic */
	uint32_t all_ops; /* operations of its transport, 1 << enum glass_wr_op */
	struct {
		struct glass_abi_send_wqe *wqe; /* under construction; NULL: none, or it failed */
		uint32_t start; /* producer at wr_start */
		uint32_t signaled; /* as in glass_sq, for requests since wr_start */
		bool any_signaled;
		bool lint; /* lint is on; sampled once, at wr_start */
		int err; /* the first error; wr_complete returns it */
		enum glass_lint_number why; /* lint's code for the error, or GLASS_LINT_NONE ... */
		uint64_t seen; /* ... and the value that lint reports; see glass_lint_wr_complete() */
	} wr; /* under sq.lock */
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
GLASS_TO(srq, ibv_srq, ibv.srq)
GLASS_TO(qp, ibv_qp, ibv.qp)
GLASS_TO(td, ibv_td, ibv)
GLASS_TO(dm, ibv_dm, ibv.dm)

/* Did the program promise to use objects of this PD from one thread at a time? */
static inline bool glass_pd_single(struct ibv_pd *pd)
{
	return pd && to_gpd(pd)->td;
}

/* Converts IBV_SEND_* to flags of a send WQE. */
static inline uint32_t glass_wqe_flags(const struct glass_qp *qp, unsigned int flags)
{
	return (flags & IBV_SEND_FENCE ? GLASS_WQE_FENCE : 0) |
	       (flags & IBV_SEND_SIGNALED ? GLASS_WQE_SIGNALED : 0) |
	       (flags & IBV_SEND_SOLICITED ? GLASS_WQE_SOLICITED : 0) |
	       (flags & IBV_SEND_INLINE ? GLASS_WQE_INLINE : 0) | qp->all_flags;
}

/* Operations that may carry inline data, 1 << enum glass_wr_op */
#define GLASS_INLINE_OPS GLASS_WRS_WITH(GLASS_WRF_INLINE)

static inline unsigned int glass_wc_flags(const struct glass_abi_cqe *cqe)
{
	return (cqe->flags & GLASS_CQE_GRH ? IBV_WC_GRH : 0) |
	       (cqe->flags & GLASS_CQE_IMM ? IBV_WC_WITH_IMM : 0) |
	       (cqe->flags & GLASS_CQE_INV ? IBV_WC_WITH_INV : 0);
}

/* Returns the current requests of the driver to providers: GLASS_CTL_*. Costs one cached load. */
static inline uint32_t glass_ctl_flags(const struct glass_context *ctx)
{
	return glass_load_relaxed(&ctx->control->flags);
}

/* Asks the driver whether the verb fails. Call while GLASS_CTL_VERB_FAULTS is set. */
int glass_ask_verb(struct glass_context *ctx, enum glass_verb verb);

/*
 * Returns the errno value with which an injection rule makes this verb fail, or 0. For verbs that
 * the driver does not see. Costs one load while injection is off.
 */
static inline int glass_verb_fault(struct ibv_context *context, enum glass_verb verb)
{
	struct glass_context *ctx = to_gcontext(context);

	return unlikely(glass_ctl_flags(ctx) & GLASS_CTL_VERB_FAULTS) ? glass_ask_verb(ctx, verb)
								     : 0;
}

/* The requests for which glass_post_fault() looks */
#define GLASS_CTL_RARE (GLASS_CTL_VERB_FAULTS | GLASS_CTL_WHERE)

/*
 * The same for a post that does not record where it comes from. Also notices that somebody wants
 * that (where.h): one test for both.
 */
static inline int glass_post_fault(struct ibv_context *context, enum glass_verb verb)
{
	struct glass_context *ctx = to_gcontext(context);

	if (likely(!(glass_ctl_flags(ctx) & GLASS_CTL_RARE)))
		return 0;
	if (glass_ctl_flags(ctx) & GLASS_CTL_WHERE)
		glass_where_refresh(ctx);
	return glass_verb_fault(context, verb);
}

/* Counts a failed post by its reason, for a later report to the driver. Returns err. */
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
int glass_rereg_mr(struct verbs_mr *vmr, int flags, struct ibv_pd *pd, void *addr, size_t length,
		   int access);
struct ibv_mr *glass_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length, uint64_t iova,
				   int fd, int access);
int glass_query_rt_values(struct ibv_context *context, struct ibv_values_ex *values);
struct ibv_ah *glass_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr);
int glass_destroy_ah(struct ibv_ah *ah);

/* domain.c: parent and thread domains, and imported protection domains */
struct ibv_td *glass_alloc_td(struct ibv_context *context, struct ibv_td_init_attr *attr);
int glass_dealloc_td(struct ibv_td *td);
struct ibv_pd *glass_alloc_parent_domain(struct ibv_context *context,
					 struct ibv_parent_domain_init_attr *attr);
int glass_dealloc_parent_domain(struct glass_pd *pd);
struct ibv_pd *glass_import_pd(struct ibv_context *context, uint32_t handle);
void glass_unimport_pd(struct ibv_pd *pd);
struct ibv_mr *glass_import_mr(struct ibv_pd *pd, uint32_t handle);
void glass_unimport_mr(struct ibv_mr *mr);

/* dm.c */
struct ibv_dm *glass_alloc_dm(struct ibv_context *context, struct ibv_alloc_dm_attr *attr);
int glass_free_dm(struct ibv_dm *dm);
struct ibv_mr *glass_reg_dm_mr(struct ibv_pd *pd, struct ibv_dm *dm, uint64_t offset, size_t length,
			       unsigned int access);
struct ibv_dm *glass_import_dm(struct ibv_context *context, uint32_t handle);
void glass_unimport_dm(struct ibv_dm *dm);

/* cq_ex.c: sets the functions of an extended CQ for the requested IBV_WC_EX_* */
void glass_cq_ex_set_ops(struct glass_cq *cq, uint64_t wc_flags);
#define GLASS_WC_FLAGS                                                                             \
	(IBV_WC_STANDARD_FLAGS | IBV_WC_EX_WITH_COMPLETION_TIMESTAMP |                             \
	 IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK)

/*
 * cq_overwrite.c: CQs that ignore overruns. Call these under the CQ's lock. The driver may
 * overwrite a completion at any time, so it is copied before use.
 */
/* Allocates kept with room for cqe completions, at least one. Returns 0 or ENOMEM. */
int glass_cq_kept_alloc(struct glass_cq_kept *kept, uint32_t cqe);
/* Copies out the oldest completion. Returns false if there is none. */
bool glass_cq_take_copy(struct glass_cq *cq, struct glass_abi_cqe *to);
/*
 * Drops the completions of a QP and moves the others to cq->kept. Returns the number of dropped
 * ones.
 */
uint32_t glass_cq_drop_kept(struct glass_cq *cq, uint32_t qpn);
/*
 * Call after the driver has resized the CQ to the size of *fresh. *fresh replaces cq->kept. It
 * receives the newest completions that fit; those that the old or the new size cannot hold are
 * lost.
 */
void glass_cq_kept_resize(struct glass_cq *cq, struct glass_cq_kept *fresh);

/*
 * wr.c: sets the functions of an extended QP for these IBV_QP_EX_WITH_*; EOPNOTSUPP if one is
 * unknown
 */
int glass_qp_ex_set_ops(struct glass_qp *qp, uint64_t send_ops);
/* wr_complete, for requests whose call stack is known: its number in where.h, or 0 */
int glass_wr_complete_from(struct ibv_qp_ex *ex, uint32_t stack);
/* xrc.c */
struct ibv_xrcd *glass_open_xrcd(struct ibv_context *context, struct ibv_xrcd_init_attr *attr);
int glass_close_xrcd(struct ibv_xrcd *xrcd);
int glass_get_srq_num(struct ibv_srq *srq, uint32_t *num);
struct ibv_qp *glass_open_qp(struct ibv_context *context, struct ibv_qp_open_attr *attr);

/* mw.c */
struct ibv_mw *glass_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type);
int glass_dealloc_mw(struct ibv_mw *mw);
int glass_bind_mw(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *bind);
/*
 * Checks a BIND_MW work request: 0 or EINVAL. Then glass_fill_bind_mw() writes it to a zeroed WQE.
 */
int glass_check_bind_mw(const struct ibv_send_wr *wr);
void glass_fill_bind_mw(struct glass_abi_send_wqe *wqe, const struct ibv_send_wr *wr);

/* cq.c */
struct ibv_cq_ex *glass_create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr);
int glass_resize_cq(struct ibv_cq *cq, int cqe);
/* Retries to map the entries that a resize could not map. Returns 0 or an errno value. */
int glass_cq_follow(struct glass_cq *cq);
/*
 * Call after a completion was taken: frees the slots of its send queue up to and including its WQE.
 * *qp: cache of the QP of the previous send completion; initially NULL.
 */
void glass_cqe_taken(struct glass_context *ctx, const struct glass_abi_cqe *cqe,
		     struct glass_qp **qp);

struct ibv_cq *glass_create_cq(struct ibv_context *context, int cqe,
			       struct ibv_comp_channel *channel, int comp_vector);
int glass_poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc);
int glass_destroy_cq(struct ibv_cq *cq);
/*
 * Removes all completions of a QP from its CQs and, if `forget`, the QP from the table. The driver
 * must not produce more of them. Both happen under the locks of the CQs, so that a poller never
 * finds a completion whose QP is gone.
 */
void glass_cq_purge(struct glass_qp *qp, bool forget);

/* srq.c */
struct ibv_srq *glass_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attr);
struct ibv_srq *glass_create_srq_ex(struct ibv_context *context,
				    struct ibv_srq_init_attr_ex *attr);
int glass_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr, int mask);
int glass_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr);
int glass_destroy_srq(struct ibv_srq *srq);
int glass_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr);
/*
 * Posts a list to a receive ring. Returns 0, or an errno value with *bad_wr set. qp: NULL for an
 * SRQ. num: QPN or SRQ number.
 */
int glass_rq_post(struct ibv_context *context, struct glass_rq *rq, struct glass_qp *qp, uint32_t num,
		  struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr);
/* As their namesakes, for a post whose call stack is known: its number in where.h, or 0. */
int glass_rq_post_from(struct ibv_context *context, struct glass_rq *rq, struct glass_qp *qp,
		       uint32_t num, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr,
		       uint32_t stack);
int glass_post_srq_recv_from(struct ibv_srq *srq, struct ibv_recv_wr *wr,
			     struct ibv_recv_wr **bad_wr, uint32_t stack);

/* post.c */
/*
 * Clears the header of a WQE. In two steps, which compilers make of a few stores: for one of 112 bytes they take "rep stos",
 * whose start costs more.
 */
static inline void glass_clear_wqe(struct glass_abi_send_wqe *wqe)
{
	memset(wqe, 0, sizeof(*wqe) / 2);
	memset((char *)wqe + sizeof(*wqe) / 2, 0, sizeof(*wqe) / 2);
}

/* Notifies the kernel of posted requests: no other way exists. Returns 0 or an errno value. */
int glass_ring_doorbell(struct ibv_qp *ibqp, uint32_t count);
int glass_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr);
int glass_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr);
/* The same, for a post whose call stack is known: its number in where.h, or 0. */
int glass_post_send_from(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr,
			 uint32_t stack);
int glass_post_recv_from(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr,
			 uint32_t stack);

/* qp.c */
struct ibv_qp *glass_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr);
struct ibv_qp *glass_create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr);
/* Initialises the locks of the queues, also for a QP without queues. */
void glass_init_queues(struct glass_qp *qp, bool single);
int glass_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask,
		   struct ibv_qp_init_attr *init_attr);
int glass_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask);
int glass_destroy_qp(struct ibv_qp *qp);

/* qp_table.c */
/*
 * Adds a QP to the table. Returns 0 or an errno value. EEXIST: the table still holds another QP of
 * this number, which another thread is destroying.
 */
int glass_qp_table_add(struct glass_context *ctx, struct glass_qp *qp);
/* Calls a function for each QP of the table, under qp_lock. */
void glass_qp_table_each(struct glass_context *ctx, void (*each)(struct glass_qp *qp));
/* Removes the QP from the table, if it is there. */
void glass_qp_table_del(struct glass_context *ctx, struct glass_qp *qp);
/*
 * Returns NULL if the table has no QP of this number. See glass_context.qp_lock for the lifetime of
 * the QP.
 */
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
