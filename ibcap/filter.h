/* SPDX-License-Identifier: GPL-2.0-only */
/* The filter language over captured packets. */
#ifndef IBCAP_FILTER_H
#define IBCAP_FILTER_H

#include "describe.h"
#include "lib/filter.h"

/* Parses a filter over packets, or says what is wrong with it (to, with a caret) and returns NULL. */
struct glass_filter *filter_parse(const char *text, FILE *to);

bool filter_matches(const struct glass_filter *filter, const struct seen *s);

/*
 * The "match" lines that make the driver hand out these packets alone, one a
 * line; the caller frees them. NULL: the driver cannot be told; then it must hand
 * out all. A text without lines: no packet ever matches.
 */
char *filter_lines(const struct glass_filter *filter);

#endif
