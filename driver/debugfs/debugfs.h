/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The files below /sys/kernel/debug/glass: what every object is doing, faults
 * to inject, bookmarks for the trace. Nothing in the driver depends on them:
 * without debugfs they are simply not there.
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
 * The directory of a device and, in it, its injection rules and what lint looks at: they
 * are there while the device is not. NULL: there is no debugfs; else, or an ERR_PTR. free: takes NULL, too;
 * waits for those who are reading or writing a file just then. May sleep.
 */
struct glass_control *glass_control_new(struct glass_inject *in, struct glass_lint *lint,
					const char *name);
void glass_control_free(struct glass_control *c);

/*
 * The files of a device that is registered. Removing waits for those who
 * are reading or writing a file just then; files that stay open answer -EIO. To
 * be removed before the device's objects go. May sleep.
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
