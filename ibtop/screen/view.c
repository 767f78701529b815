// SPDX-License-Identifier: GPL-2.0-only
/* The rows of a view: selection, order, and the selected row. */
#include <stdlib.h>
#include <string.h>

#include "ibtop/screen/state.h"

static bool row_id_equal(const struct row_id *a, const struct row_id *b)
{
	return a->view == b->view && a->num[0] == b->num[0] && a->num[1] == b->num[1] &&
	       a->born == b->born && a->device == b->device;
}

static size_t id_set_find(const struct id_set *set, const struct row_id *id)
{
	size_t i;

	for (i = 0; i < set->count; i++)
		if (row_id_equal(&set->ids[i], id))
			break;
	return i;
}

static bool id_set_has(const struct id_set *set, const struct row_id *id)
{
	return id_set_find(set, id) < set->count;
}

/* Adds the object, or removes it if it is in the set. */
static void id_set_toggle(struct id_set *set, const struct row_id *id)
{
	size_t i = id_set_find(set, id);

	if (i < set->count) {
		set->ids[i] = set->ids[--set->count];
		return;
	}
	if (set->count == set->room) {
		size_t room = set->room ? 2 * set->room : 16;
		struct row_id *ids = realloc(set->ids, room * sizeof(*ids));

		if (!ids)
			return;
		set->ids = ids;
		set->room = room;
	}
	set->ids[set->count++] = *id;
}

void id_set_free(struct id_set *set)
{
	free(set->ids);
	*set = (struct id_set){};
}

static bool is_folded(void *arg, const struct row *row)
{
	struct screen *s = arg;
	struct row_id id;

	row_id(row, &id);
	/* "all" does not fold devices: otherwise only their names would remain */
	return id_set_has(&s->folds, &id) != (s->fold_all && id.view != VIEW_DEVICE);
}

static struct view_state *state(struct screen *s)
{
	return &s->views[s->view];
}

void view_show(struct screen *s, enum view_id view)
{
	if (view == s->view)
		return;
	s->view_before = s->view;
	s->view = view;
	s->stale = true;
}

void view_toggle(struct screen *s, enum view_id view)
{
	view_show(s, s->view == view ? s->view_before : view);
}

void view_columns_changed(struct screen *s)
{
	memset(state(s)->widest, 0, sizeof(state(s)->widest));
	state(s)->skipped = 0;
	s->settings_changed = s->stale = true;
}

/*
 * Finds the row of the selected object that is nearest to the cursor: a tree may list a CQ
 * repeatedly.
 */
static bool find_chosen(const struct screen *s, const struct view_state *v, size_t *found)
{
	bool any = false;
	size_t i;

	for (i = 0; i < s->list.count; i++) {
		struct row_id id;

		row_id(s->list.items[i].row, &id);
		if (!row_id_equal(&id, &v->chosen))
			continue;
		if (any && labs((long)i - (long)v->cursor) >= labs((long)*found - (long)v->cursor))
			continue;
		*found = i;
		any = true;
	}
	return any;
}

static void keep_in_sight(struct screen *s, struct view_state *v)
{
	size_t page = s->table_rows ? s->table_rows : 1, last = s->list.count;

	if (v->cursor >= last)
		v->cursor = last ? last - 1 : 0;
	if (v->top + page > last)
		v->top = last > page ? last - page : 0;
	if (v->cursor < v->top)
		v->top = v->cursor;
	if (v->cursor >= v->top + page)
		v->top = v->cursor - page + 1;
}

static void hold(struct screen *s, struct view_state *v)
{
	/* at the top row, do not follow the object: show the first row */
	v->held = v->cursor && v->cursor < s->list.count;
	if (v->held)
		row_id(s->list.items[v->cursor].row, &v->chosen);
}

void view_update(struct screen *s)
{
	struct view_state *v = state(s);
	const struct view_settings *vs = &s->settings.views[s->view];
	struct query query = {
		.view = s->view,
		.sort = vs->sort,
		.reverse = vs->reverse,
		.filter = v->filter,
		.search = s->only_matches && *s->search ? s->search : NULL,
		.columns = vs->columns,
		.num_columns = vs->num_columns,
		.has_pid = s->has_pid,
		.pid = s->pid,
		.with_gone = s->settings.on[SWITCH_gone],
		.folded = is_folded,
		.arg = s,
	};
	size_t found = 0;

	if (s->stale) {
		s->stale = false;
		if (!model_list(s->model, &query, &s->list))
			screen_notice(s, SEVERITY_ERROR, "not enough memory for the rows");
		if (v->held && find_chosen(s, v, &found)) {
			/* keep the same line of the screen, if there are enough rows */
			size_t line = v->cursor - v->top;

			v->cursor = found;
			v->top = found > line ? found - line : 0;
		} else if (v->held) {
			keep_in_sight(s, v);
			hold(s, v);
		}
	}
	keep_in_sight(s, v);
}

void view_move_to(struct screen *s, size_t row)
{
	struct view_state *v = state(s);

	view_update(s);
	v->cursor = row;
	keep_in_sight(s, v);
	hold(s, v);
}

void view_move(struct screen *s, long rows)
{
	struct view_state *v = state(s);

	view_update(s);
	if (rows < 0 && (size_t)-rows > v->cursor)
		view_move_to(s, 0);
	else
		view_move_to(s, v->cursor + rows);
}

const struct row *view_chosen(struct screen *s)
{
	view_update(s);
	return state(s)->cursor < s->list.count ? s->list.items[state(s)->cursor].row : NULL;
}

bool view_choose(struct screen *s, const struct row_id *id)
{
	struct view_state *v;

	/* views of several kinds list it, too */
	if (s->view != VIEW_TREE && s->view != VIEW_LEAK)
		view_show(s, id->view);
	v = state(s);
	v->chosen = *id;
	v->held = true;
	s->stale = true;
	view_update(s);
	return v->cursor < s->list.count && v->held && row_id_equal(&v->chosen, id);
}

bool text_matches(const struct screen *s, const char *text)
{
	return *s->search && strcasestr(text, s->search);
}

static bool row_matches(const struct screen *s, const struct row *row)
{
	const struct view_settings *vs = &s->settings.views[s->view];
	struct format format = screen_format(s);
	struct cell cell;
	char text[512];
	unsigned int i;

	for (i = 0; i < vs->num_columns; i++) {
		cell = row_cell(s->model, row, vs->columns[i]);
		if (cell.unit == UNIT_spark)
			continue;
		cell_text(&cell, &format, text, sizeof(text));
		if (text_matches(s, text))
			return true;
	}
	cell = row_cell_named(s->model, row, "wait");
	return cell.state == CELL_VALUE && cell.text && text_matches(s, cell.text);
}

void view_search(struct screen *s, int direction, bool from_here)
{
	size_t i, at, count;

	view_update(s);
	count = s->list.count;
	if (!*s->search) {
		screen_notice(s, SEVERITY_NOTE, "no text was searched for yet: press / to enter one");
		return;
	}
	at = state(s)->cursor;
	for (i = from_here ? 0 : 1; i <= count && count; i++) {
		size_t row = direction > 0 ? (at + i) % count : (at + 2 * count - i) % count;

		if (!row_matches(s, s->list.items[row].row))
			continue;
		view_move_to(s, row);
		return;
	}
	screen_notice(s, SEVERITY_NOTE, "no row has \"%s\"", s->search);
}

void view_fold(struct screen *s, bool fold)
{
	const struct row *row = view_chosen(s);
	struct row_id id;

	if (s->view != VIEW_TREE || !row)
		return;
	if (is_folded(s, row) == fold)
		return;
	row_id(row, &id);
	id_set_toggle(&s->folds, &id);
	state(s)->chosen = id;
	state(s)->held = true;
	s->stale = true;
}

void view_fold_all(struct screen *s)
{
	s->fold_all = !s->fold_all;
	s->folds.count = 0;
	s->stale = true;
}

bool view_filter(struct screen *s, const char *text, struct glass_filter_error *error)
{
	struct view_state *v = state(s);
	struct glass_filter *filter = NULL;
	char *copy = NULL;

	if (text[strspn(text, " ")]) {
		filter = query_filter(view_get(s->view), text, error);
		if (!filter)
			return false;
		copy = strdup(text);
	}
	glass_filter_free(v->filter);
	free(v->filter_text);
	v->filter = filter;
	v->filter_text = copy;
	s->stale = true;
	return true;
}
