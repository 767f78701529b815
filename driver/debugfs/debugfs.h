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

/* Called once: init at module load, before the first device; exit at unload, after the last. */
int glass_control_init(void);
void glass_control_exit(void);

/*
 * Makes the directory of a device, with the files of its injection rules and of lint, which remain
 * while the device is unplugged. Returns NULL without debugfs, or ERR_PTR(-ENOMEM). free: accepts
 * NULL; waits for reads and writes in progress. May sleep.
 */
struct glass_control *glass_control_new(struct glass_inject *in, struct glass_lint *lint,
					const char *name);
void glass_control_free(struct glass_control *c);

/*
 * Add and remove the files that need a registered device. remove waits for reads and writes in
 * progress; later ones, of files that are still open, fail with -EIO. An open capture ends instead.
 * Call remove before the device's objects are destroyed. May sleep.
 */
void glass_control_add(struct glass_control *c, struct glass_dev *dev);
void glass_control_remove(struct glass_dev *dev);

/*
 * Waits until every write() to a glassN/raw that began before this call has returned. Then its
 * frame is delivered or dropped, and so is a packet with which an injection rule answered the
 * frame. glass_engine_quiesce() waits for the answers of QPs. May sleep.
 */
void glass_raw_flush(void);

#endif
