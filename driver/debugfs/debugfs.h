/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The files below /sys/kernel/debug/glass: state of all objects, captures, flight recorder, fault
 * injection, lint, strict mode, raw frames and bookmarks. The rest of the driver also works in a
 * kernel without debugfs, where none of these files exists.
 */
#ifndef GLASS_DEBUGFS_DEBUGFS_H
#define GLASS_DEBUGFS_DEBUGFS_H

struct glass_control;
struct glass_dev;
struct glass_fabric;
struct glass_inject;
struct glass_lint;

/*
 * The module calls glass_control_init() when it is loaded, before it creates the first device, and
 * glass_control_exit() when it is unloaded, after it has removed the last device.
 * glass_control_init() returns 0 or a negative errno.
 */
int glass_control_init(struct glass_fabric *f);
void glass_control_exit(void);

/*
 * Creates the directory `name` of a device, with those files of inject/ and lint/ that remain while
 * the device is unplugged. Returns a new structure, NULL if there is no debugfs, or
 * ERR_PTR(-ENOMEM). glass_control_free() removes the directory, waits for reads and writes in
 * progress, and frees the structure; c may be NULL. Both functions may sleep.
 */
struct glass_control *glass_control_new(struct glass_inject *in, struct glass_lint *lint,
					const char *name);
void glass_control_free(struct glass_control *c);

/*
 * glass_control_add() creates the files that need a registered device; c may be NULL.
 * glass_control_remove() removes these files, and must be called before the device's objects are
 * destroyed. It waits for reads and writes in progress, except those of glassN/capture. Later reads
 * and writes of a file that is still open fail with -EIO. An open glassN/capture is an exception:
 * its capture ends, but a program can still read the remaining records. Both functions may sleep.
 */
void glass_control_add(struct glass_control *c, struct glass_dev *dev);
void glass_control_remove(struct glass_dev *dev);

/*
 * Waits for all write()s in progress to the files glassN/raw of all devices. On return, each of
 * their frames is delivered or dropped, or an injection rule keeps a copy (act=delay, reorder or
 * hold). If a rule answered a frame in place of the receiver, that answer is delivered or dropped,
 * too. Answers of QPs may still be in flight: glass_engine_quiesce() waits for these. May sleep.
 */
void glass_raw_flush(void);

#endif
