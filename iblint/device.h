/* SPDX-License-Identifier: GPL-2.0-only */
/* The adapters of this host that can be linted, through debugfs. */
#ifndef IBLINT_DEVICE_H
#define IBLINT_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

#include "iblint.h"

#define DEVICE_NAME 64
#define DEVICES_MAX 16

/* Where devices have their folders; tests have theirs somewhere else. */
extern const char *device_root;

struct devices {
	char name[DEVICES_MAX][DEVICE_NAME];
	size_t count;
};

/*
 * All devices that have lint, in the order of their numbers; `only` (count 0: all) says which are
 * wanted. ST_NO_DEVICE, told: one of them is not there, or none at all, or not root.
 */
enum status devices_find(const struct devices *only, struct devices *all);

/* One file of a device, as text that ends in a NUL; NULL with errno. */
char *device_read(const char *dev, const char *file);

/* Writes one to a file of a device. 0, or errno. */
int device_write(const char *dev, const char *file, const char *text);

/* Opens one; -1, told. */
int device_open(const char *dev, const char *file, int flags);

/* All of an open file from its beginning, as device_read(). */
char *file_read(int fd);

#endif
