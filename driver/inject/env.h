/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The functions by which injection calls the layers above it. These layers define the functions, in
 * engine/inject_env.c, engine/complete.c and hca/hca.c.
 */
#ifndef GLASS_INJECT_ENV_H
#define GLASS_INJECT_ENV_H

#include "model/device.h"

struct glass_run;

/*
 * ---- packets. `run` is the caller's list of QPs to run next (engine/engine.h). These functions
 * put each QP that gets new work on this list. If `run` is NULL, lanes (engine/lane.h) run the QP.
 * These functions may sleep.
 */

/*
 * Pass on a packet after the rules have seen it. glass_inject_env_send() sends it from the port
 * over the port's link. glass_inject_env_deliver() delivers it from the port to its destination QP,
 * or to the members of its multicast group.
 */
void glass_inject_env_send(struct glass_dev *dev, u32 port, const struct glass_pkt *pkt,
			   struct glass_run *run);
void glass_inject_env_deliver(struct glass_dev *dev, u32 port, const struct glass_pkt *pkt,
			      struct glass_run *run);
/*
 * Pass on a packet that a rule forged. The caller has set pkt->fate. glass_inject_env_arrive() lets
 * the port receive the packet as if it came over the port's cable. glass_inject_env_send_forged()
 * lets the port send the packet as if it came from qp.
 */
void glass_inject_env_arrive(struct glass_dev *dev, u32 port, const struct glass_pkt *pkt,
			     struct glass_run *run);
void glass_inject_env_send_forged(struct glass_dev *dev, u32 port, const struct glass_qp *qp,
				  struct glass_pkt *pkt, struct glass_run *run);

/*
 * Of Ethernet ports: the packet counts as one that a switch has marked (CE); and a connected QP
 * sends a CNP to its peer, or fills one, whose payload is *seg.
 */
void glass_inject_env_marked(struct glass_dev *dev, u32 port, const struct glass_pkt *pkt,
			     struct glass_run *run);
void glass_inject_env_send_cnp(struct glass_qp *qp, struct glass_run *run);
void glass_inject_env_build_cnp(struct glass_qp *qp, struct glass_pkt *cnp, struct glass_seg *seg);

/* ---- queue pairs */

/*
 * glass_inject_env_freeze() stops the timers of a QP until glass_inject_env_thaw(). The QP still
 * sends and receives, but glass_qp_now() returns the time of the freeze. If a QP was frozen several
 * times, its timers start again after the same number of thaws. Both functions take the QP's lock.
 */
void glass_inject_env_freeze(struct glass_qp *qp);
void glass_inject_env_thaw(struct glass_qp *qp);
/* Schedules a QP. The caller has set qp->inject_fail, so the QP fails when it runs. Any context. */
void glass_inject_env_kick(struct glass_qp *qp);

/* ---- completions */

/*
 * glass_inject_env_put() puts a late completion into its CQ by glass_cq_put().
 * glass_inject_env_tell() raises the CQ's event by glass_cq_tell(). engine/complete.h describes
 * both.
 */
bool glass_inject_env_put(struct glass_cq *cq, struct ib_qp *ib, u32 qpn, const struct glass_cqe *c,
			  struct glass_cq_told *told);
void glass_inject_env_tell(struct glass_cq *cq, const struct glass_cq_told *told);

/*
 * ---- faults of objects. The caller holds a reference to the object, or keeps the device
 * registered. The functions take the locks that they need, and may sleep.
 */

/*
 * Make an object or the device fail, and raise an event:
 * - A QP goes to ERR. The event is QP_FATAL.
 * - A CQ fails as after an overrun. The event is CQ_ERR.
 * - The QPs of an SRQ go to ERR. The event is SRQ_ERR.
 * - All QPs of a device except QP0 and QP1 go to ERR. The event is DEVICE_FATAL.
 */
void glass_inject_env_fail_qp(struct glass_qp *qp);
void glass_inject_env_fail_cq(struct glass_cq *cq);
void glass_inject_env_fail_srq(struct glass_srq *srq);
void glass_inject_env_fail_device(struct glass_dev *dev);
/*
 * Raise an event and change nothing else. The event of a CQ is CQ_ERR. If `port` is 0,
 * glass_inject_env_port_event() raises an event of the device.
 */
void glass_inject_env_qp_event(struct glass_qp *qp, enum glass_event ev);
void glass_inject_env_cq_event(struct glass_cq *cq);
void glass_inject_env_srq_event(struct glass_srq *srq, enum glass_event ev);
void glass_inject_env_port_event(struct glass_dev *dev, u32 port, enum ib_event_type ev);
/* Disarms the SRQ's limit and raises SRQ_LIMIT_REACHED, however many receives the SRQ has. */
void glass_inject_env_srq_limit(struct glass_srq *srq);

/* ---- ports: these functions call glass_link_note() and glass_link_changed() (link/link.h) */
void glass_inject_env_port_note(struct glass_link_port *lp, u32 changes);
void glass_inject_env_port_changed(struct glass_link_port *lp, u32 changes);

/* ---- devices */

/*
 * Unplugs the device if glass_inject.away is not 0, else plugs it in again. Does nothing if the
 * platform device is being removed. The work glass_inject.plug calls this function after each
 * change of `away`. May sleep.
 */
void glass_inject_env_plug(struct glass_inject *in);

#endif
