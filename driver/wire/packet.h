/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The decoded packet: the form in which packets pass through Glass. A packet is converted to wire
 * bytes (wire/serial.h) only for captures and readers of the flight recorder, and when an injection
 * rule corrupts or truncates it.
 *
 * Every multi-byte field of struct glass_pkt is in host byte order unless its comment says
 * otherwise. "IBA" and a number stand for a clause of the InfiniBand Architecture Specification,
 * Volume 1, Release 1.4 and later.
 */
#ifndef GLASS_WIRE_PACKET_H
#define GLASS_WIRE_PACKET_H

#include "uapi/glass-enums.h"
#include "wire/shim.h"

/* LRH link next header (IBA 7.7.4) */
enum glass_lnh {
	GLASS_LNH_RAW = 0,
	GLASS_LNH_LOCAL = 2, /* IBA transport: a BTH follows the LRH */
	GLASS_LNH_GLOBAL = 3, /* a GRH follows the LRH */
};

#define GLASS_LRH_BYTES 8
#define GLASS_GRH_BYTES 40
#define GLASS_BTH_BYTES 12
#define GLASS_DETH_BYTES 8
#define GLASS_RETH_BYTES 16
#define GLASS_ATOMICETH_BYTES 28
#define GLASS_AETH_BYTES 4
#define GLASS_ATOMICACKETH_BYTES 8
#define GLASS_IMM_BYTES 4
#define GLASS_IETH_BYTES 4
#define GLASS_XRCETH_BYTES 4
#define GLASS_FETH_BYTES 4
#define GLASS_ICRC_BYTES 4
#define GLASS_VCRC_BYTES 2

#define GLASS_LID_PERMISSIVE 0xffff
#define GLASS_LID_MCAST_BASE 0xc000
#define GLASS_QPN_MCAST 0xffffff
#define GLASS_PSN_MASK 0xffffffu
#define GLASS_QPN_MASK 0xffffffu
#define GLASS_MAD_BYTES 256
#define GLASS_VL_SMP 15
#define GLASS_MTU_MAX 4096

/*
 * BTH opcodes (IBA 9.2.1, table 38): three bits for the transport, five bits for the operation. The
 * table in wire/opcode.h has the headers of each opcode.
 */
enum glass_transport {
	GLASS_TR_RC = 0x00,
	GLASS_TR_UC = 0x20,
	GLASS_TR_UD = 0x60,
	GLASS_TR_XRC = 0xa0,
};

/*
 * A congestion notification packet of RoCEv2 (IBA annex A17.9.3): a BTH with BECN set, and 16
 * reserved bytes, which count as payload here. It has a transport and an operation of its own.
 */
#define GLASS_OPCODE_CNP 0x81
#define GLASS_CNP_BYTES 16
#define GLASS_BTH_BECN 0x40000000u /* in the word with the destination QP */

#define GLASS_TR_MASK 0xe0
#define GLASS_BOP_MASK 0x1f

/* AETH syndrome (IBA 9.7.5.2.1): two bits for the kind, five bits for the value */
#define GLASS_AETH_ACK 0x00
#define GLASS_AETH_RNR 0x20
#define GLASS_AETH_NAK 0x60
#define GLASS_AETH_KIND 0x60
#define GLASS_AETH_VALUE 0x1f
#define GLASS_AETH_NO_CREDIT 0x1f

/* FETH (annex A19): placement types and selectivity levels */
#define GLASS_FETH_GLOBAL 0x01
#define GLASS_FETH_PERSISTENT 0x02
#define GLASS_FETH_TYPES 0x0f
#define GLASS_FETH_RANGE 0x00
#define GLASS_FETH_MR 0x10
#define GLASS_FETH_LEVEL 0x30

enum glass_nak {
	GLASS_NAK_PSN_SEQ = 0,
	GLASS_NAK_INV_REQ = 1,
	GLASS_NAK_REM_ACCESS = 2,
	GLASS_NAK_REM_OP = 3,
	GLASS_NAK_INV_RD_REQ = 4,
};

/*
 * A piece of payload. addr: a kernel address that stays valid as long as the packet exists; in the
 * user-space library (wire/shim.h), an address of the process. len: bytes, never 0.
 */
struct glass_seg {
	void *addr;
	u32 len;
};

/*
 * The maximum number of entries in the gather list of a packet. One MTU (4096 bytes) may come from
 * 30 SGEs. An SGE that crosses a page boundary needs two entries. If a train (glass_pkt.more) would
 * need more entries than the maximum, the engine sends its packets one by one.
 */
#define GLASS_PKT_SEGS 64

/* glass_grh.next_hdr: the IBA transport follows, or, at an Ethernet port, UDP */
#define GLASS_NEXT_HDR_IBA 0x1b
#define GLASS_NEXT_HDR_UDP 17
#define GLASS_IP4_DF 0x4000 /* do not fragment */

/* The lower two bits of the traffic class (RFC 3168): CE, a switch with a long queue has marked it */
#define GLASS_ECN_MASK 3
#define GLASS_ECN_CE 3

struct glass_grh {
	u8 tclass;
	u8 hop_limit;
	u8 next_hdr; /* GLASS_NEXT_HDR_* */
	u32 flow_label; /* 20 bits */
	u16 pay_len; /* bytes behind the GRH, ICRC included; 0 in a train (glass_pkt.more) */
	/*
	 * Only at an Ethernet port. Of a received packet: the source port of UDP, and the fields of
	 * IPv4 that hold the identification and the fragment. Of others: 0, 0, GLASS_IP4_DF.
	 */
	u16 sport, ip_id, ip_frag;
	u8 sgid[16]; /* network byte order */
	u8 dgid[16];
};

#define GLASS_FATE_RULE 32
#define GLASS_FATE_HOPS 8 /* nodes on a packet's way that the flight recorder remembers */

/*
 * A switch or passive CA that the packet passed. in, out: the ports by which the packet arrived at
 * this node and left it; 0: the packet did not arrive, or did not leave, by a port.
 */
struct glass_fate_hop {
	u16 node; /* number of the node (glass_fabric_number()) */
	u8 in, out;
};

/*
 * The fate of a packet. The code that drops the packet, or applies an injection rule to it, writes
 * the fate for observers (captures, the flight recorder).
 */
struct glass_fate {
	u8 reason; /* enum glass_drop: why the packet was dropped; GLASS_DROP_NONE: it was not */
	/* name of the injection rule that fired on the packet; empty: none */
	char rule[GLASS_FATE_RULE];
	/* number of entries of hop[]; set only while the flight recorder wants hops */
	u8 nhops;
	struct glass_fate_hop hop[GLASS_FATE_HOPS];
};

/*
 * One packet. The opcode says which extended headers the packet has (wire/opcode.h); the fields of
 * absent headers are undefined.
 *
 * The payload is a gather list in memory of the caller (seg, nseg), without the padding (0 to 3
 * zero bytes) that follows the payload on the wire.
 */
struct glass_pkt {
	/*
	 * The fields that every packet uses come first, then those that some packets use, then
	 * those that few packets use. So the flight recorder can copy only the fields that the
	 * opcode needs (observe/flight_record.h).
	 */

	/* LRH (IBA 7.7) */
	u8 vl;
	u8 sl;
	u8 lnh; /* enum glass_lnh */
	u8 lver; /* 0 */
	u16 slid;
	u16 dlid;

	/* BTH (IBA 9.2) */
	u8 opcode;
	u8 se : 1; /* solicited event */
	u8 mig : 1; /* MigReq */
	u8 ack_req : 1;
	u8 pad : 2; /* bytes of padding; glass_pkt_build() takes them from len, not from here */
	u8 tver : 4; /* 0 */
	u16 pkey;
	u32 dqpn; /* 24 bits */
	u32 psn; /* 24 bits */

	u32 len; /* payload bytes: the sum over seg[] */

	/* bookkeeping, not on the wire */
	/* id of a work request: all packets of the request and its answers have it; 0: none */
	u64 flow;
	u64 wr_id; /* wr_id of this work request */
	/*
	 * If `more` is not 0, the struct is a train: it stands for 1 + more consecutive packets of
	 * a message. Their PSNs are psn to psn + more. All packets but the last have one path MTU
	 * of payload. The engine makes trains only while no observer or injection rule needs
	 * single packets, and with a GRH only at Ethernet ports. `opcode` says how the whole train begins and ends.
	 * If `opcode` is an "only" opcode, the first packet of the train is a "first", the last a
	 * "last", and all others are "middle". `more` is 0 in each packet that is converted to wire
	 * bytes or traced.
	 */
	u16 more;
	/*
	 * 1: the responder may postpone and coalesce the ACK of this request, because no completion
	 * of the requester waits for the ACK. Set only between ports of one host, and while no
	 * injection rule can match the QP.
	 */
	u8 ack_later;
	u8 raw; /* 1: a program wrote the packet to glassN/raw */
	u8 forged; /* 1: an answer that an injection rule forged, or a CNP; no rule applies to it */
	/* enum glass_drop: why the receiving port drops the packet (see `wire`); 0: it does not */
	u8 spoilt;
	u16 wire_len; /* number of bytes at `wire` */

	/* RETH (IBA 9.3.3); va and rkey are also the first fields of the AtomicETH */
	u64 va;
	u32 rkey;
	u32 dma_len;

	/* AETH (IBA 9.3.5) */
	u8 syndrome;
	u32 msn; /* 24 bits */

	/* AtomicETH (IBA 9.3.4), AtomicAckETH (IBA 9.5.3) */
	u64 swap_add; /* the operand: swap or add data */
	u64 cmp; /* compare data */
	u64 orig; /* original remote data */

	/* DETH (IBA 9.3.1) */
	u32 qkey;
	u32 sqpn;

	__be32 imm; /* immediate data (ImmDt), in network order */
	u32 ieth; /* R_Key to invalidate */
	u32 xrc_srq; /* XRCETH (annex A14): SRQ number, 24 bits */
	u32 feth; /* FETH (annex A19): placement types in bits 0-3, selectivity level in bits 4-5 */

	u16 nseg; /* number of entries in seg[] */
	struct glass_seg *seg;
	struct glass_fate *fate; /* where the packet's fate is written; NULL: no observer is on */
	/*
	 * The wire bytes of a packet that an injection rule has corrupted or truncated. These bytes
	 * may differ from the fields of this struct. NULL: the fields determine the wire bytes.
	 */
	const u8 *wire;

	struct glass_grh grh; /* valid when lnh == GLASS_LNH_GLOBAL */
};

/* PSN arithmetic (IBA 9.7.2): the signed distance from b to a, -2^23 .. 2^23-1. */
static inline s32 glass_psn_cmp(u32 a, u32 b)
{
	return (s32)((a - b) << 8) >> 8;
}

static inline u32 glass_psn_add(u32 psn, u32 n)
{
	return (psn + n) & GLASS_PSN_MASK;
}

#endif
