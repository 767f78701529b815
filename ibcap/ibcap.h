/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the parts of ibcap: options and exit statuses. */
#ifndef IBCAP_H
#define IBCAP_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/picture/outputs.h"
#include "source.h"

enum {
	IBCAP_OK = 0,
	IBCAP_FAILED = 1, /* a write failed, the device is gone ... */
	IBCAP_USAGE = 2, /* wrong arguments, or an invalid filter */
	IBCAP_NO_DEVICE = 3, /* no such device or port, or not root */
};

#define IBCAP_PORTS 16 /* limit of the driver's concurrent captures */

struct ibcap_port {
	char dev[IBCAP_DEV_MAX]; /* a device, or a node of the fabric; FABRIC_DIR: all nodes */
	unsigned int port; /* 0: all ports of the node */
	bool node; /* a switch or a passive adapter */
};

struct ibcap_options {
	const char *file; /* NULL: lines on standard output, unless a picture is asked for */
	const char *read; /* a file to read in place of ports; NULL: none */
	const char *filter;
	uint32_t snap, ring;
	uint64_t count; /* 0: no limit */
	uint64_t megabytes;
	unsigned int files;
	bool flight, json, quiet;
	struct picture_outputs pictures;
	struct ibcap_port ports[IBCAP_PORTS];
	size_t num_ports;
};

/* Reads o->read, and prints its packets or draws pictures. Returns an exit status. */
int ibcap_read(struct ibcap_options *o);

/* Runs a capture until its count, SIGINT or SIGTERM. Returns an exit status. */
int ibcap_capture(struct ibcap_options *o);

/*
 * Adds DEV:PORT, or all ports of DEV. DEV is a device, a switch or a passive adapter, or FABRIC_DIR:
 * all of these nodes. Returns 0, or an exit status after an error message.
 */
int ibcap_add_ports(struct ibcap_options *o, const char *arg);

/* Returns the number of ports of a Glass device, or 0 if it does not exist. */
unsigned int ibcap_device_ports(const char *dev);

/* Is this device one with an Ethernet port? False if it does not exist. */
bool ibcap_is_ethernet(const char *dev);

/*
 * extcap.c: handles a call by Wireshark. Returns true if argv is one, with the exit status in
 * *status.
 */
bool ibcap_extcap(int argc, char **argv, int *status);

void ibcap_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
