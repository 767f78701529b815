/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Until Linux 6.11 the remove() of a platform driver returned a value, which nothing used. */
#ifndef GLASS_COMPAT_PLATFORM_H
#define GLASS_COMPAT_PLATFORM_H

#include <linux/platform_device.h>

#include "compat/have.h"

/* GLASS_PLATFORM_REMOVE(remove_fn, fn): defines `remove_fn`, the remove() of a platform driver, which calls fn. */
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
