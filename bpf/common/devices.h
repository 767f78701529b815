/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GLASS_BPF_DEVICES_H
#define GLASS_BPF_DEVICES_H

#include <stdint.h>

/* Calls fn for each RDMA device with its number in the RDMA core. Returns 0 or -errno. */
int devices_each(void (*fn)(uint32_t index, const char *name, void *arg), void *arg);

#endif
