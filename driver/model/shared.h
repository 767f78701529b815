/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Memory that the driver shares with programs: areas of rings, device memory, the control page.
 *
 * A mapping keeps pages, but not the driver: it outlives a device that is unplugged, and the module. So nothing tells
 * the driver when a program unmaps. Memory that the driver has done with and that is still mapped waits, charged to
 * its user, until a look at its pages finds that nobody else has them.
 */
#ifndef GLASS_MODEL_SHARED_H
#define GLASS_MODEL_SHARED_H

#include "model/objects.h"

/*
 * Zeroed memory of at least `bytes` bytes, which begins with a page and lies together,
 * for a program to map. The context's user pays for it until neither *map nor a mapping is left. May sleep.
 * 0 or a negative errno. quiet: as in struct glass_payer.
 */
int glass_shared_make(struct glass_ucontext *uctx, size_t bytes, bool quiet, struct glass_mmap **map);

/*
 * Offers memory of vmalloc() to a program; read-only and not freed when shared.
 */
struct glass_mmap *glass_mmap_create(struct glass_ucontext *uctx, void *mem, size_t bytes,
				     bool shared);

/* Maps it; the VMA is not longer than it. The caller holds a reference to map->rdma. 0 or a negative errno. */
int glass_shared_map(struct vm_area_struct *vma, struct glass_mmap *map);
/* No reference to map->rdma is left: frees the memory, now or when it is no longer mapped. */
void glass_shared_drop(struct glass_mmap *map);

/* Looks for memory that is no longer mapped, which the kernel also does by itself from time to time. May sleep. */
void glass_shared_sweep(void);
/* The module goes: mappings that are left keep their pages, and nobody pays any more. */
void glass_shared_exit(void);

/* Memory of the kind without a mapping: of a ring of the driver's own. Bytes: a multiple of a page. NULL: none. */
void *glass_shared_alloc(size_t bytes);
void glass_shared_free(void *mem, size_t bytes);

#endif
