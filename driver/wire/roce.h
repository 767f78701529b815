/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Packets of an Ethernet port, RoCEv2 (IBA annex A17): IPv4 or IPv6, UDP, and the packet from its
 * BTH to its ICRC. In struct glass_pkt such a packet has a GRH, whose GIDs are the IP addresses,
 * and both LIDs are 0. (A multicast packet has the DLID GLASS_LID_MCAST_BASE.)
 */
#ifndef GLASS_WIRE_ROCE_H
#define GLASS_WIRE_ROCE_H

#include "uapi/glass-ether.h"
#include "wire/packet.h"

#define GLASS_ROCE_UDP_PORT 4791
#define GLASS_IP4_BYTES 20
#define GLASS_IP6_BYTES 40
#define GLASS_UDP_BYTES 8

/* Is this a packet of an Ethernet port? */
static inline bool glass_pkt_is_roce(const struct glass_pkt *p)
{
	return p->lnh == GLASS_LNH_GLOBAL && p->grh.next_hdr == GLASS_NEXT_HDR_UDP;
}

/* Is the GID an IPv4 address, that is ::ffff:a.b.c.d? The address is in the last 4 bytes. */
static inline bool glass_gid_is_v4(const u8 gid[16])
{
	static const u8 prefix[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };

	return !memcmp(gid, prefix, sizeof(prefix));
}

/*
 * Writes the GID of an IPv4 address, or that of an IPv4 multicast group (ff0e::ffff:a.b.c.d). The
 * address may be the last 4 bytes of `gid`.
 */
void glass_gid_of_v4(const u8 addr[4], u8 gid[16]);

/*
 * Writes the packet from the BTH to the padding, without the ICRC. `p` is not a train. Returns the
 * number of bytes. Returns -EINVAL if the packet cannot be built, and -ENOSPC if `size` is too
 * small.
 */
int glass_roce_build(const struct glass_pkt *p, void *buf, size_t size);

/*
 * The same for packet `one` of a train (glass_train_part()), whose payload begins at offset `off` of the
 * train's payload.
 */
int glass_roce_build_part(const struct glass_pkt *train, const struct glass_pkt *one, u32 off, void *buf,
			  size_t size);

/*
 * The source port of UDP of a packet that this host sends: from the flow label, or, if that is 0,
 * from the destination QP. So the packets of a connection have one source port, and keep their
 * order.
 */
u16 glass_roce_sport(const struct glass_pkt *p);

/*
 * Of a packet whose wire bytes an injection rule has changed: the number of bytes from the BTH to the
 * padding, which begin at p->wire + GLASS_LRH_BYTES + GLASS_GRH_BYTES. At least GLASS_BTH_BYTES; 0 if
 * the packet has no whole BTH, and so cannot be sent.
 */
u32 glass_roce_wire_bytes(const struct glass_pkt *p);

/*
 * For observers: the datagram of a packet, from the IP header to the ICRC, as it is sent or was
 * received. (Only the checksum of a received UDP header is not kept: it is 0 here.)
 * glass_roce_bytes() returns the number of its bytes. glass_roce_put() writes the first `cap` of
 * them to `to`; returns false if the packet cannot be built. `cap` is the number of all bytes, or
 * at most glass_roce_cut() of it.
 */
u32 glass_roce_bytes(const struct glass_pkt *p);
bool glass_roce_put(const struct glass_pkt *p, u8 *to, u32 cap);
/*
 * Returns the number of bytes that glass_roce_put() can write, if `snap` are wanted of a datagram:
 * `snap`, but padding and ICRC are written together with all others or not at all.
 */
u32 glass_roce_cut(const struct glass_pkt *p, u32 snap);

/*
 * Writes what a datagram's receive buffer has in the place of the GRH: the IPv6 header, or 20 zero
 * bytes and the IPv4 header (IBA annex A17). `g` is that of a packet of an Ethernet port.
 */
void glass_roce_header(const struct glass_grh *g, u8 to[GLASS_GRH_BYTES]);

/*
 * Computes the ICRC of the len bytes from the IP header to the padding. IPv4 headers have no
 * options, IPv6 headers no extensions. Fields that a router may change count as ones.
 */
u32 glass_roce_icrc(const u8 *ip, size_t len);

/*
 * Headers of IP and UDP, with ones for the fields that the ICRC does not protect, and the running
 * CRC behind them. These headers are the same for all packets of a connection that have one length.
 * There are two entries, because data and ACKs have different lengths. All zero: it has none. One
 * context at a time uses it.
 */
struct glass_roce_memo {
	struct {
		u8 hdr[GLASS_IP6_BYTES + GLASS_UDP_BYTES];
		u32 bytes;
		u32 crc;
	} of[2];
};

/*
 * glass_roce_icrc() in two steps. The first computes the running CRC of the headers of IP and UDP,
 * or takes it from `memo` (NULL: there is none). The second adds the len bytes from the BTH to the
 * padding.
 */
u32 glass_roce_icrc_begin(struct glass_roce_memo *memo, const u8 *ip);
u32 glass_roce_icrc_end(u32 crc, const u8 *bth, size_t len);

/*
 * Decodes and checks the len bytes from the IP header to the ICRC. Returns GLASS_ROCE_OK, or the
 * rule that the datagram breaks. p->seg becomes `seg`, which points to the payload in `ip`. `memo`
 * as in glass_roce_icrc_begin().
 */
enum glass_roce_rule glass_roce_parse(struct glass_pkt *p, struct glass_seg *seg, const u8 *ip,
				      size_t len, struct glass_roce_memo *memo);

/*
 * A frame may hold several datagrams (GSO): one IP header and one UDP header for all of them, and behind
 * these headers each datagram's bytes from the BTH to the ICRC. glass_roce_split() writes the headers of
 * datagram i, with `len` bytes from the BTH to the ICRC, as the kernel writes them when it splits the
 * frame: the identification of IPv4 counts up. Checksums remain those of the frame; no ICRC depends on
 * them. `ip` are the headers of the frame: IPv4 without options, or IPv6 without extensions. Writes 28 or
 * 48 bytes to hdr.
 */
void glass_roce_split(const u8 *ip, u32 i, u32 len, u8 hdr[GLASS_IP6_BYTES + GLASS_UDP_BYTES]);
/*
 * As glass_roce_parse(), for a datagram whose headers of IP and UDP are at `hdr`, and whose bytes from the
 * BTH to the ICRC are elsewhere, at `bth`; there are `len` of the latter. `hdr` is that of
 * glass_roce_split().
 */
enum glass_roce_rule glass_roce_parse_split(struct glass_pkt *p, struct glass_seg *seg, const u8 *hdr,
					    const u8 *bth, size_t len, struct glass_roce_memo *memo);

/*
 * For readers of captures: decodes a datagram of `orig` bytes, of which `len` were recorded, without
 * a look at its ICRC. The buffer `ip` has `orig` bytes; those behind `len` are 0. Returns false if
 * it is no packet of an Ethernet port, or a part of its headers was not recorded.
 */
bool glass_roce_decode(struct glass_pkt *p, struct glass_seg *seg, const u8 *ip, size_t len,
		       size_t orig);

#endif
