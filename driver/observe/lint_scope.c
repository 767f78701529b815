// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Scopes, which select processes and codes to check, and the list of mutes (lint.h). */
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "observe/lint.h"

DEFINE_STATIC_KEY_FALSE(glass_lint_key);

void glass_lint_init(struct glass_lint *l)
{
	memset(l, 0, sizeof(*l));
	mutex_init(&l->lock);
	spin_lock_init(&l->books);
	init_waitqueue_head(&l->wait);
	ratelimit_state_init(&l->log, DEFAULT_RATELIMIT_INTERVAL, DEFAULT_RATELIMIT_BURST);
	INIT_LIST_HEAD(&l->scopes);
	INIT_LIST_HEAD(&l->mutes);
	INIT_LIST_HEAD(&l->clients);
}

/* Is the process `pid` the process `from`, or a descendant of it? */
static bool pid_descends(struct pid *pid, struct pid *from)
{
	struct task_struct *t;
	bool yes = false;

	rcu_read_lock();
	for (t = pid_task(pid, PIDTYPE_TGID); t && t->pid > 0 && !yes;
	     t = rcu_dereference(t->real_parent)) {
		yes = task_tgid(t) == from;
		if (t->pid == 1)
			break;
	}
	rcu_read_unlock();
	return yes;
}

static bool scope_holds(const struct glass_lint_scope *s, const struct glass_lint_client *c)
{
	switch (s->c.by) {
	case GLASS_LINT_BY_PID:
		return c->pid && pid_descends(c->pid, s->pid);
	case GLASS_LINT_BY_COMM:
		return glass_name_fits(&s->c.comm, c->comm);
	default:
		return true;
	}
}

/* Copies a set word by word, because readers take no lock, and read one word at a time. */
static void lint_set_publish(struct glass_lint_set *to, const struct glass_lint_set *from)
{
	u32 i;

	for (i = 0; i < GLASS_LINT_WORDS; i++)
		WRITE_ONCE(to->w[i], from->w[i]);
}

/* Combines the scopes that hold for a client's process, and publishes the result in *c. */
static void client_apply_scopes(struct glass_lint *l, struct glass_lint_client *c)
{
	const struct glass_lint_scope *s;
	u32 scopes[GLASS_LINT_HOLD] = {}, n = 0, i;
	struct glass_lint_set codes = {}, errors = {};
	bool log = false, stacks = false;

	lockdep_assert_held(&l->lock);
	list_for_each_entry(s, &l->scopes, node) {
		if (!scope_holds(s, c))
			continue;
		/* the newest scopes come last, and overwrite the oldest ids if there is no room */
		scopes[n++ % GLASS_LINT_HOLD] = s->id;
		glass_lint_set_add_all(&codes, &s->c.codes);
		glass_lint_set_add_all(&errors, &s->c.errors);
		log |= s->c.log;
		stacks |= s->c.stacks;
	}
	for (i = 0; i < GLASS_LINT_HOLD; i++)
		WRITE_ONCE(c->scopes[i], scopes[i]);
	lint_set_publish(&c->errors, &errors);
	WRITE_ONCE(c->log, log);
	WRITE_ONCE(c->stacks, stacks);
	lint_set_publish(&c->codes, &codes);
}

/* Publishes what all scopes want on the device's control page, which providers read. */
static void lint_update_page(struct glass_lint *l)
{
	const struct glass_lint_scope *s;
	struct glass_lint_set codes = {};
	u32 flags = 0;

	lockdep_assert_held(&l->lock);
	if (!l->page)
		return;
	list_for_each_entry(s, &l->scopes, node) {
		glass_lint_set_add_all(&codes, &s->c.codes);
		flags |= s->c.stacks ? GLASS_CTL_WHERE : 0;
	}
	lint_set_publish(&l->page->lint_codes, &codes);
	flags |= glass_lint_set_is_empty(&codes) ? 0 : GLASS_CTL_LINT;
	atomic_or(flags, (atomic_t *)&l->page->flags);
	atomic_andnot((GLASS_CTL_LINT | GLASS_CTL_WHERE) & ~flags, (atomic_t *)&l->page->flags);
	/* when `generation` changes, providers drop the results that they have cached */
	atomic_inc((atomic_t *)&l->page->generation);
}

static void clients_apply_scopes(struct glass_lint *l)
{
	struct glass_lint_client *c;

	list_for_each_entry(c, &l->clients, node)
		client_apply_scopes(l, c);
	lint_update_page(l);
}

void glass_lint_page(struct glass_lint *l, struct glass_control_page *page)
{
	mutex_lock(&l->lock);
	l->page = page;
	lint_update_page(l);
	mutex_unlock(&l->lock);
}

void glass_lint_open(struct glass_lint *l, struct glass_lint_client *c, const char *dev)
{
	memset(c, 0, sizeof(*c));
	c->lint = l;
	c->dev = dev;
	c->pid = get_task_pid(current, PIDTYPE_TGID);
	c->tgid = task_tgid_nr(current);
	get_task_comm(c->comm, current);
	mutex_lock(&l->lock);
	list_add_tail(&c->node, &l->clients);
	client_apply_scopes(l, c);
	mutex_unlock(&l->lock);
}

void glass_lint_close(struct glass_lint_client *c)
{
	mutex_lock(&c->lint->lock);
	list_del(&c->node);
	mutex_unlock(&c->lint->lock);
	glass_where_put(c->where);
	put_pid(c->pid);
}

static void end_scope(struct glass_lint *l, struct glass_lint_scope *s)
{
	lockdep_assert_held(&l->lock);
	list_del(&s->node);
	l->nscopes--;
	put_pid(s->pid);
	kfree(s);
	static_branch_dec(&glass_lint_key);
}

/* Allocates the memory for findings, when the first scope is added. Returns 0 or -ENOMEM. */
static int make_room(struct glass_lint *l)
{
	struct glass_lint_kept *kept;

	lockdep_assert_held(&l->lock);
	if (l->kept)
		return 0;
	kept = kvzalloc(sizeof(*kept), GFP_KERNEL);
	if (!kept)
		return -ENOMEM;
	spin_lock_irq(&l->books);
	l->kept = kept;
	spin_unlock_irq(&l->books);
	return 0;
}

static int add_scope(struct glass_lint *l, const struct glass_lint_command *c, void *file)
{
	struct glass_lint_scope *s;
	int err;

	if (l->nscopes == GLASS_LINT_SCOPES)
		return -ENOSPC;
	err = make_room(l);
	if (err)
		return err;
	s = kzalloc(sizeof(*s), GFP_KERNEL);
	if (!s)
		return -ENOMEM;
	s->c = *c;
	if (c->by == GLASS_LINT_BY_PID) {
		s->pid = find_get_pid(c->pid);
		if (!s->pid) {
			kfree(s);
			return -ESRCH;
		}
	}
	s->file = c->owner ? file : NULL;
	s->id = ++l->last_scope;
	list_add_tail(&s->node, &l->scopes);
	l->nscopes++;
	static_branch_inc(&glass_lint_key);
	return 0;
}

/* Ends the scope with this id, or all scopes. Returns 0, or -ENOENT if no scope has the id. */
static int del_scopes(struct glass_lint *l, bool all, u32 id)
{
	struct glass_lint_scope *s, *next;
	int err = all ? 0 : -ENOENT;

	list_for_each_entry_safe(s, next, &l->scopes, node) {
		if (!all && s->id != id)
			continue;
		end_scope(l, s);
		err = 0;
	}
	return err;
}

/*
 * Call this after scopes have ended. When no scope records call stacks any more, nobody needs those
 * of ended programs, and their users should not pay for them any longer.
 */
static void scopes_ended(struct glass_lint *l)
{
	const struct glass_lint_scope *s;

	lockdep_assert_held(&l->lock);
	list_for_each_entry(s, &l->scopes, node)
		if (s->c.stacks)
			return;
	glass_lint_forget_stacks(l);
}

int glass_lint_scope_command(struct glass_lint *l, const struct glass_lint_command *c, void *file)
{
	int err;

	mutex_lock(&l->lock);
	err = c->verb == GLASS_LINT_ADD ? add_scope(l, c, file) :
	      del_scopes(l, c->verb == GLASS_LINT_CLEAR, c->id);
	if (!err)
		clients_apply_scopes(l);
	if (!err && c->verb != GLASS_LINT_ADD)
		scopes_ended(l);
	mutex_unlock(&l->lock);
	return err;
}

void glass_lint_file_closed(struct glass_lint *l, void *file)
{
	struct glass_lint_scope *s, *next;
	bool any = false;

	mutex_lock(&l->lock);
	list_for_each_entry_safe(s, next, &l->scopes, node) {
		if (s->file != file)
			continue;
		end_scope(l, s);
		any = true;
	}
	if (any) {
		clients_apply_scopes(l);
		scopes_ended(l);
	}
	mutex_unlock(&l->lock);
}

static int add_mute(struct glass_lint *l, const struct glass_lint_command *c)
{
	struct glass_lint_mute *m;

	if (l->nmutes == GLASS_LINT_MUTES)
		return -ENOSPC;
	m = kzalloc(sizeof(*m), GFP_KERNEL);
	if (!m)
		return -ENOMEM;
	m->c = *c;
	m->id = ++l->last_mute;
	spin_lock_irq(&l->books);
	list_add_tail(&m->node, &l->mutes);
	spin_unlock_irq(&l->books);
	l->nmutes++;
	return 0;
}

static int del_mutes(struct glass_lint *l, bool all, u32 id)
{
	struct glass_lint_mute *m, *next;
	int err = all ? 0 : -ENOENT;

	list_for_each_entry_safe(m, next, &l->mutes, node) {
		if (!all && m->id != id)
			continue;
		spin_lock_irq(&l->books);
		list_del(&m->node);
		spin_unlock_irq(&l->books);
		l->nmutes--;
		kfree(m);
		err = 0;
	}
	return err;
}

int glass_lint_mute_command(struct glass_lint *l, const struct glass_lint_command *c)
{
	int err;

	mutex_lock(&l->lock);
	err = c->verb == GLASS_LINT_ADD ? add_mute(l, c) :
	      del_mutes(l, c->verb == GLASS_LINT_CLEAR, c->id);
	mutex_unlock(&l->lock);
	return err;
}

void glass_lint_exit(struct glass_lint *l)
{
	mutex_lock(&l->lock);
	del_scopes(l, true, 0);
	del_mutes(l, true, 0);
	mutex_unlock(&l->lock);
	WARN_ON(!list_empty(&l->clients));
	glass_lint_clear(l);
	kvfree(l->kept);
	l->kept = NULL;
}
