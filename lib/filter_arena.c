// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "lib/filter_internal.h"

#define BLOCK_SIZE 4096

struct arena_block {
	struct arena_block *next;
	size_t size, used;
	_Alignas(max_align_t) unsigned char bytes[];
};

void arena_init(struct arena *arena, size_t limit)
{
	arena->blocks = NULL;
	arena->left = limit;
}

void arena_free(struct arena *arena)
{
	struct arena_block *block, *next;

	for (block = arena->blocks; block; block = next) {
		next = block->next;
		free(block);
	}
	arena->blocks = NULL;
}

void *arena_alloc(struct arena *arena, size_t size)
{
	struct arena_block *block = arena->blocks;
	size_t room;
	void *p;

	/* round up, so that the next allocation is aligned for any type */
	size = (size + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
	if (size > arena->left)
		return NULL;
	if (!block || block->size - block->used < size) {
		room = size > BLOCK_SIZE ? size : BLOCK_SIZE;
		block = calloc(1, sizeof(*block) + room);
		if (!block)
			return NULL;
		block->size = room;
		block->next = arena->blocks;
		arena->blocks = block;
	}
	p = block->bytes + block->used;
	block->used += size;
	arena->left -= size;
	return p;
}
