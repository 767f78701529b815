// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Counts, keeps and reports the findings of a device (lint.h). */
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/stdarg.h>

#include "observe/lint.h"
#include "observe/observe.h"

static bool mute_fits(const struct glass_lint_mute *m, const struct glass_lint_report *r)
{
	const struct glass_lint_command *c = &m->c;

	return glass_lint_set_has(&c->codes, r->code) &&
	       (!c->has_object || (c->kind == r->kind && c->num == r->num)) &&
	       (!c->has_comm || glass_name_fits(&c->comm, r->who->comm));
}

static bool is_muted(struct glass_lint *l, const struct glass_lint_report *r)
{
	struct glass_lint_mute *m;

	lockdep_assert_held(&l->books);
	list_for_each_entry(m, &l->mutes, node) {
		if (mute_fits(m, r)) {
			m->hit++;
			return true;
		}
	}
	return false;
}

static void finding_fill(struct glass_lint *l, struct glass_finding *f,
			 const struct glass_lint_report *r, u64 now, const char *fmt, va_list ap)
{
	memset(f, 0, sizeof(*f));
	f->id = ++l->last_id;
	f->first = now;
	f->seen = r->seen;
	f->expected = r->expected;
	f->code = r->code;
	f->kind = r->kind;
	f->num = r->num;
	f->pid = r->who->tgid;
	f->log = READ_ONCE(r->who->log);
	strscpy(f->comm, r->who->comm, sizeof(f->comm));
	if (r->peer_dev) {
		snprintf(f->peer, sizeof(f->peer), "%s:0x%x", r->peer_dev, r->peer_qpn);
		f->peer_pid = r->peer_pid;
		if (r->peer_comm)
			strscpy(f->peer_comm, r->peer_comm, sizeof(f->peer_comm));
	}
	vscnprintf(f->text, sizeof(f->text), fmt, ap);
}

/* Keeps the memory of a call stack readable. Returns false if there is no such memory any more. */
static bool keep_memory(struct glass_lint_kept *k, u32 stack)
{
	struct glass_where *w = glass_where_find(stack);
	u32 i;

	if (!w)
		return false;
	for (i = 0; i < GLASS_LINT_MEMORIES; i++) {
		if (k->memory[i] == w) {
			glass_where_put(w);
			return true;
		}
	}
	glass_where_put(k->memory[k->next_memory]);
	k->memory[k->next_memory] = w;
	k->next_memory = (k->next_memory + 1) % GLASS_LINT_MEMORIES;
	return true;
}

/* Notes the first call stack that is known. */
static void finding_note_stack(struct glass_lint_kept *k, u32 *at, u32 stack)
{
	if (!*at && stack && keep_memory(k, stack))
		*at = stack;
}

void glass_lint_forget_stacks(struct glass_lint *l)
{
	unsigned long flags;
	u32 i;

	spin_lock_irqsave(&l->books, flags);
	for (i = 0; l->kept && i < GLASS_LINT_MEMORIES; i++) {
		glass_where_put(l->kept->memory[i]);
		l->kept->memory[i] = NULL;
	}
	spin_unlock_irqrestore(&l->books, flags);
}

/*
 * Returns the place of the kept finding with this key, or -1 if there is none. The search is
 * linear, so it is only for a process that has reached its limit of kept findings
 * (GLASS_LINT_OF_ONE). glass_lint_index_put() is not used for such a process, because it would add
 * a new finding.
 */
static int find_old(const struct glass_lint_kept *k, const struct glass_lint_key *key)
{
	u32 i;

	for (i = 0; i < k->index.n; i++) {
		const struct glass_finding *f = &k->finding[i];

		if (f->code == key->code && f->kind == key->kind && f->num == key->num &&
		    f->pid == key->pid)
			return i;
	}
	return -1;
}

/*
 * Returns the place of a finding in k->finding[]. If the finding is new, gives it a place, and sets
 * *fresh. -1: the finding is new, and there is no room for it.
 */
static int finding_place(struct glass_lint_kept *k, const struct glass_lint_key *key, bool *fresh)
{
	struct glass_lint_key process = { .pid = key->pid };
	int who = glass_lint_index_put(&k->processes, &process, fresh), at;

	if (who < 0)
		return -1;
	if (*fresh)
		k->of_process[who] = 0;
	*fresh = false;
	if (k->of_process[who] >= GLASS_LINT_OF_ONE)
		return find_old(k, key);
	at = glass_lint_index_put(&k->index, key, fresh);
	k->of_process[who] += *fresh;
	return at;
}

/*
 * Counts a finding, and keeps it if it is new. Returns the kept finding if it must be traced at
 * this count, otherwise NULL. Also returns NULL if there is no room for a new finding.
 */
static struct glass_finding *finding_count(struct glass_lint *l, const struct glass_lint_report *r,
					   const char *fmt, va_list ap)
{
	struct glass_lint_key key = {
		.code = r->code,
		.kind = r->kind,
		.num = r->num,
		.pid = r->who->tgid,
	};
	u64 now = ktime_get_ns();
	struct glass_finding *f;
	bool fresh;
	int at, i;

	lockdep_assert_held(&l->books);
	at = finding_place(l->kept, &key, &fresh);
	if (at < 0) {
		l->lost++;
		return NULL;
	}
	f = &l->kept->finding[at];
	if (fresh)
		finding_fill(l, f, r, now, fmt, ap);
	finding_note_stack(l->kept, &f->stack, r->stack);
	finding_note_stack(l->kept, &f->peer_stack, r->peer_stack);
	f->count++;
	f->last = now;
	for (i = 0; i < GLASS_LINT_HOLD; i++)
		f->scopes[i] = READ_ONCE(r->who->scopes[i]);
	return glass_lint_tell_at(f->count) ? f : NULL;
}

int glass_lint_vfound(const struct glass_lint_report *r, const char *fmt, va_list ap)
{
	struct glass_lint *l = r->who->lint;
	const struct glass_finding *f = NULL;
	bool muted, log = false;
	unsigned long flags;
	char line[GLASS_LINT_TEXT];

	if (WARN_ON_ONCE(!r->code || r->code > GLASS_LINT_COUNT))
		return 0;
	spin_lock_irqsave(&l->books, flags);
	l->count[r->code]++;
	muted = is_muted(l, r) || !l->kept;
	if (!muted) {
		f = finding_count(l, r, fmt, ap);
		l->changes++;
	}
	if (f) {
		trace_glass_lint(r->who->dev, f);
		log = f->log && f->count == 1;
		if (log)
			strscpy(line, f->text, sizeof(line));
	}
	spin_unlock_irqrestore(&l->books, flags);
	if (muted)
		return 0;
	wake_up_interruptible(&l->wait);
	if (log && __ratelimit(&l->log))
		pr_notice("%s: GL%03u %s[%d]: %s\n", r->who->dev, r->code, r->who->comm,
			  r->who->tgid, line);
	return READ_ONCE(r->who->errors.w[GLASS_LINT_WORD(r->code)]) & GLASS_LINT_BIT(r->code) ?
		       -EINVAL : 0;
}

int glass_lint_found(const struct glass_lint_report *r, const char *fmt, ...)
{
	va_list ap;
	int err;

	va_start(ap, fmt);
	err = glass_lint_vfound(r, fmt, ap);
	va_end(ap);
	return err;
}

bool glass_lint_get(struct glass_lint *l, u64 id, struct glass_finding *out)
{
	unsigned long flags;
	bool found = false;
	u64 first, n;

	spin_lock_irqsave(&l->books, flags);
	n = l->kept ? l->kept->index.n : 0;
	if (n) {
		/* the ids of the kept findings are consecutive, in the order of their places */
		first = l->kept->finding[0].id;
		id = max(id, first);
		found = id - first < n;
		if (found)
			*out = l->kept->finding[id - first];
	}
	spin_unlock_irqrestore(&l->books, flags);
	return found;
}

void glass_lint_clear(struct glass_lint *l)
{
	unsigned long flags;

	spin_lock_irqsave(&l->books, flags);
	if (l->kept) {
		glass_lint_index_clear(&l->kept->index);
		glass_lint_index_clear(&l->kept->processes);
	}
	memset(l->count, 0, sizeof(l->count));
	l->lost = 0;
	l->changes++;
	spin_unlock_irqrestore(&l->books, flags);
	glass_lint_forget_stacks(l);
}
