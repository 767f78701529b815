/* SPDX-License-Identifier: GPL-2.0-only */
/* What the codes and the behaviours mean. */
#ifndef IBLINT_EXPLAIN_H
#define IBLINT_EXPLAIN_H

#include "code.h"

/* Where the lessons lie, GL001.md ...; tests have theirs somewhere else. */
extern const char *lessons_root;

/*
 * Prints what codes mean: their lessons. Returns ST_FAILED, told, when there is none of one: then
 * it prints what the table says.
 */
int explain(const struct code_set *set);

/* Prints all codes or behaviours, as text or JSON. Returns a status. */
int list_codes(bool json);
int list_behaviors(bool json);

#endif
