// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wctype.h>

#include "ibtop/screen/canvas.h"

bool canvas_resize(struct canvas *c, unsigned int rows, unsigned int cols)
{
	struct glyph *glyphs = calloc((size_t)rows * cols + 1, sizeof(*glyphs));

	free(c->glyphs);
	c->glyphs = glyphs;
	c->rows = glyphs ? rows : 0;
	c->cols = glyphs ? cols : 0;
	canvas_clear(c);
	return glyphs;
}

void canvas_clear(struct canvas *c)
{
	unsigned int row;

	for (row = 0; row < c->rows; row++)
		canvas_fill(c, row, 0, c->cols, ROLE_TEXT, L' ');
	c->cursor_row = c->cursor_col = -1;
}

void canvas_free(struct canvas *c)
{
	free(c->glyphs);
	c->glyphs = NULL;
	c->rows = c->cols = 0;
}

/*
 * Decodes the next character of a text. Returns its width in columns (1 or 2), or 0 at the end.
 * Characters that cannot be shown become '?'. Skips characters without width (combining ones),
 * which could pile up.
 */
static unsigned int next_char(const char **text, bool ascii, wchar_t *ch)
{
	while (**text) {
		mbstate_t state = {};
		size_t len = mbrtowc(ch, *text, strlen(*text), &state);
		int width;

		if (len == (size_t)-1 || len == (size_t)-2 || !len) {
			*ch = L'?';
			(*text)++;
			return 1;
		}
		*text += len;
		if (!iswprint(*ch) || (ascii && *ch > L'~')) {
			*ch = L'?';
			return 1;
		}
		width = wcwidth(*ch);
		if (width > 0)
			return width > 1 ? 2 : 1;
	}
	return 0;
}

unsigned int text_columns(const char *text, bool ascii)
{
	unsigned int width, sum = 0;
	wchar_t ch;

	while ((width = next_char(&text, ascii, &ch)))
		sum += width;
	return sum;
}

static struct glyph *glyph_at(struct canvas *c, unsigned int row, unsigned int col)
{
	return &c->glyphs[(size_t)row * c->cols + col];
}

static void set(struct canvas *c, unsigned int row, unsigned int col, enum role role, wchar_t ch)
{
	*glyph_at(c, row, col) = (struct glyph){ .ch = ch, .role = role };
}

unsigned int canvas_put(struct canvas *c, unsigned int row, unsigned int col, unsigned int width,
			enum role role, const char *text)
{
	unsigned int used = 0, w;
	wchar_t ch;

	if (row >= c->rows || col >= c->cols)
		return 0;
	if (width > c->cols - col)
		width = c->cols - col;
	while ((w = next_char(&text, c->ascii, &ch))) {
		if (used + w > width) {
			if (!width)
				break;
			/* overwrite the last character, which may have two columns */
			used = width - 1;
			if (!glyph_at(c, row, col + used)->ch && used)
				set(c, row, col + used - 1, role, L' ');
			set(c, row, col + used++, role, c->ascii ? L'~' : L'\u2026');
			break;
		}
		set(c, row, col + used, role, ch);
		if (w == 2)
			set(c, row, col + used + 1, role, 0);
		used += w;
	}
	return used;
}

void canvas_fill(struct canvas *c, unsigned int row, unsigned int col, unsigned int width,
		 enum role role, wchar_t ch)
{
	if (row >= c->rows)
		return;
	for (; width && col < c->cols; width--, col++)
		set(c, row, col, role, ch);
}

void canvas_flag(struct canvas *c, unsigned int row, unsigned int col, unsigned int width,
		 unsigned int flags)
{
	if (row >= c->rows)
		return;
	for (; width && col < c->cols; width--, col++)
		glyph_at(c, row, col)->flags |= flags;
}

void canvas_box(struct canvas *c, unsigned int row, unsigned int col, unsigned int rows,
		unsigned int cols, const char *title)
{
	/* horizontal, vertical, then the corners in reading order */
	const wchar_t *line = c->ascii ? L"-|++++" : L"\u2500\u2502\u250c\u2510\u2514\u2518";
	unsigned int r;

	if (rows < 2 || cols < 2)
		return;
	for (r = 0; r < rows; r++) {
		bool edge = !r || r == rows - 1;

		canvas_fill(c, row + r, col, cols, edge ? ROLE_BORDER : ROLE_TEXT,
			    edge ? line[0] : L' ');
		canvas_fill(c, row + r, col, 1, ROLE_BORDER,
			    !r ? line[2] : edge ? line[4] : line[1]);
		canvas_fill(c, row + r, col + cols - 1, 1, ROLE_BORDER,
			    !r ? line[3] : edge ? line[5] : line[1]);
	}
	if (title && cols > 6) {
		unsigned int used = canvas_put(c, row, col + 3, cols - 6, ROLE_TITLE, title);

		canvas_fill(c, row, col + 2, 1, ROLE_TITLE, L' ');
		canvas_fill(c, row, col + 3 + used, 1, ROLE_TITLE, L' ');
	}
}

struct pen pen_at(struct canvas *c, unsigned int row, unsigned int col)
{
	return (struct pen){ .canvas = c, .row = row, .col = col, .end = c->cols };
}

void pen_put(struct pen *pen, enum role role, const char *text)
{
	if (pen->col < pen->end)
		pen->col += canvas_put(pen->canvas, pen->row, pen->col, pen->end - pen->col, role,
				       text);
}

void pen_printf(struct pen *pen, enum role role, const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	pen_put(pen, role, text);
}
