/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Patience: a limit on the retries of a process (after ACK timeouts and RNR NAKs) while peers
 * accept none of them. A program chooses how soon a QP retries, and how many QPs retry, and the
 * retries cost CPU time even while the program sleeps.
 *
 * Therefore the timers of all QPs of a process together may start one retry every 12.5 ms
 * (GLASS_PATIENCE_PACE). After a pause, they may start up to GLASS_PATIENCE_BURST retries at once.
 * Other retries wait in a queue of the process. After GLASS_PATIENT_ROUNDS retries in a row without
 * success, a QP that gets an RNR NAK always waits in this queue.
 *
 * A retry that the peer accepts does not count, and makes the next QP in the queue retry at once.
 * So no QP waits long when its peer accepts packets again.
 */
#ifndef GLASS_ENGINE_PATIENCE_H
#define GLASS_ENGINE_PATIENCE_H

#include "engine/engine.h"

/*
 * A process may make one retry in this many ns on average: 80 retries a second. Each retry costs
 * two turns (engine.h), one for the retry and one for its answer: at most 160 turns a second.
 */
#define GLASS_PATIENCE_PACE (12500 * NSEC_PER_USEC)
#define GLASS_PATIENCE_BURST 16

/* Initializes the queue and the timer of a new party. */
void glass_patience_init(struct glass_party *p);

/*
 * Called when the QP's timer fires. Returns true if the QP's process has used up its retries for
 * now. In that case the QP waits in the queue, and is kicked when its retry may start. A dead QP is
 * not queued. Returns false if the caller must kick the QP. Soft interrupt context.
 */
bool glass_patience_postpones(struct glass_qp *qp);

/*
 * Called after an RNR NAK that follows at least GLASS_PATIENT_ROUNDS retries in a row. Queues the
 * QP for its next retry, and cancels glass_qp.timer. Does nothing if the QP is dead or belongs to a
 * kernel consumer. The caller holds the QP's lock.
 */
void glass_patience_wait(struct glass_qp *qp);

/* Is the QP queued for a retry after an RNR NAK? The caller holds the QP's lock. */
static inline bool glass_patience_waits(const struct glass_qp *qp)
{
	return qp->core.req.rnr_wait && !list_empty_careful(&qp->patient_node);
}

/*
 * Called when the peer has accepted the last of `tries` consecutive retries. Removes the QP from
 * the queue, refunds these retries to the process, and lets the next queued QP retry now. The
 * caller holds the QP's lock.
 */
void glass_patience_rewarded(struct glass_qp *qp, u32 tries);

/*
 * Removes the QP from the queue, because it is no longer in RTS or SQD, or is being destroyed. The
 * caller holds the QP's lock.
 */
void glass_patience_leave(struct glass_qp *qp);

#endif
