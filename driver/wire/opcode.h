/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* What each BTH opcode means and carries (IBA 9.2.1 and table 38, annex A14), as data. */
#ifndef GLASS_WIRE_OPCODE_H
#define GLASS_WIRE_OPCODE_H

#include "wire/packet.h"

/* Extended headers, in the order in which they follow the BTH */
#define GLASS_HDR_XRCETH BIT(0)
#define GLASS_HDR_DETH BIT(1)
#define GLASS_HDR_RETH BIT(2)
#define GLASS_HDR_ATOMICETH BIT(3)
#define GLASS_HDR_AETH BIT(4)
#define GLASS_HDR_ATOMICACK BIT(5)
#define GLASS_HDR_IMM BIT(6)
#define GLASS_HDR_IETH BIT(7)
#define GLASS_HDR_FETH BIT(8) /* before the RETH */

#define GLASS_OPF_VALID BIT(0)
#define GLASS_OPF_REQUEST BIT(1)
#define GLASS_OPF_RESPONSE BIT(2)
#define GLASS_OPF_FIRST BIT(3)
#define GLASS_OPF_MIDDLE BIT(4)
#define GLASS_OPF_LAST BIT(5)
#define GLASS_OPF_ONLY BIT(6)
#define GLASS_OPF_PAYLOAD BIT(7) /* may carry payload */
#define GLASS_OPF_FULL BIT(8) /* payload is exactly one path MTU */
#define GLASS_OPF_NONEMPTY BIT(9) /* payload is at least one byte */
#define GLASS_OPF_RECV BIT(10) /* completes a receive WQE */
#define GLASS_OPF_SEND BIT(11) /* part of a SEND: uses a receive WQE's memory */

struct glass_opcode {
	const char *word; /* "rc_send_only"; "reserved" where not valid */
	u16 flags; /* GLASS_OPF_* */
	u16 hdrs; /* GLASS_HDR_* */
	u8 ext_bytes; /* length of all extended headers */
};

/*
 * Indexed by opcode. Not valid: what the specification reserves, and reliable
 * datagrams, which no adapter speaks.
 */
extern const struct glass_opcode glass_opcodes[256];

static inline bool glass_opcode_valid(u8 opcode)
{
	return glass_opcodes[opcode].flags & GLASS_OPF_VALID;
}

static inline const char *glass_opcode_word(u8 opcode)
{
	return glass_opcodes[opcode].word;
}

/* Bytes of LRH, GRH if there is one, BTH and extended headers. */
static inline u32 glass_pkt_hdr_bytes(const struct glass_pkt *p)
{
	return GLASS_LRH_BYTES + (p->lnh == GLASS_LNH_GLOBAL ? GLASS_GRH_BYTES : 0) +
	       GLASS_BTH_BYTES + glass_opcodes[p->opcode].ext_bytes;
}

/* Padding that a payload of len bytes takes: 0 .. 3. */
static inline u32 glass_pad_bytes(u32 len)
{
	return -len & 3;
}

/* Bytes on the wire, from the LRH to the VCRC. */
static inline u32 glass_pkt_wire_bytes(const struct glass_pkt *p)
{
	return glass_pkt_hdr_bytes(p) + p->len + glass_pad_bytes(p->len) + GLASS_ICRC_BYTES +
	       GLASS_VCRC_BYTES;
}

/*
 * LRH packet length: 4-byte words from the LRH to the ICRC (IBA 7.7.8). Of a
 * train the sum: each packet more has LRH, BTH and ICRC of its own, and the last
 * of a READ answer a second AETH.
 */
static inline u32 glass_pkt_words(const struct glass_pkt *p)
{
	u32 bytes = glass_pkt_wire_bytes(p) - GLASS_VCRC_BYTES;

	if (p->more) {
		bytes += p->more * (GLASS_LRH_BYTES + GLASS_BTH_BYTES + GLASS_ICRC_BYTES);
		if (p->opcode == (GLASS_TR_RC | GLASS_BOP_READ_RESP_ONLY))
			bytes += GLASS_AETH_BYTES;
	}
	return bytes / 4;
}

#endif
