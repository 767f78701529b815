/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A screen of text. Each position has a role, and a theme maps roles to looks. All drawing goes to
 * a canvas; the terminal shows it (term.h), and tests read it. Untrusted text reaches the terminal
 * only through canvas_put(), which passes nothing but printable characters.
 */
#ifndef IBTOP_SCREEN_CANVAS_H
#define IBTOP_SCREEN_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#include "ibtop/screen/theme.h"

enum {
	GLYPH_CHOSEN = 1, /* in the selected row */
	GLYPH_MATCH = 2,  /* contains the search text */
};

struct glyph {
	wchar_t ch; /* 0: right half of a character with two columns */
	uint8_t role, flags;
};

struct canvas {
	unsigned int rows, cols;
	struct glyph *glyphs;
	bool ascii;
	int cursor_row, cursor_col; /* position of the terminal's cursor; row -1: hidden */
};

/* Resizes and clears it. Returns false if out of memory; it then has no rows. */
bool canvas_resize(struct canvas *c, unsigned int rows, unsigned int cols);
void canvas_clear(struct canvas *c);
void canvas_free(struct canvas *c);

/*
 * Writes at most width columns of a text in the locale's encoding. Returns the columns used. Cut
 * text ends in an ellipsis. Positions outside are ignored.
 */
unsigned int canvas_put(struct canvas *c, unsigned int row, unsigned int col, unsigned int width,
			enum role role, const char *text);
/* Fills columns with a character. */
void canvas_fill(struct canvas *c, unsigned int row, unsigned int col, unsigned int width,
		 enum role role, wchar_t ch);
/* Sets flags of columns that are already written. */
void canvas_flag(struct canvas *c, unsigned int row, unsigned int col, unsigned int width,
		 unsigned int flags);
/* Clears an area and draws a frame around it. title may be NULL. */
void canvas_box(struct canvas *c, unsigned int row, unsigned int col, unsigned int rows,
		unsigned int cols, const char *title);

/* Returns the columns that canvas_put() would use without a limit. */
unsigned int text_columns(const char *text, bool ascii);

/* Writes from left to right */
struct pen {
	struct canvas *canvas;
	unsigned int row, col, end; /* end: first column behind the writable ones */
};

struct pen pen_at(struct canvas *c, unsigned int row, unsigned int col);
void pen_put(struct pen *pen, enum role role, const char *text);
void pen_printf(struct pen *pen, enum role role, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
