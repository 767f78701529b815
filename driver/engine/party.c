// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The table of parties (party.h). Finds or makes the party of a process, and its group. */
#include <linux/cgroup.h>
#include <linux/cred.h>
#include <linux/hashtable.h>
#include <linux/memcontrol.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "engine/party.h"
#include "engine/patience.h"

enum { PROCESS, CGROUP, USER }; /* glass_party_key.kind */

static unsigned int cgroup_level = 2;
module_param(cgroup_level, uint, 0644);
MODULE_PARM_DESC(cgroup_level,
		 "programs take turns by memory cgroup; one deeper than this level below the root (default 2) counts as part of its ancestor at this level; 0: by user");

static DEFINE_HASHTABLE(parties, 8);
static DEFINE_MUTEX(parties_lock);

#ifdef CONFIG_MEMCG
/*
 * Returns the id of the memory cgroup that is the group of the calling process: its own cgroup, or
 * if that is deeper than cgroup_level, the ancestor at cgroup_level. Returns 0 if this is the root,
 * or if memory cgroups are disabled.
 */
static u64 cgroup_of_caller(void)
{
	unsigned int level = READ_ONCE(cgroup_level);
	struct cgroup_subsys_state *css;
	u64 id = 0;

	if (mem_cgroup_disabled())
		return 0;
	rcu_read_lock();
	css = task_css(current, memory_cgrp_id);
	while (css->parent && css->cgroup->level > level)
		css = css->parent;
	if (css->parent)
		id = cgroup_id(css->cgroup);
	rcu_read_unlock();
	return id;
}
#else
static u64 cgroup_of_caller(void)
{
	return 0;
}
#endif

static struct glass_party *party_find_locked(const struct glass_party_key *key)
{
	struct glass_party *p;

	lockdep_assert_held(&parties_lock);
	hash_for_each_possible(parties, p, node, key->id) {
		if (p->key.kind == key->kind && p->key.id == key->id && p->key.born == key->born)
			return p;
	}
	return NULL;
}

static struct glass_party *party_alloc(const struct glass_party_key *key)
{
	struct glass_party *p;
	unsigned int i;

	p = kvzalloc(struct_size(p, turns, num_possible_cpus()), GFP_KERNEL_ACCOUNT);
	if (!p)
		return NULL;
	p->key = *key;
	for (i = 0; i < num_possible_cpus(); i++) {
		INIT_LIST_HEAD(&p->turns[i].node);
		INIT_LIST_HEAD(&p->turns[i].waiting);
	}
	glass_patience_init(p);
	return p;
}

/*
 * Returns the party with this key, with a reference. If the table has no such party, adds *spare to
 * the table, and clears *spare. The caller has allocated *spare for this key. `group` is the group
 * of *spare if *spare is a process, else NULL. Returns NULL if the table has no such party and
 * *spare is NULL.
 */
static struct glass_party *party_get_locked(const struct glass_party_key *key,
					    struct glass_party **spare, struct glass_party *group)
{
	struct glass_party *p = party_find_locked(key);

	if (p) {
		refcount_inc(&p->users);
		return p;
	}
	p = *spare;
	*spare = NULL;
	if (!p)
		return NULL;
	refcount_set(&p->users, 1);
	p->group = group;
	if (group)
		refcount_inc(&group->users);
	hash_add(parties, &p->node, key->id);
	return p;
}

static void party_put_locked(struct glass_party *p)
{
	lockdep_assert_held(&parties_lock);
	if (!refcount_dec_and_test(&p->users))
		return;
	hash_del(&p->node);
	hrtimer_cancel(&p->patience);
	if (p->group)
		party_put_locked(p->group);
	kvfree(p);
}

struct glass_party *glass_party_get(void)
{
	struct glass_party_key process = {
		.kind = PROCESS,
		.id = task_tgid_nr(current),
		.born = current->group_leader->start_boottime,
	};
	struct glass_party_key above = { .kind = CGROUP, .id = cgroup_of_caller() };
	struct glass_party *group, *p, *new = NULL, *new_group = NULL;

	if (!above.id) {
		above.kind = USER;
		above.id = from_kuid(&init_user_ns, current_uid());
	}
	mutex_lock(&parties_lock);
	p = party_get_locked(&process, &new, NULL);
	mutex_unlock(&parties_lock);
	if (p)
		return p;
	/* allocate without the lock, so that other callers do not wait for memory */
	new = party_alloc(&process);
	new_group = party_alloc(&above);
	if (new && new_group) {
		mutex_lock(&parties_lock);
		group = party_get_locked(&above, &new_group, NULL);
		p = party_get_locked(&process, &new, group);
		party_put_locked(group);
		mutex_unlock(&parties_lock);
	}
	kvfree(new);
	kvfree(new_group);
	return p;
}

void glass_party_put(struct glass_party *p)
{
	if (!p)
		return;
	mutex_lock(&parties_lock);
	party_put_locked(p);
	mutex_unlock(&parties_lock);
}
