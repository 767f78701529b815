// SPDX-License-Identifier: GPL-2.0-only
/*
 * What ibtop and ibinject read of debugfs: tables of objects, words and numbers. The first byte says of which kind of object; the text follows, a header and
 * lines.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "lib/pairs.h"
#include "ibinject/table_text.h"
#include "ibtop/model/snapshot.h"

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

static void words(const char *text, size_t len)
{
	char *to = malloc(len + 1), *copy = copy_of(text, len), value[40];
	uint64_t n;
	ssize_t got;
	struct pair p;
	const char *at = copy;

	FUZZ_CHECK(to, "no memory");
	parse_num(text, len, &n);
	got = parse_text(text, len, to);
	FUZZ_CHECK(got >= -1 && got <= (ssize_t)len && (got < 0 || !to[got]), "%zd of %zu bytes", got,
		   len);
	printable(copy);
	check_printable(copy);
	while (next_pair(&at, &p))
		FUZZ_CHECK(p.key >= copy && p.key + p.key_len <= copy + len, "a key outside");
	find_value(copy, "act", value, sizeof(value));
	find_number(copy, "n", &n);
	free(to);
	free(copy);
}

/* ibinject's reader takes a whole file as a string. */
static void printed(const char *text)
{
	const char *line = strchr(text, '\n');
	char value[40];

	while (line) {
		table_value(text, line + 1, "qpn", value, sizeof(value));
		table_print(fuzz_sink(), text, line + 1);
		line = strchr(line + 1, '\n');
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum { PRINTED = VIEW_COUNT, WORDS, KINDS };
	const char *text = (const char *)data + 1;
	char *copy;

	if (!size)
		return 0;
	size--;
	switch (*data % KINDS) {
	case PRINTED:
		copy = copy_of(text, size);
		printed(copy);
		free(copy);
		break;
	case WORDS:
		words(text, size);
		break;
	default:
		rows(text, size, *data % KINDS);
	}
	return 0;
}
