// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The table `lint` of a story (story.h): mistakes that were found in the programs of both ends. */
#include "debugfs/story.h"
#include "observe/lint.h"

DEFINE_GLASS_FIELDS(story_lint, GLASS_COLUMNS_STORY_LINT);

#define FINDINGS_SEARCHED 64 /* newest findings of an adapter that are looked at */
#define FINDINGS_SHOWN 8 /* of each adapter */
#define FINDING_TEXT 120 /* bytes of a finding's sentence */
#define FINDING(name) GLASS_COL_STORY_LINT_##name

static void finding_row(struct glass_row *r, const char *dev, const struct glass_finding *g)
{
	glass_row_text(r, FINDING(dev), "%s", dev);
	glass_row_num(r, FINDING(id), g->id);
	glass_row_text(r, FINDING(code), "GL%03u", g->code);
	glass_row_num(r, FINDING(count), g->count);
	glass_row_num(r, FINDING(last), g->last);
	glass_row_num(r, FINDING(pid), g->pid);
	glass_row_text(r, FINDING(comm), "%.*s", (int)sizeof(g->comm), g->comm);
	glass_row_text(r, FINDING(text), "%.*s", FINDING_TEXT, g->text);
}

static void device_findings(struct glass_lines *l, const struct glass_failure *f, struct glass_dev *dev)
{
	struct glass_lint *lint = dev->lint;
	struct glass_finding g;
	u32 shown = 0;
	u64 id;

	spin_lock_irq(&lint->books);
	id = lint->last_id > FINDINGS_SEARCHED ? lint->last_id - FINDINGS_SEARCHED : 0;
	spin_unlock_irq(&lint->books);
	while (shown < FINDINGS_SHOWN && glass_lint_get(lint, id + 1, &g)) {
		id = g.id;
		if (g.pid != f->pid && !(f->peer_comm[0] && g.pid == f->peer_pid))
			continue;
		if (!glass_lines_begin(l))
			return;
		finding_row(&l->row, glass_dev_name(dev), &g);
		glass_lines_row(l, &glass_fields_story_lint);
		glass_lines_end(l);
		shown++;
	}
}

void glass_story_lint(struct glass_lines *l, const struct glass_failure *f, struct glass_dev *dev,
		      struct glass_dev *peer)
{
	glass_lines_block(l, GLASS_STORY_LINT_BYTES);
	glass_lines_header(l, GLASS_HEADER("lint", GLASS_COLUMNS_STORY_LINT));
	if (dev)
		device_findings(l, f, dev);
	if (peer && peer != dev)
		device_findings(l, f, peer);
}
