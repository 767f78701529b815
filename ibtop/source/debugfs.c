// SPDX-License-Identifier: GPL-2.0-only
/* Glass' own debugfs: objects with what no real adapter can tell, drops, and injection. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ibtop/model/snapshot.h"
#include "ibtop/source/source.h"
#include "uapi/glass-lint.h"

#define FINDINGS "lint/findings"

static const struct {
	const char *file;
	enum view_id view;
	bool newer; /* a driver without it knows no such objects, which is not the same as none */
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
			     "hidden without root: fill levels, waits, peers and counters of each object, address handles and injection rules of Glass adapters (debugfs)");
		else if (missing)
			tell(m, SEVERITY_WARNING, NULL,
			     "%s/glass is not there: mount -t debugfs none %s; until then there is no more than netlink tells",
			     m->debugfs, m->debugfs);
	}
}

/* What the table of codes has for a finding */
static void put_advice(struct model *m, struct row *row)
{
#define ADVICE(number, word, severity, on, title, advice) [number] = advice,
	static const char *const advices[GLASS_LINT_COUNT + 1] = { GLASS_LINT_CODES(ADVICE) };
	const char *code = row_has(row, COL_LINT_code) ? row->v[COL_LINT_code].text : "";
	unsigned long number = strncmp(code, "GL", 2) ? 0 : strtoul(code + 2, NULL, 10);

	if (number <= GLASS_LINT_COUNT && advices[number])
		row_text(m, row, COL_LINT_advice, advices[number]);
	else
		row_set_none(row, COL_LINT_advice);
}

/* Lines of m->buffer as rows. False: they are not of this kind. */
static bool read_rows(struct model *m, int dev, enum view_id view, const char *kind, size_t len)
{
	struct device *d = &m->devices[dev];
	struct layout **layout = &d->layouts[view];
	struct table *t = &m->now->tables[view];
	const char *line = m->buffer, *end = m->buffer + len, *newline;
	const struct row *last = NULL;
	size_t first = t->count;

	for (; line < end; line = newline + 1) {
		struct row *row;

		newline = memchr(line, '\n', end - line);
		if (!newline)
			return false;
		if (line == m->buffer) {
			size_t n = newline - line;

			if (*layout && strlen((*layout)->header) == n &&
			    !memcmp((*layout)->header, line, n))
				continue;
			layout_free(*layout);
			*layout = layout_parse(view, kind, line, n);
			if (!*layout)
				return false;
			continue;
		}
		/* how many findings there was no room for */
		if (*line == '#')
			continue;
		row = table_add(m, view, dev);
		if (!row)
			return true;
		last = t->count - 1 > first ? table_row(t, t->count - 2) : NULL;
		if (!layout_row(*layout, view, line, newline - line, row, last, &m->now->pool) ||
		    !row_identify(m, row)) {
			table_drop_last(t);
			return false;
		}
		if (view == VIEW_LINT)
			put_advice(m, row);
	}
	return true;
}

/* The value of key=value in a line of blanks; its length, or -1. A value is percent-encoded. */
static ssize_t word_of(const char *line, size_t len, const char *key, const char **value)
{
	size_t n = strlen(key);
	const char *s = line, *end = line + len, *blank;

	for (; s < end; s = blank + 1) {
		blank = memchr(s, ' ', end - s);
		if (!blank)
			blank = end;
		if ((size_t)(blank - s) > n && !memcmp(s, key, n) && s[n] == '=') {
			*value = s + n + 1;
			return blank - *value;
		}
	}
	return -1;
}

static void put_number_of(struct row *row, unsigned int column, const char *line, size_t len,
			  const char *key)
{
	const char *word;
	ssize_t n = word_of(line, len, key, &word);
	uint64_t value;

	if (n > 0 && parse_num(word, n, &value))
		row_num(row, column, value);
}

static void put_text_of(struct model *m, struct row *row, unsigned int column, const char *line,
			size_t len, const char *key)
{
	const char *word;
	ssize_t n = word_of(line, len, key, &word);
	char text[256];

	if (n >= 0 && (size_t)n < sizeof(text) && parse_text(word, n, text) >= 0)
		row_text(m, row, column, text);
}

/* "add name=r1 qpn=0x11 act=drop seed=7 hit=0 eligible=0" */
static void inject_rule(struct model *m, int dev, const char *line, size_t len)
{
	struct row *row = table_add(m, VIEW_INJECT, dev);
	const char *spec;
	char text[1024];
	ssize_t n;

	if (!row)
		return;
	put_text_of(m, row, COL_INJECT_rule, line, len, "name");
	put_text_of(m, row, COL_INJECT_action, line, len, "act");
	put_number_of(row, COL_INJECT_hit, line, len, "hit");
	put_number_of(row, COL_INJECT_eligible, line, len, "eligible");
	n = word_of(line, len, "over", &spec);
	if (n < 0)
		row_set_none(row, COL_INJECT_over);
	else
		put_text_of(m, row, COL_INJECT_over, line, len, "over");
	/* the rule alone, as it can be written back */
	snprintf(text, sizeof(text), "%.*s", (int)len, line);
	if (strstr(text, " hit="))
		*strstr(text, " hit=") = 0;
	row_text(m, row, COL_INJECT_spec, strncmp(text, "add ", 4) ? text : text + 4);
	if (!row_identify(m, row))
		table_drop_last(&m->now->tables[VIEW_INJECT]);
}

static bool read_device_file(struct model *m, int dev, const char *file, ssize_t *len)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/glass/%s/%s", m->debugfs, m->devices[dev].name, file);
	*len = read_file(m, path);
	return *len >= 0;
}

/* Each line of a file but those that begin with #; false: it cannot be read. */
static bool each_line(struct model *m, int dev, const char *file,
		      void (*take)(struct model *m, int dev, const char *line, size_t len))
{
	const char *line, *end, *newline;
	ssize_t len;

	if (!read_device_file(m, dev, file, &len))
		return false;
	for (line = m->buffer, end = line + len; line < end; line = newline + 1) {
		newline = memchr(line, '\n', end - line);
		if (!newline)
			break;
		if (*line != '#')
			take(m, dev, line, newline - line);
	}
	return true;
}

/* What a journal or droplog tells that was not there at the last look, as an event each */
static void journal_event(struct model *m, int dev, const char *line, size_t len)
{
	struct device *d = &m->devices[dev];
	uint64_t seq = 0, when = m->now->mono, pid, qpn;
	const char *word;
	struct event *e;
	ssize_t n;

	n = word_of(line, len, "seq", &word);
	if (n <= 0 || !parse_num(word, n, &seq) || seq <= d->seen_fired)
		return;
	d->seen_fired = seq;
	if (!d->fired_known)
		return;
	n = word_of(line, len, "time", &word);
	if (n > 0)
		parse_num(word, n, &when);
	e = event_add(m, when, "inject", dev);
	n = word_of(line, len, "qpn", &word);
	if (n > 0 && parse_num(word, n, &qpn)) {
		e->kind = "qp";
		e->num = qpn;
		e->has_num = true;
	}
	n = word_of(line, len, "pid", &word);
	if (n > 0 && parse_num(word, n, &pid)) {
		e->pid = pid;
		e->has_pid = true;
	}
	n = word_of(line, len, "comm", &word);
	if (n > 0 && (size_t)n < sizeof(e->comm) && parse_text(word, n, e->comm) >= 0)
		printable(e->comm);
	/* from the rule's name on */
	n = word_of(line, len, "name", &word);
	snprintf(e->text, sizeof(e->text), "rule %.*s", (int)(n > 0 ? line + len - word : 0),
		 n > 0 ? word : "");
	printable(e->text);
}

/* Columns of droplog; a line of the driver begins with these, and more may follow. */
#define DROP_COLUMN(name, unit, meaning) DROP_##name,
enum { GLASS_COLUMNS_DROPLOG(DROP_COLUMN) DROP_COUNT };

/* The event of this refresh that tells of packets that died in the same way, or NULL */
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

static void drop_event(struct model *m, int dev, const char *line, size_t len)
{
	struct device *d = &m->devices[dev];
	const char *word[DROP_COUNT], *s = line, *end = line + len;
	uint64_t seq, when, qpn, key = 0xcbf29ce484222325ULL;
	int n[DROP_COUNT], i, k;
	char many[48] = "";
	struct event *e;

	for (i = 0; i < DROP_COUNT; i++) {
		const char *blank = s < end ? memchr(s, ' ', end - s) : NULL;

		word[i] = s;
		n[i] = (blank ? blank : end) - s;
		if (n[i] <= 0)
			return;
		s += n[i] + 1;
	}
	if (!parse_num(word[DROP_seq], n[DROP_seq], &seq) || seq <= d->seen_drop ||
	    !parse_num(word[DROP_when], n[DROP_when], &when))
		return;
	d->seen_drop = seq;
	if (!d->drop_known)
		return;
	for (i = DROP_port; i <= DROP_dqpn; i++)
		for (k = 0; k < n[i]; k++)
			key = (key ^ (unsigned char)word[i][k]) * 0x100000001b3ULL;
	e = same_drops(m, dev, key);
	if (!e)
		e = event_add(m, when, "drop", dev);
	e->when = when;
	e->key = key;
	e->count++;
	if (parse_num(word[DROP_dqpn], n[DROP_dqpn], &qpn)) {
		e->kind = "qp";
		e->num = qpn;
		e->has_num = true;
	}
	if (e->count > 1)
		snprintf(many, sizeof(many), "%" PRIu64 " of them, last ", e->count);
#define W(name) n[DROP_##name], word[DROP_##name]
	snprintf(e->text, sizeof(e->text),
		 "port %.*s: %.*s dropped (%.*s, %.*s), %spsn %.*s, %.*s bytes, lid %.*s to %.*s",
		 W(port), W(opcode), W(reason), W(place), many, W(psn), W(len), W(slid), W(dlid));
#undef W
	printable(e->text);
}

bool debugfs_tables(struct model *m, int dev)
{
	struct device *d = &m->devices[dev];
	size_t i, counts[VIEW_COUNT];
	uint32_t known = 1U << VIEW_INJECT;
	ssize_t len;

	for (i = 0; i < VIEW_COUNT; i++)
		counts[i] = m->now->tables[i].count;
	for (i = 0; i < ARRAY_LEN(files); i++) {
		const char *kind = files[i].view == VIEW_LINT ? "lint" : files[i].file;

		if (!read_device_file(m, dev, files[i].file, &len)) {
			if (files[i].newer && (len == -ENOENT || files[i].view == VIEW_LINT))
				continue;
			if (len != -ENOENT && len != -EACCES && len != -ENODEV)
				device_failed(m, dev, "debugfs %s: %s", files[i].file,
					      strerror(-len));
			goto without;
		}
		if (!read_rows(m, dev, files[i].view, kind, len)) {
			if (files[i].view == VIEW_LINT)
				continue;
			device_failed(m, dev, "debugfs %s: not a table that this ibtop can read",
				      files[i].file);
			goto without;
		}
		known |= 1U << files[i].view;
	}
	m->known |= known;
	each_line(m, dev, "inject/rules", inject_rule);
	d->fired_known |= each_line(m, dev, "inject/journal", journal_event);
	d->drop_known |= each_line(m, dev, "droplog", drop_event);
	d->sources |= SOURCE_DEBUGFS;
	return true;

without:
	/* all of the device's objects then come from netlink: half of each would be neither */
	for (i = 0; i < VIEW_COUNT; i++) {
		m->now->tables[i].count = counts[i];
		m->now->tables[i].hashed = false;
	}
	return false;
}

ssize_t debugfs_inspect(struct model *m, const char *dev, const char *line)
{
	size_t used = 0;
	char path[512];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/glass/%s/inspect", m->debugfs, dev);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, line, strlen(line)) < 0) {
		n = -errno;
		close(fd);
		return n;
	}
	for (;;) {
		if (m->buffer_size - used < 8192) {
			size_t size = m->buffer_size ? 2 * m->buffer_size : 65536;
			char *buffer = realloc(m->buffer, size);

			if (!buffer) {
				close(fd);
				return -ENOMEM;
			}
			m->buffer = buffer;
			m->buffer_size = size;
		}
		n = read(fd, m->buffer + used, m->buffer_size - used - 1);
		if (n <= 0)
			break;
		used += n;
	}
	n = n < 0 ? -errno : (ssize_t)used;
	close(fd);
	m->buffer[used] = 0;
	return n;
}
