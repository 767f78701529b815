/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A screenful of text, each place with a role that a theme gives a look to. All
 * drawing goes here; the terminal shows it (term.h), tests read it.
 * No text that comes from outside reaches the terminal but through canvas_put(),
 * which lets printable characters pass and nothing else.
 */
#ifndef IBTOP_SCREEN_CANVAS_H
#define IBTOP_SCREEN_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#include "ibtop/screen/theme.h"

enum {
	GLYPH_CHOSEN = 1, /* in the row that is chosen */
	GLYPH_MATCH = 2,  /* contains the text that was searched for */
};

struct glyph {
	wchar_t ch; /* 0: the right half of a character two columns wide */
	uint8_t role, flags;
};

struct canvas {
	unsigned int rows, cols;
	struct glyph *glyphs;
	bool ascii;
	int cursor_row, cursor_col; /* where the terminal's cursor goes; row -1: nowhere */
};

/* Empties it, too. False: memory; it then has no rows. */
bool canvas_resize(struct canvas *c, unsigned int rows, unsigned int cols);
void canvas_clear(struct canvas *c);
void canvas_free(struct canvas *c);

/*
 * Writes at most width columns of a text in the locale's encoding; returns how many
 * it took. What is cut ends with an ellipsis. Places outside are ignored.
 */
unsigned int canvas_put(struct canvas *c, unsigned int row, unsigned int col, unsigned int width,
			enum role role, const char *text);
/* Fills columns with one character. */
void canvas_fill(struct canvas *c, unsigned int row, unsigned int col, unsigned int width,
		 enum role role, wchar_t ch);
/* Sets flags of columns that are written already. */
void canvas_flag(struct canvas *c, unsigned int row, unsigned int col, unsigned int width,
		 unsigned int flags);
/* A frame around an area that becomes empty; title may be NULL. */
void canvas_box(struct canvas *c, unsigned int row, unsigned int col, unsigned int rows,
		unsigned int cols, const char *title);

/* How many columns canvas_put() would take without a limit. */
unsigned int text_columns(const char *text, bool ascii);

/* Writes from left to right. */
struct pen {
	struct canvas *canvas;
	unsigned int row, col, end; /* end: the first column that is not written to */
};

struct pen pen_at(struct canvas *c, unsigned int row, unsigned int col);
void pen_put(struct pen *pen, enum role role, const char *text);
void pen_printf(struct pen *pen, enum role role, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
