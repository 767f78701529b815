/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef GLASS_ENGINE_COMPLETE_H
#define GLASS_ENGINE_COMPLETE_H

#include "model/objects.h"

/*
 * Puts a completion into a CQ. `ib` is the completion's QP, which must still exist, and `qpn` is
 * its number. Returns whether the CQ took the completion. Sets in *told which events are due. The
 * caller holds cq->lock, and has cleared *told before its first call. After it has released the
 * lock, the caller passes *told to glass_cq_tell().
 */
bool glass_cq_put(struct glass_cq *cq, struct ib_qp *ib, u32 qpn, const struct glass_cqe *c,
		  struct glass_cq_told *told);
/*
 * Raises the events that are due (*told). If told->notify is set, that is a completion event. If
 * told->overrun is set, queues glass_cq_fail_work(), which moves the CQ's QPs to ERR and raises
 * CQ_ERR. The caller may hold a QP's lock, but not the lock of a CQ.
 */
void glass_cq_tell(struct glass_cq *cq, const struct glass_cq_told *told);

#endif
