/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Patience: the limit on retries (after an ACK timeout or an RNR NAK) to peers that accept none. A
 * program chooses how soon each QP retries, and how many QPs do. Its retries cost CPU time even
 * while it sleeps. So the timers of all QPs of a process may start one retry every
 * GLASS_PATIENCE_PACE, and GLASS_PATIENCE_BURST at once after a pause. Other retries wait in a
 * queue of the process. After GLASS_PATIENT_ROUNDS retries in a row without success, a QP that gets
 * an RNR NAK always waits in this queue. A retry that the peer accepts does not count, and starts
 * the next retry in the queue at once. So no QP waits long when the peer is back.
 */
#ifndef GLASS_ENGINE_PATIENCE_H
#define GLASS_ENGINE_PATIENCE_H

#include "engine/engine.h"

/*
 * The time for one retry: 80 retries a second. Each costs two turns of the engine, one for the
 * retry and one for its answer: 160 turns a second.
 */
#define GLASS_PATIENCE_PACE (12500 * NSEC_PER_USEC)
#define GLASS_PATIENCE_BURST 16

void glass_patience_init(struct glass_party *p);

/*
 * Called when the QP's timer fires. True: the QP's process has used up its retries. The QP then
 * waits in the queue, and is kicked when its retry may start. False: the caller kicks the QP. Soft
 * interrupt context.
 */
bool glass_patience_postpones(struct glass_qp *qp);

/*
 * Called after an RNR NAK: queues the QP for its next retry, and cancels its own timer. Does
 * nothing for a QP of the kernel. The caller holds the QP's lock.
 */
void glass_patience_wait(struct glass_qp *qp);

/* Is the QP queued for a retry after an RNR NAK? The caller holds the QP's lock. */
static inline bool glass_patience_waits(const struct glass_qp *qp)
{
	return qp->core.req.rnr_wait && !list_empty_careful(&qp->patient_node);
}

/*
 * The peer accepted the last of `tries` consecutive retries: refunds all of them to the process,
 * and lets the next queued QP retry now. The caller holds the QP's lock.
 */
void glass_patience_rewarded(struct glass_qp *qp, u32 tries);

/*
 * Removes the QP from the queue, because it leaves RTS and SQD or is destroyed. The caller holds
 * the QP's lock.
 */
void glass_patience_leave(struct glass_qp *qp);

#endif
