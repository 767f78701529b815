/* SPDX-License-Identifier: GPL-2.0-only */
/* Rules as text: the driver's own parser checks them, and errors point to the wrong word. */
#ifndef IBINJECT_RULE_H
#define IBINJECT_RULE_H

#include <stdio.h>

#include "device.h"
#include "lib/filter.h"
#include "table.h"

/* Source of a text, which prefixes errors: file and line; NULL: none */
struct place {
	const char *file;
	unsigned long line, column; /* column: of the text's first byte, from 1 */
};

/*
 * Parses "KEY=VALUE ...", a rule without "add". Returns false with the error and its place in the
 * text. rule may be NULL.
 */
bool rule_check(const char *text, struct glass_rule *rule, struct glass_filter_error *error);

/*
 * Converts an error of the parser or driver to a place in the text, with a suggestion. The text
 * began at byte `from` of the refused command. len 0: the wrong part is not in the text.
 */
void rule_locate(const char *text, size_t from, const struct refusal *told,
		 struct glass_filter_error *error);

/* Prints the error on standard error: the message, the text, and carets below the place. */
void rule_explain(const struct place *place, const char *text,
		  const struct glass_filter_error *error);

/* Checks length and form of a rule's name. */
bool rule_name_ok(const char *name);

/* Splits "DEV:RULE" or "DEV: RULE". Returns the rule, and the device in dev (empty: none). */
const char *rule_device(const char *text, char *dev, size_t size);

#endif
