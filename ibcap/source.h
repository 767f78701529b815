/* SPDX-License-Identifier: GPL-2.0-only */
/* A port that is captured: a session of glassN/capture, or what glassN/flight holds. */
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
	char dev[IBCAP_DEV_MAX];
	unsigned int port; /* 0: all ports (a flight recorder) */
	char name[IBCAP_NAME_MAX]; /* glass0:1 */
	int fd;
	bool ended; /* the record of kind END was read */
	/* records that were read and not used yet: buf[from .. to) */
	uint8_t *buf;
	size_t from, to, room;
};

/* What a session is asked for besides its port; 0 takes the driver's choice. */
struct source_options {
	uint32_t snap, ring;
	const char *matches; /* "match ...\n" lines, or NULL */
};

/*
 * Each returns 0, or -errno with a sentence about it in why (IBCAP_WHY bytes).
 * open: session for one port, configured, not started.
 */
#define IBCAP_WHY 512
int source_open(struct source *s, const char *dev, unsigned int port,
		const struct source_options *o, char *why);
/* open_flight: what the flight recorder has of a device, on all its ports. */
int source_open_flight(struct source *s, const char *dev, char *why);
int source_command(struct source *s, const char *line, char *why);
void source_close(struct source *s);

/*
 * Reads what there is without waiting. Returns 0 (also when nothing is there or
 * the end was reached: see ended), or -errno; -EPROTO: not a record.
 */
int source_fill(struct source *s);

/* Room for another read? Else records have to be used first. */
bool source_full(const struct source *s);

/* The oldest record that was read, or NULL. source_next() goes on to the one behind it. */
const struct glass_cap_record *source_head(const struct source *s);
void source_next(struct source *s);

/* The packet's bytes, which follow the record. */
static inline const uint8_t *source_bytes(const struct glass_cap_record *r)
{
	return (const uint8_t *)r + r->header;
}

#endif
