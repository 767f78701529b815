/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Memory that the driver shares with programs: areas of rings (area.h), device memory, the control
 * page. A program's mapping holds references to the pages, but none to the driver: a mapping may
 * outlive the device and the module. The driver gets no notice when a program unmaps. If an area
 * or device memory is still mapped when the driver releases it, the memory stays allocated and
 * charged to its user. The driver rechecks such memory from time to time, and frees it when nothing
 * else refers to its pages.
 */
#ifndef GLASS_MODEL_SHARED_H
#define GLASS_MODEL_SHARED_H

#include "model/objects.h"

/*
 * Allocates zeroed, page-aligned memory of at least `bytes` bytes for a program to map; it is
 * contiguous in the kernel's address space. *map gets the entry with the mmap offset. The memory is
 * charged to the context's user (share.h) until the driver has released it (glass_shared_drop())
 * and no program maps it any more. quiet: as in struct glass_payer. Returns 0 or a negative errno.
 * May sleep.
 */
int glass_shared_make(struct glass_ucontext *uctx, size_t bytes, bool quiet, struct glass_mmap **map);

/*
 * Makes an entry with an mmap offset, by which a program can map `mem`. If `shared` is true,
 * programs may map `mem` only for reading, and `mem` is not freed with the entry. Returns the entry
 * or an ERR_PTR. May sleep.
 */
struct glass_mmap *glass_mmap_create(struct glass_ucontext *uctx, void *mem, size_t bytes,
				     bool shared);

/*
 * Maps the memory into the VMA, which must not be longer than the memory. The caller holds a
 * reference to map->rdma. Returns 0 or a negative errno.
 */
int glass_shared_map(struct vm_area_struct *vma, struct glass_mmap *map);
/*
 * Called when no reference to map->rdma is left. If map->shared or map->lent is set, frees *map, but not its
 * memory. Otherwise frees both. If a program still maps the memory, both are freed later, when no
 * program maps it any more. May sleep.
 */
void glass_shared_drop(struct glass_mmap *map);

/*
 * Frees memory that the driver has released and that no program maps any more. A work item does the
 * same from time to time. May sleep.
 */
void glass_shared_sweep(void);
/*
 * Called when the module is unloaded or fails to load. Uncharges the memory that is still mapped,
 * and drops the driver's references to its pages. The mappings have references of their own, so the
 * pages are freed when the programs unmap them. May sleep.
 */
void glass_shared_exit(void);

/*
 * Allocate and free page-aligned memory for a ring that no program shares. The memory is contiguous
 * in the kernel's address space. It is charged to the caller's memory cgroup, but not to a user
 * (share.h). bytes: a multiple of PAGE_SIZE. glass_shared_alloc() returns zeroed memory, or NULL.
 * May sleep.
 */
void *glass_shared_alloc(size_t bytes);
void glass_shared_free(void *mem, size_t bytes);

#endif
