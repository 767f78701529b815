/* SPDX-License-Identifier: GPL-2.0-only */
/* Rules as text: checked by the driver's own parser, refused with the word shown. */
#ifndef IBINJECT_RULE_H
#define IBINJECT_RULE_H

#include <stdio.h>

#include "lib/filter.h"
#include "table.h"

/* Names a file and a line, or a step, in front of an error; NULL: none. */
struct place {
	const char *file;
	unsigned long line, column; /* column: of the text's first byte, from 1 */
};

/*
 * Parses "KEY=VALUE ...", a rule without "add". False: error has what is wrong and where in the
 * text. The rule may be NULL.
 */
bool rule_check(const char *text, struct glass_rule *rule, struct glass_filter_error *error);

/*
 * From what the parser or the driver said of "add TEXT" ("WORD: WHY") to the place of
 * the word in the text, with the nearest word that there is. len 0: the word is not in the text.
 */
void rule_locate(const char *text, const char *told, struct glass_filter_error *error);

/* Tells it on standard error: what is wrong, the text, carets under the place. */
void rule_explain(const struct place *place, const char *text,
		  const struct glass_filter_error *error);

/* Checks the length and form of a name of a rule. */
bool rule_name_ok(const char *name);

/* Splits "DEV:RULE" or "DEV: RULE"; returns the rule, and in dev (empty: none) the device. */
const char *rule_device(const char *text, char *dev, size_t size);

#endif
