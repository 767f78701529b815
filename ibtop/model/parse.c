// SPDX-License-Identifier: GPL-2.0-only
/* The tables of debugfs and of record files: read by the names of their columns. */
#include <stdlib.h>
#include <string.h>

#include "ibtop/model/snapshot.h"

bool parse_num(const char *text, size_t len, uint64_t *value)
{
	const char *s = text, *end = text + len;
	uint64_t n = 0;

	if (len > 2 && s[0] == '0' && s[1] == 'x') {
		if (len > 18)
			return false;
		for (s += 2; s < end; s++) {
			unsigned int c = (unsigned char)*s;

			if (c - '0' < 10)
				c -= '0';
			else if ((c | 0x20) - 'a' < 6)
				c = (c | 0x20) - 'a' + 10;
			else
				return false;
			n = n << 4 | c;
		}
		*value = n;
		return true;
	}
	if (!len || len > 20)
		return false;
	for (; s < end; s++) {
		unsigned int c = (unsigned char)*s - '0';

		if (c > 9)
			return false;
		if (len == 20 &&
		    (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, c, &n)))
			return false;
		if (len < 20)
			n = n * 10 + c;
	}
	*value = n;
	return true;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

ssize_t parse_text(const char *text, size_t len, char *to)
{
	size_t i, n = 0;

	if (len == 1 && *text == '%')
		len = 0;
	for (i = 0; i < len; i++) {
		int high, low;

		if (text[i] != '%') {
			to[n++] = text[i];
			continue;
		}
		if (len - i < 3)
			return -1;
		high = hex_digit(text[i + 1]);
		low = hex_digit(text[i + 2]);
		if (high < 0 || low < 0)
			return -1;
		to[n++] = high << 4 | low;
		i += 2;
	}
	to[n] = 0;
	return n;
}

void layout_free(struct layout *l)
{
	if (!l)
		return;
	free(l->header);
	free(l->column);
	free(l);
}

/* Words of a line, divided by single blanks */
static size_t count_words(const char *line, size_t len)
{
	size_t i, n = len > 0;

	for (i = 0; i < len; i++)
		n += line[i] == ' ';
	return n;
}

struct layout *layout_parse(enum view_id view, const char *kind, const char *line, size_t len)
{
	char want[64], name[64];
	size_t begin = snprintf(want, sizeof(want), "# glass 1 %s: ", kind);
	const char *s = line + begin, *end = line + len;
	struct layout *l;

	if (len <= begin || memcmp(line, want, begin))
		return NULL;
	l = calloc(1, sizeof(*l));
	if (!l)
		return NULL;
	l->header = strndup(line, len);
	l->column = calloc(count_words(s, end - s), sizeof(*l->column));
	if (!l->header || !l->column) {
		layout_free(l);
		return NULL;
	}
	while (s < end) {
		const char *blank = memchr(s, ' ', end - s);
		size_t n = (blank ? blank : end) - s;

		/* a column that is newer than this program is passed over */
		l->column[l->words] = -1;
		if (n < sizeof(name)) {
			memcpy(name, s, n);
			name[n] = 0;
			l->column[l->words] = view_column(view, name);
		}
		l->words++;
		s += n + 1;
	}
	return l;
}

/* Text of a cell. Neighbours often have the same: then it is kept once. */
static const char *cell_copy(const char *word, size_t len, const char *last, struct pool *pool)
{
	char buf[1024];
	ssize_t n;

	if (last && !strncmp(last, word, len) && !last[len] && !memchr(word, '%', len))
		return last;
	if (len >= sizeof(buf))
		return NULL;
	n = parse_text(word, len, buf);
	if (n < 0)
		return NULL;
	if (strlen(buf) != (size_t)n)
		return NULL; /* a NUL in it */
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
			if (!parse_num(word + 1, len - 1, &num))
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
		if (!parse_num(word, len, &num))
			return false;
		row_num(row, c->index, num);
		return true;
	default:
		/* what is computed is in no file */
		return false;
	}
}

bool layout_row(const struct layout *l, enum view_id view, const char *line, size_t len,
		struct row *row, const struct row *last, struct pool *pool)
{
	const struct column *columns = view_get(view)->columns;
	const char *s = line, *end = line + len;
	unsigned int i;

	for (i = 0; i < l->words; i++) {
		const char *word = s;

		if (s > end)
			return false;
		while (s < end && *s != ' ')
			s++;
		if (s == word)
			return false;
		if (l->column[i] >= 0 &&
		    !set_cell(&columns[l->column[i]], word, s - word, row, last, pool))
			return false;
		s++;
	}
	return s == end + 1;
}
