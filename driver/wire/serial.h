/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Conversion of decoded packets to wire bytes and back. */
#ifndef GLASS_WIRE_SERIAL_H
#define GLASS_WIRE_SERIAL_H

#include "uapi/glass-enums.h"
#include "wire/packet.h"

/* Bytes of the longest headers and of the longest packet that glass_pkt_build() makes. */
#define GLASS_PKT_HDR_MAX                                                                          \
	(GLASS_LRH_BYTES + GLASS_GRH_BYTES + GLASS_BTH_BYTES + GLASS_XRCETH_BYTES +                \
	 GLASS_ATOMICETH_BYTES)
#define GLASS_PKT_WIRE_MAX                                                                         \
	(GLASS_PKT_HDR_MAX + GLASS_MTU_MAX + GLASS_ICRC_BYTES + GLASS_VCRC_BYTES)

/*
 * Writes the wire bytes of a packet, from the LRH to the VCRC. Ignores the values that *p has for
 * the pad count, and for the payload length and next header of the GRH: it computes these values,
 * the packet length and both CRCs. Reserved bits are 0. Returns the number of bytes, or an error:
 * -ENOSPC  `size` is too small
 * -EINVAL  the opcode is not valid; or p->lnh is neither GLASS_LNH_LOCAL nor GLASS_LNH_GLOBAL; or
 *          p->len is above 4096, or is not the sum of the lengths in p->seg[]
 */
int glass_pkt_build(const struct glass_pkt *p, void *buf, size_t size);

/*
 * As glass_pkt_build(), but writes only the headers, from the LRH on, and returns their length.
 * Ignores p->seg[], the pieces of the payload.
 */
int glass_pkt_build_headers(const struct glass_pkt *p, void *buf, size_t size);

/* As glass_pkt_build_headers(), without LRH and GRH: the first byte is the first of the BTH. */
int glass_pkt_build_transport(const struct glass_pkt *p, void *buf, size_t size);

/* Flags of glass_pkt_parse() */
#define GLASS_PARSE_NO_ICRC BIT(0) /* do not verify the ICRC */
#define GLASS_PARSE_NO_VCRC BIT(1) /* do not verify the VCRC */
#define GLASS_PARSE_CUT_VCRC BIT(2) /* the bytes end with the ICRC: there is no VCRC */

/*
 * The bytes are those that glass_pkt_build() has made of a packet of an Ethernet port: its LIDs are
 * 0, and its next header becomes GLASS_NEXT_HDR_UDP.
 */
#define GLASS_PARSE_ETHERNET BIT(3)

/*
 * Decodes `len` wire bytes, from the LRH to the VCRC (or to the ICRC, see `flags`). The bytes may
 * come from any source. If they are a valid packet, returns 0: *p is the packet, and *why is
 * GLASS_DROP_NONE. The payload of *p is one piece, *seg, which points into `buf`. If there is no
 * payload, p->nseg is 0. If the bytes are not a valid packet, returns -EINVAL: *why is the reason,
 * and *p and *seg are undefined.
 *
 * Checks both CRCs (see `flags`), all lengths, versions, LID ranges and the opcode. Does not check
 * the P_Key and the PSN, nor whether the opcode allows a payload of this size: these checks need a
 * QP.
 */
int glass_pkt_parse(struct glass_pkt *p, struct glass_seg *seg, const void *buf, size_t len,
		    u32 flags, enum glass_drop *why);

/*
 * Decodes and checks the len bytes from the BTH to the padding, which are at least
 * GLASS_BTH_BYTES. Leaves the fields of LRH and GRH as they are. Returns GLASS_DROP_NONE, or the
 * reason to drop the packet.
 */
enum glass_drop glass_pkt_parse_transport(struct glass_pkt *p, struct glass_seg *seg, const u8 *b,
					  size_t len);

/*
 * Copies up to len bytes of the payload, from offset `off` on. Returns the number of bytes copied.
 */
u32 glass_pkt_copy_payload(const struct glass_pkt *p, u32 off, void *buf, u32 len);

#endif
