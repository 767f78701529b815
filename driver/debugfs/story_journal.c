// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The tables `journal` and `rules` of a story (story.h): injection rules on the two ends. */
#include "debugfs/story.h"
#include "inject/inject.h"
#include "rules/parse.h"

DEFINE_GLASS_FIELDS(story_journal, GLASS_COLUMNS_STORY_FIRING);
DEFINE_GLASS_FIELDS(story_rules, GLASS_COLUMNS_STORY_RULE);

#define FIRINGS_SEARCHED 1024 /* newest firings of an adapter that are looked at */
#define FIRINGS_SHOWN 8 /* of each adapter */
#define FIRINGS_AFTER 4 /* of these, later than the failure; a power of two */
#define FIRING(name) GLASS_COL_STORY_FIRING_##name

static const char *const site_words[] = {
	[GLASS_INJECT_PACKETS] = "packet",
	[GLASS_INJECT_COMPLETIONS] = "completion",
	[GLASS_INJECT_VERBS] = "verb",
	[GLASS_INJECT_SITES] = "object",
};
static const char *const firing_dirs[] = GLASS_WORDS(GLASS_DIRS);

/* One end of a failure, for rules. */
struct rule_end {
	struct glass_dev *dev; /* its adapter */
	u8 kind; /* enum glass_kind */
	u32 num; /* number of the QP, CQ or SRQ */
	/* the CQ or SRQ that failed first, and took it to ERR with it; 0: none */
	u8 queue; /* enum glass_kind */
	u32 queue_num;
	u32 port; /* of a QP; 0: not known */
	pid_t pid; /* valid if comm is not NULL */
	const char *comm;
};

/*
 * Was the firing on this object, its port or adapter, the CQ or SRQ that took it to ERR, or on a packet,
 * a completion or a call of this QP?
 */
static bool is_on(const struct glass_firing *g, const struct rule_end *end)
{
	u32 num = end->num;
	u8 kind = end->kind;

	if (g->site == GLASS_INJECT_SITES && g->kind == GLASS_KIND_PORT)
		return end->port && g->num == end->port;
	if (g->site == GLASS_INJECT_SITES)
		return g->kind == GLASS_KIND_DEVICE || (g->kind == kind && g->num == num) ||
		       (end->queue_num && g->kind == end->queue && g->num == end->queue_num);
	if (g->site == GLASS_INJECT_COMPLETIONS && kind == GLASS_KIND_CQ)
		return g->cqn == num;
	if (g->site == GLASS_INJECT_VERBS)
		return g->kind == kind && g->num == num;
	return kind == GLASS_KIND_QP && g->keys & BIT(GLASS_SEL_QPN) && g->qpn == num;
}

static void firing_row(struct glass_row *r, const char *dev, const struct glass_firing *g)
{
	bool packet = g->site == GLASS_INJECT_PACKETS;

	glass_row_text(r, FIRING(dev), "%s", dev);
	glass_row_num(r, FIRING(seq), g->seq);
	glass_row_num(r, FIRING(when), g->when);
	glass_row_text(r, FIRING(rule), "%s", g->rule);
	glass_row_word(r, FIRING(act), glass_rule_action_word(g->action));
	glass_row_enum(r, FIRING(site), site_words, g->site);
	if (packet || g->site == GLASS_INJECT_COMPLETIONS)
		glass_row_num(r, FIRING(qpn), g->qpn);
	else if (g->kind == GLASS_KIND_QP)
		glass_row_num(r, FIRING(qpn), g->num);
	if (packet) {
		glass_row_enum(r, FIRING(dir), firing_dirs, g->dir);
		glass_row_num(r, FIRING(psn), g->psn);
	}
	if (g->site == GLASS_INJECT_COMPLETIONS)
		glass_row_num(r, FIRING(wr_id), g->wr_id);
	if (g->action == GLASS_ACT_DELAY)
		glass_row_num(r, FIRING(delay), g->extra);
	glass_row_num(r, FIRING(pid), g->pid);
	glass_row_text(r, FIRING(comm), "%.*s", (int)sizeof(g->comm), g->comm);
	glass_row_num(r, FIRING(set_pid), g->setter.pid);
	glass_row_text(r, FIRING(set_by), "%.*s", (int)sizeof(g->setter.comm), g->setter.comm);
	glass_row_num(r, FIRING(set_uid), g->setter.uid);
}

/* The firings that a story shows, of one adapter. */
struct firings {
	u64 before[FIRINGS_SHOWN]; /* numbers of the last ones until the failure, newest first */
	u64 after[FIRINGS_AFTER]; /* of the first ones later than it; the n-th one back at n % FIRINGS_AFTER */
	u32 num_before, num_after; /* num_after: of all that are later */
};

/*
 * Finds the firings on an object since `since` (ktime_get_ns()). An object that had the number before
 * is another one. The story may be written long after the failure, at `failed`: the firings on what
 * the failure flushes must not push out the one that brought it.
 */
static void find_firings(struct firings *f, const struct rule_end *end, u64 since, u64 failed)
{
	struct glass_dev *dev = end->dev;
	struct glass_firing g;
	u64 at;
	u32 i;

	memset(f, 0, sizeof(*f));
	spin_lock_irq(&dev->inject->books);
	at = dev->inject->fired;
	spin_unlock_irq(&dev->inject->books);
	for (i = 0; i < FIRINGS_SEARCHED && at; i++, at--) {
		if (f->num_before + min_t(u32, f->num_after, FIRINGS_AFTER) >= FIRINGS_SHOWN)
			break;
		if (!glass_inject_firing(dev->inject, at, &g))
			continue; /* it is not complete yet */
		if (g.seq != at || g.when < since)
			break;
		if (!is_on(&g, end))
			continue;
		if (g.when > failed)
			f->after[f->num_after++ % FIRINGS_AFTER] = at;
		else
			f->before[f->num_before++] = at;
	}
}

static void print_firing(struct glass_lines *l, struct glass_dev *dev, u64 seq)
{
	struct glass_firing g;

	if (!glass_inject_firing(dev->inject, seq, &g) || g.seq != seq || !glass_lines_begin(l))
		return;
	firing_row(&l->row, glass_dev_name(dev), &g);
	glass_lines_row(l, &glass_fields_story_journal);
	glass_lines_end(l);
}

/* Prints the firings on an object, oldest first. */
static void device_firings(struct glass_lines *l, const struct rule_end *end, u64 since, u64 failed)
{
	struct firings f;
	u32 i;

	find_firings(&f, end, since, failed);
	for (i = f.num_before; i--;)
		print_firing(l, end->dev, f.before[i]);
	for (i = 0; i < min_t(u32, f.num_after, FIRINGS_AFTER); i++)
		print_firing(l, end->dev, f.after[(f.num_after - 1 - i) % FIRINGS_AFTER]);
}

/* Fills end[] with the ends whose adapters are there. Returns their number. */
static u32 rule_ends(struct rule_end end[2], const struct glass_story *s, const struct glass_failure *f,
		     struct glass_dev *dev, struct glass_dev *peer)
{
	u32 n = 0;

	if (dev)
		end[n++] = (struct rule_end){
			.dev = dev, .kind = f->object, .num = f->num, .port = f->port,
			.queue = f->queue, .queue_num = f->queue_num, .pid = f->pid, .comm = f->comm,
		};
	if (peer && f->object == GLASS_KIND_QP && (peer != dev || f->peer_qpn != f->num))
		end[n++] = (struct rule_end){
			.dev = peer, .kind = GLASS_KIND_QP, .num = f->peer_qpn,
			.port = s->local ? s->local->peer.port : 0,
			.pid = f->peer_pid, .comm = f->peer_comm[0] ? f->peer_comm : NULL,
		};
	return n;
}

void glass_story_journal(struct glass_lines *l, const struct glass_story *s,
			 const struct glass_failure *f, struct glass_dev *dev,
			 struct glass_dev *peer)
{
	struct rule_end end[2];
	u32 i, n = rule_ends(end, s, f, dev, peer);

	glass_lines_block(l, GLASS_STORY_JOURNAL_BYTES);
	glass_lines_header(l, GLASS_HEADER("journal", GLASS_COLUMNS_STORY_FIRING));
	for (i = 0; i < n; i++)
		device_firings(l, &end[i], f->created, f->when);
}

/* ---- rules */

#define RULES_SHOWN 8 /* of each adapter */
#define RULE_TEXT 160 /* bytes of a rule's text */
#define RULE(name) GLASS_COL_STORY_RULE_##name

static void rule_row(struct glass_row *r, const char *dev, struct glass_inject *in,
		     const struct glass_live_rule *rule)
{
	u64 hit;

	spin_lock_irq(&in->books);
	hit = rule->hit;
	spin_unlock_irq(&in->books);
	glass_row_text(r, RULE(dev), "%s", dev);
	glass_row_text(r, RULE(rule), "%s", rule->rule.name);
	glass_row_word(r, RULE(act), glass_rule_action_word(rule->rule.action));
	glass_row_num(r, RULE(hit), hit);
	glass_row_num(r, RULE(set), rule->added_ns);
	glass_row_num(r, RULE(set_pid), rule->setter.pid);
	glass_row_text(r, RULE(set_by), "%.*s", (int)sizeof(rule->setter.comm), rule->setter.comm);
	glass_row_num(r, RULE(set_uid), rule->setter.uid);
	glass_row_text(r, RULE(text), "%.*s", min_t(int, rule->rule.text_len, RULE_TEXT),
		       rule->rule.text);
}

/* Sets the properties of an end that rules select by, and that do not change. */
static void describe_end(struct glass_subject *s, const struct rule_end *end)
{
	memset(s, 0, sizeof(*s));
	if (end->kind == GLASS_KIND_QP)
		glass_subject_set(s, GLASS_SEL_QPN, end->num);
	if (end->port)
		glass_subject_set(s, GLASS_SEL_PORT, end->port);
	if (!end->comm)
		return;
	glass_subject_set(s, GLASS_SEL_PID, end->pid);
	s->keys |= BIT(GLASS_SEL_COMM);
	strscpy(s->comm, end->comm, sizeof(s->comm));
}

/* May the rule act on this end? */
static bool may_act(const struct glass_live_rule *r, const struct rule_end *end,
		    const struct glass_subject *s)
{
	if (READ_ONCE(r->over))
		return false;
	if (r->rule.site == 'N')
		return r->rule.num == end->port;
	return r->rule.site != 'O' && glass_select_may(&r->rule.select, s);
}

void glass_story_rules(struct glass_lines *l, const struct glass_story *s,
		       const struct glass_failure *f, struct glass_dev *dev, struct glass_dev *peer)
{
	const struct glass_live_rule *r;
	struct glass_subject subject;
	struct rule_end end[2];
	u32 i, shown, n = rule_ends(end, s, f, dev, peer);

	glass_lines_block(l, GLASS_STORY_RULES_BYTES);
	glass_lines_header(l, GLASS_HEADER("rules", GLASS_COLUMNS_STORY_RULE));
	for (i = 0; i < n; i++) {
		struct glass_inject *in = end[i].dev->inject;

		describe_end(&subject, &end[i]);
		shown = 0;
		mutex_lock(&in->lock);
		list_for_each_entry(r, &in->rules, node) {
			if (!may_act(r, &end[i], &subject))
				continue;
			if (++shown > RULES_SHOWN || !glass_lines_begin(l))
				break;
			rule_row(&l->row, glass_dev_name(end[i].dev), in, r);
			glass_lines_row(l, &glass_fields_story_rules);
			glass_lines_end(l);
		}
		mutex_unlock(&in->lock);
	}
}
