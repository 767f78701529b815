/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of ibcap share: the options and the exit statuses. */
#ifndef IBCAP_H
#define IBCAP_H

#include <stdbool.h>
#include <stdint.h>

#include "source.h"

enum {
	IBCAP_OK = 0,
	IBCAP_FAILED = 1, /* writing failed, the device went away ... */
	IBCAP_USAGE = 2, /* wrong arguments, a filter that is none */
	IBCAP_NO_DEVICE = 3, /* no such device or port, or not root */
};

#define IBCAP_PORTS 16 /* what the driver captures at a time */

struct ibcap_port {
	char dev[IBCAP_DEV_MAX];
	unsigned int port;
};

struct ibcap_options {
	const char *file; /* NULL: lines on standard output */
	const char *filter;
	uint32_t snap, ring;
	uint64_t count; /* 0: no end */
	uint64_t megabytes;
	unsigned int files;
	bool flight, json, quiet;
	struct ibcap_port ports[IBCAP_PORTS];
	size_t num_ports;
};

/* Runs a capture until its count, SIGINT or SIGTERM. Returns an exit status. */
int ibcap_capture(const struct ibcap_options *o);

/*
 * Adds DEV:PORT, or every port of DEV. Returns 0 or an exit status, having said
 * why. Devices are told by their directories in debugfs.
 */
int ibcap_add_ports(struct ibcap_options *o, const char *arg);

/* Number of ports of a Glass device; 0: there is no such device. */
unsigned int ibcap_device_ports(const char *dev);

/* extcap.c: Wireshark asks. Returns true when argv is of that sort, with the exit status in *status. */
bool ibcap_extcap(int argc, char **argv, int *status);

void ibcap_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
