// SPDX-License-Identifier: GPL-2.0-only
/*
 * What tools read of debugfs (lib/debugfs), and the rows that ibtop makes of it: tables of objects, words and numbers. The
 * first byte says of which kind of object; the text follows, a header and lines.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "lib/pairs.h"
#include "ibtop/model/snapshot.h"
#include "lib/debugfs/table.h"
#include "lib/debugfs/text.h"

/* From a block of the exact size */
static char *copy_of(const char *text, size_t len)
{
	char *copy = malloc(len + 1);

	FUZZ_CHECK(copy, "no memory");
	memcpy(copy, text, len);
	copy[len] = 0;
	return copy;
}

static void check_printable(const char *text)
{
	for (; *text; text++)
		FUZZ_CHECK((unsigned char)*text >= ' ' && *text != 0x7f, "byte 0x%02x",
			   (unsigned char)*text);
}

/* Text of a row is text, and ends. */
static void check_row(const struct view *v, const struct row *row)
{
	unsigned int c;

	for (c = 0; c < v->num_columns; c++) {
		enum unit unit = v->columns[c].unit;

		if (row_has(row, c) && (unit == UNIT_text || unit == UNIT_word))
			check_printable(row->v[c].text);
	}
}

static void rows(const char *text, size_t size, enum view_id view)
{
	static struct pool pool;
	size_t row_bytes = sizeof(struct row) + ROW_COLUMNS * sizeof(union value);
	const struct view *v = view_get(view);
	const char *end = text + size, *line = text, *newline;
	struct row *row = calloc(1, row_bytes);
	struct layout *l = NULL;

	FUZZ_CHECK(row, "no memory");
	for (; line < end; line = newline + 1) {
		size_t len;
		char *exact;

		newline = memchr(line, '\n', end - line);
		newline = newline ? newline : end;
		len = newline - line;
		/* without a NUL behind it */
		exact = malloc(len ? len : 1);
		memcpy(exact, line, len);
		if (!l) {
			l = layout_parse(view, v->name, exact, len);
		} else {
			memset(row, 0, row_bytes);
			row->view = view;
			if (layout_row(l, view, exact, len, row, NULL, &pool))
				check_row(v, row);
			pool_reset(&pool);
		}
		free(exact);
		if (!l)
			break;
	}
	layout_free(l);
	free(row);
}

/* What a value says decodes to something that encodes, and decodes to the same again. */
static void check_value(const char *value, size_t len)
{
	char *text = malloc(len + 1), *again, *coded;
	ssize_t n;

	FUZZ_CHECK(text, "no memory");
	n = debugfs_decode(value, len, text);
	FUZZ_CHECK(n >= 0 && (size_t)n <= len && !text[n], "%zd of %zu bytes", n, len);
	FUZZ_CHECK(strlen(text) == (size_t)n, "a NUL in %zd bytes", n);
	coded = malloc(DEBUGFS_ENCODED(n));
	again = malloc(DEBUGFS_ENCODED(n));
	FUZZ_CHECK(coded && again, "no memory");
	len = debugfs_encode(text, "", coded);
	FUZZ_CHECK(debugfs_decode(coded, len, again) == n && !strcmp(again, text), "%s", coded);
	free(text);
	free(coded);
	free(again);
}

/* A file as the tools read it: its lines, and a table of the kind that it says it is. */
static void table(const char *text, size_t len)
{
	static struct debugfs_file f;
	static struct debugfs_table t;
	char kind[40] = "", value[40];
	unsigned long rows = 0, lines = 0;
	uint64_t n;
	unsigned int c;

	FUZZ_CHECK(!debugfs_copy(&f, "fuzzed", text, len), "no memory");
	while (debugfs_line(&f))
		lines++;
	lines += f.bad;
	FUZZ_CHECK(f.line == lines, "%lu lines, %lu are counted", lines, f.line);
	sscanf(f.text, "# glass 1 %39[^: ]", kind);
	FUZZ_CHECK(!debugfs_copy(&f, "fuzzed", text, len), "no memory");
	if (!debugfs_table_begin(&t, &f, kind)) {
		FUZZ_CHECK(f.bad, "a bad header that is not counted");
	} else {
		FUZZ_CHECK(t.columns.count && t.columns.count <= DEBUGFS_COLUMNS, "%u columns",
			   t.columns.count);
		for (c = 0; c < t.columns.count; c++)
			FUZZ_CHECK(debugfs_column(&t, t.columns.name[c].at) == (int)c, "column %u", c);
		while (debugfs_table_next(&t)) {
			rows++;
			for (c = 0; c < t.columns.count; c++) {
				const struct debugfs_word *w = &t.value[c];

				FUZZ_CHECK(w->len && strlen(debugfs_value(&t, c)) == w->len, "%zu bytes", w->len);
				check_printable(w->at);
				check_value(w->at, w->len);
				debugfs_value_number(&t, c, &n);
				debugfs_value_text(&t, c, value, sizeof(value));
			}
		}
		FUZZ_CHECK(rows < f.line && f.line == lines, "%lu rows in %lu lines", rows, lines);
	}
	FUZZ_CHECK(!f.bad == !*debugfs_error(&f), "%lu bad lines", f.bad);
	check_printable(debugfs_error(&f));
}

static void words(const char *text, size_t len)
{
	char *to = malloc(len + 1), *copy = copy_of(text, len), value[40];
	uint64_t n;
	ssize_t got;
	struct pair p;
	const char *at = copy;

	FUZZ_CHECK(to, "no memory");
	debugfs_number(text, len, &n);
	got = debugfs_decode(text, len, to);
	if (got >= 0)
		check_value(text, len);
	FUZZ_CHECK(got >= -1 && got <= (ssize_t)len && (got < 0 || !to[got]), "%zd of %zu bytes", got,
		   len);
	printable(copy);
	check_printable(copy);
	while (next_pair(&at, &p))
		FUZZ_CHECK(p.key >= copy && p.key + p.key_len <= copy + len, "a key outside");
	find_value(copy, "act", value, sizeof(value));
	find_number(copy, "n", &n);
	if (find_text(copy, "act", value, sizeof(value)))
		FUZZ_CHECK(memchr(value, 0, sizeof(value)), "text without end");
	free(to);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum { TABLE = VIEW_COUNT, WORDS, KINDS };
	const char *text = (const char *)data + 1;

	if (!size)
		return 0;
	size--;
	switch (*data % KINDS) {
	case TABLE:
		table(text, size);
		break;
	case WORDS:
		words(text, size);
		break;
	default:
		rows(text, size, *data % KINDS);
	}
	return 0;
}
