/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the plug-in's files: the state while one event is printed. */
#ifndef GLASS_PLUGIN_SAY_H
#define GLASS_PLUGIN_SAY_H

#include <arpa/inet.h>
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>

#include "observe/words.h"
#include "proto/env.h"
#include "uapi/glass-abi.h"

/* The type of libtraceevent's values, as %llu takes it */
typedef unsigned long long number;

struct say {
	struct trace_seq *s;
	struct tep_record *record;
	struct tep_event *event;
	bool bad; /* a field was missing */
};

/* The word for a value; "?" if the table has none */
#define WORD(table, value) say_word(table, sizeof(table) / sizeof((table)[0]), value)

static inline const char *say_word(const char *const *table, size_t n, number value)
{
	return value < n && table[value] ? table[value] : "?";
}

/* Returns the value of a field. If the field is missing, sets y->bad. */
number say_num(struct say *y, const char *field);
const char *say_text(struct say *y, const char *field);

/*
 * Prints " #HCA-QPN-WQE", by which grep finds related lines; nothing if there is no flow. Returns
 * 0.
 */
int say_flow(struct say *y);
/* Prints ", NAK: remote access error" and the like. */
void say_syndrome(struct say *y, number syndrome);

int say_pkt_tx(struct say *y);
int say_pkt_rx(struct say *y);
int say_pkt_drop(struct say *y);
int say_mad(struct say *y);

#endif
