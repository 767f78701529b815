/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef GLASS_ENGINE_COMPLETE_H
#define GLASS_ENGINE_COMPLETE_H

#include "engine/objects.h"

/* What is to be done about completions when the CQ's lock is let go. */
struct glass_cq_told {
	bool notify, overrun;
};

/*
 * Puts a completion into its CQ. ib: its QP, which is there yet. The caller holds cq->lock, and
 * calls glass_cq_tell() after it let it go. Returns whether the CQ took it.
 */
bool glass_cq_put(struct glass_cq *cq, struct ib_qp *ib, u32 qpn, const struct glass_cqe *c,
		  struct glass_cq_told *told);
void glass_cq_tell(struct glass_cq *cq, const struct glass_cq_told *told);

/*
 * late.c: completions of the CQ are late (glass_cq.nlate), whether or not what delayed them is
 * still in force: this one has to wait behind them. The caller holds the locks of QP and CQ, and
 * calls glass_cq_tell() when it has let that of the CQ go. False: none is late any more, the
 * caller puts it in.
 */
bool glass_late_behind(struct glass_qp *qp, struct glass_cq *cq, const struct glass_cqe *c,
		       struct glass_cq_told *told);

#endif
