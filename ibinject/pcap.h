/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads captures: pcapng files of ibcap, packet by packet. */
#ifndef IBINJECT_PCAP_H
#define IBINJECT_PCAP_H

#include <stdbool.h>
#include <stdio.h>

#include "device.h"
#include "uapi/glass-enums.h"
#include "wire/serial.h"

#define PCAP_COMMENT 512

struct pcap_port {
	char dev[DEVICE_NAME];
	unsigned int port;
	unsigned int linktype;
};

struct pcap {
	const char *name; /* of the file, for messages */
	FILE *from;
	bool swap; /* the file is in the other byte order */
	struct pcap_port *port;
	size_t ports;
	uint64_t frame; /* as Wireshark numbers them */
	uint8_t *block;
	size_t room;
};

struct pcap_packet {
	uint64_t frame;
	const struct pcap_port *at;
	enum glass_dir dir;
	char comment[PCAP_COMMENT]; /* what ibcap tells of it: key=value */
	struct glass_pkt pkt;	    /* its payload is in the file's buffer, and may be cut */
	struct glass_seg seg;
	uint8_t bytes[GLASS_PKT_WIRE_MAX];
};

/* Opens a capture; false: told. */
bool pcap_open(struct pcap *c, const char *name);
void pcap_close(struct pcap *c);

/* The next packet that can be decoded: 1, 0 at the end, -1 told: not a capture, or it is cut off. */
int pcap_next(struct pcap *c, struct pcap_packet *p);

#endif
