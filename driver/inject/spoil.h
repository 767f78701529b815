/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Packets whose wire bytes an injection rule changes. */
#ifndef GLASS_INJECT_SPOIL_H
#define GLASS_INJECT_SPOIL_H

#include "inject/later.h"

/*
 * Copies a packet and corrupts or truncates the copy, as the rule orders. With crc=good the copy
 * has the fields of the changed bytes, if these are valid. Otherwise the receiving port drops it
 * (glass_pkt.spoilt). NULL: no memory. The caller frees the copy by kfree(). *first: the first
 * flipped bit, counted from the beginning of the corrupted part, plus one; 0: none.
 */
struct glass_waiting *glass_spoil(const struct glass_pkt *pkt, const struct glass_hit *hit,
				  u32 *first);

#endif
