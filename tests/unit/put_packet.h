/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes a packet with a comment to a file, by ibcap's writer of pcapng. */
#ifndef GLASS_TESTS_UNIT_PUT_PACKET_H
#define GLASS_TESTS_UNIT_PUT_PACKET_H

#include <string.h>

#include "ibcap/pcapng.h"

/* Returns the length of the block, or -1. */
static inline long put_packet(FILE *to, const struct pcapng_packet *p, const char *comment)
{
	uint8_t block[PCAPNG_PACKET_MAX];
	char *at = pcapng_packet_begin(block, p);
	size_t len = strlen(comment);

	if (!at)
		return -1;
	memcpy(at, comment, len);
	len = pcapng_packet_end(block, p, at, len);
	return fwrite(block, 1, len, to) == len ? (long)len : -1;
}

#endif
