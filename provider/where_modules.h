/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Which program or library an address belongs to. */
#ifndef GLASS_PROVIDER_WHERE_MODULES_H
#define GLASS_PROVIDER_WHERE_MODULES_H

#include <stdint.h>

#include "uapi/glass-where.h"

/* The modules of some addresses. An address that is in none of them has module 0. */
struct glass_where_found {
	struct glass_where_module module[GLASS_WHERE_FRAMES];
	uint32_t nmodules;
	struct {
		uint32_t module; /* index in module[], plus 1; 0: none */
		uint64_t offset; /* from the module's load address, or the address itself */
	} of[GLASS_WHERE_FRAMES];
};

/* Finds the modules of n addresses, at most GLASS_WHERE_FRAMES. Takes the loader's lock. */
void glass_where_find_modules(struct glass_where_found *found, const uintptr_t *address,
			      uint32_t n);

/*
 * Writes the n frames that were found to frame[]. Adds modules that the area does not have yet; if
 * there is no room for one, its frames are unknown. Only one thread at a time may call it.
 */
void glass_where_frames(struct glass_where_area *area, const struct glass_where_found *found,
			const uintptr_t *address, uint32_t n, __u64 *frame);

#endif
