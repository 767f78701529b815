/* SPDX-License-Identifier: GPL-2.0-only */
/* Call stacks and lint findings, which stories do not have, and how a command records them. */
#ifndef IBWHY_RECORD_H
#define IBWHY_RECORD_H

#include <stdbool.h>

#include "lib/why/story.h"

/*
 * Lets all programs that this process starts record from where they call verbs, and be checked by lint,
 * until record_end(). Without such a driver, or if it refuses, stories have fewer rows.
 */
void record_begin(void);

/* Adds to a story of the driver: lint findings, and if `where`, places in sources (lib/where/story.h). */
void record_add(struct why_story *s, bool where);

void record_end(void);

#endif
