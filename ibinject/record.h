/* SPDX-License-Identifier: GPL-2.0-only */
/* Records: files with rules and their firings. */
#ifndef IBINJECT_RECORD_H
#define IBINJECT_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "device.h"

/*
 * Format of a record, in this order:
 *
 *   # ibinject record 1
 *   rule DEV add name=... (as read from inject/rules)
 *   fired DEV seq=... (as read from inject/journal)
 */
#define RECORD_HEAD "# ibinject record 1"

enum record_line { RECORD_NONE, RECORD_COMMENT, RECORD_RULE, RECORD_FIRED };

/* Returns the type of a line. Copies the device to dev and moves *line behind it. */
enum record_line record_parse(const char **line, char *dev, size_t size);

/* A record in memory */
struct recorded_line {
	char dev[DEVICE_NAME];
	char *text;
};

struct recorded {
	struct recorded_line *rule, *fired;
	size_t rules, count;
};

/* Returns false after an error message. The caller frees r in both cases. */
bool recorded_read(struct recorded *r, const char *file);
void recorded_free(struct recorded *r);

/* Returns the recorded rule that fired, or "" if it is missing. */
const char *recorded_rule(const struct recorded *r, const struct recorded_line *fired);

/*
 * Returns a rule that hits exactly the target of a journal's line. The caller frees it. rule: the
 * one that fired. Returns NULL, with the reason in *why, if no such rule exists.
 */
char *replay_rule(const char *fired, const char *rule, const char **why);

#endif
