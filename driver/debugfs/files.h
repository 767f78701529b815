/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Shared by the files of this folder. */
#ifndef GLASS_DEBUGFS_FILES_H
#define GLASS_DEBUGFS_FILES_H

#include <linux/debugfs.h>

#include "model/device.h"
#include "inject/inject.h"
#include "rules/parse.h"

#define GLASS_CONTROL_FILES 48

/*
 * The mode of files that are read and written. Lockdown refuses each file whose mode has a write
 * bit, also to a reader (debugfs_locked_down()), and each open for writing, whatever the mode. So
 * the mode has no such bit: root writes by CAP_DAC_OVERRIDE.
 */
#define GLASS_CONTROL_BOTH 0400

/*
 * The folder of a device: glass_dev.control_files. It and inject/ remain while the device is
 * unplugged.
 */
struct glass_control {
	struct glass_dev *dev; /* the device whose files are added */
	struct glass_inject *inject;
	struct glass_lint *lint;
	struct dentry *dir, *inject_dir, *lint_dir, *behavior_dir;
	struct dentry *file[GLASS_CONTROL_FILES]; /* files that are removed with the device */
	/* like file[]: used only while the device is plugged in or out, by one context at a time */
	u32 nfiles;
};

/* file.c: makes a file of the device, which is removed with it. Its private data is c->dev. */
void glass_control_file(struct glass_control *c, struct dentry *dir, const char *name, umode_t mode,
			const struct file_operations *fops);
/* The same for one that guards itself against the removal. */
void glass_control_file_unsafe(struct glass_control *c, struct dentry *dir, const char *name,
			       umode_t mode, const struct file_operations *fops);

/*
 * inject_files.c: the files below inject/ that remain, and those that are removed with the device
 */
void glass_inject_add(struct glass_control *c);
void glass_inject_add_device(struct glass_control *c);

/*
 * lint_files.c: the files of lint/ that remain, and those, with behavior/, that are removed with
 * the device
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

/* file.c: a directory of the device, which is removed with it, and the files in it, too. */
struct dentry *glass_control_device_dir(struct glass_control *c, const char *name);

/* file.c: a directory that only root may enter. ERR_PTR without debugfs. */
struct dentry *glass_control_dir(const char *name, struct dentry *parent);

#endif
