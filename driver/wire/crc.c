// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The checksums of a packet: ICRC and VCRC. */
#include "wire/crc.h"
#include "wire/crctab.h"
#include "wire/packet.h"

/* For fewer bytes than this, glass_crc32_long() does not pay. */
#define LONG_BYTES 128

u32 (*glass_crc32_long)(u32 crc, const void *data, size_t len);

u32 glass_crc32(u32 crc, const void *data, size_t len)
{
	const u8 *p = data;

	if (len >= LONG_BYTES && glass_crc32_long)
		return glass_crc32_long(crc, data, len);
	for (; len >= 4; len -= 4, p += 4) {
		crc ^= glass_crc_get32(p);
		crc = glass_crc32_tab[3][crc & 0xff] ^ glass_crc32_tab[2][crc >> 8 & 0xff] ^
		      glass_crc32_tab[1][crc >> 16 & 0xff] ^ glass_crc32_tab[0][crc >> 24];
	}
	for (; len; len--)
		crc = crc >> 8 ^ glass_crc32_tab[0][(crc ^ *p++) & 0xff];
	return crc;
}

/*
 * Adds `len` bytes to a running CRC-16, and returns its new value. A VCRC starts with the value
 * GLASS_CRC16_INIT. After all bytes, the VCRC is the bitwise inverse of the running value. The
 * polynomial is 0x100B, with the least significant bit of a byte first.
 */
static u16 glass_crc16(u16 crc, const void *data, size_t len)
{
	const u8 *p = data;

	for (; len; len--)
		crc = crc >> 8 ^ glass_crc16_tab[(crc ^ *p++) & 0xff];
	return crc;
}

u32 glass_icrc(const u8 *pkt, size_t len)
{
	u8 hdr[GLASS_LRH_BYTES + GLASS_GRH_BYTES + GLASS_BTH_BYTES];
	size_t bth = GLASS_LRH_BYTES;
	u32 crc;

	if ((pkt[1] & 3) == GLASS_LNH_GLOBAL)
		bth += GLASS_GRH_BYTES;
	memcpy(hdr, pkt, bth + GLASS_BTH_BYTES);
	if (bth == GLASS_LRH_BYTES) {
		hdr[0] |= 0xf0;
	} else {
		memset(hdr, 0xff, GLASS_LRH_BYTES);
		/* keep the GRH's IP version; mask its traffic class, flow label and hop limit */
		hdr[GLASS_LRH_BYTES] |= 0x0f;
		memset(hdr + GLASS_LRH_BYTES + 1, 0xff, 3);
		hdr[GLASS_LRH_BYTES + 7] = 0xff;
	}
	hdr[bth + 4] = 0xff;
	bth += GLASS_BTH_BYTES;
	crc = glass_crc32(GLASS_CRC32_INIT, hdr, bth);
	return ~glass_crc32(crc, pkt + bth, len - bth);
}

u16 glass_vcrc(const u8 *pkt, size_t len)
{
	return ~glass_crc16(GLASS_CRC16_INIT, pkt, len);
}
