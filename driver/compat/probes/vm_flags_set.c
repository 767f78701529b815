// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Does vm_flags_set() exist? */
#include <linux/mm.h>

void probe(struct vm_area_struct *vma);

void probe(struct vm_area_struct *vma)
{
	vm_flags_set(vma, VM_IO);
}
