/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A story: all that the driver's black box kept of one failure (docs/debugfs.md). It consists of
 * blocks, each with a header line "# glass 1 NAME: REST". REST is a title, or the columns of a
 * table.
 *
 * A story may come from a file that anybody wrote: the parser bounds memory and time, skips lines
 * that it cannot read, and counts them (lib/debugfs/file.h).
 */
#ifndef GLASS_LIB_WHY_STORY_H
#define GLASS_LIB_WHY_STORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/debugfs/file.h"

/* The blocks of a story: X(NAME, word, form). Form KEYS: lines "key: value"; ROWS: a table. */
#define WHY_BLOCKS(X)                 \
	X(FAILURE, failure, KEYS)     \
	X(LOCAL, local, KEYS)         \
	X(REMOTE, remote, KEYS)       \
	X(PACKETS, packets, ROWS)     \
	X(DROPS, drops, ROWS)         \
	X(JOURNAL, journal, ROWS)     \
	X(RULES, rules, ROWS)         \
	X(GONE_QPS, gone_qps, ROWS)   \
	X(KEYS, keys, ROWS)           \
	X(PORTS, ports, ROWS)         \
	X(ROUTES, routes, ROWS)       \
	X(NETWORK, network, ROWS)     \
	X(PROCESSES, processes, ROWS) \
	X(CONNECTED, connected, ROWS) \
	X(LINT, lint, ROWS)           \
	X(PLACES, places, ROWS)

#define WHY_E_BLOCK(n, w, f) WHY_##n,

enum why_block { WHY_BLOCKS(WHY_E_BLOCK) WHY_BLOCK_COUNT };

/*
 * Of a story; further rows are bad lines. Two QPs with full queues of GLASS_MAX_QP_WR entries fit. Rows of
 * tables are compared with each other, so there are fewer.
 */
#define WHY_ROWS_MAX	131072
#define WHY_TABLE_ROWS	4096
#define WHY_CELLS_MAX	(1 << 21)
#define WHY_STORIES_MAX 4096   /* of a file */

#define WHY_CLOCK_ERROR 1000000000ull /* ns by which clocks of two hosts may differ */

struct why_cell {
	const char *key, *value; /* undecoded; value "-": does not apply */
};

/* A row of a table, or a line "key: value" of a block of form KEYS */
struct why_row {
	enum why_block block;
	const char *section; /* KEYS: the section, "" outside of sections; ROWS: "" */
	const char *name;    /* KEYS: the key, or the name of an entry; ROWS: "" */
	size_t first, count; /* its cells; a line "key: value" without pairs has one, "key" */
};

/* The words point into the file that it was read from, and are valid as long as its text. */
struct why_story {
	const char *title[WHY_BLOCK_COUNT]; /* rest of the header line; NULL: no such block */
	struct why_row *row;
	size_t rows;
	struct why_cell *cell;
	size_t cells;
	/*
	 * Rows from here on are of another host: why_story_join(), after which nothing may be added. 0: there
	 * are none
	 */
	size_t joined_at;
	/*
	 * Between these times the other host refused the packet of this failure: its arrival there, and the
	 * failure there. They compare exactly with times of rows of that host. 0: unknown.
	 */
	uint64_t refused_from, refused_until;
	const char *refused_for; /* the reason, as in the log of drops, by that failure; NULL: unknown */
	/* private */
	size_t table_rows; /* how many of the rows are of tables */
	size_t row_room, cell_room;
	char **own; /* texts that are in no file */
	size_t owns, own_room;
};

/* Reads the stories of a file one after the other. Zero it, and set `file`. */
struct why_reader {
	struct debugfs_file *file;
	char *pending; /* private: header of the next story */
	size_t pending_len;
};

/*
 * Reads the next story. Returns false at the end of the file. The caller frees the story by
 * why_story_free(), also if it was not filled. Exits if out of memory.
 */
bool why_story_read(struct why_reader *r, struct why_story *s);
void why_story_free(struct why_story *s);

/*
 * Reads a single block in the form of KEYS (an answer of glassN/inspect without its title line) as
 * the block LOCAL of a story, up to the next line that begins with "# ". Returns that line or NULL.
 */
char *why_story_read_object(struct debugfs_file *f, struct why_story *s, const char *title);

/* Appends the rows of one block of another story, which must stay valid, too. */
void why_story_append(struct why_story *to, enum why_block to_block, const struct why_story *from,
		      enum why_block from_block);

/* Keeps a text, from malloc(), as long as the story. Returns it. Exits if out of memory. */
const char *why_story_keep(struct why_story *s, char *text);

/*
 * Adds a row of values that are encoded as in a story (NULL: "-"), which it copies; keys must stay valid.
 * Returns false if the story is full.
 */
bool why_story_add(struct why_story *s, enum why_block block, const char *const *keys,
		   const char *const *values, size_t n);
/* Sets a cell of a row to a text, which it encodes and copies. The row must have the cell. */
void why_story_set_text(struct why_story *s, const struct why_row *row, const char *key, const char *text);

/*
 * Leaves out each row of the block LINT whose finding (adapter and number) has a later row, which
 * has more columns. Rows of another host must not have been joined yet.
 */
void why_story_lint_once(struct why_story *s);

/*
 * Writes a block of form ROWS as the driver would, with a header for each change of columns.
 * Nothing if it has no rows.
 */
void why_story_write(FILE *to, const struct why_story *s, enum why_block block);

/*
 * Adds the other host's view of the same connection to a story: the block REMOTE and rows of
 * tables, with times in the clock of the first story. Returns false if `other` is not a story of the
 * QP to which the story's QP is connected. `other` must stay valid, too.
 */
bool why_story_join(struct why_story *s, const struct why_story *other);
/* Is the row of the other host's view? Times of such rows differ by up to WHY_CLOCK_ERROR from those of the others. */
bool why_is_far(const struct why_story *s, const struct why_row *row);

/*
 * Packets that have come through a network have two rows, if both ends are on this host: one of the
 * departure, one of the arrival. Makes one of the two. why_story_read() calls it.
 */
void why_story_pair(struct why_story *s);

/* Returns the next row of the block after `after` (NULL: the first), or NULL. */
const struct why_row *why_next(const struct why_story *s, enum why_block block,
			       const struct why_row *after);
size_t why_count(const struct why_story *s, enum why_block block);

/* The value of a cell, undecoded; NULL if the row (which may be NULL) lacks it, or if it is "-". */
const char *why_cell(const struct why_story *s, const struct why_row *row, const char *key);
bool why_cell_is(const struct why_story *s, const struct why_row *row, const char *key,
		 const char *word);
/* Returns false if there is no such number. */
bool why_cell_number(const struct why_story *s, const struct why_row *row, const char *key,
		     uint64_t *to);

/* The same of a line "key: value" of a section ("": outside of sections) */
const char *why_value(const struct why_story *s, enum why_block block, const char *section,
		      const char *key);
bool why_value_is(const struct why_story *s, enum why_block block, const char *section,
		  const char *key, const char *word);
bool why_value_number(const struct why_story *s, enum why_block block, const char *section,
		      const char *key, uint64_t *to);

/* Returns the next entry ("wqe") of a section after `after` (NULL: the first), or NULL. */
const struct why_row *why_entry(const struct why_story *s, enum why_block block,
				const char *section, const char *name, const struct why_row *after);

/*
 * Writes a value decoded and as printable ASCII, cut to size; "?" for NULL and for a bad code. Returns
 * `to`.
 */
char *why_text(const char *value, char *to, size_t size);

/* Is the word one of a list of words that commas or '|' separate? NULL is an empty list. */
bool why_list_has(const char *list, const char *word);

#endif
