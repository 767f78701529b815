// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "index.h"
#include "lib/cli.h"

/* FNV-1a */
static uint64_t hash_of(const char *key)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (; *key; key++)
		hash = (hash ^ (unsigned char)*key) * 0x100000001b3;
	return hash ^ hash >> 32;
}

/* Returns the slot of the key, or the empty one where it belongs. */
static struct topo_index_slot *slot_of(const struct topo_index *index, const char *key)
{
	size_t at = hash_of(key) & (index->room - 1);

	while (index->slot[at].key && strcmp(index->slot[at].key, key))
		at = (at + 1) & (index->room - 1);
	return &index->slot[at];
}

static void grow(struct topo_index *index)
{
	struct topo_index bigger = { .room = index->room ? 2 * index->room : 64,
				     .used = index->used };
	size_t i;

	bigger.slot = calloc(bigger.room, sizeof(*bigger.slot));
	if (!bigger.slot)
		cli_die(CLI_FAILED, "out of memory");
	for (i = 0; i < index->room; i++)
		if (index->slot[i].key)
			*slot_of(&bigger, index->slot[i].key) = index->slot[i];
	free(index->slot);
	*index = bigger;
}

bool topo_index_put(struct topo_index *index, const char *key, uint32_t value)
{
	struct topo_index_slot *slot;

	if (2 * index->used >= index->room)
		grow(index);
	slot = slot_of(index, key);
	if (slot->key)
		return false;
	slot->key = format_text("%s", key);
	slot->value = value;
	index->used++;
	return true;
}

void topo_index_set(struct topo_index *index, const char *key, uint32_t value)
{
	if (!topo_index_put(index, key, value))
		slot_of(index, key)->value = value;
}

int64_t topo_index_get(const struct topo_index *index, const char *key)
{
	const struct topo_index_slot *slot = index->room ? slot_of(index, key) : NULL;

	return slot && slot->key ? (int64_t)slot->value : -1;
}

bool topo_index_put_number(struct topo_index *index, uint64_t key, uint32_t value)
{
	char text[20];

	snprintf(text, sizeof(text), "%" PRIx64, key);
	return topo_index_put(index, text, value);
}

int64_t topo_index_get_number(const struct topo_index *index, uint64_t key)
{
	char text[20];

	snprintf(text, sizeof(text), "%" PRIx64, key);
	return topo_index_get(index, text);
}

void topo_index_free(struct topo_index *index)
{
	size_t i;

	for (i = 0; i < index->room; i++)
		free(index->slot[i].key);
	free(index->slot);
	memset(index, 0, sizeof(*index));
}
