/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Answers that injection rules forge in place of a responder. */
#ifndef GLASS_INJECT_FORGE_H
#define GLASS_INJECT_FORGE_H

#include "model/device.h"
#include "inject/inject.h"

struct glass_run;

/*
 * Answers a request with the NAK, RNR NAK or ACK that the rule orders. For an outgoing request the
 * answer arrives over the cable of the port. For one that arrived, it leaves the port as if the
 * responder QP sent it. qp: the QP at this port, requester or responder. False: the packet cannot
 * be answered: it is multicast or a response. May sleep.
 */
bool glass_forge(struct glass_dev *dev, const struct glass_passing *p, u32 port,
		 struct glass_qp *qp, const struct glass_pkt *pkt, struct glass_run *run,
		 const struct glass_hit *hit);

#endif
