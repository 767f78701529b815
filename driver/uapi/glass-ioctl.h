/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Numbers of the uverbs objects, methods and attributes that only this driver has. They are in the
 * namespace that uverbs leaves to drivers (UVERBS_ID_NS_SHIFT).
 */
#ifndef GLASS_UAPI_IOCTL_H
#define GLASS_UAPI_IOCTL_H

#include <linux/ioctl.h>
#include <rdma/ib_user_ioctl_cmds.h>

/* Methods of UVERBS_OBJECT_DEVICE */
enum glass_device_methods {
	/* The provider reports to the driver, or asks it about a verb (struct glass_report). */
	GLASS_METHOD_REPORT = (1U << UVERBS_ID_NS_SHIFT),
	/* The provider asks for the memory in which it records call stacks (glass-where.h). */
	GLASS_METHOD_WHERE,
};

enum glass_report_attrs {
	/* PTR_IN, mandatory: struct glass_report */
	GLASS_ATTR_REPORT_DATA = (1U << UVERBS_ID_NS_SHIFT),
};

enum glass_where_attrs {
	/* PTR_IN, mandatory: struct glass_where_req */
	GLASS_ATTR_WHERE_REQ = (1U << UVERBS_ID_NS_SHIFT),
	GLASS_ATTR_WHERE_RESP, /* PTR_OUT, mandatory: struct glass_where_resp */
};

/* Methods of UVERBS_OBJECT_PD */
enum glass_pd_methods {
	/* Returns the number of a protection domain that a program has imported. */
	GLASS_METHOD_PD_QUERY = (1U << UVERBS_ID_NS_SHIFT),
};

enum glass_pd_query_attrs {
	GLASS_ATTR_PD_QUERY_HANDLE = (1U << UVERBS_ID_NS_SHIFT), /* IDR, read */
	GLASS_ATTR_PD_QUERY_RESP, /* PTR_OUT: struct glass_alloc_pd_resp */
};

/* Methods of UVERBS_OBJECT_DM */
enum glass_dm_methods {
	/* Describes a device memory that a program has imported, so that the program can map it. */
	GLASS_METHOD_DM_QUERY = (1U << UVERBS_ID_NS_SHIFT),
};

enum glass_dm_query_attrs {
	GLASS_ATTR_DM_QUERY_HANDLE = (1U << UVERBS_ID_NS_SHIFT), /* IDR, read */
	GLASS_ATTR_DM_QUERY_RESP, /* PTR_OUT: struct glass_dm_resp */
};

/* An attribute that the driver adds to UVERBS_METHOD_DM_ALLOC */
enum glass_alloc_dm_attrs {
	GLASS_ATTR_ALLOC_DM_RESP = (1U << UVERBS_ID_NS_SHIFT), /* PTR_OUT: struct glass_dm_resp */
};

/* An attribute that the driver adds to UVERBS_METHOD_QUERY_CONTEXT, for imported contexts */
enum glass_query_context_attrs {
	/* PTR_OUT: struct glass_alloc_ucontext_resp */
	GLASS_ATTR_QUERY_CONTEXT_RESP = (1U << UVERBS_ID_NS_SHIFT),
};

enum glass_objects {
	/* The doorbell of a context, a file descriptor (GLASS_DOORBELL_WHENCE) */
	GLASS_OBJECT_DOORBELL = (1U << UVERBS_ID_NS_SHIFT),
};

enum glass_doorbell_methods {
	GLASS_METHOD_DOORBELL_ALLOC = (1U << UVERBS_ID_NS_SHIFT),
};

enum glass_doorbell_attrs {
	/* FD, new, mandatory: the file descriptor */
	GLASS_ATTR_DOORBELL_FD = (1U << UVERBS_ID_NS_SHIFT),
};

/*
 * A program rings a doorbell by lseek(fd, qpn, GLASS_DOORBELL_WHENCE), when it has put sends or
 * receives into a ring of the QP whose `awake` is 0 (struct glass_ring_hdr, glass-abi.h). lseek()
 * returns 0, or fails with:
 * EINVAL  the doorbell's context has no such QP, or `whence` is not GLASS_DOORBELL_WHENCE
 * EIO     the context is closed, or the device is gone
 *
 * The file has no position. lseek() is the cheapest system call that passes a number, because
 * security modules have no hook in lseek(). Their hooks in ioctl() take more time than the driver's
 * look-up of the QP.
 */
#define GLASS_DOORBELL_WHENCE 0 /* SEEK_SET */

#endif
