/* SPDX-License-Identifier: GPL-2.0-only */
/* What of source_netlink.c the tests of its parsers need. */
#ifndef IBTOP_NETLINK_H
#define IBTOP_NETLINK_H

#include <linux/netlink.h>

#include "ibtop/internal.h"

/* The value of an attribute of 1, 4 or 8 bytes; false: it has another length. */
bool attr_u64(const struct nlattr *a, uint64_t *value);
/* A text, which may lack its NUL; false: it has no room. */
bool attr_text(const struct nlattr *a, char *text, size_t size);

/* Each of one kind of netlink's objects (enum view_id) in a message, as rows of the current snapshot. */
int netlink_parse_objects(struct model *m, int dev, enum view_id view, const struct nlmsghdr *h);

#endif
