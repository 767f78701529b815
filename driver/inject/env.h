/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Functions of the layers above injection that injection calls. They are declared here and defined
 * there (engine/inject_env.c, engine/complete.c, main.c).
 */
#ifndef GLASS_INJECT_ENV_H
#define GLASS_INJECT_ENV_H

#include "model/device.h"

struct glass_run;

/* ---- packets. run: the caller's, which runs QPs that get work; NULL: lanes do. May sleep. */

/* Pass a packet on after the rules: from the port to its link, or from the port to its QP. */
void glass_inject_env_send(struct glass_dev *dev, u32 port, const struct glass_pkt *pkt,
			   struct glass_run *run);
void glass_inject_env_deliver(struct glass_dev *dev, u32 port, const struct glass_pkt *pkt,
			      struct glass_run *run);
/*
 * Pass on a packet that a rule forged, with pkt->fate set: as if it arrived over the cable of the
 * port, or as if qp sent it.
 */
void glass_inject_env_arrive(struct glass_dev *dev, u32 port, const struct glass_pkt *pkt,
			     struct glass_run *run);
void glass_inject_env_send_forged(struct glass_dev *dev, u32 port, const struct glass_qp *qp,
				  struct glass_pkt *pkt, struct glass_run *run);

/* ---- queue pairs */

/*
 * Stop the timers of a QP from freeze to thaw, although it may send and receive meanwhile: its
 * clock shows the time of the freeze. Freezes nest. Both take the QP's lock.
 */
void glass_inject_env_freeze(struct glass_qp *qp);
void glass_inject_env_thaw(struct glass_qp *qp);
/* glass_qp.inject_fail was set: schedules the QP, which then fails. Any context. */
void glass_inject_env_kick(struct glass_qp *qp);

/* ---- completions */

/* glass_cq_put() and glass_cq_tell() (engine/complete.h): put a late completion into its CQ. */
bool glass_inject_env_put(struct glass_cq *cq, struct ib_qp *ib, u32 qpn, const struct glass_cqe *c,
			  struct glass_cq_told *told);
void glass_inject_env_tell(struct glass_cq *cq, const struct glass_cq_told *told);

/*
 * ---- faults of objects. The caller holds a reference to the object. The functions take the locks
 * that they need, and may sleep.
 */

/*
 * Fail the object with its event: QP_FATAL, CQ_ERR (as by an overrun), SRQ_ERR, DEVICE_FATAL (all
 * QPs but QP0 and QP1 go to ERR).
 */
void glass_inject_env_fail_qp(struct glass_qp *qp);
void glass_inject_env_fail_cq(struct glass_cq *cq);
void glass_inject_env_fail_srq(struct glass_srq *srq);
void glass_inject_env_fail_device(struct glass_dev *dev);
/* Raise an event and change nothing else. port 0: an event of the device. */
void glass_inject_env_qp_event(struct glass_qp *qp, enum glass_event ev);
void glass_inject_env_cq_event(struct glass_cq *cq);
void glass_inject_env_srq_event(struct glass_srq *srq, enum glass_event ev);
void glass_inject_env_port_event(struct glass_dev *dev, u32 port, enum ib_event_type ev);
/* Raises SRQ_LIMIT_REACHED, however many receives the SRQ has. */
void glass_inject_env_srq_limit(struct glass_srq *srq);

/* ---- ports: as glass_link_note() and glass_link_changed() (link/link.h) */
void glass_inject_env_port_note(struct glass_link_port *lp, u32 changes);
void glass_inject_env_port_changed(struct glass_link_port *lp, u32 changes);

/* ---- devices */

/*
 * Unplugs the device if rules keep it unplugged (glass_inject.away), or plugs it in again if none
 * does. glass_inject.plug calls it after `away` changed. May sleep.
 */
void glass_inject_env_plug(struct glass_inject *in);

#endif
