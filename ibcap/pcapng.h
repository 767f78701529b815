/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes pcapng (draft-ietf-opsawg-pcapng) with InfiniBand packets as ERF records of type 21, and
 * packets of Ethernet ports as Ethernet frames, which Wireshark and tshark dissect. Blocks are in host byte order, as the format allows; ERF headers
 * have a fixed byte order.
 */
#ifndef IBCAP_PCAPNG_H
#define IBCAP_PCAPNG_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define PCAPNG_LINKTYPE_ETHERNET 1
#define PCAPNG_LINKTYPE_ERF 197
#define ERF_TYPE_INFINIBAND 21
#define ERF_HEADER 16
#define ETHERNET_HEADER 14

/* An interface of a file: a port */
struct pcapng_interface {
	const char *name; /* glass0:1 */
	const char *description;
	const char *filter; /* as given by the user, or NULL */
	uint32_t snap; /* limit for the bytes of a packet; 0: none */
	int ethernet; /* an Ethernet port */
};

struct pcapng_packet {
	uint32_t interface; /* index of the interface in this file */
	uint64_t time_ns; /* CLOCK_REALTIME */
	uint32_t orig_len; /* bytes on the wire, LRH to VCRC; Ethernet port: IP to ICRC */
	uint32_t cap_len; /* bytes of them in data */
	const void *data;
	int ethernet; /* a packet of an Ethernet port: so is its interface */
	int outbound;
	uint64_t lost; /* packets lost since the previous one of this interface */
};

struct pcapng_statistics {
	uint32_t interface;
	uint64_t start_ns, end_ns;
	uint64_t received; /* all packets of the interface, including lost ones */
	uint64_t lost;
	uint64_t delivered;
};

/*
 * Each writes one block and returns its length in bytes, or -1 with errno set. Order: the section,
 * each interface by number, packets and notes, then statistics.
 */
long pcapng_section(FILE *to, const char *application);
long pcapng_interface(FILE *to, const struct pcapng_interface *i);
/* Writes a line of text with a time (CLOCK_REALTIME), as a journal entry between the packets. */
long pcapng_note(FILE *to, uint64_t time_ns, const char *origin, const char *text);
long pcapng_statistics(FILE *to, const struct pcapng_statistics *s);

/* Bytes of the longest block of a packet, and of its comment */
#define PCAPNG_PACKET_MAX 16384
#define PCAPNG_COMMENT_MAX 1024

/*
 * Writes the block of a packet into `block`, which has room for PCAPNG_PACKET_MAX bytes. Returns
 * the place where the caller then writes the comment, or NULL with errno set.
 */
char *pcapng_packet_begin(uint8_t *block, const struct pcapng_packet *p);
/*
 * Ends the block. comment: what pcapng_packet_begin() returned. len: bytes of the comment, at most
 * PCAPNG_COMMENT_MAX; 0: none. Returns the length of the block.
 */
size_t pcapng_packet_end(uint8_t *block, const struct pcapng_packet *p, char *comment, size_t len);

/*
 * Makes the 14 bytes before a packet of an Ethernet port, whose first byte is `ip`. The addresses are
 * 0: the port gives packets to the kernel's IP, and gets them from there, without these addresses.
 */
void ethernet_header(uint8_t to[ETHERNET_HEADER], uint8_t ip);

/*
 * Makes the 16 bytes before a packet. Wireshark reads the time from here, with nanosecond
 * resolution.
 */
void erf_header(uint8_t to[ERF_HEADER], uint64_t time_ns, uint32_t cap_len, uint32_t orig_len,
		uint32_t interface);

#endif
