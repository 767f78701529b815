/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The two checksums of a packet: ICRC and VCRC (IBA 7.8). */
#ifndef GLASS_WIRE_CRC_H
#define GLASS_WIRE_CRC_H

#include "wire/shim.h"

#define GLASS_CRC32_INIT 0xffffffffu
#define GLASS_CRC16_INIT 0xffffu

/*
 * Extends the CRC of the ICRC by len bytes, and returns it. The first crc is GLASS_CRC32_INIT. The
 * ICRC is the inverse of the last one. The polynomial is 0x04C11DB7, with the least significant bit
 * of a byte first.
 */
u32 glass_crc32(u32 crc, const void *data, size_t len);

/*
 * Returns the ICRC (IBA 7.8.1) of a packet in wire bytes, for glass_crc_put32(). pkt points to the
 * LRH. The ICRC covers len bytes: all from the LRH to the padding, at least to the end of the BTH.
 * Bits of fields that may change on the way count as ones. In a local packet (LNH 2), these fields
 * are the VL and byte 4 of the BTH. In a global packet (LNH 3), they are the whole LRH, byte 4 of
 * the BTH, and the GRH's traffic class, flow label and hop limit.
 */
u32 glass_icrc(const u8 *pkt, size_t len);

/* Returns the VCRC (IBA 7.8.2) of the bytes from the LRH to the ICRC, for glass_crc_put16(). */
u16 glass_vcrc(const u8 *pkt, size_t len);

/* On the wire, the lowest byte of a CRC comes first. */
static inline void glass_crc_put32(u32 crc, u8 *p)
{
	p[0] = crc;
	p[1] = crc >> 8;
	p[2] = crc >> 16;
	p[3] = crc >> 24;
}

static inline void glass_crc_put16(u16 crc, u8 *p)
{
	p[0] = crc;
	p[1] = crc >> 8;
}

static inline u32 glass_crc_get32(const u8 *p)
{
	return (u32)p[3] << 24 | (u32)p[2] << 16 | (u32)p[1] << 8 | p[0];
}

static inline u16 glass_crc_get16(const u8 *p)
{
	return (u16)(p[1] << 8 | p[0]);
}

#endif
