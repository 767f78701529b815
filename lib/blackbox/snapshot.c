// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/blackbox/snapshot.h"
#include "lib/cli.h"
#include "lib/debugfs/table.h"
#include "lib/pairs.h"

const char *proc_root = "/proc";

static void *more(void *array, size_t count, size_t size)
{
	if (count % 64)
		return array;
	array = realloc(array, (count + 64) * size);
	if (!array)
		cli_die(CLI_FAILED, "out of memory");
	return array;
}

static void take_qps(struct qp_snapshot *t, const char *dev, struct debugfs_file *text)
{
	static const char title[] = "# glass 1 inspect: qp ";
	char *line = debugfs_line(text);

	while (line) {
		struct why_qp q;

		if (strncmp(line, title, strlen(title))) {
			line = debugfs_line(text);
			continue;
		}
		line = why_story_read_object(text, &q.story, line + strlen(title));
		if (!why_qp_take(&q, dev)) {
			why_story_free(&q.story);
			continue;
		}
		t->w.qp = more(t->w.qp, t->w.qps, sizeof(q));
		t->w.qp[t->w.qps++] = q;
	}
}

static void take_held(struct qp_snapshot *t, const char *dev, struct debugfs_file *f)
{
	struct debugfs_table table;
	int qpn, rule;

	if (debugfs_read(f, dev, "inject/held") || !debugfs_table_begin(&table, f, "held"))
		return;
	qpn = debugfs_column(&table, "qpn");
	rule = debugfs_column(&table, "rule");
	while (debugfs_table_next(&table)) {
		struct why_held held;

		if (!debugfs_value_number(&table, qpn, &held.qpn))
			continue;
		snprintf(held.dev, sizeof(held.dev), "%s", dev);
		debugfs_value_text(&table, rule, held.rule, sizeof(held.rule));
		t->w.held = more(t->w.held, t->w.helds, sizeof(held));
		t->w.held[t->w.helds++] = held;
	}
}

static struct why_lost *find_lost(struct qp_snapshot *t, const struct why_lost *of)
{
	size_t i;

	for (i = 0; i < t->w.losts; i++) {
		struct why_lost *l = &t->w.lost[i];

		if (l->qpn == of->qpn && !strcmp(l->dev, of->dev) && !strcmp(l->rule, of->rule))
			return l;
	}
	return NULL;
}

/* An entry of the journal counts if the QP that has this number now existed then. */
static bool is_of_now(const struct qp_snapshot *t, const struct why_lost *l, uint64_t time)
{
	size_t i;

	for (i = 0; i < t->w.qps; i++)
		if (t->w.qp[i].qpn == l->qpn && !strcmp(t->w.qp[i].dev, l->dev))
			return t->w.qp[i].created <= time;
	return false;
}

static void take_lost(struct qp_snapshot *t, const char *dev, struct debugfs_file *f)
{
	char *line;

	if (debugfs_read(f, dev, "inject/journal"))
		return;
	while ((line = debugfs_line(f))) {
		struct why_lost lost = { .count = 1 }, *known;
		char act[16];
		uint64_t time;

		if (!find_value(line, "act", act, sizeof(act)) || strcmp(act, "cqe_lose") ||
		    !find_number(line, "qpn", &lost.qpn) || !find_number(line, "time", &time) ||
		    !find_number(line, "seq", &lost.seq) ||
		    !find_text(line, "name", lost.rule, sizeof(lost.rule)))
			continue;
		snprintf(lost.dev, sizeof(lost.dev), "%s", dev);
		if (!is_of_now(t, &lost, time))
			continue;
		known = find_lost(t, &lost);
		if (known) {
			known->count++;
			continue;
		}
		t->w.lost = more(t->w.lost, t->w.losts, sizeof(lost));
		t->w.lost[t->w.losts++] = lost;
	}
}

/* Is the process stopped, or traced and stopped? False also if there is no such process. */
static bool is_stopped(uint64_t pid)
{
	char *path = format_text("%s/%" PRIu64 "/stat", proc_root, pid), line[512] = "", *state;
	FILE *f = fopen(path, "re");

	free(path);
	if (!f)
		return false;
	if (!fgets(line, sizeof(line), f))
		*line = 0;
	fclose(f);
	/* the name, in parentheses, may contain any byte */
	state = strrchr(line, ')');
	return state && (state[1] == ' ') && (state[2] == 'T' || state[2] == 't');
}

static void take_processes(struct qp_snapshot *t)
{
	size_t i, k;

	for (i = 0; i < t->w.qps; i++) {
		uint64_t pid = t->w.qp[i].pid;

		for (k = 0; k < t->w.processes && t->w.process[k].pid != pid; k++)
			;
		if (!pid || k < t->w.processes)
			continue;
		t->w.process = more(t->w.process, t->w.processes, sizeof(*t->w.process));
		t->w.process[t->w.processes++] = (struct why_process_state){ pid, is_stopped(pid) };
	}
}

int snapshot_take(struct qp_snapshot *t, const struct devices *devices, size_t *failed)
{
	int err;

	memset(t, 0, sizeof(*t));
	for (*failed = 0; *failed < devices->count; ++*failed) {
		const char *dev = devices->name[*failed];

		err = debugfs_read(&t->text[*failed], dev, "details/qp");
		if (err)
			return err;
		take_qps(t, dev, &t->text[*failed]);
		take_held(t, dev, &t->held[*failed]);
		take_lost(t, dev, &t->journal[*failed]);
	}
	take_processes(t);
	return 0;
}

void snapshot_free(struct qp_snapshot *t)
{
	size_t i;

	for (i = 0; i < t->w.qps; i++)
		why_story_free(&t->w.qp[i].story);
	for (i = 0; i < DEVICES_MAX; i++) {
		debugfs_free(&t->text[i]);
		debugfs_free(&t->held[i]);
		debugfs_free(&t->journal[i]);
	}
	free(t->w.qp);
	free(t->w.held);
	free(t->w.lost);
	free(t->w.process);
	memset(t, 0, sizeof(*t));
}
