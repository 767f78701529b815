/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Lint: misuse that verbs detect and report as findings (observe/lint.h). Callers test
 * glass_linting() before they call one of these functions, except glass_lint_of(),
 * glass_lint_count_caps(), glass_lint_left() and glass_lint_reported(). All functions but
 * glass_lint_of() may sleep.
 */
#ifndef GLASS_VERBS_LINT_H
#define GLASS_VERBS_LINT_H

#include "engine/lint.h"
#include "verbs/verbs.h"

/*
 * Returns lint's client of the user context by which a program calls a verb, for glass_owner.lint.
 * NULL: a kernel consumer calls the verb.
 */
static inline const struct glass_lint_client *glass_lint_of(struct ib_udata *udata)
{
	struct glass_ucontext *u =
		udata ? rdma_udata_to_drv_context(udata, struct glass_ucontext, ib) : NULL;

	return u ? &u->lint : NULL;
}

/*
 * create_qp fails with -EINVAL for a program: reports the first capability that exceeds its limit,
 * or, if none does, the QP type and the flags.
 */
void glass_lint_create_qp(struct ib_qp *ib, const struct ib_qp_init_attr *init,
			  struct ib_udata *udata);
/*
 * A QP starts (more) or stops (!more) to use its CQs: adds the number of completions that its
 * queues can make to glass_lint_cq_state.wanted of these CQs, or subtracts it. At a start, also
 * reports a CQ that is too small, if lint is on.
 */
void glass_lint_count_caps(struct glass_qp *qp, bool more);
/*
 * modify_qp fails with -EINVAL: reports why, if the QP is a program's. bad: the mask bit (IB_QP_*)
 * at fault. If the mask lacks `bad`, the transition requires it. If the mask has it, the transition
 * does not allow it, or the value of its attribute is invalid. 0: there is no such transition.
 */
void glass_lint_modify_qp(struct glass_qp *qp, const struct ib_qp_attr *attr, u32 mask, u32 bad);
/*
 * reg_mr begins: reports a region for remote access that covers the heap or is huge. Returns 0, or
 * the error with which reg_mr must fail.
 */
int glass_lint_reg_mr(struct ib_udata *udata, struct ib_pd *pd, u64 start, u64 length, int access);
/* reg_mr failed with err: reports that RLIMIT_MEMLOCK is too small, if that explains err. */
void glass_lint_reg_mr_failed(struct ib_udata *udata, struct ib_pd *pd, u64 start, u64 length,
			      int err);
/*
 * A destroy verb has the caller GLASS_BY_CLOSE (verbs.h): counts the object in the user context as
 * left by its program.
 */
void glass_lint_left(struct ib_udata *udata, enum glass_kind kind, const struct glass_owner *o);
/* A context closes: reports the objects that were left in it, unless its process was killed. */
void glass_lint_closed(struct glass_ucontext *uctx);
/* A provider reports a finding. Returns the result of the report method (uapi/glass-abi.h). */
int glass_lint_reported(struct glass_ucontext *uctx, const struct glass_report *r);

#endif
