// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device.h"
#include "lib/nearest.h"

const char *device_root = "/sys/kernel/debug/glass";

static enum status tell_root(int err)
{
	if (err == EACCES || err == EPERM)
		cli_error("lint is root's alone: run it as root");
	else if (err == ENOENT)
		cli_error("no Glass in this kernel, or debugfs is not mounted (%s is not there)",
			  device_root);
	else
		cli_error("%s: %s", device_root, strerror(err));
	return ST_NO_DEVICE;
}

static char *file_of(const char *dev, const char *file)
{
	return format_text("%s/%s/%s", device_root, dev, file);
}

static bool has_lint(const char *dev)
{
	char *path = file_of(dev, "lint/scope");
	bool has = !access(path, F_OK);

	free(path);
	return has;
}

static int by_number(const void *a, const void *b)
{
	return strverscmp(a, b);
}

static enum status find_all(struct devices *all)
{
	struct dirent *e;
	DIR *dir;

	all->count = 0;
	dir = access(device_root, R_OK | X_OK) ? NULL : opendir(device_root);
	if (!dir)
		return tell_root(errno);
	while ((e = readdir(dir)) && all->count < DEVICES_MAX)
		if (e->d_name[0] != '.' && strlen(e->d_name) < DEVICE_NAME && has_lint(e->d_name))
			strcpy(all->name[all->count++], e->d_name);
	closedir(dir);
	if (!all->count) {
		cli_error("there is no adapter that can be linted (%s has none)", device_root);
		return ST_NO_DEVICE;
	}
	qsort(all->name, all->count, sizeof(all->name[0]), by_number);
	return ST_OK;
}

static bool is_among(const struct devices *all, const char *name)
{
	size_t i;

	for (i = 0; i < all->count; i++)
		if (!strcmp(all->name[i], name))
			return true;
	return false;
}

enum status devices_find(const struct devices *only, struct devices *all)
{
	enum status status = find_all(all);
	size_t i, k;

	if (status || !only->count)
		return status;
	for (i = 0; i < only->count; i++) {
		struct glass_nearest near = glass_nearest_to(only->name[i]);

		if (is_among(all, only->name[i]))
			continue;
		for (k = 0; k < all->count; k++)
			glass_nearest_consider(&near, all->name[k]);
		if (near.found)
			cli_error("%s: no such adapter; did you mean %s?", only->name[i],
				  near.found);
		else
			cli_error("%s: no such adapter; see \"ls %s\"", only->name[i],
				  device_root);
		return ST_NO_DEVICE;
	}
	*all = *only;
	return ST_OK;
}

char *file_read(int fd)
{
	size_t size = 65536, used = 0;
	char *text = malloc(size), *more;
	ssize_t n = 0;

	while (text && (n = pread(fd, text + used, size - used - 1, used)) > 0) {
		used += n;
		if (size - used > 4096)
			continue;
		more = realloc(text, size *= 2);
		if (!more)
			free(text);
		text = more;
	}
	if (text && n < 0) {
		free(text);
		return NULL;
	}
	if (text)
		text[used] = 0;
	return text;
}

char *device_read(const char *dev, const char *file)
{
	char *path = file_of(dev, file), *text = NULL;
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = errno;

	free(path);
	if (fd >= 0) {
		text = file_read(fd);
		err = errno;
		close(fd);
	}
	errno = err;
	return text;
}

int device_write(const char *dev, const char *file, const char *text)
{
	char *path = file_of(dev, file);
	int fd = open(path, O_WRONLY | O_CLOEXEC), err = errno;

	free(path);
	if (fd < 0)
		return err;
	err = write(fd, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : errno;
	close(fd);
	return err;
}

int device_open(const char *dev, const char *file, int flags)
{
	char *path = file_of(dev, file);
	int fd = open(path, flags | O_CLOEXEC);

	if (fd < 0 && (errno == EACCES || errno == EPERM))
		cli_error("lint is root's alone: run it as root");
	else if (fd < 0 && errno == ENOENT)
		cli_error("%s: this driver has no file %s", dev, file);
	else if (fd < 0)
		cli_error("%s: %s", path, strerror(errno));
	free(path);
	return fd;
}
