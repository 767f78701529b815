/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The state of rules: streams, counts, the journal. */
#ifndef GLASS_INJECT_BOOKS_H
#define GLASS_INJECT_BOOKS_H

#include "inject/inject.h"

/* Allocates the memory for streams and journal. 0 or -ENOMEM. May sleep. */
int glass_books_open(struct glass_inject *in);
/* Ends the rule: it does not fire any more. */
void glass_books_end(struct glass_inject *in, struct glass_live_rule *r, enum glass_over why);
/* Frees the streams of a rule that is deleted, and notifies its followers. */
void glass_books_forget(struct glass_inject *in, struct glass_live_rule *r);

#endif
