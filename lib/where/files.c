// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/cli.h"
#include "lib/where/files.h"

#define DEBUG_DIR "/usr/lib/debug"

/*
 * Opens a regular file. A name that a program chose may be that of a FIFO or a device: opening
 * those could block, or have effects.
 */
static int open_regular(const char *path)
{
	struct stat st;
	int fd;

	if (*path != '/')
		return -1;
	/* a path first: the open of a device would be an effect already */
	fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return -1;
	}
	close(fd);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	/* it may be another file by now */
	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static int open_and_free(char *path)
{
	int fd = open_regular(path);

	free(path);
	return fd;
}

int files_open_module(const struct where_module *m)
{
	return open_regular(m->path);
}

/* ---- debuginfod */

/* The part of libdebuginfod that is needed. It is loaded only for users who want it. */
struct debuginfod {
	void *(*begin)(void);
	int (*find)(void *client, const unsigned char *build_id, int bytes, char **path);
	void (*end)(void *client);
};

static bool load_debuginfod(struct debuginfod *d)
{
	void *library = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return false;
	*(void **)&d->begin = dlsym(library, "debuginfod_begin");
	*(void **)&d->find = dlsym(library, "debuginfod_find_debuginfo");
	*(void **)&d->end = dlsym(library, "debuginfod_end");
	return d->begin && d->find && d->end;
}

static int fetch_debug(const struct where_module *m)
{
	const char *servers = getenv("DEBUGINFOD_URLS");
	struct debuginfod d;
	void *client;
	int fd;

	if (!servers || !*servers || !load_debuginfod(&d))
		return -1;
	client = d.begin();
	if (!client)
		return -1;
	fd = d.find(client, m->build_id, m->build_id_bytes, NULL);
	d.end(client);
	return fd < 0 ? -1 : fd;
}

/* ---- debugging information */

int files_open_debug(const struct where_module *m)
{
	char hex[2 * WHERE_BUILD_ID + 1] = "";
	size_t i;
	int fd;

	if (m->build_id_bytes < 2)
		return -1;
	for (i = 0; i < m->build_id_bytes; i++)
		sprintf(hex + 2 * i, "%02x", m->build_id[i]);
	fd = open_and_free(format_text(DEBUG_DIR "/.build-id/%.2s/%s.debug", hex, hex + 2));
	return fd < 0 ? fetch_debug(m) : fd;
}

int files_open_link(const struct where_module *m, const char *name)
{
	const char *slash = strrchr(m->path, '/');
	int n = slash ? slash - m->path + 1 : 0;
	int fd;

	if (!n || !*name || strchr(name, '/') || strstr(m->path, ".."))
		return -1;
	fd = open_and_free(format_text("%.*s%s", n, m->path, name));
	if (fd < 0)
		fd = open_and_free(format_text("%.*s.debug/%s", n, m->path, name));
	if (fd < 0)
		fd = open_and_free(format_text(DEBUG_DIR "%.*s%s", n, m->path, name));
	return fd;
}

int files_open_shared(const char *path)
{
	const char *part = strstr(path, "/.dwz/");

	if (!part || strstr(part, ".."))
		return -1;
	return open_and_free(format_text(DEBUG_DIR "%s", part));
}
