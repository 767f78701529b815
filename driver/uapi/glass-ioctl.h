/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Numbers of the driver-specific ioctl methods: all are of UVERBS_OBJECT_DEVICE
 * and live in the driver's own number space.
 */
#ifndef GLASS_UAPI_IOCTL_H
#define GLASS_UAPI_IOCTL_H

#include <rdma/ib_user_ioctl_cmds.h>

enum glass_device_methods {
	/* The program's side reports what only it can see. */
	GLASS_METHOD_REPORT = (1U << UVERBS_ID_NS_SHIFT),
};

enum glass_report_attrs {
	/* PTR_IN, mandatory: struct glass_report */
	GLASS_ATTR_REPORT_DATA = (1U << UVERBS_ID_NS_SHIFT),
};

#endif
