/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Trains: one struct glass_pkt that stands for several packets (glass_pkt.more). */
#ifndef GLASS_WIRE_TRAIN_H
#define GLASS_WIRE_TRAIN_H

#include "wire/packet.h"

/*
 * Writes packet i (0 .. train->more) of a train to *one: headers and length, but no payload (nseg
 * is 0). A packet with `more` 0 is a train of one packet. Returns 0, or -EINVAL if the train has no
 * packet i, or if no train of several packets has this opcode or this length.
 */
int glass_train_part(const struct glass_pkt *train, u32 i, struct glass_pkt *one);

#endif
