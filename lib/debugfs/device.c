// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/cli.h"
#include "lib/debugfs/device.h"
#include "lib/lockdown.h"
#include "lib/nearest.h"

static char *path_of(const char *dev, const char *file)
{
	return format_text("%s/%s/%s", debugfs_root, dev, file);
}

static bool has_file(const char *dev, const char *file)
{
	char *path = path_of(dev, file);
	bool has = !access(path, F_OK);

	free(path);
	return has;
}

static int by_number(const void *a, const void *b)
{
	return strverscmp(a, b);
}

int debugfs_devices_with(const char *file, struct devices *all)
{
	struct dirent *e;
	DIR *dir;

	all->count = 0;
	dir = access(debugfs_root, R_OK | X_OK) ? NULL : opendir(debugfs_root);
	if (!dir)
		return errno;
	while (all->count < DEVICES_MAX && (e = readdir(dir)))
		if (e->d_name[0] != '.' && strlen(e->d_name) < DEVICE_NAME &&
		    has_file(e->d_name, file))
			strcpy(all->name[all->count++], e->d_name);
	closedir(dir);
	qsort(all->name, all->count, sizeof(all->name[0]), by_number);
	return 0;
}

bool debugfs_find(const struct debugfs_use *use, struct devices *all)
{
	int err = debugfs_devices_with(use->file, all);

	if (err == EACCES || err == EPERM)
		cli_error("only root may use %s; run this program as root", use->what);
	else if (err == ENOENT)
		cli_error("no Glass in this kernel, or debugfs is not mounted (%s is not there)",
			  debugfs_root);
	else if (err)
		cli_error("%s: %s", debugfs_root, strerror(err));
	else if (!all->count)
		cli_error("%s (%s has none)", use->none, debugfs_root);
	return !err && all->count;
}

bool devices_have(const struct devices *all, const char *name)
{
	size_t i;

	for (i = 0; i < all->count; i++)
		if (!strcmp(all->name[i], name))
			return true;
	return false;
}

const char *devices_nearest(const struct devices *all, const char *name)
{
	struct glass_nearest near = glass_nearest_to(name);
	size_t i;

	for (i = 0; i < all->count; i++)
		glass_nearest_consider(&near, all->name[i]);
	return near.found;
}

int debugfs_open(const struct debugfs_use *use, const char *dev, const char *file, int flags)
{
	char *path = path_of(dev, file);
	int fd = open(path, flags | O_CLOEXEC), err = errno;
	char *locked = fd < 0 ? lockdown_refusal(path, err) : NULL;

	if (locked)
		cli_error("%s", locked);
	else if (fd < 0 && (err == EACCES || err == EPERM))
		cli_error("only root may use %s; run this program as root", use->what);
	else if (fd < 0 && err == ENOENT)
		cli_error("%s: this driver has no file %s", dev, file);
	else if (fd < 0)
		cli_error("%s: %s", path, strerror(err));
	free(locked);
	free(path);
	return fd;
}

int debugfs_write(const char *dev, const char *file, const char *text)
{
	char *path = path_of(dev, file);
	int fd = open(path, O_WRONLY | O_CLOEXEC), err = errno;
	ssize_t n;

	free(path);
	if (fd < 0)
		return err;
	n = write(fd, text, strlen(text));
	err = n < 0 ? errno : (size_t)n < strlen(text) ? EIO : 0;
	close(fd);
	return err;
}

char *debugfs_write_error(const char *dev, const char *file, int err)
{
	char *path = path_of(dev, file), *text = lockdown_refusal(path, err);

	if (!text)
		text = format_text("%s: %s: %s", dev, file, strerror(err));
	free(path);
	return text;
}
