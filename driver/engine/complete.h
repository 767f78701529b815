/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef GLASS_ENGINE_COMPLETE_H
#define GLASS_ENGINE_COMPLETE_H

#include "model/objects.h"

/*
 * Puts a completion into its CQ. ib: its QP, which still exists. The caller holds cq->lock, and
 * calls glass_cq_tell() after it releases it. Returns whether the CQ took the completion.
 */
bool glass_cq_put(struct glass_cq *cq, struct ib_qp *ib, u32 qpn, const struct glass_cqe *c,
		  struct glass_cq_told *told);
void glass_cq_tell(struct glass_cq *cq, const struct glass_cq_told *told);

#endif
