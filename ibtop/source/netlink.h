/* SPDX-License-Identifier: GPL-2.0-only */
/* The parser of netlink.c, also for its tests. */
#ifndef IBTOP_SOURCE_NETLINK_H
#define IBTOP_SOURCE_NETLINK_H

#include <linux/netlink.h>

#include "ibtop/model/snapshot.h"

/* The objects in a message, and their destination */
struct object_fill {
	struct model *m;
	int dev;
	enum view_id view; /* a view that netlink supports */
	bool keys_hidden; /* set if a memory region came without its keys */
};

/* Adds each object of a message as a row of the current snapshot. fill: a struct object_fill. */
int netlink_add_objects(const struct nlmsghdr *h, void *fill);

#endif
