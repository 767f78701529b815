/* SPDX-License-Identifier: GPL-2.0-only */
/* The Glass adapters of this host: each is a folder of debugfs. */
#ifndef GLASS_LIB_DEBUGFS_DEVICE_H
#define GLASS_LIB_DEBUGFS_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/debugfs/file.h"

#define DEVICE_NAME 64 /* with the NUL; a longer name is passed over */
#define DEVICES_MAX 16 /* as many as the driver makes (num_hcas) */

struct devices {
	char name[DEVICES_MAX][DEVICE_NAME];
	size_t count;
};

/* What a tool wants of adapters: words for its errors */
struct debugfs_use {
	const char *what; /* "injection": it is root's alone */
	const char *file; /* "inject/rules": an adapter without it is none for this tool */
	const char *none; /* "there is no adapter": when no adapter has the file */
};

/* The adapters that have the file, in the order of their numbers. 0, or errno. */
int debugfs_devices_with(const char *file, struct devices *all);

/* The same for a tool. False: there are none, or they cannot be looked for; cli_error() says it. */
bool debugfs_find(const struct debugfs_use *use, struct devices *all);

bool devices_have(const struct devices *all, const char *name);
/* The adapter that was probably meant by a name that is not there; NULL: none is near. */
const char *devices_nearest(const struct devices *all, const char *name);

/* Opens a file of an adapter. -1; cli_error() says why. */
int debugfs_open(const struct debugfs_use *use, const char *dev, const char *file, int flags);

/* Writes a text to a file of an adapter, in one write. 0, or errno. */
int debugfs_write(const char *dev, const char *file, const char *text);

#endif
