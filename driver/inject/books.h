/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The state that rules change when they are asked: streams, counts, the journal (inject.h). */
#ifndef GLASS_INJECT_BOOKS_H
#define GLASS_INJECT_BOOKS_H

#include "inject/inject.h"

/*
 * Allocates the memory for streams and journal, if there is none. 0 or -ENOMEM. The caller holds
 * glass_inject.lock. May sleep.
 */
int glass_books_open(struct glass_inject *in);
/* Marks the rule as over: it does not fire any more. Keeps an earlier reason. */
void glass_books_end(struct glass_inject *in, struct glass_live_rule *r, enum glass_over why);
/*
 * Call it before a rule is deleted: frees its streams, and notes in rules whose `after` it is
 * whether it has fired often enough for them. The caller holds glass_inject.lock.
 */
void glass_books_forget(struct glass_inject *in, struct glass_live_rule *r);

#endif
