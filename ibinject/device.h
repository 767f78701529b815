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
#include "rules/error.h"

extern const struct debugfs_use injection;

/*
 * Lists all devices by rising number. Returns ST_NO_DEVICE after an error message if there is none
 * or the user is not root.
 */
enum status devices_find(struct devices *all);

/* Removes the folder of the fabric, whose rules are for switches and passive adapters. */
void devices_without_fabric(struct devices *all);

/* Returns "glass0 glass1". The caller frees it. */
char *devices_names(const struct devices *all);

/*
 * Copies the name of an existing device, or FABRIC_DIR, to dev; name NULL: the only device.
 * Otherwise returns ST_NO_DEVICE or ST_USAGE after an error message.
 */
enum status device_choose(const char *name, char dev[DEVICE_NAME]);

/* As device_choose(), but finds the only device whose table `kind` has that number in `column`. */
enum status device_of_object(const char *kind, const char *column, uint64_t number,
			     char dev[DEVICE_NAME]);

/*
 * Begins to read a table in a file of a device. Returns false if the device has no such file or,
 * after an error message, if the file is no table. The caller must call device_done() in both
 * cases.
 */
bool device_table(struct debugfs_table *t, struct debugfs_file *f, const char *dev, const char *file,
		  const char *kind);

/* Reports the bad lines of a file once, and frees the file. */
void device_done(struct debugfs_file *f);

/*
 * As device_done(), for lists that change while they are read: an incomplete last line is not
 * reported.
 */
void device_done_looking(struct debugfs_file *f);

/* Why the driver refused a command */
struct refusal {
	int err;			 /* errno of the write; 0: not refused */
	struct glass_rule_error why;	 /* GLASS_RE_NONE: not known */
	char sentence[GLASS_RULE_ERROR]; /* if known: what is wrong, without the wrong word */
	char *text; /* a line for the user, from last_error or errno; freed by the caller */
};

/*
 * Reads the fields of an error: the second line of last_error. Returns false if the line has no
 * known kind, or bad numbers; then the kind is GLASS_RE_NONE.
 */
bool error_fields(const char *line, struct glass_rule_error *why);

/* Writes one command to the open file of rules. Returns ST_FAILED if the driver refuses it. */
enum status device_command(const char *dev, int fd, const char *command, struct refusal *told);

/* As device_command(), but opens the file itself and reports a refusal on standard error. */
enum status device_do(const char *dev, const char *command);

/* Has the word the form of a device's name? The device need not exist. */
bool looks_like_device(const char *word);

#endif
