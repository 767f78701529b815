// SPDX-License-Identifier: GPL-2.0-only
/* Reads records. Everything is checked, because the file is not trusted. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ibtop/model/snapshot.h"
#include "ibtop/record/record.h"

struct frame {
	off_t at, end; /* of its lines, without those that begin with @ */
	uint64_t mono, real;
};

struct replay {
	FILE *from;
	struct frame *frames;
	unsigned int count, room;
	/* lines of the frame that was read last */
	char *text;
	size_t size, text_room;
};

void replay_close(struct replay *r)
{
	if (!r)
		return;
	if (r->from)
		fclose(r->from);
	free(r->text);
	free(r->frames);
	free(r);
}

static bool open_file(struct replay *r, const char *path)
{
	struct stat st;

	r->from = fopen(path, "re");
	if (!r->from)
		return false;
	if (!fstat(fileno(r->from), &st) && S_ISREG(st.st_mode) && st.st_size)
		return true;
	errno = EINVAL;
	return false;
}

/*
 * Finds the line at an offset and its length without newline. Returns false if the line is
 * incomplete.
 */
static bool line_at(const struct replay *r, size_t at, size_t *len)
{
	const char *newline = at < r->size ? memchr(r->text + at, '\n', r->size - at) : NULL;

	if (!newline)
		return false;
	*len = newline - (r->text + at);
	return true;
}

static bool is_line(const char *line, size_t len, const char *text)
{
	return len == strlen(text) && !memcmp(line, text, len);
}

/* Parses "@ mono=N real=N". */
static bool frame_line(const char *line, size_t len, struct frame *f)
{
	static const char mono[] = "@ mono=", real[] = " real=";
	const char *blank;

	if (len < sizeof(mono) || memcmp(line, mono, sizeof(mono) - 1))
		return false;
	line += sizeof(mono) - 1;
	len -= sizeof(mono) - 1;
	blank = memchr(line, ' ', len);
	if (!blank || !debugfs_number(line, blank - line, &f->mono))
		return false;
	len -= blank - line;
	if (len < sizeof(real) || memcmp(blank, real, sizeof(real) - 1))
		return false;
	return debugfs_number(blank + sizeof(real) - 1, len - (sizeof(real) - 1), &f->real);
}

static bool add_frame(struct replay *r, const struct frame *f)
{
	if (r->count == r->room) {
		unsigned int room = r->room ? 2 * r->room : 64;
		struct frame *frames = realloc(r->frames, room * sizeof(*frames));

		if (!frames)
			return false;
		r->frames = frames;
		r->room = room;
	}
	r->frames[r->count++] = *f;
	return true;
}

/* Handles an "@ ..." line, which begins or ends a snapshot. */
static bool mark(struct replay *r, struct frame *f, bool *inside, const char *line, size_t len,
		 off_t at)
{
	if (*inside && is_line(line, len, "@ end")) {
		*inside = false;
		f->end = at;
		/* time must not go back, and memory must suffice for a snapshot */
		if ((r->count && f->mono < r->frames[r->count - 1].mono) ||
		    f->end - f->at > INT32_MAX)
			return false;
		return add_frame(r, f);
	}
	if (!frame_line(line, len, f))
		return false;
	f->at = at + len + 1;
	*inside = true;
	return true;
}

/* Finds the snapshots. Ignores data behind the last complete one: the recorder was killed. */
static bool find_frames(struct replay *r)
{
	bool inside = false, begin = true;
	struct frame f = {};
	char text[4096];
	off_t at = ftello(r->from);
	size_t len;

	while (fgets(text, sizeof(text), r->from)) {
		bool whole;

		/*
		 * a NUL ends the text early: such a line is invalid, and the file offset gives its
		 * length
		 */
		len = strlen(text);
		whole = len && text[len - 1] == '\n';
		if (begin && *text == '@' && whole && !mark(r, &f, &inside, text, len - 1, at))
			return false;
		if (begin && *text == '@' && !whole)
			return true;
		begin = whole;
		at = ftello(r->from);
	}
	return true;
}

/* Reads the lines of a frame into r->text. */
static bool load_text(struct replay *r, const struct frame *f)
{
	size_t size = f->end - f->at;

	if (size > r->text_room || !r->text) {
		char *text = realloc(r->text, size + 1);

		if (!text)
			return false;
		r->text = text;
		r->text_room = size;
	}
	r->size = 0;
	if (fseeko(r->from, f->at, SEEK_SET))
		return false;
	r->size = fread(r->text, 1, size, r->from);
	return r->size == size;
}

struct replay *replay_open(const char *path, char *error, size_t error_size)
{
	struct replay *r = calloc(1, sizeof(*r));
	char magic[sizeof(RECORD_MAGIC) + 2];

	if (!r || !open_file(r, path)) {
		snprintf(error, error_size, "%s: %s", path,
			 r && errno == EINVAL ? "the file is empty, or not a regular file"
					      : strerror(errno));
	} else if (!fgets(magic, sizeof(magic), r->from) || strcmp(magic, RECORD_MAGIC "\n")) {
		snprintf(error, error_size,
			 "%s is not a record of ibtop: it does not begin with \"%s\"", path,
			 RECORD_MAGIC);
	} else if (!find_frames(r)) {
		snprintf(error, error_size, "%s is damaged after snapshot %u", path, r->count);
	} else if (!r->count) {
		snprintf(error, error_size, "%s has no snapshot", path);
	} else {
		return r;
	}
	replay_close(r);
	return NULL;
}

unsigned int replay_frames(const struct replay *r)
{
	return r->count;
}

uint64_t replay_mono(const struct replay *r, unsigned int frame)
{
	return r->frames[frame].mono;
}

uint64_t replay_real(const struct replay *r, unsigned int frame)
{
	return r->frames[frame].real;
}

/* ---- a snapshot */

struct reading {
	struct model *m;
	enum view_id view;
	struct layout *layout; /* of the current table, or NULL */
	char *line;	       /* the line without its "?" cells */
	size_t room;
};

static bool begin_table(struct reading *r, const char *line, size_t len)
{
	static const char head[] = "# glass 1 ";
	const char *colon = memchr(line, ':', len);
	const struct view *view;
	char kind[32];
	size_t n;

	layout_free(r->layout);
	r->layout = NULL;
	if (!colon || len < sizeof(head) || memcmp(line, head, sizeof(head) - 1))
		return false;
	line += sizeof(head) - 1;
	n = colon - line;
	if (colon < line || n >= sizeof(kind))
		return false;
	memcpy(kind, line, n);
	kind[n] = 0;
	view = view_find(kind);
	/* views without a table of their own; only full names are valid */
	if (!view || strcmp(view->name, kind) || view->id == VIEW_TREE || view->id == VIEW_LEAK)
		return false;
	line -= sizeof(head) - 1;
	r->view = view->id;
	r->m->known |= 1U << view->id;
	r->layout = layout_parse(view->id, kind, line, len);
	if (!r->layout)
		return false;
	return r->layout->column[0] == COL_ANY_dev;
}

/* Reads a row. A '?' (n/a) is replaced by '-', and its bit is cleared afterwards. */
static bool read_row(struct reading *r, const char *line, size_t len)
{
	const char *blank = memchr(line, ' ', len), *s, *end = line + len;
	struct table *t = &r->m->now->tables[r->view];
	char name[200], *to;
	struct row *row;
	unsigned int i;
	int dev = -1;

	if (!blank)
		return false;
	if (!is_line(line, blank - line, "-")) {
		if ((size_t)(blank - line) >= sizeof(name) ||
		    debugfs_decode(line, blank - line, name) <= 0)
			return false;
		printable(name);
		dev = device_get(r->m, name);
		if (dev < 0)
			return false;
	}
	if (r->view != VIEW_PROCESS && r->view != VIEW_EVENT && !is_fabric(r->view) && dev < 0)
		return false;
	if (len + 1 > r->room) {
		to = realloc(r->line, 2 * len + 256);
		if (!to)
			return false;
		r->line = to;
		r->room = 2 * len + 256;
	}
	/* the device is known: keep its word out of the column */
	to = r->line;
	*to++ = '-';
	for (s = blank; s < end; s++)
		*to++ = *s == '?' && s[-1] == ' ' && (s + 1 == end || s[1] == ' ') ? '-' : *s;
	row = table_add(r->m, r->view, dev);
	if (!row)
		return false;
	if (!layout_row(r->layout, r->view, r->line, to - r->line, row,
			t->count > 1 ? table_row(t, t->count - 2) : NULL, &r->m->now->pool)) {
		table_drop_last(t);
		return false;
	}
	row->none[0] &= ~(1ULL << COL_ANY_dev);
	for (i = 0, s = line; i < r->layout->columns.count; i++) {
		const char *next = memchr(s, ' ', end - s);
		int c = r->layout->column[i];

		next = next ? next : end;
		if (next - s == 1 && *s == '?' && c >= 0)
			row->none[c / 64] &= ~(1ULL << (c % 64));
		s = next + 1;
	}
	if (!row_identify(r->m, row)) {
		table_drop_last(t);
		return false;
	}
	return true;
}

/* Parses "! SEVERITY DEV TEXT". */
static bool read_message(struct model *m, const char *line, size_t len)
{
	char dev[200], text[1300];
	const char *s = line + 4, *blank, *name = NULL;
	int i;

	if (len < 7 || line[1] != ' ' || line[2] < '0' || line[2] > '2' || line[3] != ' ')
		return false;
	blank = memchr(s, ' ', len - 4);
	if (!blank || (size_t)(blank - s) >= sizeof(dev) || debugfs_decode(s, blank - s, dev) < 0)
		return false;
	s = blank + 1;
	if ((size_t)(line + len - s) >= sizeof(text) || debugfs_decode(s, line + len - s, text) < 0)
		return false;
	if (*dev) {
		i = device_get(m, dev);
		name = i >= 0 ? m->devices[i].name : NULL;
	}
	tell(m, (enum severity)(line[2] - '0'), name, "%s", text);
	return true;
}

/* Returns the constant for a valid word of an event. */
static const char *known_word(const char *word)
{
	static const char *const words[] = { "new",  "gone",   "state", "error",
					     "port", "inject", "drop",	"source" };
	size_t i;

	for (i = 0; i < ARRAY_LEN(words); i++)
		if (!strcmp(words[i], word))
			return words[i];
	return "other";
}

/* Converts rows of events to events, so that events of earlier snapshots stay in the list. */
static void take_events(struct model *m)
{
	struct table *t = &m->now->tables[VIEW_EVENT];
	const struct view *view;
	struct event *e;
	size_t i;

	for (i = 0; i < t->count; i++) {
		const struct row *row = table_row(t, i);

		if (!row_has(row, COL_EVENT_when) || !row_has(row, COL_EVENT_what))
			continue;
		e = event_add(m, row->v[COL_EVENT_when].num,
			      known_word(row->v[COL_EVENT_what].text),
			      row->dev == NO_DEVICE ? -1 : row->dev);
		view = row_has(row, COL_EVENT_kind) ? view_find(row->v[COL_EVENT_kind].text) : NULL;
		e->kind = view ? view->name : NULL;
		e->has_num = row_has(row, COL_EVENT_num);
		e->num = row->v[COL_EVENT_num].num;
		e->has_pid = row_has(row, COL_EVENT_pid);
		e->pid = row->v[COL_EVENT_pid].num;
		if (row_has(row, COL_EVENT_comm))
			snprintf(e->comm, sizeof(e->comm), "%.*s", (int)sizeof(e->comm) - 1,
				 row->v[COL_EVENT_comm].text);
		if (row_has(row, COL_EVENT_text))
			snprintf(e->text, sizeof(e->text), "%.*s", (int)sizeof(e->text) - 1,
				 row->v[COL_EVENT_text].text);
	}
	t->count = 0;
	t->hashed = false;
}

static bool read_frame(struct model *m, unsigned int frame, bool events_only)
{
	struct replay *replay = m->replay;
	struct reading r = { .m = m };
	bool ok = load_text(replay, &replay->frames[frame]);
	size_t at, len;

	for (at = 0; ok && line_at(replay, at, &len); at += len + 1) {
		const char *line = replay->text + at;

		if (*line == '#')
			ok = begin_table(&r, line, len);
		else if (*line == '!')
			ok = events_only || read_message(m, line, len);
		else if (!r.layout)
			ok = false;
		else if (!events_only || r.view == VIEW_EVENT)
			ok = read_row(&r, line, len);
	}
	layout_free(r.layout);
	free(r.line);
	take_events(m);
	return ok;
}

/* Restores facts about devices from their rows. */
static void take_devices(struct model *m)
{
	struct table *t = &m->now->tables[VIEW_DEVICE];
	size_t i;

	for (i = 0; i < t->count; i++) {
		const struct row *row = table_row(t, i);
		struct device *d = &m->devices[row->dev];
		const char *sources =
			row_has(row, COL_DEVICE_sources) ? row->v[COL_DEVICE_sources].text : "";

		d->present = true;
		d->tables = strstr(sources, "debugfs");
		d->glass = row_has(row, COL_DEVICE_driver) &&
			   !strcmp(row->v[COL_DEVICE_driver].text, "glass");
		d->sources = (strstr(sources, "netlink") ? SOURCE_NETLINK : 0) |
			     (strstr(sources, "sysfs") ? SOURCE_SYSFS : 0) |
			     (d->tables ? SOURCE_DEBUGFS : 0);
		d->ports = row_has(row, COL_DEVICE_ports) ? row->v[COL_DEVICE_ports].num : 0;
	}
}

bool replay_load(struct model *m, unsigned int frame)
{
	bool ok = read_frame(m, frame, false);

	take_devices(m);
	if (!ok)
		tell(m, SEVERITY_ERROR, NULL,
		     "snapshot %u of the record is damaged: ibtop leaves out the rest of it", frame);
	return ok;
}

void replay_events(struct model *m, unsigned int before)
{
	unsigned int i, first = before > MAX_EVENTS ? before - MAX_EVENTS : 0;

	/* drop the rows of the last snapshot: they are not part of the file */
	m->now->tables[VIEW_EVENT].count = 0;
	m->now->tables[VIEW_EVENT].hashed = false;
	for (i = first; i < before; i++)
		read_frame(m, i, true);
}
