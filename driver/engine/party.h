/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Parties take turns on a lane (a work item that runs QPs, lane.h). A party is a process or a group
 * of processes. A program's QP belongs to the process that created it. A process belongs to the
 * group of its memory cgroup, or of an ancestor of this cgroup (cgroup_level, party.c). But if this
 * cgroup or ancestor is the root, or memory cgroups are disabled, the process belongs to the group
 * of its user. Each group with work has one turn before any group has a second one. In the same
 * way, the processes of a group take turns, and so do the QPs of a process. So the share of a group
 * does not grow with its number of QPs or processes. QPs of kernel consumers belong to no party.
 * While such QPs and QPs of parties wait, the two kinds have alternate turns.
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
	/*
	 * A process is queued by this node in `waiting` of its group; a group in glass_run.groups
	 * of the lane. Not queued while `waiting` is empty.
	 */
	struct list_head node;
	struct list_head waiting; /* of a group: its processes; of a process: its QPs */
};

/*
 * Identifies a process, or the cgroup or user of a group, without a reference to it: no later
 * process or cgroup gets the same values.
 */
struct glass_party_key {
	u8 kind; /* PROCESS, CGROUP or USER (party.c) */
	u64 id, born; /* id of the process, cgroup or user; start time of the process, else 0 */
};

struct glass_party {
	/*
	 * Number of references. A process has one from each of its QPs. A group has one from each
	 * of its processes, and one from each thread that waits for pages of these (want.c).
	 */
	refcount_t users;
	struct hlist_node node; /* in the table of party.c, under its lock */
	struct glass_party_key key;
	struct glass_party *group; /* the process's group; NULL: this party is a group */
	/* of a group: number of threads that wait for pages of its processes (want.c) */
	atomic_t sleepers;
	/* of a process: the limit on its retries (patience.h) */
	spinlock_t patient_lock; /* protects the next four; nests inside QPs' locks, softirqs off */
	struct list_head patient; /* QPs that wait for a retry */
	struct hrtimer patience; /* each expiry lets at most one QP of `patient` retry */
	/* true from the start of `patience` until its function finds `patient` empty */
	bool patience_runs;
	/*
	 * ktime_get_ns(): if a QP's own timer fires before this time, the QP's retry waits in
	 * `patient`
	 */
	u64 tries_paid;
	struct glass_turns turns[]; /* one for each lane, by the lane's number */
};

/*
 * Returns the party of the calling process, with a reference, for a new QP; NULL: no memory. The
 * group of the process follows from its cgroup (or user) when it creates its first QP, and then
 * remains the same while the process has QPs. May sleep.
 */
struct glass_party *glass_party_get(void);

/* Drops a reference to a process or group; p may be NULL. May sleep. */
void glass_party_put(struct glass_party *p);

#endif
