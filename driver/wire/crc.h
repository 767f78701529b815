/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The two checksums of a packet: ICRC and VCRC (IBA 7.8). */
#ifndef GLASS_WIRE_CRC_H
#define GLASS_WIRE_CRC_H

#include "wire/shim.h"

#define GLASS_CRC32_INIT 0xffffffffu
#define GLASS_CRC16_INIT 0xffffu

/*
 * Adds `len` bytes to a running CRC-32, and returns its new value. An ICRC starts with the value
 * GLASS_CRC32_INIT. After all bytes, the ICRC is the bitwise inverse of the running value. The
 * polynomial is 0x04C11DB7, with the least significant bit of a byte first.
 */
u32 glass_crc32(u32 crc, const void *data, size_t len);

/*
 * Does the same as glass_crc32() for many bytes, faster. Set once, before the first packet. NULL:
 * there is no faster way.
 */
extern u32 (*glass_crc32_long)(u32 crc, const void *data, size_t len);

/*
 * Returns the ICRC (IBA 7.8.1) of a packet in wire bytes, for glass_crc_put32(). `pkt` points to
 * the LRH. `len` counts all bytes from the LRH to the end of the padding, and must include the
 * whole BTH. The bits of fields that may change on the way count as ones. In a local packet (LNH
 * 2), these fields are the VL and byte 4 of the BTH. In a global packet (LNH 3), these fields are
 * the whole LRH, byte 4 of the BTH, and the GRH's traffic class, flow label and hop limit.
 */
u32 glass_icrc(const u8 *pkt, size_t len);

/*
 * Returns the VCRC (IBA 7.8.2) for glass_crc_put16(). The `len` bytes at `pkt` begin with the LRH
 * and end with the ICRC.
 */
u16 glass_vcrc(const u8 *pkt, size_t len);

/* These functions write and read a CRC as on the wire, where its lowest byte comes first. */
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
