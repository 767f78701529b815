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
struct glass_inject;
struct glass_lint;

/*
 * The module calls init when it is loaded, before it creates the first device, and exit when it is
 * unloaded, after it has removed the last one. init returns 0 or a negative errno.
 */
int glass_control_init(void);
void glass_control_exit(void);

/*
 * Creates the directory `name` of a device, with those files of inject/ and lint/ that remain while
 * the device is unplugged. Returns NULL without debugfs, or ERR_PTR(-ENOMEM). glass_control_free()
 * removes the directory, and waits for reads and writes in progress; c may be NULL. Both may sleep.
 */
struct glass_control *glass_control_new(struct glass_inject *in, struct glass_lint *lint,
					const char *name);
void glass_control_free(struct glass_control *c);

/*
 * glass_control_add() creates the files that need a registered device; c may be NULL.
 * glass_control_remove() removes these files, and must be called before the device's objects are
 * destroyed. It waits for reads and writes in progress, except of glassN/capture. Later reads and
 * writes of a file that is still open fail with -EIO. But a capture ends: a program can still read
 * its remaining records. Both functions may sleep.
 */
void glass_control_add(struct glass_control *c, struct glass_dev *dev);
void glass_control_remove(struct glass_dev *dev);

/*
 * Waits for the frames of all write()s to a glassN/raw that began before this call, until each is
 * delivered, dropped, or stopped by an injection rule that delays or holds it. If a rule answers a
 * frame in place of its receiver, also waits until that answer is delivered or dropped. The answers
 * of QPs are not waited for here, but by glass_engine_quiesce(). May sleep.
 */
void glass_raw_flush(void);

#endif
