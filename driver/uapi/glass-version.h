/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The version of the project, which the module, the provider and the tools share. Only
 * this file defines it. vm/version prints it for scripts.
 */
#ifndef GLASS_UAPI_VERSION_H
#define GLASS_UAPI_VERSION_H

#include <linux/types.h>

#define GLASS_VERSION_MAJOR 1
#define GLASS_VERSION_MINOR 1
#define GLASS_VERSION_SUB 0

#define GLASS_VERSION_QUOTE(x) #x
#define GLASS_VERSION_JOIN(a, b, c)                                                                \
	GLASS_VERSION_QUOTE(a) "." GLASS_VERSION_QUOTE(b) "." GLASS_VERSION_QUOTE(c)
#define GLASS_VERSION                                                                              \
	GLASS_VERSION_JOIN(GLASS_VERSION_MAJOR, GLASS_VERSION_MINOR, GLASS_VERSION_SUB)

/* fw_ver of query_device: 16 bits for each field. The provider prints it as MAJOR.MINOR.SUB. */
#define GLASS_FW_VER                                                                               \
	((__u64)GLASS_VERSION_MAJOR << 32 | (__u64)GLASS_VERSION_MINOR << 16 | GLASS_VERSION_SUB)

#endif
