/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Trains (struct glass_pkt.more) and the packets that they stand for. */
#ifndef GLASS_WIRE_TRAIN_H
#define GLASS_WIRE_TRAIN_H

#include "wire/packet.h"

/*
 * Extracts packet i (0 .. train->more) of a train into *one: headers and length, without payload
 * (nseg 0). A packet that is no train is a train of one. Returns 0, or -EINVAL: no such packet, or
 * lengths that fit no path MTU.
 */
int glass_train_part(const struct glass_pkt *train, u32 i, struct glass_pkt *one);

#endif
