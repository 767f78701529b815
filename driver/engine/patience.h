/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Patience: QPs whose peer does not answer, or refuses every try with an RNR NAK. The program chooses how soon each
 * tries again, and how many QPs do so; it need not run for that. So the timers of a process may start one try every
 * GLASS_PATIENCE_PACE, and GLASS_PATIENCE_BURST at once after a pause; the others wait for their turn. Tries that are
 * answered do not count. From GLASS_PATIENT_ROUNDS tries in vain on a QP waits for such a turn in any case. A try
 * that is answered lets the next go at once: when the peer is back, none waits in vain.
 */
#ifndef GLASS_ENGINE_PATIENCE_H
#define GLASS_ENGINE_PATIENCE_H

#include "engine/engine.h"

/* Each try is two turns, that of the peer's answer too: 160 a second. */
#define GLASS_PATIENCE_PACE (12500 * NSEC_PER_USEC)
#define GLASS_PATIENCE_BURST 16

void glass_patience_init(struct glass_party *p);

/*
 * The QP's timer fired. True: its process has used up its tries; the QP is kicked when it has its turn. Soft interrupt
 * context.
 */
bool glass_patience_postpones(struct glass_qp *qp);

/* The QP waits for its next try from here on; its own timer does not run. The caller holds the QP's lock. */
void glass_patience_wait(struct glass_qp *qp);

/* Does it, and is its try still to come? The caller holds the QP's lock. */
static inline bool glass_patience_waits(const struct glass_qp *qp)
{
	return qp->core.req.rnr_wait && !list_empty_careful(&qp->patient_node);
}

/* The last of so many tries was answered: none of them counts. The caller holds the QP's lock. */
void glass_patience_rewarded(struct glass_qp *qp, u32 tries);

/* The QP sends no more, or is destroyed: it makes no try. The caller holds the QP's lock. */
void glass_patience_leave(struct glass_qp *qp);

#endif
