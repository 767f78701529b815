// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#include <wctype.h>

#include "ibtop/screen/edit.h"
#include "ibtop/screen/keys.h"

void edit_history_add(struct edit_history *h, const char *line)
{
	char *copy;
	unsigned int i;

	if (!*line || (h->count && !strcmp(h->lines[0], line)))
		return;
	copy = strdup(line);
	if (!copy)
		return;
	for (i = 0; i < h->count; i++)
		if (!strcmp(h->lines[i], line))
			break;
	if (i == h->count && h->count < HISTORY_MAX)
		h->count++;
	else if (i == h->count)
		i--;
	if (i < h->count)
		free(h->lines[i]);
	memmove(h->lines + 1, h->lines, i * sizeof(h->lines[0]));
	h->lines[0] = copy;
	h->changed = true;
}

void edit_history_free(struct edit_history *h)
{
	while (h->count)
		free(h->lines[--h->count]);
}

static void set_text(struct edit *e, const char *text)
{
	e->len = 0;
	while (*text && e->len < EDIT_MAX) {
		mbstate_t state = {};
		wchar_t ch;
		size_t n = mbrtowc(&ch, text, strlen(text), &state);

		if (n == (size_t)-1 || n == (size_t)-2) {
			ch = L'?';
			n = 1;
		}
		e->text[e->len++] = ch;
		text += n;
	}
	e->text[e->len] = 0;
	e->at = e->len;
}

void edit_begin(struct edit *e, const char *text, struct edit_history *history)
{
	e->history = history;
	e->recalled = -1;
	set_text(e, text);
}

static void recall(struct edit *e, int step)
{
	int to = e->recalled + step;

	if (!e->history || to < -1 || to >= (int)e->history->count)
		return;
	if (e->recalled < 0)
		wcscpy(e->kept, e->text);
	e->recalled = to;
	if (to >= 0) {
		set_text(e, e->history->lines[to]);
	} else {
		wcscpy(e->text, e->kept);
		e->len = e->at = wcslen(e->text);
	}
}

static void erase(struct edit *e, unsigned int from, unsigned int to)
{
	wmemmove(e->text + from, e->text + to, e->len - to + 1);
	e->len -= to - from;
	e->at = from;
}

static unsigned int word_begin(const struct edit *e)
{
	unsigned int at = e->at;

	while (at && e->text[at - 1] == L' ')
		at--;
	while (at && e->text[at - 1] != L' ')
		at--;
	return at;
}

#define CONTROL(letter) ((letter) - 'A' + 1)

bool edit_key(struct edit *e, int key)
{
	switch (key) {
	case TOP_KEY_LEFT:
	case CONTROL('B'):
		e->at -= e->at > 0;
		return true;
	case TOP_KEY_RIGHT:
	case CONTROL('F'):
		e->at += e->at < e->len;
		return true;
	case TOP_KEY_HOME:
	case CONTROL('A'):
		e->at = 0;
		return true;
	case TOP_KEY_END:
	case CONTROL('E'):
		e->at = e->len;
		return true;
	case TOP_KEY_UP:
	case CONTROL('P'):
		recall(e, 1);
		return true;
	case TOP_KEY_DOWN:
	case CONTROL('N'):
		recall(e, -1);
		return true;
	case TOP_KEY_BACKSPACE:
	case CONTROL('H'):
		if (e->at)
			erase(e, e->at - 1, e->at);
		return true;
	case TOP_KEY_DELETE:
	case CONTROL('D'):
		if (e->at < e->len)
			erase(e, e->at, e->at + 1);
		return true;
	case CONTROL('U'):
		erase(e, 0, e->at);
		return true;
	case CONTROL('K'):
		erase(e, e->at, e->len);
		return true;
	case CONTROL('W'):
		erase(e, word_begin(e), e->at);
		return true;
	default:
		if (key < ' ' || key >= TOP_KEY_SPECIAL || !iswprint(key) || e->len == EDIT_MAX)
			return false;
		wmemmove(e->text + e->at + 1, e->text + e->at, e->len - e->at + 1);
		e->text[e->at++] = key;
		e->len++;
		return true;
	}
}

void edit_text(const struct edit *e, char *text, size_t size)
{
	size_t len = 0;
	unsigned int i;

	for (i = 0; i < e->len; i++) {
		mbstate_t state = {};
		char one[16];
		size_t n = wcrtomb(one, e->text[i], &state);

		if (n == (size_t)-1) {
			one[0] = '?';
			n = 1;
		}
		if (len + n >= size)
			break;
		memcpy(text + len, one, n);
		len += n;
	}
	if (size)
		text[len] = '\0';
}

static unsigned int columns_of(const struct edit *e, unsigned int from, unsigned int to)
{
	unsigned int sum = 0;

	for (; from < to; from++) {
		int width = wcwidth(e->text[from]);

		sum += width > 0 ? width : 0;
	}
	return sum;
}

unsigned int edit_column(const struct edit *e, size_t byte)
{
	size_t len = 0;
	unsigned int i;

	for (i = 0; i < e->len; i++) {
		mbstate_t state = {};
		char one[16];
		size_t n = wcrtomb(one, e->text[i], &state);

		len += n == (size_t)-1 ? 1 : n;
		if (len > byte)
			break;
	}
	return columns_of(e, 0, i);
}

unsigned int edit_draw(const struct edit *e, struct canvas *c, unsigned int row, unsigned int col,
		       unsigned int width)
{
	char text[EDIT_MAX * 4 + 1];
	unsigned int first = 0, skipped;
	struct edit part;

	if (!width)
		return 0;
	while (first < e->at && columns_of(e, first, e->at) >= width)
		first++;
	part.len = e->len - first;
	wmemcpy(part.text, e->text + first, part.len + 1);
	edit_text(&part, text, sizeof(text));
	canvas_fill(c, row, col, width, ROLE_PROMPT, L' ');
	canvas_put(c, row, col, width, ROLE_PROMPT, text);
	skipped = columns_of(e, 0, first);
	c->cursor_row = row;
	c->cursor_col = col + columns_of(e, first, e->at);
	return skipped;
}
