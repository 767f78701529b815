/* SPDX-License-Identifier: GPL-2.0-only */
/* The adapters of this host that can be linted, through debugfs. */
#ifndef IBLINT_DEVICE_H
#define IBLINT_DEVICE_H

#include "iblint.h"
#include "lib/debugfs/device.h"

extern const struct debugfs_use lint_use;

/*
 * All devices that have lint, in the order of their numbers; `only` (count 0: all) says which are
 * wanted. ST_NO_DEVICE, told: one of them is not there, or none at all, or not root.
 */
enum status devices_find(const struct devices *only, struct devices *all);

#endif
