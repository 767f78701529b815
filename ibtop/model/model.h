/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ibtop's data: every RDMA object of every device at one moment, its changes since the previous
 * moment, and derived values (rates, peaks, history, fill levels, what a QP waits for).
 *
 *	struct model *m = model_open(&options, &error);
 *	while (...) {
 *		model_refresh(m);              // or wait, then refresh
 *		model_list(m, &query, &list);  // rows of a view: filtered, sorted, or as a tree
 *		for (i = 0; i < list.count; i++)
 *			cell_text(row_cell(m, list.items[i].row, column), &format, buf, sizeof(buf));
 *	}
 *
 * refresh/refresh.h opens, refreshes and frees a model.
 *
 * Use a model from one thread only. Nothing here prints. If a source fails, the model continues:
 * its cells become n/a, and a message gives the reason.
 *
 * Pointers to rows and to texts of cells stay valid until the next model_refresh(), model_seek() or
 * model_free(). To keep an object selected across refreshes, keep its struct row_id and call
 * model_find().
 */
#ifndef IBTOP_MODEL_MODEL_H
#define IBTOP_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "ibtop/model/columns.h"
#include "lib/fields.h"
#include "lib/filter.h"

struct model;
struct row;

/* ---- views and columns (static: valid without a model) */

/* Format of a column's value. The first ones come from driver/uapi/glass-columns.h. */
enum unit {
	UNIT_num,
	UNIT_hex,
	UNIT_signed, /* (int64_t)num */
	UNIT_word,   /* text: word, or words joined by '|' */
	UNIT_text,
	UNIT_ns,
	UNIT_bytes,
	UNIT_words, /* in units of four octets */
	UNIT_gid,   /* text */
	UNIT_ref,   /* text, device:number */
	UNIT_rate,	/* real: per second */
	UNIT_byte_rate, /* real: bytes per second */
	UNIT_fill,	/* num of max */
	UNIT_spark,	/* see row_history() */
	UNIT_mark,	/* text: "new", "gone" or empty */
	UNIT_COUNT,
};

/* Returns the name of a unit, as in docs/debugfs.md and lib/columns.h. */
const char *unit_word(enum unit unit);

struct column {
	const char *name;    /* as in batch output, -s, --columns, filters */
	const char *title;   /* short heading on a screen */
	const char *meaning; /* a sentence without capital letter and full stop */
	enum unit unit;
	unsigned int width; /* initial width on a screen; wider text is cut, or widens the column */
	bool right;	    /* aligned to the right: numbers */
	bool shown;	    /* shown by default */
	bool computed;	    /* ibtop computes it; it is not recorded */
	enum view_id view;
	unsigned int index; /* COL_<VIEW>_<name> */
	int field;	    /* number in lib/fields.h for filters, or -1 */
};

struct view {
	enum view_id id;
	const char *name;  /* "qp": --view, JSON key */
	const char *title; /* "Queue pairs" */
	const char *shown; /* default columns in order, separated by blanks */
	const char *sorted; /* default sort column, with '-' for greatest first; or "" */
	const struct column *columns;
	unsigned int num_columns;
};

/* id < VIEW_COUNT */
const struct view *view_get(enum view_id id);
/*
 * Finds a view by name, by number "1" ..., or by an unambiguous prefix. Returns NULL if there is
 * none.
 */
const struct view *view_find(const char *name);
/* Writes why view_find() finds no view of this name, and what to do. */
void view_explain(const char *name, char *text, size_t size);
/* Returns NULL if the view has no such column. */
const struct column *column_find(const struct view *view, const char *name);

/*
 * Parses a list of columns, separated by commas or blanks. "+name" adds to the default ones,
 * "-name" removes, "all" selects all. Stores up to max columns and returns their number. On error
 * returns -1, with a line without newline in error that suggests the nearest column.
 */
int columns_parse(const struct view *view, const char *text, const struct column **columns,
		  unsigned int max, char *error, size_t error_size);
#define COLUMNS_MAX 160

/* ---- options */

enum output { OUTPUT_TEXT, OUTPUT_JSON, OUTPUT_CSV, OUTPUT_OPENMETRICS };

/*
 * The command line's settings, filled by options_parse(). Zero is the default, except for delay_ms.
 */
struct options {
	bool batch;
	enum output output;
	unsigned int iterations; /* 0: no limit */
	unsigned int delay_ms;	 /* between two refreshes; default 1000, 0 is allowed */
	const char *view;	 /* name, or NULL */
	const char *columns;	 /* for columns_parse(), or NULL */
	const char *sort;	 /* column, '-' in front reverses; or NULL */
	const char *filter;	 /* in the filter language, or NULL */
	const char *search;	 /* text that a row must contain, or NULL */
	const char *detail;	 /* batch: object to show in detail, "qp glass0:0x11", or NULL */
	bool has_pid;
	uint64_t pid;		     /* follow this process */
	const char *const *devices;  /* NULL-terminated names, or NULL: all */
	const char *record, *replay; /* files, or NULL */
	const char *seek;	     /* "12" seconds from the beginning, "-12" from the end, "#3" refresh 3; NULL */
	bool ascii;		     /* do not use UTF-8 */
	bool color;		     /* colours may be used */
	const char *theme;	     /* for the screen: name of a colour theme, or NULL */
	const char *config;	     /* for the screen: path of the configuration file, or NULL: XDG's */
	const char *debugfs;	     /* path of debugfs; NULL: /sys/kernel/debug (for tests) */
	const char *sysfs;	     /* path of sysfs; NULL: /sys (for tests) */
};

/* ---- the current snapshot */

/*
 * Times of the snapshot in ns: CLOCK_MONOTONIC (of the recorded machine when replaying), and
 * wall-clock.
 */
uint64_t model_now(const struct model *m);
uint64_t model_realtime(const struct model *m);
/* Number of refreshes, from 1; and ns since the previous one (0 at the first: rates are n/a) */
unsigned int model_refreshes(const struct model *m);
uint64_t model_interval(const struct model *m);

/* ---- messages: data that is unreadable or hidden, and failures. They change with each refresh. */

enum severity { SEVERITY_NOTE, SEVERITY_WARNING, SEVERITY_ERROR };

struct message {
	enum severity severity;
	const char *dev;  /* or NULL */
	const char *text; /* one line */
	uint64_t since;	  /* model_now() of its first refresh */
};

size_t model_messages(const struct model *m, const struct message **messages);

/* ---- rows */

/* Identity of an object across refreshes */
struct row_id {
	enum view_id view;
	unsigned int device; /* index of the device in this model */
	uint64_t num[2]; /* e.g. port and QPN; lint, inject and event have their own */
	uint64_t born;	 /* creation time if known, because numbers are reused */
};

enum cell_state {
	CELL_NA,    /* n/a: no source has it (or not yet: rates at the first refresh) */
	CELL_NONE,  /* -: does not apply to this object: a QP in RESET has no peer */
	CELL_VALUE,
};

/* A value. The column's unit determines the valid member. */
struct cell {
	enum cell_state state;
	enum unit unit;
	uint64_t num, max;
	double real;
	const char *text;
};

/* Reads a column of the row's view. Columns of VIEW_TREE and VIEW_LEAK work for every row. */
struct cell row_cell(const struct model *m, const struct row *row, const struct column *column);
/* As row_cell(), by name. Returns CELL_NA if the view has no such column. */
struct cell row_cell_named(const struct model *m, const struct row *row, const char *name);
void row_id(const struct row *row, struct row_id *id);
enum view_id row_view(const struct row *row);
/*
 * Is the object only in the current snapshot (never at the first refresh), or only in the previous
 * one?
 */
bool row_new(const struct row *row);
bool row_gone(const struct row *row);
/* Returns the object's row in the current snapshot, or NULL if it is gone. */
const struct row *model_find(const struct model *m, const struct row_id *id);
/* Return the peer's row if it is on this machine, or the parent's in the tree; otherwise NULL. */
const struct row *row_peer(const struct model *m, const struct row *row);
/*
 * If the QP's peer is a device of this machine that lacks the peer's QPN, returns this device;
 * otherwise -1.
 */
int row_peer_missing(const struct model *m, const struct row *row);
const struct row *row_parent(const struct model *m, const struct row *row);

/*
 * Returns the view in "VIEW OBJECT", and sets *object to the rest. Returns NULL if there is no such view
 * of objects, or no rest.
 */
const struct view *view_named(const char *text, const char **object);
/*
 * Finds the row for "VIEW DEVICE:NUMBER" ("qp glass0:0x11", "qp glass0:1:2" for QP1 of port 2,
 * "device glass0", "process 812"). "DEVICE:" may be omitted if the number is unambiguous. Returns
 * NULL with the reason in error.
 */
const struct row *row_named(const struct model *m, const char *text, char *error, size_t error_size);

/*
 * Copies the latest values of a column of unit rate, byte_rate, fill (as 0..1) or spark, oldest
 * first, at most max. Returns their number. Only activity, fill levels and byte rates have a
 * history, of HISTORY values; other columns return 0.
 */
#define HISTORY 64
size_t row_history(const struct model *m, const struct row *row, const struct column *column,
		   float *values, size_t max);
/*
 * Returns the highest value of such a column since ibtop started (since the seek when replaying),
 * or 0.
 */
double row_peak(const struct model *m, const struct row *row, const struct column *column);

/*
 * Returns why a view cannot have rows: no source on this machine knows such objects ("n/a", which
 * differs from having none). Returns NULL if there is a source.
 */
const char *view_missing(const struct model *m, enum view_id view);
/* Returns the number of live objects of a view, unfiltered. */
size_t view_count(const struct model *m, enum view_id view);

/* ---- lists: rows for a screen or a batch */

struct query {
	enum view_id view;
	const struct column *sort; /* a column of the view; NULL: unsorted; trees sort siblings */
	bool reverse;		   /* greatest first */
	const struct glass_filter *filter; /* from query_filter(), or NULL */
	const char *search; /* text in a shown column or in `wait`, in any case; NULL: all rows */
	const struct column *const *columns; /* columns to search; NULL: the default ones */
	unsigned int num_columns;
	bool has_pid;
	uint64_t pid;	/* only objects of this process */
	bool with_gone; /* include objects gone since the previous refresh, marked gone */
	/* tree: is this row folded? NULL: none is */
	bool (*folded)(void *arg, const struct row *row);
	void *arg;
};

struct item {
	const struct row *row;
	unsigned int depth; /* tree: 0 for devices, 1 for contexts and kernel, ... */
	bool last;	    /* tree: the last child of its parent */
	bool folded;	    /* tree: has hidden children */
	/* tree: bit d is set if a line continues at depth d, for drawing branches */
	uint64_t lines;
};

/* Zero it before the first use. The next model_list() reuses its memory. */
struct list {
	struct item *items;
	size_t count, room;
};

/*
 * Lists the matching rows in order. The tree is device -> ctx -> pd -> mr, qp -> cq. A CQ is below
 * each QP that uses it. CQs without a QP, AHs, SRQs, memory windows, device memory and XRC domains
 * are below their owners. A matching row of the tree includes its ancestors. Returns false if out
 * of memory, with an empty list.
 */
bool model_list(struct model *m, const struct query *query, struct list *list);
void list_free(struct list *list);

/*
 * Parses a filter on the columns of a view. Free it with glass_filter_free(). Returns NULL with the
 * reason in error.
 */
struct glass_filter *query_filter(const struct view *view, const char *text,
				  struct glass_filter_error *error);
/*
 * Parses "-tx_bytes_s" to column and direction. Numbers sort greatest first unless preceded by '+'.
 * Returns false if there is no such column.
 */
bool query_sort(const struct view *view, const char *text, const struct column **sort, bool *reverse);

/* ---- text of cells */

enum style {
	STYLE_HUMAN, /* 1.2M, 12ms, 0x11; fill as 12/64 */
	STYLE_EXACT, /* full numbers, as in batch text and CSV: 1234567 */
};

struct format {
	enum style style;
	bool ascii; /* no UTF-8 in sparklines */
};

/*
 * Writes a NUL-terminated text, also for n/a and -. Returns its length in bytes, at most size - 1.
 */
size_t cell_text(const struct cell *cell, const struct format *format, char *text, size_t size);
/*
 * Writes a sparkline with a column per value, scaled to max (0: to the greatest value). Returns its
 * length in bytes.
 */
size_t spark_text(const float *values, size_t count, double max, const struct format *format,
		  char *text, size_t size);
/* Compares for sorting: <0, 0 or >0. n/a and - sort before all values. */
int cell_compare(const struct cell *a, const struct cell *b);

/* ---- shell commands for the selected object, to run or to show */

enum action { ACTION_CAPTURE, ACTION_INJECT, ACTION_EXPLAIN };

/*
 * Makes a command: ACTION_CAPTURE of a QP gives ibcap -f 'qpn==0x11' glass0:1. Returns its length,
 * or 0 with the reason in text if the object or its device does not support the action.
 */
size_t row_command(const struct model *m, const struct row *row, enum action action, char *text,
		   size_t size);

#endif
