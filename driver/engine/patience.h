/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Patience limits retries to peers that do not answer, or refuse every try with an RNR NAK. A
 * program chooses how soon each QP retries, and how many QPs do. Its retries cost CPU time even
 * while it sleeps. So the timers of a process may start one retry every GLASS_PATIENCE_PACE, and
 * GLASS_PATIENCE_BURST at once after a pause. Other retries wait in the queue of the process. A QP
 * with more than GLASS_PATIENT_ROUNDS unanswered retries always waits there. Answered retries do
 * not count. An answered retry starts the next one in the queue at once, so that no QP waits long
 * when the peer is back.
 */
#ifndef GLASS_ENGINE_PATIENCE_H
#define GLASS_ENGINE_PATIENCE_H

#include "engine/engine.h"

/* 80 retries a second; each costs two turns of the engine (the retry, the answer): 160 turns. */
#define GLASS_PATIENCE_PACE (12500 * NSEC_PER_USEC)
#define GLASS_PATIENCE_BURST 16

void glass_patience_init(struct glass_party *p);

/*
 * Called when the QP's timer fires. True: its process has used up its retries; the QP is queued,
 * and kicked when its retry may start. Soft interrupt context.
 */
bool glass_patience_postpones(struct glass_qp *qp);

/* Queues the QP for its next retry; its own timer does not run. The caller holds the QP's lock. */
void glass_patience_wait(struct glass_qp *qp);

/* Is the QP queued for a retry after an RNR NAK? The caller holds the QP's lock. */
static inline bool glass_patience_waits(const struct glass_qp *qp)
{
	return qp->core.req.rnr_wait && !list_empty_careful(&qp->patient_node);
}

/*
 * The peer answered the last of `tries` consecutive retries: none of them counts. The caller holds
 * the QP's lock.
 */
void glass_patience_rewarded(struct glass_qp *qp, u32 tries);

/* Cancels the QP's retry: it sends no more, or is destroyed. The caller holds the QP's lock. */
void glass_patience_leave(struct glass_qp *qp);

#endif
