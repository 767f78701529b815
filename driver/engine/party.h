/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Parties: who takes turns on a lane. A program's QP belongs to its process, and that to a group:
 * its memory cgroup, or its user where that is the root of the hierarchy. Each group that has
 * something to do has one turn before any has another one; within a group its processes take turns,
 * and within a process its QPs. So somebody's share does not grow with the number of QPs or
 * processes. QPs of kernel consumers belong to no party, and have every other turn.
 */
#ifndef GLASS_ENGINE_PARTY_H
#define GLASS_ENGINE_PARTY_H

#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/types.h>

/* What waits for a turn on one lane; of that lane's worker alone. */
struct glass_turns {
	struct list_head node; /* in its group's or lane's list; empty: nothing waits */
	struct list_head waiting; /* processes of a group, QPs of a process */
};

/* Which process or group it is. Numbers that are not used again: no reference is needed. */
struct glass_party_key {
	u8 kind; /* enum in party.c */
	u64 id, born;
};

struct glass_party {
	refcount_t users; /* QPs, or processes of a group */
	struct hlist_node node; /* in a table, under its lock */
	struct glass_party_key key;
	struct glass_party *group; /* NULL: this is one */
	atomic_t sleepers; /* of a group: threads that wait for its pages (want.c) */
	/* of a process: its QPs whose tries are all in vain (patience.c) */
	spinlock_t patient_lock; /* taken within QPs' locks, with softirqs off */
	struct list_head patient;
	struct hrtimer patience;
	bool patience_runs; /* it is started, or about to start itself again */
	u64 tries_paid; /* ns: until when its tries have used up what they may; under patient_lock */
	struct glass_turns turns[]; /* by lane */
};

/*
 * The party of the calling process, with a reference, for a QP that it makes; NULL: no memory.
 * The cgroup is that of this moment. May sleep.
 */
struct glass_party *glass_party_get(void);

/* Gives a reference back, also one to a group; NULL is nobody's. May sleep. */
void glass_party_put(struct glass_party *p);

#endif
