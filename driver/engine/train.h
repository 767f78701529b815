/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * How long trains may be. A train consists of up to 16 packets of a message, with at most 64 KiB of payload in all. The
 * engine delivers a train as one packet (glass_pkt.more).
 */
#ifndef GLASS_ENGINE_TRAIN_H
#define GLASS_ENGINE_TRAIN_H

#include "engine/engine.h"
#include "inject/hooks.h"
#include "link/ether.h"
#include "model/device.h"
#include "observe/observe.h"

/* At most this many packets of a train follow the first one. */
#define GLASS_TRAIN_MORE 15

/*
 * Returns how many packets of the QP's next train may follow the first one, so that the train fits into `left`, the
 * remaining budget of the turn; 0 if the QP may send no trains now. At the beginning of a turn, the longest train fits.
 *
 * XRC has no trains: each request packet has an XRCETH, but glass_pkt_words() counts that header only once for a train. A
 * QP that CNPs limit sends its packets evenly, and while an Ethernet port has many bytes on their way, the many QPs
 * that may send one packet more send no train.
 */
static __always_inline u16 glass_train_limit(const struct glass_qp *qp, int left)
{
	const struct glass_pqp *q = &qp->core;
	u32 n;

	if (glass_trace_packets() || glass_injecting() || q->rate.now || q->type == GLASS_QPT_XRC_INI ||
	    q->type == GLASS_QPT_XRC_TGT ||
	    (q->attr.av.ethernet && glass_ether_full(&qp->dev->ports[q->attr.port].link)))
		return 0;
	if (left == GLASS_TURN || !q->attr.mtu)
		return GLASS_TRAIN_MORE;
	n = ((u32)left << 10) / q->attr.mtu;
	return n > GLASS_TRAIN_MORE ? GLASS_TRAIN_MORE : n ? n - 1 : 0;
}

#endif
