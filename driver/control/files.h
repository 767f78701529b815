/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* What the files of this folder share. */
#ifndef GLASS_CONTROL_FILES_H
#define GLASS_CONTROL_FILES_H

#include <linux/debugfs.h>

#include "engine/device.h"
#include "rules/parse.h"

/* The private part of a device: glass_dev.control_files. */
struct glass_control {
	struct glass_dev *dev;
	struct dentry *dir;

	char last_error[GLASS_RULE_ERROR]; /* under dev->inject.lock */
};

/* inject_files.c: the files below inject/ */
void glass_inject_add(struct glass_control *c);

/* bookmark.c */
void glass_bookmark_add(struct glass_control *c);

/* inspect.c */
void glass_inspect_add(struct glass_control *c);

/* raw.c */
void glass_raw_add(struct glass_control *c);

/* flight_file.c */
void glass_flight_add(struct glass_control *c);

/* capture_file.c */
void glass_capture_add(struct glass_control *c);

/* debugfs.c: a directory that only root may enter. ERR_PTR without debugfs. */
struct dentry *glass_control_dir(const char *name, struct dentry *parent);

#endif
