/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A table with the headers and properties of each BTH opcode (IBA 9.2.1 and table 38, annexes A14
 * and A19), and functions that compute lengths of packets from the table.
 */
#ifndef GLASS_WIRE_OPCODE_H
#define GLASS_WIRE_OPCODE_H

#include "wire/packet.h"

/* Bytes of the extended headers in the set h (GLASS_HDR_*), without XRCETH and DETH. */
#define GLASS_HDR_BYTES(h)                                                                         \
	(((h) & GLASS_HDR_RETH ? GLASS_RETH_BYTES : 0) +                                           \
	 ((h) & GLASS_HDR_ATOMICETH ? GLASS_ATOMICETH_BYTES : 0) +                                 \
	 ((h) & GLASS_HDR_AETH ? GLASS_AETH_BYTES : 0) +                                           \
	 ((h) & GLASS_HDR_ATOMICACK ? GLASS_ATOMICACKETH_BYTES : 0) +                              \
	 ((h) & GLASS_HDR_IMM ? GLASS_IMM_BYTES : 0) +                                             \
	 ((h) & GLASS_HDR_IETH ? GLASS_IETH_BYTES : 0) +                                           \
	 ((h) & GLASS_HDR_FETH ? GLASS_FETH_BYTES : 0))

struct glass_opcode {
	const char *word; /* such as "rc_send_only"; NULL: the opcode is not valid */
	u16 flags; /* GLASS_OPF_*; 0: the opcode is not valid */
	u16 hdrs; /* GLASS_HDR_*: the extended headers of packets with this opcode */
	u8 ext_bytes; /* bytes of all headers in hdrs */
};

/*
 * Indexed by opcode. Not valid are the opcodes that the IBA reserves, and those of transports that
 * Glass does not support (RD). Of CNP, only GLASS_OPCODE_CNP is valid.
 */
extern const struct glass_opcode glass_opcodes[256];

/*
 * Does a work request of operation `op` have at least one of the properties in `how`? `op` is an
 * enum glass_wr_op; the result is false for any other number. `how` is a constant set of
 * GLASS_WRF_*.
 */
static __always_inline bool glass_wr_is(u32 op, u32 how)
{
	return op < GLASS_OP_COUNT && GLASS_WRS_WITH(how) >> op & 1;
}

static inline bool glass_opcode_valid(u8 opcode)
{
	return glass_opcodes[opcode].flags & GLASS_OPF_VALID;
}

static inline const char *glass_opcode_word(u8 opcode)
{
	return glass_opcode_valid(opcode) ? glass_opcodes[opcode].word : "reserved";
}

/* Bytes of a packet's headers: LRH, GRH (if the packet has one), BTH and extended headers. */
static inline u32 glass_pkt_hdr_bytes(const struct glass_pkt *p)
{
	return GLASS_LRH_BYTES + (p->lnh == GLASS_LNH_GLOBAL ? GLASS_GRH_BYTES : 0) +
	       GLASS_BTH_BYTES + glass_opcodes[p->opcode].ext_bytes;
}

/* Is it a request of a requester: neither an answer (READ response, ACK) nor a CNP? */
static inline bool glass_opcode_is_request(u8 opcode)
{
	u8 bop = opcode & GLASS_BOP_MASK;

	return (bop < GLASS_BOP_READ_RESP_FIRST || bop > GLASS_BOP_ATOMIC_ACK) &&
	       opcode != GLASS_OPCODE_CNP;
}

/* Bytes of padding behind a payload of len bytes: 0 .. 3. */
static inline u32 glass_pad_bytes(u32 len)
{
	return -len & 3;
}

/*
 * Bytes of a packet on the wire, from the LRH to the VCRC. p must not be a train (glass_pkt.more).
 */
static inline u32 glass_pkt_wire_bytes(const struct glass_pkt *p)
{
	return glass_pkt_hdr_bytes(p) + p->len + glass_pad_bytes(p->len) + GLASS_ICRC_BYTES +
	       GLASS_VCRC_BYTES;
}

/*
 * The packet length for the LRH: 4-byte words from the LRH to the ICRC (IBA 7.7.8). For a train
 * (glass_pkt.more), the result is the sum over the packets of the train. Each packet after the
 * first adds an LRH, a BTH and an ICRC, and at an Ethernet port a GRH; packets of other trains have no
 * GRH. A READ response has an AETH in its first and in its last packet, so a train that is a whole READ
 * response adds a second AETH.
 */
static inline u32 glass_pkt_words(const struct glass_pkt *p)
{
	u32 bytes = glass_pkt_wire_bytes(p) - GLASS_VCRC_BYTES;

	if (p->more) {
		bytes += p->more * (GLASS_LRH_BYTES + GLASS_BTH_BYTES + GLASS_ICRC_BYTES +
				    (p->lnh == GLASS_LNH_GLOBAL ? GLASS_GRH_BYTES : 0));
		if (p->opcode == (GLASS_TR_RC | GLASS_BOP_READ_RESP_ONLY))
			bytes += GLASS_AETH_BYTES;
	}
	return bytes / 4;
}

#endif
