/* SPDX-License-Identifier: GPL-2.0-only */
/* What is told about a packet in words: the comment in a file, the line on a terminal. */
#ifndef IBCAP_DESCRIBE_H
#define IBCAP_DESCRIBE_H

#include <stdio.h>

#include "uapi/glass-capture.h"
#include "wire/packet.h"

/* A packet with its record. Not decoded when the bytes are no packet: pkt is zero then. */
struct seen {
	const char *name; /* glass0:1 */
	const struct glass_cap_record *record;
	bool decoded;
	struct glass_pkt pkt;
	struct glass_seg seg;
};

/* Decodes the record's bytes; a packet that was cut by the snap length, too. */
void describe_decode(struct seen *s, const char *name, const struct glass_cap_record *r);

/*
 * "wr_id=0x7 flow=72057594037927937 qpn=0x11 qptype=rc pid=284 comm=ibv_rc_pingpong
 * reason=no_recv rule=r1": what is known, in the words of the filter language.
 */
#define DESCRIBE_COMMENT 320
/* A bookmark, as a line for a terminal. */
void describe_mark(FILE *to, uint64_t time_ns, const char *dev, const char *text);
void describe_comment(const struct seen *s, char text[DESCRIBE_COMMENT]);

/* One line, with its newline. */
void describe_line(FILE *to, const struct seen *s);

#endif
