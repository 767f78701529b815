/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Parties take turns on a lane. A program's QP belongs to its process, and the process to a group:
 * its memory cgroup, or its user if that cgroup is the root of the hierarchy. Each group with work
 * has one turn before any group has another; within a group its processes take turns, and within a
 * process its QPs. So a tenant's share does not grow with its number of QPs or processes. QPs of
 * kernel consumers belong to no party, and have every other turn.
 */
#ifndef GLASS_ENGINE_PARTY_H
#define GLASS_ENGINE_PARTY_H

#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/types.h>

/* The queue of one level on one lane; only that lane's worker uses it. */
struct glass_turns {
	struct list_head node; /* in its group's or lane's list; empty: nothing waits */
	struct list_head waiting; /* processes of a group, QPs of a process */
};

/* Identifies a process or group. The numbers are never reused: no reference is needed. */
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
	/* of a process: its QPs whose retries get no answer (patience.c) */
	spinlock_t patient_lock; /* nests inside QPs' locks, softirqs off */
	struct list_head patient;
	struct hrtimer patience;
	bool patience_runs; /* the timer is started, or about to restart itself */
	u64 tries_paid; /* ns: the time up to which its retries are used up; under patient_lock */
	struct glass_turns turns[]; /* by lane */
};

/*
 * Gets the party of the calling process, with a reference, for a new QP; NULL: no memory. Its
 * cgroup is the caller's cgroup at this moment. May sleep.
 */
struct glass_party *glass_party_get(void);

/* Drops a reference to a party or group; p may be NULL. May sleep. */
void glass_party_put(struct glass_party *p);

#endif
