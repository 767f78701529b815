/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Trains: one struct glass_pkt that stands for several packets (glass_pkt.more). */
#ifndef GLASS_WIRE_TRAIN_H
#define GLASS_WIRE_TRAIN_H

#include "wire/packet.h"

/*
 * Extracts packet i (0 .. train->more) of a train into *one: headers and length, without payload
 * (nseg 0). A packet with more 0 is a train of one. Returns 0, or -EINVAL: there is no such packet,
 * or the opcode or length cannot be that of a train.
 */
int glass_train_part(const struct glass_pkt *train, u32 i, struct glass_pkt *one);

#endif
