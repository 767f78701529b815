/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The screen without a terminal: it takes keys and fills a canvas. For actions that need the
 * terminal or the system (quit, run a command) it returns a request.
 */
#ifndef IBTOP_SCREEN_STATE_H
#define IBTOP_SCREEN_STATE_H

#include <limits.h>
#include <stdbool.h>

#include "ibtop/model/model.h"
#include "ibtop/screen/canvas.h"
#include "ibtop/screen/config.h"
#include "ibtop/screen/edit.h"
#include "ibtop/screen/keys.h"

#define SCREEN_MIN_ROWS 8
#define SCREEN_MIN_COLS 40

enum request {
	REQUEST_NONE,
	REQUEST_QUIT,
	REQUEST_RUN,	 /* run screen.run_command outside of the screen */
	REQUEST_REFRESH, /* refresh now */
	REQUEST_SHOW,	 /* the model is at another snapshot: call screen_refreshed() only */
	REQUEST_REDRAW,	 /* the terminal's contents are unknown */
};

enum mouse { MOUSE_PRESS, MOUSE_WHEEL_UP, MOUSE_WHEEL_DOWN };

/* ---- a set of objects: the folded ones */

struct id_set {
	struct row_id *ids;
	size_t count, room;
};

void id_set_free(struct id_set *set);

/* ---- a view: the user's changes to it */

struct view_state {
	size_t cursor, top; /* rows of the list */
	unsigned int skipped; /* columns scrolled off to the left */
	bool held;	      /* the cursor follows the object `chosen` when it moves */
	struct row_id chosen;
	struct glass_filter *filter; /* or NULL */
	char *filter_text;
	unsigned char widest[COLUMNS_MAX]; /* widest text seen, by the column's index */
};

/* ---- pages of text: help, messages, details of an object, its story and diagram */

/* those from PAGER_DETAIL on are about the object `id` */
enum pager_kind { PAGER_NONE, PAGER_HELP, PAGER_MESSAGES, PAGER_DETAIL, PAGER_STORY, PAGER_DIAGRAM };

struct text_line {
	enum role key_role, role;
	unsigned int indent; /* of text */
	char *key, *text;    /* or NULL */
};

struct text_lines {
	struct text_line *lines;
	size_t count, room;
};

struct pager {
	enum pager_kind kind;
	char title[160];
	struct text_lines left, right; /* right: the peer, if there is room beside */
	size_t top, found; /* found: the line of the last match */
	unsigned int width; /* the width that it was laid out for; 0: lay out again */
	struct row_id id;
	struct told *told; /* PAGER_STORY, PAGER_DIAGRAM; it owns it */
};

/* ---- menus */

enum menu_kind {
	MENU_NONE,
	MENU_VIEWS,
	MENU_SORT,
	MENU_COLUMNS,
	MENU_SETUP,
	MENU_SIGNALS,
};

struct menu_item {
	char label[48];
	char more[120];
	int value;
	const struct column *column;
	bool marked;
};

#define MENU_ITEMS COLUMNS_MAX

struct menu {
	enum menu_kind kind;
	const char *title, *hint;
	struct menu_item items[MENU_ITEMS];
	unsigned int count, cursor, top;
	char typed[32]; /* typed prefix of an item */
	/* its position on the screen, for the mouse */
	unsigned int row, col, rows, cols;
};

/* ---- input lines and questions */

enum prompt_kind {
	PROMPT_NONE,
	PROMPT_SEARCH,
	PROMPT_FILTER,
	PROMPT_PID,
	PROMPT_SEEK,
	PROMPT_DELAY,
	PROMPT_RUN,
};

struct prompt {
	enum prompt_kind kind;
	const char *label;
	struct edit edit;
	char error[256];
	bool has_place; /* the error has a place: bytes of the text */
	size_t at, len;
};

/*
 * "Send SIGTERM to ...?" Holds a pidfd, because another process may reuse the pid before the
 * answer.
 */
struct question {
	bool open;
	int signal, pidfd;
	uint64_t pid;
	char text[200];
};

/* ---- totals of all devices */

struct totals {
	unsigned int devices, ports, active, processes;
	uint64_t qps, err_qps, stuck_qps, cqs, mrs;
	bool has_rates;
	double tx, rx, retries, rnr, drops, tx_peak, rx_peak;
	float tx_history[HISTORY], rx_history[HISTORY];
	size_t tx_count, rx_count;
};

/* ---- the whole screen */

struct placed { /* a column on the screen */
	const struct column *column;
	unsigned int col, width;
};

struct screen {
	struct model *model;
	const struct options *options;
	struct settings settings;
	bool settings_changed; /* a setting that the file stores */
	bool config_bad;       /* the file has invalid lines: replace it only on an explicit save */
	char config_path[PATH_MAX];
	/*
	 * Changes by the command line apply only to this run: the configured values are saved
	 * instead.
	 */
	enum view_id option_view;
	struct view_settings option_settings, configured_settings;
	enum theme option_theme, configured_theme;
	bool color; /* the terminal has colours and may use them */

	enum view_id view, view_before;
	struct view_state views[VIEW_COUNT];
	struct list list; /* rows of the current view */
	bool stale;	  /* the list must be rebuilt */
	struct id_set folds;
	bool fold_all; /* inverts folds: they are the unfolded objects */
	bool has_pid;
	uint64_t pid;
	char search[256];
	bool only_matches;
	/* the filter of the ports of the fabric is that of object_ports(), called in that view */
	bool ports_chosen;
	enum view_id ports_before;
	bool paused, at_end;

	struct pager pager;
	struct menu menu;
	struct prompt prompt;
	struct question question;
	char notice[600];
	enum severity notice_severity;
	char run_command[EDIT_MAX * 4 + 1];
	struct totals totals;
	struct list scratch;

	/* results of the last drawing, for paging and the mouse */
	unsigned int head_row, table_row, table_rows, tabs_row;
	struct placed placed[COLUMNS_MAX];
	unsigned int num_placed;
	bool more_columns; /* to the right */
	unsigned short tab_col[VIEW_COUNT], tab_width[VIEW_COUNT];
	unsigned short bar_col[COMMAND_COUNT], bar_width[COMMAND_COUNT];
	unsigned int bar_row, rows, cols;
};

/*
 * The interface for screen.c. screen_init() returns false, with the reason in error, if the command
 * line's options are impossible.
 */
bool screen_init(struct screen *s, struct model *m, const struct options *options, char *error,
		 size_t error_size);
void screen_free(struct screen *s);
/* Call it after the model has taken a new snapshot. */
void screen_refreshed(struct screen *s);
enum request screen_key(struct screen *s, int key);
enum request screen_mouse(struct screen *s, enum mouse what, unsigned int row, unsigned int col);
void screen_draw(struct screen *s, struct canvas *c);
/*
 * Returns the ms from the end of a refresh, which took took_ms, to the next one; -1: wait for a
 * key.
 */
int screen_wait_ms(const struct screen *s, unsigned int took_ms);
/* Saves the settings if this is configured. Returns false with the reason in error. */
bool screen_save_at_quit(struct screen *s, char *error, size_t error_size);

/* state.c */
void screen_notice(struct screen *s, enum severity severity, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Writes the configuration file and shows a notice. */
void screen_save(struct screen *s);
struct format screen_format(const struct screen *s);
enum theme screen_theme(const struct screen *s);
bool screen_ascii(const struct screen *s);

/* view.c */
void view_show(struct screen *s, enum view_id view);
void view_toggle(struct screen *s, enum view_id view);
/* Rebuilds the list if needed, and places the cursor. */
void view_update(struct screen *s);
void view_move_to(struct screen *s, size_t row);
void view_move(struct screen *s, long rows);
/* Returns the selected row, or NULL. */
const struct row *view_chosen(struct screen *s);
/* Selects an object in its view. Returns false if it is not listed. */
bool view_choose(struct screen *s, const struct row_id *id);
void view_search(struct screen *s, int direction, bool from_here);
void view_fold(struct screen *s, bool fold);
void view_fold_all(struct screen *s);
/* Sets the filter; an empty text removes it. Returns false with the reason in error. */
bool view_filter(struct screen *s, const char *text, struct glass_filter_error *error);
/* Does the text contain the search text? */
bool text_matches(const struct screen *s, const char *text);
void view_columns_changed(struct screen *s);

/* table.c */
void table_draw(struct screen *s, struct canvas *c, unsigned int row, unsigned int rows);

/* header.c */
void totals_update(struct screen *s);
unsigned int header_draw(struct screen *s, struct canvas *c);
void key_bar_draw(struct screen *s, struct canvas *c, unsigned int row);

/* pager.c */
void pager_open(struct screen *s, enum pager_kind kind, const struct row *row);
void pager_close(struct screen *s);
bool pager_key(struct screen *s, int key);
void pager_search(struct screen *s, int direction, bool from_here);
/* Sets the title: the name of the object, and what is told of it. */
void pager_title(struct screen *s, const struct row *row, const char *what);
/* Adds a line: key, then from the column indent on text. key may be NULL. */
void text_lines_put(struct text_lines *t, const char *key, unsigned int indent, enum role role,
		    const char *text);
void pager_draw(struct screen *s, struct canvas *c, unsigned int row, unsigned int rows);

/* menu.c */
void menu_open(struct screen *s, enum menu_kind kind);
void menu_key(struct screen *s, int key, enum request *request);
void menu_draw(struct screen *s, struct canvas *c);

/* prompt.c */
void prompt_open(struct screen *s, enum prompt_kind kind, const char *text);
void prompt_key(struct screen *s, int key, enum request *request);
/* Draws the prompt or question at the bottom. Returns the rows that it uses. */
unsigned int prompt_draw(struct screen *s, struct canvas *c);
void question_kill(struct screen *s, int signal);
void question_key(struct screen *s, int key);
void question_close(struct screen *s);

/* story.c */
/*
 * Shows why a queue pair failed, or what it waits for if it is stuck. Returns false if it is neither, or after
 * a notice if there is no story.
 */
bool story_open(struct screen *s, const struct row *row);
/* Shows the packets before the failure of the chosen object, or of that in the pane. */
void story_diagram(struct screen *s);
/* Fills the lines of a pane with a story. */
void story_make(struct screen *s, struct text_lines *t, unsigned int width);

/* object.c: returns the object in the pane, else the selected row, or NULL */
const struct row *object_row(struct screen *s);
void object_command(struct screen *s, enum action action);
void object_go_to_peer(struct screen *s);
void object_follow(struct screen *s);
/* Shows the ports of the fabric that the object has; if only they are shown, goes back. */
void object_ports(struct screen *s);
/* Returns its process; false, after a notice, if it has none. */
bool object_pid(struct screen *s, uint64_t *pid, char *comm, size_t size);

#endif
