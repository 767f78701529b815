/* SPDX-License-Identifier: GPL-2.0-only */
/* Where a capture goes: one pcapng file, standard output, or files that take turns. */
#ifndef IBCAP_OUTPUT_H
#define IBCAP_OUTPUT_H

#include "describe.h"
#include "pcapng.h"

struct output_interface {
	const char *name;
	char description[64];
	uint64_t packets, bytes; /* that matched, in all files; kept by the capture */
	uint64_t lost; /* so far */
	uint64_t lost_told; /* of them, in packets of the current file */
	uint64_t in_file;
};

struct output {
	const char *path; /* "-" is standard output */
	const char *filter;
	uint32_t snap;
	uint64_t max_bytes; /* a file is closed when it is longer; 0: never */
	unsigned int max_files; /* the oldest is removed when there are more; 0: never */
	size_t num_interfaces;
	struct output_interface *interfaces;

	FILE *file;
	uint64_t written; /* bytes of the current file */
	unsigned int number; /* of the current file, from 1, when files take turns */
	uint64_t start_ns;
};

/* All return 0, or -errno. The interfaces must be filled in before the first. */
int output_open(struct output *o);
int output_packet(struct output *o, size_t interface, const struct seen *s, const char *comment);
/* A bookmark of a device. */
int output_mark(struct output *o, uint64_t time_ns, const char *dev, const char *text);
int output_flush(struct output *o);
/* Statistics, the end of the file. */
int output_close(struct output *o);

#endif
