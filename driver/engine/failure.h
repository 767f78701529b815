/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Tells the black box (observe/blackbox.h) and the flight recorder of failures. One failure is
 * noted for each life of an object: from its creation, or the last RESET of a QP.
 */
#ifndef GLASS_ENGINE_FAILURE_H
#define GLASS_ENGINE_FAILURE_H

#include "model/device.h"

/*
 * A QP has a completion in error that is not a flush; it has raised an event; or it went to another
 * state. Call glass_failure_state() before the flush. The caller holds the QP's lock, and no lock
 * of a CQ or SRQ. by_rule: an injection rule raised the event, and nothing else happened.
 */
void glass_failure_cqe(struct glass_qp *qp, const struct glass_cqe *c);
void glass_failure_event(struct glass_qp *qp, enum glass_event ev, bool by_rule);
void glass_failure_state(struct glass_qp *qp, enum glass_qp_state from, enum glass_qp_state to,
			 enum glass_cause cause);

/* A CQ or SRQ has failed. The caller holds no lock. May sleep. */
void glass_failure_cq(struct glass_cq *cq);
void glass_failure_srq(struct glass_srq *srq, enum glass_cause cause);

#endif
