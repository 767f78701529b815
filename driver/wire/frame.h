/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Frames of netdev cables: the payload of an Ethernet frame with EtherType GLASS_FRAME_PROTO. A
 * frame carries either InfiniBand packets or a hello, by which two ports train their link. All
 * functions take untrusted bytes.
 *
 *   byte  0     version, GLASS_FRAME_VERSION
 *   byte  1     kind, enum glass_frame_kind
 *   byte  2     number of packets; in a hello 0
 *   byte  3     flags, GLASS_FRAME_*
 *   bytes 4-7   session of the receiver, as it was in the receiver's last hello; in a hello 0 if the
 *               sender has heard no hello yet
 *   bytes 8-    the packets, each from its LRH to its VCRC, one directly behind the other; or the
 *               hello (struct glass_hello)
 *
 * Bytes behind the last packet, or behind the hello, are padding of the Ethernet frame.
 */
#ifndef GLASS_WIRE_FRAME_H
#define GLASS_WIRE_FRAME_H

#include "uapi/glass-cable.h"
#include "wire/packet.h"

/* IEEE Std 802, local experimental EtherType 1 */
#define GLASS_FRAME_PROTO 0x88b5
#define GLASS_FRAME_VERSION 1
#define GLASS_FRAME_HDR_BYTES 8
/*
 * The bytes of a frame, without the Ethernet header, that carries one packet with `payload` bytes
 * of payload and the longest headers. So an interface needs this MTU.
 */
#define GLASS_FRAME_MTU(payload)                                                                   \
	(GLASS_FRAME_HDR_BYTES + GLASS_LRH_BYTES + GLASS_GRH_BYTES + GLASS_BTH_BYTES +             \
	 GLASS_XRCETH_BYTES + GLASS_ATOMICETH_BYTES + (payload) + GLASS_ICRC_BYTES +               \
	 GLASS_VCRC_BYTES)

enum glass_frame_kind {
	GLASS_FRAME_HELLO = 1,
	GLASS_FRAME_PACKETS = 2,
};

/* The packets end with their ICRC: both sides have agreed to leave out the VCRC. */
#define GLASS_FRAME_NO_VCRC BIT(0)

/* The header of a frame. */
struct glass_frame {
	u8 kind; /* enum glass_frame_kind */
	u8 count;
	u8 flags;
	u32 session;
};

void glass_frame_put(const struct glass_frame *f, u8 to[GLASS_FRAME_HDR_BYTES]);
/*
 * Decodes the header of a frame of `len` bytes. Returns GLASS_RULE_NONE, or the rule that the frame
 * breaks: bad_short, bad_version, bad_kind or bad_header.
 */
enum glass_cable_rule glass_frame_get(struct glass_frame *f, const u8 *b, size_t len);

/*
 * Finds the packet that begins at byte *at of a frame of kind PACKETS. Returns the packet's length
 * in bytes, with the VCRC if the frame has VCRCs, and moves *at to the next packet. Returns 0 if
 * the length field in the packet's LRH is too small, or if the frame ends earlier (rule bad_length).
 */
u32 glass_frame_next(const struct glass_frame *f, const u8 *b, size_t len, u32 *at);

/*
 * Decodes a packet whose bytes glass_frame_next() has found: the `len` bytes at b. `mtu` is that of the link, in bytes.
 * Returns GLASS_RULE_NONE: *p is the packet, whose payload is *seg, a part of these bytes.
 * Otherwise returns the rule that the packet breaks.
 */
enum glass_cable_rule glass_frame_packet(const struct glass_frame *f, const u8 *b, u32 len, u32 mtu,
					 struct glass_pkt *p, struct glass_seg *seg);

/*
 * Writes the wire bytes of packet i of a train (train.h) for a frame: as glass_pkt_build(), with
 * the VCRC only if no_vcrc is false. *off is the offset of the packet's payload in the train's
 * payload; it is moved on to that of the next packet. Returns the number of bytes, or -EINVAL or
 * -ENOSPC.
 */
int glass_frame_build(const struct glass_pkt *train, u32 i, u32 *off, bool no_vcrc, u8 *to,
		      size_t size);

/* Bytes of the texts of a hello, without a NUL. */
#define GLASS_HELLO_NODE 31
#define GLASS_HELLO_DESC 64
#define GLASS_HELLO_HOST 64

/* Flags of a hello */
#define GLASS_HELLO_LINK BIT(0) /* the port wants its link: it is not disabled, nor is it pulled */
#define GLASS_HELLO_NO_VCRC BIT(1) /* the sender agrees to leave out the VCRC */

/*
 * A hello: what a port says about itself. In all versions, the fields up to `desc` stay where they
 * are, so that a port of another version can be named.
 */
struct glass_hello {
	u32 session; /* of the sender; never 0 */
	char node[GLASS_HELLO_NODE + 1]; /* name of the node; printable ASCII without blanks */
	char host[GLASS_HELLO_HOST + 1]; /* name of the host; the same */
	char desc[GLASS_HELLO_DESC + 1]; /* node description; any bytes */
	u64 guid; /* node GUID */
	u8 port; /* 1 .. 254 */
	u8 type; /* node type: 1 CA, 2 switch */
	u8 flags; /* GLASS_HELLO_* */
	u8 mtu; /* enum glass_mtu_code: what the sender's interface carries */
	u8 width, speed, speed_ext; /* that the sender's port has enabled, as in PortInfo */
	u64 frames; /* frames with packets that were sent in this session */
};

#define GLASS_HELLO_BYTES 200

/* Writes a hello behind the header of a frame. */
void glass_hello_put(const struct glass_hello *h, u8 to[GLASS_HELLO_BYTES]);
/*
 * Decodes a hello of `len` bytes. Returns GLASS_RULE_NONE or GLASS_RULE_bad_hello. If `named` is true,
 * decodes and checks only the fields up to `desc`: the hello is of another version.
 */
enum glass_cable_rule glass_hello_get(struct glass_hello *h, const u8 *b, size_t len, bool named);

/* Returns the largest MTU, as enum glass_mtu_code, that fits an interface of this MTU; 0: none. */
u8 glass_frame_mtu_code(u32 netdev_mtu);

#endif
