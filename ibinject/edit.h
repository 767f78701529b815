/* SPDX-License-Identifier: GPL-2.0-only */
/* Adds and ends rules. */
#ifndef IBINJECT_EDIT_H
#define IBINJECT_EDIT_H

#include "device.h"
#include "rule.h"

/* Dry run: options for a rule that is not given to the driver */
struct dry {
	bool on;	     /* print the rule instead of adding it */
	const char *capture; /* or apply it to this capture */
};

/*
 * Checks a rule and adds it to a device (NULL: the only one, or the device of the rule's object).
 * Prints the rule's name. With dry->on, prints the rule or the packets that it would have hit
 * instead, and adds nothing. Returns a status, after an error message if it is not ST_OK.
 */
enum status add_rule(const char *dev, const char *text, const struct dry *dry);

#endif
