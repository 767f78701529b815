/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files of Glass's debugfs: read whole, then line by line. lib/debugfs/table.h reads tables out of
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
 * No reader trusts what a file says. Bad input has one effect, whichever tool reads it: a bad line
 * is left out and counted in `bad`, and reading goes on behind it. debugfs_error() names file and
 * line of the first bad line, and what is wrong with it. What follows from that is up to the tool:
 * all of them report it, and use the good lines. But where ibtop has another source for all objects
 * of an adapter (rdma netlink), it uses that one instead of tables with holes.
 *
 * A line is bad when
 *
 *   - it is longer than DEBUGFS_LINE_MAX;
 *   - a NUL is in it;
 *   - it is the last one and has no newline: the file was cut off (`cut` says so: a tool that reads
 *     the file again, because it grows, need not report that).
 *
 * What else makes a line of a table bad stands in lib/debugfs/table.h.
 */
#ifndef GLASS_LIB_DEBUGFS_FILE_H
#define GLASS_LIB_DEBUGFS_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define DEBUGFS_LINE_MAX 16384
#define DEBUGFS_ERROR	 400 /* bytes of debugfs_error(), with the NUL */
#define DEBUGFS_FILE_MAX (512UL << 20) /* a longer file is not read: EFBIG */

/* Where devices have their folders: /sys/kernel/debug/glass. Tests have theirs somewhere else. */
extern const char *debugfs_root;

/* All zero at first. It can be read into again, which keeps the memory. */
struct debugfs_file {
	char name[160];	    /* as messages name it: "glass0/qp" */
	char *text;	    /* with a NUL behind it; lines that were given end in a NUL, too */
	size_t len;	    /* of the text */
	size_t line_len;    /* of the line that was given last */
	unsigned long line; /* number of the last line that was given, from 1 */
	unsigned long bad;  /* lines that were left out */
	bool cut;	    /* one of them is the last line, without newline */
	bool no_table;	    /* one of them is the header of a table, which has no rows then */

	/* private */
	size_t room, at;
	bool grows, skip;
	unsigned long bad_line;
	char what[120], error[DEBUGFS_ERROR];
};

/* Reads a file of a device. 0, or errno; the file is then empty. */
int debugfs_read(struct debugfs_file *f, const char *dev, const char *file);

/* The same of a file that is open, from its beginning. */
int debugfs_read_fd(struct debugfs_file *f, const char *dev, const char *file, int fd);

/* The same by path, for a tool with a root of its own. The name is that of messages. */
int debugfs_read_path(struct debugfs_file *f, const char *name, const char *path);

/* Writes a line to a file (inspect), then reads the answer from the same open file. */
int debugfs_ask(struct debugfs_file *f, const char *name, const char *path, const char *line);

/*
 * For an open file that grows (a journal): reads what came since the last call; all zero before the
 * first one. A last line without newline is not bad, but waits for its end. Returns how many bytes
 * came, or -errno.
 */
ssize_t debugfs_more(struct debugfs_file *f, const char *dev, const char *file, int fd);

/* Takes a copy of a text that came another way. 0, or errno. */
int debugfs_copy(struct debugfs_file *f, const char *name, const char *text, size_t len);

void debugfs_free(struct debugfs_file *f);

/*
 * The first line of a file of a device that has one value, for the caller to free; it may be
 * without newline. NULL: errno.
 */
char *debugfs_first_line(const char *dev, const char *file);

/* The next good line, without newline, with a NUL behind it; NULL: there is none. */
char *debugfs_line(struct debugfs_file *f);

/* Counts the line that was given last as a bad one. */
void debugfs_bad(struct debugfs_file *f, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* "glass0/qp:3: 2 values for 5 columns", and how many more lines are bad; "": none is */
const char *debugfs_error(struct debugfs_file *f);

/* cli_error() of that, if any line is bad, with what follows for the tool's user */
void debugfs_tell(struct debugfs_file *f);

/*
 * The same for files that are read again and again: what is among the last 16 that this program told
 * so is not told again.
 */
void debugfs_tell_once(struct debugfs_file *f);

#endif
