/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The members of multicast groups, for the delivery of packets (mcast.c, copies.c). */
#ifndef GLASS_ENGINE_MCAST_H
#define GLASS_ENGINE_MCAST_H

#include "compat/array.h"
#include "engine/engine.h"

/*
 * A member of a group. ib_uverbs attaches a program's QP at most once for each pair of MGID and
 * MLID. But here the MGID alone identifies a group. So a QP may be attached to a group several
 * times, and the last detach removes the QP from the group.
 */
struct glass_membership {
	struct glass_qp *qp;
	u64 joined; /* unique; higher for each later join to any group; sets are sorted by it */
	/* number of attachments; under mcast_lock, and may change while the set is in use */
	u32 attached;
};

struct glass_mcast_set {
	refcount_t users; /* references of the group and of contexts that walk the set */
	struct rcu_head rcu;
	u32 n;
	struct glass_membership member[] __counted_by(n);
};

/*
 * Returns the set of members of the group with this MGID, with a reference, or NULL if there is no such
 * group. A set has one member at least. Any context.
 */
struct glass_mcast_set *glass_mcast_set_of(struct glass_dev *dev, const u8 *mgid);
/* Returns a reference. `set` may be NULL. */
void glass_mcast_set_put(struct glass_mcast_set *set);

#endif
