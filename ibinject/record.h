/* SPDX-License-Identifier: GPL-2.0-only */
/* Records: what rules there were and what they hit, in a file. */
#ifndef IBINJECT_RECORD_H
#define IBINJECT_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "device.h"

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

/* A record that was read. */
struct recorded_line {
	char dev[DEVICE_NAME];
	char *text;
};

struct recorded {
	struct recorded_line *rule, *fired;
	size_t rules, count;
};

/* False: told. To be freed in both cases. */
bool recorded_read(struct recorded *r, const char *file);
void recorded_free(struct recorded *r);

/* The rule that fired, as it was recorded; "" when it is not there. */
const char *recorded_rule(const struct recorded *r, const struct recorded_line *fired);

/*
 * The rule that hits what a line of a journal tells, and nothing else: for the caller to free.
 * rule: the one that fired. NULL, and *why: there is no such rule.
 */
char *replay_rule(const char *fired, const char *rule, const char **why);

#endif
