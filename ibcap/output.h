/* SPDX-License-Identifier: GPL-2.0-only */
/* The output of a capture: a pcapng file, standard output, or rotating files. */
#ifndef IBCAP_OUTPUT_H
#define IBCAP_OUTPUT_H

#include <stdbool.h>

#include "describe.h"
#include "pcapng.h"

struct output_interface {
	const char *name;
	char description[64];
	bool ethernet; /* an Ethernet port; false: InfiniBand */
	uint64_t packets, bytes; /* matching packets in all files; updated by the capture */
	uint64_t lost; /* total so far */
	uint64_t lost_told; /* part of it already reported with packets of the current file */
	uint64_t in_file;
};

struct output {
	const char *path; /* "-" is standard output */
	const char *filter;
	uint32_t snap;
	uint64_t max_bytes; /* a larger file is closed; 0: no limit */
	unsigned int max_files; /* limit of files, after which the oldest is removed; 0: no limit */
	size_t num_interfaces;
	struct output_interface *interfaces;

	FILE *file;
	/* blocks of packets, made in place, which go to `file` by one call */
	_Alignas(8) uint8_t pending[65536];
	size_t num_pending; /* bytes */
	struct describe_memo memos[DESCRIBE_MEMOS];
	uint64_t written; /* bytes in the current file, with those that are pending */
	unsigned int number; /* of the current file, from 1, if files rotate */
	uint64_t start_ns;
};

/* All return 0 or -errno. Fill in the interfaces before the first call. */
int output_open(struct output *o);
/* Writes a packet with its facts as its comment. */
int output_packet(struct output *o, size_t interface, const struct glass_cap_record *r);
/*
 * Writes the interface behind the last one, which the caller has filled in while the output was
 * open, and counts it.
 */
int output_another(struct output *o);
/* Writes a bookmark of a device. */
int output_mark(struct output *o, uint64_t time_ns, const char *dev, const char *text);
int output_flush(struct output *o);
/* Writes the statistics and ends the file. */
int output_close(struct output *o);

#endif
