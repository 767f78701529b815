/* SPDX-License-Identifier: GPL-2.0-only */
/* QPs of an adapter by rdma netlink. */
#ifndef IBWHY_NETLINK_H
#define IBWHY_NETLINK_H

#include <stdint.h>

struct netlink;

struct netlink_qp {
	uint64_t qpn, dest, pid;
	uint64_t state; /* of enum ib_qp_state */
	char comm[64];	/* printable; "a process" if its name is not known */
};

/* Returns NULL if the kernel has no rdma netlink. */
struct netlink *netlink_open(void);
void netlink_close(struct netlink *nl);

/* Calls fn for each QP of the adapter. Returns 0 or -errno. */
int netlink_qps(struct netlink *nl, const char *dev,
		void (*fn)(const struct netlink_qp *q, void *arg), void *arg);

#endif
