// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes record files: the data of the sources, refresh by refresh, as text in the form of Glass'
 * debugfs (docs/ibtop.md describes it). Replaying computes ibtop's own values again.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ibtop/model/snapshot.h"
#include "ibtop/record/record.h"

struct record {
	FILE *to;
	char *path;
	bool failed;
	uint64_t events; /* number of events written */
};

struct record *record_open(const char *path, char *error, size_t error_size)
{
	struct record *r = calloc(1, sizeof(*r));

	if (r)
		r->path = strdup(path);
	if (r && r->path)
		r->to = fopen(path, "wxe");
	if (r && r->to)
		fprintf(r->to, RECORD_MAGIC "\n");
	if (r && r->to)
		return r;
	if (r && r->path && errno == EEXIST)
		snprintf(error, error_size, "%s exists already; ibtop does not overwrite a record",
			 path);
	else
		snprintf(error, error_size, "%s: %s", path,
			 strerror(r && r->path ? errno : ENOMEM));
	if (r)
		free(r->path);
	free(r);
	return NULL;
}

/* Encodes like debugfs, but words joined by '|' or ',' stay unchanged. */
static void put_text(FILE *to, const char *text)
{
	debugfs_encode_to(to, text, "|,");
}

/* Writes a decimal number faster than printf: most of a record is numbers. */
static void put_num(FILE *to, uint64_t n)
{
	char digits[24], *s = digits + sizeof(digits);

	do {
		*--s = '0' + n % 10;
		n /= 10;
	} while (n);
	fwrite_unlocked(s, 1, digits + sizeof(digits) - s, to);
}

static void put_cell(FILE *to, const struct row *row, const struct column *c)
{
	if (!row_has(row, c->index)) {
		/* '-' does not apply; '?' has no source */
		putc_unlocked(row_none(row, c->index) ? '-' : '?', to);
		return;
	}
	switch (c->unit) {
	case UNIT_word:
	case UNIT_text:
	case UNIT_gid:
	case UNIT_ref:
		put_text(to, row->v[c->index].text);
		break;
	default:
		put_num(to, row->v[c->index].num);
	}
}

static void put_table(struct model *m, const struct table *t, uint64_t from_event)
{
	const struct view *view = view_get(t->view);
	FILE *to = m->record->to;
	unsigned int c;
	size_t i;

	fprintf(to, "# glass 1 %s: dev", view->name);
	for (c = COL_ANY_COUNT; c < view->num_columns; c++)
		if (!view->columns[c].computed)
			fprintf(to, " %s", view->columns[c].name);
	putc('\n', to);
	for (i = 0; i < t->count; i++) {
		const struct row *row = table_row(t, i);

		if (t->view == VIEW_EVENT && row->num[0] <= from_event)
			continue;
		if (row->dev == NO_DEVICE)
			putc('-', to);
		else
			put_text(to, m->devices[row->dev].name);
		for (c = COL_ANY_COUNT; c < view->num_columns; c++) {
			if (view->columns[c].computed)
				continue;
			putc_unlocked(' ', to);
			put_cell(to, row, &view->columns[c]);
		}
		putc_unlocked('\n', to);
	}
}

bool record_write(struct model *m)
{
	struct record *r = m->record;
	size_t i;

	if (r->failed)
		return false;
	fprintf(r->to, "@ mono=%" PRIu64 " real=%" PRIu64 "\n", m->now->mono, m->now->real);
	for (i = 0; i < m->num_messages; i++) {
		const struct message *msg = &m->messages[i];

		fprintf(r->to, "! %d ", msg->severity);
		put_text(r->to, msg->dev ? msg->dev : "");
		putc(' ', r->to);
		put_text(r->to, msg->text);
		putc('\n', r->to);
	}
	for (i = 0; i < VIEW_COUNT; i++)
		if (m->now->tables[i].count || m->known >> i & 1)
			put_table(m, &m->now->tables[i], r->events);
	r->events = m->num_events;
	fputs("@ end\n", r->to);
	if (!fflush(r->to) && !ferror(r->to))
		return true;
	r->failed = true;
	tell(m, SEVERITY_ERROR, NULL, "%s: %s; the record ends here", r->path, strerror(errno));
	return false;
}

bool record_failed(const struct model *m)
{
	return m->record && m->record->failed;
}

bool record_close(struct record *r)
{
	bool ok = !r->failed && !fclose(r->to);

	if (r->failed)
		fclose(r->to);
	free(r->path);
	free(r);
	return ok;
}
