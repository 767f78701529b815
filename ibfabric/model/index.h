/* SPDX-License-Identifier: GPL-2.0-only */
/* A hash table from texts to numbers. */
#ifndef IBFABRIC_INDEX_H
#define IBFABRIC_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero it before the first use. */
struct topo_index {
	struct topo_index_slot {
		char *key;
		uint32_t value;
	} * slot;
	size_t room, used;
};

/* Copies the key. Returns false, and changes nothing, if the key is there already. */
bool topo_index_put(struct topo_index *index, const char *key, uint32_t value);
/* As topo_index_put(), but changes the value of a key that is there. */
void topo_index_set(struct topo_index *index, const char *key, uint32_t value);
/* Returns the value, or -1. */
int64_t topo_index_get(const struct topo_index *index, const char *key);
/* As the two above, for a number as the key. */
bool topo_index_put_number(struct topo_index *index, uint64_t key, uint32_t value);
int64_t topo_index_get_number(const struct topo_index *index, uint64_t key);
void topo_index_free(struct topo_index *index);

#endif
