/* SPDX-License-Identifier: GPL-2.0-only */
/* The adapters of this host, through debugfs. */
#ifndef IBINJECT_DEVICE_H
#define IBINJECT_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ibinject.h"
#include "lib/debugfs/device.h"
#include "lib/debugfs/table.h"

extern const struct debugfs_use injection;

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

/*
 * Begins to read the table in a file of a device. False: the device has no such file, or it is no
 * table, which is told. In both cases device_done() is called at last.
 */
bool device_table(struct debugfs_table *t, struct debugfs_file *f, const char *dev, const char *file,
		  const char *kind);

/* Tells the bad lines of a file once, and frees it. */
void device_done(struct debugfs_file *f);

/* The same for lists that change while they are looked at: a last line without newline is not told. */
void device_done_looking(struct debugfs_file *f);

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
