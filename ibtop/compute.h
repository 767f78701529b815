/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of compute(), in their order. */
#ifndef IBTOP_COMPUTE_H
#define IBTOP_COMPUTE_H

#include "ibtop/internal.h"

/* Time between the two looks at a row; 0: it has none before. */
double seconds_between(const struct row *row);
/* Does a QP wait for something that may never come, and moved nothing since the refresh before? */
bool qp_stuck(const struct row *qp);
/* Activity, history and peaks, when all rates are there. */
void row_finish(struct model *m, struct row *row);

void compute_waits(struct model *m);  /* waits.c: what QPs wait for, in words */
void compute_sums(struct model *m);   /* sums.c: of processes, devices, contexts and PDs */
void compute_events(struct model *m); /* events.c: what came, went and changed */

#endif
