// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device.h"
#include "uapi/glass-inject.h"

const struct debugfs_use injection = { "injection", "inject/rules", "there is no adapter" };

enum status devices_find(struct devices *all)
{
	return debugfs_find(&injection, all) ? ST_OK : ST_NO_DEVICE;
}

bool device_table(struct debugfs_table *t, struct debugfs_file *f, const char *dev,
		  const char *file, const char *kind)
{
	memset(f, 0, sizeof(*f));
	return !debugfs_read(f, dev, file) && debugfs_table_begin(t, f, kind);
}

void device_done(struct debugfs_file *f)
{
	debugfs_tell_once(f);
	debugfs_free(f);
}

void device_done_looking(struct debugfs_file *f)
{
	if (!f->cut)
		debugfs_tell_once(f);
	debugfs_free(f);
}

char *devices_names(const struct devices *all)
{
	const char *words[DEVICES_MAX];
	size_t i;

	for (i = 0; i < all->count; i++)
		words[i] = all->name[i];
	return join_words((char *const *)words, all->count);
}

enum status device_choose(const char *name, char dev[DEVICE_NAME])
{
	enum status status;
	struct devices all;
	const char *near;
	char *list;

	status = devices_find(&all);
	if (status)
		return status;
	if (name && devices_have(&all, name)) {
		strcpy(dev, name);
		return ST_OK;
	}
	list = devices_names(&all);
	if (name) {
		near = devices_nearest(&all, name);
		if (near)
			cli_error("%s: no such device; did you mean %s?", name, near);
		else
			cli_error("%s: no such device; there are: %s", name, list);
		status = ST_NO_DEVICE;
	} else if (all.count == 1) {
		strcpy(dev, all.name[0]);
		cli_error("on %s", dev);
	} else {
		cli_error("on which device? There are: %s", list);
		status = ST_USAGE;
	}
	free(list);
	return status;
}

/* Does the table have a row with that number? */
static bool in_table(const char *dev, const char *kind, const char *column, uint64_t number)
{
	struct debugfs_table t;
	struct debugfs_file f;
	bool found = false;
	uint64_t v;
	int at;

	if (device_table(&t, &f, dev, kind, kind) && debugfs_columns_find(&t, &column, 1, &at))
		while (!found && debugfs_table_next(&t))
			found = debugfs_has(&t, at) && debugfs_value_number(&t, at, &v) &&
				v == number;
	device_done(&f);
	return found;
}

enum status device_of_object(const char *kind, const char *column, uint64_t number,
			     char dev[DEVICE_NAME])
{
	struct devices all, with = { .count = 0 };
	enum status status = devices_find(&all);
	char *list;
	size_t i;

	if (status)
		return status;
	for (i = 0; i < all.count; i++)
		if (in_table(all.name[i], kind, column, number))
			strcpy(with.name[with.count++], all.name[i]);
	if (with.count == 1) {
		strcpy(dev, with.name[0]);
		cli_error("on %s", dev);
		return ST_OK;
	}
	if (!with.count) {
		cli_error("no device has %s %s=0x%llx", kind, column, (unsigned long long)number);
		return ST_NO_DEVICE;
	}
	list = devices_names(&with);
	cli_error("several devices have %s %s=0x%llx: %s; say which: DEV:NUMBER", kind, column,
		  (unsigned long long)number, list);
	free(list);
	return ST_USAGE;
}

enum status device_command(const char *dev, int fd, const char *command, char **told)
{
	size_t len = strlen(command);
	int err;

	*told = NULL;
	if (write(fd, command, len) == (ssize_t)len)
		return ST_OK;
	err = errno;
	if (err == EINVAL) {
		*told = debugfs_first_line(dev, "inject/last_error");
	} else if (err == ENOSPC) {
		*told = format_text("%s has %d rules already: delete some", dev,
				    GLASS_INJECT_RULES);
	}
	if (!*told || !**told) {
		free(*told);
		*told = format_text("%s", strerror(err));
	}
	return ST_FAILED;
}

enum status device_do(const char *dev, const char *command)
{
	int fd = debugfs_open(&injection, dev, "inject/rules", O_WRONLY);
	enum status status;
	char *told;

	if (fd < 0)
		return ST_NO_DEVICE;
	status = device_command(dev, fd, command, &told);
	if (status)
		cli_error("%s: %s", dev, told);
	free(told);
	close(fd);
	return status;
}

bool looks_like_device(const char *word)
{
	return !strpbrk(word, "= \t\n!<>~/") && *word;
}
