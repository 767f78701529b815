// SPDX-License-Identifier: GPL-2.0-only
/* The table: headings, and the visible rows and columns. */
#include <stdio.h>
#include <string.h>

#include "ibtop/screen/state.h"

#define TEXT_BYTES 512
#define SPARK_MAX  HISTORY
#define GUTTER	   1 /* marks of new and gone rows */

static bool is_text(const struct column *column)
{
	return column->unit == UNIT_text || column->unit == UNIT_word || column->unit == UNIT_gid ||
	       column->unit == UNIT_ref;
}

/* ---- texts of cells */

/* Makes the branches of the tree before an object's name. */
static size_t branch_text(const struct screen *s, const struct item *item, char *text, size_t size)
{
	bool ascii = screen_ascii(s);
	size_t len = 0;
	unsigned int d;

	text[0] = '\0';
	for (d = 1; d <= item->depth && d < 60 && len + 16 < size; d++) {
		const char *piece;

		if (d < item->depth)
			piece = item->lines >> d & 1 ? (ascii ? "| " : "\u2502 ") : "  ";
		else if (item->last)
			piece = ascii ? "`-" : "\u2514\u2500";
		else
			piece = ascii ? "|-" : "\u251c\u2500";
		len += snprintf(text + len, size - len, "%s", piece);
	}
	if (item->folded)
		len += snprintf(text + len, size - len, "+");
	return len;
}

static size_t spark_of(const struct screen *s, const struct row *row, const struct column *column,
		       unsigned int width, char *text, size_t size)
{
	struct format format = screen_format(s);
	float values[SPARK_MAX];
	size_t count = row_history(s->model, row, column, values, width < SPARK_MAX ? width : SPARK_MAX);

	/* scale each sparkline on its own: a common scale would flatten small ones */
	return spark_text(values, count, 0, &format, text, size);
}

static struct cell item_text(const struct screen *s, const struct item *item,
			     const struct column *column, char *text, size_t size)
{
	struct cell cell = row_cell(s->model, item->row, column);
	struct format format = screen_format(s);
	size_t len = 0;

	if (s->view == VIEW_TREE && column->index == COL_TREE_object)
		len = branch_text(s, item, text, size);
	/* the bar shows the percentage */
	if (cell.state == CELL_VALUE && cell.unit == UNIT_fill && s->settings.on[SWITCH_bars])
		snprintf(text, size, "%llu/%llu", (unsigned long long)cell.num,
			 (unsigned long long)cell.max);
	else
		cell_text(&cell, &format, text + len, size - len);
	return cell;
}

/* ---- placement of columns */

static unsigned int head_width(const struct screen *s, const struct column *column)
{
	bool sorted = s->settings.views[s->view].sort == column;

	return text_columns(column->title, screen_ascii(s)) + sorted;
}

static unsigned int start_width(const struct screen *s, const struct column *column)
{
	unsigned int head = head_width(s, column), widest = s->views[s->view].widest[column->index];
	unsigned int limit = column->width ? column->width : 8;

	if (column->unit == UNIT_spark)
		return limit > head ? limit : head;
	if (column->unit == UNIT_fill && s->settings.on[SWITCH_bars])
		return limit > head ? limit : head;
	/* names of objects grow with the depth of the tree */
	if (s->view == VIEW_TREE && column->index == COL_TREE_object)
		limit = 44;
	/* never cut numbers */
	if (is_text(column) && widest > limit)
		widest = limit;
	return widest > head ? widest : head;
}

/*
 * Returns the number of leading columns that never scroll: up to the one that names the object, if
 * it is among the first three.
 */
static unsigned int frozen_columns(const struct screen *s)
{
	static const char *const names[VIEW_COUNT] = {
		[VIEW_PROCESS] = "pid",	   [VIEW_DEVICE] = "dev",     [VIEW_PORT] = "port",
		[VIEW_QP] = "qpn",	   [VIEW_CQ] = "cqn",	      [VIEW_MR] = "mrn",
		[VIEW_PD] = "pdn",	   [VIEW_SRQ] = "srqn",	      [VIEW_AH] = "ahn",
		[VIEW_UCONTEXT] = "ctxn",  [VIEW_CM_ID] = "cm_idn",   [VIEW_LINT] = "code",
		[VIEW_INJECT] = "rule",	   [VIEW_EVENT] = "what",     [VIEW_TREE] = "object",
		[VIEW_LEAK] = "object",	   [VIEW_MW] = "mwn",	      [VIEW_DM] = "dmn",
		[VIEW_XRCD] = "xrcdn",	   [VIEW_SHARE] = "uid",      [VIEW_FNODE] = "name",
		[VIEW_FPORT] = "port",	   [VIEW_FCABLE] = "b",       [VIEW_NETCABLE] = "netdev",
		[VIEW_GID] = "index",
	};
	const struct view_settings *vs = &s->settings.views[s->view];
	unsigned int i;

	for (i = 0; i < 3 && i < vs->num_columns; i++)
		if (!strcmp(vs->columns[i]->name, names[s->view]))
			return i + 1;
	return vs->num_columns ? 1 : 0;
}

static unsigned int width_of(const struct screen *s, unsigned int from, unsigned int to)
{
	unsigned int i, sum = 0;

	for (i = from; i < to; i++)
		sum += start_width(s, s->settings.views[s->view].columns[i]) + 1;
	return sum;
}

/* Measures the widest text of a column. It only grows, so that the table does not flicker. */
static void measure(struct screen *s, const struct column *column, size_t top, size_t end)
{
	unsigned char *widest = &s->views[s->view].widest[column->index];
	char text[TEXT_BYTES];

	for (; top < end && column->unit != UNIT_spark && column->unit != UNIT_mark; top++) {
		unsigned int width;

		item_text(s, &s->list.items[top], column, text, sizeof(text));
		width = text_columns(text, screen_ascii(s));
		if (width > 200)
			width = 200;
		if (width > *widest)
			*widest = width;
	}
}

/* Selects the visible columns: the frozen ones, then those behind the scrolled-off ones. */
static unsigned int shown_columns(struct screen *s, const struct column **columns, unsigned int cols,
				  size_t top, size_t end)
{
	const struct view_settings *vs = &s->settings.views[s->view];
	unsigned int frozen = frozen_columns(s), *skipped = &s->views[s->view].skipped, i, n = 0;
	unsigned int all = vs->num_columns;

	if (*skipped && frozen + *skipped >= all) {
		/* at the end: as many of the last columns as fit */
		unsigned int room = cols - GUTTER, used;

		for (i = 0; i < all; i++)
			measure(s, vs->columns[i], top, end);
		used = width_of(s, 0, frozen);
		*skipped = all - frozen;
		while (*skipped && used + width_of(s, frozen + *skipped - 1, all) - 1 <= room)
			--*skipped;
		if (*skipped == all - frozen && *skipped)
			--*skipped;
	}
	for (i = 0; i < all; i++)
		if (i < frozen || i >= frozen + *skipped)
			columns[n++] = vs->columns[i];
	return n;
}

static void widen(struct placed *p, unsigned int *room, unsigned int wanted)
{
	unsigned int more;

	if (wanted <= p->width)
		return;
	more = wanted - p->width < *room ? wanted - p->width : *room;
	p->width += more;
	*room -= more;
}

/* Returns the minimum width of a fill column that is cut. */
static unsigned int text_limit(const struct screen *s, const struct column *column)
{
	unsigned int widest = s->views[s->view].widest[column->index];
	unsigned int head = head_width(s, column);

	return widest > head ? widest : head;
}

static void place(struct screen *s, unsigned int cols, size_t top, size_t end)
{
	const struct column *columns[COLUMNS_MAX];
	unsigned int n = shown_columns(s, columns, cols, top, end), used = GUTTER, i, room;

	s->num_placed = 0;
	s->more_columns = false;
	for (i = 0; i < n && used < cols; i++) {
		struct placed *p = &s->placed[s->num_placed];

		measure(s, columns[i], top, end);
		p->column = columns[i];
		p->width = start_width(s, columns[i]);
		if (used + p->width > cols) {
			s->more_columns = true;
			/* a cut number would be wrong, but a bar may be shorter */
			if ((!is_text(columns[i]) && columns[i]->unit != UNIT_fill) ||
			    cols - used < (is_text(columns[i]) ? 6 : text_limit(s, columns[i])))
				break;
			p->width = cols - used;
		}
		used += p->width + 1;
		s->num_placed++;
	}
	if (i < n)
		s->more_columns = true;
	room = used - 1 < cols ? cols - (used - 1) : 0;
	for (i = 0; i < s->num_placed; i++)
		if (is_text(s->placed[i].column))
			widen(&s->placed[i], &room,
			      s->views[s->view].widest[s->placed[i].column->index]);
	for (i = 0; i < s->num_placed; i++)
		if (s->placed[i].column->unit == UNIT_spark)
			widen(&s->placed[i], &room, SPARK_MAX);
	used = GUTTER;
	for (i = 0; i < s->num_placed; i++) {
		s->placed[i].col = used;
		used += s->placed[i].width + 1;
	}
}

/* ---- looks of cells */

static bool has_word(const char *text, const char *words)
{
	size_t len = strlen(text);
	const char *at = words;

	while (len && (at = strstr(at, text))) {
		if ((at == words || at[-1] == ' ') && (!at[len] || at[len] == ' '))
			return true;
		at++;
	}
	return false;
}

static enum role word_role(const char *name, const char *text)
{
	if (has_word(name, "state health cm_state a_state b_state")) {
		if (has_word(text, "ok rts active connect listen up"))
			return ROLE_GOOD;
		if (has_word(text, "err sqe error down"))
			return ROLE_BAD;
		return !strcmp(name, "health") ? ROLE_BAD : ROLE_WARN;
	}
	if (!strcmp(name, "trouble"))
		return strcmp(text, "none") ? ROLE_WARN : ROLE_DIM;
	if (!strcmp(name, "pulled"))
		return !strcmp(text, "yes") ? ROLE_WARN : ROLE_DIM;
	if (!strcmp(name, "severity"))
		return has_word(text, "error security") ? ROLE_BAD : ROLE_WARN;
	if (!strcmp(name, "what"))
		return has_word(text, "error drop source") ? ROLE_BAD :
		       has_word(text, "new")		   ? ROLE_NEW :
		       has_word(text, "gone")		   ? ROLE_GONE :
							     ROLE_TEXT;
	if (!strcmp(name, "wait"))
		return strncmp(text, "nothing", 7) ? ROLE_WARN : ROLE_DIM;
	if (!strcmp(name, "dev") || !strcmp(name, "object"))
		return ROLE_NAME;
	return ROLE_TEXT;
}

/* Returns the role for a queue that runs full or dry in ns. */
static enum role soon_role(uint64_t ns)
{
	return ns < 1000000000ull ? ROLE_BAD : ns < 10000000000ull ? ROLE_WARN : ROLE_GOOD;
}

/*
 * Returns the role of a fill level. A nearly full CQ will overrun; a dry RQ or SRQ causes RNR NAKs.
 */
static enum role fill_role(const struct screen *s, const struct item *item,
			   const struct column *column, const struct cell *cell)
{
	bool receives = !strcmp(column->name, "rq_fill") || row_view(item->row) == VIEW_SRQ;
	double level = cell->max ? (double)cell->num / cell->max : 0;
	struct cell dry;

	if (!receives)
		return level >= 0.9 ? ROLE_BAD : level >= 0.7 ? ROLE_WARN : ROLE_GOOD;
	dry = row_cell_named(s->model, item->row,
			     row_view(item->row) == VIEW_SRQ ? "dry_in" : "rq_dry_in");
	return dry.state == CELL_VALUE ? soon_role(dry.num) : ROLE_GOOD;
}

static enum role cell_role(const struct screen *s, const struct item *item,
			   const struct column *column, const struct cell *cell)
{
	static const char troubles[] = "retries_s rnr_s drops_s errors_s err_qps stuck_qps errors lost";

	if (cell->state != CELL_VALUE)
		return ROLE_DIM;
	switch (column->unit) {
	case UNIT_spark:
		return ROLE_SPARK;
	case UNIT_fill:
		return fill_role(s, item, column, cell);
	case UNIT_rate:
	case UNIT_byte_rate:
		if (cell->real <= 0)
			return ROLE_DIM;
		return has_word(column->name, troubles) ? ROLE_WARN : ROLE_TEXT;
	case UNIT_num:
		return cell->num && has_word(column->name, troubles) ? ROLE_BAD : ROLE_TEXT;
	case UNIT_ns:
		return has_word(column->name, "full_in dry_in sq_full_in rq_dry_in") ?
			       soon_role(cell->num) : ROLE_TEXT;
	case UNIT_text:
	case UNIT_word:
		return cell->text ? word_role(column->name, cell->text) : ROLE_TEXT;
	default:
		return ROLE_TEXT;
	}
}

/* Draws a fill level as a bar in width columns. */
static void bar_draw(struct canvas *c, unsigned int row, unsigned int col, unsigned int width,
		     enum role role, const struct cell *cell, const char *text)
{
	unsigned int text_width = text_columns(text, c->ascii), inside, eighths, i;

	if (width < text_width + 5 || cell->state != CELL_VALUE || !cell->max) {
		canvas_put(c, row, col + (width > text_width ? width - text_width : 0), width, role,
			   text);
		return;
	}
	inside = width - text_width - 3; /* minus the brackets and the blank before the text */
	canvas_fill(c, row, col, 1, ROLE_BORDER, L'[');
	canvas_fill(c, row, col + 1 + inside + 1 + text_width, 1, ROLE_BORDER, L']');
	canvas_put(c, row, col + 1 + inside + 1, text_width, ROLE_TEXT, text);
	eighths = cell->num >= cell->max ? inside * 8 :
					   (double)cell->num / cell->max * inside * 8 + 0.5;
	/* show at least a trace of a level above 0 */
	if (cell->num && !eighths)
		eighths = 1;
	for (i = 0; i < inside; i++, eighths -= eighths < 8 ? eighths : 8) {
		if (!eighths)
			break;
		if (c->ascii)
			canvas_fill(c, row, col + 1 + i, 1, role, eighths >= 4 ? L'|' : L':');
		else
			canvas_fill(c, row, col + 1 + i, 1, role,
				    eighths >= 8 ? L'\u2588' : L'\u2590' - eighths);
	}
}

/* ---- drawing */

static void draw_head(struct screen *s, struct canvas *c, unsigned int row)
{
	const struct view_settings *vs = &s->settings.views[s->view];
	unsigned int i;

	canvas_fill(c, row, 0, c->cols, ROLE_HEAD, L' ');
	for (i = 0; i < s->num_placed; i++) {
		const struct placed *p = &s->placed[i];
		bool sorted = p->column == vs->sort;
		unsigned int width = head_width(s, p->column), at = p->col;
		enum role role = sorted ? ROLE_HEAD_SORTED : ROLE_HEAD;

		canvas_fill(c, row, p->col, p->width, role, L' ');
		if (p->column->right && width < p->width)
			at += p->width - width;
		at += canvas_put(c, row, at, p->col + p->width - at, role, p->column->title);
		if (sorted && at < p->col + p->width)
			canvas_put(c, row, at, 1, role,
				   vs->reverse ? (c->ascii ? "v" : "\u25bd") :
						 (c->ascii ? "^" : "\u25b3"));
	}
	if (s->views[s->view].skipped && s->num_placed)
		canvas_put(c, row, 0, 1, ROLE_HEAD_SORTED, c->ascii ? "<" : "\u25c2");
	if (s->more_columns)
		canvas_put(c, row, c->cols - 1, 1, ROLE_HEAD_SORTED, c->ascii ? ">" : "\u25b8");
}

static void draw_cell(struct screen *s, struct canvas *c, unsigned int row,
		      const struct item *item, const struct placed *p, enum role instead)
{
	char text[TEXT_BYTES];
	struct cell cell = item_text(s, item, p->column, text, sizeof(text));
	enum role role = cell_role(s, item, p->column, &cell);
	unsigned int width, at = p->col;

	if (instead != ROLE_TEXT && (role == ROLE_TEXT || role == ROLE_NAME))
		role = instead;
	if (p->column->unit == UNIT_spark) {
		if (cell.state != CELL_NONE)
			spark_of(s, item->row, p->column, p->width, text, sizeof(text));
		width = text_columns(text, c->ascii);
		/* right-align: the newest value is at the right */
		canvas_put(c, row, at + (width < p->width ? p->width - width : 0), p->width, role,
			   text);
		return;
	}
	if (p->column->unit == UNIT_fill && s->settings.on[SWITCH_bars]) {
		bar_draw(c, row, at, p->width, role, &cell, text);
	} else {
		width = text_columns(text, c->ascii);
		if (p->column->right && width < p->width)
			at += p->width - width;
		canvas_put(c, row, at, p->col + p->width - at, role, text);
	}
	if (text_matches(s, text))
		canvas_flag(c, row, p->col, p->width, GLYPH_MATCH);
}

static void draw_row(struct screen *s, struct canvas *c, unsigned int row, const struct item *item,
		     bool chosen)
{
	enum role instead = ROLE_TEXT;
	unsigned int i;

	if (s->settings.on[SWITCH_highlight]) {
		if (row_new(item->row)) {
			instead = ROLE_NEW;
			canvas_put(c, row, 0, GUTTER, ROLE_NEW, "+");
		} else if (row_gone(item->row)) {
			instead = ROLE_GONE;
			canvas_put(c, row, 0, GUTTER, ROLE_GONE, "x");
		}
	}
	for (i = 0; i < s->num_placed; i++)
		draw_cell(s, c, row, item, &s->placed[i], instead);
	if (chosen)
		canvas_flag(c, row, 0, c->cols, GLYPH_CHOSEN);
}

/* Explains why the table is empty. */
static void draw_empty(struct screen *s, struct canvas *c, unsigned int row)
{
	const char *missing = view_missing(s->model, s->view);
	size_t all = view_count(s->model, s->view);
	struct pen pen = pen_at(c, row, 1);

	if (missing) {
		pen_printf(&pen, ROLE_WARN, "n/a: %s", missing);
	} else if (s->views[s->view].filter || s->has_pid || s->only_matches) {
		pen_printf(&pen, ROLE_DIM, "nothing fits");
		if (s->view != VIEW_TREE && s->view != VIEW_LEAK)
			pen_printf(&pen, ROLE_DIM, " (%zu without filter)", all);
	} else {
		pen_put(&pen, ROLE_DIM, "nothing there");
	}
}

void table_draw(struct screen *s, struct canvas *c, unsigned int row, unsigned int rows)
{
	struct view_state *v = &s->views[s->view];
	size_t end, i;

	if (rows < 2)
		return;
	s->head_row = row;
	s->table_row = row + 1;
	s->table_rows = rows - 1;
	view_update(s);
	end = v->top + s->table_rows;
	if (end > s->list.count)
		end = s->list.count;
	place(s, c->cols, v->top, end);
	draw_head(s, c, row);
	for (i = v->top; i < end; i++)
		draw_row(s, c, s->table_row + (i - v->top), &s->list.items[i], i == v->cursor);
	if (!s->list.count)
		draw_empty(s, c, s->table_row);
}
