// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/cli.h"
#include "lib/debugfs/file.h"
#include "lib/printable.h"

/* The driver returns about a page per read(). */
#define READ_ROOM  8192
#define ROOM_FIRST 65536

const char *debugfs_root = "/sys/kernel/debug/glass";

static void begin(struct debugfs_file *f, const char *name)
{
	snprintf(f->name, sizeof(f->name), "%s", name);
	f->len = f->at = 0;
	f->line = f->bad = f->bad_line = 0;
	f->cut = f->no_table = f->grows = f->skip = false;
	*f->what = 0;
	if (f->text)
		*f->text = 0;
}

/* Makes room for `more` bytes and a NUL. Returns 0 or an errno value. */
static int make_room(struct debugfs_file *f, size_t more)
{
	size_t room = f->room ? f->room : ROOM_FIRST;
	char *text;

	if (more > DEBUGFS_FILE_MAX || f->len + more > DEBUGFS_FILE_MAX)
		return EFBIG;
	while (room <= f->len + more)
		room *= 2;
	if (room == f->room)
		return 0;
	text = realloc(f->text, room);
	if (!text)
		return ENOMEM;
	f->text = text;
	f->room = room;
	return 0;
}

/* Reads to the end of the file, from its beginning or from its current offset. */
static int read_all(struct debugfs_file *f, int fd, bool from_beginning)
{
	ssize_t n;
	int err;

	do {
		err = make_room(f, READ_ROOM);
		if (err)
			break;
		n = from_beginning ? pread(fd, f->text + f->len, f->room - f->len - 1, f->len)
				   : read(fd, f->text + f->len, f->room - f->len - 1);
		if (n > 0)
			f->len += n;
		else if (n < 0 && errno != EINTR)
			err = errno;
	} while (n && !err);
	if (err)
		f->len = 0;
	if (f->text)
		f->text[f->len] = 0;
	return err;
}

int debugfs_read_path(struct debugfs_file *f, const char *name, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = errno;

	begin(f, name);
	if (fd < 0)
		return err;
	err = read_all(f, fd, false);
	close(fd);
	return err;
}

int debugfs_read(struct debugfs_file *f, const char *dev, const char *file)
{
	char name[sizeof(f->name)], path[4096];

	snprintf(name, sizeof(name), "%s/%s", dev, file);
	snprintf(path, sizeof(path), "%s/%s/%s", debugfs_root, dev, file);
	return debugfs_read_path(f, name, path);
}

int debugfs_read_fd(struct debugfs_file *f, const char *dev, const char *file, int fd)
{
	char name[sizeof(f->name)];

	snprintf(name, sizeof(name), "%s/%s", dev, file);
	begin(f, name);
	return read_all(f, fd, true);
}

ssize_t debugfs_more(struct debugfs_file *f, const char *dev, const char *file, int fd)
{
	char name[sizeof(f->name)];
	size_t had;
	int err;

	if (!f->grows) {
		snprintf(name, sizeof(name), "%s/%s", dev, file);
		begin(f, name);
		f->grows = true;
	}
	f->len -= f->at;
	if (f->len)
		memmove(f->text, f->text + f->at, f->len);
	f->at = 0;
	had = f->len;
	err = read_all(f, fd, false);
	return err ? -err : (ssize_t)(f->len - had);
}

int debugfs_ask(struct debugfs_file *f, const char *name, const char *path, const char *line)
{
	int fd = open(path, O_RDWR | O_CLOEXEC), err = errno;

	begin(f, name);
	if (fd < 0)
		return err;
	err = write(fd, line, strlen(line)) < 0 ? errno : read_all(f, fd, false);
	close(fd);
	return err;
}

/* Returns the first line at or after `at` that begins with `head`, or NULL. */
static char *find_head(const struct debugfs_file *f, size_t at, const char *head)
{
	char *line = f->text + at;

	while (line && strncmp(line, head, strlen(head))) {
		line = strchr(line, '\n');
		line += !!line;
	}
	return line;
}

/*
 * Keeps what belongs to the block, or may: its beginning in a text without it is at the last line,
 * which may be incomplete. Returns true if the block is complete.
 */
static bool cut_block(struct debugfs_file *f, const char *head, bool *found)
{
	char *begin = *found ? f->text : find_head(f, 0, head), *end;

	if (!begin) {
		end = strrchr(f->text, '\n');
		begin = end ? end + 1 : f->text;
	} else {
		*found = true;
	}
	f->len -= begin - f->text;
	memmove(f->text, begin, f->len + 1);
	end = *found ? find_head(f, 1, "# ") : NULL;
	if (!end)
		return false;
	f->len = end - f->text;
	*end = 0;
	return true;
}

int debugfs_read_block(struct debugfs_file *f, const char *name, const char *path,
		       const char *title)
{
	char *head = format_text("# glass 1 inspect: %s\n", title);
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = fd < 0 ? errno : 0;
	bool found = false, complete = false;
	ssize_t n = 1;

	begin(f, name);
	while (!err && n && !complete) {
		err = make_room(f, READ_ROOM);
		if (err)
			break;
		n = read(fd, f->text + f->len, f->room - f->len - 1);
		if (n < 0) {
			err = errno == EINTR ? 0 : errno;
			continue;
		}
		f->len += n;
		f->text[f->len] = 0;
		complete = cut_block(f, head, &found);
	}
	if (!err && !found)
		err = ENOENT;
	if (err)
		f->len = 0;
	if (fd >= 0)
		close(fd);
	free(head);
	return err;
}

int debugfs_copy(struct debugfs_file *f, const char *name, const char *text, size_t len)
{
	int err;

	begin(f, name);
	err = make_room(f, len);
	if (err)
		return err;
	memcpy(f->text, text, len);
	f->text[len] = 0;
	f->len = len;
	return 0;
}

void debugfs_free(struct debugfs_file *f)
{
	free(f->text);
	memset(f, 0, sizeof(*f));
}

char *debugfs_first_line(const char *dev, const char *file)
{
	struct debugfs_file f = { 0 };
	char *line = NULL;
	int err = debugfs_read(&f, dev, file);

	if (!err) {
		line = strndup(f.text, strcspn(f.text, "\n"));
		err = line ? 0 : ENOMEM;
	}
	debugfs_free(&f);
	errno = err;
	return line;
}

void debugfs_bad(struct debugfs_file *f, const char *format, ...)
{
	va_list args;

	if (f->bad++)
		return;
	f->bad_line = f->line;
	va_start(args, format);
	vsnprintf(f->what, sizeof(f->what), format, args);
	va_end(args);
	printable(f->what);
}

/* Skips the rest of a line that is too long and already counted as bad. */
static void skip_rest(struct debugfs_file *f)
{
	char *newline = memchr(f->text + f->at, '\n', f->len - f->at);

	f->skip = !newline;
	f->at = newline ? (size_t)(newline + 1 - f->text) : f->len;
}

char *debugfs_line(struct debugfs_file *f)
{
	if (f->skip && f->at < f->len)
		skip_rest(f);
	while (f->at < f->len) {
		char *line = f->text + f->at, *newline = memchr(line, '\n', f->len - f->at);
		size_t len = newline ? (size_t)(newline - line) : f->len - f->at;

		if (!newline && f->grows && len <= DEBUGFS_LINE_MAX)
			break;
		f->at += len + !!newline;
		f->line++;
		line[len] = 0;
		f->skip = !newline && f->grows;
		if (!newline && !f->grows) {
			f->cut = true;
			debugfs_bad(f, "the file was cut off: its last line has no newline");
		} else if (len > DEBUGFS_LINE_MAX) {
			debugfs_bad(f, "a line has %zu bytes; the limit is %d", len,
				    DEBUGFS_LINE_MAX);
		} else if (strlen(line) != len) {
			debugfs_bad(f, "a NUL byte in the line");
		} else {
			f->line_len = len;
			return line;
		}
	}
	return NULL;
}

const char *debugfs_error(struct debugfs_file *f)
{
	char more[60] = "";

	if (!f->bad)
		return "";
	if (f->bad > 1)
		snprintf(more, sizeof(more), " (%lu more %s bad)", f->bad - 1,
			 f->bad == 2 ? "line is" : "lines are");
	snprintf(f->error, sizeof(f->error), "%s:%lu: %s%s", f->name, f->bad_line, f->what, more);
	return f->error;
}

void debugfs_tell(struct debugfs_file *f)
{
	const char *tool = program_invocation_short_name;

	if (f->no_table)
		cli_error(
			"%s; not a table that this %s can read: driver and %s must be of one version",
			debugfs_error(f), tool, tool);
	else if (f->bad)
		cli_error("%s; left out", debugfs_error(f));
}

void debugfs_tell_once(struct debugfs_file *f)
{
	static char told[16][DEBUGFS_ERROR];
	static unsigned int next;
	const char *error = debugfs_error(f);
	size_t i;

	if (!f->bad)
		return;
	for (i = 0; i < sizeof(told) / sizeof(*told); i++)
		if (!strcmp(told[i], error))
			return;
	strcpy(told[next++ % (sizeof(told) / sizeof(*told))], error);
	debugfs_tell(f);
}
