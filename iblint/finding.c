// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "finding.h"
#include "lib/printable.h"

bool finding_layout(struct debugfs_table *t, struct debugfs_file *f, struct finding_layout *to)
{
#define COLUMN_NAME(name, unit, meaning) #name,
	static const char *const names[FINDING_COLUMNS] = { GLASS_COLUMNS_LINT(COLUMN_NAME) };
	static const char *const needed[] = { "id", "code", "count", "text" };
	int i, at[sizeof(needed) / sizeof(*needed)];

	if (!debugfs_table_begin(t, f, "lint") ||
	    !debugfs_columns_find(t, needed, sizeof(needed) / sizeof(*needed), at))
		return false;
	for (i = 0; i < FINDING_COLUMNS; i++)
		to->at[i] = debugfs_column(t, names[i]);
	return true;
}

/* Copies a value as text, with '?' for everything that may harm a terminal. */
static void take_text(const struct debugfs_table *t, int column, char *to, size_t size)
{
	debugfs_value_text(t, column, to, size);
	printable_ascii(to);
}

bool finding_parse(struct debugfs_table *t, const struct finding_layout *layout, struct finding *to)
{
	const int *at = layout->at;
	char text[NUMBER_LEN];
	size_t size;

	memset(to, 0, sizeof(*to));
#define TEXT(column, field) take_text(t, at[FINDING_##column], field, sizeof(field))
#define NUMBER(column)	    debugfs_value_number(t, at[FINDING_##column], &to->column)
	if (!NUMBER(id) || !NUMBER(pid) || !NUMBER(peer_pid) || !NUMBER(count) || !NUMBER(first) ||
	    !NUMBER(last) || !NUMBER(stack) || !NUMBER(peer_stack))
		return false;
	TEXT(code, text);
	to->code = strncmp(text, "GL", 2) ? 0 : strtoul(text + 2, NULL, 10);
	if (!to->id || !to->code) {
		debugfs_bad(t->file, "not a finding: its id is %llu, its code %s",
			    (unsigned long long)to->id, text);
		return false;
	}
	TEXT(severity, text);
	to->severity = severity_find(text);
	TEXT(kind, to->kind);
	TEXT(num, to->num);
	TEXT(comm, to->comm);
	TEXT(peer, to->peer);
	TEXT(peer_comm, to->peer_comm);
	TEXT(seen, to->seen);
	TEXT(expected, to->expected);
	TEXT(scopes, to->scopes);
	size = t->value[at[FINDING_text]].len + 1;
	to->text = malloc(size);
	if (!to->text)
		cli_die(CLI_FAILED, "out of memory");
	take_text(t, at[FINDING_text], to->text, size);
	if (!*to->text) {
		free(to->text);
		to->text = format_text("%s", finding_code(to)->title);
	}
	return true;
}

void finding_free(struct finding *f)
{
	free(f->text);
	f->text = NULL;
	where_stack_free(f->where);
	where_stack_free(f->peer_where);
	f->where = f->peer_where = NULL;
}

void finding_find_stacks(struct finding *f, struct where *w)
{
	char peer[DEVICE_NAME];

	if (!w)
		return;
	if (f->stack && !f->where)
		f->where = where_stack_read(w, f->dev, f->stack);
	if (!f->peer_stack || f->peer_where)
		return;
	/* DEV:QPN */
	strcpy(peer, f->peer);
	peer[strcspn(peer, ":")] = 0;
	if (*peer)
		f->peer_where = where_stack_read(w, peer, f->peer_stack);
}

const struct code *finding_code(const struct finding *f)
{
	static const struct code none = { "", "", "", GLASS_LINT_ERROR, false };

	return f->code <= GLASS_LINT_COUNT && codes[f->code].word ? &codes[f->code] : &none;
}

const char *finding_severity(const struct finding *f)
{
	return f->severity >= 0 ? severities[f->severity] : "finding";
}

char *finding_object(const struct finding *f)
{
	if (!*f->num || !*f->kind || !strcmp(f->kind, "device") || !strcmp(f->kind, "none"))
		return format_text("%s", f->dev);
	/* hexadecimal, as in the table of QPs */
	if (!strcmp(f->kind, "qp"))
		return format_text("%s/qp:0x%llx", f->dev, strtoull(f->num, NULL, 0));
	return format_text("%s/%s:%s", f->dev, f->kind, f->num);
}
