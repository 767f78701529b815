/* SPDX-License-Identifier: GPL-2.0-only */
/* The Glass adapters of this host: each has a folder in debugfs. */
#ifndef GLASS_LIB_DEBUGFS_DEVICE_H
#define GLASS_LIB_DEBUGFS_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/debugfs/file.h"

#define DEVICE_NAME 64 /* with the NUL; adapters with longer names are skipped */
#define DEVICES_MAX 33 /* the driver's own limit, 32, and the folder of the fabric */

struct devices {
	char name[DEVICES_MAX][DEVICE_NAME];
	size_t count;
};

/* The file that a tool needs of an adapter, and the words for its errors */
struct debugfs_use {
	const char *what; /* "injection": object of the error "only root may use ..." */
	const char *file; /* "inject/rules": an adapter without this file does not count */
	const char *none; /* "there is no adapter": printed when no adapter has the file */
};

/* Lists the adapters that have the file, by rising number. Returns 0 or an errno value. */
int debugfs_devices_with(const char *file, struct devices *all);

/* As debugfs_devices_with(). Returns false after cli_error() if there are none or on failure. */
bool debugfs_find(const struct debugfs_use *use, struct devices *all);

bool devices_have(const struct devices *all, const char *name);
/* Returns the adapter whose name is nearest to an unknown one, or NULL if none is near. */
const char *devices_nearest(const struct devices *all, const char *name);

/* Opens a file of an adapter. Returns -1 after cli_error() on failure (lib/lockdown.h). */
int debugfs_open(const struct debugfs_use *use, const char *dev, const char *file, int flags);

/* Writes a text to a file of an adapter with one write(). Returns 0 or an errno value. */
int debugfs_write(const char *dev, const char *file, const char *text);

/* Returns a sentence about the error of debugfs_write(), which the caller frees. */
char *debugfs_write_error(const char *dev, const char *file, int err);

#endif
