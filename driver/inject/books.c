// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Decides whether a rule fires, and keeps streams, counts and the journal (inject.h). */
#include <linux/hash.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "compat/workqueue.h"
#include "inject/books.h"
#include "observe/observe.h"

#define STREAM_BITS 10
#define STREAM_BUCKETS (1 << STREAM_BITS)

/* The state that one rule keeps for one stream. */
struct stream {
	struct hlist_node node;
	u32 id; /* of the rule */
	u32 qpn, source;
	u64 born;
	u8 dir, role;
	struct glass_stream s;
};

int glass_books_open(struct glass_inject *in)
{
	struct glass_firing *journal;
	struct hlist_head *streams;

	lockdep_assert_held(&in->lock);
	if (in->journal)
		return 0;
	journal = kvcalloc(GLASS_INJECT_JOURNAL, sizeof(*journal), GFP_KERNEL);
	streams = kvcalloc(STREAM_BUCKETS, sizeof(*streams), GFP_KERNEL);
	if (!journal || !streams) {
		kvfree(journal);
		kvfree(streams);
		return -ENOMEM;
	}
	spin_lock_irq(&in->books);
	in->journal = journal;
	in->streams = streams;
	spin_unlock_irq(&in->books);
	return 0;
}

void glass_books_end(struct glass_inject *in, struct glass_live_rule *r, enum glass_over why)
{
	spin_lock_irq(&in->books);
	if (!r->over)
		WRITE_ONCE(r->over, why);
	spin_unlock_irq(&in->books);
}

void glass_books_forget(struct glass_inject *in, struct glass_live_rule *r)
{
	struct glass_live_rule *other;
	struct hlist_node *next;
	struct stream *s;
	u32 i;

	lockdep_assert_held(&in->lock);
	spin_lock_irq(&in->books);
	WRITE_ONCE(r->over, GLASS_OVER_COUNT);
	if (r->after)
		r->after->followers--;
	if (r->followers) {
		list_for_each_entry(other, &in->rules, node) {
			if (other->after != r)
				continue;
			other->after_never = r->hit < other->rule.value[GLASS_RK_AFTER];
			other->after = NULL;
		}
	}
	/*
	 * while `eligible` is 0, the rule has no stream, because ask_rule() increments `eligible`
	 * first
	 */
	for (i = 0; r->eligible && i < STREAM_BUCKETS; i++) {
		hlist_for_each_entry_safe(s, next, &in->streams[i], node) {
			if (s->id != r->id)
				continue;
			hlist_del(&s->node);
			kfree(s);
			in->nstreams--;
		}
	}
	spin_unlock_irq(&in->books);
}

static struct stream *find_stream(struct glass_inject *in, u32 id, const struct glass_passing *p)
{
	u32 hash = hash_64(p->born ^ (u64)p->source << 32 ^ (u64)id << 40 ^ (u64)p->qpn << 20 ^
				   (p->dir << 1 | p->role),
			   STREAM_BITS);
	struct stream *s;

	lockdep_assert_held(&in->books);
	hlist_for_each_entry(s, &in->streams[hash], node)
		if (s->id == id && s->born == p->born && s->qpn == p->qpn &&
		    s->source == p->source && s->dir == p->dir && s->role == p->role)
			return s;
	if (in->nstreams >= GLASS_INJECT_STREAMS)
		return NULL;
	s = kzalloc(sizeof(*s), GFP_NOWAIT | __GFP_NOWARN);
	if (!s)
		return NULL;
	s->id = id;
	s->born = p->born;
	s->qpn = p->qpn;
	s->source = p->source;
	s->dir = p->dir;
	s->role = p->role;
	hlist_add_head(&s->node, &in->streams[hash]);
	in->nstreams++;
	return s;
}

/*
 * Returns the id of the stream for random decisions. When the same programs run again, their
 * streams must have the same ids, although the QPNs may differ. So if the QP is newer than the
 * rule, the id is made from the QP's place among the QPs created after the rule, not from its QPN.
 */
static u64 stream_id(const struct glass_live_rule *r, const struct glass_passing *p)
{
	static const u64 key[2] = { 0x676c617373, 0 };
	bool newer = p->born > r->born;

	/* for a verb, p->source is the pid: leave it out, because it differs in the next run */
	if (p->site == GLASS_INJECT_VERBS)
		return glass_hash(key, p->qpn, 0, 0, 0);
	return glass_hash(key, newer ? p->born - r->born : p->qpn, newer, p->dir << 1 | p->role,
			  p->source);
}

/* May the rule fire now? Checks `over`, `after`, and the time limits (ttl, window). */
static bool rule_in_time(const struct glass_live_rule *r, u64 now)
{
	const struct glass_rule *rule = &r->rule;

	if (r->over || r->after_never ||
	    (r->after && r->after->hit < rule->value[GLASS_RK_AFTER]))
		return false;
	if (glass_rule_has(rule, GLASS_RK_TTL) && now - r->added_ns >= rule->value[GLASS_RK_TTL])
		return false;
	return !glass_rule_has(rule, GLASS_RK_WINDOW) ||
	       (now - r->added_ns >= rule->value[GLASS_RK_WINDOW] &&
		now - r->added_ns <= rule->window_to);
}

static u64 value_or(const struct glass_rule *r, enum glass_rule_key key, u64 other)
{
	return glass_rule_has(r, key) ? r->value[key] : other;
}

#define DEFAULT_DELAY_NS 10000000

static void fill_hit(struct glass_hit *hit, const struct glass_live_rule *r, u64 delay, u64 random)
{
	const struct glass_rule *rule = &r->rule;

	hit->action = rule->action;
	hit->id = r->id;
	memcpy(hit->rule, rule->name, sizeof(hit->rule));
	hit->random = random;
	hit->time = delay;
	hit->copies = value_or(rule, GLASS_RK_COPIES, 1);
	hit->gap = value_or(rule, GLASS_RK_GAP, 1);
	hit->bits = value_or(rule, GLASS_RK_BITS, 1);
	hit->has_at = glass_rule_has(rule, GLASS_RK_AT);
	hit->at = rule->value[GLASS_RK_AT];
	hit->has_keep = glass_rule_has(rule, GLASS_RK_KEEP);
	hit->keep = rule->value[GLASS_RK_KEEP];
	hit->vendor = rule->value[GLASS_RK_VENDOR];
	hit->what = rule->value[GLASS_RK_WHAT];
	hit->crc = rule->value[GLASS_RK_CRC];
	hit->code = rule->value[GLASS_RK_CODE];
	hit->has_timer = glass_rule_has(rule, GLASS_RK_TIMER);
	hit->timer = rule->value[GLASS_RK_TIMER];
	hit->timers = rule->value[GLASS_RK_TIMERS];
	hit->status = rule->value[GLASS_RK_STATUS];
	hit->err = rule->value[GLASS_RK_ERR];
}

/*
 * Numbers a firing, writes it into the journal, and counts it. If this is the last firing that the
 * rule's count= allows, marks the rule as over, unless the rule is on a port or the device.
 */
static void journal_enter(struct glass_inject *in, struct glass_live_rule *r,
			  struct glass_firing *f)
{
	lockdep_assert_held(&in->books);
	strscpy(f->rule, r->rule.name, sizeof(f->rule));
	f->action = r->rule.action;
	f->setter = r->setter;
	f->seq = ++in->fired;
	/*
	 * the entry stays open until the packet is corrupted: then glass_inject_note_extra() adds
	 * the flipped bit, and closes the entry
	 */
	f->open = f->action == GLASS_ACT_CORRUPT;
	in->fired_by[f->action]++;
	in->journal[(f->seq - 1) % GLASS_INJECT_JOURNAL] = *f;
	r->hit++;
	/* a rule on a port or the device fires once, but its effect lasts until the rule ends */
	if (glass_rule_has(&r->rule, GLASS_RK_COUNT) && r->hit >= r->rule.value[GLASS_RK_COUNT] &&
	    !r->over && r->rule.site != 'N' && r->rule.site != 'D') {
		WRITE_ONCE(r->over, GLASS_OVER_COUNT);
		mod_delayed_work(system_percpu_wq, &in->sweep, 0);
	}
}

static void firing_describe(struct glass_firing *f, const struct glass_live_rule *r,
			    const struct glass_subject *s, const struct glass_passing *p, u64 n)
{
	f->kind = p->site == GLASS_INJECT_VERBS ? GLASS_KIND_DEVICE : GLASS_KIND_QP;
	f->site = p->site;
	f->num = p->site == GLASS_INJECT_VERBS ? 0 : p->qpn;
	if (p->node) {
		f->kind = GLASS_KIND_PORT;
		f->num = s->value[GLASS_SEL_PORT];
		strscpy(f->node, p->node, sizeof(f->node));
	}
	f->dir = p->dir;
	f->role = p->role;
	f->keys = s->keys;
	f->port = s->value[GLASS_SEL_PORT];
	f->qpn = p->qpn;
	f->nqp = p->born > r->born ? p->born - r->born : 0;
	f->op = s->value[p->site == GLASS_INJECT_VERBS ? GLASS_SEL_VERB : GLASS_SEL_OP];
	f->psn = s->value[GLASS_SEL_PSN];
	f->rpsn = p->rpsn;
	f->round = p->round;
	f->taken = p->taken;
	f->msg = s->value[GLASS_SEL_MSG];
	f->wr_id = s->value[GLASS_SEL_WR_ID];
	f->len = s->value[GLASS_SEL_LEN];
	f->cqn = s->value[GLASS_SEL_CQN];
	f->pid = s->value[GLASS_SEL_PID];
	memcpy(f->comm, s->comm, sizeof(f->comm));
	f->n = n;
}

static_assert(GLASS_NAME_BYTES == TASK_COMM_LEN);

/*
 * Decides whether a rule fires. The caller has found that the rule's selectors match, and has set
 * f->when. Returns true if the rule fires; then *hit, *f and the journal have the firing.
 */
static bool ask_rule(struct glass_inject *in, struct glass_live_rule *r,
		     const struct glass_subject *s, const struct glass_passing *p,
		     struct glass_hit *hit, struct glass_firing *f)
{
	struct glass_place place = { .fixed = p->fixed, .psn = p->rpsn, .round = p->round };
	struct stream *stream;
	u64 delay = 0;

	lockdep_assert_held(&in->books);
	if (!rule_in_time(r, f->when))
		return false;
	r->eligible++;
	stream = find_stream(in, r->id, p);
	if (!stream) {
		in->no_room++;
		return false;
	}
	place.id = stream_id(r, p);
	if (!glass_rule_fires(&r->rule, &stream->s, &place))
		return false;
	if (glass_rule_has(&r->rule, GLASS_RK_TIME))
		delay = glass_rule_delay(&r->rule, glass_rule_random(&r->rule, &stream->s, &place,
								     GLASS_RANDOM_DELAY));
	else if (r->rule.action == GLASS_ACT_DELAY || r->rule.action == GLASS_ACT_REORDER ||
		 r->rule.action == GLASS_ACT_CQE_DELAY)
		delay = DEFAULT_DELAY_NS;
	fill_hit(hit, r, delay,
		 glass_rule_random(&r->rule, &stream->s, &place, GLASS_RANDOM_PART));
	firing_describe(f, r, s, p, stream->s.n);
	f->extra = r->rule.action == GLASS_ACT_DELAY ? delay : 0;
	journal_enter(in, r, f);
	hit->seq = f->seq;
	return true;
}

#define CANDIDATES 32

/* Asks the rules of a tier, oldest first, until one fires. Returns whether one fired. */
static bool ask_tier(struct glass_inject *in, const struct glass_rule_tier *tier,
		     const struct glass_subject *s, const struct glass_passing *p,
		     struct glass_hit *hit)
{
	u32 found[CANDIDATES], n, i;
	struct glass_live_rule *r;
	struct glass_firing f;
	unsigned long flags;
	bool fired = false;

	n = glass_index_find(&tier->index, s, found, CANDIDATES);
	if (likely(!n))
		return false;
	memset(&f, 0, sizeof(f));
	/* if found[] was too small, test all rules of the tier */
	for (i = 0; i < (n > CANDIDATES ? tier->n : n) && !fired; i++) {
		r = rcu_dereference(tier->rule[n > CANDIDATES ? i : found[i]]);
		if (!r || !glass_select_holds(&r->rule.select, s))
			continue;
		spin_lock_irqsave(&in->books, flags);
		f.when = ktime_get_ns();
		fired = ask_rule(in, r, s, p, hit, &f);
		spin_unlock_irqrestore(&in->books, flags);
	}
	if (fired)
		trace_glass_inject(p->dev, hit->rule, hit->action, f.kind, f.num, f.seq);
	return fired;
}

bool glass_inject_ask(struct glass_inject *in, const struct glass_subject *s,
		      const struct glass_passing *p, struct glass_hit *hit)
{
	const struct glass_rule_set *set;
	bool fired = false;
	u32 k;

	rcu_read_lock();
	set = rcu_dereference(in->set[p->site]);
	for (k = 0; set && k < set->tiers && !fired; k++)
		fired = ask_tier(in, set->tier[k], s, p, hit);
	rcu_read_unlock();
	return fired;
}

void glass_inject_done(struct glass_inject *in, const char *dev, struct glass_live_rule *r,
		       struct glass_firing *f)
{
	spin_lock_irq(&in->books);
	r->eligible++;
	f->site = GLASS_INJECT_SITES;
	f->when = ktime_get_ns();
	journal_enter(in, r, f);
	spin_unlock_irq(&in->books);
	trace_glass_inject(dev, r->rule.name, f->action, f->kind, f->num, f->seq);
}

void glass_inject_note_extra(struct glass_inject *in, u64 seq, u64 extra)
{
	struct glass_firing *f;
	unsigned long flags;

	spin_lock_irqsave(&in->books, flags);
	f = in->journal ? &in->journal[(seq - 1) % GLASS_INJECT_JOURNAL] : NULL;
	if (f && f->seq == seq) {
		f->extra = extra;
		f->open = false;
	}
	spin_unlock_irqrestore(&in->books, flags);
}

void glass_inject_no_room(struct glass_inject *in)
{
	unsigned long flags;

	spin_lock_irqsave(&in->books, flags);
	in->no_room++;
	spin_unlock_irqrestore(&in->books, flags);
}

bool glass_inject_firing(struct glass_inject *in, u64 seq, struct glass_firing *out)
{
	bool found;

	spin_lock_irq(&in->books);
	if (in->fired > GLASS_INJECT_JOURNAL)
		seq = max(seq, in->fired - GLASS_INJECT_JOURNAL + 1);
	seq = max(seq, 1ULL);
	found = in->journal && seq <= in->fired;
	if (found)
		*out = in->journal[(seq - 1) % GLASS_INJECT_JOURNAL];
	spin_unlock_irq(&in->books);
	return found && !out->open;
}
