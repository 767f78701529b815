/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The rules in force: hooks read them under RCU in glass_inject.set[]. The functions are called
 * under glass_inject.lock and may sleep, except glass_force_site().
 */
#ifndef GLASS_INJECT_FORCE_H
#define GLASS_INJECT_FORCE_H

#include "inject/inject.h"

/* The site of a rule, enum glass_inject_site; or -1: the rule acts once, when it is added. */
int glass_force_site(const struct glass_rule *r);

/* Puts a rule in force, as the last of its site. 0 or -ENOMEM. */
int glass_force_add(struct glass_inject *in, struct glass_live_rule *r);

/*
 * Takes a rule out of force, if it is in force. The rule is over already, so it fires no more. A
 * reader that found it before may use it until the end of an RCU grace period.
 */
void glass_force_del(struct glass_inject *in, struct glass_live_rule *r);

/* The same for all rules. */
void glass_force_clear(struct glass_inject *in);

/*
 * The same for all rules that are over. Returns whether there were any. Copies the tiers with holes
 * to close these.
 */
bool glass_force_tidy(struct glass_inject *in);

/* Frees the kvmalloc() or kzalloc() memory that begins with d, after an RCU grace period. */
void glass_force_retire(struct glass_inject *in, struct glass_inject_retired *d, size_t bytes);

/* If more than GLASS_INJECT_RETIRED bytes are retired and not freed, waits until they are freed. */
void glass_force_bound(struct glass_inject *in);

#endif
