// SPDX-License-Identifier: GPL-2.0-only
#include <endian.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "pcapng.h"

enum {
	BLOCK_SECTION = 0x0a0d0d0a,
	BLOCK_INTERFACE = 1,
	BLOCK_STATISTICS = 5,
	BLOCK_PACKET = 6,
	BLOCK_JOURNAL = 9,
};

enum {
	OPT_END = 0,
	OPT_COMMENT = 1,
	SHB_OS = 3,
	SHB_APPLICATION = 4,
	IF_NAME = 2,
	IF_DESCRIPTION = 3,
	IF_TSRESOL = 9,
	IF_FILTER = 11,
	EPB_FLAGS = 2,
	EPB_DROPCOUNT = 4,
	ISB_START = 2,
	ISB_END = 3,
	ISB_IFRECV = 4,
	ISB_OSDROP = 7,
	ISB_USRDELIV = 8,
};

#define BYTE_ORDER_MAGIC 0x1a2b3c4d
#define INBOUND 1
#define OUTBOUND 2

/* A block under construction, of other kinds than packets: room for its fields and options */
struct block {
	size_t len;
	_Alignas(8) uint8_t bytes[8192];
};

static void put(struct block *b, const void *data, size_t len)
{
	memcpy(b->bytes + b->len, data, len);
	b->len += len;
	while (b->len % 4)
		b->bytes[b->len++] = 0;
}

static void put16(struct block *b, uint16_t v)
{
	memcpy(b->bytes + b->len, &v, sizeof(v));
	b->len += sizeof(v);
}

static void put32(struct block *b, uint32_t v)
{
	put(b, &v, sizeof(v));
}

static void put_time(struct block *b, uint64_t ns)
{
	put32(b, ns >> 32);
	put32(b, (uint32_t)ns);
}

static void begin(struct block *b, uint32_t type)
{
	b->len = 0;
	put32(b, type);
	put32(b, 0);
}

static void option(struct block *b, uint16_t code, const void *data, size_t len)
{
	put16(b, code);
	put16(b, len);
	put(b, data, len);
}

/* bytes of a packet: with its options and comment it fits PCAPNG_PACKET_MAX */
#define FRAME_MAX 12288
#define TEXT_MAX 1024 /* limit for the text of an option; longer text is truncated */

static void text_option(struct block *b, uint16_t code, const char *text)
{
	size_t len = text ? strlen(text) : 0;

	if (len)
		option(b, code, text, len < TEXT_MAX ? len : TEXT_MAX);
}

static void option64(struct block *b, uint16_t code, uint64_t v)
{
	option(b, code, &v, sizeof(v));
}

static void time_option(struct block *b, uint16_t code, uint64_t ns)
{
	uint32_t parts[2] = { ns >> 32, (uint32_t)ns };

	option(b, code, parts, sizeof(parts));
}

static long finish_without_options(struct block *b, FILE *to)
{
	uint32_t total = b->len + 4;

	put32(b, total);
	memcpy(b->bytes + 4, &total, sizeof(total));
	return fwrite(b->bytes, 1, b->len, to) == b->len ? (long)b->len : -1;
}

static long finish(struct block *b, FILE *to)
{
	option(b, OPT_END, "", 0);
	return finish_without_options(b, to);
}

long pcapng_section(FILE *to, const char *application)
{
	uint64_t unknown_length = ~0ULL;
	struct utsname uts;
	struct block b;
	char os[160];

	begin(&b, BLOCK_SECTION);
	put32(&b, BYTE_ORDER_MAGIC);
	put16(&b, 1);
	put16(&b, 0);
	put(&b, &unknown_length, sizeof(unknown_length));
	if (!uname(&uts)) {
		snprintf(os, sizeof(os), "%s %s", uts.sysname, uts.release);
		text_option(&b, SHB_OS, os);
	}
	text_option(&b, SHB_APPLICATION, application);
	return finish(&b, to);
}

long pcapng_interface(FILE *to, const struct pcapng_interface *i)
{
	const uint8_t nanoseconds = 9;
	char filter[TEXT_MAX];
	struct block b;

	begin(&b, BLOCK_INTERFACE);
	put16(&b, i->ethernet ? PCAPNG_LINKTYPE_ETHERNET : PCAPNG_LINKTYPE_ERF);
	put16(&b, 0);
	put32(&b, i->snap ? i->snap + (i->ethernet ? ETHERNET_HEADER : ERF_HEADER) : 0);
	text_option(&b, IF_NAME, i->name);
	text_option(&b, IF_DESCRIPTION, i->description);
	option(&b, IF_TSRESOL, &nanoseconds, 1);
	if (i->filter && *i->filter) {
		/* the first byte is the type of filter: 0 is text */
		filter[0] = 0;
		snprintf(filter + 1, sizeof(filter) - 1, "%s", i->filter);
		option(&b, IF_FILTER, filter, 1 + strlen(filter + 1));
	}
	return finish(&b, to);
}

struct erf {
	uint64_t time;
	uint8_t type, flags;
	uint16_t rlen, lctr, wlen;
};

_Static_assert(sizeof(struct erf) == ERF_HEADER, "no padding");

void erf_header(uint8_t to[ERF_HEADER], uint64_t time_ns, uint32_t cap_len, uint32_t orig_len,
		uint32_t interface)
{
	uint64_t seconds = time_ns / 1000000000;
	uint64_t rest = time_ns % 1000000000;
	/* rounded binary fraction of a second: it converts back to the same nanosecond */
	uint64_t fraction = ((rest << 32) + 500000000) / 1000000000;

	/* bits 0-1: interface; bit 2: variable length; bit 3: truncated */
	uint8_t flags = (interface & 3) | 0x04 | (cap_len < orig_len ? 0x08 : 0);
	struct erf header = {
		.time = htole64((seconds << 32) + fraction),
		.type = ERF_TYPE_INFINIBAND,
		.flags = flags,
		.rlen = htobe16(ERF_HEADER + cap_len),
		.wlen = htobe16(orig_len),
	};

	memcpy(to, &header, sizeof(header));
}

void ethernet_header(uint8_t to[ETHERNET_HEADER], uint8_t ip)
{
	uint16_t type = htobe16(ip >> 4 == 4 ? ETH_P_IP : ETH_P_IPV6);

	memset(to, 0, ETHERNET_HEADER);
	memcpy(to + 12, &type, sizeof(type));
}

/* The fields of a packet's block before the packet */
struct packet_head {
	uint32_t type, total, interface, time_high, time_low, cap_len, orig_len;
};

/* The options that every packet has, in their order behind the comment, and the end of the block */
struct packet_flags {
	uint16_t code, len;
	uint32_t flags;
};

struct packet_end {
	uint16_t code, len;
	uint32_t total;
};

#define OPTION_HEADER 4

/* Adds zeros up to the next multiple of 4 bytes. Returns the end. */
static size_t pad(uint8_t *block, size_t at)
{
	memset(block + at, 0, 4);
	return (at + 3) & ~(size_t)3;
}

char *pcapng_packet_begin(uint8_t *block, const struct pcapng_packet *p)
{
	size_t header = p->ethernet ? ETHERNET_HEADER : ERF_HEADER;
	struct packet_head head = {
		.type = BLOCK_PACKET,
		.interface = p->interface,
		.time_high = p->time_ns >> 32,
		.time_low = (uint32_t)p->time_ns,
		.cap_len = header + p->cap_len,
		.orig_len = header + p->orig_len,
	};
	uint8_t *frame = block + sizeof(head);

	if (p->cap_len > FRAME_MAX || (p->ethernet && !p->cap_len)) {
		errno = EMSGSIZE;
		return NULL;
	}
	memcpy(block, &head, sizeof(head));
	if (p->ethernet)
		ethernet_header(frame, *(const uint8_t *)p->data);
	else
		erf_header(frame, p->time_ns, p->cap_len, p->orig_len, p->interface);
	memcpy(frame + header, p->data, p->cap_len);
	return (char *)block + pad(block, sizeof(head) + head.cap_len) + OPTION_HEADER;
}

size_t pcapng_packet_end(uint8_t *block, const struct pcapng_packet *p, char *comment, size_t len)
{
	struct packet_flags flags = { EPB_FLAGS, 4, p->outbound ? OUTBOUND : INBOUND };
	size_t at = (uint8_t *)comment - OPTION_HEADER - block;
	struct packet_end end = { .code = OPT_END };

	if (len) {
		uint16_t option[] = { OPT_COMMENT, len };

		memcpy(block + at, option, sizeof(option));
		at = pad(block, at + OPTION_HEADER + len);
	}
	memcpy(block + at, &flags, sizeof(flags));
	at += sizeof(flags);
	if (p->lost) {
		uint16_t option[] = { EPB_DROPCOUNT, sizeof(p->lost) };

		memcpy(block + at, option, sizeof(option));
		memcpy(block + at + OPTION_HEADER, &p->lost, sizeof(p->lost));
		at += OPTION_HEADER + sizeof(p->lost);
	}
	end.total = at + sizeof(end);
	memcpy(block + at, &end, sizeof(end));
	memcpy(block + offsetof(struct packet_head, total), &end.total, sizeof(end.total));
	return end.total;
}

/* Writes the journal's export format: lines of FIELD=text, with the time in microseconds. */
long pcapng_note(FILE *to, uint64_t time_ns, const char *origin, const char *text)
{
	char entry[2 * TEXT_MAX];
	struct block b;
	int len;

	if (strpbrk(origin, "\n") || strpbrk(text, "\n")) {
		errno = EINVAL;
		return -1;
	}
	len = snprintf(entry, sizeof(entry),
		       "__REALTIME_TIMESTAMP=%" PRIu64 "\nPRIORITY=5\nSYSLOG_IDENTIFIER=%.64s\nMESSAGE=%.*s\n",
		       time_ns / 1000, origin, TEXT_MAX, text);
	begin(&b, BLOCK_JOURNAL);
	put(&b, entry, len);
	return finish_without_options(&b, to);
}

long pcapng_statistics(FILE *to, const struct pcapng_statistics *s)
{
	struct block b;

	begin(&b, BLOCK_STATISTICS);
	put32(&b, s->interface);
	put_time(&b, s->end_ns);
	time_option(&b, ISB_START, s->start_ns);
	time_option(&b, ISB_END, s->end_ns);
	option64(&b, ISB_IFRECV, s->received);
	option64(&b, ISB_OSDROP, s->lost);
	option64(&b, ISB_USRDELIV, s->delivered);
	return finish(&b, to);
}
