// SPDX-License-Identifier: GPL-2.0-only
/* Selects and sorts rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ibtop/model/list.h"

/* ---- selection */

struct object {
	const struct model *m;
	const struct row *row;
	const struct view *view;
};

static bool get_field(const void *arg, int field, struct glass_value *value)
{
	const struct object *o = arg;
	struct cell cell;
	unsigned int i;

	for (i = 0; i < o->view->num_columns && o->view->columns[i].field != field; i++)
		;
	if (i == o->view->num_columns)
		return false;
	cell = row_cell(o->m, o->row, &o->view->columns[i]);
	if (cell.state != CELL_VALUE)
		return false;
	value->text = cell.text;
	value->num = cell.num;
	if (cell.unit == UNIT_rate || cell.unit == UNIT_byte_rate)
		value->num = cell.real < 9e18 ? (uint64_t)llround(cell.real) : UINT64_MAX;
	if (cell.unit == UNIT_fill)
		value->num = cell.max ? cell.num * 100 / cell.max : 0;
	return true;
}

static bool has_text(const struct model *m, const struct query *q, const struct row *row)
{
	static const struct format human = { .style = STYLE_HUMAN };
	const struct view *view = view_get(q->view);
	struct cell cell;
	char text[512];
	unsigned int i;

	for (i = 0; i < (q->columns ? q->num_columns : view->num_columns); i++) {
		const struct column *c = q->columns ? q->columns[i] : &view->columns[i];

		if (!q->columns && !c->shown)
			continue;
		cell = row_cell(m, row, c);
		if (cell_text(&cell, &human, text, sizeof(text)) && strcasestr(text, q->search))
			return true;
	}
	cell = row_cell_named(m, row, "wait");
	return cell.state == CELL_VALUE && cell.text && strcasestr(cell.text, q->search);
}

bool row_fits(const struct model *m, const struct query *q, const struct row *row)
{
	struct object o = { m, row, view_get(q->view) };
	struct cell pid;

	if (q->has_pid && view_column(row->view, "pid") >= 0) {
		pid = row_cell_named(m, row, "pid");
		if (pid.state != CELL_VALUE || pid.num != q->pid)
			return false;
	}
	if (q->filter && !glass_filter_match(q->filter, get_field, &o))
		return false;
	return !q->search || !*q->search || has_text(m, q, row);
}

/* ---- order */

struct sorted {
	struct cell cell;
	struct item item;
	size_t at;
};

static int compare(const void *x, const void *y, void *reverse)
{
	const struct sorted *a = x, *b = y;
	int order = cell_compare(&a->cell, &b->cell);

	if (*(const bool *)reverse)
		order = -order;
	return order ? order : a->at < b->at ? -1 : 1;
}

bool items_sort(const struct model *m, const struct query *q, struct item *items, size_t count)
{
	struct sorted *s;
	bool reverse = q->reverse;
	size_t i;

	if (!q->sort || count < 2)
		return true;
	s = malloc(count * sizeof(*s));
	if (!s)
		return false;
	for (i = 0; i < count; i++)
		s[i] = (struct sorted){ row_cell(m, items[i].row, q->sort), items[i], i };
	qsort_r(s, count, sizeof(*s), compare, &reverse);
	for (i = 0; i < count; i++)
		items[i] = s[i].item;
	free(s);
	return true;
}

bool list_add(struct list *list, const struct item *item)
{
	if (list->count == list->room) {
		size_t room = list->room ? 2 * list->room : 64;
		struct item *items = realloc(list->items, room * sizeof(*items));

		if (!items)
			return false;
		list->items = items;
		list->room = room;
	}
	list->items[list->count++] = *item;
	return true;
}

void list_free(struct list *list)
{
	free(list->items);
	memset(list, 0, sizeof(*list));
}

static bool add_table(struct model *m, const struct query *q, enum view_id view, struct list *list)
{
	struct table *t = &m->now->tables[view];
	size_t i;

	for (i = 0; i < t->count; i++) {
		struct item item = { .row = table_row(t, i) };

		if (row_fits(m, q, item.row) && !list_add(list, &item))
			return false;
	}
	t = m->before ? &m->before->tables[view] : NULL;
	for (i = 0; q->with_gone && view != VIEW_EVENT && t && i < t->count; i++) {
		struct item item = { .row = table_row(t, i) };

		if (item.row->flags & ROW_GONE && row_fits(m, q, item.row) &&
		    !list_add(list, &item))
			return false;
	}
	return true;
}

bool model_list(struct model *m, const struct query *q, struct list *list)
{
	static const enum view_id objects[] = { VIEW_UCONTEXT, VIEW_PD, VIEW_MR, VIEW_CQ,
						VIEW_SRQ,      VIEW_QP, VIEW_AH, VIEW_MW,
						VIEW_DM,       VIEW_XRCD, VIEW_CM_ID };
	bool ok = true;
	size_t i;

	list->count = 0;
	if (q->view == VIEW_TREE) {
		ok = tree_list(m, q, list);
	} else {
		if (q->view != VIEW_LEAK)
			ok = add_table(m, q, q->view, list);
		for (i = 0; q->view == VIEW_LEAK && ok && i < ARRAY_LEN(objects); i++)
			ok = add_table(m, q, objects[i], list);
		ok = ok && items_sort(m, q, list->items, list->count);
	}
	if (!ok)
		list->count = 0;
	return ok;
}
