/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The files below /sys/kernel/debug/glass: the state of every object, faults to inject, bookmarks
 * for the trace. The driver does not depend on them: without debugfs they do not exist.
 */
#ifndef GLASS_DEBUGFS_DEBUGFS_H
#define GLASS_DEBUGFS_DEBUGFS_H

struct glass_control;
struct glass_dev;
struct glass_inject;
struct glass_lint;

/* Once, at module load and unload; before the first device and after the last. */
int glass_control_init(void);
void glass_control_exit(void);

/*
 * Makes the directory of a device with the files of its injection rules and of lint, which exist
 * also while the device is unplugged. NULL: there is no debugfs; else the directory, or an ERR_PTR.
 * free: takes NULL, too; waits for readers and writers in progress. May sleep.
 */
struct glass_control *glass_control_new(struct glass_inject *in, struct glass_lint *lint,
					const char *name);
void glass_control_free(struct glass_control *c);

/*
 * The files of a registered device. Removing them waits for readers and writers in progress; files
 * that remain open return -EIO. Call remove before the device's objects are destroyed. May sleep.
 */
void glass_control_add(struct glass_control *c, struct glass_dev *dev);
void glass_control_remove(struct glass_dev *dev);

/*
 * Waits until every write() to a file raw that began before this call has returned. A write()
 * returns when its frame, and each packet that devices sent in answer to it, has been delivered or
 * dropped, on every device. May sleep.
 */
void glass_raw_flush(void);

#endif
