// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/debugfs/table.h"
#include "lib/debugfs/text.h"

/* A word in a message, truncated if it is long */
#define SHORT		 24
#define SHOWN(word, len) (int)((len) < SHORT ? (len) : SHORT), word, (len) < SHORT ? "" : "..."

static bool same(const struct debugfs_word *a, const struct debugfs_word *b)
{
	return a->len == b->len && !memcmp(a->at, b->at, a->len);
}

/* Splits at single blanks and stores at most `max` words. Returns the number of words. */
static size_t split(const char *line, size_t len, struct debugfs_word *to, size_t max)
{
	const char *s = line, *end = line + len, *blank;
	size_t n = 0;

	do {
		blank = memchr(s, ' ', end - s);
		if (!blank)
			blank = end;
		if (n < max)
			to[n] = (struct debugfs_word){ s, blank - s };
		n++;
		s = blank + 1;
	} while (blank < end);
	return n;
}

/* Does the line consist of blanks and printable ASCII? */
static bool bytes_ok(const char *line, size_t len, char *why)
{
	size_t i;

	for (i = 0; i < len; i++) {
		unsigned char c = line[i];

		if (c >= ' ' && c < 0x7f)
			continue;
		snprintf(why, DEBUGFS_WHY, "byte %zu is 0x%02x, which must be written as %%%02X",
			 i + 1, c, c);
		return false;
	}
	return true;
}

bool debugfs_header(struct debugfs_columns *to, const char *kind, const char *line, size_t len,
		    char why[DEBUGFS_WHY])
{
	char want[64];
	size_t begin = snprintf(want, sizeof(want), "# glass 1 %s: ", kind), n, i, k;

	to->count = 0;
	if (begin >= sizeof(want) || len < begin || memcmp(line, want, begin)) {
		snprintf(why, DEBUGFS_WHY, "no table: the first line must begin with \"%.*s\"",
			 (int)sizeof(want), want);
		return false;
	}
	if (!bytes_ok(line, len, why))
		return false;
	n = split(line + begin, len - begin, to->name, DEBUGFS_COLUMNS);
	if (n > DEBUGFS_COLUMNS) {
		snprintf(why, DEBUGFS_WHY, "%zu columns; the limit is %d", n, DEBUGFS_COLUMNS);
		return false;
	}
	for (i = 0; i < n; i++) {
		if (!to->name[i].len) {
			snprintf(why, DEBUGFS_WHY, "column %zu has no name", i + 1);
			return false;
		}
		for (k = 0; k < i; k++) {
			if (!same(&to->name[i], &to->name[k]))
				continue;
			snprintf(why, DEBUGFS_WHY, "columns %zu and %zu are both called \"%.*s%s\"",
				 k + 1, i + 1, SHOWN(to->name[i].at, to->name[i].len));
			return false;
		}
	}
	to->count = n;
	return true;
}

/* Is the '%' at s followed by the two digits of %XX? */
static bool percent_ok(const char *s, const char *end)
{
	char byte[2];

	return end - s > 2 && debugfs_decode(s, 3, byte) > 0;
}

/* Of a row: the number of words, and the first word that is empty or has a bad '%' (-1: none) */
struct found {
	size_t words;
	ssize_t empty, percent;
};

/* Uses one pass, because tables have many rows. Returns false if a byte is not allowed in rows. */
static bool split_row(const struct debugfs_columns *columns, const char *line, size_t len,
		      struct debugfs_word *to, struct found *found)
{
	const char *s = line, *end = line + len, *word = line;
	bool percent = false;

	*found = (struct found){ 0, -1, -1 };
	for (;; s++) {
		/* fast path: most values contain only bytes behind '%' in ASCII */
		while (s < end && *s > '%' && *s < 0x7f)
			s++;
		if (s < end && *s == '%') {
			percent |= !percent_ok(s, end);
			continue;
		}
		if (s < end && *s > ' ' && *s < 0x7f)
			continue;
		if (s < end && *s != ' ')
			return false;
		if (found->words < columns->count) {
			to[found->words] = (struct debugfs_word){ word, s - word };
			if (s == word && found->empty < 0)
				found->empty = found->words;
			/* a lone '%' is empty text */
			if (percent && found->percent < 0 && s - word > 1)
				found->percent = found->words;
		}
		found->words++;
		percent = false;
		word = s + 1;
		if (s == end)
			return true;
	}
}

bool debugfs_row(const struct debugfs_columns *columns, const char *line, size_t len,
		 struct debugfs_word to[DEBUGFS_COLUMNS], char why[DEBUGFS_WHY])
{
	const struct debugfs_word *name;
	struct found found = { 0, -1, -1 };

	if (len && !split_row(columns, line, len, to, &found))
		return bytes_ok(line, len, why);
	if (found.words != columns->count) {
		snprintf(why, DEBUGFS_WHY, "%zu value%s for %u columns", found.words,
			 found.words == 1 ? "" : "s", columns->count);
		return false;
	}
	if (found.empty >= 0) {
		name = &columns->name[found.empty];
		snprintf(why, DEBUGFS_WHY, "%.*s%s is empty: single blanks divide values",
			 SHOWN(name->at, name->len));
		return false;
	}
	if (found.percent >= 0) {
		name = &columns->name[found.percent];
		to += found.percent;
		snprintf(why, DEBUGFS_WHY,
			 "%.*s%s: '%%' without two hexadecimal digits, or %%00: %.*s%s",
			 SHOWN(name->at, name->len), SHOWN(to->at, to->len));
		return false;
	}
	return true;
}

/* Ends a word of the file's text: its blank, or the end of its line, becomes a NUL. */
static const char *end_word(struct debugfs_file *f, const struct debugfs_word *word)
{
	f->text[word->at - f->text + word->len] = 0;
	return word->at;
}

/*
 * Reads the header. Returns false with the reason in `why`, or with "" if the line is already
 * counted.
 */
static bool read_header(struct debugfs_table *t, const char *kind, char why[DEBUGFS_WHY])
{
	struct debugfs_file *f = t->file;
	char *line = debugfs_line(f);

	*why = 0;
	if (f->bad)
		return false;
	if (line)
		return debugfs_header(&t->columns, kind, line, f->line_len, why);
	f->line = 1;
	snprintf(why, DEBUGFS_WHY, "no table: the file is empty");
	return false;
}

bool debugfs_table_begin(struct debugfs_table *t, struct debugfs_file *f, const char *kind)
{
	char why[DEBUGFS_WHY];
	unsigned int i;

	t->file = f;
	t->columns.count = 0;
	t->lost = 0;
	if (read_header(t, kind, why)) {
		for (i = 0; i < t->columns.count; i++)
			end_word(f, &t->columns.name[i]);
		return true;
	}
	f->no_table = true;
	if (*why)
		debugfs_bad(f, "%s", why);
	return false;
}

bool debugfs_table_next(struct debugfs_table *t)
{
	static const char lost[] = "# lost ";
	char why[DEBUGFS_WHY], *line;

	while ((line = debugfs_line(t->file))) {
		size_t len = t->file->line_len;

		if (*line == '#') {
			if (!strncmp(line, lost, sizeof(lost) - 1) &&
			    !debugfs_number(line + sizeof(lost) - 1, len - (sizeof(lost) - 1),
					    &t->lost))
				debugfs_bad(t->file, "no number behind \"%s\"", lost);
			continue;
		}
		if (debugfs_row(&t->columns, line, len, t->value, why))
			return true;
		debugfs_bad(t->file, "%s", why);
	}
	return false;
}

int debugfs_column(const struct debugfs_table *t, const char *name)
{
	struct debugfs_word word = { name, strlen(name) };
	unsigned int i;

	for (i = 0; i < t->columns.count; i++)
		if (same(&t->columns.name[i], &word))
			return i;
	return -1;
}

bool debugfs_columns_find(struct debugfs_table *t, const char *const *names, size_t n, int *at)
{
	size_t i;

	for (i = 0; i < n; i++) {
		at[i] = debugfs_column(t, names[i]);
		if (at[i] >= 0)
			continue;
		t->file->no_table = true;
		debugfs_bad(t->file, "no column \"%s\"", names[i]);
		return false;
	}
	return true;
}

static const struct debugfs_word *value_of(const struct debugfs_table *t, int column)
{
	static const struct debugfs_word none = { "-", 1 };

	return column < 0 ? &none : &t->value[column];
}

bool debugfs_has(const struct debugfs_table *t, int column)
{
	const struct debugfs_word *w = value_of(t, column);

	return w->len != 1 || *w->at != '-';
}

const char *debugfs_value(const struct debugfs_table *t, int column)
{
	return column < 0 ? "-" : end_word(t->file, &t->value[column]);
}

bool debugfs_value_number(struct debugfs_table *t, int column, uint64_t *number)
{
	const struct debugfs_word *w = value_of(t, column);

	*number = 0;
	if (!debugfs_has(t, column) || debugfs_number(w->at, w->len, number))
		return true;
	debugfs_bad(t->file, "%.*s%s is no number: %.*s%s",
		    SHOWN(t->columns.name[column].at, t->columns.name[column].len),
		    SHOWN(w->at, w->len));
	return false;
}

void debugfs_value_text(const struct debugfs_table *t, int column, char *to, size_t size)
{
	const struct debugfs_word *w = value_of(t, column);
	char text[DEBUGFS_LINE_MAX + 1];

	*text = 0;
	if (debugfs_has(t, column))
		debugfs_decode(w->at, w->len, text);
	snprintf(to, size, "%s", text);
}
