/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Services of the layers above injection: declared here, defined by them (engine/inject_env.c,
 * main.c). A direct call, never a pointer.
 */
#ifndef GLASS_INJECT_ENV_H
#define GLASS_INJECT_ENV_H

#include "model/device.h"

struct glass_run;

/* ---- packets. run: the caller's, or NULL. May sleep, unless said otherwise. */

/* Passes a packet on behind the rules: out by a port, or to its QP. */
void glass_inject_env_send(struct glass_dev *dev, u32 port, const struct glass_pkt *pkt,
			   struct glass_run *run);
void glass_inject_env_deliver(struct glass_dev *dev, u32 port, const struct glass_pkt *pkt,
			      struct glass_run *run);
/*
 * Delivers a packet that a rule forged: it arrives by the cable of a port, or is sent in the name
 * of a QP. pkt->fate is set.
 */
void glass_inject_env_arrive(struct glass_dev *dev, u32 port, const struct glass_pkt *pkt,
			     struct glass_run *run);
void glass_inject_env_send_forged(struct glass_dev *dev, u32 port, const struct glass_qp *qp,
				  struct glass_pkt *pkt, struct glass_run *run);

/* ---- queue pairs */

/*
 * Stop the timers of a QP from freeze to thaw, also while it sends and receives: its clock shows
 * the time of the freeze. Calls nest. They take the QP's lock.
 */
void glass_inject_env_freeze(struct glass_qp *qp);
void glass_inject_env_thaw(struct glass_qp *qp);
/* glass_qp.inject_fail was set: schedules the QP, which then fails. Any context. */
void glass_inject_env_kick(struct glass_qp *qp);

/* ---- completions */

/* Put a late completion into its CQ: as glass_cq_put() and glass_cq_tell() (engine/complete.h). */
bool glass_inject_env_put(struct glass_cq *cq, struct ib_qp *ib, u32 qpn, const struct glass_cqe *c,
			  struct glass_cq_told *told);
void glass_inject_env_tell(struct glass_cq *cq, const struct glass_cq_told *told);

/* ---- faults of objects, of which the caller holds a reference. They take the locks they need and may sleep. */

/*
 * Fail the object: QP fatal, CQ overrun, SRQ error, DEVICE_FATAL (moves all QPs but QP0 and QP1 to
 * ERR).
 */
void glass_inject_env_fail_qp(struct glass_qp *qp);
void glass_inject_env_fail_cq(struct glass_cq *cq);
void glass_inject_env_fail_srq(struct glass_srq *srq);
void glass_inject_env_fail_device(struct glass_dev *dev);
/* Raise an event without a change of state. port 0: an event of the device. */
void glass_inject_env_qp_event(struct glass_qp *qp, enum glass_event ev);
void glass_inject_env_cq_event(struct glass_cq *cq);
void glass_inject_env_srq_event(struct glass_srq *srq, enum glass_event ev);
void glass_inject_env_port_event(struct glass_dev *dev, u32 port, enum ib_event_type ev);
/* Raises the SRQ's limit event, whatever its fill level. */
void glass_inject_env_srq_limit(struct glass_srq *srq);

/* ---- ports: as glass_link_note() and glass_link_changed() (link/link.h) */
void glass_inject_env_port_note(struct glass_link_port *lp, u32 changes);
void glass_inject_env_port_changed(struct glass_link_port *lp, u32 changes);

/* ---- devices */

/*
 * The number of rules that keep the device unplugged (glass_inject.away) changed: unplugs the
 * device or plugs it in again. In a work item.
 */
void glass_inject_env_plug(struct glass_inject *in);

#endif
