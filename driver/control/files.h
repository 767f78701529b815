/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* What the files of this folder share. */
#ifndef GLASS_CONTROL_FILES_H
#define GLASS_CONTROL_FILES_H

#include <linux/debugfs.h>
#include <linux/list.h>
#include <linux/mutex.h>

#include "engine/device.h"
#include "rules/parse.h"

/* Rules that a device may have at a time, and firings that its journal remembers. */
#define GLASS_RULES_MAX 256
#define GLASS_JOURNAL_MAX 1024

struct glass_journal_entry {
	u64 seq; /* from 1 */
	u64 when; /* ktime_get_ns() */
	char rule[GLASS_RULE_NAME];
	enum glass_action action;
	enum glass_kind kind;
	u32 num;
	u32 port; /* QP0 and QP1; else 0 */
	pid_t pid; /* of the object's owner */
	char comm[TASK_COMM_LEN];
};

/* The private part of a device: glass_dev.control_files. */
struct glass_control {
	struct glass_dev *dev;
	struct dentry *dir;

	struct mutex lock; /* everything below; outside of all locks of the engine */
	struct list_head rules; /* struct glass_live_rule, oldest first */
	u32 num_rules;
	u32 auto_name; /* number of the last name that was chosen here */
	u64 fired; /* sequence number of the last firing */
	struct glass_journal_entry *journal; /* GLASS_JOURNAL_MAX, by (seq - 1) % MAX */
	char last_error[GLASS_RULE_ERROR];
};

/* inject.c: the files below inject/ */
int glass_inject_add(struct glass_control *c);
void glass_inject_free(struct glass_control *c);

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
