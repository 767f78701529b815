/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes forwarding tables as a subnet manager would, for tests of switches. */
#ifndef GLASS_TESTS_UNIT_FDB_H
#define GLASS_TESTS_UNIT_FDB_H

#include "harness.h"

#include "mgmt/fdb.h"

static inline void set_lft(struct glass_fdb *f, u32 lid, u8 port)
{
	assert_true(glass_fdb_set_ports(f, lid, &port, 1, 0));
}

/* One word of the set of an MLID: word 0 has the ports 0 to 63. */
static inline void set_mft(struct glass_fdb *f, u32 index, u32 word, u64 ports)
{
	u64 set[GLASS_PORT_WORDS];

	memcpy(set, glass_fdb_mcast(f, index), sizeof(set));
	set[word] = ports;
	assert_true(glass_fdb_set_mcast(f, index, set));
}

#endif
