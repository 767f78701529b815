/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The files below /sys/kernel/debug/glass: what every object is doing, faults
 * to inject, bookmarks for the trace. Nothing in the driver depends on them:
 * without debugfs they are simply not there.
 */
#ifndef GLASS_CONTROL_CONTROL_H
#define GLASS_CONTROL_CONTROL_H

struct glass_dev;
struct work_struct;

/* Once, at module load and unload; before the first device and after the last. */
int glass_control_init(void);
void glass_control_exit(void);

/*
 * The directory of a device that is registered. Removing waits for those who
 * are reading or writing a file just then; files that stay open answer -EIO. To
 * be removed before the device's objects go. May sleep.
 */
int glass_control_add(struct glass_dev *dev);
void glass_control_remove(struct glass_dev *dev);

/* Work: ends injection rules of a device whose time or process is over. */
void glass_inject_sweep(struct work_struct *work);

#endif
