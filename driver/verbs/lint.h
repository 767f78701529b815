/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Lint: misuse that verbs detect and report as findings (observe/lint.h). All functions but
 * glass_lint_of(), glass_lint_count_caps(), glass_lint_left() and glass_lint_reported() are called
 * behind glass_linting(). They may sleep.
 */
#ifndef GLASS_VERBS_LINT_H
#define GLASS_VERBS_LINT_H

#include "engine/lint.h"
#include "verbs/verbs.h"

/*
 * Lint's client of the program that calls a verb, for glass_owner.lint; NULL: the kernel calls it.
 */
static inline const struct glass_lint_client *glass_lint_of(struct ib_udata *udata)
{
	struct glass_ucontext *u =
		udata ? rdma_udata_to_drv_context(udata, struct glass_ucontext, ib) : NULL;

	return u ? &u->lint : NULL;
}

/* create_qp fails with -EINVAL: reports the first value above its limit, or else type and flags. */
void glass_lint_create_qp(struct ib_qp *ib, const struct ib_qp_init_attr *init,
			  struct ib_udata *udata);
/* A QP starts to use its CQs, or (more is false) stops: counts the completions that it can make. */
void glass_lint_count_caps(struct glass_qp *qp, bool more);
/*
 * modify_qp fails with -EINVAL. bad: the bit of the mask that is missing, not allowed, or whose
 * value is invalid; 0: there is no such transition.
 */
void glass_lint_modify_qp(struct glass_qp *qp, const struct ib_qp_attr *attr, u32 mask, u32 bad);
/* reg_mr begins. Returns 0, or the error with which reg_mr must fail. */
int glass_lint_reg_mr(struct ib_udata *udata, struct ib_pd *pd, u64 start, u64 length, int access);
/* reg_mr failed with err: reports whether RLIMIT_MEMLOCK is the reason. */
void glass_lint_reg_mr_failed(struct ib_udata *udata, struct ib_pd *pd, u64 start, u64 length,
			      int err);
/* The kernel destroys an object that its program left: counts it in the context. */
void glass_lint_left(struct ib_udata *udata, enum glass_kind kind, const struct glass_owner *o);
/* The context closes: reports the objects that were left in it. */
void glass_lint_closed(struct glass_ucontext *uctx);
/* A provider reports a finding. Returns the result of the report method (uapi/glass-abi.h). */
int glass_lint_reported(struct glass_ucontext *uctx, const struct glass_report *r);

#endif
