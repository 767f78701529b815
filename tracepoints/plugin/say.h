/* SPDX-License-Identifier: GPL-2.0-only */
/* What the plug-in's files share: one event being told. */
#ifndef GLASS_PLUGIN_SAY_H
#define GLASS_PLUGIN_SAY_H

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>

#include "observe/words.h"
#include "proto/env.h"
#include "uapi/glass-abi.h"

/* As libtraceevent hands them out; fits %llu. */
typedef unsigned long long number;

struct say {
	struct trace_seq *s;
	struct tep_record *record;
	struct tep_event *event;
	bool bad; /* a field was missing */
};

/* The word of a value, "?" when the table has none. */
#define WORD(table, value) say_word(table, sizeof(table) / sizeof((table)[0]), value)

static inline const char *say_word(const char *const *table, size_t n, number value)
{
	return value < n && table[value] ? table[value] : "?";
}

/* A field's value; a missing one makes y->bad. */
number say_num(struct say *y, const char *field);
const char *say_text(struct say *y, const char *field);

/* " #HCA-QPN-WQE", so that grep finds what belongs together; nothing when there is none. Returns 0. */
int say_flow(struct say *y);
/* ", NAK: remote access error" and so on */
void say_syndrome(struct say *y, number syndrome);

int say_pkt_tx(struct say *y);
int say_pkt_rx(struct say *y);
int say_pkt_drop(struct say *y);
int say_mad(struct say *y);

#endif
