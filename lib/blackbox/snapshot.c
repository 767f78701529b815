// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/blackbox/snapshot.h"
#include "lib/cli.h"
#include "lib/debugfs/table.h"

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
	}
	free(t->w.qp);
	free(t->w.held);
	free(t->w.process);
	memset(t, 0, sizeof(*t));
}
