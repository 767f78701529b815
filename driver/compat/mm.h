/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Linux 6.3 added vm_flags_set() and vm_flags_clear(). Linux 6.18 removed nth_page(), because the
 * struct pages of a folio are always contiguous since then.
 */
#ifndef GLASS_COMPAT_MM_H
#define GLASS_COMPAT_MM_H

#include <linux/mm.h>

#include "compat/have.h"

#ifndef GLASS_HAVE_VM_FLAGS_SET
static inline void vm_flags_set(struct vm_area_struct *vma, unsigned long flags)
{
	mmap_assert_write_locked(vma->vm_mm);
	vma->vm_flags |= flags;
}

static inline void vm_flags_clear(struct vm_area_struct *vma, unsigned long flags)
{
	mmap_assert_write_locked(vma->vm_mm);
	vma->vm_flags &= ~flags;
}
#endif

#ifndef nth_page
#define nth_page(page, n) ((page) + (n))
#endif

#endif
