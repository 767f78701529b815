/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* <asm/unaligned.h> moved to <linux/unaligned.h> in Linux 6.12. */
#ifndef GLASS_COMPAT_UNALIGNED_H
#define GLASS_COMPAT_UNALIGNED_H

#include <linux/version.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
#include <linux/unaligned.h>
#else
#include <asm/unaligned.h>
#endif

#endif
