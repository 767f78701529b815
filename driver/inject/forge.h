/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Answers that injection rules forge in place of a responder. */
#ifndef GLASS_INJECT_FORGE_H
#define GLASS_INJECT_FORGE_H

#include "model/device.h"
#include "inject/inject.h"

struct glass_run;

/*
 * Answers a request with the rule's NAK, RNR NAK or ACK. For an outgoing request the answer arrives
 * by the cable; for one that arrived, the responder QP seems to send it. qp: the QP that the packet
 * passes. False: no QP can be answered, as for multicast.
 */
bool glass_forge(struct glass_dev *dev, const struct glass_passing *p, u32 port,
		 struct glass_qp *qp, const struct glass_pkt *pkt, struct glass_run *run,
		 const struct glass_hit *hit);

#endif
