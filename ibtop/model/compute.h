/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of compute(), in their order. */
#ifndef IBTOP_MODEL_COMPUTE_H
#define IBTOP_MODEL_COMPUTE_H

#include "ibtop/model/snapshot.h"

/* Does a QP wait for something that may never come, and moved nothing since the refresh before? */
bool qp_stuck(const struct row *qp);

void compute_waits(struct model *m);  /* waits.c: what QPs wait for, in words */
void compute_sums(struct model *m);   /* sums.c: of processes, devices, contexts and PDs */
void compute_events(struct model *m); /* events.c: what came, went and changed */

#endif
