// SPDX-License-Identifier: GPL-2.0-only
/* Tables of debugfs and of record files: converts values to cells of rows, by names of columns. */
#include <stdlib.h>
#include <string.h>

#include "ibtop/model/snapshot.h"

void layout_free(struct layout *l)
{
	if (!l)
		return;
	free(l->names);
	free(l);
}

struct layout *layout_make(enum view_id view, const struct debugfs_columns *columns)
{
	struct layout *l = calloc(1, sizeof(*l));
	size_t room = 0;
	unsigned int i;
	char *to;

	if (!l)
		return NULL;
	for (i = 0; i < columns->count; i++)
		room += columns->name[i].len + 1;
	to = l->names = malloc(room);
	if (!to) {
		layout_free(l);
		return NULL;
	}
	for (i = 0; i < columns->count; i++) {
		const struct debugfs_word *name = &columns->name[i];

		memcpy(to, name->at, name->len);
		to[name->len] = 0;
		l->columns.name[i] = (struct debugfs_word){ to, name->len };
		/* -1: skip a column that this program does not know */
		l->column[i] = view_column(view, to);
		to += name->len + 1;
	}
	l->columns.count = columns->count;
	return l;
}

bool layout_is(const struct layout *l, const struct debugfs_columns *columns)
{
	unsigned int i;

	if (l->columns.count != columns->count)
		return false;
	for (i = 0; i < columns->count; i++)
		if (l->columns.name[i].len != columns->name[i].len ||
		    memcmp(l->columns.name[i].at, columns->name[i].at, columns->name[i].len))
			return false;
	return true;
}

struct layout *layout_parse(enum view_id view, const char *kind, const char *line, size_t len)
{
	struct debugfs_columns columns;
	char why[DEBUGFS_WHY];

	return debugfs_header(&columns, kind, line, len, why) ? layout_make(view, &columns) : NULL;
}

/* Copies the text of a cell. Shares it with the previous row if equal, which is frequent. */
static const char *cell_copy(const char *word, size_t len, const char *last, struct pool *pool)
{
	char buf[1024];
	ssize_t n;

	if (last && !strncmp(last, word, len) && !last[len] && !memchr(word, '%', len))
		return last;
	if (len >= sizeof(buf))
		return NULL;
	n = debugfs_decode(word, len, buf);
	if (n < 0)
		return NULL;
	printable(buf);
	if (last && !strcmp(last, buf))
		return last;
	return pool_copy(pool, buf, n);
}

static bool set_cell(const struct column *c, const char *word, size_t len, struct row *row,
		     const struct row *last, struct pool *pool)
{
	uint64_t num;
	const char *text;

	if (len == 1 && *word == '-') {
		row_set_none(row, c->index);
		return true;
	}
	switch (c->unit) {
	case UNIT_word:
	case UNIT_text:
	case UNIT_gid:
	case UNIT_ref:
	case UNIT_mark:
		text = last && row_has(last, c->index) ? last->v[c->index].text : NULL;
		text = cell_copy(word, len, text, pool);
		if (text)
			row_word(row, c->index, text);
		return text;
	case UNIT_signed:
		if (len > 1 && *word == '-') {
			if (!debugfs_number(word + 1, len - 1, &num))
				return false;
			row_num(row, c->index, -num);
			return true;
		}
		/* fall through */
	case UNIT_num:
	case UNIT_hex:
	case UNIT_ns:
	case UNIT_bytes:
	case UNIT_words:
		if (!debugfs_number(word, len, &num))
			return false;
		row_num(row, c->index, num);
		return true;
	default:
		/* no file has computed columns */
		return false;
	}
}

int layout_values(const struct layout *l, enum view_id view, const struct debugfs_word *value,
		  struct row *row, const struct row *last, struct pool *pool)
{
	const struct column *columns = view_get(view)->columns;
	unsigned int i;

	for (i = 0; i < l->columns.count; i++)
		if (l->column[i] >= 0 && !set_cell(&columns[l->column[i]], value[i].at,
						   value[i].len, row, last, pool))
			return i;
	return -1;
}

bool layout_row(const struct layout *l, enum view_id view, const char *line, size_t len,
		struct row *row, const struct row *last, struct pool *pool)
{
	struct debugfs_word value[DEBUGFS_COLUMNS];
	char why[DEBUGFS_WHY];

	return debugfs_row(&l->columns, line, len, value, why) &&
	       layout_values(l, view, value, row, last, pool) < 0;
}
