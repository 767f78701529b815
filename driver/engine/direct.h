/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The direct way: a request of an RC QP, and the answer that its peer on this host has at once, go from
 * one QP to the other under the locks of both. Both QPs, memory, counters and the flight recorder come
 * to be as by glass_port_send(), but the answer needs no turn of the peer. So do datagrams.
 */
#ifndef GLASS_ENGINE_DIRECT_H
#define GLASS_ENGINE_DIRECT_H

#include "engine/lane.h"
#include "model/strict.h"
#include "observe/hops.h"
#include "observe/observe.h"

/*
 * May the next packet of qp take the direct way? Not while an observer wants the hops of packets, or a
 * behaviour of strict mode may stop them: that costs static branches.
 * Not before what the QP owes its peer. And only between programs: the handlers of kernel consumers would run
 * under the locks of both QPs.
 */
static inline bool glass_direct_may(const struct glass_qp *qp)
{
	const struct glass_pqp *q = &qp->core;

	if (q->type == GLASS_QPT_RC ? q->attr.mig_state || q->attr.av.has_grh || glass_resp_owed(q) : q->type != GLASS_QPT_UD)
		return false;
	return q->is_user && q->req.cur != q->req.head && !glass_hops_wanted() && !glass_strict_any();
}

enum glass_direct {
	GLASS_DIRECT_NO, /* the next packet cannot take the direct way, and nothing has happened */
	GLASS_DIRECT_PACKET, /* run->tx has the next packet, and the caller sends it by glass_port_send() */
	GLASS_DIRECT_DONE, /* a request has passed, and the answer to it, if the peer gave one at once */
};

/*
 * Passes the QP's next request to its peer, if it is a single one (proto/single.h), and glass_direct_may()
 * allows. Reduces *left by what request and answer cost of the turn's budget: the requester pays for its answer.
 * `now` is glass_qp_now(qp). The caller has the turn of the QP, and holds qp->lock, which may be dropped
 * and taken again. Process context. _connected() is for RC QPs, _datagram() for UD.
 */
enum glass_direct glass_direct_connected(struct glass_qp *qp, struct glass_run *run, int *left, u64 now);
enum glass_direct glass_direct_datagram(struct glass_qp *qp, struct glass_run *run, int *left, u64 now);

static inline enum glass_direct glass_direct_next(struct glass_qp *qp, struct glass_run *run, int *left, u64 now)
{
	return qp->core.type == GLASS_QPT_RC ? glass_direct_connected(qp, run, left, now) :
					       glass_direct_datagram(qp, run, left, now);
}

/* May a packet that the core has made for qp take the direct way? */
static inline bool glass_direct_may_packet(const struct glass_qp *qp)
{
	const struct glass_pqp *q = &qp->core;

	return q->type == GLASS_QPT_RC && q->is_user && !q->attr.mig_state && !q->attr.av.has_grh &&
	       !glass_hops_wanted() && !glass_strict_any();
}

/*
 * Passes the packet or train in run->tx, which the core has made for this turn of the QP, to the peer; and, if it is the
 * QP's last request, the answer that the peer gives at once. The caller has asked glass_direct_may_packet(). Returns
 * false if it has to send the packet by glass_port_send(); nothing has happened then. Else as glass_direct_connected(),
 * after GLASS_DIRECT_DONE.
 */
bool glass_direct_packet(struct glass_qp *qp, struct glass_run *run, int *left, u64 now);

#endif
