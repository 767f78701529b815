/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What ibtop knows: every RDMA object of every device at one moment, how it
 * changed since the moment before, and what follows from that (rates, peaks,
 * history, fill levels, what a QP waits for).
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
 * One thread only; nothing here prints. A failing source never ends anything:
 * cells become n/a, a message says why.
 *
 * Pointers to rows and to texts of cells are valid until the next
 * model_refresh(), model_seek() or model_free(). To keep an object chosen across
 * refreshes keep its struct row_id and find it again with model_find().
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

/* How a column's value is written. The first are those of driver/uapi/glass-columns.h. */
enum unit {
	UNIT_num,
	UNIT_hex,
	UNIT_signed, /* (int64_t)num */
	UNIT_word,   /* text: word, or words joined by '|' */
	UNIT_text,
	UNIT_ns,
	UNIT_bytes,
	UNIT_words, /* of four octets */
	UNIT_gid,   /* text */
	UNIT_ref,   /* text, device:number */
	UNIT_rate,	/* real: per second */
	UNIT_byte_rate, /* real: bytes per second */
	UNIT_fill,	/* num of max */
	UNIT_spark,	/* see row_history() */
	UNIT_mark,	/* text: "new", "gone" or nothing */
	UNIT_COUNT,
};

/* The name of a unit, as docs/debugfs.md and lib/columns.h have it */
const char *unit_word(enum unit unit);

struct column {
	const char *name;    /* as in batch output, -s, --columns, filters */
	const char *title;   /* head of the column on a screen, short */
	const char *meaning; /* a sentence without capital and full stop */
	enum unit unit;
	unsigned int width; /* on a screen, as a start; what does not fit is cut or the column widened */
	bool right;	    /* aligned to the right: numbers */
	bool shown;	    /* one of those shown unless told otherwise */
	bool computed;	    /* ibtop's own, not recorded but computed from others */
	enum view_id view;
	unsigned int index; /* COL_<VIEW>_<name> */
	int field;	    /* number in lib/fields.h for filters, or -1 */
};

struct view {
	enum view_id id;
	const char *name;  /* "qp": --view, JSON key */
	const char *title; /* "Queue pairs" */
	const char *shown; /* names of the columns shown, in their order, separated by blanks */
	const char *sorted; /* column that it is sorted by at first, '-' in front: greatest first; or "" */
	const struct column *columns;
	unsigned int num_columns;
};

/* id < VIEW_COUNT */
const struct view *view_get(enum view_id id);
/* By name; also by number "1" ... and by an unambiguous beginning. NULL: none. */
const struct view *view_find(const char *name);
/* NULL: the view has no such column. */
const struct column *column_find(const struct view *view, const char *name);

/*
 * A list of columns: names separated by commas or blanks; "+name" adds to those
 * shown by default, "-name" takes off, "all" is all. Writes up to max columns and
 * returns their number; -1 with what is wrong in error (a line without newline,
 * which names the nearest column there is).
 */
int columns_parse(const struct view *view, const char *text, const struct column **columns,
		  unsigned int max, char *error, size_t error_size);
#define COLUMNS_MAX 160

/* ---- options */

enum output { OUTPUT_TEXT, OUTPUT_JSON, OUTPUT_CSV, OUTPUT_OPENMETRICS };

/* What the command line says. main.c fills it; zero is the default everywhere but in delay_ms. */
struct options {
	bool batch;
	enum output output;
	unsigned int iterations; /* 0: without end */
	unsigned int delay_ms;	 /* between two refreshes; default 1000, 0 is allowed */
	const char *view;	 /* name, or NULL */
	const char *columns;	 /* for columns_parse(), or NULL */
	const char *sort;	 /* column, '-' in front reverses; or NULL */
	const char *filter;	 /* in the filter language, or NULL */
	const char *search;	 /* text that a row must contain, or NULL */
	const char *detail;	 /* batch: an object to tell all of, "qp glass0:0x11", or NULL */
	bool has_pid;
	uint64_t pid;		     /* follow this process */
	const char *const *devices;  /* NULL-terminated names, or NULL: all */
	const char *record, *replay; /* files, or NULL */
	const char *seek;	     /* "12" seconds from the beginning, "-12" from the end, "#3" refresh 3; NULL */
	bool ascii;		     /* no UTF-8 */
	bool color;		     /* colours may be used */
	const char *theme;	     /* for the screen: name of a colour theme, or NULL */
	const char *config;	     /* for the screen: path of the configuration file, or NULL: XDG's */
	const char *debugfs;	     /* where debugfs is; NULL: /sys/kernel/debug (tests) */
	const char *sysfs;	     /* where sysfs is; NULL: /sys (tests) */
};

/* ---- the current snapshot */

/* CLOCK_MONOTONIC (that of the recorded machine when replaying) and wall-clock of the snapshot in ns */
uint64_t model_now(const struct model *m);
uint64_t model_realtime(const struct model *m);
/* Number of refreshes so far, 1 with the first; since the one before, in ns (0 with the first: rates are n/a) */
unsigned int model_refreshes(const struct model *m);
uint64_t model_interval(const struct model *m);

/* ---- messages: what could not be read, is hidden, or failed. They change with each refresh. */

enum severity { SEVERITY_NOTE, SEVERITY_WARNING, SEVERITY_ERROR };

struct message {
	enum severity severity;
	const char *dev;  /* or NULL */
	const char *text; /* one line */
	uint64_t since;	  /* model_now() of when it began */
};

size_t model_messages(const struct model *m, const struct message **messages);

/* ---- rows */

/* What an object is, across refreshes. */
struct row_id {
	enum view_id view;
	unsigned int device; /* number of the device in this model */
	uint64_t num[2]; /* e.g. port and QPN; lint, inject, event: an own number */
	uint64_t born;	 /* time of creation when known: a number that is used again is another object */
};

enum cell_state {
	CELL_NA,    /* n/a: no source tells it (or not yet: rates of the first refresh) */
	CELL_NONE,  /* -: does not apply to this object, as a QP in RESET has no peer */
	CELL_VALUE,
};

/* A value. Which member counts is told by the column's unit. */
struct cell {
	enum cell_state state;
	enum unit unit;
	uint64_t num, max;
	double real;
	const char *text;
};

/* Any column of the row's view; a column of VIEW_TREE or VIEW_LEAK fits every row. */
struct cell row_cell(const struct model *m, const struct row *row, const struct column *column);
/* The same by name; CELL_NA when the view has no such column. */
struct cell row_cell_named(const struct model *m, const struct row *row, const char *name);
void row_id(const struct row *row, struct row_id *id);
enum view_id row_view(const struct row *row);
/* Lives in the last snapshot but not in the one before (never at the first refresh) / the other way round. */
bool row_new(const struct row *row);
bool row_gone(const struct row *row);
/* The row of this object, or NULL: it is not there any more (gone ones are not found). */
const struct row *model_find(const struct model *m, const struct row_id *id);
/* The peer's row when it is in this machine; the parent as in the tree; or NULL. */
const struct row *row_peer(const struct model *m, const struct row *row);
/* The device of this machine that a queue pair is connected to, when it has no queue pair of that number; or -1. */
int row_peer_missing(const struct model *m, const struct row *row);
const struct row *row_parent(const struct model *m, const struct row *row);

/*
 * The row that "VIEW DEVICE:NUMBER" names ("qp glass0:0x11", "qp glass0:1:2" for QP1 of port 2,
 * "device glass0", "process 812"; without "DEVICE:" when there is but one). NULL: error tells.
 */
const struct row *row_named(const struct model *m, const char *text, char *error, size_t error_size);

/*
 * The last values of a column of unit rate, byte_rate, fill (as 0..1) or spark,
 * oldest first, at most max of them; returns how many. Only what activity shows,
 * fill levels and byte rates are kept (HISTORY values each); 0 for others.
 */
#define HISTORY 64
size_t row_history(const struct model *m, const struct row *row, const struct column *column,
		   float *values, size_t max);
/* The highest value of such a column since ibtop runs (since the seek when replaying); 0 when there is none. */
double row_peak(const struct model *m, const struct row *row, const struct column *column);

/*
 * Why a view can have no rows: nothing of this machine tells of such objects ("n/a", which is
 * not the same as none). NULL when there is a source.
 */
const char *view_missing(const struct model *m, enum view_id view);
/* How many live objects a view has, unfiltered. */
size_t view_count(const struct model *m, enum view_id view);

/* ---- lists: what a screen or a batch shows */

struct query {
	enum view_id view;
	const struct column *sort; /* a column of the view, or NULL: as they come (tree: always so within a parent) */
	bool reverse;		   /* greatest first */
	const struct glass_filter *filter; /* of query_filter(), or NULL */
	const char *search; /* a row must contain this text in a column shown or in its `wait`; any case; NULL: all */
	const struct column *const *columns; /* the columns that search looks at; NULL: the shown ones */
	unsigned int num_columns;
	bool has_pid;
	uint64_t pid;	/* objects of this process alone */
	bool with_gone; /* those that went since the refresh before, too, marked gone */
	/* tree: is this row folded? NULL: none is. */
	bool (*folded)(void *arg, const struct row *row);
	void *arg;
};

struct item {
	const struct row *row;
	unsigned int depth; /* tree: 0 are devices, 1 contexts and kernel, ... */
	bool last;	    /* tree: the last one of its parent */
	bool folded;	    /* tree: has children that are not listed */
	/* tree: bit d is set when a line goes down at depth d, for drawing branches */
	uint64_t lines;
};

/* Zero it before the first use; its memory is used again by the next model_list(). */
struct list {
	struct item *items;
	size_t count, room;
};

/*
 * The rows that fit, in order. In the tree (device -> ctx -> pd -> mr, qp -> cq;
 * a CQ hangs under each QP that uses it; CQs without QP, AHs, SRQs, memory windows,
 * device memory and XRC domains where they belong) a row that fits brings its ancestors along. False: memory; the list is empty.
 */
bool model_list(struct model *m, const struct query *query, struct list *list);
void list_free(struct list *list);

/* Parses a filter for the columns of a view; free with glass_filter_free(). NULL: error tells. */
struct glass_filter *query_filter(const struct view *view, const char *text,
				  struct glass_filter_error *error);
/* "-tx_bytes_s" -> column and direction; false: no such column. Numbers sort greatest first unless '+' is in front. */
bool query_sort(const struct view *view, const char *text, const struct column **sort, bool *reverse);

/* ---- text of cells */

enum style {
	STYLE_HUMAN, /* 1.2M, 12ms, 0x11; fill as 12/64 */
	STYLE_EXACT, /* numbers in full, as in batch text and CSV: 1234567 */
};

struct format {
	enum style style;
	bool ascii; /* sparklines without UTF-8 */
};

/* Writes a NUL-terminated text and returns its length (bytes, at most size - 1). n/a and - as such. */
size_t cell_text(const struct cell *cell, const struct format *format, char *text, size_t size);
/* Writes a sparkline, one column a value, scaled by max (0: the greatest of the values). Returns its length in bytes. */
size_t spark_text(const float *values, size_t count, double max, const struct format *format,
		  char *text, size_t size);
/* <0, 0, >0 as a sorts before, like, after b; n/a and - sort before every value. */
int cell_compare(const struct cell *a, const struct cell *b);

/* ---- what one key does to the chosen object: commands for the shell, ready to run or to show */

enum action { ACTION_CAPTURE, ACTION_INJECT, ACTION_EXPLAIN };

/*
 * E.g. ACTION_CAPTURE of a QP: ibcap -f 'qpn==0x11' glass0:1. Returns the length, 0 when the
 * object or its device has no such thing (text then says why).
 */
size_t row_command(const struct model *m, const struct row *row, enum action action, char *text,
		   size_t size);

#endif
