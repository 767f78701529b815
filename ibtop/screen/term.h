/* SPDX-License-Identifier: GPL-2.0-only */
/* The terminal: the only part that knows curses. */
#ifndef IBTOP_SCREEN_TERM_H
#define IBTOP_SCREEN_TERM_H

#include "ibtop/screen/canvas.h"
#include "ibtop/screen/state.h"

/* False: this is no terminal that a screen can be shown on; error tells. color: it may have colours. */
bool term_begin(bool color, char *error, size_t error_size);
/* As it was before. Takes a terminal that was not begun, or ended before, too. */
void term_end(void);
/* For a while: a command runs, or the program is stopped. */
void term_leave(void);
void term_return(void);

bool term_has_color(void);
void term_mouse(bool on);
/* How big it is now; tells curses. */
void term_size(unsigned int *rows, unsigned int *cols);
void term_show(const struct canvas *c, enum theme theme);
/* What is there may be something else: the next term_show() draws all of it. */
void term_forget(void);

struct term_event {
	int key; /* or TOP_KEY_NONE */
	bool is_mouse;
	enum mouse mouse;
	unsigned int row, col;
};

/* The next key or press that waits; false: none does. */
bool term_event(struct term_event *event);

#endif
