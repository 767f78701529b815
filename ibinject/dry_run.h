/* SPDX-License-Identifier: GPL-2.0-only */
/* What a rule would have done to what a capture has. */
#ifndef IBINJECT_DRY_RUN_H
#define IBINJECT_DRY_RUN_H

#include "rule.h"

/*
 * Prints the packets of a capture that a rule, which was parsed from text, would have hit. dev: only
 * packets of that device's ports; NULL: of all. What is wrong is told.
 */
int dry_run_capture(const char *file, const char *dev, const char *text,
		    const struct glass_rule *rule);

#endif
