/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The CRC-32 of the kernel, which uses instructions of the processor if it has suitable ones. */
#ifndef GLASS_NETDEV_CRC32_H
#define GLASS_NETDEV_CRC32_H

#include <linux/types.h>

/*
 * Prepares glass_crc32_kernel(). Returns false if the kernel has no CRC-32 that is faster than
 * glass_crc32(). May sleep.
 */
bool glass_crc32_kernel_init(void);
void glass_crc32_kernel_exit(void);

/* As glass_crc32() (wire/crc.h). Any context. */
u32 glass_crc32_kernel(u32 crc, const void *data, size_t len);

#endif
