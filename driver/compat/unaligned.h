/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* <asm/unaligned.h> moved to <linux/unaligned.h> in Linux 6.12. */
#ifndef GLASS_COMPAT_UNALIGNED_H
#define GLASS_COMPAT_UNALIGNED_H

#if __has_include(<linux/unaligned.h>)
#include <linux/unaligned.h>
#else
#include <asm/unaligned.h>
#endif

#endif
