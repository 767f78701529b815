// SPDX-License-Identifier: GPL-2.0-only
/* Glass' own debugfs: objects with data that no real adapter offers, drops, and injection. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ibtop/model/snapshot.h"
#include "ibtop/source/source.h"
#include "lib/pairs.h"
#include "uapi/glass-lint.h"

#define FINDINGS "lint/findings"

static const struct {
	const char *file;
	enum view_id view;
	bool newer; /* optional: without the file, the objects are unknown, not none */
} files[] = {
	{ "ucontext", VIEW_UCONTEXT, false },
	{ "pd", VIEW_PD, false },
	{ "mr", VIEW_MR, false },
	{ "cq", VIEW_CQ, false },
	{ "srq", VIEW_SRQ, false },
	{ "qp", VIEW_QP, false },
	{ "ah", VIEW_AH, false },
	{ "port", VIEW_PORT, false },
	{ "mw", VIEW_MW, true },
	{ "dm", VIEW_DM, true },
	{ "xrcd", VIEW_XRCD, true },
	{ "share", VIEW_SHARE, true },
	{ FINDINGS, VIEW_LINT, true },
};

void debugfs_devices(struct model *m)
{
	char path[512];
	bool denied = false, missing = false;
	size_t i;

	snprintf(path, sizeof(path), "%s/glass", m->debugfs);
	if (access(path, X_OK)) {
		denied = errno == EACCES;
		missing = errno == ENOENT;
	}
	for (i = 0; i < m->num_devices; i++) {
		struct device *d = &m->devices[i];

		if (!d->present)
			continue;
		snprintf(path, sizeof(path), "%s/glass/%s", m->debugfs, d->name);
		if (!denied && !missing)
			d->glass = !access(path, F_OK);
		else if (!d->glass)
			d->glass = !strncmp(d->name, "glass", 5);
		if (!d->glass)
			continue;
		strcpy(d->driver, "glass");
		if (denied)
			tell(m, SEVERITY_NOTE, NULL,
			     "only root may see fill levels, waits, peers and counters of each "
			     "object, address handles and injection rules of Glass adapters "
			     "(debugfs); run ibtop as root");
		else if (missing)
			tell(m, SEVERITY_WARNING, NULL,
			     "%s/glass is missing: run mount -t debugfs none %s; until then ibtop "
			     "shows only data of netlink",
			     m->debugfs, m->debugfs);
	}
}

/* Fills in the advice from the table of codes. */
static void put_advice(struct model *m, struct row *row)
{
#define ADVICE(name, word, number, severity, on, title, advice, found, kinds)                      \
	[GLASS_LINT_##name] = advice,
	static const char *const advices[GLASS_LINT_COUNT + 1] = { GLASS_LINT_CODES(ADVICE) };
	const char *code = row_has(row, COL_LINT_code) ? row->v[COL_LINT_code].text : "";
	unsigned long number = strncmp(code, "GL", 2) ? 0 : strtoul(code + 2, NULL, 10);

	if (number <= GLASS_LINT_COUNT && advices[number])
		row_text(m, row, COL_LINT_advice, advices[number]);
	else
		row_set_none(row, COL_LINT_advice);
}

/*
 * Reports a value that is invalid for its column. The table's reader already reports invalid
 * numbers.
 */
static void bad_value(struct debugfs_table *t, int i, enum unit unit)
{
	bool text = unit == UNIT_word || unit == UNIT_text || unit == UNIT_gid || unit == UNIT_ref;
	uint64_t number;

	if (text || debugfs_value_number(t, i, &number))
		debugfs_bad(t->file, "%.24s cannot be: %.24s", t->columns.name[i].at,
			    debugfs_value(t, i));
}

/* Adds the rows of m->file. Counts bad ones there. dev < 0: they belong to no device. */
static void read_rows(struct model *m, int dev, enum view_id view, const char *kind)
{
	struct layout **layout = dev < 0 ? &m->layouts[view] : &m->devices[dev].layouts[view];
	struct table *t = &m->now->tables[view];
	const struct row *last = NULL;
	struct debugfs_table from;
	size_t first = t->count;

	if (!debugfs_table_begin(&from, &m->file, kind))
		return;
	if (!*layout || !layout_is(*layout, &from.columns)) {
		layout_free(*layout);
		*layout = layout_make(view, &from.columns);
		if (!*layout)
			debugfs_bad(&m->file, "no memory");
	}
	while (*layout && debugfs_table_next(&from)) {
		struct row *row = table_add(m, view, dev);
		unsigned long bad = m->file.bad;
		int wrong;

		if (!row)
			return;
		last = t->count - 1 > first ? table_row(t, t->count - 2) : NULL;
		wrong = layout_values(*layout, view, from.value, row, last, &m->now->pool);
		if (wrong >= 0)
			bad_value(&from, wrong,
				  view_get(view)->columns[(*layout)->column[wrong]].unit);
		else if (!row_identify(m, row))
			debugfs_bad(&m->file, "no value that says which %s it is", kind);
		else if (view == VIEW_LINT)
			put_advice(m, row);
		if (m->file.bad > bad)
			table_drop_last(t);
	}
}

static void put_number_of(struct row *row, unsigned int column, const char *line, const char *key)
{
	uint64_t value;

	if (find_number(line, key, &value))
		row_num(row, column, value);
}

static void put_text_of(struct model *m, struct row *row, unsigned int column, const char *line,
			const char *key)
{
	char text[256];

	if (find_text(line, key, text, sizeof(text)))
		row_text(m, row, column, text);
}

/* Parses "add name=r1 qpn=0x11 act=drop seed=7 hit=0 eligible=0". */
static void inject_rule(struct model *m, int dev, const char *line)
{
	struct row *row = table_add(m, VIEW_INJECT, dev);
	struct pair over;
	char text[1024];

	if (!row)
		return;
	put_text_of(m, row, COL_INJECT_rule, line, "name");
	put_text_of(m, row, COL_INJECT_action, line, "act");
	put_number_of(row, COL_INJECT_hit, line, "hit");
	put_number_of(row, COL_INJECT_eligible, line, "eligible");
	if (find_pair(line, "over", &over))
		put_text_of(m, row, COL_INJECT_over, line, "over");
	else
		row_set_none(row, COL_INJECT_over);
	/* only the rule, in a form that can be written back */
	snprintf(text, sizeof(text), "%s", line);
	if (strstr(text, " hit="))
		*strstr(text, " hit=") = 0;
	row_text(m, row, COL_INJECT_spec, strncmp(text, "add ", 4) ? text : text + 4);
	if (!row_identify(m, row))
		table_drop_last(&m->now->tables[VIEW_INJECT]);
}

/* Reads into m->file. Returns 0 or an errno value. */
static int read_device_file(struct model *m, int dev, const char *file)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/glass/%s/%s", m->debugfs, m->devices[dev].name, file);
	return debugfs_read_path(&m->file, file, path);
}

/* Reports bad lines of m->file. Its good lines are used, because no other source exists. */
static void tell_bad(struct model *m, int dev)
{
	if (m->file.bad)
		tell(m, SEVERITY_WARNING, dev < 0 ? NULL : m->devices[dev].name, "debugfs: %s %s",
		     m->file.no_table ? "not a table that this ibtop can read:" : "left out:",
		     debugfs_error(&m->file));
}

/*
 * Calls take() for each line that does not begin with #. Returns false if the file cannot be read.
 */
static bool each_line(struct model *m, int dev, const char *file,
		      void (*take)(struct model *m, int dev, const char *line))
{
	const char *line;

	if (read_device_file(m, dev, file))
		return false;
	while ((line = debugfs_line(&m->file)))
		if (*line != '#')
			take(m, dev, line);
	tell_bad(m, dev);
	return true;
}

/* Makes an event of a journal's line that is new since the last refresh. */
static void journal_event(struct model *m, int dev, const char *line)
{
	struct device *d = &m->devices[dev];
	uint64_t seq, when = m->now->mono;
	struct pair name;
	struct event *e;

	if (!find_number(line, "seq", &seq)) {
		debugfs_bad(&m->file, "not a line of a journal: it has no seq=NUMBER");
		return;
	}
	if (seq <= d->seen_fired)
		return;
	d->seen_fired = seq;
	if (!d->fired_known)
		return;
	find_number(line, "time", &when);
	e = event_add(m, when, "inject", dev);
	e->has_num = find_number(line, "qpn", &e->num);
	if (e->has_num)
		e->kind = "qp";
	e->has_pid = find_number(line, "pid", &e->pid);
	if (find_text(line, "comm", e->comm, sizeof(e->comm)))
		printable(e->comm);
	else
		*e->comm = 0;
	/* the text from the rule's name on */
	snprintf(e->text, sizeof(e->text), "rule %s",
		 find_pair(line, "name", &name) ? name.value : "");
	printable(e->text);
}

/* Columns of droplog */
#define DROP_COLUMN(name, unit, meaning) DROP_##name,
enum { GLASS_COLUMNS_DROPLOG(DROP_COLUMN) DROP_COUNT };

/* Returns the event of this refresh for similar drops, or NULL. */
static struct event *same_drops(struct model *m, int dev, uint64_t key)
{
	uint64_t seq = m->num_events, oldest = seq > MAX_EVENTS ? seq - MAX_EVENTS : 0;

	while (seq-- > oldest) {
		struct event *e = &m->events[seq % MAX_EVENTS];

		if (e->refresh != m->refreshes)
			break;
		if (!strcmp(e->what, "drop") && e->dev == dev && e->key == key)
			return e;
	}
	return NULL;
}

/* at: positions of the columns */
static void drop_event(struct model *m, int dev, struct debugfs_table *t, const int *at)
{
	struct device *d = &m->devices[dev];
	uint64_t seq, when, qpn, key = 0xcbf29ce484222325ULL;
	char many[48] = "", where[64] = "";
	struct event *e;
	const char *s;
	int i;

	if (!debugfs_value_number(t, at[DROP_seq], &seq) ||
	    !debugfs_value_number(t, at[DROP_when], &when) ||
	    !debugfs_value_number(t, at[DROP_dqpn], &qpn) || seq <= d->seen_drop)
		return;
	d->seen_drop = seq;
	if (!d->drop_known)
		return;
	for (i = DROP_port; i <= DROP_dqpn; i++)
		for (s = debugfs_value(t, at[i]); *s; s++)
			key = (key ^ (unsigned char)*s) * 0x100000001b3ULL;
	e = same_drops(m, dev, key);
	if (!e)
		e = event_add(m, when, "drop", dev);
	e->when = when;
	e->key = key;
	e->count++;
	if (debugfs_has(t, at[DROP_dqpn])) {
		e->kind = "qp";
		e->num = qpn;
		e->has_num = true;
	}
	if (e->count > 1)
		snprintf(many, sizeof(many), "%" PRIu64 " of them, last ", e->count);
#define W(name) debugfs_value(t, at[DROP_##name])
	if (debugfs_has(t, at[DROP_at]))
		snprintf(where, sizeof(where), " at %s", W(at));
	snprintf(e->text, sizeof(e->text),
		 "port %s: %s dropped (%s, %s%s), %spsn %s, %s bytes, lid %s to %s", W(port),
		 W(opcode), W(reason), W(place), where, many, W(psn), W(len), W(slid), W(dlid));
#undef W
	printable(e->text);
}

/*
 * Makes events of the packets dropped since the last refresh. Returns false if droplog is
 * unreadable.
 */
static bool read_drops(struct model *m, int dev)
{
#define DROP_NAME(name, unit, meaning) #name,
	static const char *const names[] = { GLASS_COLUMNS_DROPLOG(DROP_NAME) };
	struct debugfs_table t;
	int at[DROP_COUNT];
	bool ok;

	if (read_device_file(m, dev, "droplog"))
		return false;
	ok = debugfs_table_begin(&t, &m->file, "droplog") &&
	     debugfs_columns_find(&t, names, DROP_at, at);
	if (ok) /* a driver before there were several switches has no such column */
		at[DROP_at] = debugfs_column(&t, names[DROP_at]);
	while (ok && debugfs_table_next(&t))
		drop_event(m, dev, &t, at);
	tell_bad(m, dev);
	return ok;
}

bool debugfs_tables(struct model *m, int dev)
{
	struct device *d = &m->devices[dev];
	size_t i, counts[VIEW_COUNT];
	uint32_t known = 1U << VIEW_INJECT;
	int err;

	for (i = 0; i < VIEW_COUNT; i++)
		counts[i] = m->now->tables[i].count;
	for (i = 0; i < ARRAY_LEN(files); i++) {
		bool lint = files[i].view == VIEW_LINT;

		err = read_device_file(m, dev, files[i].file);
		if (err) {
			if (files[i].newer && (err == ENOENT || lint))
				continue;
			if (err != ENOENT && err != EACCES && err != ENODEV)
				device_failed(m, dev, "debugfs %s: %s", files[i].file,
					      strerror(err));
			goto without;
		}
		read_rows(m, dev, files[i].view, lint ? "lint" : files[i].file);
		if (m->file.bad && !lint) {
			device_failed(m, dev, "debugfs: not a table that this ibtop can read: %s",
				      debugfs_error(&m->file));
			goto without;
		}
		tell_bad(m, dev);
		if (!m->file.no_table)
			known |= 1U << files[i].view;
	}
	m->known |= known;
	each_line(m, dev, "inject/rules", inject_rule);
	d->fired_known |= each_line(m, dev, "inject/journal", journal_event);
	d->drop_known |= read_drops(m, dev);
	d->sources |= SOURCE_DEBUGFS;
	return true;

without:
	/* read all objects of the device from netlink: never mix tables of two sources */
	for (i = 0; i < VIEW_COUNT; i++) {
		m->now->tables[i].count = counts[i];
		m->now->tables[i].hashed = false;
	}
	return false;
}

void debugfs_fabric(struct model *m)
{
	static const struct {
		const char *file, *kind;
		enum view_id view;
	} tables[] = {
		/* ports first: their rates count from the beginning of the refresh */
		{ "fabric/ports", "fport", VIEW_FPORT },
		{ "fabric/nodes", "fnode", VIEW_FNODE },
		{ "fabric/cables", "fcable", VIEW_FCABLE },
		{ "fabric/netdevs", "netcable", VIEW_NETCABLE },
	};
	char path[512];
	size_t i;
	int err;

	for (i = 0; i < ARRAY_LEN(tables); i++) {
		if (!(m->wanted >> tables[i].view & 1))
			continue;
		snprintf(path, sizeof(path), "%s/glass/%s", m->debugfs, tables[i].file);
		err = debugfs_read_path(&m->file, tables[i].file, path);
		if (err) {
			if (err != ENOENT && err != EACCES)
				tell(m, SEVERITY_ERROR, NULL, "debugfs %s: %s", tables[i].file,
				     strerror(err));
			continue;
		}
		read_rows(m, -1, tables[i].view, tables[i].kind);
		tell_bad(m, -1);
		if (!m->file.no_table)
			m->known |= 1U << tables[i].view;
	}
}

int debugfs_inspect(struct model *m, const char *dev, const char *kind, const char *title)
{
	char path[512];
	int err;

	snprintf(path, sizeof(path), "%s/glass/%s/inspect", m->debugfs, dev);
	err = debugfs_ask(&m->file, "inspect", path, title);
	if (err != EPERM)
		return -err;
	snprintf(path, sizeof(path), "%s/glass/%s/details/%s", m->debugfs, dev, kind);
	return -debugfs_read_block(&m->file, kind, path, title);
}
