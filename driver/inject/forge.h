/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Answers that injection rules give in the place of a responder. */
#ifndef GLASS_INJECT_FORGE_H
#define GLASS_INJECT_FORGE_H

#include "model/device.h"
#include "inject/inject.h"

struct glass_run;

/*
 * Answers a request with the NAK, RNR NAK or ACK that the rule wants. One that was
 * hit on its way out is answered as if the answer came in by the cable, one that
 * arrived as if its QP sent it. qp: whose packet it is. False: nobody can be
 * answered, as for multicast.
 */
bool glass_forge(struct glass_dev *dev, const struct glass_passing *p, u32 port,
		 struct glass_qp *qp, const struct glass_pkt *pkt, struct glass_run *run,
		 const struct glass_hit *hit);

#endif
