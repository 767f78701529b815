/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* ACKs and NAKs that an injection rule forges in place of a responder. */
#ifndef GLASS_INJECT_FORGE_H
#define GLASS_INJECT_FORGE_H

#include "model/device.h"
#include "inject/inject.h"

struct glass_run;

/*
 * Answers a request with the NAK, RNR NAK or ACK that the rule orders. `qp` is the QP at this port:
 * the requester if the request leaves the port, the responder if the request has arrived. The port
 * receives the answer to an outgoing request as if it came over the port's cable. The port sends
 * the answer to a request that has arrived as if qp sent it. Returns false if the packet gets no
 * answer: it is multicast or a response, or qp is NULL. May sleep.
 */
bool glass_forge(struct glass_dev *dev, const struct glass_passing *p, u32 port,
		 struct glass_qp *qp, const struct glass_pkt *pkt, struct glass_run *run,
		 const struct glass_hit *hit);

/*
 * Forges a CNP to the sender of a packet of an Ethernet port. The packet is one that `qp` sends or
 * receives, and qp is connected. The packet itself is not changed.
 */
void glass_forge_cnp(struct glass_dev *dev, const struct glass_passing *p, u32 port,
		     struct glass_qp *qp, const struct glass_pkt *pkt, struct glass_run *run,
		     const struct glass_hit *hit);

#endif
