/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The rules in force (inject.h). Hooks read them under RCU in glass_inject.set[]. The caller of
 * each function except glass_force_site() holds glass_inject.lock. The functions may sleep.
 */
#ifndef GLASS_INJECT_FORCE_H
#define GLASS_INJECT_FORCE_H

#include "inject/inject.h"

/*
 * Returns the site of a rule (enum glass_inject_site). Returns -1 for a rule on an object, a port
 * or the device, because no hook asks such a rule. Any context.
 */
int glass_force_site(const struct glass_rule *r);

/* Puts a rule in force. Hooks ask it after the other rules of its site. Returns 0 or -ENOMEM. */
int glass_force_add(struct glass_inject *in, struct glass_live_rule *r);

/*
 * Takes a rule out of force. Does nothing if the rule is not in force. The caller has marked the
 * rule as over, so it fires no more. A hook that has found the rule may use it until the end of an
 * RCU grace period.
 */
void glass_force_del(struct glass_inject *in, struct glass_live_rule *r);

/*
 * Takes all rules out of force. The caller has marked all rules as over, or ensures that no hook
 * runs any more.
 */
void glass_force_clear(struct glass_inject *in);

/*
 * Takes out of force all rules that are over, and returns whether there were any. Also replaces the
 * tiers that have holes by copies without holes, if there is memory for the copies.
 */
bool glass_force_tidy(struct glass_inject *in);

/*
 * Retires a structure from kvmalloc() or kzalloc(): frees it after an RCU grace period. `d` is the
 * first member of the structure, and `bytes` its size. Until the structure is freed, its size
 * counts in glass_inject.retired.
 */
void glass_force_retire(struct glass_inject *in, struct glass_inject_retired *d, size_t bytes);

/*
 * If more than GLASS_INJECT_RETIRED bytes (force.c) are retired and not freed yet, waits until they
 * are freed.
 */
void glass_force_bound(struct glass_inject *in);

#endif
