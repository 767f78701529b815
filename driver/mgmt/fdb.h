/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The forwarding state of a switch (IBA 18.2.4.3). The two tables consist of chunks. A chunk is
 * allocated when the subnet manager writes the first route into it; before that, it is a constant
 * chunk without routes, which all switches share. So a switch costs what its manager uses.
 *
 * There is no lock here: the owner of a switch serialises all calls, but any context may read the
 * tables without a lock (functions whose comment says "Needs no lock"). A chunk, once allocated,
 * remains until glass_fdb_free(). Publication: glass_fdb_set_ports() and glass_fdb_set_mcast()
 * store the pointer to a new chunk with smp_store_release(); the readers here load it with
 * READ_ONCE(), and their access depends on the address.
 */
#ifndef GLASS_MGMT_FDB_H
#define GLASS_MGMT_FDB_H

#include "wire/shim.h"

#define GLASS_LFT_LIDS 0xc000
#define GLASS_LFT_CHUNK 1024 /* LIDs of a chunk */
#define GLASS_LFT_NONE 0xff /* value of an LFT entry: the LID has no route */
#define GLASS_MFT_LIDS 1024
#define GLASS_MFT_CHUNK 32 /* MLIDs of a chunk: a block of the attribute */
#define GLASS_SWITCH_MAX_PORTS 254
#define GLASS_PORT_WORDS 4 /* a set of ports is u64[GLASS_PORT_WORDS]; bit n is for port n */

struct glass_lft_chunk {
	u8 port[GLASS_LFT_CHUNK];
};

struct glass_mft_chunk {
	u64 set[GLASS_MFT_CHUNK][GLASS_PORT_WORDS];
};

struct glass_fdb {
	u16 lft_top; /* LinearFDBTop: unicast LIDs above it have no route */
	/* DefaultPort: only kept and reported, because there are no random forwarding tables */
	u8 def_port;
	/* the port to which packets with multicast LIDs beyond `mft` are forwarded; 0, 255: none */
	u8 def_mcast_primary;
	/* the port to which such packets are forwarded if they arrived at port def_mcast_primary */
	u8 def_mcast_not_primary;
	u8 life_time; /* LifeTimeValue, 5 bits */
	bool port_state_change; /* PortStateChange, until the subnet manager clears it */
	bool enhanced; /* EnhancedPort0; the owner sets it */
	bool no_enforcement; /* the switch does not offer to enforce partitions; the owner sets it */
	/* glass_fdb_port(), glass_fdb_mcast() */
	const struct glass_lft_chunk *lft[GLASS_LFT_LIDS / GLASS_LFT_CHUNK];
	const struct glass_mft_chunk *mft[GLASS_MFT_LIDS / GLASS_MFT_CHUNK];
};

/* Sets up tables without routes. The memory may hold anything. */
void glass_fdb_init(struct glass_fdb *f);

/*
 * Frees the tables: they have no routes after that. The caller makes sure that nobody reads them.
 * *f is set up, or all zero.
 */
void glass_fdb_free(struct glass_fdb *f);

/*
 * The LFT entry of a LID below GLASS_LFT_LIDS, whether LinearFDBTop covers it or not. Needs no
 * lock.
 */
static inline u8 glass_fdb_port(const struct glass_fdb *f, u16 lid)
{
	return READ_ONCE(READ_ONCE(f->lft[lid / GLASS_LFT_CHUNK])->port[lid % GLASS_LFT_CHUNK]);
}

/*
 * The set of ports of the multicast LID GLASS_LID_MCAST_BASE + index: GLASS_PORT_WORDS words.
 * index: below GLASS_MFT_LIDS. Needs no lock; a reader without a lock loads the words with
 * READ_ONCE().
 */
static inline const u64 *glass_fdb_mcast(const struct glass_fdb *f, u32 index)
{
	return READ_ONCE(f->mft[index / GLASS_MFT_CHUNK])->set[index % GLASS_MFT_CHUNK];
}

/*
 * Writes n entries of the LFT, from that of `lid` on; they are in one chunk. False: there is no
 * memory for the chunk, and nothing has changed. Any context.
 */
bool glass_fdb_set_ports(struct glass_fdb *f, u16 lid, const u8 *ports, u32 n);

/*
 * Writes the set of ports of a multicast LID; index: as for glass_fdb_mcast(). False: there is no
 * memory for the chunk, and nothing has changed. Any context.
 */
bool glass_fdb_set_mcast(struct glass_fdb *f, u32 index, const u64 set[GLASS_PORT_WORDS]);

#endif
