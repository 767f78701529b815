/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Before Linux 6.5, pin_user_pages_remote() has one more parameter, an array of VMAs. Since 6.6,
 * this function needs the flag FOLL_HONOR_NUMA_FAULT to fault on pages that NUMA balancing has
 * unmapped.
 */
#ifndef GLASS_COMPAT_GUP_H
#define GLASS_COMPAT_GUP_H

#include <linux/mm.h>

#include "compat/have.h"

#ifdef GLASS_HAVE_HONOR_NUMA_FAULT
#define GLASS_FOLL_NUMA FOLL_HONOR_NUMA_FAULT
#else
#define GLASS_FOLL_NUMA 0
#endif

/* Calls pin_user_pages_remote() so that it faults on pages that NUMA balancing has unmapped. */
static inline long glass_pin_remote(struct mm_struct *mm, unsigned long addr, unsigned long n,
				    unsigned int flags, struct page **pages, int *locked)
{
#ifdef GLASS_HAVE_PIN_REMOTE_VMAS
	return pin_user_pages_remote(mm, addr, n, flags | GLASS_FOLL_NUMA, pages, NULL, locked);
#else
	return pin_user_pages_remote(mm, addr, n, flags | GLASS_FOLL_NUMA, pages, locked);
#endif
}

#endif
