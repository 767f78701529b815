/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * __assign_str() lost its second argument in Linux 6.10. Included outside of the
 * include guards of trace headers.
 */
#ifndef GLASS_COMPAT_TRACE_H
#define GLASS_COMPAT_TRACE_H

#include <linux/string.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0)
#define glass_assign_str(dst, src) __assign_str(dst)
#else
/* Bounded: the room was measured before and a device may be renamed in between. */
#define glass_assign_str(dst, src) strscpy(__get_str(dst), src, __get_dynamic_array_len(dst))
#endif

#endif
