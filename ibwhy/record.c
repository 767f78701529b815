// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ibwhy.h"
#include "lib/debugfs/device.h"
#include "lib/where/story.h"
#include "record.h"

/* A scope ends when its file is closed. */
static int scope[DEVICES_MAX];
static size_t scopes;
static struct where *where;

void record_begin(void)
{
	struct devices devices;
	char line[64], *path;
	size_t i;
	int fd;

	if (debugfs_devices_with("lint/scope", &devices))
		return;
	snprintf(line, sizeof(line), "add pid=%d owner stacks\n", (int)getpid());
	for (i = 0; i < devices.count; i++) {
		path = format_text("%s/%s/lint/scope", debugfs_root, devices.name[i]);
		fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
		if (fd < 0 || write(fd, line, strlen(line)) < 0)
			cli_error("%s: %s: the command does not record from where it calls verbs", path,
				  strerror(errno));
		if (fd >= 0)
			scope[scopes++] = fd;
		free(path);
	}
}

void record_add(struct why_story *s, bool with_places)
{
	if (with_places && !where) {
		where = where_new();
		if (!where)
			cli_die(CLI_FAILED, "out of memory");
	}
	if (with_places)
		where_story_places(where, s);
	where_story_lint(with_places ? where : NULL, s);
}

void record_end(void)
{
	while (scopes)
		close(scope[--scopes]);
	where_free(where);
	where = NULL;
}
