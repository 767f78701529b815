/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The settings of the screen, and their file. The file is text with lines "key = value". Invalid
 * lines are reported and skipped.
 */
#ifndef IBTOP_SCREEN_CONFIG_H
#define IBTOP_SCREEN_CONFIG_H

#include <stdbool.h>
#include <stdio.h>

#include "ibtop/model/model.h"
#include "ibtop/screen/edit.h"
#include "ibtop/screen/theme.h"

/* X(name, default, meaning): switches */
#define TOP_SWITCHES(X)                                                                            \
	X(header, true, "totals above the table")                                                  \
	X(tabs, true, "names of the views above the table")                                        \
	X(key_bar, true, "keys at the bottom")                                                     \
	X(bars, true, "fill levels as bars")                                                       \
	X(highlight, true, "new and gone objects are highlighted")                                 \
	X(gone, true, "objects that went are shown once more")                                     \
	X(mouse, true, "mouse")                                                                    \
	X(ascii, false, "nothing but ASCII")                                                       \
	X(save_at_quit, true, "changed settings are saved at the end")

#define TOP_SWITCH_ENUM(name, ...) SWITCH_##name,
enum { TOP_SWITCHES(TOP_SWITCH_ENUM) SWITCH_COUNT };

struct switch_info {
	const char *name, *meaning;
};

/* i < SWITCH_COUNT */
const struct switch_info *switch_get(unsigned int i);

#define DELAY_MAX_MS 3600000

struct view_settings {
	const struct column *columns[COLUMNS_MAX];
	unsigned int num_columns;
	const struct column *sort; /* or NULL: unsorted */
	bool reverse;
};

struct settings {
	bool on[SWITCH_COUNT];
	enum theme theme;
	unsigned int delay_ms; /* 0: use the command line's */
	bool has_view;
	enum view_id view; /* initial view */
	struct view_settings views[VIEW_COUNT];
	struct edit_history filters, searches;
};

void settings_init(struct settings *s);
void settings_free(struct settings *s);
/* Sets columns and order of a view to their defaults. */
void settings_default_view(struct settings *s, enum view_id view);

/* Shows a fault to the user. Called once per skipped line, at most CONFIG_COMPLAINTS times. */
typedef void (*config_complain_fn)(void *arg, const char *text);
#define CONFIG_COMPLAINTS 5

/*
 * Finds the file: path if not NULL, else $XDG_CONFIG_HOME/ibtop/config or ~/.config/ibtop/config.
 * Returns false if there is no home directory or the name is too long.
 */
bool config_path(const char *path, char *text, size_t size);

/* Loads the file. Returns true if all lines are valid. A missing file is no error. */
bool config_load(struct settings *s, const char *path, config_complain_fn complain, void *arg);

/* As config_load(), from a stream. path: its name in complaints. */
bool config_read(struct settings *s, FILE *from, const char *path, config_complain_fn complain,
		 void *arg);

/* Writes the format that config_read() reads. */
void config_write(const struct settings *s, FILE *to);

/*
 * Replaces the file atomically and makes its directories. Returns false with the reason in error.
 */
bool config_save(const struct settings *s, const char *path, char *error, size_t error_size);

#endif
