/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The screen without a terminal: keys go in, a canvas comes out. What only a
 * terminal or the system can do (end, run a command) is asked for with a request.
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
	REQUEST_RUN,	 /* screen.run_command, outside of the screen */
	REQUEST_REFRESH, /* now */
	REQUEST_SHOW,	 /* the model went to another snapshot: screen_refreshed(), no model_refresh() */
	REQUEST_REDRAW,	 /* the terminal may show something else */
};

enum mouse { MOUSE_PRESS, MOUSE_WHEEL_UP, MOUSE_WHEEL_DOWN };

/* ---- a set of objects: which ones are folded */

struct id_set {
	struct row_id *ids;
	size_t count, room;
};

void id_set_free(struct id_set *set);

/* ---- a view: what the user did with it */

struct view_state {
	size_t cursor, top; /* rows of the list */
	unsigned int skipped; /* columns that were scrolled away */
	bool held;	      /* the cursor stays on the object `chosen`, wherever that goes */
	struct row_id chosen;
	struct glass_filter *filter; /* or NULL */
	char *filter_text;
	unsigned char widest[COLUMNS_MAX]; /* widest text seen, by a column's index */
};

/* ---- text to page through: help, messages, one object in full */

enum pager_kind { PAGER_NONE, PAGER_HELP, PAGER_MESSAGES, PAGER_DETAIL };

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
	struct text_lines left, right; /* right: the peer, when there is room beside */
	size_t top, found; /* found: the line that was searched for */
	unsigned int width; /* that it was made for; 0: make it anew */
	struct row_id id;   /* PAGER_DETAIL */
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
	char typed[32]; /* to go to an item */
	/* where it was drawn, for the mouse */
	unsigned int row, col, rows, cols;
};

/* ---- a line that is asked for, and questions */

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
	bool has_place; /* of the error: bytes of the text */
	size_t at, len;
};

/* "Send SIGTERM to ...?" The process is held by its file descriptor: its number may be another's when the answer comes. */
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

/* ---- all of it */

struct placed { /* a column on the screen */
	const struct column *column;
	unsigned int col, width;
};

struct screen {
	struct model *model;
	const struct options *options;
	struct settings settings;
	bool settings_changed; /* something that the file keeps */
	bool config_bad;       /* the file was not understood: it is not replaced without being told to */
	char config_path[PATH_MAX];
	/* What the command line changed for this time alone, and what was configured: the latter is what is saved */
	enum view_id option_view;
	struct view_settings option_settings, configured_settings;
	enum theme option_theme, configured_theme;
	bool color; /* the terminal has colours and may use them */

	enum view_id view, view_before;
	struct view_state views[VIEW_COUNT];
	struct list list; /* of the view shown */
	bool stale;	  /* the list is to be made anew */
	struct id_set folds;
	bool fold_all; /* folds are those that are not folded */
	bool has_pid;
	uint64_t pid;
	char search[256];
	bool only_matches;
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

	/* what the last drawing found: for paging and the mouse */
	unsigned int head_row, table_row, table_rows, tabs_row;
	struct placed placed[COLUMNS_MAX];
	unsigned int num_placed;
	bool more_columns; /* to the right */
	unsigned short tab_col[VIEW_COUNT], tab_width[VIEW_COUNT];
	unsigned short bar_col[COMMAND_COUNT], bar_width[COMMAND_COUNT];
	unsigned int bar_row, rows, cols;
};

/* screen.c's side. False: what the command line asks for cannot be done; error tells. */
bool screen_init(struct screen *s, struct model *m, const struct options *options, char *error,
		 size_t error_size);
void screen_free(struct screen *s);
/* The model has a new snapshot. */
void screen_refreshed(struct screen *s);
enum request screen_key(struct screen *s, int key);
enum request screen_mouse(struct screen *s, enum mouse what, unsigned int row, unsigned int col);
void screen_draw(struct screen *s, struct canvas *c);
/* How long to wait from the end of a refresh, which took so long, to the next, in ms; -1: until a key. */
int screen_wait_ms(const struct screen *s, unsigned int took_ms);
/* Saves the settings if that is wanted. False: error tells. */
bool screen_save_at_quit(struct screen *s, char *error, size_t error_size);

/* state.c */
void screen_notice(struct screen *s, enum severity severity, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Writes the configuration file and tells so. */
void screen_save(struct screen *s);
struct format screen_format(const struct screen *s);
enum theme screen_theme(const struct screen *s);
bool screen_ascii(const struct screen *s);

/* view.c */
void view_show(struct screen *s, enum view_id view);
void view_toggle(struct screen *s, enum view_id view);
/* Brings the list up to date and the cursor to where it belongs. */
void view_update(struct screen *s);
void view_move_to(struct screen *s, size_t row);
void view_move(struct screen *s, long rows);
/* The chosen row, or NULL */
const struct row *view_chosen(struct screen *s);
/* Chooses an object, in its view; false: it is not shown. */
bool view_choose(struct screen *s, const struct row_id *id);
void view_search(struct screen *s, int direction, bool from_here);
void view_fold(struct screen *s, bool fold);
void view_fold_all(struct screen *s);
/* False: it is no filter; error tells. An empty one takes it off. */
bool view_filter(struct screen *s, const char *text, struct glass_filter_error *error);
/* Does the column's text have what was searched for? */
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
void pager_draw(struct screen *s, struct canvas *c, unsigned int row, unsigned int rows);

/* menu.c */
void menu_open(struct screen *s, enum menu_kind kind);
void menu_key(struct screen *s, int key, enum request *request);
void menu_draw(struct screen *s, struct canvas *c);

/* prompt.c */
void prompt_open(struct screen *s, enum prompt_kind kind, const char *text);
void prompt_key(struct screen *s, int key, enum request *request);
/* Draws prompt or question at the bottom; returns how many rows that took. */
unsigned int prompt_draw(struct screen *s, struct canvas *c);
void question_kill(struct screen *s, int signal);
void question_key(struct screen *s, int key);
void question_close(struct screen *s);

/* object.c: the object that the pane shows, else the chosen row; or NULL */
const struct row *object_row(struct screen *s);
void object_command(struct screen *s, enum action action);
void object_go_to_peer(struct screen *s);
void object_follow(struct screen *s);
/* Its process: false, with a notice, when it has none. */
bool object_pid(struct screen *s, uint64_t *pid, char *comm, size_t size);

#endif
