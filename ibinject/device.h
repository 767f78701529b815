/* SPDX-License-Identifier: GPL-2.0-only */
/* The adapters of this host, through debugfs. */
#ifndef IBINJECT_DEVICE_H
#define IBINJECT_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ibinject.h"

#define DEVICE_NAME 64
#define DEVICES_MAX 16

/* Where devices have their folders; tests have theirs somewhere else. */
extern const char *device_root;

struct devices {
	char name[DEVICES_MAX][DEVICE_NAME];
	size_t count;
};

/* All devices, in the order of their numbers. ST_NO_DEVICE, told: there are none, or not root. */
enum status devices_find(struct devices *all);

/* "glass0 glass1", for the caller to free */
char *devices_names(const struct devices *all);

/*
 * The device of that name into dev; NULL: the only one. Else ST_NO_DEVICE or ST_USAGE, told.
 */
enum status device_choose(const char *name, char dev[DEVICE_NAME]);

/* The same where an object tells: the only device whose table `kind` has that number in `column`.
 */
enum status device_of_object(const char *kind, const char *column, uint64_t number,
			     char dev[DEVICE_NAME]);

/* One file of a device, as text that ends in a NUL; NULL with errno. */
char *device_read(const char *dev, const char *file);

/* Opens one; -1, told. */
int device_open(const char *dev, const char *file, int flags);

/*
 * Gives the open file of rules one command. ST_FAILED: refused, and told (a text for the caller
 * to free) is what last_error says, or what errno means.
 */
enum status device_command(const char *dev, int fd, const char *command, char **told);

/* The same with a file that is opened for that; what was refused is told on standard error. */
enum status device_do(const char *dev, const char *command);

/* Is this a name of a device? One that is not there is one, too. */
bool looks_like_device(const char *word);

#endif
