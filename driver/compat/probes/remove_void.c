// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Does the remove() of a platform driver return nothing? */
#include <linux/platform_device.h>

void probe_remove(struct platform_device *pdev);
extern struct platform_driver probe;

struct platform_driver probe = { .remove = probe_remove };
