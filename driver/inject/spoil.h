/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Changes the wire bytes of a packet, for act=corrupt and act=truncate. */
#ifndef GLASS_INJECT_SPOIL_H
#define GLASS_INJECT_SPOIL_H

#include "inject/later.h"

/*
 * Copies a packet and corrupts or truncates the copy, as the rule orders. With crc=good, the fields
 * of the copy are changed accordingly, if the result is a valid packet. Otherwise, and with
 * crc=bad, the copy has the changed wire bytes, and its pkt.spoilt is the reason for which the
 * receiving port drops it, or GLASS_DROP_NONE. NULL: there is no memory, or the packet cannot be
 * built. The caller frees the copy by kfree(). *first gets the number of the first flipped bit,
 * counted from the beginning of the corrupted part, plus one; 0: none.
 */
struct glass_waiting *glass_spoil(const struct glass_pkt *pkt, const struct glass_hit *hit,
				  u32 *first);

#endif
