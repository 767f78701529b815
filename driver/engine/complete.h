/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef GLASS_ENGINE_COMPLETE_H
#define GLASS_ENGINE_COMPLETE_H

#include "engine/objects.h"

/*
 * CQEs waiting in a CQ. Of a user's CQ the consumer index is the program's: the
 * result may be any number; more than cq->cqe means that the program wrote
 * nonsense.
 */
u32 glass_cq_used(const struct glass_cq *cq);

/* What is to be done about completions when the CQ's lock is let go. */
struct glass_cq_told {
	bool notify, overrun;
};

/*
 * Puts a completion that waited into its CQ. ib: its QP, which is there yet. The
 * caller holds cq->lock, and calls glass_cq_tell() after it let it go.
 */
void glass_cq_complete_late(struct glass_cq *cq, struct ib_qp *ib, u32 qpn,
			    const struct glass_cqe *c, struct glass_cq_told *told);
void glass_cq_tell(struct glass_cq *cq, const struct glass_cq_told *told);

#endif
