/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Misuse that verbs detect. Called behind glass_linting(), may sleep. */
#ifndef GLASS_VERBS_LINT_H
#define GLASS_VERBS_LINT_H

#include "engine/lint.h"
#include "verbs/verbs.h"

/* The context of a verb, for glass_owner.lint; NULL: the kernel's. */
static inline const struct glass_lint_client *glass_lint_of(struct ib_udata *udata)
{
	struct glass_ucontext *u =
		udata ? rdma_udata_to_drv_context(udata, struct glass_ucontext, ib) : NULL;

	return u ? &u->lint : NULL;
}

/* create_qp asks for more than the device has: reports the name, and both values. */
void glass_lint_create_qp(struct ib_qp *ib, const struct ib_qp_init_attr *init,
			  struct ib_udata *udata);
/* A QP starts or stops using its CQs. */
void glass_lint_count_caps(struct glass_qp *qp, bool more);
/* modify_qp fails; bad: the bit that is missing, extra or out of range. */
void glass_lint_modify_qp(struct glass_qp *qp, const struct ib_qp_attr *attr, u32 mask, u32 bad);
/* reg_mr: returns 0, or the error that it must fail with. err: the error that it failed with. */
int glass_lint_reg_mr(struct ib_udata *udata, struct ib_pd *pd, u64 start, u64 length, int access);
void glass_lint_reg_mr_failed(struct ib_udata *udata, struct ib_pd *pd, u64 start, u64 length,
			      int err);
/* The kernel destroys an object that its program left. */
void glass_lint_left(struct ib_udata *udata, enum glass_kind kind, const struct glass_owner *o);
/* The context closes. */
void glass_lint_closed(struct glass_ucontext *uctx);
/* A provider's report. Returns the result of the report method. */
int glass_lint_reported(struct glass_ucontext *uctx, const struct glass_report *r);

#endif
