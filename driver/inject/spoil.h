/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Packets whose bytes on the wire an injection rule changes. */
#ifndef GLASS_INJECT_SPOIL_H
#define GLASS_INJECT_SPOIL_H

#include "inject/later.h"

/*
 * A copy of the packet as it is after corrupt or truncate. With crc=good it is
 * what its bytes say, as far as they say anything; else, and when they do not, it
 * dies where it arrives (glass_pkt.spoilt). NULL: no memory. To be freed by kfree().
 * *first: the first bit that flipped, from the beginning of that part, plus one; 0: none did.
 */
struct glass_waiting *glass_spoil(const struct glass_pkt *pkt, const struct glass_hit *hit,
				  u32 *first);

#endif
