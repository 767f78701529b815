/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Parties take turns on a lane (a work item that runs QPs, lane.h). A party is a process or a group
 * of processes. A program's QP belongs to the process that created it. The process belongs to the
 * group of its memory cgroup (or of an ancestor: cgroup_level, party.c); in the root cgroup, to the
 * group of its user. Each group with work has one turn before any group has another. Within a group
 * its processes take turns, and within a process its QPs. So a tenant's share does not grow with
 * its number of QPs or processes. QPs of kernel consumers belong to no party, and have every other
 * turn.
 */
#ifndef GLASS_ENGINE_PARTY_H
#define GLASS_ENGINE_PARTY_H

#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/types.h>

/* A party's queue on one lane. Only that lane's worker uses it. */
struct glass_turns {
	/* in `waiting` of the group, or glass_run.groups of the lane; empty: no QP of it waits */
	struct list_head node;
	struct list_head waiting; /* of a group: processes; of a process: QPs */
};

/*
 * Identifies a process or group without a reference to it: no later process or cgroup gets the same
 * values.
 */
struct glass_party_key {
	u8 kind; /* enum in party.c */
	u64 id, born; /* id of the process, cgroup or user; start time of the process, else 0 */
};

struct glass_party {
	/* of a process: QPs; of a group: processes, and threads that wait for pages (want.c) */
	refcount_t users;
	struct hlist_node node; /* in the table of party.c, under its lock */
	struct glass_party_key key;
	struct glass_party *group; /* of a process; NULL: this party is a group */
	atomic_t sleepers; /* of a group: threads that wait for pages of its processes (want.c) */
	/* of a process: the limit on retries that get no answer (patience.h) */
	spinlock_t patient_lock; /* nests inside QPs' locks, softirqs off */
	struct list_head patient; /* QPs that wait for a retry */
	struct hrtimer patience; /* lets the next of them retry */
	bool patience_runs; /* the timer is started, or about to restart itself */
	u64 tries_paid; /* ns: no other retry may start before this time; under patient_lock */
	struct glass_turns turns[]; /* by number of the lane */
};

/*
 * Returns the party of the calling process, with a reference, for a new QP; NULL: no memory. The
 * process's first QP fixes its group, by the caller's cgroup at that moment. May sleep.
 */
struct glass_party *glass_party_get(void);

/* Drops a reference to a party or group; p may be NULL. May sleep. */
void glass_party_put(struct glass_party *p);

#endif
