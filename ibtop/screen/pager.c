// SPDX-License-Identifier: GPL-2.0-only
/* Pages of text: help, messages, and details of an object with its peer beside it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ibtop/refresh/refresh.h"
#include "ibtop/screen/state.h"

#define SIDE_BY_SIDE 100 /* minimum columns for two objects side by side */
#define KEY_COLUMNS  18

/* ---- lines */

static void add_line(struct text_lines *t, enum role key_role, const char *key, unsigned int indent,
		     enum role role, const char *text, size_t len)
{
	struct text_line line = { .key_role = key_role, .role = role, .indent = indent };

	if (t->count == t->room) {
		size_t room = t->room ? 2 * t->room : 64;
		struct text_line *lines = realloc(t->lines, room * sizeof(*lines));

		if (!lines)
			return;
		t->lines = lines;
		t->room = room;
	}
	line.key = key ? strdup(key) : NULL;
	line.text = text ? strndup(text, len) : NULL;
	t->lines[t->count++] = line;
}

void text_lines_put(struct text_lines *t, const char *key, unsigned int indent, enum role role,
		    const char *text)
{
	add_line(t, ROLE_TEXT, key, indent, role, text, strlen(text));
}

/* Returns how many bytes of text fit into width columns, preferably up to a blank. */
static size_t fitting(const char *text, unsigned int width, bool ascii)
{
	size_t len = strlen(text), at = 0, blank = 0;
	char piece[8];

	while (at < len) {
		mbstate_t state = {};
		size_t n = mbrlen(text + at, len - at, &state);
		unsigned int w;

		if (!n || n == (size_t)-1 || n == (size_t)-2 || n >= sizeof(piece))
			n = 1;
		memcpy(piece, text + at, n);
		piece[n] = '\0';
		w = text_columns(piece, ascii);
		if (w > width)
			return blank ? blank : at ? at : n;
		width -= w;
		at += n;
		if (text[at] == ' ')
			blank = at;
	}
	return len;
}

/* Adds key and text. Wraps the text to further lines at width. */
static void text_lines_add(struct text_lines *t, enum role key_role, const char *key,
			   unsigned int indent, enum role role, const char *text,
			   unsigned int width, bool ascii)
{
	unsigned int room = width > indent + 10 ? width - indent : 10;

	/* a long key gets its own line */
	if (key && text && *text && text_columns(key, ascii) + 1 > indent && indent) {
		add_line(t, key_role, key, indent, role, NULL, 0);
		key = NULL;
	}
	if (!text || !*text) {
		add_line(t, key_role, key, indent, role, NULL, 0);
		return;
	}
	while (*text) {
		size_t len = fitting(text, room, ascii);

		add_line(t, key_role, key, indent, role, text, len);
		key = NULL;
		text += len;
		text += strspn(text, " ");
	}
}

static void text_lines_free(struct text_lines *t)
{
	size_t i;

	for (i = 0; i < t->count; i++) {
		free(t->lines[i].key);
		free(t->lines[i].text);
	}
	free(t->lines);
	*t = (struct text_lines){};
}

/* ---- contents */

static void make_help(struct screen *s, struct text_lines *t, unsigned int width)
{
	const char *group = NULL, *next;
	enum command command;
	bool ascii = screen_ascii(s);
	unsigned int done;

	/* by group; groups in order of their first command */
	bool told[COMMAND_COUNT] = {};

	for (done = COMMAND_NONE + 1; done < COMMAND_COUNT; done++) {
		if (told[done])
			continue;
		next = command_get(done)->group;
		if (group)
			text_lines_add(t, ROLE_TEXT, NULL, 0, ROLE_TEXT, NULL, width, ascii);
		group = next;
		text_lines_add(t, ROLE_TITLE, group, 0, ROLE_TEXT, NULL, width, ascii);
		for (command = done; command < COMMAND_COUNT; command++) {
			const struct command_info *info = command_get(command);

			if (info->group != group)
				continue;
			told[command] = true;
			text_lines_add(t, ROLE_VALUE, info->keys, 22, ROLE_TEXT, info->meaning, width,
				       ascii);
		}
	}
	text_lines_add(t, ROLE_TEXT, NULL, 0, ROLE_TEXT, NULL, width, ascii);
	text_lines_add(t, ROLE_TITLE, "Mouse", 0, ROLE_TEXT, NULL, width, ascii);
	text_lines_add(t, ROLE_VALUE, "a row", 22, ROLE_TEXT,
		       "chooses it; once more: all there is to know of it", width, ascii);
	text_lines_add(t, ROLE_VALUE, "a column's head", 22, ROLE_TEXT,
		       "sorts by it; once more: the other way round", width, ascii);
	text_lines_add(t, ROLE_VALUE, "a view, a key", 22, ROLE_TEXT, "as the key", width, ascii);
	text_lines_add(t, ROLE_VALUE, "wheel", 22, ROLE_TEXT, "scrolls", width, ascii);
	text_lines_add(t, ROLE_TEXT, NULL, 0, ROLE_TEXT, NULL, width, ascii);
	text_lines_add(t, ROLE_TITLE, "Columns of this view", 0, ROLE_TEXT, NULL, width, ascii);
	for (done = 0; done < view_get(s->view)->num_columns; done++) {
		const struct column *column = &view_get(s->view)->columns[done];

		text_lines_add(t, ROLE_VALUE, column->name, 22, ROLE_TEXT, column->meaning, width,
			       ascii);
	}
}

static void make_messages(struct screen *s, struct text_lines *t, unsigned int width)
{
	static const enum role roles[] = { ROLE_TEXT, ROLE_WARN, ROLE_BAD };
	const struct message *messages;
	size_t count = model_messages(s->model, &messages), i;

	for (i = 0; i < count; i++)
		text_lines_add(t, ROLE_NAME, messages[i].dev && *messages[i].dev ? messages[i].dev : "",
			       10, roles[messages[i].severity], messages[i].text, width,
			       screen_ascii(s));
	if (!count)
		text_lines_add(t, ROLE_TEXT, NULL, 0, ROLE_DIM, "nothing is hidden, nothing failed",
			       width, screen_ascii(s));
}

/* Adds the history of the object, with a line per recorded column. */
static void add_history(struct screen *s, struct text_lines *t, const struct row *row,
			unsigned int width)
{
	const struct view *view = view_get(row_view(row));
	struct format format = screen_format(s);
	bool heading = false;
	unsigned int i;

	for (i = 0; i < view->num_columns; i++) {
		const struct column *column = &view->columns[i];
		char now[64], peak[64], spark[HISTORY * 4 + 1], text[sizeof(spark) + 160];
		unsigned int room = width > KEY_COLUMNS + 34 ? width - KEY_COLUMNS - 30 : 4;
		float values[HISTORY];
		size_t count = row_history(s->model, row, column, values, room < HISTORY ? room : HISTORY);
		struct cell cell = row_cell(s->model, row, column);

		if (!count)
			continue;
		if (!heading && t->count)
			text_lines_add(t, ROLE_TEXT, NULL, 0, ROLE_TEXT, NULL, width, format.ascii);
		if (!heading)
			text_lines_add(t, ROLE_TITLE, "lately", 0, ROLE_TEXT, NULL, width,
				       format.ascii);
		heading = true;
		spark_text(values, count, column->unit == UNIT_fill ? 1 : 0, &format, spark,
			   sizeof(spark));
		if (column->unit == UNIT_spark)
			snprintf(text, sizeof(text), "%s", spark);
		else {
			cell_text(&cell, &format, now, sizeof(now));
			cell.real = row_peak(s->model, row, column);
			if (column->unit == UNIT_fill)
				snprintf(peak, sizeof(peak), "%.0f %%", 100 * cell.real);
			else
				cell_text(&cell, &format, peak, sizeof(peak));
			snprintf(text, sizeof(text), "%s %s, at most %s", spark, now, peak);
		}
		text_lines_add(t, ROLE_NAME, column->title, KEY_COLUMNS, ROLE_SPARK, text, width,
			       format.ascii);
	}
}

static void add_object(struct screen *s, struct text_lines *t, const struct row *row,
		       unsigned int width)
{
	struct detail *detail = model_detail(s->model, row);
	bool ascii = screen_ascii(s), drawn = false;
	size_t i;

	if (!detail) {
		text_lines_add(t, ROLE_TEXT, NULL, 0, ROLE_BAD, "not enough memory", width, ascii);
		return;
	}
	for (i = 0; i < detail->count; i++) {
		const struct detail_line *line = &detail->lines[i];

		switch (line->kind) {
		case DETAIL_SECTION:
			/* after the errors, before the long rest */
			if (!drawn && !strcmp(line->key, "columns")) {
				add_history(s, t, row, width);
				drawn = true;
			}
			if (t->count)
				text_lines_add(t, ROLE_TEXT, NULL, 0, ROLE_TEXT, NULL, width, ascii);
			text_lines_add(t, ROLE_TITLE, line->key, 0, ROLE_TEXT, NULL, width, ascii);
			break;
		case DETAIL_VALUE:
			text_lines_add(t, ROLE_NAME, line->key, KEY_COLUMNS, ROLE_TEXT, line->text,
				       width, ascii);
			break;
		case DETAIL_ENTRY:
			text_lines_add(t, ROLE_VALUE, line->key, KEY_COLUMNS / 2, ROLE_TEXT,
				       line->text, width, ascii);
			break;
		case DETAIL_NOTE:
			text_lines_add(t, ROLE_TEXT, NULL, 2, ROLE_WARN, line->text, width, ascii);
			break;
		}
	}
	detail_free(detail);
	if (!drawn)
		add_history(s, t, row, width);
}

static void object_name(struct screen *s, const struct row *row, char *text, size_t size)
{
	const struct column *column = column_find(view_get(VIEW_TREE), "object");
	struct format format = screen_format(s);
	struct cell cell = row_cell(s->model, row, column), dev, comm;
	char name[64], dev_name[64];
	size_t len;

	cell_text(&cell, &format, name, sizeof(name));
	dev = row_cell_named(s->model, row, "dev");
	cell_text(&dev, &format, dev_name, sizeof(dev_name));
	len = snprintf(text, size, "%s", name);
	if (dev.state == CELL_VALUE && !strstr(name, dev_name) && len < size)
		len += snprintf(text + len, size - len, " on %s", dev_name);
	comm = row_cell_named(s->model, row, "comm");
	if (comm.state == CELL_VALUE && comm.text && len < size)
		snprintf(text + len, size - len, " of %s", comm.text);
}

static void make_detail(struct screen *s, unsigned int width)
{
	struct pager *p = &s->pager;
	const struct row *row = model_find(s->model, &p->id), *peer;
	bool beside = width >= SIDE_BY_SIDE, ascii = screen_ascii(s);
	char name[120];

	if (!row) {
		/* keep showing the last state of a gone object */
		if (!strstr(p->title, " (gone)"))
			snprintf(p->title + strlen(p->title), sizeof(p->title) - strlen(p->title),
				 " (gone)");
		if (!p->left.count)
			text_lines_add(&p->left, ROLE_TEXT, NULL, 0, ROLE_WARN,
				       "the object is not there any more", width, ascii);
		return;
	}
	text_lines_free(&p->left);
	text_lines_free(&p->right);
	object_name(s, row, name, sizeof(name));
	snprintf(p->title, sizeof(p->title), "%s", name);
	peer = row_peer(s->model, row);
	add_object(s, &p->left, row, peer && beside ? width / 2 - 1 : width);
	if (!peer)
		return;
	object_name(s, peer, name, sizeof(name));
	if (beside) {
		text_lines_add(&p->right, ROLE_HEAD, "PEER", 6, ROLE_TITLE, name, width / 2, ascii);
		text_lines_add(&p->right, ROLE_TEXT, NULL, 0, ROLE_TEXT, NULL, width, ascii);
		add_object(s, &p->right, peer, width - width / 2 - 1);
	} else {
		text_lines_add(&p->left, ROLE_TEXT, NULL, 0, ROLE_TEXT, NULL, width, ascii);
		text_lines_add(&p->left, ROLE_HEAD, "PEER", 6, ROLE_TITLE, name, width, ascii);
		add_object(s, &p->left, peer, width);
	}
}

static void make(struct screen *s, unsigned int width)
{
	struct pager *p = &s->pager;

	p->width = width;
	if (p->kind == PAGER_DETAIL) {
		make_detail(s, width);
		return;
	}
	text_lines_free(&p->left);
	if (p->kind == PAGER_HELP)
		make_help(s, &p->left, width);
	else if (p->kind >= PAGER_STORY)
		story_make(s, &p->left, width);
	else
		make_messages(s, &p->left, width);
}

void pager_open(struct screen *s, enum pager_kind kind, const struct row *row)
{
	struct pager *p = &s->pager;

	pager_close(s);
	p->kind = kind;
	snprintf(p->title, sizeof(p->title), "%s",
		 kind == PAGER_HELP ? "Keys" : kind == PAGER_MESSAGES ? "Messages" : "");
	if (row)
		row_id(row, &p->id);
}

void pager_close(struct screen *s)
{
	told_free(s->pager.told);
	text_lines_free(&s->pager.left);
	text_lines_free(&s->pager.right);
	s->pager = (struct pager){};
}

void pager_title(struct screen *s, const struct row *row, const char *what)
{
	char name[120];

	object_name(s, row, name, sizeof(name));
	snprintf(s->pager.title, sizeof(s->pager.title), "%s: %s", name, what);
}

static size_t pager_count(const struct pager *p)
{
	return p->left.count > p->right.count ? p->left.count : p->right.count;
}

static bool line_matches(const struct screen *s, const struct text_lines *t, size_t line)
{
	return line < t->count && ((t->lines[line].key && text_matches(s, t->lines[line].key)) ||
				   (t->lines[line].text && text_matches(s, t->lines[line].text)));
}

void pager_search(struct screen *s, int direction, bool from_here)
{
	struct pager *p = &s->pager;
	size_t count = pager_count(p), i;

	if (!*s->search) {
		screen_notice(s, SEVERITY_NOTE, "no text was searched for yet: press / to enter one");
		return;
	}
	for (i = from_here ? 0 : 1; i <= count && count; i++) {
		size_t line = direction > 0 ? (p->found + i) % count : (p->found + 2 * count - i) % count;

		if (!line_matches(s, &p->left, line) && !line_matches(s, &p->right, line))
			continue;
		p->found = line;
		/* scroll it into view, away from the edges */
		if (line < p->top || line >= p->top + s->table_rows)
			p->top = line > s->table_rows / 2 ? line - s->table_rows / 2 : 0;
		return;
	}
	screen_notice(s, SEVERITY_NOTE, "no line has \"%s\"", s->search);
}

bool pager_key(struct screen *s, int key)
{
	struct pager *p = &s->pager;
	size_t page = s->table_rows ? s->table_rows : 1, count = pager_count(p);
	size_t end = count > page ? count - page : 0;
	const struct row *row;

	switch (command_of_key(key)) {
	case COMMAND_UP:
		p->top -= p->top > 0;
		break;
	case COMMAND_DOWN:
		p->top++;
		break;
	case COMMAND_PAGE_UP:
		p->top -= p->top > page ? page : p->top;
		break;
	case COMMAND_PAGE_DOWN:
		p->top += page;
		break;
	case COMMAND_HOME:
	case COMMAND_COL_FIRST:
		p->top = 0;
		break;
	case COMMAND_END:
	case COMMAND_COL_LAST:
		p->top = end;
		break;
	case COMMAND_SEARCH:
		prompt_open(s, PROMPT_SEARCH, "");
		return true;
	case COMMAND_SEARCH_NEXT:
		pager_search(s, 1, false);
		return true;
	case COMMAND_SEARCH_PREV:
		pager_search(s, -1, false);
		return true;
	case COMMAND_DETAIL:
		/* from a story on to all details */
		row = p->kind >= PAGER_STORY ? object_row(s) : NULL;
		if (row)
			pager_open(s, PAGER_DETAIL, row);
		else
			pager_close(s);
		return true;
	case COMMAND_BACK:
		pager_close(s);
		return true;
	case COMMAND_QUIT:
		/* as everywhere: q closes the pane, F10 quits */
		if (key == TOP_KEY_F10)
			return false;
		pager_close(s);
		return true;
	case COMMAND_HELP:
		if (p->kind != PAGER_HELP)
			return false;
		pager_close(s);
		return true;
	case COMMAND_MESSAGES:
		if (p->kind != PAGER_MESSAGES)
			return false;
		pager_close(s);
		return true;
	default:
		return false;
	}
	if (p->top > end)
		p->top = end;
	return true;
}

static void draw_lines(const struct screen *s, const struct text_lines *t, struct canvas *c,
		       unsigned int col, unsigned int width)
{
	unsigned int row = s->table_row, rows = s->table_rows;
	size_t top = s->pager.top;
	unsigned int i;

	for (i = 0; i < rows && top + i < t->count; i++) {
		const struct text_line *line = &t->lines[top + i];

		if (line->key)
			canvas_put(c, row + i, col, width, line->key_role, line->key);
		if (line->text && line->indent < width)
			canvas_put(c, row + i, col + line->indent, width - line->indent, line->role,
				   line->text);
		if (line_matches(s, t, top + i))
			canvas_flag(c, row + i, col, width, GLYPH_MATCH);
	}
}

void pager_draw(struct screen *s, struct canvas *c, unsigned int row, unsigned int rows)
{
	struct pager *p = &s->pager;
	unsigned int width = c->cols, i;
	struct pen pen = pen_at(c, row, 0);
	size_t count;

	if (rows < 2)
		return;
	if (p->width != width)
		make(s, width);
	s->head_row = row;
	s->table_row = row + 1;
	s->table_rows = rows - 1;
	s->num_placed = 0;
	count = pager_count(p);
	if (p->top + s->table_rows > count)
		p->top = count > s->table_rows ? count - s->table_rows : 0;
	canvas_fill(c, row, 0, c->cols, ROLE_HEAD, L' ');
	pen_printf(&pen, ROLE_HEAD, " %s", p->title);
	if (count > s->table_rows)
		pen_printf(&pen, ROLE_HEAD, "  lines %zu-%zu of %zu", p->top + 1,
			   p->top + s->table_rows, count);
	pen_put(&pen, ROLE_HEAD, "  Esc leaves");
	if (p->kind >= PAGER_STORY)
		pen_put(&pen, ROLE_HEAD, ", Enter: all details");
	if (p->kind == PAGER_STORY && told_has_diagram(p->told))
		pen_put(&pen, ROLE_HEAD, ", d: diagram");
	if (!p->right.count) {
		draw_lines(s, &p->left, c, 0, width);
		return;
	}
	draw_lines(s, &p->left, c, 0, width / 2 - 1);
	for (i = 0; i < s->table_rows; i++)
		canvas_fill(c, s->table_row + i, width / 2 - 1, 1, ROLE_BORDER,
			    c->ascii ? L'|' : L'\u2502');
	draw_lines(s, &p->right, c, width / 2 + 1, width - width / 2 - 1);
}
