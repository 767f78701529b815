// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "box.h"
#include "hang.h"
#include "json.h"
#include "lib/debugfs/device.h"
#include "lib/debugfs/table.h"
#include "lib/json.h"
#include "other.h"

const char *proc_root = "/proc";

static const struct debugfs_use use = { "the state of QPs", "details/qp", "there is no adapter" };

/* A snapshot and the texts that it points into */
struct taken {
	struct why_snapshot w;
	struct debugfs_file text[DEVICES_MAX];
};

static void *more(void *array, size_t count, size_t size)
{
	if (count % 64)
		return array;
	array = realloc(array, (count + 64) * size);
	if (!array)
		cli_die(CLI_FAILED, "out of memory");
	return array;
}

static void take_qps(struct taken *t, const char *dev, struct debugfs_file *text)
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

static void take_held(struct taken *t, const char *dev)
{
	struct debugfs_file f = { 0 };
	struct debugfs_table table;
	int qpn, rule;

	if (!debugfs_read(&f, dev, "inject/held") && debugfs_table_begin(&table, &f, "held")) {
		qpn = debugfs_column(&table, "qpn");
		rule = debugfs_column(&table, "rule");
		while (debugfs_table_next(&table)) {
			struct why_held held;

			if (!debugfs_value_number(&table, qpn, &held.qpn))
				continue;
			strcpy(held.dev, dev);
			debugfs_value_text(&table, rule, held.rule, sizeof(held.rule));
			t->w.held = more(t->w.held, t->w.helds, sizeof(held));
			t->w.held[t->w.helds++] = held;
		}
		debugfs_tell(&f);
	}
	debugfs_free(&f);
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

static void take_processes(struct taken *t)
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

static enum status take(struct taken *t)
{
	struct devices devices;
	size_t i;
	int err;

	memset(t, 0, sizeof(*t));
	if (!debugfs_find(&use, &devices))
		return ST_NO_DEVICE;
	for (i = 0; i < devices.count; i++) {
		err = debugfs_read(&t->text[i], devices.name[i], "details/qp");
		if (err) {
			cli_error("%s: details/qp: %s", devices.name[i], strerror(err));
			return ST_FAILED;
		}
		take_qps(t, devices.name[i], &t->text[i]);
		take_held(t, devices.name[i]);
		debugfs_tell(&t->text[i]);
	}
	take_processes(t);
	return ST_OK;
}

static void let_go(struct taken *t)
{
	size_t i;

	for (i = 0; i < t->w.qps; i++)
		why_story_free(&t->w.qp[i].story);
	for (i = 0; i < DEVICES_MAX; i++)
		debugfs_free(&t->text[i]);
	free(t->w.qp);
	free(t->w.held);
	free(t->w.process);
}

static size_t tell_glass(const struct why_style *style, const struct taken *t, pid_t pid,
			 json_object *list)
{
	struct why_verdict v;
	size_t i, told = 0;
	enum why_end end;

	for (i = 0; i < t->w.qps; i++) {
		const struct why_qp *q = &t->w.qp[i];

		if (q->pid != (uint64_t)pid)
			continue;
		end = why_wait(&t->w, q, &v);
		if (list)
			json_object_array_add(list, json_of_wait(q, &v, end));
		else
			why_tell_wait(style, &v, end);
		told++;
	}
	return told;
}

int hang_tell(const struct why_style *style, pid_t pid, bool json)
{
	json_object *list = json ? json_object_new_array() : NULL, *other;
	char *path = format_text("%s/%d", proc_root, (int)pid);
	bool there = !access(path, F_OK);
	enum status status;
	struct taken t;
	size_t told;

	free(path);
	status = there ? take(&t) : ST_NONE;
	if (!there) {
		cli_error("there is no process %d", (int)pid);
	} else {
		told = status ? 0 : tell_glass(style, &t, pid, list);
		other = json ? json_object_new_array() : NULL;
		told += other_tell(style, pid, other);
		if (!status && !told) {
			cli_error("process %d has no QP", (int)pid);
			status = ST_NONE;
		}
		if (json) {
			json_object *to = json_object_new_object();

			json_object_object_add(to, "waits", list);
			json_object_object_add(to, "other_adapters", other);
			list = NULL;
			if (json_write(to, "-") && !status)
				status = ST_FAILED;
		}
		let_go(&t);
	}
	json_object_put(list);
	return status;
}
