/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads files of Glass's debugfs whole, then line by line. lib/debugfs/table.h reads tables from
 * these lines, lib/pairs.h reads key=value.
 *
 *	struct debugfs_file f = { 0 };
 *
 *	if (!debugfs_read(&f, "glass0", "inject/rules"))
 *		while ((line = debugfs_line(&f)))
 *			...
 *	debugfs_tell(&f);
 *	debugfs_free(&f);
 *
 * Readers do not trust the contents of files. Bad input has the same effect in all tools: the
 * reader skips a bad line, counts it in `bad`, and continues. debugfs_error() names the file and
 * the number of the first bad line, and its fault. All tools report that and use the good lines.
 * One exception: if rdma netlink has all objects of an adapter, ibtop uses it instead of tables
 * with missing rows.
 *
 * A line is bad if
 *
 *   - it is longer than DEBUGFS_LINE_MAX;
 *   - it contains a NUL;
 *   - it is the last line and has no newline: the file was truncated. That sets `cut`; a tool that
 *     reads a growing file again need not report it.
 *
 * lib/debugfs/table.h lists the other faults of lines in tables.
 */
#ifndef GLASS_LIB_DEBUGFS_FILE_H
#define GLASS_LIB_DEBUGFS_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define DEBUGFS_LINE_MAX 16384
#define DEBUGFS_ERROR	 400 /* bytes of debugfs_error(), with the NUL */
#define DEBUGFS_FILE_MAX (512UL << 20) /* reading a longer file fails with EFBIG */

/* The folder of the adapters' folders: /sys/kernel/debug/glass. Tests use another one. */
extern const char *debugfs_root;

/* Zero it before the first use. It can be read into again, which reuses the memory. */
struct debugfs_file {
	char name[160];	    /* for messages: "glass0/qp" */
	char *text;	    /* NUL-terminated; lines that were returned end in a NUL, too */
	size_t len;	    /* of the text */
	size_t line_len;    /* of the line that was returned last */
	unsigned long line; /* number of the line that was returned last, from 1 */
	unsigned long bad;  /* lines that were skipped */
	bool cut;	    /* the last line is bad because it has no newline */
	bool no_table;	    /* the header of a table is bad, so the table has no rows */

	/* private */
	size_t room, at;
	bool grows, skip;
	unsigned long bad_line;
	char what[120], error[DEBUGFS_ERROR];
};

/* Reads a file of a device. Returns 0 or an errno value, with the file empty. */
int debugfs_read(struct debugfs_file *f, const char *dev, const char *file);

/* As debugfs_read(), but of an open file, from its beginning. */
int debugfs_read_fd(struct debugfs_file *f, const char *dev, const char *file, int fd);

/* As debugfs_read(), but by path, for a tool with its own root. Messages use the name. */
int debugfs_read_path(struct debugfs_file *f, const char *name, const char *path);

/* Writes a line to a file (inspect), then reads the answer through the same descriptor. */
int debugfs_ask(struct debugfs_file *f, const char *name, const char *path, const char *line);

/*
 * Reads the answer about one object from a file of details/, which has the answers about all
 * objects of its kind: the block whose first line is "# glass 1 inspect: TITLE". Returns ENOENT
 * without such a block.
 */
int debugfs_read_block(struct debugfs_file *f, const char *name, const char *path,
		       const char *title);

/*
 * Reads what an open, growing file (a journal) gained since the last call. Zero *f before the first
 * call. An incomplete last line is not bad: it waits for its newline. Returns the number of new
 * bytes, or -errno.
 */
ssize_t debugfs_more(struct debugfs_file *f, const char *dev, const char *file, int fd);

/* Copies a text from another source. Returns 0 or an errno value. */
int debugfs_copy(struct debugfs_file *f, const char *name, const char *text, size_t len);

void debugfs_free(struct debugfs_file *f);

/*
 * Returns the first line of a device's file that holds one value. The newline may be missing. The
 * caller frees the line. Returns NULL on failure; errno tells why.
 */
char *debugfs_first_line(const char *dev, const char *file);

/* Returns the next good line, with a NUL instead of the newline; NULL at the end. */
char *debugfs_line(struct debugfs_file *f);

/* Counts the line that was returned last as bad. */
void debugfs_bad(struct debugfs_file *f, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Returns "glass0/qp:3: 2 values for 5 columns" and the number of further bad lines; "" if none is
 * bad.
 */
const char *debugfs_error(struct debugfs_file *f);

/* If a line is bad, prints debugfs_error() and the consequence for the user by cli_error(). */
void debugfs_tell(struct debugfs_file *f);

/*
 * As debugfs_tell(), for files that are read repeatedly: does not repeat the last 16 errors that it
 * printed.
 */
void debugfs_tell_once(struct debugfs_file *f);

#endif
