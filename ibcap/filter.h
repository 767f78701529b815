/* SPDX-License-Identifier: GPL-2.0-only */
/* Evaluates the filter language on captured packets. */
#ifndef IBCAP_FILTER_H
#define IBCAP_FILTER_H

#include "describe.h"
#include "lib/filter.h"

/*
 * Parses a filter on packets. On error, prints the message to `to`, with carets, and returns NULL.
 */
struct glass_filter *filter_parse(const char *text, FILE *to);

bool filter_matches(const struct glass_filter *filter, const struct seen *s);

/*
 * Returns "match" lines, which make the driver deliver only matching packets. The caller frees
 * them. Returns NULL if the driver cannot express the filter: it must then deliver all packets. An
 * empty text means that no packet matches.
 */
char *filter_lines(const struct glass_filter *filter);

#endif
