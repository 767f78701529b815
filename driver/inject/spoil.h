/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Changes the wire bytes of a packet, for act=corrupt and act=truncate. */
#ifndef GLASS_INJECT_SPOIL_H
#define GLASS_INJECT_SPOIL_H

#include "inject/later.h"

/*
 * Copies a packet, and corrupts or truncates the copy as the rule orders. With crc=good, the fields
 * of the copy have the changed values, provided that the result is a valid packet. In all other
 * cases, the copy has the changed wire bytes, and its pkt.spoilt is the reason why the receiving
 * port drops it; GLASS_DROP_NONE means that the port does not drop it.
 *
 * Sets *first to 1 plus the number of the bit that was flipped first, counted from the beginning of
 * the corrupted part. Sets *first to 0 if no bit was flipped. Returns the copy, which the caller
 * frees by kfree(). Returns NULL if there is no memory, or if the packet cannot be built.
 */
struct glass_waiting *glass_spoil(const struct glass_pkt *pkt, const struct glass_hit *hit,
				  u32 *first);

#endif
