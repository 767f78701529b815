/* SPDX-License-Identifier: GPL-2.0-only */
/* Applies a rule to the packets of a capture, instead of live ones. */
#ifndef IBINJECT_DRY_RUN_H
#define IBINJECT_DRY_RUN_H

#include "rule.h"

/*
 * Prints the packets of a capture that a rule would have hit. text: the source of the rule. dev:
 * only packets of that device's ports; NULL: all. Returns a status, after an error message if it is
 * not ST_OK.
 */
int dry_run_capture(const char *file, const char *dev, const char *text,
		    const struct glass_rule *rule);

#endif
