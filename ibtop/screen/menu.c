// SPDX-License-Identifier: GPL-2.0-only
/* Menus: lists to choose from. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ibtop/screen/state.h"

static const char *const titles[] = {
	[MENU_VIEWS] = "View",
	[MENU_SORT] = "Sort by",
	[MENU_COLUMNS] = "Columns",
	[MENU_SETUP] = "Setup",
	[MENU_SIGNALS] = "Signal",
};

static const char *const hints[] = {
	[MENU_VIEWS] = "Enter chooses  Esc leaves",
	[MENU_SORT] = "Enter sorts, once more: the other way  Esc leaves",
	[MENU_COLUMNS] = "Space shows or hides  F7 - up  F8 + down  d as at first  Enter Esc done",
	[MENU_SETUP] = "Enter changes  W writes the file  Esc leaves",
	[MENU_SIGNALS] = "Enter asks, then sends  Esc leaves",
};

static struct menu_item *add_item(struct menu *m, const char *label, const char *more, int value)
{
	struct menu_item *item;

	if (m->count == MENU_ITEMS)
		return NULL;
	item = &m->items[m->count++];
	*item = (struct menu_item){ .value = value };
	snprintf(item->label, sizeof(item->label), "%s", label);
	snprintf(item->more, sizeof(item->more), "%s", more);
	return item;
}

static void add_views(struct screen *s, struct menu *m)
{
	char label[48];
	unsigned int i;

	for (i = 0; i < VIEW_COUNT; i++) {
		const struct view *view = view_get(i);

		if (i < 10)
			snprintf(label, sizeof(label), "%u %s", (i + 1) % 10, view->name);
		else
			snprintf(label, sizeof(label), "  %s", view->name);
		add_item(m, label, view->title, i);
		if (view->id == s->view)
			m->cursor = i;
	}
}

static void add_sort_columns(struct screen *s, struct menu *m)
{
	const struct view_settings *vs = &s->settings.views[s->view];
	const struct view *view = view_get(s->view);
	unsigned int i, k;

	/* shown columns first, in their order */
	for (k = 0; k < vs->num_columns; k++)
		if (vs->columns[k]->unit != UNIT_spark && vs->columns[k]->unit != UNIT_mark)
			add_item(m, vs->columns[k]->name, vs->columns[k]->meaning, 0)->column =
				vs->columns[k];
	for (i = 0; i < view->num_columns; i++) {
		const struct column *column = &view->columns[i];

		for (k = 0; k < vs->num_columns && vs->columns[k] != column; k++)
			;
		if (k == vs->num_columns && column->unit != UNIT_spark && column->unit != UNIT_mark &&
		    m->count < MENU_ITEMS - 1)
			add_item(m, column->name, column->meaning, 0)->column = column;
	}
	add_item(m, "(as they come)", "no order of its own", 0);
	for (i = 0; i < m->count; i++) {
		m->items[i].marked = m->items[i].column == vs->sort;
		if (m->items[i].marked && vs->sort)
			m->cursor = i;
	}
}

static void add_columns(struct screen *s, struct menu *m)
{
	const struct view_settings *vs = &s->settings.views[s->view];
	const struct view *view = view_get(s->view);
	struct menu_item *item;
	unsigned int i, k;

	for (k = 0; k < vs->num_columns; k++) {
		item = add_item(m, vs->columns[k]->name, vs->columns[k]->meaning, 0);
		if (item) {
			item->column = vs->columns[k];
			item->marked = true;
		}
	}
	for (i = 0; i < view->num_columns; i++) {
		for (k = 0; k < vs->num_columns && vs->columns[k] != &view->columns[i]; k++)
			;
		if (k < vs->num_columns)
			continue;
		item = add_item(m, view->columns[i].name, view->columns[i].meaning, 0);
		if (item)
			item->column = &view->columns[i];
	}
}

/* Values of setup items besides switches */
enum { SETUP_THEME = SWITCH_COUNT, SETUP_DELAY, SETUP_COLUMNS, SETUP_VIEW };

static void fill_setup(struct screen *s, struct menu *m)
{
	char text[80];
	unsigned int i;

	m->count = 0;
	for (i = 0; i < SWITCH_COUNT; i++) {
		snprintf(text, sizeof(text), "[%c] %s", s->settings.on[i] ? 'x' : ' ',
			 switch_get(i)->name);
		add_item(m, text, switch_get(i)->meaning, i);
	}
	snprintf(text, sizeof(text), "theme: %s", theme_name(s->settings.theme));
	add_item(m, text, s->color ? theme_names() : "this terminal is shown without colours",
		 SETUP_THEME);
	snprintf(text, sizeof(text), "delay: %.3g s",
		 (s->settings.delay_ms ? s->settings.delay_ms : s->options->delay_ms) / 1e3);
	add_item(m, text, "time between two refreshes", SETUP_DELAY);
	snprintf(text, sizeof(text), "first view: %s",
		 s->settings.has_view ? view_get(s->settings.view)->name : "-");
	add_item(m, text, "what ibtop begins with: the view that is shown now", SETUP_VIEW);
	add_item(m, "columns ...", "of the view that is shown now", SETUP_COLUMNS);
}

static void add_signals(struct menu *m)
{
	static const struct {
		int signal;
		const char *name, *meaning;
	} signals[] = {
		{ SIGTERM, "SIGTERM", "please end" },
		{ SIGKILL, "SIGKILL", "ends it, it cannot refuse" },
		{ SIGINT, "SIGINT", "as Ctrl-C" },
		{ SIGQUIT, "SIGQUIT", "ends it with a core dump" },
		{ SIGABRT, "SIGABRT", "the same, as abort()" },
		{ SIGHUP, "SIGHUP", "read the configuration again, says many a daemon" },
		{ SIGSTOP, "SIGSTOP", "stops it" },
		{ SIGCONT, "SIGCONT", "lets it go on" },
		{ SIGUSR1, "SIGUSR1", "whatever the program means by it" },
		{ SIGUSR2, "SIGUSR2", "whatever the program means by it" },
	};
	char label[48];
	size_t i;

	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		snprintf(label, sizeof(label), "%2d %s", signals[i].signal, signals[i].name);
		add_item(m, label, signals[i].meaning, signals[i].signal);
	}
}

void menu_open(struct screen *s, enum menu_kind kind)
{
	struct menu *m = &s->menu;

	m->kind = kind;
	m->count = m->cursor = m->top = 0;
	m->typed[0] = '\0';
	m->title = titles[kind];
	m->hint = hints[kind];
	switch (kind) {
	case MENU_VIEWS:
		add_views(s, m);
		break;
	case MENU_SORT:
		add_sort_columns(s, m);
		break;
	case MENU_COLUMNS:
		add_columns(s, m);
		break;
	case MENU_SETUP:
		fill_setup(s, m);
		break;
	case MENU_SIGNALS:
		add_signals(m);
		break;
	case MENU_NONE:
		break;
	}
}

/* ---- selecting */

static void set_columns(struct screen *s)
{
	struct view_settings *vs = &s->settings.views[s->view];
	struct menu *m = &s->menu;
	unsigned int i, n = 0;

	for (i = 0; i < m->count; i++)
		if (m->items[i].marked)
			vs->columns[n++] = m->items[i].column;
	vs->num_columns = n;
	view_columns_changed(s);
}

static void toggle_column(struct screen *s)
{
	struct menu *m = &s->menu;
	unsigned int i, shown = 0;

	for (i = 0; i < m->count; i++)
		shown += m->items[i].marked;
	if (shown == 1 && m->items[m->cursor].marked) {
		screen_notice(s, SEVERITY_WARNING, "one column stays");
		return;
	}
	m->items[m->cursor].marked = !m->items[m->cursor].marked;
	set_columns(s);
}

static void move_column(struct screen *s, int step)
{
	struct menu *m = &s->menu;
	unsigned int to = m->cursor + step;
	struct menu_item item;

	if ((step < 0 && !m->cursor) || to >= m->count)
		return;
	item = m->items[m->cursor];
	m->items[m->cursor] = m->items[to];
	m->items[to] = item;
	m->cursor = to;
	set_columns(s);
}

static void change_setting(struct screen *s, int value)
{
	struct menu *m = &s->menu;

	s->settings_changed = true;
	if (value < SWITCH_COUNT) {
		s->settings.on[value] = !s->settings.on[value];
		s->stale = true;
		s->pager.width = 0;
	} else if (value == SETUP_THEME) {
		s->settings.theme = (s->settings.theme + 1) % THEME_COUNT;
	} else if (value == SETUP_VIEW) {
		s->settings.has_view = !s->settings.has_view || s->settings.view != s->view;
		s->settings.view = s->view;
	} else if (value == SETUP_DELAY) {
		m->kind = MENU_NONE;
		prompt_open(s, PROMPT_DELAY, "");
		return;
	} else {
		menu_open(s, MENU_COLUMNS);
		return;
	}
	fill_setup(s, m);
}

static void choose(struct screen *s)
{
	struct menu *m = &s->menu;
	const struct menu_item *item = &m->items[m->cursor];
	struct view_settings *vs = &s->settings.views[s->view];

	switch (m->kind) {
	case MENU_VIEWS:
		m->kind = MENU_NONE;
		pager_close(s);
		view_show(s, item->value);
		break;
	case MENU_SORT:
		m->kind = MENU_NONE;
		if (!item->column)
			vs->sort = NULL;
		else if (vs->sort == item->column)
			vs->reverse = !vs->reverse;
		else
			query_sort(view_get(s->view), item->column->name, &vs->sort, &vs->reverse);
		s->settings_changed = s->stale = true;
		break;
	case MENU_COLUMNS:
		m->kind = MENU_NONE;
		break;
	case MENU_SETUP:
		change_setting(s, item->value);
		break;
	case MENU_SIGNALS:
		m->kind = MENU_NONE;
		question_kill(s, item->value);
		break;
	case MENU_NONE:
		break;
	}
}

static bool menu_own_key(struct screen *s, int key)
{
	struct menu *m = &s->menu;

	if (m->kind == MENU_SETUP && key == ' ') {
		choose(s);
		return true;
	}
	if (m->kind != MENU_COLUMNS)
		return false;
	switch (key) {
	case ' ':
		toggle_column(s);
		return true;
	case TOP_KEY_F7:
	case '-':
		move_column(s, -1);
		return true;
	case TOP_KEY_F8:
	case '+':
		move_column(s, 1);
		return true;
	case 'd':
		settings_default_view(&s->settings, s->view);
		view_columns_changed(s);
		menu_open(s, MENU_COLUMNS);
		return true;
	default:
		return false;
	}
}

/* Typing jumps to the next item that begins with the typed text. */
static void jump(struct menu *m, int key)
{
	size_t len = strlen(m->typed);
	unsigned int i, tries;

	if (key <= ' ' || key > '~')
		return;
	/* if no item matches, start over with the new character */
	for (tries = 0; tries < 2; tries++, len = 0) {
		if (len + 1 >= sizeof(m->typed))
			continue;
		m->typed[len] = key;
		m->typed[len + 1] = '\0';
		for (i = 0; i < m->count; i++) {
			unsigned int at = (m->cursor + i) % m->count;
			const char *label = m->items[at].label;

			label += strspn(label, " 0123456789[]");
			if (strncasecmp(label, m->typed, len + 1))
				continue;
			m->cursor = at;
			return;
		}
	}
	m->typed[0] = '\0';
}

void menu_key(struct screen *s, int key, enum request *request)
{
	struct menu *m = &s->menu;
	unsigned int page = m->rows > 2 ? m->rows - 2 : 1;

	if (menu_own_key(s, key))
		return;
	if (key <= ' ' || key >= TOP_KEY_SPECIAL)
		m->typed[0] = '\0';
	switch (command_of_key(key)) {
	case COMMAND_UP:
		m->cursor -= m->cursor > 0;
		return;
	case COMMAND_DOWN:
		m->cursor += m->cursor + 1 < m->count;
		return;
	case COMMAND_PAGE_UP:
		m->cursor -= m->cursor > page ? page : m->cursor;
		return;
	case COMMAND_PAGE_DOWN:
		m->cursor = m->cursor + page < m->count ? m->cursor + page : m->count - 1;
		return;
	case COMMAND_HOME:
		m->cursor = 0;
		return;
	case COMMAND_END:
		m->cursor = m->count - 1;
		return;
	default:
		break;
	}
	if (key == TOP_KEY_ENTER)
		choose(s);
	else if (key == TOP_KEY_F10)
		*request = REQUEST_QUIT;
	else if (key == 'W' && m->kind == MENU_SETUP)
		screen_save(s);
	else if (key == TOP_KEY_ESCAPE)
		m->kind = MENU_NONE;
	else
		jump(m, key);
}

void menu_draw(struct screen *s, struct canvas *c)
{
	struct menu *m = &s->menu;
	bool boxes = m->kind == MENU_COLUMNS || m->kind == MENU_SORT;
	unsigned int labels = 0, mores = 0, i, inside;

	for (i = 0; i < m->count; i++) {
		unsigned int label = text_columns(m->items[i].label, c->ascii);
		unsigned int more = text_columns(m->items[i].more, c->ascii);

		labels = label > labels ? label : labels;
		mores = more > mores ? more : mores;
	}
	labels += 5; /* plus a mark in front, and blanks */
	m->cols = labels + mores + 4;
	if (m->cols < text_columns(m->hint, c->ascii) + 4)
		m->cols = text_columns(m->hint, c->ascii) + 4;
	if (m->cols > c->cols)
		m->cols = c->cols;
	m->rows = m->count + 3 < c->rows - 1 ? m->count + 3 : c->rows - 1;
	m->row = (c->rows - m->rows) / 2;
	m->col = (c->cols - m->cols) / 2;
	inside = m->rows - 3;
	if (m->cursor >= m->top + inside)
		m->top = m->cursor - inside + 1;
	if (m->cursor < m->top)
		m->top = m->cursor;
	canvas_box(c, m->row, m->col, m->rows, m->cols, m->title);
	for (i = 0; i < inside && m->top + i < m->count; i++) {
		const struct menu_item *item = &m->items[m->top + i];
		unsigned int row = m->row + 1 + i, col = m->col + 1;

		if (boxes)
			canvas_put(c, row, col + 1, 3, ROLE_GOOD,
				   item->marked		     ? "[x]" :
				   m->kind == MENU_COLUMNS ? "[ ]" :
							       "");
		canvas_put(c, row, col + (boxes ? 5 : 1), m->cols - 4,
			   ROLE_VALUE, item->label);
		if (labels + 2 < m->cols - 2)
			canvas_put(c, row, col + labels + 1, m->cols - labels - 3, ROLE_TEXT,
				   item->more);
		if (m->top + i == m->cursor)
			canvas_flag(c, row, col, m->cols - 2, GLYPH_CHOSEN);
	}
	/* the menu may cover the message line */
	canvas_put(c, m->row + m->rows - 2, m->col + 2, m->cols - 4, *s->notice ? ROLE_WARN : ROLE_DIM,
		   *s->notice ? s->notice : m->hint);
}
