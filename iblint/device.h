/* SPDX-License-Identifier: GPL-2.0-only */
/* The adapters of this host that support lint, through debugfs. */
#ifndef IBLINT_DEVICE_H
#define IBLINT_DEVICE_H

#include "iblint.h"
#include "lib/debugfs/device.h"

extern const struct debugfs_use lint_use;

/*
 * Lists the devices that support lint, by rising number. `only` (count 0: all) selects some.
 * Returns ST_NO_DEVICE, after an error message, if a selected device is missing, if there is none,
 * or if the user is not root.
 */
enum status devices_find(const struct devices *only, struct devices *all);

#endif
