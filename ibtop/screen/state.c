// SPDX-License-Identifier: GPL-2.0-only
/* The state of the screen: start and end, keys and mouse, and the layout of its parts. */
#include <langinfo.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "ibtop/refresh/refresh.h"
#include "ibtop/screen/state.h"

void screen_notice(struct screen *s, enum severity severity, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(s->notice, sizeof(s->notice), format, args);
	va_end(args);
	s->notice_severity = severity;
}

bool screen_ascii(const struct screen *s)
{
	return s->options->ascii || s->settings.on[SWITCH_ascii] ||
	       strcmp(nl_langinfo(CODESET), "UTF-8");
}

struct format screen_format(const struct screen *s)
{
	return (struct format){ .style = STYLE_HUMAN, .ascii = screen_ascii(s) };
}

enum theme screen_theme(const struct screen *s)
{
	return s->color ? s->settings.theme : THEME_MONO;
}

static void complain(void *arg, const char *text)
{
	struct screen *s = arg;

	s->config_bad = true;
	/* show the first complaint: it is the most useful one */
	if (!*s->notice)
		screen_notice(s, SEVERITY_WARNING, "%s", text);
}

/* ---- start and end */

static bool apply_options(struct screen *s, char *error, size_t error_size)
{
	const struct options *o = s->options;
	const struct view *view = o->view ? view_find(o->view) : NULL;
	struct glass_filter_error filter_error = {};
	struct view_settings *vs;
	int n;

	s->view = view ? view->id : s->settings.has_view ? s->settings.view : VIEW_PROCESS;
	s->view_before = s->view == VIEW_PROCESS ? VIEW_QP : VIEW_PROCESS;
	vs = &s->settings.views[s->view];
	s->configured_settings = *vs;
	view = view_get(s->view);
	if (o->view && !view_find(o->view)) {
		view_explain(o->view, error, error_size);
		return false;
	}
	if (o->theme) {
		s->settings.theme = theme_find(o->theme);
		if (s->settings.theme == THEME_COUNT) {
			snprintf(error, error_size, "%s: there is no such theme: %s", o->theme,
				 theme_names());
			s->settings.theme = THEME_DARK;
			return false;
		}
	}
	if (o->columns) {
		n = columns_parse(view, o->columns, vs->columns, COLUMNS_MAX, error, error_size);
		if (n <= 0) {
			vs->num_columns = 0;
			return false;
		}
		vs->num_columns = n;
	}
	if (o->sort && !query_sort(view, o->sort, &vs->sort, &vs->reverse)) {
		snprintf(error, error_size, "%s has no column %s", view->name, o->sort);
		return false;
	}
	if (o->filter && !view_filter(s, o->filter, &filter_error)) {
		snprintf(error, error_size, "%s", filter_error.text);
		return false;
	}
	if (o->search) {
		snprintf(s->search, sizeof(s->search), "%s", o->search);
		s->only_matches = true;
	}
	s->has_pid = o->has_pid;
	s->pid = o->pid;
	model_want(s->model, s->view);
	return true;
}

bool screen_init(struct screen *s, struct model *m, const struct options *options, char *error,
		 size_t error_size)
{
	memset(s, 0, sizeof(*s));
	s->model = m;
	s->options = options;
	s->color = options->color;
	s->stale = true;
	s->tabs_row = UINT_MAX;
	settings_init(&s->settings);
	if (config_path(options->config, s->config_path, sizeof(s->config_path)))
		config_load(&s->settings, s->config_path, complain, s);
	else
		s->config_path[0] = '\0';
	s->configured_theme = s->settings.theme;
	if (!apply_options(s, error, error_size))
		return false;
	s->option_view = s->view;
	s->option_settings = s->settings.views[s->view];
	s->option_theme = s->settings.theme;
	return true;
}

void screen_free(struct screen *s)
{
	unsigned int i;

	question_close(s);
	pager_close(s);
	for (i = 0; i < VIEW_COUNT; i++) {
		glass_filter_free(s->views[i].filter);
		free(s->views[i].filter_text);
	}
	list_free(&s->list);
	list_free(&s->scratch);
	id_set_free(&s->folds);
	settings_free(&s->settings);
}

void screen_refreshed(struct screen *s)
{
	s->stale = true;
	s->pager.width = s->pager.kind == PAGER_HELP ? s->pager.width : 0;
	totals_update(s);
}

int screen_wait_ms(const struct screen *s, unsigned int took_ms)
{
	unsigned int delay = s->settings.delay_ms;

	if (s->paused)
		return -1;
	/* use the recorded intervals; reading a record takes no time */
	if (model_replaying(s->model))
		return model_wait_ms(s->model);
	if (!delay)
		delay = s->options->delay_ms;
	return delay > took_ms ? (int)(delay - took_ms) : 0;
}

static bool same_view(const struct view_settings *a, const struct view_settings *b)
{
	return a->num_columns == b->num_columns && a->sort == b->sort && a->reverse == b->reverse &&
	       !memcmp(a->columns, b->columns, a->num_columns * sizeof(a->columns[0]));
}

static bool save(struct screen *s, char *error, size_t size)
{
	struct view_settings *view = &s->settings.views[s->option_view], now = *view;
	enum theme theme = s->settings.theme;
	bool done;

	if (!*s->config_path) {
		snprintf(error, size, "there is no home directory to save the settings in");
		return false;
	}
	if (same_view(view, &s->option_settings))
		*view = s->configured_settings;
	if (theme == s->option_theme)
		s->settings.theme = s->configured_theme;
	done = config_save(&s->settings, s->config_path, error, size);
	*view = now;
	s->settings.theme = theme;
	if (!done)
		return false;
	s->settings_changed = s->settings.filters.changed = s->settings.searches.changed = false;
	return true;
}

bool screen_save_at_quit(struct screen *s, char *error, size_t error_size)
{
	bool changed = s->settings_changed || s->settings.filters.changed ||
		       s->settings.searches.changed;

	/*
	 * do not overwrite a file with unknown lines, maybe of a newer version: only an explicit
	 * save does
	 */
	if (!changed || !s->settings.on[SWITCH_save_at_quit] || s->config_bad || !*s->config_path)
		return true;
	return save(s, error, error_size);
}

void screen_save(struct screen *s)
{
	char error[PATH_MAX + 100];

	if (save(s, error, sizeof(error)))
		screen_notice(s, SEVERITY_NOTE, "settings written to %.400s", s->config_path);
	else
		screen_notice(s, SEVERITY_ERROR, "%.500s", error);
}

/* ---- keys */

static void scroll_columns(struct screen *s, int step)
{
	struct view_state *v = &s->views[s->view];

	if (step < 0)
		v->skipped -= v->skipped > 0;
	else if (s->more_columns)
		v->skipped++;
}

static enum request seek(struct screen *s, long long frame)
{
	long long last = (long long)model_frames(s->model) - 1;

	if (!model_replaying(s->model)) {
		screen_notice(s, SEVERITY_NOTE, "this is not a recording: start ibtop --replay FILE");
		return REQUEST_NONE;
	}
	if (frame > last)
		frame = last;
	if (!model_seek(s->model, frame < 0 ? 0 : frame))
		screen_notice(s, SEVERITY_ERROR, "the recording cannot be read there");
	s->paused = true;
	s->at_end = false;
	return REQUEST_SHOW;
}

static void pause_or_go_on(struct screen *s)
{
	s->paused = !s->paused;
	if (!s->paused && s->at_end) {
		model_seek(s->model, 0);
		s->stale = true;
		s->pager.width = 0;
	}
	s->at_end = false;
}

/* Commands of the table, and of an object in the table or in a pane. */
static enum request table_command(struct screen *s, enum command command, int key)
{
	long page = s->table_rows > 1 ? s->table_rows - 1 : 1;
	struct view_settings *vs = &s->settings.views[s->view];

	switch (command) {
	case COMMAND_UP:
		view_move(s, -1);
		break;
	case COMMAND_DOWN:
		view_move(s, 1);
		break;
	case COMMAND_PAGE_UP:
		view_move(s, -page);
		break;
	case COMMAND_PAGE_DOWN:
		view_move(s, page);
		break;
	case COMMAND_HOME:
		view_move_to(s, 0);
		break;
	case COMMAND_END:
		view_move_to(s, SIZE_MAX);
		break;
	case COMMAND_LEFT:
		scroll_columns(s, -1);
		break;
	case COMMAND_RIGHT:
		scroll_columns(s, 1);
		break;
	case COMMAND_COL_FIRST:
		s->views[s->view].skipped = 0;
		break;
	case COMMAND_COL_LAST:
		/* drawing limits it to the last column */
		s->views[s->view].skipped = COLUMNS_MAX;
		break;
	case COMMAND_VIEW_NEXT:
		view_show(s, (s->view + 1) % VIEW_COUNT);
		break;
	case COMMAND_VIEW_PREV:
		view_show(s, (s->view + VIEW_COUNT - 1) % VIEW_COUNT);
		break;
	case COMMAND_VIEW_NUMBER:
		view_show(s, key == '0' ? 9 : key - '1');
		break;
	case COMMAND_TREE:
		view_toggle(s, VIEW_TREE);
		break;
	case COMMAND_LEAKS:
		view_toggle(s, VIEW_LEAK);
		break;
	case COMMAND_EVENTS:
		view_toggle(s, VIEW_EVENT);
		break;
	case COMMAND_LINT:
		view_toggle(s, VIEW_LINT);
		break;
	case COMMAND_FABRIC:
		view_toggle(s, VIEW_FNODE);
		break;
	case COMMAND_SORT:
		menu_open(s, MENU_SORT);
		break;
	case COMMAND_COLUMNS:
		menu_open(s, MENU_COLUMNS);
		break;
	case COMMAND_INVERT:
		vs->reverse = !vs->reverse;
		s->settings_changed = s->stale = true;
		break;
	case COMMAND_SEARCH:
		prompt_open(s, PROMPT_SEARCH, "");
		break;
	case COMMAND_SEARCH_NEXT:
		view_search(s, 1, false);
		break;
	case COMMAND_SEARCH_PREV:
		view_search(s, -1, false);
		break;
	case COMMAND_ONLY_MATCHES:
		if (!*s->search)
			view_search(s, 1, false);
		else
			s->only_matches = !s->only_matches;
		s->stale = true;
		break;
	case COMMAND_FILTER:
		prompt_open(s, PROMPT_FILTER,
			    s->views[s->view].filter_text ? s->views[s->view].filter_text : "");
		break;
	case COMMAND_FOLD:
		view_fold(s, true);
		break;
	case COMMAND_UNFOLD:
		view_fold(s, false);
		break;
	case COMMAND_FOLD_ALL:
		view_fold_all(s);
		break;
	case COMMAND_DETAIL:
		if (view_chosen(s) && !story_open(s, view_chosen(s)))
			pager_open(s, PAGER_DETAIL, view_chosen(s));
		break;
	case COMMAND_BACK:
		*s->search = '\0';
		s->stale = s->stale || s->only_matches;
		s->only_matches = false;
		break;
	default:
		break;
	}
	return REQUEST_NONE;
}

static enum request any_command(struct screen *s, enum command command, int key)
{
	unsigned int frame = model_frame(s->model);

	switch (command) {
	case COMMAND_QUIT:
		return REQUEST_QUIT;
	case COMMAND_HELP:
		pager_open(s, PAGER_HELP, NULL);
		break;
	case COMMAND_MESSAGES:
		pager_open(s, PAGER_MESSAGES, NULL);
		break;
	case COMMAND_DIAGRAM:
		story_diagram(s);
		break;
	case COMMAND_SETUP:
		menu_open(s, MENU_SETUP);
		break;
	case COMMAND_VIEW_MENU:
		menu_open(s, MENU_VIEWS);
		break;
	case COMMAND_KILL:
		if (model_replaying(s->model))
			screen_notice(s, SEVERITY_NOTE, "this is a recording: its processes are "
				      "not those of this machine");
		else if (object_row(s))
			menu_open(s, MENU_SIGNALS);
		break;
	case COMMAND_CAPTURE:
		object_command(s, ACTION_CAPTURE);
		break;
	case COMMAND_INJECT:
		object_command(s, ACTION_INJECT);
		break;
	case COMMAND_EXPLAIN:
		object_command(s, ACTION_EXPLAIN);
		break;
	case COMMAND_PEER:
		object_go_to_peer(s);
		break;
	case COMMAND_PORTS:
		object_ports(s);
		break;
	case COMMAND_FOLLOW:
		object_follow(s);
		break;
	case COMMAND_FOLLOW_PID:
		prompt_open(s, PROMPT_PID, "");
		break;
	case COMMAND_PAUSE:
		pause_or_go_on(s);
		break;
	case COMMAND_REFRESH:
		return REQUEST_REFRESH;
	case COMMAND_DELAY:
		prompt_open(s, PROMPT_DELAY, "");
		break;
	case COMMAND_SAVE:
		screen_save(s);
		break;
	case COMMAND_REDRAW:
		return REQUEST_REDRAW;
	case COMMAND_FRAME_PREV:
		return seek(s, (long long)frame - 1);
	case COMMAND_FRAME_NEXT:
		return seek(s, (long long)frame + 1);
	case COMMAND_FRAME_BACK:
		return seek(s, (long long)frame - 10);
	case COMMAND_FRAME_ON:
		return seek(s, (long long)frame + 10);
	case COMMAND_FRAME_FIRST:
		return seek(s, 0);
	case COMMAND_FRAME_LAST:
		return seek(s, UINT_MAX);
	case COMMAND_SEEK:
		if (model_replaying(s->model))
			prompt_open(s, PROMPT_SEEK, "");
		else
			return seek(s, 0);
		break;
	default:
		/* keys of views also close a pane */
		if (s->pager.kind != PAGER_NONE && command != COMMAND_NONE)
			pager_close(s);
		return table_command(s, command, key);
	}
	return REQUEST_NONE;
}

/* The view may show what the last refresh did not read. A pause keeps its snapshot. */
static enum request with_data(struct screen *s, enum request request)
{
	model_want(s->model, s->view);
	if (request == REQUEST_NONE && !s->paused && model_lacks(s->model, s->view))
		return REQUEST_REFRESH;
	return request;
}

enum request screen_key(struct screen *s, int key)
{
	enum request request = REQUEST_NONE;

	if (key == TOP_KEY_NONE)
		return REQUEST_NONE;
	*s->notice = '\0';
	if (s->question.open)
		question_key(s, key);
	else if (s->prompt.kind != PROMPT_NONE)
		prompt_key(s, key, &request);
	else if (s->menu.kind != MENU_NONE)
		menu_key(s, key, &request);
	else if (s->pager.kind == PAGER_NONE || !pager_key(s, key))
		request = any_command(s, command_of_key(key), key);
	return with_data(s, request);
}

/* ---- mouse */

static enum request press_menu(struct screen *s, unsigned int row, unsigned int col)
{
	struct menu *m = &s->menu;
	unsigned int at;

	if (row < m->row || row >= m->row + m->rows || col < m->col || col >= m->col + m->cols)
		return screen_key(s, TOP_KEY_ESCAPE);
	at = m->top + row - m->row - 1;
	if (row == m->row || row + 2 >= m->row + m->rows || at >= m->count)
		return REQUEST_NONE;
	m->cursor = at;
	return screen_key(s, m->kind == MENU_COLUMNS ? ' ' : TOP_KEY_ENTER);
}

static void press_head(struct screen *s, unsigned int col)
{
	struct view_settings *vs = &s->settings.views[s->view];
	unsigned int i;

	for (i = 0; i < s->num_placed; i++) {
		const struct placed *p = &s->placed[i];

		if (col < p->col || col >= p->col + p->width || p->column->unit == UNIT_spark)
			continue;
		if (vs->sort == p->column)
			vs->reverse = !vs->reverse;
		else
			query_sort(view_get(s->view), p->column->name, &vs->sort, &vs->reverse);
		s->settings_changed = s->stale = true;
	}
}

static void press_row(struct screen *s, size_t line)
{
	const struct view_state *v = &s->views[s->view];

	if (v->top + line >= s->list.count)
		return;
	if (v->top + line == v->cursor)
		screen_key(s, TOP_KEY_ENTER);
	else
		view_move_to(s, v->top + line);
}

static enum request press(struct screen *s, unsigned int row, unsigned int col)
{
	unsigned int i;

	for (i = 0; i < COMMAND_COUNT && row == s->bar_row; i++)
		if (col >= s->bar_col[i] && col - s->bar_col[i] < s->bar_width[i]) {
			const char *keys = command_get(i)->keys;
			char key[8];

			snprintf(key, sizeof(key), "%.*s", (int)strcspn(keys, " "), keys);
			return screen_key(s, key_parse(key));
		}
	for (i = 0; i < VIEW_COUNT && row == s->tabs_row; i++)
		if (col >= s->tab_col[i] && col - s->tab_col[i] < s->tab_width[i]) {
			pager_close(s);
			view_show(s, i);
			return REQUEST_NONE;
		}
	if (s->pager.kind != PAGER_NONE)
		return REQUEST_NONE;
	if (row == s->head_row)
		press_head(s, col);
	else if (row >= s->table_row && row - s->table_row < s->table_rows)
		press_row(s, row - s->table_row);
	return REQUEST_NONE;
}

enum request screen_mouse(struct screen *s, enum mouse what, unsigned int row, unsigned int col)
{
	unsigned int i;

	*s->notice = '\0';
	if (what == MOUSE_PRESS) {
		if (s->question.open || s->prompt.kind != PROMPT_NONE)
			return REQUEST_NONE;
		return with_data(s, s->menu.kind != MENU_NONE ? press_menu(s, row, col) :
								press(s, row, col));
	}
	if (s->question.open || s->prompt.kind != PROMPT_NONE)
		return REQUEST_NONE;
	for (i = 0; i < 3; i++)
		screen_key(s, what == MOUSE_WHEEL_UP ? TOP_KEY_UP : TOP_KEY_DOWN);
	return REQUEST_NONE;
}

/* ---- drawing */

static void draw_too_small(struct canvas *c)
{
	struct pen pen = pen_at(c, 0, 0);

	pen_printf(&pen, ROLE_WARN, "%ux%u: too small", c->cols, c->rows);
	if (c->rows < 2)
		return;
	pen = pen_at(c, 1, 0);
	pen_printf(&pen, ROLE_TEXT, "%dx%d at least", SCREEN_MIN_COLS, SCREEN_MIN_ROWS);
}

void screen_draw(struct screen *s, struct canvas *c)
{
	unsigned int top, bottom;

	c->ascii = screen_ascii(s);
	canvas_clear(c);
	if (c->rows != s->rows || c->cols != s->cols) {
		s->rows = c->rows;
		s->cols = c->cols;
		memset(s->views[s->view].widest, 0, sizeof(s->views[s->view].widest));
	}
	if (c->rows < SCREEN_MIN_ROWS || c->cols < SCREEN_MIN_COLS) {
		draw_too_small(c);
		return;
	}
	top = header_draw(s, c);
	bottom = s->prompt.kind != PROMPT_NONE && *s->prompt.error ? 2 + s->prompt.has_place : 1;
	s->bar_row = UINT_MAX;
	if (!s->settings.on[SWITCH_key_bar] && s->prompt.kind == PROMPT_NONE && !s->question.open)
		bottom = 0;
	if (s->pager.kind != PAGER_NONE)
		pager_draw(s, c, top, c->rows - top - bottom);
	else
		table_draw(s, c, top, c->rows - top - bottom);
	if (!prompt_draw(s, c) && s->settings.on[SWITCH_key_bar])
		key_bar_draw(s, c, c->rows - 1);
	if (s->menu.kind != MENU_NONE)
		menu_draw(s, c);
}
