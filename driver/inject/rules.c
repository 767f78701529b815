// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The list of rules of a device, and the static branch of the hooks (inject.h). */
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/stringhash.h>

#include "compat/workqueue.h"
#include "inject/books.h"
#include "inject/force.h"
#include "model/may_sleep.h"
#include "observe/hops.h"

DEFINE_STATIC_KEY_FALSE(glass_inject_key);

u32 glass_inject_concerned(const struct glass_inject *in, const struct glass_subject *s,
			   unsigned long *of)
{
	const struct glass_rule_set *set;
	u32 sites = 0, k;
	int site;

	/* pairs with the release in rule_set_replace(): read set[] after the generation */
	*of = smp_load_acquire(&in->generation);
	rcu_read_lock();
	for (site = 0; site < GLASS_INJECT_SITES; site++) {
		set = rcu_dereference(in->set[site]);
		for (k = 0; set && k < set->tiers; k++)
			if (glass_index_concerns(&set->tier[k]->index, s))
				sites |= BIT(site);
	}
	rcu_read_unlock();
	return sites;
}

static struct hlist_head *rule_name_bucket(struct glass_inject *in, const char *name)
{
	return &in->names[hash_32(full_name_hash(NULL, name, strlen(name)),
				  GLASS_INJECT_NAME_BITS)];
}

struct glass_live_rule *glass_inject_find(struct glass_inject *in, const char *name)
{
	struct glass_live_rule *r;

	lockdep_assert_held(&in->lock);
	hlist_for_each_entry(r, rule_name_bucket(in, name), named)
		if (!strcmp(r->rule.name, name))
			return r;
	return NULL;
}

/* Gives a rule the next name of the form rN that no listed rule has. */
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
	int err;

	lockdep_assert_held(&in->lock);
	glass_force_bound(in);
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
	if (glass_force_site(&r->rule) >= 0) {
		glass_may_sleep_get();
		/* before the rule is in force: a context that sees the rule sees the branch, too */
		static_branch_inc(&glass_inject_key);
		err = glass_force_add(in, r);
		if (err) {
			static_branch_dec(&glass_inject_key);
			glass_may_sleep_put();
			return err;
		}
		if (in->at_nodes)
			glass_hops_get();
	}
	if (r->after)
		r->after->followers++;
	hlist_add_head(&r->named, rule_name_bucket(in, r->rule.name));
	list_add_tail(&r->node, &in->rules);
	in->nrules++;
	return 0;
}

void glass_inject_end_rule(struct glass_inject *in, struct glass_live_rule *r, enum glass_over why)
{
	lockdep_assert_held(&in->lock);
	glass_books_end(in, r, why);
	glass_force_del(in, r);
}

void glass_inject_end_all(struct glass_inject *in, enum glass_over why)
{
	struct glass_live_rule *r;

	lockdep_assert_held(&in->lock);
	list_for_each_entry(r, &in->rules, node)
		glass_books_end(in, r, why);
	glass_force_clear(in);
}

bool glass_inject_tidy(struct glass_inject *in)
{
	return glass_force_tidy(in);
}

void glass_inject_sweep_in(struct glass_inject *in, unsigned long wait)
{
	unsigned long at = jiffies + wait;

	lockdep_assert_held(&in->lock);
	if (delayed_work_pending(&in->sweep) && time_before_eq(in->sweep_at, at))
		return;
	in->sweep_at = at;
	mod_delayed_work(system_percpu_wq, &in->sweep, wait);
}

u64 glass_inject_verbs(const struct glass_inject *in)
{
	u64 verbs = 0;
	int i;

	lockdep_assert_held(&in->lock);
	for (i = 0; i < GLASS_VERB_COUNT; i++)
		if (in->verbs[i])
			verbs |= BIT_ULL(i);
	return verbs;
}

void glass_inject_del_rule(struct glass_inject *in, struct glass_live_rule *r)
{
	lockdep_assert_held(&in->lock);
	list_del(&r->node);
	hlist_del(&r->named);
	hlist_del_init(&r->tied);
	in->nrules--;
	glass_books_forget(in, r);
	glass_force_del(in, r);
	if (glass_force_site(&r->rule) >= 0) {
		static_branch_dec(&glass_inject_key);
		glass_may_sleep_put();
		if (in->at_nodes)
			glass_hops_put();
	}
	put_pid(r->tie_pid);
	glass_force_retire(in, &r->retired, sizeof(*r));
}
