// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Rules in force. A site has at most GLASS_INJECT_TIERS tiers, each with an index that never
 * changes. The oldest rules are in the first tier.
 *
 * A new rule becomes a new last tier. The driver merges the last two tiers if the older one is less
 * than TIER_RATIO times as large as the newer one, or if there are more than GLASS_INJECT_TIERS
 * tiers. The driver repeats this until no merge is needed. So the driver copies each rule only a
 * few times, and a hook searches only a few indexes, however many rules there are.
 *
 * A rule that is taken out of force leaves a hole in its tier. The driver replaces a tier with too
 * many holes by a copy without holes.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "inject/force.h"

#define TIER_RATIO 8
/* A tier has too many holes if at least 1 / HOLES_SHARE of its entries are holes. */
#define HOLES_SHARE 8
/*
 * The sweep runs at most this many jiffies after a rule has left a hole. The sweep replaces each
 * tier that has holes by a copy without holes.
 */
#define TIDY_JIFFIES max(HZ / 20, 1)

/* The command `add` waits if more bytes than this are retired, but not freed yet. */
#define GLASS_INJECT_RETIRED (1 << 20)

/* ---- retired memory: hooks may still use it under RCU */

static_assert(!offsetof(struct glass_rule_tier, retired));
static_assert(!offsetof(struct glass_rule_set, retired));
static_assert(!offsetof(struct glass_live_rule, retired));

static void free_retired(struct rcu_head *rcu)
{
	struct glass_inject_retired *d = container_of(rcu, struct glass_inject_retired, rcu);
	struct glass_inject *in = d->in;
	size_t bytes = d->bytes;

	kvfree(d);
	atomic_long_sub(bytes, &in->retired);
}

void glass_force_retire(struct glass_inject *in, struct glass_inject_retired *d, size_t bytes)
{
	d->in = in;
	d->bytes = bytes;
	atomic_long_add(bytes, &in->retired);
	call_rcu(&d->rcu, free_retired);
}

void glass_force_bound(struct glass_inject *in)
{
	lockdep_assert_held(&in->lock);
	if (atomic_long_read(&in->retired) > GLASS_INJECT_RETIRED)
		rcu_barrier();
}

static size_t tier_bytes(u32 n)
{
	return sizeof(struct glass_rule_tier) + n * sizeof(struct glass_index_entry) +
	       n * (sizeof(struct glass_live_rule *) + sizeof(u32));
}

static void retire_tier(struct glass_inject *in, struct glass_rule_tier *tier)
{
	glass_force_retire(in, &tier->retired, tier_bytes(tier->n));
}

static void retire_set(struct glass_inject *in, struct glass_rule_set *set)
{
	glass_force_retire(in, &set->retired, sizeof(*set));
}

/* ---- tiers */

static u32 tier_living(const struct glass_rule_tier *tier)
{
	return tier ? tier->n - tier->holes : 0;
}

static struct glass_live_rule *rule_at(struct glass_inject *in, const struct glass_rule_tier *tier,
				       u32 at)
{
	return rcu_dereference_protected(tier->rule[at], lockdep_is_held(&in->lock));
}

static struct glass_rule_tier *new_tier(u32 n)
{
	struct glass_rule_tier *tier = kvmalloc(tier_bytes(n), GFP_KERNEL);

	if (!tier)
		return NULL;
	tier->n = n;
	tier->holes = 0;
	tier->rule = (void *)((u8 *)tier + sizeof(*tier) + n * sizeof(struct glass_index_entry));
	tier->to = (void *)(tier->rule + n);
	return tier;
}

/*
 * Copies the rules of `from`, without the holes, to to->rule[], beginning at index n. Notes the new
 * index of each rule in from->to[]. Returns the index after the last copied rule. `from` may be
 * NULL.
 */
static u32 copy_rules(struct glass_inject *in, struct glass_rule_tier *to, u32 n,
		      struct glass_rule_tier *from)
{
	struct glass_live_rule *r;
	u32 i;

	for (i = 0; from && i < from->n; i++) {
		r = rule_at(in, from, i);
		from->to[i] = r ? n : GLASS_INDEX_NONE;
		if (r)
			RCU_INIT_POINTER(to->rule[n++], r);
	}
	return n;
}

/*
 * Returns a new tier, which has the rules of tier `a` and then those of tier `b`, but no holes. `b`
 * may be NULL. Returns NULL if there is no memory. The caller publishes the new tier.
 */
static struct glass_rule_tier *tier_merge(struct glass_inject *in, struct glass_rule_tier *a,
					  struct glass_rule_tier *b)
{
	struct glass_rule_tier *tier = new_tier(tier_living(a) + tier_living(b));

	if (!tier)
		return NULL;
	copy_rules(in, tier, copy_rules(in, tier, 0, a), b);
	glass_index_merge(&tier->index, &a->index, a->to, b ? &b->index : NULL, b ? b->to : NULL);
	return tier;
}

/* Sets the members `tier` and `at` of each rule of a new tier, which the caller publishes next. */
static void tier_settle(struct glass_inject *in, struct glass_rule_tier *tier)
{
	struct glass_live_rule *r;
	u32 i;

	for (i = 0; i < tier->n; i++) {
		r = rule_at(in, tier, i);
		r->tier = tier;
		r->at = i;
	}
}

/* ---- sets */

static struct glass_rule_set *in_force(struct glass_inject *in, int site)
{
	return rcu_dereference_protected(in->set[site], lockdep_is_held(&in->lock));
}

/*
 * Publishes a new set for a site. NULL means that no rule of the site is in force any more. Returns
 * the old set. The caller retires the old set, and those of its tiers that the new set does not
 * have.
 */
static struct glass_rule_set *rule_set_replace(struct glass_inject *in, int site,
					       struct glass_rule_set *set)
{
	struct glass_rule_set *old;

	old = rcu_replace_pointer(in->set[site], set, lockdep_is_held(&in->lock));
	/* pairs with glass_inject_concerned(): a reader of this generation sees the new set */
	smp_store_release(&in->generation, in->generation + 1);
	glass_inject_changed(in);
	return old;
}

static void put_tier(struct glass_rule_set *set, struct glass_rule_tier *tier)
{
	set->tier[set->tiers++] = tier;
	set->wants |= tier->index.wants;
	set->dirs |= tier->index.dirs;
}

/* ---- adding rules */

int glass_force_site(const struct glass_rule *r)
{
	switch (r->site) {
	case 'P':
		return GLASS_INJECT_PACKETS;
	case 'C':
		return GLASS_INJECT_COMPLETIONS;
	case 'V':
		return GLASS_INJECT_VERBS;
	default:
		return -1;
	}
}

/* For each verb that the rule makes fail, adds `one` (1 or -1) to in->verbs[]. */
static void count_verbs(struct glass_inject *in, const struct glass_live_rule *r, int one)
{
	u64 verbs;
	int i;

	if (r->rule.site != 'V')
		return;
	verbs = glass_select_get(&r->rule.select, GLASS_SEL_VERB)->low;
	for (i = 0; i < GLASS_VERB_COUNT; i++)
		if (verbs & BIT_ULL(i))
			in->verbs[i] += one;
}

static struct glass_rule_tier *tier_of_one(struct glass_live_rule *r)
{
	struct glass_rule_tier *tier = new_tier(1);

	if (!tier)
		return NULL;
	RCU_INIT_POINTER(tier->rule[0], r);
	glass_index_one(&tier->index, &r->rule);
	return tier;
}

int glass_force_add(struct glass_inject *in, struct glass_live_rule *r)
{
	int site = glass_force_site(&r->rule);
	struct glass_rule_set *set, *old = in_force(in, site);
	u32 tiers = old ? old->tiers : 0, keep = tiers, i;
	struct glass_rule_tier *tier, *more;

	lockdep_assert_held(&in->lock);
	set = kzalloc(sizeof(*set), GFP_KERNEL);
	tier = tier_of_one(r);
	if (!set || !tier)
		goto no_memory;
	while (keep && (tier_living(old->tier[keep - 1]) < TIER_RATIO * tier->n ||
			keep == GLASS_INJECT_TIERS)) {
		more = tier_merge(in, old->tier[keep - 1], tier);
		if (!more)
			goto no_memory;
		/* free it without a grace period: it was never published */
		kvfree(tier);
		tier = more;
		keep--;
	}
	for (i = 0; i < keep; i++)
		put_tier(set, old->tier[i]);
	put_tier(set, tier);
	tier_settle(in, tier);
	count_verbs(in, r, 1);
	rule_set_replace(in, site, set);
	for (i = keep; i < tiers; i++)
		retire_tier(in, old->tier[i]);
	if (old)
		retire_set(in, old);
	return 0;
no_memory:
	kfree(set);
	kvfree(tier);
	return -ENOMEM;
}

/* ---- removing rules */

static void make_hole(struct glass_inject *in, struct glass_live_rule *r)
{
	RCU_INIT_POINTER(r->tier->rule[r->at], NULL);
	r->tier->holes++;
	r->tier = NULL;
	count_verbs(in, r, -1);
}

static bool too_many_holes(const struct glass_rule_tier *tier)
{
	return tier->holes * HOLES_SHARE >= tier->n;
}

/*
 * Replaces tiers of a site by copies without holes. If `all` is true, replaces each tier that has
 * holes. Otherwise replaces only tiers that have too many holes. A tier stays as it is if there is
 * no memory for its copy.
 */
static void fill_holes(struct glass_inject *in, int site, bool all)
{
	struct glass_rule_set *old = in_force(in, site), *set = NULL;
	struct glass_rule_tier *gone[GLASS_INJECT_TIERS], *tier;
	u32 rules = 0, ngone = 0, i;

	for (i = 0; i < old->tiers; i++)
		rules += tier_living(old->tier[i]);
	if (rules) {
		set = kzalloc(sizeof(*set), GFP_KERNEL);
		if (!set)
			return;
	}
	for (i = 0; i < old->tiers; i++) {
		tier = old->tier[i];
		if (tier->holes && (all || too_many_holes(tier)))
			tier = tier_living(tier) ? tier_merge(in, tier, NULL) : NULL;
		if (!tier && tier_living(old->tier[i]))
			tier = old->tier[i];
		if (tier != old->tier[i]) {
			gone[ngone++] = old->tier[i];
			if (tier)
				tier_settle(in, tier);
		}
		if (tier)
			put_tier(set, tier);
	}
	rule_set_replace(in, site, set);
	for (i = 0; i < ngone; i++)
		retire_tier(in, gone[i]);
	retire_set(in, old);
}

void glass_force_del(struct glass_inject *in, struct glass_live_rule *r)
{
	struct glass_rule_tier *tier = r->tier;

	lockdep_assert_held(&in->lock);
	if (!tier)
		return;
	make_hole(in, r);
	if (too_many_holes(tier))
		fill_holes(in, glass_force_site(&r->rule), false);
	else
		glass_inject_sweep_in(in, TIDY_JIFFIES);
}

void glass_force_clear(struct glass_inject *in)
{
	struct glass_rule_set *old;
	struct glass_live_rule *r;
	int site;
	u32 i;

	lockdep_assert_held(&in->lock);
	list_for_each_entry(r, &in->rules, node)
		if (r->tier)
			make_hole(in, r);
	for (site = 0; site < GLASS_INJECT_SITES; site++) {
		old = rule_set_replace(in, site, NULL);
		if (!old)
			continue;
		for (i = 0; i < old->tiers; i++)
			retire_tier(in, old->tier[i]);
		retire_set(in, old);
	}
}

bool glass_force_tidy(struct glass_inject *in)
{
	struct glass_rule_set *set;
	struct glass_live_rule *r;
	bool any = false, holes;
	int site;
	u32 k, i;

	lockdep_assert_held(&in->lock);
	for (site = 0; site < GLASS_INJECT_SITES; site++) {
		set = in_force(in, site);
		holes = false;
		for (k = 0; set && k < set->tiers; k++) {
			for (i = 0; i < set->tier[k]->n; i++) {
				r = rule_at(in, set->tier[k], i);
				if (!r || !READ_ONCE(r->over))
					continue;
				make_hole(in, r);
				any = true;
			}
			holes |= set->tier[k]->holes;
		}
		if (holes)
			fill_holes(in, site, true);
	}
	return any;
}
