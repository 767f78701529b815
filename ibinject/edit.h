/* SPDX-License-Identifier: GPL-2.0-only */
/* Adding and ending rules. */
#ifndef IBINJECT_EDIT_H
#define IBINJECT_EDIT_H

#include "device.h"
#include "rule.h"

/* Whether a rule is given to the driver. */
struct dry {
	bool on;	     /* it is not: it is printed */
	const char *capture; /* or it is tried on that capture */
};

/*
 * Checks a rule and gives it to a device (NULL: the only one, or that of the object). Prints its
 * name; with dry->on prints the rule, or what it would have hit, and does nothing. What is wrong is
 * told.
 */
enum status add_rule(const char *dev, const char *text, const struct dry *dry);

#endif
