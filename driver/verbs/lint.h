/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Lint: verbs detect misuse, and report it as findings (observe/lint.h). Callers test
 * glass_linting() before they call one of these functions. Only glass_lint_of(),
 * glass_lint_count_caps(), glass_lint_left() and glass_lint_reported() need no such test. All
 * functions but glass_lint_of() may sleep.
 */
#ifndef GLASS_VERBS_LINT_H
#define GLASS_VERBS_LINT_H

#include "engine/lint.h"
#include "verbs/verbs.h"

/*
 * Returns the lint client (observe/lint.h) of the user context to which a verb's udata belongs.
 * NULL: a kernel consumer calls the verb. Verbs store the client in glass_owner.lint of the objects
 * that they create.
 */
static inline const struct glass_lint_client *glass_lint_of(struct ib_udata *udata)
{
	struct glass_ucontext *u =
		udata ? rdma_udata_to_drv_context(udata, struct glass_ucontext, ib) : NULL;

	return u ? &u->lint : NULL;
}

/*
 * Call when create_qp fails with -EINVAL for a program. Reports the first capability that exceeds
 * its limit. If no capability exceeds its limit, reports the QP type and the flags.
 */
void glass_lint_create_qp(struct ib_qp *ib, const struct ib_qp_init_attr *init,
			  struct ib_udata *udata);
/*
 * Call when a QP is created (`more` is true) or destroyed (`more` is false). Adds the capacity of
 * each queue of the QP to glass_lint_cq_state.wanted of the queue's CQ, or subtracts it. If `more`
 * is true and lint is on, also reports a CQ that is too small for its queues.
 */
void glass_lint_count_caps(struct glass_qp *qp, bool more);
/*
 * Call when modify_qp fails because glass_pqp_check_modify() returned -EINVAL. If the QP is a
 * program's, reports the reason. The parameter `bad` comes from glass_pqp_check_modify(). 0: the QP
 * cannot go from its state to the requested one. Otherwise `bad` is the mask bit (IB_QP_*) at
 * fault. If `mask` lacks this bit, the transition requires the bit. If `mask` has the bit, the
 * transition does not allow the bit, or the attribute has an invalid value.
 */
void glass_lint_modify_qp(struct glass_qp *qp, const struct ib_qp_attr *attr, u32 mask, u32 bad);
/*
 * Call when reg_mr begins. Reports a region for remote access that covers the whole heap, or that
 * has at least 1 GiB. Returns 0, or the error with which reg_mr must fail.
 */
int glass_lint_reg_mr(struct ib_udata *udata, struct ib_pd *pd, u64 start, u64 length, int access);
/*
 * Call when reg_mr fails with err. Reports RLIMIT_MEMLOCK if this limit is too small for the
 * region.
 */
void glass_lint_reg_mr_failed(struct ib_udata *udata, struct ib_pd *pd, u64 start, u64 length,
			      int err);
/*
 * Call in a destroy verb if its caller is GLASS_BY_CLOSE (verbs.h). Counts the object as left by
 * its program, in glass_ucontext.left.
 */
void glass_lint_left(struct ib_udata *udata, enum glass_kind kind, const struct glass_owner *o);
/*
 * Call when a context is closed. Reports the objects that the program left in the context, unless
 * the program was killed.
 */
void glass_lint_closed(struct glass_ucontext *uctx);
/* Handles a GLASS_REPORT_FINDING of a provider. Returns the report's result (uapi/glass-abi.h). */
int glass_lint_reported(struct glass_ucontext *uctx, const struct glass_report *r);

#endif
