/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Patience limits retries to peers that do not answer, or refuse every try with an RNR NAK. A
 * program chooses how soon each QP retries, and how many QPs do; it need not run for that. So the
 * timers of a process may start one retry every GLASS_PATIENCE_PACE, and GLASS_PATIENCE_BURST at
 * once after a pause; other retries wait for their turn. Answered retries do not count. After
 * GLASS_PATIENT_ROUNDS unanswered retries a QP always waits for such a turn. An answered retry lets
 * the next one go at once: when the peer is back, no QP waits in vain.
 */
#ifndef GLASS_ENGINE_PATIENCE_H
#define GLASS_ENGINE_PATIENCE_H

#include "engine/engine.h"

/* A retry takes two turns, its own and the peer's answer: 160 turns a second. */
#define GLASS_PATIENCE_PACE (12500 * NSEC_PER_USEC)
#define GLASS_PATIENCE_BURST 16

void glass_patience_init(struct glass_party *p);

/*
 * Called when the QP's timer fires. True: its process has used up its retries, and the QP is kicked
 * when its turn comes. Soft interrupt context.
 */
bool glass_patience_postpones(struct glass_qp *qp);

/* Queues the QP for its next retry; its own timer does not run. The caller holds the QP's lock. */
void glass_patience_wait(struct glass_qp *qp);

/*
 * Does the QP wait for such a turn, with its retry still to come? The caller holds the QP's lock.
 */
static inline bool glass_patience_waits(const struct glass_qp *qp)
{
	return qp->core.req.rnr_wait && !list_empty_careful(&qp->patient_node);
}

/*
 * The peer answered the last of these retries: none of them counts. The caller holds the QP's lock.
 */
void glass_patience_rewarded(struct glass_qp *qp, u32 tries);

/* Cancels the QP's retry: it sends no more, or is destroyed. The caller holds the QP's lock. */
void glass_patience_leave(struct glass_qp *qp);

#endif
