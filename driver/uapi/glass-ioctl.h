/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Numbers of the driver-specific ioctl objects and methods, in the driver's own
 * namespace.
 */
#ifndef GLASS_UAPI_IOCTL_H
#define GLASS_UAPI_IOCTL_H

#include <linux/ioctl.h>
#include <rdma/ib_user_ioctl_cmds.h>

/* Methods of UVERBS_OBJECT_DEVICE */
enum glass_device_methods {
	/* The provider reports events that the driver cannot see (struct glass_report). */
	GLASS_METHOD_REPORT = (1U << UVERBS_ID_NS_SHIFT),
};

enum glass_report_attrs {
	/* PTR_IN, mandatory: struct glass_report */
	GLASS_ATTR_REPORT_DATA = (1U << UVERBS_ID_NS_SHIFT),
};

/* Methods of UVERBS_OBJECT_PD */
enum glass_pd_methods {
	/* Returns the number of an imported protection domain. */
	GLASS_METHOD_PD_QUERY = (1U << UVERBS_ID_NS_SHIFT),
};

enum glass_pd_query_attrs {
	GLASS_ATTR_PD_QUERY_HANDLE = (1U << UVERBS_ID_NS_SHIFT), /* IDR, read */
	GLASS_ATTR_PD_QUERY_RESP, /* PTR_OUT: struct glass_alloc_pd_resp */
};

/* Methods of UVERBS_OBJECT_DM */
enum glass_dm_methods {
	/* Returns the mmap offset and size of an imported device memory. */
	GLASS_METHOD_DM_QUERY = (1U << UVERBS_ID_NS_SHIFT),
};

enum glass_dm_query_attrs {
	GLASS_ATTR_DM_QUERY_HANDLE = (1U << UVERBS_ID_NS_SHIFT), /* IDR, read */
	GLASS_ATTR_DM_QUERY_RESP, /* PTR_OUT: struct glass_dm_resp */
};

/* Further attribute of UVERBS_METHOD_DM_ALLOC */
enum glass_alloc_dm_attrs {
	GLASS_ATTR_ALLOC_DM_RESP = (1U << UVERBS_ID_NS_SHIFT), /* PTR_OUT: struct glass_dm_resp */
};

/* Further attribute of UVERBS_METHOD_QUERY_CONTEXT, for programs that import a context */
enum glass_query_context_attrs {
	GLASS_ATTR_QUERY_CONTEXT_RESP = (1U << UVERBS_ID_NS_SHIFT), /* PTR_OUT: struct glass_alloc_ucontext_resp */
};

enum glass_objects {
	/* The doorbell of a context, a file descriptor: see GLASS_DOORBELL_WHENCE */
	GLASS_OBJECT_DOORBELL = (1U << UVERBS_ID_NS_SHIFT),
};

enum glass_doorbell_methods {
	GLASS_METHOD_DOORBELL_ALLOC = (1U << UVERBS_ID_NS_SHIFT),
};

enum glass_doorbell_attrs {
	/* FD, new, mandatory */
	GLASS_ATTR_DOORBELL_FD = (1U << UVERBS_ID_NS_SHIFT),
};

/*
 * A program rings a doorbell by lseek(fd, qpn, GLASS_DOORBELL_WHENCE), after it has put
 * work requests or, in the error state, receives into the rings of that QP. The QP must
 * belong to the doorbell's context. Returns 0, or EINVAL: there is no such QP, or another
 * whence; EIO: the context is closed or the device is gone. The file has no position:
 * lseek() is used because it is the cheapest system call that passes a number. Security
 * modules have no hook in it; their hooks in ioctl() took more time than the driver's
 * look-up of the QP.
 */
#define GLASS_DOORBELL_WHENCE 0 /* SEEK_SET */

#endif
