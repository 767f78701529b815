/* SPDX-License-Identifier: GPL-2.0-only */
/* Describes a packet in words: a comment in a file, or a line on a terminal. */
#ifndef IBCAP_DESCRIBE_H
#define IBCAP_DESCRIBE_H

#include <netinet/in.h>
#include <stdio.h>

#include "uapi/glass-capture.h"
#include "wire/packet.h"

/* The word at index i of a table that GLASS_WORDS() has made; "?" if there is none */
#define WORD_OF(words, i) ((i) < ARRAY_SIZE(words) && (words)[i] ? (words)[i] : "?")

/* A packet with its record. If the bytes are no packet, it is not decoded and pkt is zero. */
struct seen {
	const char *name; /* glass0:1 */
	const struct glass_cap_record *record;
	bool decoded;
	struct glass_pkt pkt;
	struct glass_seg seg;
};

/* Writes a GID of an Ethernet port as an IP address: INET6_ADDRSTRLEN bytes. */
void describe_ip(const uint8_t gid[16], char text[INET6_ADDRSTRLEN]);

/* Decodes the record's bytes, also of a packet that was truncated to the snap length. */
void describe_decode(struct seen *s, const char *name, const struct glass_cap_record *r);

/*
 * Writes the known facts in words of the filter language:
 * "wr_id=0x7 flow=72057594037927937 qpn=0x11 qptype=rc pid=284 comm=ibv_rc_pingpong reason=no_recv
 * rule=r1".
 */
#define DESCRIBE_COMMENT 320
/* Writes a bookmark as a line for a terminal. */
void describe_mark(FILE *to, uint64_t time_ns, const char *dev, const char *text);
void describe_comment(const struct seen *s, char text[DESCRIBE_COMMENT]);
/* The same; the node of a hop and its port only if `with_hop`. */
void describe_facts(const struct seen *s, bool with_hop, char text[DESCRIBE_COMMENT]);

/* Writes the packet as one line, with newline. */
void describe_line(FILE *to, const struct seen *s);

#endif
