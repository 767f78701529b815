/* SPDX-License-Identifier: GPL-2.0-only */
/* A line editor with a history. */
#ifndef IBTOP_SCREEN_EDIT_H
#define IBTOP_SCREEN_EDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

#include "ibtop/screen/canvas.h"

#define EDIT_MAX    1024 /* characters */
#define HISTORY_MAX 30

/* Entered lines, newest first, without duplicates */
struct edit_history {
	char *lines[HISTORY_MAX];
	unsigned int count;
	bool changed;
};

void edit_history_add(struct edit_history *h, const char *line);
void edit_history_free(struct edit_history *h);

struct edit {
	wchar_t text[EDIT_MAX + 1];
	unsigned int len, at;
	struct edit_history *history; /* or NULL */
	int recalled;		      /* index of the history line that is shown; -1: none */
	wchar_t kept[EDIT_MAX + 1];   /* the typed text, kept while the history is shown */
};

/* Starts with a text, with the cursor behind it. */
void edit_begin(struct edit *e, const char *text, struct edit_history *history);
/* Returns false if the editor does not use the key. The caller handles Enter and Escape. */
bool edit_key(struct edit *e, int key);
/* Returns the text in the locale's encoding. */
void edit_text(const struct edit *e, char *text, size_t size);
/* Converts a byte offset in edit_text() to a column of the text. */
unsigned int edit_column(const struct edit *e, size_t byte);
/*
 * Draws the line in width columns, scrolled so that the cursor is visible, and sets the canvas'
 * cursor. Returns the first visible column of the text.
 */
unsigned int edit_draw(const struct edit *e, struct canvas *c, unsigned int row, unsigned int col,
		       unsigned int width);

#endif
