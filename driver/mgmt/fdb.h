/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The forwarding state of a switch (IBA 18.2.4.3). The two tables, LFT and MFT, consist of chunks.
 * A chunk is allocated when the subnet manager writes the first route into it. Until then, the
 * table has a pointer to a constant chunk without routes, which all switches share. So a switch
 * needs memory only for the chunks that have routes.
 *
 * There is no lock here. The owner of a switch serialises all calls, except those of functions
 * whose comment says "Needs no lock". These functions may run at the same time as any other
 * function, except glass_fdb_init() and glass_fdb_free(). An allocated chunk remains until
 * glass_fdb_free(). glass_fdb_set_ports() and glass_fdb_set_mcast() publish the pointer to a new
 * chunk by smp_store_release(). The functions that need no lock load the pointer by READ_ONCE(). An
 * address dependency orders their access to the chunk after this load.
 */
#ifndef GLASS_MGMT_FDB_H
#define GLASS_MGMT_FDB_H

#include "wire/shim.h"

#define GLASS_LFT_LIDS 0xc000
#define GLASS_LFT_CHUNK 1024 /* LIDs in a chunk */
#define GLASS_LFT_NONE 0xff /* value of an LFT entry: the LID has no route */
#define GLASS_LFT_LOST 128 /* number of lost routes that a switch remembers; a power of two */
#define GLASS_MFT_LIDS 1024
#define GLASS_MFT_CHUNK 32 /* MLIDs in a chunk: one block of MulticastForwardingTable */
#define GLASS_SWITCH_MAX_PORTS 254
#define GLASS_PORT_WORDS 4 /* a set of ports is u64[GLASS_PORT_WORDS]; bit n is for port n */

struct glass_lft_chunk {
	u8 port[GLASS_LFT_CHUNK];
};

/* A route that an LFT lost. */
struct glass_lft_lost {
	u64 when; /* as `now` of glass_fdb_set_ports() */
	u16 lid;
	u8 port; /* the port to which the route led */
};

struct glass_mft_chunk {
	u64 set[GLASS_MFT_CHUNK][GLASS_PORT_WORDS];
};

struct glass_fdb {
	/*
	 * Increases when a route through the switch may have changed: after each Set that the
	 * switch's SMA handles, and after each change of an LFT entry. Never 0.
	 */
	u32 generation;
	u16 lft_top; /* LinearFDBTop: unicast LIDs above it have no route */
	/* DefaultPort: only stored and reported, because only random forwarding tables use it */
	u8 def_port;
	/* port for packets whose multicast LID is beyond `mft`; 0 or 255: there is none */
	u8 def_mcast_primary;
	/* port for such packets that arrived at port def_mcast_primary; 0 or 255: there is none */
	u8 def_mcast_not_primary;
	u8 life_time; /* LifeTimeValue, 5 bits */
	/* PortStateChange: a port changed its state; the subnet manager clears it */
	bool port_state_change;
	bool enhanced; /* EnhancedPort0; the owner sets it */
	bool no_enforcement; /* the switch does not offer to enforce partitions; the owner sets it */
	/* glass_fdb_port() and glass_fdb_mcast() read the tables */
	const struct glass_lft_chunk *lft[GLASS_LFT_LIDS / GLASS_LFT_CHUNK];
	const struct glass_mft_chunk *mft[GLASS_MFT_LIDS / GLASS_MFT_CHUNK];
	u32 num_lost; /* number of routes lost since glass_fdb_init() */
	/* the last of them, number n at n % GLASS_LFT_LOST; NULL: none was lost, or there was no memory */
	struct glass_lft_lost *lost;
};

/* Sets up tables without routes. *f may be uninitialised memory. */
void glass_fdb_init(struct glass_fdb *f);

/*
 * Frees the chunks. Afterwards the tables have no routes. *f must have been set up by
 * glass_fdb_init(), or be all zero. The caller makes sure that no function reads the tables during
 * the call.
 */
void glass_fdb_free(struct glass_fdb *f);

static inline void glass_fdb_changed(struct glass_fdb *f)
{
	f->generation = f->generation + 1 ?: 1;
}

/*
 * Returns the LFT entry of `lid`, which must be below GLASS_LFT_LIDS. Ignores LinearFDBTop. Needs
 * no lock.
 */
static inline u8 glass_fdb_port(const struct glass_fdb *f, u16 lid)
{
	return READ_ONCE(READ_ONCE(f->lft[lid / GLASS_LFT_CHUNK])->port[lid % GLASS_LFT_CHUNK]);
}

/*
 * Returns the set of ports of the multicast LID GLASS_LID_MCAST_BASE + index, as GLASS_PORT_WORDS
 * words. `index` must be below GLASS_MFT_LIDS. Needs no lock; but without a lock, the caller must
 * load the words by READ_ONCE().
 */
static inline const u64 *glass_fdb_mcast(const struct glass_fdb *f, u32 index)
{
	return READ_ONCE(f->mft[index / GLASS_MFT_CHUNK])->set[index % GLASS_MFT_CHUNK];
}

/*
 * Writes n entries of the LFT, the first of them for `lid`. All of them must be in one chunk.
 * Returns false if there is no memory for the chunk; then nothing has changed. Notes the routes that
 * are taken away, as lost at `now`, in ns of any clock. Any context.
 */
bool glass_fdb_set_ports(struct glass_fdb *f, u16 lid, const u8 *ports, u32 n, u64 now);

/*
 * Returns the last route to `lid` that the LFT lost, or NULL if it lost none, or no longer remembers
 * it. The entry is valid until the next call of glass_fdb_set_ports().
 */
const struct glass_lft_lost *glass_fdb_lost(const struct glass_fdb *f, u16 lid);

/*
 * Writes the set of ports of the multicast LID GLASS_LID_MCAST_BASE + index. Returns false if there
 * is no memory for the chunk; then nothing has changed. Any context.
 */
bool glass_fdb_set_mcast(struct glass_fdb *f, u32 index, const u64 set[GLASS_PORT_WORDS]);

#endif
