/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Packets whose wire bytes an injection rule changes. */
#ifndef GLASS_INJECT_SPOIL_H
#define GLASS_INJECT_SPOIL_H

#include "inject/later.h"

/*
 * Copies a packet and corrupts or truncates the copy. With crc=good the copy is decoded from its
 * new bytes if they are valid. Otherwise it is dropped on arrival (glass_pkt.spoilt). NULL: no
 * memory. The caller frees it by kfree(). *first: the first flipped bit, counted from the beginning
 * of the part, plus one; 0: none.
 */
struct glass_waiting *glass_spoil(const struct glass_pkt *pkt, const struct glass_hit *hit,
				  u32 *first);

#endif
