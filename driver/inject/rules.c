// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Which rules there are, and which of them are in force. */
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "inject/inject.h"
#include "inject/books.h"

DEFINE_STATIC_KEY_FALSE(glass_inject_key);

void glass_inject_init(struct glass_inject *in, work_func_t sweep, work_func_t plug)
{
	memset(in, 0, sizeof(*in));
	mutex_init(&in->lock);
	INIT_LIST_HEAD(&in->rules);
	spin_lock_init(&in->books);
	INIT_DELAYED_WORK(&in->sweep, sweep);
	INIT_WORK(&in->plug, plug);
}

void glass_inject_exit(struct glass_inject *in)
{
	cancel_delayed_work_sync(&in->sweep);
	mutex_lock(&in->lock);
	while (!list_empty(&in->rules))
		glass_inject_del_rule(in, list_first_entry(&in->rules, struct glass_live_rule,
							   node));
	mutex_unlock(&in->lock);
	kvfree(in->streams);
	kvfree(in->journal);
	in->streams = NULL;
	in->journal = NULL;
}

static int site_of(const struct glass_rule *r)
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

/* A set with room for more, and the rules of an old one (or none) in it. */
static struct glass_rule_set *new_set(const struct glass_rule_set *old, u32 room)
{
	size_t tail = glass_index_bytes(room) - sizeof(struct glass_index);
	struct glass_rule_set *set;

	set = kvmalloc(sizeof(*set) + tail + room * sizeof(set->rule[0]), GFP_KERNEL);
	if (!set)
		return NULL;
	set->room = room;
	set->n = 0;
	set->rule = (void *)((u8 *)(set + 1) + tail);
	glass_index_init(&set->index);
	if (old) {
		memcpy(&set->index, &old->index, glass_index_bytes(old->n));
		memcpy(set->rule, old->rule, old->n * sizeof(set->rule[0]));
		set->n = old->n;
	}
	return set;
}

static void put_in(struct glass_rule_set *set, struct glass_live_rule *r)
{
	set->rule[set->n] = r;
	glass_index_add(&set->index, &r->rule, set->n);
	set->n++;
}

static void replace(struct glass_inject *in, int site, struct glass_rule_set *set)
{
	struct glass_rule_set *old;

	lockdep_assert_held(&in->lock);
	old = rcu_replace_pointer(in->set[site], set, lockdep_is_held(&in->lock));
	/* pairs with glass_inject_concerned(): who sees the number sees the rules */
	smp_store_release(&in->generation, in->generation + 1);
	if (old)
		kvfree_rcu(old, rcu);
}

u32 glass_inject_concerned(const struct glass_inject *in, const struct glass_subject *s,
			   unsigned long *of)
{
	const struct glass_rule_set *set;
	u32 sites = 0;
	int site;

	/* pairs with the release where a set is replaced */
	*of = smp_load_acquire(&in->generation);
	rcu_read_lock();
	for (site = 0; site < GLASS_INJECT_SITES; site++) {
		set = rcu_dereference(in->set[site]);
		if (set && glass_index_concerns(&set->index, s))
			sites |= BIT(site);
	}
	rcu_read_unlock();
	return sites;
}

static struct glass_rule_set *in_force(struct glass_inject *in, int site)
{
	return rcu_dereference_protected(in->set[site], lockdep_is_held(&in->lock));
}

/* Puts in force what is listed and not over. Without memory what is in force stays. */
static int rebuild(struct glass_inject *in, int site, const struct glass_live_rule *without)
{
	struct glass_rule_set *set;
	struct glass_live_rule *r;
	u32 n = 0;

	lockdep_assert_held(&in->lock);
	list_for_each_entry(r, &in->rules, node)
		n += site_of(&r->rule) == site && !READ_ONCE(r->over) && r != without;
	if (!n) {
		replace(in, site, NULL);
		return 0;
	}
	set = new_set(NULL, n);
	if (!set)
		return -ENOMEM;
	/* one whose end came meanwhile is not asked for long */
	list_for_each_entry(r, &in->rules, node)
		if (site_of(&r->rule) == site && !READ_ONCE(r->over) && r != without &&
		    set->n < n)
			put_in(set, r);
	replace(in, site, set);
	return 0;
}

struct glass_live_rule *glass_inject_find(struct glass_inject *in, const char *name)
{
	struct glass_live_rule *r;

	lockdep_assert_held(&in->lock);
	list_for_each_entry(r, &in->rules, node)
		if (!strcmp(r->rule.name, name))
			return r;
	return NULL;
}

/* A name that no rule has: r1, r2 ... */
static void choose_name(struct glass_inject *in, struct glass_rule *rule)
{
	if (list_empty(&in->rules))
		in->auto_name = 0;
	do
		snprintf(rule->name, sizeof(rule->name), "r%u", ++in->auto_name);
	while (glass_inject_find(in, rule->name));
}

int glass_inject_add_rule(struct glass_inject *in, struct glass_live_rule *r)
{
	struct glass_rule_set *set, *old;
	int site = site_of(&r->rule);
	int err;

	lockdep_assert_held(&in->lock);
	err = glass_books_open(in);
	if (err)
		return err;
	if (!r->rule.name[0])
		choose_name(in, &r->rule);
	if (!glass_rule_has(&r->rule, GLASS_RK_SEED))
		r->rule.value[GLASS_RK_SEED] = get_random_u32();
	r->id = ++in->last_id;
	r->added_ns = ktime_get_ns();
	r->born = atomic64_read(&in->born);
	glass_rule_seal(&r->rule, r->born);
	if (site >= 0) {
		old = in_force(in, site);
		set = new_set(old, old ? old->n + 1 : 1);
		if (!set)
			return -ENOMEM;
		put_in(set, r);
		replace(in, site, set);
		in->nsites[site]++;
		static_branch_inc(&glass_inject_key);
	}
	list_add_tail(&r->node, &in->rules);
	in->nrules++;
	return 0;
}

void glass_inject_end_rule(struct glass_inject *in, struct glass_live_rule *r, enum glass_over why)
{
	lockdep_assert_held(&in->lock);
	glass_books_end(in, r, why);
	if (site_of(&r->rule) >= 0)
		rebuild(in, site_of(&r->rule), r);
}

void glass_inject_end_all(struct glass_inject *in, enum glass_over why)
{
	struct glass_live_rule *r;
	int site;

	lockdep_assert_held(&in->lock);
	list_for_each_entry(r, &in->rules, node)
		glass_books_end(in, r, why);
	for (site = 0; site < GLASS_INJECT_SITES; site++)
		replace(in, site, NULL);
}

bool glass_inject_tidy(struct glass_inject *in)
{
	bool any = false;
	int site;

	lockdep_assert_held(&in->lock);
	for (site = 0; site < GLASS_INJECT_SITES; site++) {
		struct glass_rule_set *set = in_force(in, site);
		bool over = false;
		u32 i;

		for (i = 0; set && i < set->n; i++)
			over |= READ_ONCE(set->rule[i]->over);
		if (over)
			rebuild(in, site, NULL);
		any |= over;
	}
	return any;
}

void glass_inject_del_rule(struct glass_inject *in, struct glass_live_rule *r)
{
	int site = site_of(&r->rule);

	lockdep_assert_held(&in->lock);
	list_del(&r->node);
	in->nrules--;
	if (site >= 0) {
		/*
		 * It must not be asked any more: without memory for fewer rules there are none. Where none is in
		 * force there is nothing to do, which matters when thousands go.
		 */
		if (in_force(in, site) && rebuild(in, site, r))
			replace(in, site, NULL);
		in->nsites[site]--;
		static_branch_dec(&glass_inject_key);
	}
	glass_books_forget(in, r);
	put_pid(r->tie_pid);
	kfree_rcu(r, rcu);
}
