/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* What rules remember: streams, counts, the journal. */
#ifndef GLASS_INJECT_BOOKS_H
#define GLASS_INJECT_BOOKS_H

#include "inject/inject.h"

/* Sees that there is memory for streams and journal. 0 or -ENOMEM. May sleep. */
int glass_books_open(struct glass_inject *in);
/* The rule does not fire any more. */
void glass_books_end(struct glass_inject *in, struct glass_live_rule *r, enum glass_over why);
/* The rule goes: its streams are forgotten, and who waits for it is told. */
void glass_books_forget(struct glass_inject *in, struct glass_live_rule *r);

#endif
