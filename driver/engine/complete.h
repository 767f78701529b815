/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef GLASS_ENGINE_COMPLETE_H
#define GLASS_ENGINE_COMPLETE_H

#include "model/objects.h"

/*
 * Puts a completion into a CQ. ib: the completion's QP, which still exists. Returns whether the CQ
 * took the completion. The caller holds cq->lock. After it has released cq->lock, it calls
 * glass_cq_tell() with the same *told, which is all zero at first.
 */
bool glass_cq_put(struct glass_cq *cq, struct ib_qp *ib, u32 qpn, const struct glass_cqe *c,
		  struct glass_cq_told *told);
/* Raises the completion event, or starts the failure of a CQ that overran, as *told says. */
void glass_cq_tell(struct glass_cq *cq, const struct glass_cq_told *told);

#endif
