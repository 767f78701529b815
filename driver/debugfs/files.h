/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shared by the files of this folder: the directory of a device, and functions that add its files.
 */
#ifndef GLASS_DEBUGFS_FILES_H
#define GLASS_DEBUGFS_FILES_H

#include <linux/debugfs.h>

#include "model/device.h"
#include "inject/inject.h"
#include "rules/parse.h"

#define GLASS_CONTROL_FILES 48 /* size of glass_control.file[] */

/*
 * The mode of files that are read and written. It has no write bit, so that the files can be read
 * under lockdown: lockdown refuses to open a file with a write bit, even for reading, and refuses
 * each open for writing (debugfs_locked_down()). Otherwise root can write: CAP_DAC_OVERRIDE.
 */
#define GLASS_CONTROL_BOTH 0400

/*
 * The directory of a device, glass_dev.control_files. It remains while the device is unplugged,
 * with inject/, lint/ and behavior/; files of the device's objects do not.
 */
struct glass_control {
	struct glass_dev *dev; /* private data of the files that are removed with the device */
	struct glass_inject *inject;
	struct glass_lint *lint;
	struct dentry *dir, *inject_dir, *lint_dir, *behavior_dir;
	struct dentry *file[GLASS_CONTROL_FILES]; /* files that are removed with the device */
	u32 nfiles; /* used, like file[], only by the one context that plugs the device in or out */
};

/* file.c: makes a file that is removed with the device. Its private data is c->dev. */
void glass_control_file(struct glass_control *c, struct dentry *dir, const char *name, umode_t mode,
			const struct file_operations *fops);
/* The same, but reads and writes may go on after the removal (debugfs_create_file_unsafe()). */
void glass_control_file_unsafe(struct glass_control *c, struct dentry *dir, const char *name,
			       umode_t mode, const struct file_operations *fops);

/*
 * inject_files.c: the files of inject/ that remain while the device is unplugged, and those that
 * are removed with it
 */
void glass_inject_add(struct glass_control *c);
void glass_inject_add_device(struct glass_control *c);

/*
 * lint_files.c: the files of lint/ that remain while the device is unplugged, and those of lint/
 * and behavior/ that are removed with it
 */
void glass_lint_add(struct glass_control *c);
void glass_lint_add_device(struct glass_control *c);

/* bookmark.c */
void glass_bookmark_add(struct glass_control *c);

/* inspect.c */
void glass_inspect_add(struct glass_control *c);

/* details.c: the directory details/ with its files */
void glass_details_add(struct glass_control *c);

/* raw.c */
void glass_raw_add(struct glass_control *c);

/* flight_file.c */
void glass_flight_add(struct glass_control *c);

/* capture_file.c */
void glass_capture_add(struct glass_control *c);

/* file.c: makes a directory that is removed with the device, and with it the files in it. */
struct dentry *glass_control_device_dir(struct glass_control *c, const char *name);

/* file.c: makes a directory that only root may enter. ERR_PTR without debugfs. May sleep. */
struct dentry *glass_control_dir(const char *name, struct dentry *parent);

#endif
