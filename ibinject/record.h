/* SPDX-License-Identifier: GPL-2.0-only */
/* Records: what rules there were and what they hit, in a file. */
#ifndef IBINJECT_RECORD_H
#define IBINJECT_RECORD_H

#include <stddef.h>
#include <stdio.h>

/*
 * A record has lines
 *
 *   # ibinject record 1
 *   rule DEV add name=... (as read from inject/rules)
 *   fired DEV seq=... (as read from inject/journal)
 *
 * in this order.
 */
#define RECORD_HEAD "# ibinject record 1"

enum record_line { RECORD_NONE, RECORD_COMMENT, RECORD_RULE, RECORD_FIRED };

/* What a line is; *line goes on behind the device, which comes into dev. */
enum record_line record_parse(const char **line, char *dev, size_t size);

/*
 * The rule that hits what a line of a journal tells, and nothing else: for the caller to free.
 * rule: the one that fired. NULL, and *why: there is no such rule.
 */
char *replay_rule(const char *fired, const char *rule, const char **why);

#endif
