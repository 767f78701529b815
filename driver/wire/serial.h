/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Conversion of decoded packets to wire bytes and back. */
#ifndef GLASS_WIRE_SERIAL_H
#define GLASS_WIRE_SERIAL_H

#include "uapi/glass-enums.h"
#include "wire/packet.h"

/* The longest header and the longest packet that glass_pkt_build() makes */
#define GLASS_PKT_HDR_MAX                                                                          \
	(GLASS_LRH_BYTES + GLASS_GRH_BYTES + GLASS_BTH_BYTES + GLASS_XRCETH_BYTES +                \
	 GLASS_ATOMICETH_BYTES)
#define GLASS_PKT_WIRE_MAX                                                                         \
	(GLASS_PKT_HDR_MAX + GLASS_MTU_MAX + GLASS_ICRC_BYTES + GLASS_VCRC_BYTES)

/*
 * Writes the wire bytes of a packet, LRH to VCRC. Computes packet length, GRH payload length, IP
 * version, pad count and both CRCs, and ignores those in *p; reserved bits are 0. Returns the
 * number of bytes, or -ENOSPC: size is too small, or -EINVAL: the opcode is not valid, the packet
 * is not IBA transport, or the payload is longer than 4096 bytes or not the sum of its pieces.
 */
int glass_pkt_build(const struct glass_pkt *p, void *buf, size_t size);

/*
 * Writes only the headers, as glass_pkt_build(). Returns their length, or the same errors; does not
 * check the pieces of the payload.
 */
int glass_pkt_build_headers(const struct glass_pkt *p, void *buf, size_t size);

/* Flags of glass_pkt_parse() */
#define GLASS_PARSE_NO_ICRC BIT(0) /* do not verify the ICRC */
#define GLASS_PARSE_NO_VCRC BIT(1) /* do not verify the VCRC */

/*
 * Decodes len wire bytes, LRH to VCRC, of any origin. Returns 0 and fills *p: the payload is one
 * piece, *seg, which points into buf (nseg 0 if there is none). Or returns -EINVAL with the reason
 * in *why; *p and *seg are then undefined. Checks both CRCs (see flags), all lengths, versions, LID
 * ranges and the opcode. Does not check what depends on a QP: payload that the opcode may not have,
 * a wrong size, P_Key, PSN.
 */
int glass_pkt_parse(struct glass_pkt *p, struct glass_seg *seg, const void *buf, size_t len,
		    u32 flags, enum glass_drop *why);

/* Copies up to len bytes of the payload, from offset off on. Returns how many it copied. */
u32 glass_pkt_copy_payload(const struct glass_pkt *p, u32 off, void *buf, u32 len);

#endif
