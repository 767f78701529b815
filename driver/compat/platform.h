/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Before Linux 6.11, the remove() of a platform driver returns a value, which has no effect. */
#ifndef GLASS_COMPAT_PLATFORM_H
#define GLASS_COMPAT_PLATFORM_H

#include <linux/platform_device.h>

#include "compat/have.h"

/* Defines the function remove_fn() for a platform driver's remove(); remove_fn() calls fn(pdev). */
#ifdef GLASS_HAVE_REMOVE_VOID
#define GLASS_PLATFORM_REMOVE(remove_fn, fn)                                                       \
	static void remove_fn(struct platform_device *pdev)                                        \
	{                                                                                          \
		fn(pdev);                                                                          \
	}
#else
#define GLASS_PLATFORM_REMOVE(remove_fn, fn)                                                       \
	static int remove_fn(struct platform_device *pdev)                                         \
	{                                                                                          \
		fn(pdev);                                                                          \
		return 0;                                                                          \
	}
#endif

#endif
