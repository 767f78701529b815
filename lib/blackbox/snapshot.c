// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/blackbox/box.h"
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

static struct why_fault *find_fault(struct qp_snapshot *t, const struct why_fault *of)
{
	size_t i;

	for (i = 0; i < t->w.faults; i++) {
		struct why_fault *f = &t->w.fault[i];

		if (f->qpn == of->qpn && f->act == of->act && f->receive == of->receive &&
		    f->arrived == of->arrived && !strcmp(f->dev, of->dev) && !strcmp(f->rule, of->rule))
			return f;
	}
	return NULL;
}

/* Reads a line of the journal. Returns false if it is no firing after which a program may wait. */
static bool take_fault(struct why_fault *f, const char *dev, const char *line)
{
	char word[32];

	memset(f, 0, sizeof(*f));
	if (!find_value(line, "act", word, sizeof(word)))
		return false;
	f->act = why_fault_find(word);
	if (f->act == WHY_FAULT_COUNT || !find_number(line, "qpn", &f->qpn) ||
	    !find_number(line, "time", &f->time) || !find_number(line, "seq", &f->seq) ||
	    !find_text(line, "name", f->rule, sizeof(f->rule)))
		return false;
	f->count = 1;
	f->arrived = find_value(line, "dir", word, sizeof(word)) && !strcmp(word, "rx");
	f->receive = find_value(line, "op", word, sizeof(word)) && !strncmp(word, "recv", 4);
	if (!find_number(line, "psn", &f->psn) && f->act != WHY_FAULT_CQE_LOSE && f->act != WHY_FAULT_CQE_DUP)
		return false;
	if (!find_number(line, f->receive ? "recv" : "msg", &f->request))
		f->request = 0;
	if (!find_value(line, "wr_id", f->wr_id, sizeof(f->wr_id)) || !strcmp(f->wr_id, "-"))
		*f->wr_id = 0;
	snprintf(f->dev, sizeof(f->dev), "%s", dev);
	return true;
}

/* Of the firings of a rule on one queue the last one counts, with their number since the QP began. */
static void take_faults(struct qp_snapshot *t, const char *dev, struct debugfs_file *f)
{
	char *line;

	if (debugfs_read(f, dev, "inject/journal"))
		return;
	while ((line = debugfs_line(f))) {
		struct why_fault fault, *known;
		size_t i;

		if (!take_fault(&fault, dev, line))
			continue;
		known = find_fault(t, &fault);
		for (i = 0; known && i < t->w.qps; i++)
			if (t->w.qp[i].qpn == fault.qpn && !strcmp(t->w.qp[i].dev, dev) &&
			    known->time < t->w.qp[i].began)
				known->count = 0;
		if (known) {
			fault.count += known->count;
			*known = fault;
			continue;
		}
		t->w.fault = more(t->w.fault, t->w.faults, sizeof(fault));
		t->w.fault[t->w.faults++] = fault;
	}
}

static void text_of(const struct debugfs_table *t, int column, char *to, size_t size)
{
	why_text(debugfs_value(t, column), to, size);
}

static void take_cqs(struct qp_snapshot *t, const char *dev, struct debugfs_file *f)
{
	static const char *const names[] = { "cqn", "pid", "used", "armed", "state", "notify", "comm" };
	struct debugfs_table table;
	int at[7];

	if (debugfs_read(f, dev, "cq") || !debugfs_table_begin(&table, f, "cq") ||
	    !debugfs_columns_find(&table, names, 7, at))
		return;
	while (debugfs_table_next(&table)) {
		struct why_cq cq = { 0 };

		if (!debugfs_value_number(&table, at[0], &cq.cqn) ||
		    !debugfs_value_number(&table, at[1], &cq.pid) ||
		    !debugfs_value_number(&table, at[2], &cq.used) ||
		    !debugfs_value_number(&table, at[3], &cq.armed))
			continue;
		cq.failed = !strcmp(debugfs_value(&table, at[4]), "err");
		text_of(&table, at[5], cq.notify, sizeof(cq.notify));
		text_of(&table, at[6], cq.comm, sizeof(cq.comm));
		snprintf(cq.dev, sizeof(cq.dev), "%s", dev);
		t->w.cq = more(t->w.cq, t->w.cqs, sizeof(cq));
		t->w.cq[t->w.cqs++] = cq;
	}
}

static void take_srqs(struct qp_snapshot *t, const char *dev, struct debugfs_file *f)
{
	static const char *const names[] = { "srqn", "used" };
	struct debugfs_table table;
	int at[2];

	if (debugfs_read(f, dev, "srq") || !debugfs_table_begin(&table, f, "srq") ||
	    !debugfs_columns_find(&table, names, 2, at))
		return;
	while (debugfs_table_next(&table)) {
		struct why_srq srq = { 0 };

		if (!debugfs_value_number(&table, at[0], &srq.srqn) ||
		    !debugfs_value_number(&table, at[1], &srq.used))
			continue;
		snprintf(srq.dev, sizeof(srq.dev), "%s", dev);
		t->w.srq = more(t->w.srq, t->w.srqs, sizeof(srq));
		t->w.srq[t->w.srqs++] = srq;
	}
}

/* The verdict on a failure. Its story may have been pushed out meanwhile: then it stays undetermined. */
static void judge(struct why_failure *f)
{
	struct why_verdict v;
	struct box b = { 0 };

	if (!box_ask(&b, f->id)) {
		why_reason(&b.story[0].story, &v);
		f->cause = v.cause;
		if (v.steps)
			snprintf(f->last, sizeof(f->last), "%s", v.step[v.steps - 1].text);
	}
	box_free(&b);
}

static void take_failures(struct qp_snapshot *t)
{
	static const char *const names[] = { "id", "when", "age", "num", "dev", "object", "peer_dev", "peer_qpn" };
	char *path = format_text("%s/failures", debugfs_root);
	struct debugfs_table table;
	int at[8];
	bool ok = !debugfs_read_path(&t->failures, "failures", path) &&
		  debugfs_table_begin(&table, &t->failures, "failures") &&
		  debugfs_columns_find(&table, names, 8, at);

	free(path);
	while (ok && debugfs_table_next(&table)) {
		struct why_failure f = { 0 };

		if (!debugfs_value_number(&table, at[0], &f.id) ||
		    !debugfs_value_number(&table, at[1], &f.when) ||
		    !debugfs_value_number(&table, at[2], &f.age) ||
		    !debugfs_value_number(&table, at[3], &f.num))
			continue;
		text_of(&table, at[4], f.dev, sizeof(f.dev));
		text_of(&table, at[5], f.object, sizeof(f.object));
		if (debugfs_value_number(&table, at[7], &f.peer_qpn))
			text_of(&table, at[6], f.peer_dev, sizeof(f.peer_dev));
		if (!why_failure_counts(&t->w, &f))
			continue;
		judge(&f);
		t->w.failure = more(t->w.failure, t->w.failures, sizeof(f));
		t->w.failure[t->w.failures++] = f;
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
		take_faults(t, dev, &t->journal[*failed]);
		take_cqs(t, dev, &t->cqs[*failed]);
		take_srqs(t, dev, &t->srqs[*failed]);
	}
	take_failures(t);
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
		debugfs_free(&t->cqs[i]);
		debugfs_free(&t->srqs[i]);
	}
	debugfs_free(&t->failures);
	free(t->w.qp);
	free(t->w.held);
	free(t->w.fault);
	free(t->w.cq);
	free(t->w.srq);
	free(t->w.failure);
	free(t->w.process);
	memset(t, 0, sizeof(*t));
}
