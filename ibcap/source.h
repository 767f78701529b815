/* SPDX-License-Identifier: GPL-2.0-only */
/* A source of packets: a session of glassN/capture on a port, or the contents of glassN/flight. */
#ifndef IBCAP_SOURCE_H
#define IBCAP_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uapi/glass-capture.h"

#define IBCAP_DEBUGFS "/sys/kernel/debug/glass"
#define IBCAP_DEV_MAX 64
#define IBCAP_NAME_MAX 80

struct source {
	char dev[IBCAP_DEV_MAX]; /* the folder in debugfs: of a device, or FABRIC_DIR */
	unsigned int port; /* 0: all ports */
	bool node; /* of nodes of the fabric, not of a device */
	char name[IBCAP_NAME_MAX]; /* glass0:1 */
	int fd;
	bool ended; /* the END record was read */
	bool skip_hops; /* of a flight recorder: the last sender was at a port that is not wanted */
	/* a capture that is opened for reading alone takes no commands, and has all ports */
	bool bare;
	uint64_t stop_ns; /* bare: CLOCK_REALTIME of its end; 0: it goes on */
	/* records that were read but not used yet: buf[from .. to) */
	uint8_t *buf;
	size_t from, to, room;
};

/* Options of a session besides its port; 0 means the driver's default */
struct source_options {
	uint32_t snap, ring;
	const char *matches; /* "match ...\n" lines, or NULL */
};

/*
 * Each returns 0, or -errno with a sentence about the error in why (IBCAP_WHY bytes).
 * source_open() opens and configures a session on one port, but does not start it.
 */
#define IBCAP_WHY 512
int source_open(struct source *s, const char *dev, unsigned int port,
		const struct source_options *o, char *why);
/* As source_open(), for a switch or passive adapter; node FABRIC_DIR: all of them. */
int source_open_node(struct source *s, const char *node, unsigned int port,
		     const struct source_options *o, char *why);
/*
 * Opens a session on all ports that begins at once, and takes no commands: for a kernel that is
 * locked down, where source_open() fails with -EPERM.
 */
int source_open_bare(struct source *s, const char *dev, char *why);
/* Ends a session: "stop" by a command, or at this time. Records that it has can still be read. */
int source_stop(struct source *s, uint64_t now_ns, char *why);
/* Opens the contents of a device's flight recorder, for all its ports. */
int source_open_flight(struct source *s, const char *dev, char *why);
int source_command(struct source *s, const char *line, char *why);
void source_close(struct source *s);

/*
 * Reads available records without waiting. Returns 0, also if there are none or at the end (see
 * ended), or -errno. -EPROTO: invalid record.
 */
int source_fill(struct source *s);

/* Is the buffer full? Then use records before the next read. */
bool source_full(const struct source *s);

/* Returns the oldest unused record, or NULL. source_next() advances to the following one. */
static inline const struct glass_cap_record *source_head(const struct source *s)
{
	return s->from < s->to ? (const void *)(s->buf + s->from) : NULL;
}

static inline void source_next(struct source *s)
{
	const struct glass_cap_record *r = source_head(s);

	s->from += r->len;
	if (r->kind == GLASS_CAP_END)
		s->ended = true;
}

/*
 * Returns the name of the node of a record with GLASS_CAP_HOP, at most GLASS_CAP_NODE bytes; "" if
 * the driver is older than these records.
 */
static inline const char *record_node(const struct glass_cap_record *r)
{
	return r->header >= offsetof(struct glass_cap_record, node) + sizeof(r->node) ? r->node : "";
}

/* Returns the packet's bytes, which follow the record. */
static inline const uint8_t *source_bytes(const struct glass_cap_record *r)
{
	return (const uint8_t *)r + r->header;
}

#endif
