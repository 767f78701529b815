/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The inside of the model: how a snapshot lies in memory. Sources (source/)
 * fill the rows of the current snapshot, compute.c adds what follows from them
 * and from the snapshot before.
 *
 * Two snapshots take turns, and keep their memory: a refresh with the same
 * objects as the last one allocates nothing.
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

/* Columns of one view at most: bits in a row's two words */
#define ROW_COLUMNS 128

/* Text that lives as long as a snapshot */
struct pool {
	struct pool_block *first, *block;
	size_t used; /* of block */
};

char *pool_copy(struct pool *a, const char *text, size_t len); /* NUL-terminated; NULL: memory */
void pool_reset(struct pool *a);				  /* keeps the memory */
void pool_free(struct pool *a);

/* What is remembered of an object as long as it lives */
struct track {
	uint64_t moved;	   /* model_now() when something of it moved last, or when it was seen first */
	uint64_t moved_sum; /* of all that moves, to notice that */
	int64_t first;	   /* processes, contexts: objects at first sight */
	/* for each series of the view its peak, then HISTORY values; NULL while all were 0 */
	float *history;
	float *spare; /* memory for it */
	unsigned int born; /* refresh of the first sight */
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

#define ROW_GONE 0x1 /* of the snapshot before: not in the current one */
#define ROW_NEW	 0x2

struct row {
	enum view_id view;
	uint8_t flags;
	uint16_t dev; /* index into model.devices, or NO_DEVICE */
	uint64_t num[2], born;
	uint64_t taken; /* when its values were, CLOCK_MONOTONIC */
	struct row *before;
	struct track *track;
	const char *object; /* its name in the tree, when it was asked for */
	struct row *longest; /* of a process: the queue pair that waits longest */
	uint64_t has[ROW_COLUMNS / 64], none[ROW_COLUMNS / 64];
	union value v[]; /* num_columns of the view */
};

#define NO_DEVICE 0xffff

struct table {
	enum view_id view;
	size_t row_size, count, room; /* in rows */
	char *memory;
	uint32_t *hash; /* row + 1 by identity; made when it is asked for */
	size_t hash_size;
	bool hashed;
};

struct snapshot {
	uint64_t mono, real;
	struct pool pool;
	struct table tables[VIEW_COUNT];
};

struct layout;

/* A device, once seen, keeps its place and its name. */
struct device {
	char name[64];
	bool present; /* in this refresh */
	bool was;	  /* in the one before */
	bool glass;	  /* it has a directory in Glass' debugfs, or had one */
	bool tables;	  /* debugfs' tables were read in this refresh */
	bool had_tables;  /* in the one before */
	int index;	  /* of rdma netlink, or -1 */
	unsigned int ports;
	char driver[32]; /* "" while unknown */
	char fw[64], node_type[16];
	uint64_t node_guid;
	bool has_guid;
	unsigned int sources; /* bits of enum source */
	char failed[160];	  /* what failed in this refresh, or "" */
	struct layout *layouts[VIEW_COUNT]; /* of debugfs' files, by what they fill */
	uint64_t seen_drop, seen_fired; /* droplog, journal: last number seen */
	bool drop_known, fired_known;
};

enum source { SOURCE_NETLINK = 1, SOURCE_SYSFS = 2, SOURCE_DEBUGFS = 4 };

#define MAX_DEVICES 1024
#define MAX_EVENTS 1000

struct event {
	uint64_t seq, when, num, pid;
	unsigned int refresh; /* in which it was noticed */
	bool has_num, has_pid;
	int dev;
	const char *what, *kind; /* constants */
	uint64_t key, count; /* of drops that are alike: what they have in common, how many */
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
	uint64_t started; /* the last refresh, CLOCK_MONOTONIC */
	uint32_t known; /* bit for each view of which something told in this refresh */
	struct device *devices;
	size_t num_devices;
	struct message *messages;
	size_t num_messages, room_messages;
	struct message *messages_before;
	size_t num_messages_before, room_messages_before;
	struct track *free_tracks[VIEW_COUNT];
	struct event *events; /* ring of MAX_EVENTS */
	uint64_t num_events;  /* ever */
	struct debugfs_file file; /* of debugfs, read last */
	struct netlink *netlink;
	struct record *record;
	struct replay *replay;
	unsigned int frame; /* of replay */
	const char *debugfs, *sysfs;
	bool no_memory;
};

/* ---- model.c */

/* Adds an empty row; NULL: memory (a message says so). Rows move when others are added: no pointer to one may be kept. */
struct row *table_add(struct model *m, enum view_id view, int dev);
static inline struct row *table_row(const struct table *t, size_t i)
{
	return (struct row *)(t->memory + i * t->row_size);
}
/* What a row is, out of its cells; false: it has not what it needs. Sources call it when a row is filled. */
bool row_identify(struct model *m, struct row *row);
/* Takes back the row that was added last. */
void table_drop_last(struct table *t);
/* The row with this identity, or NULL. born 0 fits any. */
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

/* text that lives as long as the snapshot: a constant, or of its pool */
static inline void row_word(struct row *r, unsigned int column, const char *text)
{
	row_set(r, column)->text = text;
}

/* copies; without memory the cell stays n/a */
void row_text(struct model *m, struct row *r, unsigned int column, const char *text);
void row_textf(struct model *m, struct row *r, unsigned int column, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Columns by their names, as the tables share them: -1 when the view has none. */
int view_column(enum view_id view, const char *name);

/* A message of this refresh; one that was there before keeps its time. */
void tell(struct model *m, enum severity severity, const char *dev, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* The device with this name, added when it is new; -1: memory, or too many. */
int device_get(struct model *m, const char *name);
bool device_wanted(const struct model *m, const char *name);
void device_failed(struct model *m, int dev, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* clock_gettime() in ns. */
uint64_t clock_now(int clock);
/* Adds an event; the caller fills the rest of what is returned. */
struct event *event_add(struct model *m, uint64_t when, const char *what, int dev);


/* ---- parse.c: rows of debugfs, tested with hostile input */

struct layout {
	struct debugfs_columns columns;
	int column[DEBUGFS_COLUMNS]; /* of the view, or -1 */
	char *names;		     /* of the columns */
};

/* Of the columns of a table: NULL: memory. */
struct layout *layout_make(enum view_id view, const struct debugfs_columns *columns);
/* Is it that of these columns? */
bool layout_is(const struct layout *l, const struct debugfs_columns *columns);
/* From "# glass 1 KIND: COL COL ...": NULL when it is no such line, or memory. */
struct layout *layout_parse(enum view_id view, const char *kind, const char *line, size_t len);
void layout_free(struct layout *l);
/* Values into the row; texts go to the pool. -1, or the number of the first value that its column cannot have. */
int layout_values(const struct layout *l, enum view_id view, const struct debugfs_word *value, struct row *row,
		  const struct row *last, struct pool *pool);
/* The same with one line (len without newline). False: the line is not of this layout. */
bool layout_row(const struct layout *l, enum view_id view, const char *line, size_t len, struct row *row,
		const struct row *last, struct pool *pool);

/* ---- compute.c: what follows. The order of rows does not change any more. */
void compute(struct model *m);
/* Gives the tracks of objects that went back, before their snapshot is used again. */
void tracks_drop(struct model *m, struct snapshot *s);
/* Gives back all of them. */
void tracks_drop_all(struct model *m, struct snapshot *s);

#endif
