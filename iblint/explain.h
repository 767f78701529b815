/* SPDX-License-Identifier: GPL-2.0-only */
/* Explains codes and behaviours. */
#ifndef IBLINT_EXPLAIN_H
#define IBLINT_EXPLAIN_H

#include "code.h"

/* The folder of the lessons, GL001.md and so on. Tests use another one. */
extern const char *lessons_root;

/*
 * Prints the lessons of the codes. If a lesson is missing, prints the facts from the table instead
 * and returns ST_FAILED after an error message.
 */
int explain(const struct glass_lint_set *set);

/* Print all codes or behaviours, as text or JSON. Return a status. */
int list_codes(bool json);
int list_behaviors(bool json);

#endif
