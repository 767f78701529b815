/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Memory that the driver shares with programs: areas of rings, device memory, the control page. A
 * mapping keeps its pages, but not the driver: it outlives a device that is unplugged, and the
 * module. So the driver gets no notice when a program unmaps. Memory that the driver no longer uses
 * and that is still mapped waits, charged to its user, until a look at its pages finds no other
 * reference.
 */
#ifndef GLASS_MODEL_SHARED_H
#define GLASS_MODEL_SHARED_H

#include "model/objects.h"

/*
 * Allocates zeroed, page-aligned, contiguous memory of at least `bytes` bytes for a program to map.
 * The context's user pays until neither *map nor a mapping is left. May sleep. 0 or a negative
 * errno. quiet: as in struct glass_payer.
 */
int glass_shared_make(struct glass_ucontext *uctx, size_t bytes, bool quiet, struct glass_mmap **map);

/*
 * Offers memory of vmalloc() to a program; read-only and not freed when shared.
 */
struct glass_mmap *glass_mmap_create(struct glass_ucontext *uctx, void *mem, size_t bytes,
				     bool shared);

/*
 * Maps it; the VMA must not be longer. The caller holds a reference to map->rdma. 0 or a negative
 * errno.
 */
int glass_shared_map(struct vm_area_struct *vma, struct glass_mmap *map);
/* Frees the memory when no reference to map->rdma is left: now, or when it is no longer mapped. */
void glass_shared_drop(struct glass_mmap *map);

/*
 * Frees memory that is no longer mapped. The driver also does so by itself from time to time. May
 * sleep.
 */
void glass_shared_sweep(void);
/* The module is unloaded: remaining mappings keep their pages, and no user pays any more. */
void glass_shared_exit(void);

/*
 * The same kind of memory without a mapping, for a ring of the driver's own. bytes: a multiple of a
 * page. NULL: none.
 */
void *glass_shared_alloc(size_t bytes);
void glass_shared_free(void *mem, size_t bytes);

#endif
