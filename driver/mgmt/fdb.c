// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Forwarding tables in chunks (fdb.h). */
#include "mgmt/fdb.h"

static const struct glass_lft_chunk lft_empty = {
	.port = { [0 ... GLASS_LFT_CHUNK - 1] = GLASS_LFT_NONE },
};

static const struct glass_mft_chunk mft_empty;

void glass_fdb_init(struct glass_fdb *f)
{
	u32 i;

	memset(f, 0, sizeof(*f));
	f->generation = 1;
	f->def_port = GLASS_LFT_NONE;
	f->def_mcast_primary = GLASS_LFT_NONE;
	f->def_mcast_not_primary = GLASS_LFT_NONE;
	for (i = 0; i < ARRAY_SIZE(f->lft); i++)
		f->lft[i] = &lft_empty;
	for (i = 0; i < ARRAY_SIZE(f->mft); i++)
		f->mft[i] = &mft_empty;
}

void glass_fdb_free(struct glass_fdb *f)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(f->lft); i++)
		if (f->lft[i] != &lft_empty)
			glass_free(f->lft[i]);
	for (i = 0; i < ARRAY_SIZE(f->mft); i++)
		if (f->mft[i] != &mft_empty)
			glass_free(f->mft[i]);
	if (f->lost)
		glass_free(f->lost);
	glass_fdb_init(f);
}

/*
 * Returns a chunk that the caller may write: a new copy of `empty` if `now` is this constant chunk,
 * and `now` itself otherwise. Returns NULL if there is no memory.
 */
static void *writable_chunk(const void *now, const void *empty, size_t size)
{
	void *chunk;

	if (now != empty)
		return (void *)now;
	chunk = glass_alloc_atomic(size);
	if (chunk)
		memcpy(chunk, empty, size);
	return chunk;
}

static void note_lost(struct glass_fdb *f, u16 lid, u8 port, u64 now)
{
	if (!f->lost)
		f->lost = glass_alloc_atomic(GLASS_LFT_LOST * sizeof(*f->lost));
	if (f->lost)
		f->lost[f->num_lost++ % GLASS_LFT_LOST] = (struct glass_lft_lost){
			.when = now,
			.lid = lid,
			.port = port,
		};
}

const struct glass_lft_lost *glass_fdb_lost(const struct glass_fdb *f, u16 lid)
{
	u32 i, n = min_t(u32, f->num_lost, GLASS_LFT_LOST);

	for (i = 1; i <= n; i++) {
		const struct glass_lft_lost *lost = &f->lost[(f->num_lost - i) % GLASS_LFT_LOST];

		if (lost->lid == lid)
			return lost;
	}
	return NULL;
}

bool glass_fdb_set_ports(struct glass_fdb *f, u16 lid, const u8 *ports, u32 n, u64 now)
{
	const struct glass_lft_chunk **at = &f->lft[lid / GLASS_LFT_CHUNK];
	u32 first = lid % GLASS_LFT_CHUNK, i;
	struct glass_lft_chunk *chunk;

	if (!memcmp((*at)->port + first, ports, n))
		return true;
	chunk = writable_chunk(*at, &lft_empty, sizeof(*chunk));
	if (!chunk)
		return false;
	/* pairs with the READ_ONCE() in glass_fdb_port() */
	smp_store_release(at, chunk);
	for (i = 0; i < n; i++) {
		if (chunk->port[first + i] != GLASS_LFT_NONE && ports[i] == GLASS_LFT_NONE)
			note_lost(f, lid + i, chunk->port[first + i], now);
		WRITE_ONCE(chunk->port[first + i], ports[i]);
	}
	glass_fdb_changed(f);
	return true;
}

bool glass_fdb_set_mcast(struct glass_fdb *f, u32 index, const u64 set[GLASS_PORT_WORDS])
{
	const struct glass_mft_chunk **at = &f->mft[index / GLASS_MFT_CHUNK];
	struct glass_mft_chunk *chunk;
	u64 *to;
	u32 i;

	if (!memcmp(glass_fdb_mcast(f, index), set, sizeof(*chunk->set)))
		return true;
	chunk = writable_chunk(*at, &mft_empty, sizeof(*chunk));
	if (!chunk)
		return false;
	/* pairs with the READ_ONCE() in glass_fdb_mcast() */
	smp_store_release(at, chunk);
	to = chunk->set[index % GLASS_MFT_CHUNK];
	for (i = 0; i < GLASS_PORT_WORDS; i++)
		WRITE_ONCE(to[i], set[i]);
	return true;
}
