/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads ibcap's pcapng files packet by packet, and those that others have captured at an Ethernet
 * interface, of which it passes over all but RoCEv2.
 */
#ifndef GLASS_LIB_PCAP_H
#define GLASS_LIB_PCAP_H

#include <stdbool.h>
#include <stdio.h>

#include "lib/debugfs/device.h"
#include "uapi/glass-enums.h"
#include "wire/serial.h"

#define PCAP_COMMENT 512

struct pcap_port {
	char dev[DEVICE_NAME];
	unsigned int port;
	unsigned int linktype;
	uint8_t resolution; /* of times, as the option if_tsresol has it */
};

struct pcap {
	const char *name; /* the file's, for messages */
	FILE *from;
	bool swap; /* the file's byte order differs from the host's */
	struct pcap_port *port;
	size_t ports;
	uint64_t frame; /* frame number, as in Wireshark */
	uint8_t *block;
	size_t room;
};

struct pcap_packet {
	uint64_t frame;
	const struct pcap_port *at;
	enum glass_dir dir;
	uint64_t time_ns; /* CLOCK_REALTIME of the capture */
	char comment[PCAP_COMMENT]; /* from ibcap: key=value */
	struct glass_pkt pkt;	    /* its payload is in the file's buffer, maybe truncated */
	struct glass_seg seg;
	uint8_t bytes[GLASS_PKT_WIRE_MAX];
};

/* Opens a capture. Returns false after an error message. */
bool pcap_open(struct pcap *c, const char *name);
void pcap_close(struct pcap *c);

/*
 * Reads the next packet that can be decoded. Returns 1, 0 at the end, or -1 after an error message
 * if the file is invalid or truncated.
 */
int pcap_next(struct pcap *c, struct pcap_packet *p);

#endif
