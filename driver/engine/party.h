/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Parties take turns on a lane (a work item that runs QPs, lane.h). A party is a process, or a
 * group of processes. A program's QP belongs to the process that created it. A process belongs to
 * one group:
 * - the group of its memory cgroup. A cgroup that is deeper than cgroup_level (party.c) counts as
 *   its ancestor at that level.
 * - the group of its user, if the process is in the root cgroup, if memory cgroups are disabled, or
 *   if cgroup_level is 0.
 *
 * Each group with work has one turn before any group has a second one. In the same way, the
 * processes of a group take turns, and so do the QPs of a process. So the share of a group does not
 * grow with its number of QPs or processes. QPs of kernel consumers belong to no party. While QPs
 * of both kinds wait on a lane, turns of the two kinds alternate.
 */
#ifndef GLASS_ENGINE_PARTY_H
#define GLASS_ENGINE_PARTY_H

#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/types.h>

/* A party's queue on one lane. Only the worker of that lane uses the queue. */
struct glass_turns {
	/*
	 * Of a process: in `waiting` of its group. Of a group: in glass_run.groups of the lane. Not
	 * in any list while this party's own `waiting` is empty.
	 */
	struct list_head node;
	struct list_head waiting; /* of a group: its processes; of a process: its QPs */
};

/*
 * Identifies a process, or the cgroup or user of a group. A key needs no reference to any of them,
 * because no later process or cgroup gets the same values.
 */
struct glass_party_key {
	u8 kind; /* PROCESS, CGROUP or USER (party.c) */
	u64 id, born; /* id of the process, cgroup or user; start time of a process, else 0 */
};

struct glass_party {
	/*
	 * Number of references. A process has one from each of its QPs. A group has one from each
	 * of its processes, and one from each thread that waits for pages of its processes
	 * (want.c).
	 */
	refcount_t users;
	struct hlist_node node; /* in the table of party.c, under its lock */
	struct glass_party_key key;
	struct glass_party *group; /* the process's group; NULL: this party is a group */
	/* of a group: number of threads that wait for pages of its processes (want.c) */
	atomic_t sleepers;
	/*
	 * This lock and the next four fields serve the limit on the retries of a process
	 * (patience.h). The lock protects these fields. It nests inside QPs' locks, and is taken
	 * with softirqs off.
	 */
	spinlock_t patient_lock;
	struct list_head patient; /* QPs that wait for a retry */
	struct hrtimer patience; /* each expiry lets at most one QP of `patient` retry */
	/* true from the start of `patience` until its function finds `patient` empty */
	bool patience_runs;
	/*
	 * A time of ktime_get_ns(). If a QP's own timer fires before this time, the QP's retry
	 * waits in `patient`.
	 */
	u64 tries_paid;
	struct glass_turns turns[]; /* one for each lane, by the lane's number */
};

/*
 * Returns the party of the calling process for a new QP, with a reference. Returns NULL if there is
 * no memory. The group of a process is determined when the process creates its first QP, and
 * remains the same while the process has QPs. May sleep.
 */
struct glass_party *glass_party_get(void);

/* Drops a reference to a process or group; `p` may be NULL. May sleep. */
void glass_party_put(struct glass_party *p);

#endif
