/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The files in /sys/kernel/debug/glass: the state of all objects, captures, the flight recorder,
 * fault injection, lint, strict mode, raw frames and bookmarks. In a kernel without debugfs there
 * are no such files, but the rest of the driver works.
 */
#ifndef GLASS_DEBUGFS_DEBUGFS_H
#define GLASS_DEBUGFS_DEBUGFS_H

struct glass_control;
struct glass_dev;
struct glass_fabric;
struct glass_inject;
struct glass_lint;

/*
 * The module calls glass_control_init() before it creates the first device, and
 * glass_control_exit() after it has removed the last device. glass_control_init() returns 0 or a
 * negative errno.
 */
int glass_control_init(struct glass_fabric *f);
void glass_control_exit(void);

/*
 * glass_control_new() creates the directory `name` of a device. In this directory it creates the
 * files of inject/ and lint/ that remain while the device is unplugged, and an empty behavior/. It
 * returns a new structure, or NULL if there is no debugfs, or ERR_PTR(-ENOMEM).
 * glass_control_free() removes the directory, waits for reads and writes in progress, and frees the
 * structure; c may be NULL. Both functions may sleep.
 */
struct glass_control *glass_control_new(struct glass_inject *in, struct glass_lint *lint,
					const char *name);
void glass_control_free(struct glass_control *c);

/*
 * glass_control_add() creates the files that need a registered device; c may be NULL.
 * glass_control_remove() removes these files. Call it before the device's objects are destroyed.
 * The function waits for reads and writes in progress, except those of glassN/capture. If a program
 * still has one of the files open, its later reads and writes fail with -EIO. glassN/capture is an
 * exception: the capture ends, but the program can still read the remaining records. Both functions
 * may sleep.
 */
void glass_control_add(struct glass_control *c, struct glass_dev *dev);
void glass_control_remove(struct glass_dev *dev);

/*
 * Waits for the end of all write() calls that are in progress on glassN/raw of any device. On
 * return, each frame that these calls wrote is delivered or dropped, or an injection rule has
 * queued a copy of the frame (act=delay, act=reorder or act=hold). If a rule has answered a frame
 * in place of the receiver, this answer is delivered or dropped, too. Answers of QPs may still be
 * in flight: glass_engine_quiesce() waits for these. May sleep.
 */
void glass_raw_flush(void);

#endif
