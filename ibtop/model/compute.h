/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of compute(), in order of execution. */
#ifndef IBTOP_MODEL_COMPUTE_H
#define IBTOP_MODEL_COMPUTE_H

#include "ibtop/model/snapshot.h"

/*
 * Does the QP wait for something that may never happen, without progress since the previous
 * refresh?
 */
bool qp_stuck(const struct row *qp);

void compute_waits(struct model *m);  /* waits.c: texts for what QPs wait for */
void compute_sums(struct model *m);   /* sums.c: totals of processes, devices, contexts and PDs */
void compute_port_errors(struct model *m); /* fabric.c: before the rates */
void compute_fabric(struct model *m); /* fabric.c: sums of nodes and cables, after the rates */
void compute_events(struct model *m); /* events.c: new, gone and changed objects */

#endif
