/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The changing state of rules: streams, counts and the journal (inject.h). */
#ifndef GLASS_INJECT_BOOKS_H
#define GLASS_INJECT_BOOKS_H

#include "inject/inject.h"

/*
 * Allocates the memory for streams and journal, if there is none yet. Returns 0 or -ENOMEM. The
 * caller holds glass_inject.lock. May sleep.
 */
int glass_books_open(struct glass_inject *in);
/*
 * Marks the rule as over, so that it fires no more. `why` is the reason. A rule that is over
 * already keeps its first reason.
 */
void glass_books_end(struct glass_inject *in, struct glass_live_rule *r, enum glass_over why);
/*
 * Part of the deletion of a rule: marks the rule as over, and frees its streams. In each other rule
 * whose `after` is the deleted rule, sets `after` to NULL, and sets after_never if the deleted rule
 * has not fired often enough. The caller holds glass_inject.lock, and has removed the rule from the
 * list.
 */
void glass_books_forget(struct glass_inject *in, struct glass_live_rule *r);

#endif
