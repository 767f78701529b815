/* SPDX-License-Identifier: GPL-2.0-only */
/* Describes a packet in words: a comment in a file, or a line on a terminal. */
#ifndef IBCAP_DESCRIBE_H
#define IBCAP_DESCRIBE_H

#include <netinet/in.h>
#include <stddef.h>
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
/* With the node of a hop and its port only if `with_hop`. */
void describe_facts(const struct seen *s, bool with_hop, char text[DESCRIBE_COMMENT]);

/*
 * Words that many records share, all but those of the work request: `of` is the part of a record
 * that they come from. Records of up to DESCRIBE_MEMOS QPs at a time cost a comparison.
 */
struct describe_memo {
	uint8_t of[sizeof(struct glass_cap_record) - offsetof(struct glass_cap_record, qpn)];
	uint64_t flow_high; /* flow / 10^8 of a record; not 0 */
	size_t flow_len, len; /* bytes of the texts; len 0: the memo is not in use */
	char flow[24]; /* " flow=" and the digits of flow_high */
	char text[DESCRIBE_COMMENT]; /* begins with a blank */
};

#define DESCRIBE_MEMOS 64

/*
 * The same facts, with the node of a hop, for many records one after the other. Returns the length
 * of the text. memos: DESCRIBE_MEMOS of them, which are zero at first.
 */
size_t describe_comment(struct describe_memo *memos, const struct glass_cap_record *r,
			char text[DESCRIBE_COMMENT]);

/* Writes a bookmark as a line for a terminal. */
void describe_mark(FILE *to, uint64_t time_ns, const char *dev, const char *text);

/* Writes the packet as one line, with newline. */
void describe_line(FILE *to, const struct seen *s);

#endif
