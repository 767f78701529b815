/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * pin_user_pages_remote() lost its array of VMAs in Linux 6.5. Since 6.6 it leaves alone what NUMA balancing has taken out
 * of the page table, unless it is asked to take the fault.
 */
#ifndef GLASS_COMPAT_GUP_H
#define GLASS_COMPAT_GUP_H

#include <linux/mm.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 6, 0)
#define GLASS_FOLL_NUMA FOLL_HONOR_NUMA_FAULT
#else
#define GLASS_FOLL_NUMA 0
#endif

static inline long glass_pin_remote(struct mm_struct *mm, unsigned long addr, unsigned long n,
				    unsigned int flags, struct page **pages, int *locked)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 5, 0)
	return pin_user_pages_remote(mm, addr, n, flags | GLASS_FOLL_NUMA, pages, locked);
#else
	return pin_user_pages_remote(mm, addr, n, flags | GLASS_FOLL_NUMA, pages, NULL, locked);
#endif
}

#endif
