/* SPDX-License-Identifier: GPL-2.0-only */
/* A line that is typed in, with a history. */
#ifndef IBTOP_SCREEN_EDIT_H
#define IBTOP_SCREEN_EDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

#include "ibtop/screen/canvas.h"

#define EDIT_MAX    1024 /* characters */
#define HISTORY_MAX 30

/* What was entered, the last one first; none twice. */
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
	int recalled;		      /* line of the history that is shown; -1: none */
	wchar_t kept[EDIT_MAX + 1];   /* what was typed before the history was looked at */
};

/* Begins with a text; the cursor is behind it. */
void edit_begin(struct edit *e, const char *text, struct edit_history *history);
/* False: the key means nothing here. Enter and Escape are the caller's. */
bool edit_key(struct edit *e, int key);
/* The text in the locale's encoding */
void edit_text(const struct edit *e, char *text, size_t size);
/* Byte offset in edit_text() -> column in the text */
unsigned int edit_column(const struct edit *e, size_t byte);
/*
 * Draws it into width columns, scrolled so that the cursor is seen, and puts the
 * canvas' cursor there. Returns the column of the text that is drawn first.
 */
unsigned int edit_draw(const struct edit *e, struct canvas *c, unsigned int row, unsigned int col,
		       unsigned int width);

#endif
