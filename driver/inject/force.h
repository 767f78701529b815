/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The rules in force: the state that readers see under RCU in glass_inject.set[]. All functions are
 * called under glass_inject.lock and may sleep.
 */
#ifndef GLASS_INJECT_FORCE_H
#define GLASS_INJECT_FORCE_H

#include "inject/inject.h"

/* enum glass_inject_site, or -1: the rule acts once, when it is added. */
int glass_force_site(const struct glass_rule *r);

/* Puts a rule in force, as the last of its site. 0 or -ENOMEM. */
int glass_force_add(struct glass_inject *in, struct glass_live_rule *r);

/*
 * Takes a rule out of force, if it is in force. It is `over` already, so it fires no more. A reader
 * that found it before may use it for one more RCU grace period.
 */
void glass_force_del(struct glass_inject *in, struct glass_live_rule *r);

/* The same for all rules. */
void glass_force_clear(struct glass_inject *in);

/*
 * The same for rules that are over. Returns whether there were any. Frees the holes of removed
 * rules.
 */
bool glass_force_tidy(struct glass_inject *in);

/* Frees memory from kvmalloc() or kzalloc() that begins with d, one RCU grace period later. */
void glass_force_retire(struct glass_inject *in, struct glass_inject_retired *d, size_t bytes);

/* Waits until retired memory is freed if that is more than GLASS_INJECT_RETIRED bytes. May sleep. */
void glass_force_bound(struct glass_inject *in);

#endif
