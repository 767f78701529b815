/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The debugfs directory of a device, and functions that create the files in it. Only the sources in
 * debugfs/ use them.
 */
#ifndef GLASS_DEBUGFS_FILES_H
#define GLASS_DEBUGFS_FILES_H

#include <linux/debugfs.h>

#include "model/device.h"
#include "inject/inject.h"
#include "rules/parse.h"

#define GLASS_CONTROL_FILES 48 /* size of glass_control.file[] */

/*
 * The mode of files that can be read and written. The mode has no write bit, because under kernel
 * lockdown a file with a write bit cannot be opened, even for reading (debugfs_locked_down()). So
 * under lockdown, programs can read these files, but not write them. Without lockdown, root can
 * also write them, because it has the capability CAP_DAC_OVERRIDE. glassN/inspect has another mode,
 * because that file is useless without writes.
 */
#define GLASS_CONTROL_BOTH 0400

/*
 * The directory of a device (glass_dev.control_files). While the device is unplugged, the directory
 * has only inject/, lint/ and behavior/, and in these only the files that need no device. All other
 * files and directories are removed with the device, and are created again when it returns.
 */
struct glass_control {
	struct glass_dev *dev; /* private data of the files that are removed with the device */
	struct glass_inject *inject;
	struct glass_lint *lint;
	/* the directory itself, and in it inject/, lint/ and behavior/ */
	struct dentry *dir, *inject_dir, *lint_dir, *behavior_dir;
	/*
	 * The files and directories that are removed with the device, and their number. Only the
	 * context that plugs or unplugs the device uses these two fields.
	 */
	struct dentry *file[GLASS_CONTROL_FILES];
	u32 nfiles;
};

/* file.c: creates a file that is removed with the device. The file's private data is c->dev. */
void glass_control_file(struct glass_control *c, struct dentry *dir, const char *name, umode_t mode,
			const struct file_operations *fops);
/*
 * As glass_control_file(), but reads and writes of the file may continue after its removal
 * (debugfs_create_file_unsafe()).
 */
void glass_control_file_unsafe(struct glass_control *c, struct dentry *dir, const char *name,
			       umode_t mode, const struct file_operations *fops);

/*
 * inject_files.c. glass_inject_add() creates inject/, with the files that remain while the device
 * is unplugged. glass_inject_add_device() adds the files that are removed with the device.
 */
void glass_inject_add(struct glass_control *c);
void glass_inject_add_device(struct glass_control *c);

/*
 * lint_files.c. glass_lint_add() creates lint/, with the files that remain while the device is
 * unplugged. It also creates an empty behavior/. glass_lint_add_device() adds the files that are
 * removed with the device to both directories.
 */
void glass_lint_add(struct glass_control *c);
void glass_lint_add_device(struct glass_control *c);

/* bookmark.c */
void glass_bookmark_add(struct glass_control *c);

/* inspect.c */
void glass_inspect_add(struct glass_control *c);

/* details.c: creates details/ with its files */
void glass_details_add(struct glass_control *c);

/* raw.c */
void glass_raw_add(struct glass_control *c);

/* failure_files.c: creates the files of the black box. They need no device. */
void glass_failure_files(struct dentry *root);

/* flight_file.c */
void glass_flight_add(struct glass_control *c);

/* capture_file.c */
void glass_capture_add(struct glass_control *c);

/* fabric_capture.c: creates fabric/capture */
void glass_fabric_capture_add(struct dentry *dir, struct glass_fabric *f);

/*
 * dump_fabric.c: fills to[] with the name of the switch or passive CA that has this number
 * (glass_fabric_number()). If there is no such node, fills to[] with the number, such as "#5". May
 * sleep.
 */
void glass_fabric_node_name(u16 number, char to[GLASS_CAP_NODE]);

/* file.c: creates a directory that is removed with the device, together with the files in it. */
struct dentry *glass_control_device_dir(struct glass_control *c, const char *name);

/* file.c: creates a directory that only root may enter, or returns an ERR_PTR. May sleep. */
struct dentry *glass_control_dir(const char *name, struct dentry *parent);

#define GLASS_CONTROL_LINES 1024 /* a write of commands has at most this many bytes */

/*
 * file.c: executes a write whose lines are commands. Calls command(arg, line) for each line that is
 * not empty, until a call returns an error. Returns `count`, or that error. -EINVAL: the write is
 * empty, or longer than GLASS_CONTROL_LINES. After an error, the effects of the earlier commands
 * remain. May sleep.
 */
ssize_t glass_control_lines(const char __user *buf, size_t count,
			    int (*command)(void *arg, char *line), void *arg);

#endif
