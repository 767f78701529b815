/* SPDX-License-Identifier: GPL-2.0-only */
/* Internal to the library: tracks and events of a Chrome trace. */
#ifndef GLASS_LIB_PICTURE_TRACE_OUT_H
#define GLASS_LIB_PICTURE_TRACE_OUT_H

#include <stdio.h>

#include "lib/picture/trace.h"

#define TRACE_HASH (2 * TRACE_TRACKS)

/* A program on a device: a "process" of the trace */
struct trace_process {
	char dev[PICTURE_DEV], comm[PICTURE_COMM];
	uint32_t pid;
	uint64_t bucket, bytes; /* sent in this piece of time, for the rate */
};

struct trace_lane {
	uint32_t tid;
	uint64_t end_ns; /* of the last slice */
};

/* A QP */
struct trace_track {
	char dev[PICTURE_DEV], comm[PICTURE_COMM];
	uint32_t qpn, pid;
	uint32_t process; /* number of the process + 1; 0: none was written yet */
	struct trace_lane *lanes;
	uint32_t num_lanes, room;
	uint32_t outstanding; /* messages */
	uint32_t oldest, newest; /* unfinished messages, by their posts: slot + 1; 0: none */
};

struct trace_out {
	FILE *to;
	bool any; /* an event was written: the next one needs a comma */
	uint64_t base_ns; /* zero of the trace's time */
	struct trace_track *tracks;
	uint32_t num_tracks, *hash;
	struct trace_process *processes;
	uint32_t num_processes, tids;
	uint64_t arrows, undrawn;
};

/* Returns false if out of memory. */
bool trace_out_init(struct trace_out *o, FILE *to);
void trace_out_free(struct trace_out *o);
void trace_out_begin(struct trace_out *o, uint64_t first_ns);

/* Returns the track of a QP, which is made if there is none; NULL: there are too many. */
struct trace_track *trace_track(struct trace_out *o, const char *dev, uint32_t qpn);
void trace_track_owner(struct trace_track *k, const char *comm, uint32_t pid);

/*
 * Finds room for a slice in a lane of the track: slices of a lane do not overlap. Returns NULL if there are
 * too many; the slice is then counted as not drawn.
 */
struct trace_lane *trace_lane(struct trace_out *o, struct trace_track *k, uint64_t from_ns,
			      uint64_t to_ns);
/* Begins a slice; its arguments follow by trace_arg_*(), then trace_slice_end(). */
void trace_slice(struct trace_out *o, const struct trace_track *k, const struct trace_lane *lane,
		 const char *category, const char *name, uint64_t from_ns, uint64_t to_ns);
void trace_arg_number(struct trace_out *o, const char *key, uint64_t n);
void trace_arg_hex(struct trace_out *o, const char *key, uint64_t n);
void trace_arg_text(struct trace_out *o, const char *key, const char *text);
void trace_slice_end(struct trace_out *o);
/* Writes an arrow between slices that enclose these times. */
void trace_arrow(struct trace_out *o, const char *name, const struct trace_track *from,
		 const struct trace_lane *from_lane, uint64_t from_ns, const struct trace_track *to,
		 const struct trace_lane *to_lane, uint64_t to_ns);
/* Writes a point in time; arguments follow, then trace_slice_end(). */
void trace_instant(struct trace_out *o, struct trace_track *k, const char *name, uint64_t ns);
void trace_outstanding(struct trace_out *o, struct trace_track *k, int more, uint64_t ns);
/* Counts bytes that a QP sends, and writes their rate once in each TRACE_BUCKET_NS. */
void trace_sent_bytes(struct trace_out *o, struct trace_track *k, uint64_t bytes, uint64_t ns);
#define TRACE_BUCKET_NS 1000000
/* Writes the last rates. */
void trace_rates_end(struct trace_out *o);

#endif
