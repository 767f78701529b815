// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "driver.h"
#include "lib/debugfs/file.h"
#include "lib/debugfs/text.h"

#define CONFIGFS_MAGIC 0x62656570
#define PROGRESS_LINES 2000 /* fewer are written at once */

const char *configfs_root = "/sys/kernel/config/glass";
const char *module_root = "/sys/module/glass";

static void tell_absent(void)
{
	char *folder = format_text("%s", configfs_root), *slash = strrchr(folder, '/');
	struct statfs fs;

	if (slash && slash > folder)
		*slash = 0;
	if (access(module_root, F_OK))
		cli_error("the module glass is not loaded; run \"modprobe glass\"");
	else if (access(configfs_root, F_OK) &&
		 (statfs(folder, &fs) || fs.f_type != CONFIGFS_MAGIC))
		cli_error("configfs is not mounted; run \"mount -t configfs none %s\"", folder);
	else
		cli_error(
			"%s/commands: this module has no fabric that can be changed; it is older than "
			"this tool",
			configfs_root);
	free(folder);
}

/* Returns -1 after cli_error(). */
static int open_commands(void)
{
	char *path = format_text("%s/commands", configfs_root);
	int fd = open(path, O_WRONLY | O_CLOEXEC), err = errno;

	if (fd < 0 && (err == EACCES || err == EPERM) && geteuid())
		cli_error("only root may change the fabric; run this program as root");
	else if (fd < 0 && (err == ENOENT || err == ENOTDIR))
		tell_absent();
	else if (fd < 0)
		cli_error("%s: %s", path, strerror(err));
	free(path);
	return fd;
}

enum status driver_ready(void)
{
	int fd = open_commands();

	if (fd < 0)
		return ST_NO_FABRIC;
	close(fd);
	return ST_OK;
}

/* The line of the driver's file `error`: "LINE AT LEN KIND: TEXT" */
struct refusal {
	uint64_t line, at, len;
	char *text; /* NULL: it cannot be read */
};

static void read_refusal(struct refusal *to)
{
	char *path = format_text("%s/error", configfs_root), *line, *word, *end;
	struct debugfs_file f = { 0 };
	uint64_t *number[] = { &to->line, &to->at, &to->len };
	int i;

	memset(to, 0, sizeof(*to));
	if (debugfs_read_path(&f, "error", path) || !(line = debugfs_line(&f)))
		goto out;
	for (i = 0, word = line; i < 3; i++, word = end + 1) {
		end = strchr(word, ' ');
		if (!end || !debugfs_number(word, end - word, number[i]))
			goto out;
	}
	to->text = format_text("%s", word);
out:
	debugfs_free(&f);
	free(path);
}

/* Prints the line with the wrong word marked. */
static void quote(const char *line, size_t len, const struct refusal *r)
{
	size_t from = 0, at = r->at, shown = len;

	/* of a long line, the part around the word */
	if (len > 100 && at > 60)
		from = at - 40;
	if (shown - from > 100)
		shown = from + 100;
	fprintf(stderr, "  %.*s\n", (int)(shown - from), line + from);
	if (at > len || !r->len)
		return;
	fprintf(stderr, "  %*s", (int)(at - from), "");
	for (at = 0; at < r->len && r->at + at < shown; at++)
		putc('^', stderr);
	putc('\n', stderr);
}

/* Tells why the write of the lines from `first` failed. Returns how many of them are in force. */
static uint32_t tell_refusal(const struct topo_commands *commands, size_t at, uint32_t first,
			     uint32_t lines, const struct parse *from, int err)
{
	struct topo_place place = { 0 };
	struct refusal r;
	const char *line = commands->text + at;
	uint32_t i;

	read_refusal(&r);
	if (!r.text || !r.line || r.line > lines) {
		cli_error("the driver refused a command: %s (%s/error: %s)", strerror(err),
			  configfs_root, r.text ? r.text : "empty");
		free(r.text);
		return 0;
	}
	for (i = 1; i < r.line; i++)
		line = strchr(line, '\n') + 1;
	if (commands->place)
		place = commands->place[first + r.line - 1];
	if (from && place.line)
		cli_error("%s:%u: %s", from->file[place.file], place.line, r.text);
	else
		cli_error("%s", r.text);
	quote(line, strcspn(line, "\n"), &r);
	free(r.text);
	return r.line - 1;
}

static void show_progress(uint32_t done, uint32_t all)
{
	if (all >= PROGRESS_LINES && isatty(2))
		fprintf(stderr, done < all ? "\r%u of %u commands" : "\r\e[K", done, all);
}

enum status driver_run(const struct topo_commands *commands, const struct parse *from,
		       uint32_t *done)
{
	int fd = open_commands(), err;
	size_t at = 0, next;
	uint32_t lines;
	ssize_t n;

	*done = 0;
	if (fd < 0)
		return ST_NO_FABRIC;
	for (; at < commands->len; at = next) {
		next = topo_commands_chunk(commands, at, &lines);
		if (next == at) {
			cli_error("a command of more than %d bytes: %.60s...", TOPO_COMMAND_MAX,
				  commands->text + at);
			break;
		}
		n = write(fd, commands->text + at, next - at);
		err = n < 0 ? errno : EIO;
		if (n != (ssize_t)(next - at)) {
			show_progress(commands->lines, commands->lines);
			*done += tell_refusal(commands, at, *done, lines, from, err);
			break;
		}
		*done += lines;
		show_progress(*done, commands->lines);
	}
	close(fd);
	return at < commands->len ? ST_FAILED : ST_OK;
}

enum status driver_run_line(const char *line)
{
	struct topo_commands one = { .lines = 1 };
	enum status status;
	uint32_t done;

	one.text = format_text("%s\n", line);
	one.len = strlen(one.text);
	status = driver_run(&one, NULL, &done);
	free(one.text);
	return status;
}

/* Builds the old fabric again, after the new one was refused. */
static void restore(const struct topo *old)
{
	struct topo_commands commands;
	uint32_t done;

	topo_commands(old, &commands);
	if (driver_run_line("clear") == ST_OK && driver_run(&commands, NULL, &done) == ST_OK)
		cli_error(old->nodes ? "the fabric is again the one that was there before"
				     : "the fabric is empty again");
	else
		cli_error("the fabric is incomplete; \"ibfabric clear\" removes it");
	topo_commands_free(&commands);
}

enum status driver_build(const struct topo *t, const struct parse *from, bool replace, bool quiet)
{
	struct topo_commands commands;
	struct topo old = { 0 };
	enum status status;
	char *counts;
	uint32_t done;

	status = driver_ready();
	if (!status)
		status = driver_read(&old);
	if (status)
		return status;
	if (old.nodes && !replace) {
		counts = topo_counts(&old);
		cli_error(
			"there is a fabric already: %s; --replace removes it first, and \"ibfabric "
			"save\" keeps it in a file",
			counts);
		free(counts);
		topo_free(&old);
		return ST_FAILED;
	}
	topo_commands(t, &commands);
	if (old.nodes)
		status = driver_run_line("clear");
	if (!status) {
		status = driver_run(&commands, from, &done);
		if (status == ST_FAILED)
			restore(&old);
	}
	if (!status && !quiet) {
		counts = topo_counts(t);
		cli_error("%s", counts);
		free(counts);
	}
	topo_commands_free(&commands);
	topo_free(&old);
	return status;
}
