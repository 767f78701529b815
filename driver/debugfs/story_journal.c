// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The table `journal` of a story (story.h): firings of injection rules on the two ends. */
#include "debugfs/story.h"
#include "inject/inject.h"
#include "rules/parse.h"

DEFINE_GLASS_FIELDS(story_journal, GLASS_COLUMNS_STORY_FIRING);

#define FIRINGS_SEARCHED 1024 /* newest firings of an adapter that are looked at */
#define FIRINGS_SHOWN 8 /* of each adapter; the newest */
#define FIRING(name) GLASS_COL_STORY_FIRING_##name

static const char *const site_words[] = {
	[GLASS_INJECT_PACKETS] = "packet",
	[GLASS_INJECT_COMPLETIONS] = "completion",
	[GLASS_INJECT_VERBS] = "verb",
	[GLASS_INJECT_SITES] = "object",
};
static const char *const firing_dirs[] = GLASS_WORDS(GLASS_DIRS);

/* Was the firing on this object, or on a packet, a completion or a call of this QP? */
static bool is_on(const struct glass_firing *g, u8 kind, u32 num)
{
	if (g->site == GLASS_INJECT_SITES)
		return g->kind == kind && g->num == num;
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
}

/*
 * Prints the last firings on an object since `since` (ktime_get_ns()), oldest first. An object that
 * had the number before `since` is another one.
 */
static void device_firings(struct glass_lines *l, struct glass_dev *dev, u8 kind, u32 num, u64 since)
{
	u64 seq[FIRINGS_SHOWN], at;
	struct glass_firing g;
	u32 n = 0, i;

	spin_lock_irq(&dev->inject->books);
	at = dev->inject->fired;
	spin_unlock_irq(&dev->inject->books);
	for (i = 0; i < FIRINGS_SEARCHED && at && n < FIRINGS_SHOWN; i++, at--) {
		if (!glass_inject_firing(dev->inject, at, &g))
			continue; /* it is not complete yet */
		if (g.seq != at || g.when < since)
			break;
		if (is_on(&g, kind, num))
			seq[n++] = at;
	}
	while (n--) {
		if (!glass_inject_firing(dev->inject, seq[n], &g) || g.seq != seq[n])
			continue;
		if (!glass_lines_begin(l))
			return;
		firing_row(&l->row, glass_dev_name(dev), &g);
		glass_lines_row(l, &glass_fields_story_journal);
		glass_lines_end(l);
	}
}

void glass_story_journal(struct glass_lines *l, const struct glass_failure *f, struct glass_dev *dev,
			 struct glass_dev *peer)
{
	glass_lines_block(l, l->bytes / 8);
	glass_lines_header(l, GLASS_HEADER("journal", GLASS_COLUMNS_STORY_FIRING));
	if (dev)
		device_firings(l, dev, f->object, f->num, f->created);
	if (peer && f->object == GLASS_KIND_QP && (peer != dev || f->peer_qpn != f->num))
		device_firings(l, peer, GLASS_KIND_QP, f->peer_qpn, f->created);
}
