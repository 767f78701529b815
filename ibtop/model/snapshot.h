/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Internals of the model: the memory of a snapshot. Sources (source/) fill the rows of the current
 * snapshot. compute.c adds values derived from it and the previous snapshot.
 *
 * Two snapshots alternate and keep their memory: a refresh with unchanged objects allocates
 * nothing.
 */
#ifndef IBTOP_MODEL_SNAPSHOT_H
#define IBTOP_MODEL_SNAPSHOT_H

#include <stdarg.h>

#include "ibtop/model/model.h"
#include "lib/debugfs/table.h"
#include "lib/debugfs/text.h"
#include "lib/printable.h"

#define NS_PER_SEC 1000000000ULL
#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* Limit for columns of a view: bits in a row's two words */
#define ROW_COLUMNS 128

/* Text with the lifetime of a snapshot */
struct pool {
	struct pool_block *first, *block;
	size_t used; /* bytes used of block */
};

char *pool_copy(struct pool *a, const char *text, size_t len); /* with NUL; NULL: no memory */
void pool_reset(struct pool *a);				  /* keeps the memory */
void pool_free(struct pool *a);

/* Data about an object for its whole lifetime */
struct track {
	uint64_t moved;	   /* model_now() of its last progress, or of its first sight */
	uint64_t moved_sum; /* hash of all progress counters, to detect changes */
	int64_t first;	   /* processes, contexts: number of objects at first sight */
	/* for each series of the view its peak, then HISTORY values; NULL while all are 0 */
	float *history;
	float *spare; /* memory for history */
	unsigned int born; /* refresh of its first sight */
	struct track *next; /* free list */
};

union value {
	uint64_t num;
	double real;
	const char *text;
	struct {
		uint32_t used, max;
	} fill;
};

#define ROW_GONE 0x1 /* previous snapshot: not in the current one */
#define ROW_NEW	 0x2

struct row {
	enum view_id view;
	uint8_t flags;
	uint16_t dev; /* index into model.devices, or NO_DEVICE */
	uint64_t num[2], born;
	uint64_t taken; /* time of its values, CLOCK_MONOTONIC */
	struct row *before;
	struct track *track;
	const char *object; /* its name in the tree, computed on demand */
	struct row *longest; /* of a process: the QP that is stuck longest */
	uint64_t has[ROW_COLUMNS / 64], none[ROW_COLUMNS / 64];
	union value v[]; /* num_columns of the view */
};

#define NO_DEVICE 0xffff

struct table {
	enum view_id view;
	size_t row_size, count, room; /* in rows */
	char *memory;
	uint32_t *hash; /* index + 1 of rows by identity; built on demand */
	size_t hash_size;
	bool hashed;
};

struct snapshot {
	uint64_t mono, real;
	struct pool pool;
	struct table tables[VIEW_COUNT];
};

struct layout;

/* A device keeps its index and its name once it was seen. */
struct device {
	char name[64];
	bool present; /* in this refresh */
	bool was;	  /* in the previous one */
	bool glass;	  /* it has, or had, a directory in Glass' debugfs */
	bool tables;	  /* this refresh read the tables of debugfs */
	bool had_tables;  /* the previous one did */
	int index;	  /* number in rdma netlink, or -1 */
	unsigned int ports;
	char driver[32]; /* "" while unknown */
	char fw[64], node_type[16];
	uint64_t node_guid;
	bool has_guid;
	unsigned int sources; /* bits of enum source */
	char failed[160];	  /* the failure in this refresh, or "" */
	struct layout *layouts[VIEW_COUNT]; /* of debugfs' files, by view */
	uint64_t seen_drop, seen_fired; /* last sequence numbers read from droplog and journal */
	bool drop_known, fired_known;
};

enum source { SOURCE_NETLINK = 1, SOURCE_SYSFS = 2, SOURCE_DEBUGFS = 4 };

#define MAX_DEVICES 1024
#define MAX_EVENTS 1000

struct event {
	uint64_t seq, when, num, pid;
	unsigned int refresh; /* in which ibtop noticed it */
	bool has_num, has_pid;
	int dev;
	const char *what, *kind; /* constants */
	uint64_t key, count; /* of similar drops: hash of their common values, and their number */
	char comm[20];
	char text[160];
};

struct record; /* record/record.c */
struct replay; /* record/replay.c */
struct netlink; /* source/netlink.c */

struct model {
	const struct options *options;
	struct snapshot snapshots[2], *now, *before; /* before: NULL at the first refresh */
	unsigned int refreshes;
	uint64_t started; /* start of the last refresh, CLOCK_MONOTONIC */
	uint32_t known; /* bit for each view that had a source in this refresh */
	uint32_t known_before; /* in the previous one */
	uint32_t wanted; /* bit for each view that is read on demand and was wanted */
	uint32_t asked;	 /* bit for each that this refresh tried to read */
	struct layout *layouts[VIEW_COUNT]; /* of debugfs' files that belong to no device */
	struct device *devices;
	size_t num_devices;
	struct message *messages;
	size_t num_messages, room_messages;
	struct message *messages_before;
	size_t num_messages_before, room_messages_before;
	struct track *free_tracks[VIEW_COUNT];
	struct event *events; /* ring of MAX_EVENTS */
	uint64_t num_events;  /* total so far */
	struct debugfs_file file; /* of debugfs, the last one read */
	struct netlink *netlink;
	struct record *record;
	struct replay *replay;
	unsigned int frame; /* index in replay */
	const char *debugfs, *sysfs;
	bool no_memory;
};

/* ---- model.c */

/*
 * Adds an empty row. Returns NULL if out of memory, after a message. Rows may move: do not keep
 * pointers to them across calls.
 */
struct row *table_add(struct model *m, enum view_id view, int dev);
static inline struct row *table_row(const struct table *t, size_t i)
{
	return (struct row *)(t->memory + i * t->row_size);
}
/*
 * Sets the row's identity from its cells. Sources call it on a complete row. Returns false if cells
 * are missing.
 */
bool row_identify(struct model *m, struct row *row);
/* Removes the row that was added last. */
void table_drop_last(struct table *t);
/* Returns the number that stands for a name in the identity of a row. */
uint64_t name_number(const char *text, size_t len);
/* Finds a row by identity. Returns NULL if there is none. born 0 matches any. */
struct row *table_find(struct table *t, int dev, uint64_t num0, uint64_t num1, uint64_t born);

static inline bool row_has(const struct row *r, unsigned int column)
{
	return r->has[column / 64] >> (column % 64) & 1;
}

static inline bool row_none(const struct row *r, unsigned int column)
{
	return r->none[column / 64] >> (column % 64) & 1;
}

static inline void row_set_none(struct row *r, unsigned int column)
{
	r->none[column / 64] |= 1ULL << (column % 64);
}

static inline union value *row_set(struct row *r, unsigned int column)
{
	r->has[column / 64] |= 1ULL << (column % 64);
	return &r->v[column];
}

static inline void row_num(struct row *r, unsigned int column, uint64_t value)
{
	row_set(r, column)->num = value;
}

static inline void row_real(struct row *r, unsigned int column, double value)
{
	row_set(r, column)->real = value;
}

/* text must live as long as the snapshot: a constant, or from its pool */
static inline void row_word(struct row *r, unsigned int column, const char *text)
{
	row_set(r, column)->text = text;
}

/* copies the text; if out of memory, the cell stays n/a */
void row_text(struct model *m, struct row *r, unsigned int column, const char *text);
void row_textf(struct model *m, struct row *r, unsigned int column, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Finds a column by its name. Returns -1 if the view has none. */
int view_column(enum view_id view, const char *name);

/* Adds a message of this refresh. A message that also was in the previous one keeps its time. */
void tell(struct model *m, enum severity severity, const char *dev, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* Finds or adds the device of this name. Returns -1 if out of memory or if there are too many. */
int device_get(struct model *m, const char *name);
bool device_wanted(const struct model *m, const char *name);
void device_failed(struct model *m, int dev, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Returns clock_gettime() in ns. */
uint64_t clock_now(int clock);
/* Adds an event. The caller fills in the other members of the result. */
struct event *event_add(struct model *m, uint64_t when, const char *what, int dev);


/* ---- parse.c: rows of debugfs, tested with hostile input */

struct layout {
	struct debugfs_columns columns;
	int column[DEBUGFS_COLUMNS]; /* columns of the view, or -1 */
	char *names;		     /* names of the columns */
};

/* Makes a layout from the columns of a table. Returns NULL if out of memory. */
struct layout *layout_make(enum view_id view, const struct debugfs_columns *columns);
/* Does the layout fit these columns? */
bool layout_is(const struct layout *l, const struct debugfs_columns *columns);
/*
 * Makes a layout from "# glass 1 KIND: COL COL ...". Returns NULL if the line is invalid, or if out
 * of memory.
 */
struct layout *layout_parse(enum view_id view, const char *kind, const char *line, size_t len);
void layout_free(struct layout *l);
/*
 * Stores values in the row; texts go to the pool. Returns -1, or the index of the first value that
 * is invalid for its column.
 */
int layout_values(const struct layout *l, enum view_id view, const struct debugfs_word *value, struct row *row,
		  const struct row *last, struct pool *pool);
/*
 * As layout_values(), for a line (len without newline). Returns false if the line does not fit the
 * layout.
 */
bool layout_row(const struct layout *l, enum view_id view, const char *line, size_t len, struct row *row,
		const struct row *last, struct pool *pool);

/* ---- fabric.c: the nodes, ports and cables of the fabric */

static inline bool is_fabric(enum view_id view)
{
	return view == VIEW_FNODE || view == VIEW_FPORT || view == VIEW_FCABLE ||
	       view == VIEW_NETCABLE;
}

/* Is the view read from the first time on that it is shown (model_want())? */
static inline bool is_on_demand(enum view_id view)
{
	return is_fabric(view) || view == VIEW_GID;
}

/* Finds the port that "NODE:PORT" names. Returns NULL if there is none. */
struct row *fabric_port(const struct model *m, const char *end);
/*
 * Finds "NODE", "NODE:PORT", a cable by one of its ends, or a netdev cable by its port or interface.
 * Returns NULL if there is none.
 */
const struct row *fabric_named(const struct model *m, enum view_id view, const char *name);
/* Writes the name of a row of the fabric: "leaf0", "leaf0:3", "leaf0:3 - spine0:1",
 * "leaf0:3 - @veth0". */
void fabric_name(const struct row *row, char *text, size_t size);

/* ---- compute.c: derived values. The order of rows is final here. */
void compute(struct model *m);
/* Releases the tracks of gone objects. Call it before reusing their snapshot. */
void tracks_drop(struct model *m, struct snapshot *s);
/* Releases all tracks. */
void tracks_drop_all(struct model *m, struct snapshot *s);

#endif
