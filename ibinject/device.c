// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device.h"
#include "lib/nearest.h"
#include "rules/word.h"
#include "table_text.h"
#include "uapi/glass-inject.h"

const char *device_root = "/sys/kernel/debug/glass";

static enum status tell_root(int err)
{
	if (err == EACCES || err == EPERM)
		cli_error("injection is root's alone: run it as root");
	else if (err == ENOENT)
		cli_error("no Glass in this kernel, or debugfs is not mounted (%s is not there)",
			  device_root);
	else
		cli_error("%s: %s", device_root, strerror(err));
	return ST_NO_DEVICE;
}

static bool has_rules(const char *dev)
{
	char *path = format_text("%s/%s/inject/rules", device_root, dev);
	bool has = !access(path, F_OK);

	free(path);
	return has;
}

static int by_number(const void *a, const void *b)
{
	return strverscmp(a, b);
}

enum status devices_find(struct devices *all)
{
	struct dirent *e;
	DIR *dir;

	all->count = 0;
	if (access(device_root, R_OK | X_OK))
		return tell_root(errno);
	dir = opendir(device_root);
	if (!dir)
		return tell_root(errno);
	while ((e = readdir(dir)) && all->count < DEVICES_MAX)
		if (e->d_name[0] != '.' && strlen(e->d_name) < DEVICE_NAME && has_rules(e->d_name))
			strcpy(all->name[all->count++], e->d_name);
	closedir(dir);
	if (!all->count) {
		cli_error("there is no adapter (%s has none)", device_root);
		return ST_NO_DEVICE;
	}
	qsort(all->name, all->count, sizeof(all->name[0]), by_number);
	return ST_OK;
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
	struct glass_nearest near;
	enum status status;
	struct devices all;
	char *list;
	size_t i;

	status = devices_find(&all);
	if (status)
		return status;
	for (i = 0; name && i < all.count; i++)
		if (!strcmp(name, all.name[i]))
			break;
	if (name && i < all.count) {
		strcpy(dev, name);
		return ST_OK;
	}
	list = devices_names(&all);
	if (name) {
		near = glass_nearest_to(name);
		for (i = 0; i < all.count; i++)
			glass_nearest_consider(&near, all.name[i]);
		if (near.found)
			cli_error("%s: no such device; did you mean %s?", name, near.found);
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

/* Has the table a line with that number? */
static bool in_table(const char *dev, const char *kind, const char *column, uint64_t number)
{
	char *text = device_read(dev, kind), value[32];
	const char *at;
	bool found = false;
	u64 v;

	for (at = text ? strchr(text, '\n') : NULL; at && at[1] && !found; at = strchr(at, '\n'))
		found = table_value(text, ++at, column, value, sizeof(value)) &&
			glass_word_number(value, strlen(value), &v) && v == number;
	free(text);
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

static char *file_of(const char *dev, const char *file)
{
	return format_text("%s/%s/%s", device_root, dev, file);
}

char *device_read(const char *dev, const char *file)
{
	char *path = file_of(dev, file), *text = NULL;
	FILE *from = fopen(path, "re");
	size_t size = 0;
	int err = errno;

	free(path);
	errno = err;
	if (!from)
		return NULL;
	/* files of debugfs have no NUL */
	if (getdelim(&text, &size, 0, from) < 0) {
		err = ferror(from) ? errno : 0;
		free(text);
		text = err ? NULL : strdup("");
	}
	fclose(from);
	errno = err;
	return text;
}

int device_open(const char *dev, const char *file, int flags)
{
	char *path = file_of(dev, file);
	int fd = open(path, flags | O_CLOEXEC);

	if (fd < 0 && (errno == EACCES || errno == EPERM))
		cli_error("injection is root's alone: run it as root");
	else if (fd < 0 && errno == ENOENT)
		cli_error("%s: this driver has no file %s", dev, file);
	else if (fd < 0)
		cli_error("%s: %s", path, strerror(errno));
	free(path);
	return fd;
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
		*told = device_read(dev, "inject/last_error");
		if (*told)
			(*told)[strcspn(*told, "\n")] = 0;
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
	int fd = device_open(dev, "inject/rules", O_WRONLY);
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
