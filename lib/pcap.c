// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/cli.h"
#include "lib/debugfs/text.h"
#include "lib/pcap.h"
#include "lib/printable.h"
#include "wire/opcode.h"
#include "wire/roce.h"

enum {
	BLOCK_SECTION = 0x0a0d0d0a,
	BLOCK_INTERFACE = 1,
	BLOCK_PACKET = 6,
	BLOCK_JOURNAL = 9,
};

enum {
	OPT_END = 0,
	OPT_COMMENT = 1,
	IF_NAME = 2,
	IF_TSRESOL = 9,
	EPB_FLAGS = 2,
};

#define BYTE_ORDER_MAGIC 0x1a2b3c4d
#define BLOCK_MAX	 (1 << 20)
#define LINKTYPE_ETHERNET 1
#define LINKTYPE_ERF	 197
#define LINKTYPE_IB	 247
#define ERF_HEADER	 16
#define ERF_TYPE_IB	 21
#define OUTBOUND	 2
#define ETHERNET_HEADER	 14
#define VLAN_HEADER	 4
#define ETHERTYPE_IP4	 0x0800
#define ETHERTYPE_IP6	 0x86dd
#define ETHERTYPE_VLAN	 0x8100
#define SHORTEST_DATAGRAM (GLASS_IP4_BYTES + GLASS_UDP_BYTES + GLASS_BTH_BYTES + GLASS_ICRC_BYTES)

static uint32_t get32(const struct pcap *c, const uint8_t *at)
{
	uint32_t v;

	memcpy(&v, at, sizeof(v));
	return c->swap ? __builtin_bswap32(v) : v;
}

static uint16_t get16(const struct pcap *c, const uint8_t *at)
{
	uint16_t v;

	memcpy(&v, at, sizeof(v));
	return c->swap ? __builtin_bswap16(v) : v;
}

static int broken(const struct pcap *c, const char *why)
{
	cli_error("%s: %s", c->name, why);
	return -1;
}

/* Finds an option in a list. Returns its length, or -1. */
static int find_option(const struct pcap *c, const uint8_t *at, size_t len, uint16_t code,
		       const uint8_t **value)
{
	while (len >= 4) {
		uint16_t is = get16(c, at), n = get16(c, at + 2);

		if (is == OPT_END || n > len - 4)
			return -1;
		if (is == code) {
			*value = at + 4;
			return n;
		}
		n = (n + 3) & ~3;
		if (n > len - 4)
			return -1;
		at += 4 + n;
		len -= 4 + n;
	}
	return -1;
}

/*
 * Reads a block into c->block, with its type and the length of its contents. Returns 1, 0 at the
 * end, or -1.
 */
static int read_block(struct pcap *c, uint32_t *type, size_t *len)
{
	uint8_t head[12];
	uint32_t total, magic;
	size_t n = fread(head, 1, 8, c->from);

	if (ferror(c->from))
		return broken(c, strerror(errno));
	if (!n && !c->block)
		return broken(c, "empty, not a pcapng file");
	if (!n)
		return 0;
	if (n != 8)
		return broken(c, "cut off in the middle of a block");
	memcpy(type, head, 4);
	if (*type == BLOCK_SECTION) {
		if (fread(head + 8, 1, 4, c->from) != 4)
			return broken(c, "cut off in the middle of a block");
		memcpy(&magic, head + 8, 4);
		c->swap = magic == __builtin_bswap32(BYTE_ORDER_MAGIC);
		if (!c->swap && magic != BYTE_ORDER_MAGIC)
			return broken(c, "not a pcapng file");
		c->ports = 0;
	} else if (!c->block) {
		return broken(c, "not a pcapng file");
	} else {
		*type = c->swap ? __builtin_bswap32(*type) : *type;
	}
	total = get32(c, head + 4);
	n = *type == BLOCK_SECTION ? 12 : 8;
	if (total % 4 || total < n + 4 || total > BLOCK_MAX)
		return broken(c, "a block has an impossible length");
	*len = total - n;
	if (*len > c->room || !c->block) {
		uint8_t *more = realloc(c->block, *len);

		if (!more)
			cli_die(CLI_FAILED, "out of memory");
		c->block = more;
		c->room = *len;
	}
	if (fread(c->block, 1, *len, c->from) != *len)
		return broken(c, "cut off in the middle of a block");
	*len -= 4; /* the trailing copy of the length */
	return 1;
}

static int take_interface(struct pcap *c, size_t len)
{
	struct pcap_port *more, p = { .port = 0 };
	const uint8_t *name;
	const char *colon;
	uint64_t port;
	int n;

	if (len < 8)
		return broken(c, "an interface that is cut off");
	p.linktype = get16(c, c->block);
	/* microseconds, unless the interface says otherwise */
	p.resolution = find_option(c, c->block + 8, len - 8, IF_TSRESOL, &name) == 1 ? *name : 6;
	n = find_option(c, c->block + 8, len - 8, IF_NAME, &name);
	snprintf(p.dev, sizeof(p.dev), "%.*s", n > 0 ? n : 0, n > 0 ? (const char *)name : "");
	printable(p.dev);
	colon = strrchr(p.dev, ':');
	if (colon && debugfs_number(colon + 1, strlen(colon + 1), &port)) {
		p.port = port;
		p.dev[colon - p.dev] = 0;
	}
	more = realloc(c->port, (c->ports + 1) * sizeof(*more));
	if (!more)
		cli_die(CLI_FAILED, "out of memory");
	c->port = more;
	c->port[c->ports++] = p;
	return 1;
}

/* Decodes a packet, which may be truncated to a snap length. Returns false if it is invalid. */
static bool decode(struct pcap_packet *p, const uint8_t *bytes, uint32_t len, uint32_t orig)
{
	enum glass_drop why;

	if (orig > sizeof(p->bytes) || len > orig)
		return false;
	memset(p->bytes, 0, sizeof(p->bytes));
	memcpy(p->bytes, bytes, len);
	return !glass_pkt_parse(&p->pkt, &p->seg, p->bytes, orig,
				GLASS_PARSE_NO_ICRC | GLASS_PARSE_NO_VCRC, &why) &&
	       glass_pkt_hdr_bytes(&p->pkt) <= len;
}

/*
 * Decodes an Ethernet frame with a packet of an Ethernet port, which may be truncated to a snap
 * length. Other frames are no packets.
 */
static bool decode_frame(struct pcap_packet *p, const uint8_t *bytes, uint32_t len, uint32_t orig)
{
	uint32_t at = ETHERNET_HEADER, type, ip;

	if (len < at || orig < at)
		return false;
	type = get_unaligned_be16(bytes + 12);
	if (type == ETHERTYPE_VLAN && len >= at + VLAN_HEADER) {
		type = get_unaligned_be16(bytes + 16);
		at += VLAN_HEADER;
	}
	len -= at;
	orig -= at;
	bytes += at;
	if (len < SHORTEST_DATAGRAM || orig < len)
		return false;
	/* behind a short datagram, Ethernet has padding */
	if (type == ETHERTYPE_IP4)
		ip = get_unaligned_be16(bytes + 2);
	else if (type == ETHERTYPE_IP6)
		ip = get_unaligned_be16(bytes + 4) + GLASS_IP6_BYTES;
	else
		return false;
	if (ip > orig || ip > sizeof(p->bytes))
		return false;
	len = len < ip ? len : ip;
	memset(p->bytes, 0, sizeof(p->bytes));
	memcpy(p->bytes, bytes, len);
	return glass_roce_decode(&p->pkt, &p->seg, p->bytes, len, ip);
}

/* Seconds since 1970 as a binary fraction, in little-endian byte order */
static uint64_t erf_time(const uint8_t *at)
{
	uint64_t time = 0, rest;
	int i;

	for (i = 7; i >= 0; i--)
		time = time << 8 | at[i];
	rest = (time & UINT32_MAX) * 1000000000;
	return (time >> 32) * 1000000000 + ((rest + (1U << 31)) >> 32);
}

/* Converts a time in units of 10^-resolution or, with the highest bit, 2^-resolution seconds. */
static uint64_t nanoseconds(uint64_t time, uint8_t resolution)
{
	unsigned __int128 ns = (unsigned __int128)time * 1000000000;
	unsigned int n = resolution & 0x7f;

	if (resolution & 0x80)
		return n < 128 ? ns >> n : 0;
	while (n-- && ns)
		ns /= 10;
	return ns;
}

/* Returns 1 for a packet, 0 if it cannot be decoded, -1 on error. */
static int take_packet(struct pcap *c, size_t len, struct pcap_packet *p)
{
	uint32_t interface, cap, orig, padded;
	const uint8_t *at = c->block + 20, *value;
	int n;

	if (len < 20)
		return broken(c, "a packet that is cut off");
	interface = get32(c, c->block);
	cap = get32(c, c->block + 12);
	orig = get32(c, c->block + 16);
	padded = (cap + 3) & ~3U;
	if (interface >= c->ports || cap > len - 20 || padded > len - 20)
		return broken(c, "a packet that is cut off");
	p->at = &c->port[interface];
	p->frame = c->frame;
	p->dir = GLASS_DIR_RX;
	p->time_ns = nanoseconds((uint64_t)get32(c, c->block + 4) << 32 | get32(c, c->block + 8),
				 p->at->resolution);
	p->comment[0] = 0;
	n = find_option(c, at + padded, len - 20 - padded, EPB_FLAGS, &value);
	if (n == 4 && (get32(c, value) & 3) == OUTBOUND)
		p->dir = GLASS_DIR_TX;
	n = find_option(c, at + padded, len - 20 - padded, OPT_COMMENT, &value);
	if (n > 0)
		snprintf(p->comment, sizeof(p->comment), "%.*s", n, (const char *)value);
	if (p->at->linktype == LINKTYPE_ERF) {
		if (cap < ERF_HEADER || orig < ERF_HEADER || (at[8] & 0x7f) != ERF_TYPE_IB)
			return 0;
		/* ERF has its own time */
		p->time_ns = erf_time(at);
		at += ERF_HEADER;
		cap -= ERF_HEADER;
		orig -= ERF_HEADER;
	} else if (p->at->linktype == LINKTYPE_ETHERNET) {
		return decode_frame(p, at, cap, orig);
	} else if (p->at->linktype != LINKTYPE_IB) {
		return 0;
	}
	return decode(p, at, cap, orig);
}

bool pcap_open(struct pcap *c, const char *name)
{
	int fd;

	memset(c, 0, sizeof(*c));
	c->name = name;
	if (strcmp(name, "-")) {
		c->from = fopen(name, "re");
	} else {
		/* it may be a socket, which /dev/stdin cannot open */
		fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
		c->from = fd < 0 ? NULL : fdopen(fd, "r");
		if (!c->from && fd >= 0)
			close(fd);
	}
	if (!c->from)
		cli_error("%s: %s", name, strerror(errno));
	return c->from;
}

void pcap_close(struct pcap *c)
{
	if (c->from)
		fclose(c->from);
	free(c->block);
	free(c->port);
}

int pcap_next(struct pcap *c, struct pcap_packet *p)
{
	uint32_t type;
	size_t len;
	int got;

	while ((got = read_block(c, &type, &len)) > 0) {
		c->frame += type == BLOCK_PACKET || type == BLOCK_JOURNAL;
		if (type == BLOCK_INTERFACE)
			got = take_interface(c, len) > 0 ? 0 : -1;
		else if (type == BLOCK_PACKET)
			got = take_packet(c, len, p);
		else
			got = 0;
		if (got)
			return got;
	}
	return got;
}
