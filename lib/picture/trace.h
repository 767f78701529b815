/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes a Chrome trace (JSON), which ui.perfetto.dev and chrome://tracing show: a process for each program
 * and device, a track for each QP, a slice for each message with its stages inside, arrows between the ends,
 * and counters. It writes while it gets observations, and keeps only the last TRACE_MESSAGES messages.
 */
#ifndef GLASS_LIB_PICTURE_TRACE_H
#define GLASS_LIB_PICTURE_TRACE_H

#include <stdio.h>

#include "lib/picture/picture.h"

#define TRACE_MESSAGES 8192 /* more unfinished messages: the oldest is written as it is */
#define TRACE_TRACKS 4096 /* QPs; messages of further ones are counted, but not drawn */
#define TRACE_LANES 4096 /* rows of a QP, for messages that are in flight at one time */

struct picture_trace;

/*
 * tool: name and version of the program. by_moments: the source reports posts, completions and polls, and
 * a message begins with one of these; else it begins with its first packet and ends with its
 * acknowledgement. Returns NULL if out of memory.
 */
struct picture_trace *picture_trace_new(FILE *to, const char *tool, bool by_moments);
void picture_trace_packet(struct picture_trace *t, const struct picture_sight *s);
void picture_trace_moment(struct picture_trace *t, const struct picture_moment *m);
/* Writes unfinished messages and the end, and frees t. lost: observations that the source has lost. */
void picture_trace_end(struct picture_trace *t, uint64_t lost);

#endif
