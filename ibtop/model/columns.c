// SPDX-License-Identifier: GPL-2.0-only
/* The tables of views and columns, made from those of columns.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ibtop/model/snapshot.h"
#include "lib/nearest.h"

/* The static part of a column; the rest is filled in at startup. */
#define COLUMN_ALL(n, u, m)    { .name = #n, .unit = UNIT_##u, .meaning = m, .computed = true },
#define COLUMN_DRIVER(n, u, m) { .name = #n, .unit = UNIT_##u, .meaning = m },
#define COLUMN_OWN(n, u, m)    { .name = #n, .unit = UNIT_##u, .meaning = m, .computed = true },

#define VIEW_COLUMNS(ID, word, theirs, own, title, shown, sorted)                                 \
	static struct column columns_##ID[] = { TOP_COLUMNS_ALL(COLUMN_ALL) theirs(COLUMN_DRIVER) \
							own(COLUMN_OWN) };                        \
	_Static_assert(ARRAY_LEN(columns_##ID) <= ROW_COLUMNS, #ID " has too many columns");
TOP_VIEWS(VIEW_COLUMNS)

#define VIEW_ENTRY(ID, word, theirs, own, title, shown, sorted) \
	{ VIEW_##ID, #word, title, shown, sorted, columns_##ID, ARRAY_LEN(columns_##ID) },
static struct view views[VIEW_COUNT] = { TOP_VIEWS(VIEW_ENTRY) };

#define VIEW_TABLE(ID, word, theirs, own, title, shown, sorted) columns_##ID,
static struct column *const tables[VIEW_COUNT] = { TOP_VIEWS(VIEW_TABLE) };

/* Is this one of ibtop's own columns that a source fills? */
static bool from_source(enum view_id view, const char *name)
{
	static const struct {
		enum view_id view;
		const char *names;
	} filled[] = {
		{ VIEW_PORT, " link_layer netdev link_rate retries rnr_naks drops errors " },
		{ VIEW_CQ, " users " },
		{ VIEW_DEVICE, " driver sources node_type node_guid fw ports health " },
		{ VIEW_PROCESS, " pid comm owner " },
		{ VIEW_SHARE, " owner " },
	};
	char word[64];
	size_t i;

	if (view == VIEW_CM_ID || view == VIEW_LINT || view == VIEW_EVENT || view == VIEW_GID)
		return true;
	if (view == VIEW_INJECT)
		return strcmp(name, "hits_s") != 0;
	snprintf(word, sizeof(word), " %s ", name);
	for (i = 0; i < ARRAY_LEN(filled); i++)
		if (filled[i].view == view && strstr(filled[i].names, word))
			return true;
	return false;
}

static const struct {
	const char *name, *title;
	unsigned int width;
} layouts[] = {
#define LAYOUT(name, title, width) { #name, title, width },
	TOP_LAYOUT(LAYOUT)
};

static const unsigned int widths[UNIT_COUNT] = {
	[UNIT_num] = 7,	  [UNIT_hex] = 10,   [UNIT_signed] = 7, [UNIT_word] = 10,
	[UNIT_text] = 14, [UNIT_ns] = 8,     [UNIT_bytes] = 8,	[UNIT_words] = 8,
	[UNIT_gid] = 39,  [UNIT_ref] = 14,   [UNIT_rate] = 8,	[UNIT_byte_rate] = 8,
	[UNIT_fill] = 14, [UNIT_spark] = 16, [UNIT_mark] = 4,
};

static bool right(enum unit unit)
{
	switch (unit) {
	case UNIT_word:
	case UNIT_text:
	case UNIT_gid:
	case UNIT_ref:
	case UNIT_fill:
	case UNIT_spark:
	case UNIT_mark:
		return false;
	default:
		return true;
	}
}

/* Is the word in the list, which separates words by blanks? */
static bool listed(const char *list, const char *word)
{
	size_t len = strlen(word);
	const char *at = list;

	while ((at = strstr(at, word))) {
		if ((at == list || at[-1] == ' ') && (!at[len] || at[len] == ' '))
			return true;
		at += len;
	}
	return false;
}

/* Returns the name in capitals, for columns without a title. The text is never freed. */
static const char *capitals(const char *name)
{
	static char pool[8192];
	static size_t used;
	char *title = pool + used, *s;

	if (used + strlen(name) + 1 > sizeof(pool))
		return name;
	used += strlen(name) + 1;
	for (s = strcpy(title, name); *s; s++)
		*s = *s == '_' ? ' ' : *s >= 'a' && *s <= 'z' ? *s - 'a' + 'A' : *s;
	return title;
}

__attribute__((constructor)) static void complete(void)
{
	unsigned int v, c;
	size_t i;

	for (v = 0; v < VIEW_COUNT; v++) {
		for (c = 0; c < views[v].num_columns; c++) {
			struct column *col = &tables[v][c];

			col->view = v;
			col->index = c;
			col->width = widths[col->unit];
			col->right = right(col->unit);
			col->shown = listed(views[v].shown, col->name);
			col->field = col->unit == UNIT_spark ? -1 : glass_field_find(col->name);
			if (from_source(v, col->name))
				col->computed = false;
			for (i = 0; i < ARRAY_LEN(layouts); i++) {
				if (strcmp(layouts[i].name, col->name))
					continue;
				col->title = layouts[i].title;
				if (layouts[i].width)
					col->width = layouts[i].width;
			}
			if (!col->title)
				col->title = capitals(col->name);
			if (col->width < strlen(col->title))
				col->width = strlen(col->title);
		}
	}
}

const char *unit_word(enum unit unit)
{
	static const char *const words[UNIT_COUNT] = { "num",  "hex",	"signed", "word",
						       "text", "ns",	"bytes",  "words",
						       "gid",  "ref",	"rate",	  "byte_rate",
						       "fill", "spark", "mark" };

	return words[unit];
}

const struct view *view_get(enum view_id id)
{
	return &views[id];
}

const struct view *view_find(const char *name)
{
	const struct view *found = NULL;
	char *end;
	unsigned long n = strtoul(name, &end, 10);
	size_t i;

	if (*name && !*end && n >= 1 && n <= VIEW_COUNT)
		return &views[n - 1];
	for (i = 0; i < VIEW_COUNT; i++)
		if (!strcmp(views[i].name, name))
			return &views[i];
	for (i = 0; i < VIEW_COUNT && *name; i++) {
		if (strncmp(views[i].name, name, strlen(name)))
			continue;
		if (found)
			return NULL;
		found = &views[i];
	}
	return found;
}

void view_explain(const char *name, char *text, size_t size)
{
	unsigned int n = 0;
	size_t used, i;

	if (!*name) {
		snprintf(text, size,
			 "the name of a view is empty; ibtop --help views lists the views");
		return;
	}
	used = snprintf(text, size, "%s: several views begin with this:", name);
	for (i = 0; i < VIEW_COUNT; i++)
		if (!strncmp(views[i].name, name, strlen(name)) && used < size) {
			used += snprintf(text + used, size - used, "%s %s", n ? "," : "",
					 views[i].name);
			n++;
		}
	if (!n)
		snprintf(text, size, "there is no view %s; ibtop --help views lists them", name);
}

const struct column *column_find(const struct view *view, const char *name)
{
	unsigned int i;

	for (i = 0; i < view->num_columns; i++)
		if (!strcmp(view->columns[i].name, name))
			return &view->columns[i];
	return NULL;
}

int view_column(enum view_id view, const char *name)
{
	const struct column *c = column_find(&views[view], name);

	return c ? (int)c->index : -1;
}

/* Copies the next word of a list. Returns false at the end. */
static bool next_word(const char **text, char *word, size_t size)
{
	size_t len;

	*text += strspn(*text, ", ");
	len = strcspn(*text, ", ");
	if (!len)
		return false;
	snprintf(word, size, "%.*s", (int)len, *text);
	*text += len;
	return true;
}

static int add_column(const struct column **columns, int n, unsigned int max,
		      const struct column *c)
{
	int i;

	for (i = 0; i < n; i++)
		if (columns[i] == c)
			return n;
	if ((unsigned int)n < max)
		columns[n++] = c;
	return n;
}

static int take_off(const struct column **columns, int n, const struct column *c)
{
	int i, left = 0;

	for (i = 0; i < n; i++)
		if (columns[i] != c)
			columns[left++] = columns[i];
	return left;
}

static int add_shown(const struct view *view, const struct column **columns, int n,
		     unsigned int max)
{
	const char *text = view->shown;
	char word[64];

	while (next_word(&text, word, sizeof(word)))
		n = add_column(columns, n, max, column_find(view, word));
	return n;
}

static void tell_unknown(const struct view *view, const char *name, char *error, size_t error_size)
{
	struct glass_nearest near = glass_nearest_to(name);
	unsigned int i;

	for (i = 0; i < view->num_columns; i++)
		glass_nearest_consider(&near, view->columns[i].name);
	if (near.found)
		snprintf(error, error_size, "the view %s has no column %s; did you mean %s?",
			 view->name, name, near.found);
	else
		snprintf(error, error_size,
			 "the view %s has no column %s; ibtop --help columns lists what there is",
			 view->name, name);
}

int columns_parse(const struct view *view, const char *text, const struct column **columns,
		  unsigned int max, char *error, size_t error_size)
{
	char word[64], *name;
	const struct column *c;
	unsigned int i;
	int n = 0;

	text += strspn(text, ", ");
	if (!*text || *text == '+' || *text == '-')
		n = add_shown(view, columns, 0, max);
	while (next_word(&text, word, sizeof(word))) {
		name = *word == '+' || *word == '-' ? word + 1 : word;
		if (!strcmp(name, "all")) {
			for (i = 0; i < view->num_columns; i++)
				n = add_column(columns, n, max, &view->columns[i]);
			continue;
		}
		c = column_find(view, name);
		if (!c) {
			tell_unknown(view, name, error, error_size);
			return -1;
		}
		n = *word == '-' ? take_off(columns, n, c) : add_column(columns, n, max, c);
	}
	if (!n)
		snprintf(error, error_size, "no column is left to show");
	return n ? n : -1;
}

bool query_sort(const struct view *view, const char *text, const struct column **sort,
		bool *reverse)
{
	const char *name = *text == '-' || *text == '+' ? text + 1 : text;
	const struct column *c;

	if (!*name) {
		*sort = NULL;
		*reverse = false;
		return !*text;
	}
	c = column_find(view, name);
	if (!c)
		return false;
	*sort = c;
	*reverse = *text == '-' ||
		   (*text != '+' && (c->right || c->unit == UNIT_fill || c->unit == UNIT_spark));
	return true;
}

/* ---- for filters */

struct glass_filter *query_filter(const struct view *view, const char *text,
				  struct glass_filter_error *error)
{
	int fields[ROW_COLUMNS];
	char what[64];
	struct glass_filter_scope scope = { .what = what, .fields = fields };
	unsigned int i;

	snprintf(what, sizeof(what), "the view %s", view->name);

	for (i = 0; i < view->num_columns; i++)
		if (view->columns[i].field >= 0)
			fields[scope.num_fields++] = view->columns[i].field;
	return glass_filter_parse(text, &scope, error);
}
