/* SPDX-License-Identifier: GPL-2.0-only */
/* The terminal: the only part that uses curses. */
#ifndef IBTOP_SCREEN_TERM_H
#define IBTOP_SCREEN_TERM_H

#include "ibtop/screen/canvas.h"
#include "ibtop/screen/state.h"

/*
 * Starts the screen. Returns false, with the reason in error, if the terminal is unsuitable. color:
 * allow colours.
 */
bool term_begin(bool color, char *error, size_t error_size);
/* Restores the terminal. Does nothing if the screen is not active. */
void term_end(void);
/*
 * Leave the screen temporarily, while a command runs or the program is stopped, and return to it.
 */
void term_leave(void);
void term_return(void);

bool term_has_color(void);
void term_mouse(bool on);
/* Returns the current size and informs curses. */
void term_size(unsigned int *rows, unsigned int *cols);
void term_show(const struct canvas *c, enum theme theme);
/* The terminal's contents are unknown: the next term_show() redraws all of it. */
void term_forget(void);

struct term_event {
	int key; /* or TOP_KEY_NONE */
	bool is_mouse;
	enum mouse mouse;
	unsigned int row, col;
};

/* Reads the next pending key or mouse event. Returns false if there is none. */
bool term_event(struct term_event *event);

#endif
