/* SPDX-License-Identifier: GPL-2.0-only */
/* How netlink.c reads a message, for it and for the tests of its parser. */
#ifndef IBTOP_SOURCE_NETLINK_H
#define IBTOP_SOURCE_NETLINK_H

#include <linux/netlink.h>

#include "ibtop/model/snapshot.h"

/* Which objects a message tells of, and where they go. */
struct object_fill {
	struct model *m;
	int dev;
	enum view_id view; /* one of those that netlink has */
	bool keys_hidden; /* set when a memory region came without its keys */
};

/* Adds each object in a message as a row of the current snapshot. fill: a struct object_fill. */
int netlink_add_objects(const struct nlmsghdr *h, void *fill);

#endif
