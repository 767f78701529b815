/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The two checksums of a packet: ICRC and VCRC (IBA 7.8). */
#ifndef GLASS_WIRE_CRC_H
#define GLASS_WIRE_CRC_H

#include "wire/shim.h"

#define GLASS_CRC32_INIT 0xffffffffu
#define GLASS_CRC16_INIT 0xffffu

/*
 * Continues the ICRC's CRC over len bytes, without the inversion at the end. Start with
 * GLASS_CRC32_INIT. Polynomial 0x04C11DB7, least significant bit of a byte first.
 */
u32 glass_crc32(u32 crc, const void *data, size_t len);

/*
 * ICRC (IBA 7.8.1) of a packet of wire bytes. pkt points to its LRH; len is the number of bytes
 * that the ICRC covers (LRH to padding), and includes at least the BTH. Fields that may change on
 * the way count as ones. In a local packet (LNH 2) these are the VL and the BTH's byte 4. In a
 * global one (LNH 3) these are the whole LRH, traffic class, flow label, hop limit and the BTH's
 * byte 4. Write the value with glass_crc_put32().
 */
u32 glass_icrc(const u8 *pkt, size_t len);

/* VCRC (IBA 7.8.2) over LRH to ICRC, both included. Write the value with glass_crc_put16(). */
u16 glass_vcrc(const u8 *pkt, size_t len);

/* CRCs are on the wire lowest byte first. */
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
