/* SPDX-License-Identifier: GPL-2.0-only */
/* What tells of objects: each fills what it knows into the current snapshot, and tells what it could not read. */
#ifndef IBTOP_SOURCE_SOURCE_H
#define IBTOP_SOURCE_SOURCE_H

#include <sys/types.h>

#include "ibtop/model/model.h"

struct netlink *netlink_open(void); /* NULL: errno */
void netlink_close(struct netlink *nl);
/* The devices there are, into m->devices. False: netlink cannot tell. */
bool netlink_devices(struct model *m);
void netlink_ports(struct model *m, int dev);
/* Objects of a device; only_cm: the CM ids alone, the rest comes from elsewhere. */
void netlink_objects(struct model *m, int dev, bool only_cm);
/* Hardware counters of a port: calls fn for each. False: it has none, or they cannot be read. */
bool netlink_counters(struct model *m, int dev, unsigned int port,
		      void (*fn)(void *arg, const char *name, uint64_t value), void *arg);

void sysfs_devices(struct model *m);
void sysfs_ports(struct model *m, int dev);

/* Is there Glass' directory, and may it be read? Sets device.glass. */
void debugfs_devices(struct model *m);
/* Tables of a device; true when they were read, and netlink's objects are not needed. */
bool debugfs_tables(struct model *m, int dev);
/* inspect: the answer to a line, into m->file; 0 or -errno. */
int debugfs_inspect(struct model *m, const char *dev, const char *line);

/* Names of processes that netlink knows by number only; who runs them. */
void proc_fill(struct model *m);

#endif
