/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sources of objects. Each fills the current snapshot with its data, and reports what it could not
 * read.
 */
#ifndef IBTOP_SOURCE_SOURCE_H
#define IBTOP_SOURCE_SOURCE_H

#include <sys/types.h>

#include "ibtop/model/model.h"

struct netlink *netlink_open(void); /* NULL: see errno */
void netlink_close(struct netlink *nl);
/* Reads the list of devices into m->devices. Returns false if netlink is not available. */
bool netlink_devices(struct model *m);
void netlink_ports(struct model *m, int dev);
/* Reads objects of a device. only_cm: only CM ids, if another source has the other objects. */
void netlink_objects(struct model *m, int dev, bool only_cm);
/*
 * Calls fn for each hardware counter of a port. Returns false if there are none or they are
 * unreadable.
 */
bool netlink_counters(struct model *m, int dev, unsigned int port,
		      void (*fn)(void *arg, const char *name, uint64_t value), void *arg);

void sysfs_devices(struct model *m);
void sysfs_ports(struct model *m, int dev);

/* A GID of a port */
struct gid {
	unsigned int index;
	char gid[40], type[16];
	char netdev[64], address[48]; /* "": none */
};
/*
 * Calls fn for each GID of a port, in the order of the table. Returns false if sysfs has no table of
 * the port.
 */
bool sysfs_port_gids(const struct model *m, int dev, unsigned int port,
		     void (*fn)(void *arg, const struct gid *gid), void *arg);
/* Reads the GIDs of all ports of a device, which are known already. */
void sysfs_gids(struct model *m, int dev);

/* Checks for Glass' directory and its permissions. Sets device.glass. */
void debugfs_devices(struct model *m);
/* Reads the tables of a device. If true, netlink's objects are not needed. */
bool debugfs_tables(struct model *m, int dev);
/* Reads those of the tables of the fabric that the model wants. */
void debugfs_fabric(struct model *m);
/*
 * Reads what inspect says about an object into m->file. kind and title: "qp", "qp 0x11". If the
 * kernel is locked down, so that inspect cannot be asked, reads details/. Returns 0 or -errno.
 */
int debugfs_inspect(struct model *m, const char *dev, const char *kind, const char *title);

/* Fills in the names of processes that netlink identifies only by number, and their users. */
void proc_fill(struct model *m);

#endif
